package metrics

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/report"
)

func TestANodeCountsOnceUnderTheFirstThingThatBlocksIt(t *testing.T) {
	blocked := func(node, pool string, blockers ...candidate.Blocker) candidate.Candidate {
		return candidate.Candidate{Node: node, Pool: pool, Blockers: blockers}
	}
	budget := candidate.Blocker{Gate: candidate.GateBudget, Code: candidate.CodeAllowsNone, Message: "closed", Until: begin.Add(3 * 3600e9)}
	sooner := budget
	sooner.Until, sooner.Message = begin.Add(3600e9), "closed as well"
	pod := candidate.Blocker{Gate: candidate.GatePod, Code: candidate.CodeDoNotDisrupt, Message: "annotated"}
	p := picture{decisions: []disruptkit.Decision{
		{Reason: candidate.Empty, Allowed: []candidate.Candidate{{Node: "e", Pool: "p"}}, Blocked: []candidate.Candidate{blocked("a", "p", budget, pod)}},
		{Reason: candidate.Drifted, Blocked: []candidate.Candidate{
			blocked("a", "p", pod), blocked("b", "q", sooner), blocked("c", "p", pod), blocked("d", "p", budget),
			blocked("e", "p", pod),     // may be disrupted because it is empty
			blocked("f", "p", pod),     // is in flight
			blocked("g", "other", pod), // is not in the picture
		}},
	}}
	for node, pool := range map[string]string{"a": "p", "b": "q", "c": "p", "d": "p", "e": "p", "f": "p", "g": "p"} {
		p.report.Nodes = append(p.report.Nodes, report.NodeStatus{Node: node, Pool: pool, InFlight: node == "f"})
	}
	want := []blockerView{
		{Code: "budget/allows-none", Nodes: 3, Width: 100, Pools: "p, q", Why: "closed", Lifts: "the first lifts Thu 15:45", Others: "and the like of 1 more node"},
		{Code: "pod/do-not-disrupt", Nodes: 1, Width: 100. / 3, Pools: "p", Why: "annotated"},
	}
	if diff := cmp.Diff(want, p.blockers(clock{begin})); diff != "" {
		t.Errorf("blockers (-want +got)\n%s", diff)
	}
}
