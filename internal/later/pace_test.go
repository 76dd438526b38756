package later_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/fixture"
	"github.com/disruptkit/disruptkit/internal/generate"
)

// TestUntilWhenPacesLetNodesStart tells each node with its fate, and when to look again.
func TestUntilWhenPacesLetNodesStart(t *testing.T) {
	pace := func(nodes string, reasons ...candidate.Reason) budget.Budget {
		return budget.Budget{Nodes: nodes, Per: "1h", Reasons: reasons}
	}
	nominated := func(in *disruptkit.Input) { in.Nodes[0].NominatedUntil = fixture.Clock("12:01") }
	for _, c := range []struct {
		name    string
		reasons []candidate.Reason // of a-1, a-2, …
		budgets []budget.Budget
		change  func(in *disruptkit.Input)
		want    string
	}{
		{"a pace that becomes active ends what may go, but for the oldest", []candidate.Reason{"Drifted", "Drifted"}, []budget.Budget{fixture.During(pace("1"), "0 13 * * *", "8h")}, nil,
			"a-1 goes; a-2 goes until 13:00; 13:00"},
		{"an older node that is nominated takes the start", []candidate.Reason{"Drifted", "Drifted"}, []budget.Budget{pace("1")}, nominated,
			"a-2 goes until 12:01; a-1 node/nominated until 12:01; 12:01"},
		{"an older node that is nominated takes the start of the youngest", []candidate.Reason{"Drifted", "Drifted", "Drifted"}, []budget.Budget{pace("2")}, nominated,
			"a-2 goes; a-3 goes until 12:01; a-1 node/nominated until 12:01; 12:01"},
		{"a node that paces hold back comes for its place when they no longer do", []candidate.Reason{"Drifted", "Empty"}, []budget.Budget{pace("1", "Drifted"), {Nodes: "1"}},
			func(in *disruptkit.Input) {
				in.Memory = map[string]disruptkit.Memory{"default": {Starts: []budget.Start{{Node: "gone", Reason: "Drifted", At: fixture.Clock("11:30")}}}}
			}, "a-2 goes until 12:30; a-1 budget/paced until 12:30; 12:30"},
		{"a freeze, after which the older node starts first", []candidate.Reason{"Drifted", "Drifted"}, []budget.Budget{pace("1"), frozen(8)}, nil,
			"a-1 budget/allows-none until 17:00; a-2 budget/allows-none until 17:00 (budget/paced until 18:00); 17:00"},
		{"paces and other budgets at once", []candidate.Reason{"Drifted", "Drifted"}, []budget.Budget{pace("1"), {Nodes: "1"}}, nil,
			"a-1 goes; a-2 budget/exhausted budget/paced until 13:00; 13:00"},
		{"the numbers of a pool without candidates change, too", nil, []budget.Budget{pace("2")}, func(in *disruptkit.Input) {
			in.Memory = map[string]disruptkit.Memory{"default": {Starts: []budget.Start{{Node: "gone", At: fixture.Clock("11:30")}}}}
		}, "12:30"},
	} {
		t.Run(c.name, func(t *testing.T) {
			in := waiting(t, c.reasons, c.budgets...)
			if c.change != nil {
				c.change(&in)
			}
			d := disruptkit.Decide(in, "")
			var got []string
			for _, a := range d.Allowed {
				text := a.Node + " goes"
				if !a.Until.IsZero() {
					text += a.Until.Format(" until 15:04")
				}
				got = append(got, text)
			}
			for _, b := range d.Blocked {
				text := b.Node
				for _, b := range b.Blockers {
					one := string(b.Gate) + "/" + b.Code
					if !b.Until.IsZero() {
						one += b.Until.Format(" until 15:04")
					}
					if b.Later {
						one = "(" + one + ")"
					}
					text += " " + one
				}
				got = append(got, text)
			}
			got = append(got, d.NextChange.Format("15:04"))
			if diff := cmp.Diff(c.want, strings.Join(got, "; ")); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestUntilIsKeptWithPaces(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := renewed(arbitrary(generate.Paced).Draw(t, "input"))
		asked := arbitrary(generate.Asked).Draw(t, "asked")
		d := disruptkit.Decide(in, asked)
		in.Memory = d.Memory
		keepsUntil(t, in, asked, d)
	})
}

func TestNothingChangesBeforeTheNextChangeOfPaces(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { keepsNextChange(t, generate.Paced) })
}

// keepsNextChange checks that a decision stays the same until its NextChange. Nodes that may go start later, then, and others after
// them: that makes no difference.
func keepsNextChange(t *rapid.T, inputs func(generate.Source) disruptkit.Input) {
	in := renewed(arbitrary(inputs).Draw(t, "input"))
	asked := arbitrary(generate.Asked).Draw(t, "asked")
	in.Memory = disruptkit.Decide(in, asked).Memory
	d := disruptkit.Decide(in, asked)
	later := d.NextChange.Add(-1)
	if d.NextChange.IsZero() {
		later = in.Now.AddDate(1, 0, 0)
	}
	in.Now = in.Now.Add(time.Duration(rapid.Int64Range(0, int64(later.Sub(in.Now))).Draw(t, "later")))
	then := disruptkit.Decide(in, asked)
	if diff := cmp.Diff(fates(d), fates(then)); diff != "" {
		t.Fatal(diff)
	}
}

// fates tells what goes, what holds back the others, and the numbers of the pools, without times.
func fates(d disruptkit.Decision) (all []string) {
	for _, c := range append(d.Allowed, d.Blocked...) {
		text := c.Node + " " + string(c.Reason)
		for _, b := range c.Blockers {
			if !b.Later {
				text += " " + string(b.Gate) + "/" + b.Code
			}
		}
		all = append(all, text)
	}
	for _, p := range d.Pools {
		all = append(all, p.Pool+" "+string(p.Reason)+" "+fmt.Sprint(p.Allowance.Nodes, p.MayStart.Nodes))
	}
	return all
}

// The time that a hundred thousand starts take to be foreseen is bounded.
func TestManyNodesBehindAPaceAreNotForeseenOneByOne(t *testing.T) {
	reasons := make([]candidate.Reason, 20_000)
	for i := range reasons {
		reasons[i] = "Drifted"
	}
	d := disruptkit.Decide(waiting(t, reasons, budget.Budget{Nodes: "1", Per: "1h"}), "Drifted")
	first, last := d.Blocked[0].Blockers[0].Until, d.Blocked[len(d.Blocked)-1].Blockers[0].Until
	if !first.Equal(fixture.Noon.Add(time.Hour)) || !last.IsZero() {
		t.Error(first, last)
	}
}
