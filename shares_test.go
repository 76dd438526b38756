package disruptkit_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/testkit/fixture"
	"github.com/disruptkit/disruptkit/plan"
	"github.com/disruptkit/disruptkit/schedule"
)

// sharing returns a pool of 41 nodes with a cap and shares. Some nodes are in flight for a reason, and others wait for Drifted and Empty.
func sharing(limit, inFlight, drifted, empty int, flightReason candidate.Reason, shares ...budget.Budget) disruptkit.Input {
	set, err := budget.Compile(append([]budget.Budget{{Nodes: fmt.Sprint(limit)}}, shares...))
	if err != nil {
		panic(err)
	}
	in := disruptkit.Input{Now: fixture.Noon, Pools: []disruptkit.Pool{{Name: "default", Budgets: set}}}
	for i := range 41 {
		n := candidate.Node{Name: fmt.Sprintf("n-%02d", i), Pool: "default", Phase: candidate.Running}
		switch {
		case i < inFlight:
			n.Leaving, n.DisruptedFor = candidate.Draining, flightReason
		case i < inFlight+drifted:
			n.Conditions = []candidate.Condition{{Reason: "Drifted", Since: fixture.Noon}}
		case i < inFlight+drifted+empty:
			n.Conditions = []candidate.Condition{{Reason: "Empty", Since: fixture.Noon}}
		}
		in.Nodes = append(in.Nodes, n)
	}
	return in
}

func guaranteed(nodes string, reasons ...candidate.Reason) budget.Budget {
	return budget.Budget{Nodes: nodes, Guaranteed: true, Reasons: reasons}
}

// The table of docs/shares.md.
func TestTheTableOfShares(t *testing.T) {
	four := guaranteed("4", "Drifted")
	twice := sharing(10, 0, 1, 20, "", four)
	twice.Nodes[0].Conditions = append(twice.Nodes[0].Conditions, candidate.Condition{Reason: "Drifted/AMIDrift", Since: fixture.Noon})
	for i, c := range []struct {
		in                         disruptkit.Input
		emptyMayStart, mayStartToo int
	}{
		{sharing(10, 0, 0, 20, "", four), 10, 0},
		{sharing(10, 0, 7, 20, "", four), 6, 7},
		{sharing(10, 0, 2, 20, "", four), 8, 2},
		{sharing(10, 3, 7, 20, "Drifted", four), 6, 7},
		{sharing(10, 5, 7, 20, "Drifted", four), 5, 5},
		{sharing(10, 10, 7, 20, "Empty", four), 0, 0},
		{sharing(10, 8, 7, 20, "Empty", four), 0, 2},
		{sharing(10, 8, 7, 20, "", four), 0, 2},
		{sharing(10, 0, 12, 20, "", guaranteed("25%", "Drifted")), 0, 10},
		{sharing(6, 0, 7, 7, "", guaranteed("4", "Empty"), four), 4, 2},
		{twice, 9, 1}, // its node counts once
	} {
		for reason, want := range map[candidate.Reason]int{"Empty": c.emptyMayStart, "Drifted": c.mayStartToo} {
			if d := disruptkit.Decide(c.in, reason); len(d.Allowed) != want {
				t.Errorf("row %d: %d of %s may start, want %d:\n%s", i+1, len(d.Allowed), reason, want, fixture.Story(d))
			}
		}
	}
	d := disruptkit.Decide(sharing(6, 0, 7, 7, "", guaranteed("4", "Empty"), four), "")
	want := "NodePool/default: budgets[2]: budgets[2] guarantees 4 nodes, but 2 are left of the 6 that may be disrupted at once: guarantee fewer, or allow more"
	if len(d.Warnings) != 1 || d.Warnings[0].Error() != want {
		t.Errorf("%v, want %s", d.Warnings, want)
	}
}

// Whatever the others do first, and in whatever order, a reason with candidates reaches its share, and nobody exceeds the limit.
func TestAReasonReachesItsShareWhateverOthersDo(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		count := func(name string) int { return rapid.IntRange(0, 15).Draw(t, name) }
		limit, g := rapid.IntRange(2, 12).Draw(t, "limit"), rapid.IntRange(1, 6).Draw(t, "share")
		other := rapid.IntRange(1, 6).Draw(t, "another share")
		drifted, empty := count("drifted"), count("empty")
		in := sharing(limit, 0, drifted, empty, "", guaranteed(fmt.Sprint(g), "Drifted"), guaranteed(fmt.Sprint(other), "Expired"))
		for i := range in.Nodes {
			if n := &in.Nodes[i]; len(n.Conditions) == 0 && rapid.Bool().Draw(t, "expired") {
				n.Conditions = []candidate.Condition{{Reason: "Expired", Since: fixture.Noon}}
			}
		}
		s := disruptkit.Open(in, "")
		line := rapid.Permutation(slices.Collect(s.Candidates())).Draw(t, "line")
		for _, own := range []bool{false, true} { // the drifted last
			for _, c := range line {
				if (c.Reason == "Drifted") == own {
					s.Disrupt(c)
				}
			}
		}
		d := s.Close()
		own := 0
		for _, c := range d.Allowed {
			if c.Reason == "Drifted" {
				own++
			}
		}
		if want := min(g, limit, drifted); own < want || len(d.Allowed) > limit {
			t.Fatalf("%d of %d are for Drifted, want at least %d, and at most %d in all", own, len(d.Allowed), want, limit)
		}
	})
}

