package metrics

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/engine"
	"github.com/disruptkit/disruptkit/cmd/internal/tell"
	"github.com/disruptkit/disruptkit/probe"
)

// weekOf returns the picture of a pool of ten nodes, decided for some reasons.
func weekOf(t *testing.T, spec budget.Spec, reasons ...candidate.Reason) picture {
	t.Helper()
	set, err := spec.Compile()
	if err != nil {
		t.Fatal(err)
	}
	in := disruptkit.Input{Now: begin, Nodes: fleetOf(10, 0), Pools: []disruptkit.Pool{{Name: "default", Budgets: set}}}
	p := picture{in: in}
	for _, r := range reasons {
		p.decisions = append(p.decisions, disruptkit.Decide(in, r))
	}
	return p
}

// drawnAs describes a row: its reasons, what is so now, and the blocks by class, label and hours of the week.
func drawnAs(r calendarRow) string {
	text := r.Reasons + "; " + r.Now + ":"
	for _, b := range r.Blocks {
		text += fmt.Sprintf(" %s %s %.4g+%.4g", b.Class, b.Label, b.Left*168/100, b.Width*168/100)
	}
	return text
}

func TestTheWeekHasARowForReasonsForWhichTheSameIsAllowed(t *testing.T) {
	night := budget.Budget{Nodes: "0", Reasons: []candidate.Reason{candidate.Drifted}, Schedule: "0 20 * * fri", Duration: "4h"}
	never := budget.Spec{ConsolidateAfter: "Never", Budgets: []budget.Budget{{Nodes: "3"}}}
	for _, c := range []struct {
		name    string
		spec    budget.Spec
		reasons []candidate.Reason
		want    []string
	}{
		{"one budget for all", budget.Spec{Budgets: []budget.Budget{{Nodes: "30%"}}}, []candidate.Reason{candidate.Empty, candidate.Drifted},
			[]string{"Empty, Drifted; 3 nodes at once all week: all 3 0+168"}},
		{"a window for one reason", budget.Spec{Budgets: []budget.Budget{{Nodes: "3"}, night}}, []candidate.Reason{candidate.Empty, candidate.Drifted},
			[]string{"Empty; 3 nodes at once all week: all 3 0+168", "Drifted; 3 nodes at once until Fri 20:00: all 3 0+44 closed  44+4 all 3 48+120"}},
		{"few to most", budget.Spec{Budgets: []budget.Budget{{Nodes: "9"}, {Nodes: "3", Schedule: "0 0 * * fri", Duration: "24h"}, {Nodes: "6", Schedule: "0 0 * * sat", Duration: "24h"}}},
			[]candidate.Reason{candidate.Drifted}, []string{"Drifted; 9 nodes at once until Fri 00:00: all 9 0+24 some 3 24+24 most 6 48+24 all 9 72+96"}},
		{"no limit", budget.Spec{Budgets: []budget.Budget{{Nodes: "1", Schedule: "0 0 * * thu", Duration: "24h"}}}, []candidate.Reason{candidate.Drifted},
			[]string{"Drifted; 1 node at once until Fri 00:00: all 1 0+24 unlimited no limit 24+144"}},
		{"a reason for which none ever goes", never, []candidate.Reason{candidate.Empty, candidate.Drifted}, []string{"Drifted; 3 nodes at once all week: all 3 0+168"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			for _, r := range weekOf(t, c.spec, c.reasons...).calendar(tell.Clock{Now: begin}).Rows {
				got = append(got, drawnAs(r))
			}
			if strings.Join(got, "\n") != strings.Join(c.want, "\n") {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(c.want, "\n"))
			}
		})
	}
}

