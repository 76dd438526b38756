package karpenter_test

import (
	"maps"
	"math"
	"slices"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"pgregory.net/rapid"
	"sigs.k8s.io/controller-runtime/pkg/metrics"
	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"
	"sigs.k8s.io/karpenter/pkg/controllers/disruption"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/report"
)

const ruleCounting = "counting" // how many more nodes of a NodePool may be disrupted

const (
	noLimitLessNodes = "no limit while nodes are disrupted"
	namesakes        = "nodes of the same name"
	missingNodes     = "nodes that are missing"
)

// oneInFlight is a cluster with a node in flight, and no limit.
func oneInFlight(o *observed, _ *v1.NodePool) {
	m := newMachine("n0")
	m.marked = true
	o.add(failing{}, m)
}

// twoMissing is an annotated static pool of five that has three nodes.
func twoMissing(o *observed, np *v1.NodePool) {
	np.Annotations = noPause()
	np.Spec.Replicas, np.Spec.Disruption.Budgets = new(int64(5)), []v1.Budget{{Nodes: "100%"}}
	for _, name := range []string{"n0", "n1", "n2"} {
		o.add(failing{}, newMachine(name))
	}
}

// twoNamesakes is a cluster with three nodes, one of which is not registered and has the name that its NodeClaim shares
// with another node.
func twoNamesakes(o *observed, np *v1.NodePool) {
	np.Spec.Disruption.Budgets = []v1.Budget{{Nodes: "100%"}}
	early := newMachine("n1")
	early.claim.Name = "n0"
	delete(early.node.Labels, v1.NodeRegisteredLabelKey)
	for _, m := range []machine{newMachine("n0"), early, newMachine("n2")} {
		o.add(failing{}, m)
	}
}

// counts makes a row of a cluster with a NodePool.
func counts(fill func(*observed, *v1.NodePool), d difference) difference {
	example := func() (*observed, string) {
		np := newNodePool("default")
		o := observe(noon, emptyAPI)
		fill(o, np)
		o.client = fakeAPI(np)
		return o, np.Name
	}
	d.Rule = ruleCounting
	d.Karpenter = func() string {
		o, name := example()
		return countText(o.mapping(failing{}, v1.DisruptionReasonDrifted)[name])
	}
	d.Disruptkit = func() string {
		o, _ := example()
		return countText(disruptkit.Decide(o.input(failing{}), candidate.Drifted).Pools[0].Remaining)
	}
	return d
}

// mapping is how many more nodes of each NodePool may be disrupted, as Karpenter says.
func (o *observed) mapping(t rapid.TB, reason v1.DisruptionReason) map[string]int {
	mapping, err := disruption.BuildDisruptionBudgetMapping(o, o.state, o.clock, o.client, o.cloud, unheard{}, reason)
	if err != nil {
		t.Fatal(err)
	}
	return mapping
}

// The nodes of a pool, those that use up its budgets, and how many more may go are those of Karpenter, for each of its
// reasons; and so are the gauges that Karpenter has of them.
func TestCountingConformsToKarpenter(t *testing.T) {
	seen := met{}
	rounds(t, 25, func(t *rapid.T) {
		o := observe(drawNow(t), fakeAPI(drawNodePools(t)...))
		for i := range rapid.IntRange(0, 12).Draw(t, "machines") {
			m := drawMachine(t, i, o.clock.Now())
			if m.claim != nil && m.node != nil && onceIn(t, 10, "namesake") {
				m.claim.Name = "n0" // which is a Node's, and is the name of a node that is not registered
				delete(m.node.Labels, v1.NodeRegisteredLabelKey)
			}
			o.add(t, m)
		}
		in := o.input(t)
		shared := countNamesakes(in)
		apart := maps.Clone(shared) // pools whose gauges differ
		var decisions []disruptkit.Decision
		for _, reason := range karpenterReasons {
			theirs := o.mapping(t, reason)
			if len(in.Pools) != len(theirs) {
				t.Fatalf("%d pools, Karpenter has %d", len(in.Pools), len(theirs))
			}
			d := disruptkit.Decide(in, candidate.Reason(reason))
			decisions = append(decisions, d)
			for _, p := range d.Pools { // children as well: no budget names them
				seen.count(compareCounts(t, p, theirs[p.Pool], shared[p.Pool]))
				apart[p.Pool] += p.Missing
			}
		}
		compareGauges(t, report.Summarize(report.Report{}, in, decisions...), apart)
	})
	seen.wantAll(t, ruleCounting)
}

