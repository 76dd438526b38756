package steward

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/awslabs/operatorpkg/status"
	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"
	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"

	"github.com/disruptkit/disruptkit/cmd/annotation"
	"github.com/disruptkit/disruptkit/repair"
)

// A rollout plays a roll on a small API server, second by second, always in the same way: stewards, one of which may be struck by a fault at one
// of its writes; a Karpenter whose cache is late by up to two seconds; admission policies; and what a scenario says. What must always be so
// is in check, and in checkWrite what must be so of each write.
type rollout struct {
	scenario
	api     *smallAPI
	now     time.Time
	history []map[objectKey]client.Object // what caches may show: the last seconds
	before  []moment                      // and before each of the writes of stewards
	script  []happening                   // that is still to come
	faults  []string                      // what is wrong

	seat     *seat         // nil: no steward leads
	other    *seat         // one that does not know of any leader
	heir     *seat         // who leads next, from a time on
	from     time.Time     // since then
	skew     time.Duration // of the clock that was most wrong
	calm     time.Time     // since then, no fault has hindered the steward
	writes   int           // of stewards so far
	late     int           // how many seconds ago its cache shows, and one more; 0: it shows all as it is
	strike   func(r *rollout, s *seat, o client.Object, do func() error) error
	at       int // the write that it strikes; 0: each one
	sabotage func(s *seat, o client.Object, patch client.Patch, do func(client.Patch) error) error

	looks   time.Time // when Karpenter looks again
	round   int       // of its looks
	denied  map[string]int
	denials int
	takenAt map[string]time.Time
	starts  []time.Time
	born    int
	frozen  time.Time // since when nothing may be disrupted; zero: it may
	changed time.Time // when the NodePools that share a cap last changed
	free    bool      // limits hold no more
}

// A scenario is a roll, and what happens meanwhile.
type scenario struct {
	rule    string
	mutates bool // the mutating policy is there
	build   func(*rollout)
	events  []happening
	most    int           // nodes in flight or released, and of one zone
	caps    []string      // policies: of the NodePools that have such a label, one node is in flight or released at once
	pace    time.Duration // least time between the starts of two nodes; 0: any
	over    time.Duration // by then, it is over
	done    func(*rollout) string
}

type happening struct {
	at time.Duration
	do func(*rollout)
}

// A moment is what was there at a time.
type moment struct {
	at      time.Time
	objects map[objectKey]client.Object
}

// A seat is that of a steward.
type seat struct {
	*Steward
	next    time.Time
	dead    bool
	deposed bool // another one leads, and it does not know
	late    int  // as in rollout, but not of policies, which a steward reads without a cache
	seen    int  // the version that it has seen last
	// Until a time, its cache shows some kinds as they were.
	stale      map[objectKey]client.Object
	staleKinds string
	staleUntil time.Time
}

const zoneLabel = corev1.LabelTopologyZone

// newRollout returns one in which Karpenter looks every 10 s from a time on.
func newRollout(s scenario, phase time.Duration) *rollout {
	r := &rollout{
		scenario: s, api: &smallAPI{objects: map[objectKey]client.Object{}}, now: noon,
		script: s.events, denied: map[string]int{}, takenAt: map[string]time.Time{},
	}
	r.looks = noon.Add(phase)
	s.build(r)
	r.remember()
	r.lead(r.newSeat(0), time.Second)
	return r
}

