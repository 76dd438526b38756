package steward

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"

	"github.com/disruptkit/disruptkit/cmd/annotation"
)

const (
	twoOfAZone    = `budgets: [{nodes: "2", topologyKey: topology.kubernetes.io/zone, sequential: true}]`
	nothingMayGo  = `budgets: [{nodes: "0"}]`
	newHash       = "2"
	refusedByPods = "refused"
)

// addPool adds a NodePool that is opted in.
func (r *rollout) addPool(name string, annotations map[string]string) {
	np := newEstate(annotations).pool
	np.Name, np.UID = name, "pool-"+np.UID
	r.api.put(np)
}

func (r *rollout) node(name string) *corev1.Node {
	n, _ := r.api.objects[objectKey{"Node", name}].(*corev1.Node)
	return n
}

// annotatePool is somebody who annotates the NodePool p; "" takes an annotation away.
func annotatePool(name, text string) func(*rollout) {
	return func(r *rollout) {
		alter(r, r.api.objects[objectKey{"NodePool", "p"}].(*v1.NodePool), func(np *v1.NodePool) {
			if np.Annotations[name] = text; text == "" {
				delete(np.Annotations, name)
			}
		})
	}
}

// policyChanges is somebody who writes another policy. One by which nothing may go is a freeze.
func policyChanges(text string) func(*rollout) {
	return func(r *rollout) {
		if r.frozen = (time.Time{}); text == nothingMayGo {
			r.frozen = r.now
		}
		annotatePool(annotation.Disruption, text)(r)
	}
}

// heldBySomebody is a node that somebody holds, and nobody else may release.
func heldBySomebody(n *corev1.Node, _ *v1.NodeClaim) {
	n.Annotations = map[string]string{v1.DoNotDisruptAnnotationKey: "true", v1.DoNotRepairAnnotationKey: "true"}
}

// old reports which nodes are there that should have gone.
func old(r *rollout) string {
	var names []string
	for _, c := range all[*v1.NodeClaim](r.api.objects) {
		mine := r.node(c.Status.NodeName) != nil && annotation.ReadMark(r.node(c.Status.NodeName).Annotations).Disrupt == annotation.Theirs
		if drifted := c.StatusConditions().Get(v1.ConditionTypeDrifted).IsTrue(); drifted && !mine {
			names = append(names, c.Status.NodeName)
		}
	}
	return strings.Join(names, " ")
}

