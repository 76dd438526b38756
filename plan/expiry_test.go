package plan_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/dialect"
	"github.com/disruptkit/disruptkit/internal/testkit"
	"github.com/disruptkit/disruptkit/internal/testkit/fixture"
	"github.com/disruptkit/disruptkit/internal/testkit/generate"
	"github.com/disruptkit/disruptkit/plan"
)

// expireAt lets nodes expire some minutes after noon, by their names.
func expireAt(minutes map[string]int) func(candidate.Node) time.Time {
	return func(n candidate.Node) (at time.Time) {
		if after, expires := minutes[n.Name]; expires {
			at = fixture.Noon.Add(time.Duration(after) * time.Minute)
		}
		return at
	}
}

// story reports when which nodes start, why, and when they are gone: "a-1 Drifted 12:00 to 12:05".
func story(nodes []plan.Node) string {
	var texts []string
	for _, n := range nodes {
		text := n.Name + " " + string(n.Reason)
		if !n.Start.IsZero() {
			text += " " + n.Start.Format("15:04:05")
		}
		if text += " " + string(n.Outcome); !n.Gone.IsZero() {
			text += " " + n.Gone.Format("15:04:05")
		}
		texts = append(texts, text)
	}
	return strings.Join(texts, "; ")
}

func TestNodesThatExpire(t *testing.T) {
	job := candidate.Pod{Name: "job", Terms: candidate.Terms{Protect: candidate.Forever}}
	hour := candidate.Pod{Name: "job", Started: fixture.Noon, Terms: candidate.Terms{Protect: time.Hour}}
	for _, test := range []struct {
		rule            string
		budget          string
		drifted, others int // nodes a-1, a-2 and so on; first those that have drifted
		expires         map[string]int
		change          func(*disruptkit.Input, *plan.Model)
		nodes, expiring string
	}{
		{
			rule: "in a freeze, they are disrupted when they expire, and drain while their replacement is launched", budget: "0", drifted: 2,
			expires: map[string]int{"a-1": 30, "a-2": 90},
			nodes:   "a-1 Expired 12:30:00 done 12:33:00; a-2 Expired 13:30:00 done 13:33:00",
		},
		{
			rule: "one that has expired already goes at once", budget: "0", drifted: 1, expires: map[string]int{"a-1": -60},
			nodes: "a-1 Expired 12:00:00 done 12:03:00",
		},
		{
			rule: "they use up budgets", budget: "1", drifted: 2, others: 1, expires: map[string]int{"a-3": 4},
			nodes: "a-1 Drifted 12:00:00 done 12:05:00; a-2 Drifted 12:07:00 done 12:12:00", expiring: "a-3 Expired 12:04:00 done 12:07:00",
		},
		{
			rule: "one that is disrupted before it expires goes for what it is to go", budget: "2", drifted: 2, expires: map[string]int{"a-1": 1, "a-2": 600},
			nodes: "a-1 Drifted 12:00:00 done 12:04:00; a-2 Drifted 12:00:00 done 12:05:00",
		},
		{
			rule: "those that expire up to the horizon are in the plan, though all others are done", budget: "1", drifted: 1, others: 3,
			expires: map[string]int{"a-2": 4, "a-3": 59, "a-4": 60},
			nodes:   "a-1 Drifted 12:00:00 done 12:05:00", expiring: "a-2 Expired 12:04:00 done 12:07:00; a-3 Expired 12:59:00 done 13:02:00",
		},
		{
			rule: "a plan of expired nodes has them up to its horizon", budget: "1", others: 3, expires: map[string]int{"a-1": 6, "a-2": 59, "a-3": 60},
			change:   func(_ *disruptkit.Input, m *plan.Model) { m.Reasons = []candidate.Reason{candidate.Expired} },
			expiring: "a-1 Expired 12:06:00 done 12:09:00; a-2 Expired 12:59:00 done 13:02:00",
		},
		{
			rule: "a pod that must not be disrupted holds up the drain, and the node uses up budgets for good", budget: "1", drifted: 2, others: 1,
			expires: map[string]int{"a-3": 3}, change: func(in *disruptkit.Input, _ *plan.Model) { in.Nodes[2].Pods = []candidate.Pod{job} },
			nodes: "a-1 Drifted 12:00:00 done 12:05:00; a-2 Drifted never", expiring: "a-3 Expired 12:03:00 never",
		},
		{
			rule: "until its grace period ends", budget: "1", drifted: 2, others: 1, expires: map[string]int{"a-3": 3},
			change: func(in *disruptkit.Input, m *plan.Model) {
				in.Nodes[2].Pods, m.Grace = []candidate.Pod{job}, func(candidate.Node) time.Duration { return 10 * time.Minute }
				in.Nodes[2].HasGracePeriod = true
			},
			nodes: "a-1 Drifted 12:00:00 done 12:05:00; a-2 Drifted 12:13:00 done 12:18:00", expiring: "a-3 Expired 12:03:00 done 12:13:00",
		},
		{
			rule: "or for as long as it protects itself", budget: "1", drifted: 1, expires: map[string]int{"a-1": 3},
			change: func(in *disruptkit.Input, _ *plan.Model) { in.Nodes[0].Pods = []candidate.Pod{hour} },
			nodes:  "a-1 Expired 12:03:00 done 13:03:00",
		},
		{
			rule: "the guard is not asked, either", budget: "0", drifted: 1, expires: map[string]int{"a-1": 30},
			change: func(in *disruptkit.Input, _ *plan.Model) { in.Dialect = dialect.Disruptkit },
			nodes:  "a-1 Expired 12:30:00 done 12:33:00",
		},
	} {
		t.Run(test.rule, func(t *testing.T) {
			in := disruptkit.Input{Now: fixture.Noon, Dialect: dialect.Karpenter, Nodes: fixture.Fleet(0, test.drifted+test.others)}
			in.Pools = []disruptkit.Pool{fixture.Pool(t, budget.Budget{Nodes: test.budget})}
			for i := range in.Nodes[test.drifted:] {
				in.Nodes[test.drifted+i].Conditions = nil
			}
			m := plan.Model{Expires: expireAt(test.expires), Pass: -1}
			if test.change != nil {
				test.change(&in, &m)
			}
			p := plan.Run(in, plan.Options{Model: m, Horizon: time.Hour})
			if test.budget == "0" {
				p = plan.Run(in, plan.Options{Model: m, Horizon: 2 * time.Hour})
			}
			if got := story(p.Nodes); got != test.nodes {
				t.Errorf("got  %s\nwant %s", got, test.nodes)
			}
			if got := story(p.Expiring); got != test.expiring {
				t.Errorf("meanwhile\ngot  %s\nwant %s", got, test.expiring)
			}
		})
	}
}