func TestTheWeekHasWhatHoldsBesidesThePoolsOwnBudgets(t *testing.T) {
	p := weekOf(t, budget.Spec{Budgets: []budget.Budget{{Nodes: "3"}}}, candidate.Drifted)
	karpenters, err := budget.Compile([]budget.Budget{{Nodes: "5"}, {Nodes: "1", Schedule: "0 0 * * sat", Duration: "24h"}})
	if err != nil {
		t.Fatal(err)
	}
	p.admitted = map[string]budget.Set{"default": karpenters}
	day := func(n int) time.Time { return begin.Truncate(24*time.Hour).AddDate(0, 0, n) }
	p.in.Pauses = []probe.Pause{
		{From: day(3), Until: day(4), By: "alice", Why: "INC-1"}, {Until: day(6), Key: "zone", Domains: []string{"a"}},
		{Pools: []probe.PoolSelector{"other"}},
	}
	group := disruptkit.Group{Name: "prod", Pools: []string{"default"}, Budgets: karpenters}
	p.in.Groups = []disruptkit.Group{group, {Name: "dev", Pools: []string{"other"}}}
	p.decisions = []disruptkit.Decision{disruptkit.Decide(p.in, candidate.Drifted)}
	rows := narrow(p, "default").calendar(tell.Clock{Now: begin}).Rows
	if len(rows) != 2 || rows[0].Of != "default" || rows[1].Of != "policy prod" {
		t.Fatalf("%+v", rows)
	}
	if got, want := drawnAs(rows[0]), "Drifted; 3 nodes at once until Sat 00:00: all 3 0+48 some 1 48+24 closed  72+24 all 3 96+72"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if got, want := drawnAs(rows[1]), "Drifted; 5 nodes at once until Sat 00:00: all 5 0+48 some 1 48+24 all 5 72+96"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	tips := []string{rows[0].Blocks[0].Tip, rows[0].Blocks[2].Tip}
	for i, want := range []string{"Thu 00:00 to Sat 00:00: 3 nodes at once; budgets[0]: 3", "Sun 00:00 to Mon 00:00: closed; paused by alice: INC-1"} {
		if tips[i] != want {
			t.Errorf("tip %q, want %q", tips[i], want)
		}
	}
}

func TestReasonsThatDifferInWhoPausesThemHaveRowsOfTheirOwn(t *testing.T) {
	p := weekOf(t, budget.Spec{Budgets: []budget.Budget{{Nodes: "0"}}}, candidate.Empty, candidate.Drifted)
	p.in.Pauses = []probe.Pause{{Reasons: []candidate.Reason{candidate.Drifted}, By: "alice"}}
	rows := p.calendar(tell.Clock{Now: begin}).Rows
	if len(rows) != 2 || rows[0].Reasons != "Empty" || rows[1].Blocks[0].Tip != "all week: closed; budgets[0]: 0; paused by alice" || rows[1].Words != rows[1].Blocks[0].Tip+". " {
		t.Errorf("%+v", rows)
	}
}

func TestTheWeekOfANodePoolThatIsRejectedIsUnknown(t *testing.T) {
	p := weekOf(t, budget.Spec{Budgets: []budget.Budget{{Nodes: "3"}}}, candidate.Empty, candidate.Drifted)
	p.rejected = []string{"default"}
	rows := p.calendar(tell.Clock{Now: begin}).Rows
	if len(rows) != 1 || drawnAs(rows[0]) != "; unknown: the API server rejects the NodePool, and what was stored before stays in force: closed  0+168" {
		t.Errorf("%+v", rows)
	}
}

func TestWhatChangesTooOftenToBeSeenIsMixed(t *testing.T) {
	often := budget.Spec{Budgets: []budget.Budget{{Nodes: "3"}, {Nodes: "0", Schedule: "*/10 8-11 * * *", Duration: "5m"}}}
	rows := weekOf(t, often, candidate.Drifted).calendar(tell.Clock{Now: begin}).Rows
	if len(rows) != 1 {
		t.Fatalf("%+v", rows)
	}
	got := drawnAs(rows[0])
	if !strings.HasPrefix(got, "Drifted; 3 nodes at once until Fri 08:00: all 3 0+8 mixed  8+4 all 3 12+20 mixed  32+4 ") || len(rows[0].Blocks) != 15 {
		t.Errorf("%s", got)
	}
	if tip := rows[0].Blocks[1].Tip; tip != "Thu 08:00 to Thu 12:00: it changes several times an hour" {
		t.Errorf("tip %q", tip)
	}
}

// To Karpenter, what the steward replaces because somebody asks for it has drifted.
func TestTheWeekHasKarpentersBudgetsForDriftForWhatIsRequested(t *testing.T) {
	karpenters, err := budget.Compile([]budget.Budget{{Nodes: "0", Reasons: []candidate.Reason{candidate.Drifted}}})
	if err != nil {
		t.Fatal(err)
	}
	for as, want := range map[engine.Engine]string{engine.Steward: "closed all week", engine.Guard: "3 nodes at once all week"} {
		p := weekOf(t, budget.Spec{Budgets: []budget.Budget{{Nodes: "3"}}}, candidate.Requested)
		p.as, p.admitted = as, map[string]budget.Set{"default": karpenters}
		if rows := p.calendar(tell.Clock{Now: begin}).Rows; len(rows) != 1 || rows[0].Now != want {
			t.Errorf("%s: %+v, want %s", as, rows, want)
		}
	}
}