// The scenarios of all faults.
var scenarios = []scenario{
	{
		rule: "zones in turn, and a freeze in the middle", most: 2, over: 8 * time.Minute, done: old,
		build: func(r *rollout) {
			r.addPool("p", map[string]string{annotation.Disruption: twoOfAZone, annotation.StewardEnforced: "true"})
			for _, zone := range []string{"a", "a", "b", "c"} {
				r.join(zone, "p", time.Hour)
			}
			r.join("b", "p", time.Hour, heldBySomebody)
		},
		events: []happening{
			{2 * time.Second, annotatePool(v1.NodePoolHashAnnotationKey, newHash)},
			{15 * time.Second, policyChanges(nothingMayGo)},
			{40 * time.Second, policyChanges(twoOfAZone)},
		},
	},
	{
		rule: "a node that Karpenter does not take is taken back", most: 1, over: 15 * time.Minute, mutates: true, done: old,
		build: func(r *rollout) {
			r.addPool("p", map[string]string{annotation.Disruption: `budgets: [{nodes: "1"}]`, annotation.StewardEnforced: "true"})
			r.join("a", "p", time.Hour, func(n *corev1.Node, _ *v1.NodeClaim) { n.Labels[refusedByPods] = "true" })
			r.join("b", "p", time.Hour)
		},
		events: []happening{
			{2 * time.Second, annotatePool(v1.NodePoolHashAnnotationKey, newHash)},
			{84 * time.Second, func(r *rollout) { // its release has ended by a clock that is slow
				if n := r.node("a1"); n != nil {
					alter(r, n, func(n *corev1.Node) { delete(n.Labels, refusedByPods) })
				}
			}},
		},
	},
	{
		rule: "a pace of a policy that two pools share", most: 2, pace: time.Minute, over: 12 * time.Minute, done: old,
		build: func(r *rollout) {
			for _, pool := range []string{"p", "q"} {
				r.addPool(pool, map[string]string{annotation.StewardEnforced: "true"})
				r.join("a", pool, time.Hour)
			}
			r.join("a", "p", time.Hour)
			e := &estate{}
			e.share("policy", `{all: true, budgets: [{nodes: "1", per: 1m}]}`)
			r.api.put(e.objects[0])
		},
		events: []happening{{2 * time.Second, func(r *rollout) {
			for _, np := range all[*v1.NodePool](r.api.objects) {
				alter(r, np, func(np *v1.NodePool) { np.Annotations[v1.NodePoolHashAnnotationKey] = newHash })
			}
		}}},
	},
	{
		rule: "nodes that expire, and then do not", most: 1, over: 8 * time.Minute,
		build: func(r *rollout) {
			r.addPool("p", map[string]string{
				annotation.Disruption: `budgets: [{nodes: "1", reasons: [Expired]}, {nodes: "1"}]`, annotation.Expire: monthly, annotation.StewardEnforced: "true",
			})
			for range 3 {
				r.join("a", "p", 721*time.Hour)
			}
		},
		events: []happening{{25 * time.Second, annotatePool(annotation.Expire, "")}},
		done: func(r *rollout) string {
			for _, c := range all[*v1.NodeClaim](r.api.objects) {
				if _, made := MadeToDrift(c); made != "" {
					return c.Name + " was made to drift, and does not expire"
				}
			}
			return ""
		},
	},
	{
		rule: "a broken node beside a roll", most: 1, over: 8 * time.Minute,
		build: func(r *rollout) {
			r.addPool("p", map[string]string{annotation.Disruption: `budgets: [{nodes: "1"}]`, annotation.StewardEnforced: "true"})
			r.join("a", "p", time.Hour)
			r.join("a", "p", time.Hour)
		},
		events: []happening{
			{2 * time.Second, annotatePool(v1.NodePoolHashAnnotationKey, newHash)},
			{8 * time.Second, func(r *rollout) {
				if n := r.node("a2"); n != nil {
					alter(r, n, func(n *corev1.Node) {
						n.Status.Conditions = append(n.Status.Conditions, corev1.NodeCondition{Type: "Broken", Status: corev1.ConditionTrue})
					})
				}
			}},
		},
		done: func(r *rollout) string {
			for _, n := range all[*corev1.Node](r.api.objects) {
				if isBroken(n) {
					return n.Name + " is broken"
				}
			}
			return old(r)
		},
	},
	{
		rule: "a pool that joins, rolls and leaves", most: 1, over: 8 * time.Minute,
		build: func(r *rollout) {
			r.addPool("p", map[string]string{annotation.Steward: "", annotation.Disruption: `budgets: [{nodes: "1"}]`, annotation.Expire: monthly})
			for range 2 {
				r.join("a", "p", 0)
				r.join("a", "p", 721*time.Hour, func(n *corev1.Node, _ *v1.NodeClaim) { n.Annotations = map[string]string{} })
			}
			r.join("b", "p", time.Hour, heldBySomebody)
		},
		events: []happening{
			{2 * time.Second, annotatePool(annotation.Steward, "true")},
			{45 * time.Second, annotatePool(v1.NodePoolHashAnnotationKey, newHash)},
			{60 * time.Second, func(r *rollout) {
				r.free = true
				annotatePool(annotation.Steward, "")(r)
			}},
		},
		done: func(r *rollout) string {
			for _, n := range all[*corev1.Node](r.api.objects) {
				if annotation.ReadMark(n.Annotations).Ours() {
					return fmt.Sprint(n.Name, " has marks: ", n.Annotations)
				}
			}
			np := r.api.objects[objectKey{"NodePool", "p"}].(*v1.NodePool)
			for _, name := range []string{annotation.StewardEnforced, annotation.Releases, annotation.Policies, annotation.Status} {
				if np.Annotations[name] != "" {
					return "the NodePool has " + name
				}
			}
			return old(r)
		},
	},
}

// A fault strikes a write of a steward.
type fault func(r *rollout, s *seat, o client.Object, do func() error) error

