package karpenter_test

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"
	"sigs.k8s.io/karpenter/pkg/events"

	"github.com/disruptkit/disruptkit/plan"
)

// Holds are of pods that hold up drains, and of drains that have begun when the plan is made.
type holds struct {
	pods    []string        // of the pods of the i-th node: "", "PDB", "shared PDB", "slow", or a value of do-not-disrupt
	slow    time.Duration   // how long slow pods take to end
	grace   []time.Duration // terminationGracePeriod of the NodeClaim of the i-th node; 0: none
	deleted int             // how many nodes are deleted before the plan is made, the last ones
	ago     time.Duration   // how long before
	// patience is how many times as long as they take pods may take to end.
	patience int

	at     map[string]int  // the nodes
	slowOn map[string]bool // those with a slow pod
}

// holdingClasses are of fleets in which pods hold up drains, each with how far off a plan may be.
var holdingClasses = []struct {
	name string
	in   string // as of fleetClasses
	most float64
	draw func(*rand.Rand) drifting
}{
	{"drains that hang", "", 0.15, func(r *rand.Rand) drifting { return hanging(r, few(r)) }},
	// Of one of 20 fleets, a zone has its turn earlier in the plan: a node of it expires in the turn of another.
	{"drains that hang, guarded", "grace periods, guarded", 0.4, func(r *rand.Rand) drifting {
		f := few(r)
		f.guarded, f.zones = true, 2+r.IntN(2)
		return hanging(r, f)
	}},
	{"grace periods", "grace periods, guarded", 0.15, func(r *rand.Rand) drifting { return graced(r, few(r)) }},
	{"grace periods, guarded", "", 0.15, func(r *rand.Rand) drifting {
		f := few(r)
		f.guarded, f.zones = true, 2+r.IntN(2)
		return graced(r, f)
	}},
}

// hanging draws drains that have begun when the plan is made, most of which pods hold up, for ever or for a time, and
// nodes whose drains begin when they expire.
func hanging(r *rand.Rand, f drifting) drifting {
	nodes := f.zones * f.perZone
	h := &holds{
		pods: make([]string, nodes), grace: make([]time.Duration, nodes), slow: time.Duration(3+r.IntN(20)) * time.Minute,
		deleted: 1 + r.IntN(2), patience: 1, ago: time.Duration(r.IntN(15*6)) * every,
	}
	for i := range h.pods {
		if begun := i >= nodes-h.deleted; r.IntN(10) < 3 || begun && r.IntN(10) < 7 {
			h.pods[i] = []string{"PDB", "shared PDB", "slow", "true", "20m"}[r.IntN(5)]
		}
	}
	f.pods, f.held = 1+r.IntN(3), h
	if r.IntN(2) == 0 {
		apart := time.Duration(120+r.IntN(600)) * time.Second
		f.expires = func(i int) time.Duration { return time.Duration(i+1) * apart }
	}
	return f
}

// graced draws NodeClaims with grace periods, shorter and longer than drains.
func graced(r *rand.Rand, f drifting) drifting {
	f = hanging(r, f)
	f.expires, f.held.deleted, f.held.patience = nil, r.IntN(3), 1+r.IntN(3)
	grace := time.Duration(1+r.IntN(20)) * time.Minute
	for i := range f.held.grace {
		if r.IntN(10) < 8 {
			f.held.grace[i] = grace
		}
	}
	if r.IntN(3) == 0 {
		clear(f.held.pods)
		f.pods, f.pdb, f.shared = 1+r.IntN(6), 1+r.IntN(2), r.IntN(2) == 0
	}
	return f
}

// An end is what becomes of nodes, by their names.
type end struct {
	gone   map[string]time.Duration // from the plan on; those that are not in it are never gone
	killed []string                 // the nodes whose pods are deleted although something holds them
	last   time.Duration            // when the last node is gone, or Ready
}

