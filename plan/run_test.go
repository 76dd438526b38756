package plan_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/testkit/fixture"
	"github.com/disruptkit/disruptkit/plan"
	"github.com/disruptkit/disruptkit/probe"
	"github.com/disruptkit/disruptkit/schedule"
)

// told describes a plan in lines: "a-1 12:00 12:02 12:05" are a start, a replacement that is Ready, and an end; then, what was waited for.
func told(p plan.Plan) string {
	var s strings.Builder
	at := func(t time.Time) string {
		switch {
		case t.IsZero():
			return "-"
		case t.Truncate(time.Minute).Equal(t):
			return t.Format("15:04")
		}
		return t.Format("15:04:05")
	}
	for _, n := range p.Nodes {
		fmt.Fprintf(&s, "%s %s %s %s", n.Name, at(n.Start), at(n.Ready), at(n.Gone))
		if n.Outcome != plan.Done {
			fmt.Fprintf(&s, " %s", n.Outcome)
		}
		if n.Late {
			s.WriteString(" late")
			if n.LateBy() > 0 {
				fmt.Fprintf(&s, " by %s", n.LateBy())
			}
		}
		for _, w := range n.Waits {
			fmt.Fprintf(&s, ", %s/%s", w.Gate, w.Code)
			if w.Cause != "" {
				fmt.Fprintf(&s, " (%s)", w.Cause)
			}
			if w.For > 0 {
				fmt.Fprintf(&s, " %s", w.For)
			}
		}
		s.WriteString("\n")
	}
	return s.String()
}

// two allows two nodes at once.
var two = budget.Budget{Nodes: "2"}

