package decide

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/internal/expiring"
	"github.com/disruptkit/disruptkit/cmd/internal/explain"
	"github.com/disruptkit/disruptkit/cmd/internal/planner"
	"github.com/disruptkit/disruptkit/cmd/internal/tell"
	"github.com/disruptkit/disruptkit/internal/wording"
)

// How much of each list is shown where all of it would be more than a page.
const (
	onePage     = 60 // candidates of all reasons
	mostAllowed = 10
	mostGroups  = 4
	mostAlike   = 3
	mostCodes   = 5
	mostMeaning = 76 // columns
)

// page returns how many of a list are shown, and a line that says how many are not.
func (t *table) page(length, most int) (shown int, more string) {
	if t.verbose || length <= most || t.candidates() <= onePage {
		return length, ""
	}
	return most, fmt.Sprintf("\nand %d more: -v shows all", length-most)
}

// candidates returns how many there are, for all reasons.
func (t *table) candidates() (n int) {
	for _, d := range t.decisions {
		n += len(d.Allowed) + len(d.Blocked)
	}
	return n
}

// expiring returns the nodes that are shown and expire within a week.
func (a answer) expiring() []expiring.Node {
	return expiring.Of(a.cluster, a.in, a.in.Now.Add(expiring.Week))
}

// summary describes how many may be disrupted for each reason, what leaves whatever is decided, and what blocks most nodes.
func (t *table) summary() {
	t.reasons(t.decisions)
	t.leaving()
	t.blockedBy(mostCodes, "WHAT IT MEANS")
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
		g.Add(string(d.Reason), may, fmt.Sprint(len(blocked)), flying, t.clock.until(d.NextChange))
	}
	t.line("\n%s", trimmed(g))
}

// leaving describes which nodes and pods leave, or should have left, whatever is decided.
func (t *table) leaving() {
	all := func(*candidate.Node) bool { return true }
	for _, text := range []string{
		expiring.Text(t.expiring(), t.clock.whenever), t.cluster.Interrupted(t.in.Nodes), planner.Lingering(t.cluster, t.in, all),
	} {
		if text != "" {
			t.line("\n%s", tell.Wrap(text+".", ""))
		}
	}
}

// such is the header of an example of what blocks nodes.
const such = "SUCH AS"

// blockedBy describes what blocks most nodes: what it means, or an example.
func (t *table) blockedBy(most int, header string) {
	held := map[string]map[string]bool{} // the nodes by what blocks them
	examples := map[string]string{}
	for _, d := range t.decisions {
		blocked, _ := t.split(d)
		for _, c := range blocked {
			for _, b := range c.Blockers {
				code := string(b.Gate) + "/" + string(b.Code)
				if held[code] == nil {
					held[code], examples[code] = map[string]bool{}, wording.Quote(c.Node)+": "+b.Message
				}
				held[code][c.Node] = true
			}
		}
	}
	if len(held) == 0 {
		return
	}
	codes := slices.SortedFunc(maps.Keys(held), func(a, b string) int {
		return cmp.Or(len(held[b])-len(held[a]), cmp.Compare(a, b))
	})
	g := tell.NewGrid("MOST NODES ARE BLOCKED BY", "NODES", header).AlignRight(1)
	for _, code := range codes[:min(len(codes), most)] {
		gate, name, _ := strings.Cut(code, "/")
		text := examples[code]
		if header != such {
			text = meaning(candidate.Gate(gate), name)
		}
		g.Add(code, fmt.Sprint(len(held[code])), text)
	}
	t.line("\n%s", trimmed(g))
}

// meaning returns the first sentence of what a code means.
func meaning(gate candidate.Gate, code string) string {
	text, _, more := strings.Cut(explain.Meaning(gate, candidate.Code(code)), ". ")
	if more {
		text += "."
	}
	for _, end := range []string{": ", ", "} {
		if len(text) > mostMeaning {
			text, _, _ = strings.Cut(text, end)
		}
	}
	return strings.TrimSuffix(text, ".")
}

func trimmed(g *tell.Grid) string { return strings.TrimSuffix(g.String(), "\n") }