// compareCounts compares the limit of a pool, some of whose nodes share their names with others, and returns how the
// two differ.
func compareCounts(t *rapid.T, p disruptkit.PoolDecision, theirs, shared int) (rows []string) {
	ours := p.Remaining
	if ours == budget.Unlimited {
		ours = math.MaxInt32 - (p.Disrupting - p.Missing)
		if p.Disrupting > p.Missing {
			rows = append(rows, noLimitLessNodes)
		}
	}
	switch {
	case ours == theirs:
	case shared > 0 && ours < theirs:
		rows = append(rows, namesakes)
	case ours == max(0, theirs-p.Missing):
		rows = append(rows, missingNodes)
	default:
		t.Fatalf("%s, %s: %d more may go of %d, Karpenter says %d: %+v", p.Pool, p.Reason, ours, p.Nodes, theirs, p)
	}
	return rows
}

// compareGauges compares Karpenter's own gauges, as it has just set them, with those of a report; but for pools whose nodes
// share their names with others, or are missing, which are counted otherwise.
func compareGauges(t *rapid.T, r report.Report, apart map[string]int) {
	alike := slices.DeleteFunc(slices.Clone(r.Pools), func(p report.PoolStatus) bool { return apart[p.Pool] > 0 })
	for _, m := range r.Metrics {
		if m.Name != report.MetricAllowedDisruptions && m.Name != report.MetricConsumingNodes {
			continue
		}
		compared, theirs := 0, gauge(t, m.Name)
		for _, s := range m.Samples {
			pool, reason := s.Labels[0].Value, s.Labels[1].Value
			if apart[pool] > 0 {
				continue
			}
			compared++
			if value, there := theirs[pool+" "+reason]; !there || value != s.Value {
				t.Fatalf("%s of %s for %s is %v, and Karpenter's %v (there: %t)", m.Name, pool, reason, s.Value, value, there)
			}
		}
		if want := len(alike) * len(karpenterReasons); compared != want {
			t.Fatalf("%d samples of %s, want %d", compared, m.Name, want)
		}
	}
}

// gauge returns the values of one of Karpenter's gauges by pool and reason.
func gauge(t *rapid.T, name string) map[string]float64 {
	families, err := metrics.Registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	values := map[string]float64{}
	for _, family := range families {
		if family.GetName() != name {
			continue
		}
		for _, m := range family.GetMetric() {
			labels := map[string]string{}
			for _, l := range m.GetLabel() {
				labels[l.GetName()] = l.GetValue()
			}
			values[labels["nodepool"]+" "+labels["reason"]] = m.GetGauge().GetValue()
		}
	}
	return values
}

// countNamesakes returns how many nodes of each pool have the name of another.
func countNamesakes(in disruptkit.Input) map[string]int {
	count, named := map[string]int{}, map[string]int{}
	for _, n := range in.Nodes {
		named[n.Name]++
	}
	for _, n := range in.Nodes {
		if named[n.Name] > 1 {
			count[n.Pool]++
		}
	}
	return count
}

// A NodePool that has no budgets has no limit, past the API server, and one that has an empty list has none either.
func TestANodePoolWithoutBudgetsHasNoLimit(t *testing.T) {
	for name, list := range map[string][]v1.Budget{"no list": nil, "an empty list": {}} {
		t.Run(name, func(t *testing.T) {
			o := observe(noon, fakeAPI(newNodePool("default", list...)))
			for _, name := range []string{"n0", "n1"} {
				o.add(t, newMachine(name))
			}
			if theirs := o.mapping(t, v1.DisruptionReasonDrifted)["default"]; theirs != math.MaxInt32 {
				t.Errorf("Karpenter allows %d", theirs)
			}
			if d := disruptkit.Decide(o.input(t), candidate.Drifted); d.Pools[0].Remaining != budget.Unlimited {
				t.Errorf("%d may be disrupted", d.Pools[0].Remaining)
			}
		})
	}
}

// A NodeClaim that reboots and has no Node counts, as in flight. Karpenter panics: there it is no oracle.
func TestANodeClaimThatRebootsWithoutANodeCounts(t *testing.T) {
	o := observe(noon, fakeAPI(newNodePool("default", v1.Budget{Nodes: "2"})))
	rebooting := newMachine("n0")
	rebooting.node = nil
	rebooting.claim.Status.Conditions = append(rebooting.claim.Status.Conditions,
		claimCondition(v1.ConditionTypeRebooting, v1.RebootReasonIssued, metav1.ConditionTrue, noon))
	o.add(t, rebooting)
	o.add(t, newMachine("n1"))
	if p := disruptkit.Decide(o.input(t), candidate.Unhealthy).Pools[0]; p.Nodes != 2 || p.Disrupting != 1 || p.Remaining != 1 {
		t.Errorf("%d nodes, %d in flight, %d may be disrupted", p.Nodes, p.Disrupting, p.Remaining)
	}
	defer func() {
		if recover() == nil {
			t.Error("Karpenter does not panic anymore: let drawMachine draw such NodeClaims")
		}
	}()
	o.mapping(t, v1.DisruptionReasonUnhealthy)
}

// failing is what examples report to that cannot fail.
type failing struct{ rapid.TB }

func (failing) Fatal(args ...any) { panic(args) }