// foreseen returns what a plan says.
func foreseen(p plan.Plan, now time.Time, nodes map[string]bool) end {
	e := end{gone: map[string]time.Duration{}}
	for _, n := range slices.Concat(p.Nodes, p.Expiring) {
		if !n.Killed.IsZero() {
			e.killed = append(e.killed, n.Name)
		}
		e.last = max(e.last, n.Gone.Sub(now), n.Ready.Sub(now)) // both may be zero
		if !n.Gone.IsZero() && nodes[n.Name] {
			e.gone[n.Name] = n.Gone.Sub(now)
		}
	}
	slices.Sort(e.killed)
	return e
}

// happens lets a time pass, and returns what has happened.
func happens(t *testing.T, s *story, from time.Time, lasts time.Duration, nodes map[string]bool) end {
	t.Helper()
	e := end{gone: map[string]time.Duration{}}
	on := map[string]string{} // the nodes of pods
	var pods corev1.PodList
	if err := s.Client.List(t.Context(), &pods); err != nil {
		t.Fatal(err)
	}
	for i := range pods.Items {
		on[pods.Items[i].Name] = pods.Items[i].Spec.NodeName
	}
	s.lasts(lasts)
	for _, row := range s.Timeline() {
		if row.At.Before(from) {
			continue
		}
		for _, note := range row.Notes {
			if name, gone := strings.CutSuffix(note, " gone"); gone && nodes[name] {
				e.gone[name], e.last = row.At.Sub(from), row.At.Sub(from)
			}
			if strings.HasSuffix(note, " ready") {
				e.last = row.At.Sub(from)
			}
		}
	}
	evicted := map[string]bool{}
	for _, event := range s.Events() {
		switch {
		case event.At.Before(from):
		case event.Reason == events.Evicted:
			evicted[event.Object] = true
		case event.Reason == events.Disrupted && strings.HasPrefix(event.Message, "Deleting the pod") && !evicted[event.Object]:
			if node := on[event.Object]; node != "" && !slices.Contains(e.killed, node) {
				e.killed = append(e.killed, node)
			}
		}
	}
	slices.Sort(e.killed)
	return e
}

// begin lets pods hold up drains, and the fleet drift. Nodes are deleted in a freeze, which ends when the plan is made.
func (h *holds) begin(t *testing.T, s *story) {
	t.Helper()
	h.at, h.slowOn = map[string]int{}, map[string]bool{}
	if err := s.UpdateClaims(func(node string, claim *v1.NodeClaim) {
		i := len(h.at)
		h.at[node] = i
		if grace := h.grace[i]; grace > 0 {
			claim.Spec.TerminationGracePeriod = &metav1.Duration{Duration: grace}
		}
	}); err != nil {
		t.Fatal(err)
	}
	h.hold(t, s)
	var budgets []v1.Budget
	thaw := func(p *v1.NodePool) { budgets, p.Spec.Disruption.Budgets = p.Spec.Disruption.Budgets, budgets }
	budgets = []v1.Budget{{Nodes: "0"}}
	if err := s.UpdatePoolOf("pool-0", thaw); err != nil {
		t.Fatal(err)
	}
	s.drift()
	for _, n := range s.Nodes() {
		if h.at[n.Name] >= len(h.at)-h.deleted {
			if err := s.Delete(n.Name); err != nil {
				t.Fatal(err)
			}
		}
	}
	s.lasts(h.ago)
	if err := s.UpdatePoolOf("pool-0", thaw); err != nil {
		t.Fatal(err)
	}
}