// dies is a steward that dies before its write, or after it. The next one leads after a while, with another clock. Until its cache has caught up,
// that shows some kinds as they were so many writes ago.
func dies(after bool, next time.Duration, skew time.Duration, kinds string, ago int) fault {
	return func(r *rollout, s *seat, _ client.Object, do func() error) error {
		if after {
			_ = do()
		}
		s.dead = true
		heir := r.newSeat(skew)
		if first := max(0, len(r.before)-ago); ago > 0 && len(r.before) > 0 {
			for r.now.Sub(r.before[first].at) > latestView {
				first++
			}
			heir.stale, heir.staleKinds = r.before[first].objects, kinds
			heir.staleUntil = r.now.Add(next + 3*time.Second)
		}
		if r.lead(heir, next); ago > 0 {
			r.calm = heir.staleUntil
		}
		return errors.New("it is dead")
	}
}

// sleeps is a steward that sleeps before its write, while another one leads. Then it goes on with its pass, until it finds that out.
func sleeps(length time.Duration) fault {
	return func(r *rollout, s *seat, _ client.Object, do func() error) error {
		s.deposed = true
		r.lead(r.newSeat(0), time.Second)
		for end := r.now.Add(length); r.now.Before(end); {
			r.tick()
		}
		err := do()
		r.calm = r.now.Add(time.Second)
		return err
	}
}

// fails is a write that has another answer.
func fails(lands bool, err error) fault {
	return func(r *rollout, _ *seat, _ client.Object, do func() error) error {
		r.calm = r.now.Add(pause)
		if lands {
			if err := do(); err != nil {
				return err
			}
		}
		return err
	}
}

// meetsAnother is somebody who writes an object just before the steward does.
func meetsAnother(r *rollout, _ *seat, o client.Object, do func() error) error {
	r.calm = r.now.Add(pause)
	if is, there := r.api.objects[keyOf(o)]; there {
		alter(r, is, func(o client.Object) {
			annotations := map[string]string{"example.com/by": "somebody"}
			maps.Copy(annotations, o.GetAnnotations())
			o.SetAnnotations(annotations)
		})
	}
	return do()
}

// disappears is an object that is deleted just before the steward writes it.
func disappears(r *rollout, _ *seat, o client.Object, do func() error) error {
	if n, isNode := o.(*corev1.Node); isNode {
		delete(r.api.objects, keyOf(n))
		delete(r.api.objects, objectKey{"NodeClaim", "claim-" + n.Name})
		delete(r.takenAt, n.Name)
		r.api.version++
	}
	return do()
}

// latestView is how old what a cache shows may be when a steward begins.
const latestView = 20 * time.Second

const (
	cached     = "NodePool NodeClaim Node" // policies are read without a cache
	everything = cached + " DisruptionPolicy"
)

// exhaustive is set in the step kubernetes of .ci/run: all that go test samples is played.
var exhaustive = os.Getenv("EXHAUSTIVE") != ""

// A blow is a kind of fault. Of its variants, each third write meets one; if exhaustive, each write meets all of them.
type blow struct {
	what     string
	variants []fault
	brief    bool // the steward is hindered for a moment
}

// mostLate is how much later a roll is over where the steward was hindered for a moment. Karpenter looks every 10 s.
const mostLate = 30 * time.Second

var blows = []blow{
	{"the steward dies before it", []fault{dies(false, time.Second, 0, "", 0)}, false},
	{"the steward dies after it, and the cache of the next one is late", []fault{
		dies(true, time.Second, 0, everything, 3), dies(true, time.Second, Skew-time.Second, everything, 1),
		dies(true, time.Second, 0, "NodePool", 2), dies(true, time.Second, 0, "NodeClaim Node", 2),
		dies(true, time.Second, 0, cached, 1), dies(true, time.Second, 0, cached, 2), dies(true, time.Second, Skew-time.Second, cached, 5),
	}, false},
	{"the steward dies, and there is none for long", []fault{
		dies(false, 30*time.Second, Skew-time.Second, "", 0), dies(true, 2*time.Minute, time.Second-Skew, "", 0),
	}, false},
	{"the steward sleeps before it, and another one leads meanwhile", []fault{sleeps(20 * time.Second), sleeps(2 * time.Minute)}, false},
	{"somebody writes the object before it", []fault{meetsAnother}, true},
	{"it fails", []fault{fails(false, errors.New("500: no leader"))}, true},
	{"its answer is lost", []fault{fails(true, errors.New("timeout"))}, true},
	{"its node is gone", []fault{disappears}, false},
}

