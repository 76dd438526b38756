package decide

import (
	"fmt"
	"strings"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/internal/expiring"
	"github.com/disruptkit/disruptkit/cmd/internal/planner"
	"github.com/disruptkit/disruptkit/cmd/internal/tell"
)

const mostCodes = 5 // that are named

// expiring returns the nodes that are shown and expire within a week.
func (a answer) expiring() []expiring.Node {
	return expiring.Of(a.cluster, a.in, a.in.Now.Add(expiring.Week))
}

// summary describes how many may be disrupted for each reason, what leaves whatever is decided, and what blocks most nodes.
func (t *table) summary() {
	t.reasons(t.decisions)
	t.leaving()
	t.blockedBy(mostCodes)
}

// reasons describes how many may be disrupted for each reason.
func (t *table) reasons(of []disruptkit.Decision) {
	g := tell.NewGrid("REASON", "ALLOWED NOW", "BLOCKED", "IN FLIGHT", "NEXT SCHEDULED CHANGE").AlignRight(1, 2, 3)
	for _, d := range of {
		may := fmt.Sprint(len(d.Allowed))
		if unsure(d.Reason) && len(d.Allowed) > 0 {
			may = "0 to " + may
		}
		blocked, inFlight := t.split(d)
		flying := ""
		if len(inFlight) > 0 {
			flying = fmt.Sprint(len(inFlight))
		}
		g.Add(string(d.Reason), may, fmt.Sprint(len(blocked)), flying, t.clock.Until(d.NextChange))
	}
	t.line("\n%s", trimmed(g))
}

// leaving describes which nodes and pods leave, or should have left, whatever is decided.
func (t *table) leaving() {
	all := func(*candidate.Node) bool { return true }
	for _, text := range []string{
		expiring.Text(t.expiring(), t.clock.Whenever), t.cluster.Interrupted(t.in.Nodes), planner.Lingering(t.cluster, t.in, all),
	} {
		if text != "" {
			t.line("\n%s", tell.Wrap(text+".", ""))
		}
	}
}

// blockedBy names what blocks most nodes, each with an example.
func (t *table) blockedBy(most int) {
	causes, _ := tell.Blocked(t.in.Nodes, t.decisions)
	if len(causes) == 0 {
		return
	}
	g := tell.NewGrid("MOST NODES ARE BLOCKED BY", "NODES", "SUCH AS").AlignRight(1)
	for _, c := range causes[:min(len(causes), most)] {
		g.Add(c.Code, fmt.Sprint(c.Nodes), c.Such)
	}
	t.line("\n%s", trimmed(g))
}

func trimmed(g *tell.Grid) string { return strings.TrimSuffix(g.String(), "\n") }
