package later_test

import (
	"slices"
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
	"github.com/disruptkit/disruptkit/internal/until"
	"github.com/disruptkit/disruptkit/probe"
)

// TestUntilWhenPacesLetNodesStart tells each node with its fate, and when to look again.
func TestUntilWhenPacesLetNodesStart(t *testing.T) {
	pace := func(nodes string, reasons ...candidate.Reason) budget.Budget {
		return budget.Budget{Nodes: nodes, Per: "1h", Reasons: reasons}
	}
	started := func(in *disruptkit.Input) {
		in.Memory = map[string]disruptkit.Memory{"default": {Starts: []budget.Start{{Node: "gone", Reason: "Drifted", At: fixture.Clock("11:45")}}}}
	}
	dueAt := func(clock string) func(in *disruptkit.Input) {
		return func(in *disruptkit.Input) {
			started(in)
			in.Nodes[0].Conditions[0].Deadline = fixture.Clock(clock)
		}
	}
	pausedFrom := func(clocks ...string) func(in *disruptkit.Input) {
		return func(in *disruptkit.Input) {
			started(in)
			for i := range clocks[1:] {
				in.Pauses = append(in.Pauses, probe.Pause{From: fixture.Clock(clocks[i]), Until: fixture.Clock(clocks[i+1])})
			}
		}
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
		{"an older node that is nominated takes the start once the pace is active", []candidate.Reason{"Drifted", "Drifted"}, []budget.Budget{fixture.During(pace("1"), "0 13 * * *", "8h")},
			func(in *disruptkit.Input) { in.Nodes[0].NominatedUntil = fixture.Clock("14:00") },
			"a-2 goes until 14:00; a-1 node/nominated until 14:00; 13:00"},
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
		{"a node with two reasons starts once, for either", []candidate.Reason{"Drifted", "Empty"}, []budget.Budget{pace("1"), frozen(11, "Drifted")}, func(in *disruptkit.Input) {
			started(in)
			c := &in.Nodes[0].Conditions
			*c = append(*c, candidate.Condition{Reason: "Empty", Since: (*c)[0].Since.Add(time.Minute)})
		}, "a-1 budget/allows-none until 20:00 budget/paced until 12:45; a-1 budget/paced until 12:45; a-2 budget/paced until 13:45; 12:45"},
		{"a freeze that begins before the pace lets a node start", []candidate.Reason{"Drifted", "Drifted"}, []budget.Budget{pace("1"), fixture.During(budget.Budget{Nodes: "0"}, "30 12 * * *", "4h")},
			started, "a-1 budget/paced until 12:45 (budget/allows-none until 16:30); a-2 budget/paced until 12:45 (budget/allows-none until 16:30) (budget/paced until 17:30); 12:30"},
		{"the last start before a freeze, and the first ones after it", []candidate.Reason{"Drifted", "Drifted", "Drifted", "Drifted", "Drifted"},
			[]budget.Budget{pace("1"), fixture.During(budget.Budget{Nodes: "0"}, "0 13 * * *", "22h")}, started,
			"a-1 budget/paced until 12:45; a-2 budget/paced until 13:45 (budget/allows-none until Sat 11:00); " +
				"a-3 budget/paced until 13:45 (budget/allows-none until Sat 11:00) (budget/paced until Sat 12:00); " +
				"a-4 budget/paced until 13:45 (budget/allows-none until Sat 11:00) (budget/paced until Sun 11:00); " +
				"a-5 budget/paced until 13:45 (budget/allows-none until Sat 11:00) (budget/paced until Sun 12:00); 12:45"},
		{"a node is overdue in a freeze that begins before the pace lets it start", []candidate.Reason{"Drifted"}, []budget.Budget{pace("1"), fixture.During(budget.Budget{Nodes: "0"}, "30 12 * * *", "4h")},
			dueAt("14:00"), "a-1 budget/paced until 12:45 (budget/allows-none until 14:00); 12:30"},
		{"a node is overdue before a pace lets it start that begins after a freeze", []candidate.Reason{"Drifted"}, []budget.Budget{frozen(4), fixture.During(budget.Budget{Nodes: "1", Per: "24h"}, "30 12 * * *", "20h")},
			dueAt("14:00"), "a-1 budget/allows-none until 13:00 (budget/paced until 14:00); 12:30"},
		{"a pause begins before the pace lets a node start", []candidate.Reason{"Drifted", "Drifted"}, []budget.Budget{pace("1")},
			pausedFrom("12:40", "14:00"), "a-1 budget/paced until 12:45 (probe/paused until 14:00); a-2 budget/paced until 12:45 (probe/paused until 14:00) (budget/paced until 15:00); 12:40"},
		{"what follows many pauses is unknown", []candidate.Reason{"Drifted"}, []budget.Budget{pace("1")}, pausedFrom("12:40", "14:00", "14:10", "14:20", "14:30", "14:40"),
			"a-1 budget/paced until 12:45 (probe/paused until 14:00) (probe/paused until 14:10) (probe/paused until 14:20) (probe/paused); 12:40"},
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
					one := string(b.Gate) + "/" + string(b.Code)
					if !b.Until.IsZero() {
						one += " until " + clock(b.Until)
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

// clock returns the time of day, with the day if it is not that of fixture.Noon.
func clock(at time.Time) string {
	if at.Sub(fixture.Noon) < 12*time.Hour {
		return at.Format("15:04")
	}
	return at.Format("Mon 15:04")
}

// One of them goes now, and 500 starts after that are foreseen.
func TestFiveHundredStartsOfAPoolAreForeseen(t *testing.T) {
	in := waiting(t, slices.Repeat([]candidate.Reason{"Drifted"}, 510), budget.Budget{Nodes: "1", Per: "1m"})
	told, last := 0, time.Time{}
	for _, c := range disruptkit.Decide(in, "Drifted").Blocked {
		if at, lifts := candidate.LiftsAt(c.Blockers); lifts {
			told, last = told+1, at
		}
	}
	if told != 500 || !last.Equal(fixture.Noon.Add(500*time.Minute)) {
		t.Errorf("%d have a time, the last %v", told, last)
	}
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

// A slow oracle for paces: decide whenever something changes, start all that may go, and see when a blocked node is among them. A node
// may start earlier than its blockers say if it is unknown when one ahead of it goes.
func TestABlockedNodeStartsOnceItsBlockersLift(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := renewed(arbitrary(generate.Paced).Draw(t, "input"))
		reason := arbitrary(generate.Reason).Draw(t, "reason")
		for i := range in.Nodes { // all of one reason that has held for long, and nothing but budgets holds nodes back
			in.Nodes[i].NominatedUntil, in.Nodes[i].Pods = time.Time{}, nil
			if conditions := in.Nodes[i].Conditions; len(conditions) > 0 {
				in.Nodes[i].Conditions = conditions[:1]
				c := &conditions[0]
				c.Reason, c.Since, c.Urgency = reason, in.Now.Add(-time.Duration(100+i)*time.Hour), time.Time{}
				if c.Overdue(in.Now) { // it would start before what is ahead of it in line
					c.Deadline = time.Time{}
				}
			}
		}
		said, started := starts(in, reason)
		for node, at := range said {
			if started[node].After(at) {
				t.Fatalf("%s was to start by %v, and starts at %v", node, at, started[node])
			}
		}
	})
}

// TestANodeInAQueueStartsWhenItsBlockersLift has more nodes, behind paces and freezes only, so that most starts are foreseen.
func TestANodeInAQueueStartsWhenItsBlockersLift(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		budgets := rapid.SliceOfN(arbitrary(generate.Pace), 1, 2).Draw(t, "paces")
		for _, b := range rapid.SliceOfN(arbitrary(generate.Budget), 0, 2).Draw(t, "freezes") {
			if b.Schedule != "" {
				b.Nodes = "0"
				budgets = append(budgets, b)
			}
		}
		for i := range budgets {
			budgets[i].Reasons = nil
		}
		set, err := budget.Compile(budgets)
		if err != nil {
			t.Fatal(err)
		}
		in := disruptkit.Input{Now: fixture.Noon, Nodes: fixture.Fleet(3, rapid.IntRange(1, 9).Draw(t, "nodes")), Pools: []disruptkit.Pool{{Name: "default", Budgets: set}}}
		for i := range in.Nodes[:len(in.Nodes)-3] {
			if hours := rapid.IntRange(-20, 30).Draw(t, "deadline"); hours > 0 {
				in.Nodes[i].Conditions[0].Deadline = in.Now.Add(time.Duration(hours) * time.Hour)
			}
		}
		said, started := starts(in, candidate.Drifted)
		for node, at := range said {
			if !started[node].Equal(at) {
				t.Fatalf("%s was to start at %v, and starts at %v", node, at, started[node])
			}
		}
	})
}

// starts returns when blocked nodes are said to start, and when they do if all start that may.
func starts(in disruptkit.Input, reason candidate.Reason) (said, started map[string]time.Time) {
	said, started = map[string]time.Time{}, map[string]time.Time{}
	d, last := disruptkit.Decide(in, reason), time.Time{}
	for _, c := range d.Blocked {
		if at, ok := budgetsLift(c); ok {
			said[fixture.Key(c)], last = at, until.Latest(last, at)
		}
	}
	for range 100 {
		for _, c := range d.Allowed {
			started[fixture.Key(c)] = in.Now
		}
		if in = in.Apply(d); d.NextChange.IsZero() || in.Now.After(last) {
			break
		}
		in.Now = d.NextChange
		d = disruptkit.Decide(in, reason)
	}
	for key, at := range said {
		if _, ok := started[key]; !ok && at.Before(in.Now) {
			started[key] = in.Now // at the earliest
		} else if !ok {
			delete(said, key)
		}
	}
	return said, started
}