func rules(t testing.TB, pdbs ...candidate.PDB) candidate.Rules {
	t.Helper()
	r, err := candidate.CompileRules(pdbs, nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestRun(t *testing.T) {
	one := budget.Budget{Nodes: "1"}
	minutes := func(n time.Duration) plan.Takes { return plan.Constant(n * time.Minute) }
	web := func(n int) candidate.Node {
		return fixture.Sharing(fmt.Sprintf("a-%d", n), "default", "a", 99-n, "web")
	}
	for _, test := range []struct {
		rule    string
		budgets []budget.Budget
		nodes   []candidate.Node
		in      func(*disruptkit.Input)
		options plan.Options
		want    string
	}{
		{"no node has to go", []budget.Budget{one}, fixture.Fleet(3, 0), nil, plan.Options{}, ""},
		{"no nodes", []budget.Budget{one}, nil, nil, plan.Options{}, ""},
		{"a replacement is launched, then the node drains, and the next one is disrupted", []budget.Budget{one}, fixture.Fleet(0, 2), nil, plan.Options{}, `
a-1 12:00 12:02 12:05
a-2 12:05 12:07 12:10, budget/exhausted (budgets[0]: 1) 5m0s
`},
		{"nodes may drain first", []budget.Budget{one}, fixture.Fleet(0, 2), nil, plan.Options{Model: plan.Model{DrainFirst: true}}, `
a-1 12:00 12:05 12:03
a-2 12:03 12:08 12:06, budget/exhausted (budgets[0]: 1) 3m0s
`},
		{"a turn waits for the replacement of a node that drains first", []budget.Budget{
			{Nodes: "1", TopologyKey: "zone", Sequential: true, Reasons: []candidate.Reason{candidate.Drifted}},
		}, []candidate.Node{fixture.Sharing("a-1", "default", "a", 9, "web"), fixture.Sharing("b-1", "default", "b", 8, "web")}, nil,
			plan.Options{Model: plan.Model{DrainFirst: true}}, `
a-1 12:00 12:05 12:03
b-1 12:05 12:10 12:08, topology/waits-for-domain 5m0s
`},
		{"a drain of less than no time takes none", []budget.Budget{one}, fixture.Fleet(0, 1), nil, plan.Options{Model: plan.Model{Drain: minutes(-9)}}, `
a-1 12:00 12:02 12:02
`},
		{"decisions are made every ten seconds, or as often as the model has it", []budget.Budget{one}, fixture.Fleet(0, 2), nil,
			plan.Options{Model: plan.Model{Drain: plan.Constant(61 * time.Second), Every: time.Minute}}, `
a-1 12:00 12:02 12:03:01
a-2 12:04 12:06 12:07:01, budget/exhausted (budgets[0]: 1) 4m0s
`},
		{"a window counts before a budget that is used up", []budget.Budget{one, fixture.Freeze}, fixture.Fleet(0, 2), nil, plan.Options{}, `
a-1 17:00 17:02 17:05, budget/allows-none (budgets[1]: 0 (0 9 * * * for 8h, UTC)) 5h0m0s
a-2 17:05 17:07 17:10, budget/allows-none (budgets[1]: 0 (0 9 * * * for 8h, UTC)) 5h0m0s, budget/exhausted (budgets[0]: 1) 5m0s
`},
		{"a node gives its PDB back once it is gone", []budget.Budget{two}, []candidate.Node{web(1), web(2)}, func(in *disruptkit.Input) { in.Rules = rules(t, fixture.PDB("web")) }, plan.Options{}, `
a-1 12:00 12:02 12:05
a-2 12:05 12:07 12:10, pod/exhausted (PDB shop/web) 5m0s
`},
		{"a node that drains first gives its PDB back once its replacement is Ready", []budget.Budget{two}, []candidate.Node{web(1), web(2)},
			func(in *disruptkit.Input) { in.Rules = rules(t, fixture.PDB("web")) }, plan.Options{Model: plan.Model{DrainFirst: true}}, `
a-1 12:00 12:05 12:03
a-2 12:05 12:10 12:08, pod/exhausted (PDB shop/web) 5m0s
`},
		{"pods may take a while to recover", []budget.Budget{two}, []candidate.Node{web(1), web(2)},
			func(in *disruptkit.Input) { in.Rules = rules(t, fixture.PDB("web")) }, plan.Options{Model: plan.Model{Recovery: minutes(4)}}, `
a-1 12:00 12:02 12:05
a-2 12:09 12:11 12:14, pod/exhausted (PDB shop/web) 9m0s
`},
		{"a PDB that allows nothing never does", []budget.Budget{two}, []candidate.Node{web(1)}, func(in *disruptkit.Input) {
			pdb := fixture.PDB("web")
			pdb.DisruptionsAllowed = 0
			in.Rules = rules(t, pdb)
		}, plan.Options{}, `
a-1 - - - never, pod/allows-none (PDB shop/web)
`},
		{"one PDB after the other", []budget.Budget{two}, []candidate.Node{
			fixture.Sharing("a-1", "default", "a", 99, "web"), fixture.Sharing("a-2", "default", "a", 98, "web", "db"), fixture.Sharing("a-3", "default", "a", 97, "db"),
		}, func(in *disruptkit.Input) { in.Rules = rules(t, fixture.PDB("web"), fixture.PDB("db")) }, plan.Options{Model: plan.Model{
			Launch: minutes(0), Drain: func(n candidate.Node, _ time.Time, _ float64) time.Duration {
				return map[string]time.Duration{"a-1": 9 * time.Minute, "a-3": time.Minute}[n.Name]
			},
		}}, `
a-1 12:00 12:00 12:09
a-3 12:00 12:00 12:01
a-2 12:09 12:09 12:09, pod/exhausted (PDB shop/db) 1m0s, pod/exhausted (PDB shop/web) 8m0s
`},
		{"empty nodes are not replaced", []budget.Budget{one}, []candidate.Node{fixture.Wanted("e", fixture.Noon, candidate.Empty), fixture.Wanted("u", fixture.Noon, candidate.Underutilized)}, nil, plan.Options{}, `
e 12:00 - 12:03
u 12:03 - 12:06, budget/exhausted (budgets[0]: 1) 3m0s
`},
		{"reasons are asked for in Karpenter's order", []budget.Budget{one}, []candidate.Node{
			fixture.Wanted("u", fixture.Noon, candidate.Underutilized), fixture.Wanted("d", fixture.Noon, candidate.Drifted),
			fixture.Wanted("x", fixture.Noon, candidate.Expired), fixture.Wanted("e", fixture.Noon, candidate.Empty), unhealthy("h"),
		}, nil, plan.Options{Model: plan.Model{Drain: minutes(1), Launch: minutes(0)}}, `
h 12:00 12:00 12:01
e 12:01 - 12:02, budget/exhausted (budgets[0]: 1) 1m0s
d 12:02 12:02 12:03, budget/exhausted (budgets[0]: 1) 2m0s
u 12:03 - 12:04, budget/exhausted (budgets[0]: 1) 3m0s
x 12:04 12:04 12:05, budget/exhausted (budgets[0]: 1) 4m0s
`},
		{"repair may bound the drain", []budget.Budget{one}, []candidate.Node{bounded(unhealthy("h"), time.Minute)}, nil, plan.Options{}, `
h 12:00 12:02 12:03
`},
		{"the pods of a node in flight take their time as well", []budget.Budget{two}, []candidate.Node{web(1), fixture.InFlight(web(2))},
			func(in *disruptkit.Input) { in.Rules = rules(t, fixture.PDB("web")) }, plan.Options{Model: plan.Model{Recovery: minutes(4)}}, `
a-2 - - 12:03
a-1 12:07 12:09 12:12, pod/exhausted (PDB shop/web) 7m0s
`},
		{"a node in flight is gone after a drain", []budget.Budget{one}, append(fixture.Fleet(0, 1), fixture.Going("g", candidate.Drifted)), nil, plan.Options{}, `
g - - 12:03
a-1 12:03 12:05 12:08, budget/exhausted (budgets[0]: 1) 3m0s
`},
		{"or at its deadline", []budget.Budget{one}, append(fixture.Fleet(0, 1), func() candidate.Node {
			n := fixture.Going("g", candidate.Drifted)
			n.Deadline = fixture.Noon.Add(time.Minute)
			return n
		}()), nil, plan.Options{}, `
g - - 12:01
a-1 12:01 12:03 12:06, budget/exhausted (budgets[0]: 1) 1m0s
`},
		{"a node that reboots is Ready after a launch", []budget.Budget{one}, append(fixture.Fleet(0, 1), candidate.Node{Name: "r", Pool: "default", Phase: candidate.Launched, Rebooting: true}), nil, plan.Options{}, `
a-1 12:02 12:04 12:07, budget/exhausted (budgets[0]: 1) 2m0s
`},
		{"one that joins counts from then on", []budget.Budget{{Nodes: "50%"}}, append(fixture.Fleet(0, 2), candidate.Node{Name: "j", Pool: "default", Phase: candidate.Launched}), nil, plan.Options{}, `
a-1 12:00 12:02 12:05
a-2 12:02 12:04 12:07, budget/exhausted (budgets[0]: 50%) 2m0s
`},
		{"one that is not Ready stays so", []budget.Budget{one}, append(fixture.Fleet(0, 1), candidate.Node{Name: "n", Pool: "default", Phase: candidate.NotReady}), nil, plan.Options{}, `
a-1 - - - never, budget/exhausted (budgets[0]: 1)
`},
		{"a node is not given up while one of its reasons may come true", []budget.Budget{one}, []candidate.Node{func() candidate.Node {
			n := doNotDisrupt(fixture.Fleet(0, 1), 0)[0]
			n.Conditions = append(n.Conditions, candidate.Condition{Reason: candidate.Unhealthy, Since: fixture.Noon.Add(time.Hour)})
			return n
		}()}, nil, plan.Options{}, `
a-1 13:00 13:02 13:05, node/tolerated 1h0m0s
`},
		{"nor while a later one may", []budget.Budget{one, {Nodes: "0", Schedule: "0 9 * * *", Duration: "8h", Reasons: []candidate.Reason{candidate.Drifted}}}, []candidate.Node{func() candidate.Node {
			n := unhealthy("u")
			n.DoNotRepair, n.Conditions = true, append(n.Conditions, candidate.Condition{Reason: candidate.Drifted})
			return n
		}()}, nil, plan.Options{}, `
u 17:00 17:02 17:05, budget/allows-none (budgets[1]: 0 (Drifted; 0 9 * * * for 8h, UTC)) 5h0m0s
`},
		{"a window that opens after the horizon", []budget.Budget{one, fixture.Freeze}, fixture.Fleet(0, 1), nil, plan.Options{Horizon: time.Hour}, `
a-1 - - - open, budget/allows-none (budgets[1]: 0 (0 9 * * * for 8h, UTC)) 1h0m0s
`},
		{"a horizon in the past", []budget.Budget{one}, fixture.Fleet(0, 1), nil, plan.Options{Horizon: -time.Hour}, `
a-1 - - - open
`},
		{"probes go on to say what they say", []budget.Budget{one}, fixture.Fleet(0, 2), func(in *disruptkit.Input) {
			in.Verdicts = []probe.Verdict{{Allowed: true, From: in.Now, StaleAt: in.Now.Add(time.Second)}}
		}, plan.Options{}, `
a-1 12:00 12:02 12:05
a-2 12:05 12:07 12:10, budget/exhausted (budgets[0]: 1) 5m0s
`},
		{"an outage is a what if", []budget.Budget{one}, fixture.Fleet(0, 1), nil, plan.Options{Model: plan.Model{Outages: []schedule.Window{
			schedule.MustParse("0 11 * * *", 2*time.Hour, ""), schedule.MustParse("0 1 * * *", time.Hour, ""),
		}}}, `
a-1 13:00 13:02 13:05, probe/denied 1h0m0s
`},
		{"zones take turns, and settle", []budget.Budget{fixture.Sequential("1")}, fixture.Zoned("a1* b1* a2*"), nil, plan.Options{}, `
a1 12:00 12:02 12:05
a2 12:05 12:07 12:10, topology/exhausted 5m0s
b1 12:10 12:12 12:15, topology/waits-for-domain 10m0s
`},
		{"a node that is overdue goes outside windows, and is late", []budget.Budget{one, fixture.Freeze}, due(fixture.Fleet(0, 2), time.Hour), nil, plan.Options{}, `
a-1 13:00 13:02 13:05 late by 5m0s, budget/allows-none (budgets[1]: 0 (0 9 * * * for 8h, UTC)) 1h0m0s
a-2 13:05 13:07 13:10 late by 10m0s, budget/allows-none (budgets[1]: 0 (0 9 * * * for 8h, UTC)) 1h0m0s, budget/exhausted (budgets[0]: 1) 5m0s
`},
		{"one that is gone just at its deadline is not", []budget.Budget{one}, due(fixture.Fleet(0, 2), 5*time.Minute), nil, plan.Options{}, `
a-1 12:00 12:02 12:05
a-2 12:05 12:07 12:10 late by 5m0s, budget/exhausted (budgets[0]: 1) 5m0s
`},
		{"what never goes is late, who knows by how much", []budget.Budget{one}, doNotDisrupt(due(fixture.Fleet(0, 1), time.Hour), 0), nil, plan.Options{}, `
a-1 - - - never late, node/do-not-disrupt
`},
		{"what is open at the end of the plan is late if its deadline is over by then", []budget.Budget{one}, due(fixture.Fleet(0, 2), time.Hour),
			nil, plan.Options{Model: plan.Model{Drain: minutes(300)}, Horizon: time.Hour}, `
a-1 12:00 12:02 17:02 late by 4h2m0s
a-2 - - - open late, budget/exhausted (budgets[0]: 1) 1h0m0s
`},
	} {
		t.Run(test.rule, func(t *testing.T) {
			in := disruptkit.Input{Now: fixture.Noon, Pools: []disruptkit.Pool{fixture.Pool(t, test.budgets...)}, Nodes: test.nodes}
			if test.in != nil {
				test.in(&in)
			}
			p := plan.Run(in, test.options)
			if diff := cmp.Diff(strings.TrimPrefix(test.want, "\n"), told(p)); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			if p.Stopped {
				t.Error("the plan is stopped")
			}
			if p.String() == "" || len(p.Assumptions) == 0 {
				t.Error("the plan does not say what it assumes")
			}
		})
	}
}

func unhealthy(name string) candidate.Node {
	return fixture.Wanted(name, fixture.Noon, candidate.Unhealthy)
}

func bounded(n candidate.Node, d time.Duration) candidate.Node {
	n.Conditions[0].Bound = &d
	return n
}

// due gives nodes a deadline.
func due(nodes []candidate.Node, after time.Duration) []candidate.Node {
	for i := range nodes {
		nodes[i].Conditions[0].Since = fixture.Noon.Add(-24 * time.Hour)
		nodes[i].Conditions[0].Deadline = fixture.Noon.Add(after)
	}
	return nodes
}

func doNotDisrupt(nodes []candidate.Node, i int) []candidate.Node {
	nodes[i].DoNotDisrupt = true
	return nodes
}

func TestHostileInputIsBounded(t *testing.T) {
	for _, test := range []struct {
		rule    string
		budgets []budget.Budget
		nodes   []candidate.Node
		options plan.Options
		toGo    int
	}{
		{"a window that opens and closes every other minute, and a node that never goes", []budget.Budget{{Nodes: "0", Schedule: "*/2 * * * *", Duration: "1m"}},
			doNotDisrupt(fixture.Fleet(0, 3), 0), plan.Options{}, 0},
		{"the same, with a pod that may be disrupted only while it is closed", []budget.Budget{{Nodes: "0", Schedule: "*/2 * * * *", Duration: "1m"}},
			[]candidate.Node{evenMinutes()}, plan.Options{Decisions: 500}, 1},
		{"the same, with a budget that never opens", []budget.Budget{{Nodes: "0", Schedule: "*/2 * * * *", Duration: "1m"}, {Nodes: "0"}},
			fixture.Fleet(0, 3), plan.Options{}, 0},
		{"drains that never end", []budget.Budget{{Nodes: "1"}}, fixture.Fleet(0, 3), plan.Options{Model: plan.Model{Drain: plan.Constant(math.MaxInt64), Launch: plan.Constant(math.MaxInt64)}}, 2},
		{"a decision each nanosecond", []budget.Budget{{Nodes: "1"}}, fixture.Fleet(0, 3), plan.Options{Model: plan.Model{Every: 1}}, 0},
		{"the longest horizon", []budget.Budget{{Nodes: "1"}, {Nodes: "0", Schedule: "0 0 29 2 *", Duration: "1h", Outside: true}}, fixture.Fleet(0, 3),
			plan.Options{Horizon: math.MaxInt64, Decisions: 1000}, 0},
		{"ten thousand windows a day, and a pod that may be disrupted only while all are closed", slices.Repeat([]budget.Budget{{Nodes: "0", Schedule: "*/2 * * * *", Duration: "1m"}}, 14),
			[]candidate.Node{evenMinutes()}, plan.Options{Decisions: 2000}, 1},
		{"a horizon in the past", []budget.Budget{{Nodes: "1"}}, fixture.Fleet(0, 3), plan.Options{Horizon: math.MinInt64}, 3},
		{"no nodes", []budget.Budget{{Nodes: "1"}}, nil, plan.Options{}, 0},
		{"no decisions are the usual number", []budget.Budget{{Nodes: "1"}}, fixture.Fleet(0, 3), plan.Options{Decisions: -1}, 0},
	} {
		t.Run(test.rule, func(t *testing.T) {
			in := disruptkit.Input{Now: fixture.Noon, Pools: []disruptkit.Pool{fixture.Pool(t, test.budgets...)}, Nodes: test.nodes}
			p := plan.Run(in, test.options)
			if c := p.Count(p.Horizon); c.ToGo != test.toGo || p.Decisions > 3000 {
				t.Errorf("%d decisions, %+v\n%s", p.Decisions, c, p)
			}
		})
	}
}

// A pool takes what it may, and leaves as much to the others.
func TestAPlanThatTakesTooLongStops(t *testing.T) {
	pool := func(name string, budgets ...budget.Budget) disruptkit.Pool {
		p := fixture.Pool(t, budgets...)
		p.Name = name
		return p
	}
	flicker := budget.Budget{Nodes: "0", Schedule: "*/2 * * * *", Duration: "1m"}
	stuck := evenMinutes() // it may be disrupted only while the budget is closed
	in := disruptkit.Input{
		Now: fixture.Noon, Nodes: append(fixture.Fleet(0, 1), stuck),
		Pools: []disruptkit.Pool{pool("a", flicker), pool("default", budget.Budget{Nodes: "1"})},
	}
	in.Nodes[1].Name, in.Nodes[1].Pool = "stuck", "a"
	for _, test := range []struct {
		rule    string
		work    int
		options plan.Options
		want    string // how many decisions, and up to when
	}{
		{"so many decisions", 1000, plan.Options{Decisions: 100}, "51 decisions up to 12:50"},
		{"decisions of so many nodes", 100, plan.Options{}, "51 decisions up to 12:50"},
		{"the horizon comes first", 1000, plan.Options{Decisions: 100, Horizon: 30 * time.Minute}, "31 decisions up to 12:30"},
	} {
		t.Run(test.rule, func(t *testing.T) {
			defer plan.LimitWork(test.work)()
			p := plan.Run(in, test.options)
			if got := fmt.Sprintf("%d decisions up to %s", p.Decisions, p.Horizon.Format("15:04")); got != test.want || p.Stopped == (test.options.Horizon > 0) {
				t.Errorf("got %s, want %s; stopped: %t", got, test.want, p.Stopped)
			}
			if want := "a-1 12:00 12:02 12:05\n"; !strings.HasPrefix(told(p), want) {
				t.Errorf("the other pool:\n%s", told(p))
			}
			text := fmt.Sprintf("the plan ends at %s, after %d decisions", p.Horizon.Format("Mon 2 Jan 2006 15:04 MST"), p.Decisions)
			if strings.Contains(p.String(), text) != p.Stopped {
				t.Errorf("it is not said, or wrong: %s\n%s", text, p)
			}
		})
	}
}

func evenMinutes() candidate.Node {
	n := fixture.Fleet(0, 1)[0]
	n.Pods = []candidate.Pod{{Name: "p", Terms: candidate.Terms{Window: schedule.MustParse("*/2 * * * *", time.Minute, "")}}}
	return n
}

func TestMoreBudgetIsNeverLaterWhereNothingElseBlocksNodes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		fleet := fixture.Fleet(rapid.IntRange(0, 3).Draw(t, "others"), rapid.IntRange(1, 9).Draw(t, "nodes"))
		takes := map[string]time.Duration{}
		for _, n := range fleet {
			takes[n.Name] = time.Duration(rapid.IntRange(0, 200).Draw(t, n.Name)) * 7 * time.Second
		}
		m := plan.Model{
			Launch:     plan.Constant(time.Duration(rapid.IntRange(0, 9).Draw(t, "launch")) * time.Minute),
			Drain:      func(n candidate.Node, _ time.Time, _ float64) time.Duration { return takes[n.Name] },
			DrainFirst: rapid.Bool().Draw(t, "drain first"),
		}
		window := budget.Budget{Nodes: fmt.Sprint(rapid.IntRange(0, 2).Draw(t, "in the window")), Schedule: "*/30 * * * *", Duration: "10m"}
		run := func(n int) plan.Plan {
			set, err := budget.Compile([]budget.Budget{{Nodes: fmt.Sprint(n)}, window})
			if err != nil {
				t.Fatal(err)
			}
			return plan.Run(disruptkit.Input{Now: fixture.Noon, Pools: []disruptkit.Pool{{Name: "default", Budgets: set}}, Nodes: fleet}, plan.Options{Model: m})
		}
		n := rapid.IntRange(1, 4).Draw(t, "budget")
		less, more := run(n), run(n+rapid.IntRange(1, 3).Draw(t, "more"))
		a, b := less.Count(less.Finish), more.Count(more.Finish)
		if more.Finish.After(less.Finish) || a.Done != a.Nodes || a != b {
			t.Errorf("more budget is later:\n%s\n%s", told(less), told(more))
		}
	})
}