// A plan folds decisions, so it lends and keeps shares as they do.
func TestAPlanKeepsShares(t *testing.T) {
	in := sharing(8, 0, 20, 7, "", budget.Budget{Nodes: "1", Reasons: []candidate.Reason{"Empty"}}, guaranteed("6", "Empty"))
	at, waits := map[candidate.Reason]int{}, ""
	for _, n := range plan.Run(in, plan.Options{Model: plan.Model{Reasons: []candidate.Reason{"Drifted", "Empty"}}}).Nodes {
		if n.Start.Equal(in.Now) {
			at[n.Reason]++
		}
		waits += fmt.Sprintln(n.Waits)
	}
	if !strings.Contains(waits, "budgets reserve the rest for other reasons") || strings.Contains(waits, "invalid") {
		t.Errorf("the nodes wait for\n%s", waits)
	}
	if at["Drifted"] != 2 {
		t.Errorf("at once start %v", at)
	}
}

// What is reserved depends on the other candidates, so times depend on what else they wait for. Few random inputs show that.
func TestTimesOfSharesAreUnknownWhereOtherCandidatesChange(t *testing.T) {
	share := guaranteed("1", "Drifted")
	share.Schedule, share.Duration = "0 10 * * *", "4h"
	for _, c := range []struct {
		name        string
		change      func(in *disruptkit.Input, drifted, empty *candidate.Node)
		allowed     bool
		until, next string // of the empty node, and of the decision; "": none
	}{
		{"only the share's window ends", func(*disruptkit.Input, *candidate.Node, *candidate.Node) {}, false, "14:00", "14:00"},
		{"and the node is overdue before", func(_ *disruptkit.Input, _, e *candidate.Node) { e.Conditions[0].Deadline = fixture.Clock("13:00") }, false, "13:00", "13:00"},
		{"the other's pod has a window that closes", func(_ *disruptkit.Input, d, _ *candidate.Node) {
			d.Pods = []candidate.Pod{{Terms: candidate.Terms{Window: schedule.MustParse("30 11 * * *", time.Hour, "")}}}
		}, false, "", "12:30"},
		{"the other's pod has one, and the node is overdue later", func(_ *disruptkit.Input, d, e *candidate.Node) {
			d.Pods = []candidate.Pod{{Terms: candidate.Terms{Window: schedule.MustParse("30 11 * * *", time.Hour, "")}}}
			e.Conditions[0].Deadline = fixture.Clock("13:00")
		}, false, "", "12:30"},
		{"the other is nominated for a while", func(_ *disruptkit.Input, d, _ *candidate.Node) { d.NominatedUntil = fixture.Clock("12:30") }, true, "12:30", "12:30"},
		{"the other is overdue, so that no back-off blocks it", func(in *disruptkit.Input, d, _ *candidate.Node) {
			d.Conditions[0].Deadline = fixture.Clock("11:30")
			in.Memory = map[string]disruptkit.Memory{"default": {Backoff: disruptkit.Backoff{Level: 1, Until: fixture.Clock("13:00")}}}
		}, false, "14:00", "14:00"},
	} {
		in := sharing(1, 0, 1, 1, "", share)
		drifted, empty := &in.Nodes[0], &in.Nodes[1]
		drifted.Conditions[0].Since, empty.Conditions[0].Since = fixture.Clock("11:00"), fixture.Clock("11:00")
		c.change(&in, drifted, empty)
		d := disruptkit.Decide(in, "Empty")
		var until time.Time
		if c.allowed && len(d.Allowed) == 1 {
			until = d.Allowed[0].Until
		} else if !c.allowed && len(d.Blocked) == 1 {
			until = d.Blocked[0].Blockers[0].Until
		} else {
			t.Errorf("%s: %s", c.name, fixture.Story(d))
		}
		clock := func(text string) (at time.Time) {
			if text != "" {
				at = fixture.Clock(text)
			}
			return at
		}
		if !until.Equal(clock(c.until)) || !d.NextChange.Equal(clock(c.next)) {
			t.Errorf("%s: until %v, next change %v, want %q and %q", c.name, until, d.NextChange, c.until, c.next)
		}
	}
}

// A node with two reasons is reserved for in two shares. Once it is disrupted, a node ahead of it in line is no longer blocked.
func TestDecideLeavesNoCandidateThatMayBeDisrupted(t *testing.T) {
	in := sharing(3, 0, 0, 0, "", guaranteed("1", "Drifted"), guaranteed("1", "Empty"))
	for i, reasons := range [][]candidate.Reason{{"Underutilized"}, {"Underutilized"}, {"Drifted", "Empty"}} {
		for _, r := range reasons {
			c := candidate.Condition{Reason: r, Since: fixture.Noon.Add(time.Duration(i-9) * time.Hour)}
			in.Nodes[i].Conditions = append(in.Nodes[i].Conditions, c)
		}
	}
	d := disruptkit.Decide(in, "")
	if got := fmt.Sprint(fixture.Allowed(d)); got != "[n-00 n-02 n-01]" || len(d.Free) > 0 {
		t.Errorf("allowed %s, free %v", got, d.Free)
	}
}
