package later_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/dialect"
	"github.com/disruptkit/disruptkit/internal/fixture"
	"github.com/disruptkit/disruptkit/internal/generate"
)

func TestNoFateChangesBeforeTheNextChange(t *testing.T) {
	for name, inputs := range map[string]func(generate.Source) disruptkit.Input{
		"of paces": generate.Paced, "of deadlines": generate.Dated, "in a crowd": crowded, "of a soak": generate.Soaked,
		"of a wave": generate.Waved, "whatever the order": generate.Ordered, "where nodes are missing": generate.Desired,
		"of inbound pauses": generate.Inbound, "of ages": generate.Aged,
	} {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) { keepsNextChange(t, inputs) })
		})
	}
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
				text += " " + string(b.Gate) + "/" + string(b.Code)
			}
		}
		all = append(all, text)
	}
	for _, p := range d.Pools {
		all = append(all, p.Pool+" "+string(p.Reason)+" "+fmt.Sprint(p.Allowance.Nodes, p.MayStart.Nodes))
	}
	return all
}

func TestTheNextChangeIsNeverPast(t *testing.T) {
	for _, until := range []time.Time{fixture.Noon.Add(-time.Hour), fixture.Noon} {
		in := waiting(t, []candidate.Reason{"Drifted"})
		in.Nodes[0].Blockers = []candidate.Blocker{{Gate: "mine", Code: "x", Message: "x", Until: until}}
		if d := disruptkit.Decide(in, "Drifted"); !d.NextChange.IsZero() {
			t.Error(d.NextChange)
		}
	}
}

func TestWithoutATimeThereIsNoNextChange(t *testing.T) {
	in := waiting(t, []candidate.Reason{"Drifted"})
	in.Now = time.Time{}
	in.Nodes[0].Conditions[0].Deadline = fixture.Noon
	if d := disruptkit.Decide(in, "Drifted"); !d.NextChange.IsZero() {
		t.Error(d.NextChange)
	}
}

// Five hours later the budget for drift ends, and drift shares what the node in flight for Empty uses.
func TestTheNextChangeIsAlsoWhenOthersBeginToShareABudget(t *testing.T) {
	blocked := fixture.Wanted("b", fixture.Noon, "Drifted")
	blocked.Phase = candidate.Launched
	in := fixture.SpecificInput(t, fixture.Noon, []budget.Budget{
		{Nodes: "1"},
		{Nodes: "1", Reasons: []candidate.Reason{"Drifted"}, Schedule: "0 9 * * *", Duration: "8h"},
	}, fixture.Going("a", "Empty"), blocked)
	d := disruptkit.Decide(in, candidate.Drifted)
	if five := fixture.Noon.Add(5 * time.Hour); d.Pools[0].Disrupting != 0 || !d.NextChange.Equal(five) {
		t.Fatalf("%d in use, next change %v", d.Pools[0].Disrupting, d.NextChange)
	}
	in.Now = d.NextChange
	if d := disruptkit.Decide(in, candidate.Drifted); d.Pools[0].Disrupting != 1 {
		t.Errorf("then %d in use", d.Pools[0].Disrupting)
	}
}

func TestNothingChangesBeforeTheNextChange(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := arbitrary(generate.Input).Draw(t, "input")
		in.Dialect = rapid.SampledFrom([]dialect.Dialect{dialect.Disruptkit, dialect.Karpenter}).Draw(t, "dialect")
		asked := arbitrary(generate.Asked).Draw(t, "asked")
		in.Memory = disruptkit.Decide(in, asked).Memory // as callers have to
		d := disruptkit.Decide(in, asked)
		later := d.NextChange.Add(-1)
		if d.NextChange.IsZero() {
			later = in.Now.AddDate(1, 0, 0)
		} else if !d.NextChange.After(in.Now) {
			t.Fatalf("the next change is at %v, it is %v", d.NextChange, in.Now)
		}
		in.Now = in.Now.Add(time.Duration(rapid.Int64Range(0, int64(later.Sub(in.Now))).Draw(t, "later")))
		texts := cmp.FilterPath(func(p cmp.Path) bool {
			name := p.Last().String()
			return name == ".Now" || name == ".Message" || name == ".Binding" || name == ".NextChange" || name == ".Kept" || name == ".Started" || name == ".HeldUp"
		}, cmp.Ignore())
		then := disruptkit.Decide(in, asked)
		if diff := cmp.Diff(d, then, texts, cmp.Comparer(sameButForBudgets)); diff != "" {
			t.Fatal(diff)
		}
	})
}

// sameButForBudgets compares blockers. Which of several budgets with the same number bind may change, and so do the message and the
// source that say it.
func sameButForBudgets(a, b candidate.Blocker) bool {
	if a.Source != nil && b.Source != nil && !slices.Equal(a.Source.Budgets, b.Source.Budgets) {
		b.Message, b.Source = a.Message, new(*b.Source)
		b.Source.Budgets = a.Source.Budgets
	}
	return a.Equal(b)
}