// hold lets all pods of each node that is to hold up its drain.
func (h *holds) hold(t *testing.T, s *story) {
	t.Helper()
	on := map[string]int{}
	if err := s.UpdatePods(func(p *corev1.Pod) {
		node := p.Spec.NodeName
		on[node]++
		switch hold := h.pods[h.at[node]]; hold {
		case "":
		case "PDB":
			p.Labels["hold"] = node
		case "shared PDB":
			p.Labels["hold"] = "shared"
		case "slow":
			h.slowOn[node] = true
			seconds := int64(h.slow.Seconds())
			p.Spec.TerminationGracePeriodSeconds = &seconds
		default:
			p.Annotations = map[string]string{v1.DoNotDisruptAnnotationKey: hold}
		}
	}); err != nil {
		t.Fatal(err)
	}
	none := intstr.FromInt32(0)
	h.protect(t, s, "shared", policyv1.PodDisruptionBudgetSpec{MaxUnavailable: &none})
	for node, i := range h.at {
		if h.pods[i] == "PDB" {
			all := intstr.FromInt(on[node])
			h.protect(t, s, node, policyv1.PodDisruptionBudgetSpec{MinAvailable: &all})
		}
	}
}

// protect adds a PodDisruptionBudget of pods with a label.
func (h *holds) protect(t *testing.T, s *story, label string, spec policyv1.PodDisruptionBudgetSpec) {
	t.Helper()
	spec.Selector = &metav1.LabelSelector{MatchLabels: map[string]string{"hold": label}}
	if err := s.Client.Create(t.Context(), &policyv1.PodDisruptionBudget{
		ObjectMeta: metav1.ObjectMeta{Name: "hold-" + label, Namespace: "default"}, Spec: spec,
	}); err != nil {
		t.Fatal(err)
	}
}

// off returns by how much of the time that all takes a plan is wrong about the end of a node, or of all: 1 where one of
// both says never.
func (e end) off(is end) (worst float64, of string) {
	names := slices.Concat(slices.Collect(maps.Keys(e.gone)), slices.Collect(maps.Keys(is.gone)))
	slices.Sort(names)
	add := func(off float64, name string) {
		if math.Abs(off) > math.Abs(worst) {
			worst, of = off, name
		}
	}
	for _, name := range slices.Compact(names) {
		says, foreseen := e.gone[name]
		took, gone := is.gone[name]
		if foreseen != gone {
			return 1, fmt.Sprintf("%s: foreseen %s, took %s (0s: never)", name, says, took)
		}
		add((says-took).Seconds()/is.last.Seconds(), fmt.Sprintf("%s: foreseen %s, took %s", name, says, took))
	}
	if is.last > 0 {
		add((e.last-is.last).Seconds()/is.last.Seconds(), fmt.Sprintf("all: foreseen %s, took %s", e.last, is.last))
	}
	return worst, of
}

func (h *holds) String() string {
	if h == nil {
		return ""
	}
	return fmt.Sprintf("patience %d, slow %s, holds %q, deleted %d %s ago, grace %v", h.patience, h.slow, h.pods, h.deleted, h.ago, h.grace)
}

// What plans say of each node's end, and of whose pods are killed, where pods hold up drains.
func TestPlansForeseeDrainsThatAreHeldUp(t *testing.T) {
	fleets := fleetsPerClass(t)
	for i, class := range holdingClasses {
		if leftOut(class.in, i > 0) {
			continue
		}
		t.Run(class.name, func(t *testing.T) {
			random := rand.New(rand.NewPCG(uint64(i), 49))
			var offs []float64
			drawn := make([]drifting, max(20, fleets))
			for j := range drawn {
				drawn[j] = class.draw(random)
			}
			for j := range fleets {
				f := drawn[len(drawn)-1-j]
				s, p, now := f.begins(t)
				joined := map[string]bool{}
				for _, n := range s.Nodes() {
					joined[n.Name] = n.Ready
				}
				says := foreseen(p, now, joined)
				is := happens(t, s, now, says.last+max(says.last/2, time.Hour), joined)
				off, of := says.off(is)
				t.Logf("%d %+.1f %% %s: %v of %+v", j, 100*off, of, f.held, f)
				if !slices.Equal(says.killed, is.killed) {
					t.Errorf("%d: pods of %v are killed, foreseen %v", j, is.killed, says.killed)
				}
				offs = append(offs, off)
			}
			near(t, class.name, offs, class.most)
		})
	}
}