func TestPodsStartOnTheReplacement(t *testing.T) {
	in := disruptkit.Input{Now: fixture.Noon, Pools: []disruptkit.Pool{fixture.Pool(t, budget.Budget{Nodes: "1"})}}
	n := fixture.Sharing("w", "default", "a", 200, "web", "db", "job")
	n.Pods[0].Unready, n.Pods[0].Started, n.Pods[1].Inactive = true, fixture.Noon, true
	in.Nodes = append(fixture.Fleet(0, 2), n)
	var pods []candidate.Pod
	plan.Run(in, plan.Options{Observe: func(in disruptkit.Input, _ disruptkit.Decision) {
		for _, n := range in.Nodes {
			if n.Name == "w (new)" {
				pods = n.Pods
			}
		}
	}})
	if len(pods) != 2 || pods[0].Name != "w-web" || pods[0].Unready || !pods[0].Started.Equal(fixture.Noon.Add(5*time.Minute)) || pods[1].Name != "w-job" {
		t.Errorf("got %+v", pods)
	}
	if !n.Pods[0].Started.Equal(fixture.Noon) {
		t.Error("the pods of the input have changed")
	}
}

func TestAnotherMayDecide(t *testing.T) {
	in := disruptkit.Input{Now: fixture.Noon, Pools: []disruptkit.Pool{fixture.Pool(t, budget.Budget{Nodes: "5"})}, Nodes: fixture.Fleet(1, 3)}
	slow := func(in disruptkit.Input, reason candidate.Reason) disruptkit.Decision { // one for each decision, and nodes that are not there
		d := disruptkit.Decide(in, reason)
		for len(d.Allowed) > 1 {
			last := len(d.Allowed) - 1
			d.Allowed, d.Blocked = d.Allowed[:last], append(d.Blocked, d.Allowed[last])
			d.Blocked[len(d.Blocked)-1].Blockers = []candidate.Blocker{{Gate: candidate.GateNode, Code: "slow"}}
		}
		if len(d.Allowed) > 0 {
			d.Allowed = append(d.Allowed, candidate.Candidate{Node: "b", Pool: "default"}, candidate.Candidate{Node: "a-4", Pool: "default"})
		}
		return d
	}
	want := `a-1 12:00 12:02 12:05
a-2 12:00:10 12:02:10 12:05:10, node/slow 10s
a-3 12:00:20 12:02:20 12:05:20, node/slow 20s
`
	if diff := cmp.Diff(want, told(plan.Run(in, plan.Options{Decide: slow}))); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestWhatTheCallerHasAgainstNodesMayEndWhereAnotherDecides(t *testing.T) {
	in := disruptkit.Input{Now: fixture.Noon, Pools: []disruptkit.Pool{fixture.Pool(t, budget.Budget{Nodes: "5"})}, Nodes: fixture.Fleet(0, 1)}
	lunch := fixture.Noon.Add(30 * time.Minute)
	decide := func(in disruptkit.Input, reason candidate.Reason) disruptkit.Decision {
		if in.Now.Before(lunch) {
			in.Nodes = append([]candidate.Node(nil), in.Nodes...)
			in.Nodes[0].Blockers = []candidate.Blocker{{Gate: candidate.GateNode, Code: "lunch"}}
		}
		d := disruptkit.Decide(in, reason)
		d.NextChange = lunch
		return d
	}
	want := "a-1 12:30 12:32 12:35, node/lunch 30m0s\n"
	if diff := cmp.Diff(want, told(plan.Run(in, plan.Options{Decide: decide}))); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestTryIsBounded(t *testing.T) {
	in := disruptkit.Input{Now: fixture.Noon}
	for p := range 30 { // two budgets each; each is removed, and otherwise tried twice
		pool := fixture.Pool(t, budget.Budget{Nodes: "1"}, fixture.Freeze)
		pool.Name = fmt.Sprintf("pool-%02d", p)
		in.Pools = append(in.Pools, pool)
		for i := range 2 {
			n := fixture.Sharing(fmt.Sprintf("%d-%d", p, i), pool.Name, "a", 9)
			in.Nodes = append(in.Nodes, n)
		}
	}
	begun := 0
	o := plan.Options{Decide: func(in disruptkit.Input, r candidate.Reason) disruptkit.Decision {
		if in.Now.Equal(fixture.Noon) {
			begun++
		}
		return disruptkit.Decide(in, r)
	}}
	p := plan.Run(in, o)
	begun = 0
	for range plan.Try(in, o, p) {
	}
	if begun != 60+40 {
		t.Errorf("%d decisions at the beginning of plans, want 100", begun)
	}
}

// One that decides by further budgets, such as those of another controller, may name them by positions of its own.
func TestADecisionMayNameBudgetsThatTheInputDoesNotHave(t *testing.T) {
	pool := fixture.Pool(t, budget.Budget{Nodes: "1"}, fixture.Freeze)
	in := disruptkit.Input{Now: fixture.Noon, Pools: []disruptkit.Pool{pool}, Nodes: []candidate.Node{fixture.Sharing("n", pool.Name, "a", 9)}}
	other, err := budget.Compile([]budget.Budget{{Nodes: "9"}, {Nodes: "9"}, {Nodes: "9"}, {Nodes: "0"}})
	if err != nil {
		t.Fatal(err)
	}
	p := plan.Run(in, plan.Options{Horizon: time.Hour, Decide: func(in disruptkit.Input, r candidate.Reason) disruptkit.Decision {
		in.Pools = []disruptkit.Pool{{Name: pool.Name, Budgets: other}}
		return disruptkit.Decide(in, r)
	}})
	if waits := p.Nodes[0].Waits; len(waits) != 1 || waits[0].Cause != "budgets[3]" {
		t.Errorf("%+v", p.Nodes)
	}
}

// "no prose to parse"
func TestWaitsNameTheirCausesInFields(t *testing.T) {
	set := fixture.Pool(t, budget.Budget{Nodes: "9"}, fixture.Freeze)
	rules, err := candidate.CompileRules([]candidate.PDB{{Namespace: "shop", Name: "web", Selector: &candidate.Selector{}}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	held := fixture.Sharing("held", set.Name, "a", 9)
	held.Pods = []candidate.Pod{{Namespace: "shop", Name: "web-0"}}
	in := disruptkit.Input{Now: fixture.Noon, Rules: rules, Pools: []disruptkit.Pool{set}, Nodes: []candidate.Node{held, fixture.Sharing("free", set.Name, "a", 8)}}
	frozen := false
	p := plan.Run(in, plan.Options{Horizon: 48 * time.Hour})
	for _, c := range p.Closed {
		if !c.Budgets.Has(1) || c.Budgets.Has(0) {
			t.Errorf("%+v", c)
		}
	}
	for _, n := range p.Nodes {
		for _, w := range n.Waits {
			switch {
			case w.Gate == candidate.GatePod && (w.PDB != "shop/web" || w.Budgets != 0):
				t.Errorf("%+v", w)
			case w.Gate == candidate.GateBudget && (!w.Budgets.Has(1) || w.Budgets.Has(0) || w.PDB != "" || !strings.HasPrefix(w.Cause, "budgets[1]")):
				t.Errorf("%+v", w)
			}
			frozen = frozen || w.Gate == candidate.GateBudget
		}
		if n.Name == "held" && (len(n.Waits) == 0 || n.Waits[len(n.Waits)-1].PDB != "shop/web") {
			t.Errorf("%+v", n)
		}
	}
	if !frozen || len(p.Closed) == 0 {
		t.Error("nothing waits for the freeze")
	}
}
