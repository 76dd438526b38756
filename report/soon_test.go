package report_test

import (
	"slices"
	"testing"
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/testkit/fixture"
	"github.com/disruptkit/disruptkit/report"
)

func TestSoonAreTheCandidatesThatNothingKnownBlocksForLonger(t *testing.T) {
	in := disruptkit.Input{
		Now: fixture.Noon, Nodes: fixture.Fleet(0, 6),
		Pools: []disruptkit.Pool{fixture.Pool(t, budget.Budget{Nodes: "1"})},
	}
	in.Nodes[1].DoNotDisrupt, in.Nodes[5].Blockers = true, []candidate.Blocker{{Gate: "mine", Code: "stopped"}}
	in.Nodes[2].NominatedUntil, in.Nodes[3].NominatedUntil = fixture.Noon.Add(time.Hour), fixture.Noon.Add(time.Hour+1)
	var got []string
	for _, c := range report.Soon(disruptkit.Decide(in, "Drifted"), time.Hour) {
		got = append(got, c.Node)
	}
	if want := []string{in.Nodes[0].Name, in.Nodes[2].Name, in.Nodes[4].Name}; !slices.Equal(got, want) {
		t.Errorf("soon are %v, want %v", got, want)
	}
	in.Nodes, in.Pools[0] = fixture.Fleet(0, 3), fixture.Pool(t, budget.Budget{Nodes: "3", Spread: "4h"})
	if soon := report.Soon(disruptkit.Decide(in, "Drifted"), time.Hour); len(soon) != 1 {
		t.Errorf("of a roll that is spread, the next one is soon: %v", soon)
	}
}