// Pods of one node are evicted one after the other if their PodDisruptionBudget allows one. The first of them fits only
// when the replacement of its node is Ready, and other nodes with such pods wait meanwhile.
func TestANodeThatExpiresUsesUpPDBs(t *testing.T) {
	in := disruptkit.Input{Now: fixture.Noon, Dialect: dialect.Karpenter, Nodes: fixture.Fleet(0, 2)}
	in.Pools = []disruptkit.Pool{fixture.Pool(t, budget.Budget{Nodes: "100%"})}
	in.Nodes[1].Conditions = nil
	for i := range in.Nodes {
		for _, name := range []string{"x", "y", "z"} {
			in.Nodes[i].Pods = append(in.Nodes[i].Pods, candidate.Pod{Namespace: "shop", Name: in.Nodes[i].Name + name})
		}
	}
	rules, err := candidate.CompileRules([]candidate.PDB{{Namespace: "shop", Name: "all", DisruptionsAllowed: 1, Selector: &candidate.Selector{}}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	in.Rules = rules
	p := plan.Run(in, plan.Options{Model: plan.Model{
		Expires: expireAt(map[string]int{"a-2": 0}), Eviction: plan.Constant(30 * time.Second),
		Launch: plan.Constant(10 * time.Minute), Drain: plan.Constant(time.Minute), Pass: -1,
	}})
	// a-2: its pods are evicted at 12:00, 12:10 and 12:10:30. Then a-1 may be disrupted, which takes the PDB from 12:21 on.
	if got, want := story(p.Expiring), "a-2 Expired 12:00:00 done 12:11:30"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if got, want := story(p.Nodes), "a-1 Drifted 12:11:00 done 12:23:00"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// No node goes later than it expires, unless it belongs to no pool, or is in flight when the plan begins.
func TestNoNodeGoesLaterThanItExpires(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in, m := input(t), testkit.Arbitrary(model).Draw(t, "model")
		in.Dialect = rapid.SampledFrom([]dialect.Dialect{dialect.Karpenter, dialect.Disruptkit}).Draw(t, "dialect")
		if rapid.Bool().Draw(t, "passes") {
			m.Pass = 7 * time.Second
		}
		expiring(t, in, &m)
		if m.Expires == nil {
			t.Skip("no node expires")
		}
		p := plan.Run(in, plan.Options{Model: m, Horizon: hours * time.Hour})
		starts := map[string][]time.Time{}
		for _, n := range slices.Concat(p.Nodes, p.Expiring) {
			starts[n.Pool+"/"+n.Name] = append(starts[n.Pool+"/"+n.Name], n.Start)
			if at := n.Expires; !at.IsZero() && n.Start.After(at) && n.Start.After(p.From) {
				t.Errorf("%s starts at %s, and expires at %s", n.Name, n.Start, at)
			}
		}
		for i := range in.Nodes {
			n := &in.Nodes[i]
			at := m.Expires(*n)
			if n.Pool == "" || n.Leaving != candidate.Staying || at.IsZero() || p.Finish.IsZero() || !at.Before(p.Finish) || !at.Before(p.Horizon) {
				continue
			}
			if len(starts[n.Pool+"/"+n.Name]) == 0 {
				t.Errorf("%s expires at %s, and is not in a plan that is done at %s", n.Name, at, p.Finish)
			}
		}
	})
}

func TestAPlanWithoutExpiriesIsThePlanAsItWas(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in, m := testkit.Arbitrary(generate.Input).Draw(t, "input"), testkit.Arbitrary(model).Draw(t, "model")
		want := plan.Run(in, plan.Options{Model: m, Horizon: time.Hour})
		m.Expires = func(candidate.Node) (never time.Time) { return never }
		got := plan.Run(in, plan.Options{Model: m, Horizon: time.Hour})
		got.Assumptions = slices.DeleteFunc(got.Assumptions, func(text string) bool { return strings.Contains(text, "expire") })
		if diff := gocmp.Diff(want, got, cmpopts.IgnoreUnexported(plan.Plan{})); diff != "" {
			t.Error(diff)
		}
	})
}
