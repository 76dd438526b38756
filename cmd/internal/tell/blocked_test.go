package tell

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/candidate"
)

func TestANodeCountsOnceUnderEachCodeThatBlocksIt(t *testing.T) {
	begin := time.Date(2026, 11, 19, 14, 45, 0, 0, time.UTC)
	blocked := func(node string, blockers ...candidate.Blocker) candidate.Candidate {
		return candidate.Candidate{Node: node, Blockers: blockers}
	}
	budget := candidate.Blocker{Gate: candidate.GateBudget, Code: candidate.CodeAllowsNone, Message: "closed", Until: begin.Add(3 * time.Hour)}
	sooner := budget
	sooner.Until = begin.Add(time.Hour)
	pod := candidate.Blocker{Gate: candidate.GatePod, Code: candidate.CodeDoNotDisrupt, Message: "annotated"}
	other := pod
	other.Pod = "x/y"
	causes, all := Blocked([]candidate.Node{{Name: "f", Leaving: candidate.Draining}, {Name: "a"}, {Name: "f"}}, []disruptkit.Decision{
		{Reason: candidate.Empty, Allowed: []candidate.Candidate{{Node: "e"}}, Blocked: []candidate.Candidate{blocked("a", budget, pod)}},
		{Reason: candidate.Drifted, Blocked: []candidate.Candidate{
			blocked("a", pod, other), blocked("b", sooner), blocked("c", pod), blocked("d", budget),
			blocked("e", pod), // may be disrupted because it is empty
			blocked("f", pod), // is in flight
			blocked("g", pod), // might be consolidated
		}},
		{Reason: candidate.Underutilized, Allowed: []candidate.Candidate{{Node: "g"}}},
	})
	want := []*Cause{
		{"budget/allows-none", 3, "a: closed", begin.Add(time.Hour)},
		{"pod/do-not-disrupt", 3, "a: annotated", time.Time{}},
	}
	if diff := cmp.Diff(want, causes); diff != "" || all != 5 {
		t.Errorf("%d nodes (-want +got)\n%s", all, diff)
	}
	if causes, all := Blocked(nil, nil); len(causes)+all > 0 {
		t.Errorf("nothing is blocked: %v, %d", causes, all)
	}
}