// Whatever happens at any of a steward's writes, what must always be so is so, and the roll comes to its end.
func TestAFaultAtAnyWriteBreaksNothing(t *testing.T) {
	step := 3
	switch {
	case exhaustive:
		step = 1
	case testing.Short():
		step = 5
	}
	for _, s := range append(underPolicies, scenarios...) {
		t.Run(s.rule, func(t *testing.T) {
			t.Parallel()
			played := 0
			defer func() { t.Logf("%d variants", played) }()
			for i, b := range blows {
				phase := time.Duration(i) * time.Second
				usual := newRollout(s, phase)
				if wrong := usual.play(); len(wrong) > 0 || usual.denials > 0 {
					t.Fatalf("without a fault, Karpenter looks %s after the full minute: %s; %d denials", phase, strings.Join(wrong, "\n"), usual.denials)
				}
				for at := 1 + i%step; at <= usual.writes; at += step {
					for variant, f := range b.variants {
						if variant != at/step%len(b.variants) && !exhaustive {
							continue
						}
						played++
						r := newRollout(s, phase)
						r.at, r.strike = at, f
						wrong := r.play()
						if late := r.now.Sub(usual.now); b.brief && late > mostLate {
							r.failf("it has come to its end %s later than usual", late)
							wrong = r.faults
						}
						if len(wrong) > 0 {
							t.Fatalf("write %d of %d, %s (%d):\n%s", at, usual.writes, b.what, variant, strings.Join(wrong, "\n"))
						}
					}
				}
			}
		})
	}
}

// As above, where every third write of a steward, every fourth or every fifth meets the same fault.
func TestAFaultAtManyWritesBreaksNothing(t *testing.T) {
	for _, s := range append(underPolicies, scenarios...) {
		for _, b := range blows[4:7] {
			for every := 3; every <= 5; every++ { // of 2, it would always be the second of two that have to be stored together
				r := newRollout(s, 0)
				r.strike = func(r *rollout, s *seat, o client.Object, do func() error) error {
					if r.writes%every != 0 {
						return do()
					}
					return b.variants[0](r, s, o, do)
				}
				if wrong := r.play(); len(wrong) > 0 {
					t.Errorf("%s: every %d. write, %s:\n%s", s.rule, every, b.what, strings.Join(wrong, "\n"))
				}
			}
		}
	}
}

// As above, where the steward's cache is late by up to three seconds all the time, also by what it has written itself, and its clock is wrong.
func TestLateCachesAndWrongClocksBreakNothing(t *testing.T) {
	for _, s := range append(underPolicies, scenarios...) {
		for late := 1; late <= 4; late++ {
			for phase, skew := range []time.Duration{0, Skew - time.Second, time.Second - Skew} {
				if phase != late%3 && !exhaustive {
					continue
				}
				r := newRollout(s, time.Duration(2*phase+late)*time.Second)
				r.late = late
				r.lead(r.newSeat(skew), time.Second)
				if wrong := r.play(); len(wrong) > 0 {
					t.Errorf("%s: late by %d s, with a clock that is wrong by %s:\n%s", s.rule, late-1, skew, strings.Join(wrong, "\n"))
				}
			}
		}
	}
}

// Two stewards without an election: each decides every other second, and one of them sees what was two seconds ago, but for policies.
func TestTwoStewardsAtOnceReleaseNoMoreThanPoliciesAllow(t *testing.T) {
	for _, s := range underPolicies {
		for phase := range 10 {
			if phase%3 != 0 && !exhaustive {
				continue
			}
			r := newRollout(s, time.Duration(phase)*time.Second)
			r.other = r.newSeat(0)
			r.other.late = 1 + phase%4
			r.calm = r.now.Add(s.over) // they hinder each other
			if wrong := r.play(); len(wrong) > 0 {
				t.Errorf("%s: Karpenter looks %d s after the full minute:\n%s", s.rule, phase, strings.Join(wrong, "\n"))
			}
		}
	}
}