// newSeat returns a steward whose clock is wrong.
func (r *rollout) newSeat(skew time.Duration) *seat {
	r.skew = max(r.skew, skew.Abs())
	s := &seat{Steward: &Steward{
		Prober: noProbes{}, Clock: func() time.Time { return r.now.Add(skew) }, jitters: func() float64 { return 1 },
		Repair: must(repair.Compile([]repair.Policy{{ConditionType: "Broken", ConditionStatus: "True", Action: repair.Replace}})),
	}}
	s.Client = &smallClient{
		cache: func(kind string) map[objectKey]client.Object {
			if r.now.Before(s.staleUntil) && strings.Contains(s.staleKinds, kind) {
				return s.stale
			}
			if late := max(r.late, s.late); late > 0 && (r.late > 0 || kind != "DisruptionPolicy") {
				return r.history[max(0, len(r.history)-late)]
			}
			return r.api.objects
		},
		write: func(o client.Object, patch client.Patch) error { return r.write(s, o, patch) },
	}
	return s
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// lead lets a steward lead after a while, and none meanwhile.
func (r *rollout) lead(s *seat, after time.Duration) {
	r.seat, r.heir, r.from = nil, s, r.now.Add(after)
	r.calm = r.from.Add(time.Second)
}

func (r *rollout) failf(format string, args ...any) {
	r.faults = append(r.faults, r.now.Format("04:05 ")+fmt.Sprintf(format, args...))
}

// write is one of a steward.
func (r *rollout) write(s *seat, o client.Object, patch client.Patch) error {
	if s.dead {
		return errors.New("it is dead")
	}
	do := func(patch client.Patch) error {
		was, is, err := r.api.patched(o, patch)
		if err != nil {
			return err
		}
		r.before = append(r.before, moment{r.now, maps.Clone(r.api.objects)})
		r.checkWrite(s, was, is)
		if n, isNode := is.(*corev1.Node); isNode {
			r.mutate(n)
		}
		r.api.put(is)
		answer(o, is)
		return nil
	}
	if r.sabotage != nil {
		whole := do
		do = func(patch client.Patch) error { return r.sabotage(s, o, patch, whole) }
	}
	r.writes++
	if r.strike == nil || r.at != 0 && r.at != r.writes || s.deposed {
		return do(patch)
	}
	return r.strike(r, s, o, func() error { return do(patch) })
}

// mutate is the mutating policy.
func (r *rollout) mutate(n *corev1.Node) {
	mark := annotation.ReadMark(n.Annotations)
	if !r.mutates || mark.Until.After(r.now) || tainted(n) || !n.DeletionTimestamp.IsZero() || !r.takesPart(n) {
		return
	}
	hold := func(veto annotation.Veto, name, marker, why string) {
		if veto == annotation.None { // it takes nothing away, and changes nothing that is there
			n.Annotations[name], n.Annotations[marker] = "true", why
		}
	}
	hold(mark.Disrupt, v1.DoNotDisruptAnnotationKey, annotation.Held, "not released")
	hold(mark.Repair, v1.DoNotRepairAnnotationKey, annotation.RepairHeld, "true")
}

func tainted(n *corev1.Node) bool {
	return slices.ContainsFunc(n.Spec.Taints, func(t corev1.Taint) bool { return t.Key == v1.DisruptedTaintKey })
}

func (r *rollout) pool(n client.Object) *v1.NodePool {
	return r.api.objects[objectKey{"NodePool", n.GetLabels()[v1.NodePoolLabelKey]}].(*v1.NodePool)
}

func (r *rollout) takesPart(n client.Object) bool { return takesPart(r.pool(n)) }

// ourAnnotations are those that a steward may write, by kind.
var ourAnnotations = map[string][]string{
	"Node": {
		v1.DoNotDisruptAnnotationKey, v1.DoNotRepairAnnotationKey, annotation.Held, annotation.RepairHeld, annotation.ReleasedUntil, annotation.ReleasedFor,
	},
	"NodePool":         {annotation.Memory, annotation.Releases, annotation.Policies, annotation.StewardEnforced, annotation.Status},
	"NodeClaim":        {v1.NodePoolHashAnnotationKey},
	"DisruptionPolicy": {annotation.Memory, annotation.Releases},
}

// checkWrite checks a write of a steward, before the mutating policy mends it: it is of the steward's own annotations alone, it leaves a node
// either held or with a release that runs, and what it releases is stored.
func (r *rollout) checkWrite(s *seat, was, is client.Object) {
	changed := map[string]bool{}
	for _, names := range []map[string]string{was.GetAnnotations(), is.GetAnnotations()} {
		for name := range names {
			before, did := was.GetAnnotations()[name]
			after, does := is.GetAnnotations()[name]
			changed[name] = before != after || did != does
		}
	}
	key := keyOf(is)
	for name, is := range changed {
		if is && !slices.Contains(ourAnnotations[key.kind], name) {
			r.failf("the steward has written %s of %s", name, key)
		}
	}
	n, isNode := is.(*corev1.Node)
	if !isNode {
		return
	}
	before, after := annotation.ReadMark(was.GetAnnotations()), annotation.ReadMark(n.Annotations)
	if before.Disrupt == annotation.Theirs && (changed[v1.DoNotDisruptAnnotationKey] || changed[annotation.Held]) ||
		before.Repair == annotation.Theirs && (changed[v1.DoNotRepairAnnotationKey] || changed[annotation.RepairHeld]) {
		r.failf("somebody's own hold of %s was touched: %v", n.Name, n.Annotations)
	}
	np := r.pool(n)
	if !takesPart(np) {
		return
	}
	runs := after.Until.After(r.now)
	r.checkCaps(s, np, before, after)
	if s.deposed {
		return
	}
	if after.Disrupt == annotation.None && !runs && enforced(np) {
		r.failf("%s is neither held nor released: %v", n.Name, n.Annotations)
	}
	if opens := after.Disrupt == annotation.None && before.Disrupt != annotation.None || after.Repair == annotation.None && before.Repair != annotation.None; opens && runs {
		c := r.api.objects[objectKey{"NodeClaim", "claim-" + n.Name}]
		_, made := annotation.MadeToDrift(c.GetAnnotations()[v1.NodePoolHashAnnotationKey])
		because, _, _ := strings.Cut(after.For, " since")
		if own := because == "Expired" || because == "Requested"; own && string(made) != because {
			r.failf("%s is released, and its NodeClaim has not been made to drift", n.Name)
		}
		if stored := readReleases(np.Annotations[annotation.Releases])[n.Name]; stored.Before(after.Until) {
			r.failf("%s is released until %s, and what is stored is %s", n.Name, after.Until.Format("04:05"), stored.Format("04:05"))
		}
	}
}

// checkCaps checks that a node is only released where no other node is disrupted, or may be disrupted, of the NodePools that share a cap with its own, as far as the
// steward can know that they do.
func (r *rollout) checkCaps(s *seat, of *v1.NodePool, before, after annotation.Mark) {
	opens := after.Disrupt == annotation.None && before.Disrupt != annotation.None || after.Repair == annotation.None && before.Repair != annotation.None
	if !opens || !after.Until.After(r.now) {
		return
	}
	knows := r.changed.Add(time.Duration(r.late) * time.Second)
	if r.now.Before(s.staleUntil) && strings.Contains(s.staleKinds, "DisruptionPolicy") {
		knows = r.changed.Add(4 * time.Second)
	}
	for _, label := range r.caps {
		if r.api.objects[objectKey{"DisruptionPolicy", label}] == nil || of.Labels[label] == "" || r.now.Before(knows) {
			continue
		}
		for _, n := range all[*corev1.Node](r.api.objects) {
			if np := r.pool(n); np.Labels[label] != "" && takesPart(np) && r.goes(n) {
				r.failf("a node of %s is released, and %s of %s goes: the policy %s allows one", of.Name, n.Name, np.Name, label)
			}
		}
	}
}

// goes reports whether a node is disrupted, or may be disrupted.
func (r *rollout) goes(n *corev1.Node) bool {
	mark := annotation.ReadMark(n.Annotations)
	return tainted(n) || !n.DeletionTimestamp.IsZero() || mark.Until.After(r.now) && (mark.Disrupt == annotation.None || mark.Repair == annotation.None)
}

// tick lets a second pass.
func (r *rollout) tick() {
	r.now = r.now.Add(time.Second)
	for len(r.script) > 0 && !r.now.Before(noon.Add(r.script[0].at)) {
		do := r.script[0].do
		r.script = r.script[1:]
		do(r)
	}
	r.machines()
	r.karpenter()
	r.steward()
	r.remember()
	r.check()
}

// steward lets the steward that leads do a pass, if it has anything to do.
func (r *rollout) steward() {
	if r.seat == nil && r.heir != nil && !r.now.Before(r.from) {
		r.seat, r.heir = r.heir, nil
	}
	if r.other != nil && r.now.Second()%2 == 0 {
		_, _ = r.other.Pass(log.IntoContext(context.Background(), logr.Discard()))
	}
	s := r.seat
	if s == nil || r.late == 0 && s.seen == r.api.version && r.now.Before(s.next) && !r.now.Equal(s.staleUntil) {
		return
	}
	s.seen = r.api.version // what it writes itself makes it look again
	next, err := s.Pass(log.IntoContext(context.Background(), logr.Discard()))
	if next = next.Add(r.now.Sub(s.Clock())); err != nil {
		next = r.now.Add(pause)
	} else if latest := r.now.Add(longest); next.Before(r.now) || next.After(latest) {
		next = latest
	}
	s.next = next
}

// remember keeps what Karpenter's cache may show.
func (r *rollout) remember() {
	r.history = append(r.history, maps.Clone(r.api.objects))
	r.history = r.history[max(0, len(r.history)-4):]
}

// alter changes an object, as any other client does.
func alter[T client.Object](r *rollout, o T, change func(T)) {
	is, there := r.api.objects[keyOf(o)]
	if !there {
		return
	}
	to := is.DeepCopyObject().(T)
	change(to)
	if c, isClaim := any(to).(*v1.NodeClaim); isClaim {
		date(c.Status.Conditions, any(is).(*v1.NodeClaim).Status.Conditions, r.now)
	}
	if n, isNode := any(to).(*corev1.Node); isNode {
		r.mutate(n)
	}
	r.api.put(to)
}

// date gives conditions that are new, or have changed, the time of the rollout. What sets them takes that of the clock on the wall.
func date(conditions, before []status.Condition, now time.Time) {
	for i := range conditions {
		if c := &conditions[i]; !slices.ContainsFunc(before, func(b status.Condition) bool { return b.Type == c.Type && b.Status == c.Status }) {
			c.LastTransitionTime = metav1.NewTime(now)
		}
	}
}

// karpenter looks for a node that it may take, as it believes.
func (r *rollout) karpenter() {
	if r.now.Before(r.looks) {
		return
	}
	r.round++
	late := min(r.round%3, len(r.history)-1)
	seen := r.history[len(r.history)-1-late]
	r.looks = r.now.Add(10 * time.Second)
	for _, c := range all[*v1.NodeClaim](seen) {
		n, there := seen[objectKey{"Node", c.Status.NodeName}].(*corev1.Node)
		live, lives := r.api.objects[objectKey{"Node", c.Status.NodeName}].(*corev1.Node)
		if !there || !lives || tainted(live) || !live.DeletionTimestamp.IsZero() || n.Labels["refused"] != "" {
			continue
		}
		drifts := c.StatusConditions().Get(v1.ConditionTypeDrifted).IsTrue() && n.Annotations[v1.DoNotDisruptAnnotationKey] != "true"
		broken := isBroken(n) && n.Annotations[v1.DoNotRepairAnnotationKey] != "true"
		if !drifts && !broken {
			continue
		}
		if np := r.pool(live); takesPart(np) && enforced(np) && !annotation.ReadMark(live.Annotations).Until.After(r.now) {
			r.deny(live)
			return
		}
		r.take(live, c, map[bool]string{true: "Unhealthy", false: "Drifted"}[broken])
		r.looks = r.now.Add(time.Second)
		return
	}
	clear(r.denied)
}

func isBroken(n *corev1.Node) bool {
	return slices.ContainsFunc(n.Status.Conditions, func(c corev1.NodeCondition) bool { return c.Type == "Broken" })
}

// deny is the validating policy. With each denial in a row, Karpenter waits for longer.
func (r *rollout) deny(n *corev1.Node) {
	r.denials++
	r.denied[n.Name]++
	r.looks = r.now.Add(time.Second << min(r.denied[n.Name], 10))
	switch up := r.seat != nil; {
	case r.isCalm(5 * time.Second):
		r.failf("Karpenter was denied %s, though nothing has hindered the steward: %v", n.Name, n.Annotations)
	case up && r.denied[n.Name] > 1 && r.now.Sub(r.from) > Skew: // by its clock, which may be slow, the release may not be over before
		r.failf("Karpenter was denied %s %d times in a row: %v", n.Name, r.denied[n.Name], n.Annotations)
	}
}

// isCalm reports whether nothing has hindered the steward for a while.
func (r *rollout) isCalm(since time.Duration) bool {
	return r.seat != nil && !r.now.Before(r.calm.Add(since))
}

func (r *rollout) take(n *corev1.Node, c *v1.NodeClaim, reason string) {
	clear(r.denied)
	r.checkUnit(n)
	alter(r, n, func(n *corev1.Node) { n.Spec.Taints = append(n.Spec.Taints, v1.DisruptedNoScheduleTaint) })
	alter(r, c, func(c *v1.NodeClaim) {
		c.StatusConditions().SetTrueWithReason(v1.ConditionTypeDisruptionReason, reason, reason)
	})
	r.takenAt[n.Name] = r.now
	r.starts = append(r.starts, r.now)
	if !r.frozen.IsZero() && r.isCalm(8*time.Second) && r.now.Sub(r.frozen) > 8*time.Second {
		r.failf("%s was taken, and nothing may be disrupted since %s", n.Name, r.frozen.Format("04:05"))
	}
	if last := len(r.starts) - 2; last >= 0 && r.now.Sub(r.starts[last]) < r.pace-r.skew {
		r.failf("two nodes were taken within %s", r.now.Sub(r.starts[last]))
	}
}

// machines brings the replacements of what was taken, and ends that; and Karpenter notices which NodeClaims drift.
func (r *rollout) machines() {
	for _, name := range slices.Sorted(maps.Keys(r.takenAt)) {
		n, _ := r.api.objects[objectKey{"Node", name}].(*corev1.Node)
		c, _ := r.api.objects[objectKey{"NodeClaim", "claim-" + name}].(*v1.NodeClaim)
		switch r.now.Sub(r.takenAt[name]) {
		case 4 * time.Second:
			unit := n.Labels[rack]
			r.join(n.Labels[zoneLabel], n.Labels[v1.NodePoolLabelKey], 0, func(n *corev1.Node, _ *v1.NodeClaim) {
				if unit != "" {
					n.Labels[rack] = unit
				}
			})
		case 6 * time.Second:
			now := metav1.NewTime(r.now)
			alter(r, n, func(n *corev1.Node) { n.DeletionTimestamp = &now })
			alter(r, c, func(c *v1.NodeClaim) { c.DeletionTimestamp = &now })
		case 9 * time.Second:
			delete(r.api.objects, keyOf(n))
			delete(r.api.objects, keyOf(c))
			delete(r.takenAt, name)
			r.api.version++
		}
	}
	for _, c := range all[*v1.NodeClaim](r.api.objects) {
		drifts := c.Annotations[v1.NodePoolHashAnnotationKey] != r.pool(c).Annotations[v1.NodePoolHashAnnotationKey]
		if is := c.StatusConditions().Get(v1.ConditionTypeDrifted); drifts != (is.IsTrue() && is.Reason == "NodePoolDrifted") {
			alter(r, c, func(c *v1.NodeClaim) {
				if _ = c.StatusConditions().Clear(v1.ConditionTypeDrifted); drifts {
					c.StatusConditions().SetTrueWithReason(v1.ConditionTypeDrifted, "NodePoolDrifted", "NodePoolDrifted")
				}
			})
		}
	}
}

// join adds a node, and its NodeClaim, of a zone.
func (r *rollout) join(zone, pool string, age time.Duration, change ...func(*corev1.Node, *v1.NodeClaim)) {
	r.born++
	e := &estate{}
	born := r.now.Add(-age)
	e.node(zone+strconv.Itoa(r.born), 0, append([]func(*corev1.Node, *v1.NodeClaim){func(n *corev1.Node, c *v1.NodeClaim) {
		n.Labels[v1.NodePoolLabelKey], n.Labels[zoneLabel] = pool, zone // they are those of the claim
		n.CreationTimestamp, c.CreationTimestamp = metav1.NewTime(born), metav1.NewTime(born)
		c.Annotations[v1.NodePoolHashAnnotationKey] = r.pool(n).Annotations[v1.NodePoolHashAnnotationKey]
		c.StatusConditions().SetTrue(v1.ConditionTypeInitialized)
		date(c.Status.Conditions, nil, born)
		n.Status.Conditions[0].LastTransitionTime = metav1.NewTime(born)
		if age == 0 { // nodes are born bare
			n.Annotations = map[string]string{}
		}
	}}, change...)...)
	for _, o := range e.objects {
		if n, isNode := o.(*corev1.Node); isNode {
			r.mutate(n)
		}
		r.api.put(o)
	}
}

// check checks what must be so at any time: no more nodes than the limit are released or in flight, all of one zone, and nothing is
// released for long after nothing may be disrupted.
func (r *rollout) check() {
	if r.free {
		return
	}
	var going, released []string
	in := map[string]bool{}
	for _, n := range all[*corev1.Node](r.api.objects) {
		if !r.takesPart(n) || !enforced(r.pool(n)) {
			continue
		}
		mark := annotation.ReadMark(n.Annotations)
		goes := tainted(n) || !n.DeletionTimestamp.IsZero()
		if r.goes(n) {
			going = append(going, n.Name)
			in[n.Labels[zoneLabel]] = true
		}
		if isNew := r.now.Sub(n.CreationTimestamp.Time) < 5*time.Second; !goes && mark.Disrupt == annotation.None && !isNew {
			released = append(released, n.Name)
		}
	}
	if len(going) > r.most || len(in) > 1 {
		r.failf("%v go or may be disrupted: the limit is %d of one zone", going, r.most)
	}
	if len(released) > 0 && !r.frozen.IsZero() && r.now.Sub(r.frozen) > 5*time.Second && r.isCalm(5*time.Second) {
		r.failf("%v are released, and nothing may be disrupted since %s", released, r.frozen.Format("04:05"))
	}
}

// play plays the scenario to its end, and returns what was wrong.
func (r *rollout) play() []string {
	for r.now.Before(noon.Add(r.over)) && len(r.faults) == 0 {
		r.tick()
		if len(r.script) == 0 && len(r.takenAt) == 0 && r.done(r) == "" {
			return r.faults
		}
	}
	if open := r.done(r); open != "" && len(r.faults) == 0 {
		r.failf("it has not come to its end: %s", open)
	}
	return r.faults
}
