package decide

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/internal/expiring"
	"github.com/disruptkit/disruptkit/cmd/internal/explain"
	"github.com/disruptkit/disruptkit/cmd/internal/tell"
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

// summary describes how many may be disrupted for each reason, and what blocks most nodes.
func (t *table) summary() {
	g := t.grid("REASON", "ALLOWED NOW", "BLOCKED", "NEXT SCHEDULED CHANGE").AlignRight(1, 2)
	held := map[string]map[string]bool{} // the nodes by what blocks them
	for _, d := range t.decisions {
		may := fmt.Sprint(len(d.Allowed))
		if unsure(d.Reason) && len(d.Allowed) > 0 {
			may = "0 to " + may
		}
		g.Add(string(d.Reason), may, fmt.Sprint(len(d.Blocked)), t.clock.until(d.NextChange))
		for _, c := range d.Blocked {
			for _, b := range c.Blockers {
				code := string(b.Gate) + "/" + string(b.Code)
				if held[code] == nil {
					held[code] = map[string]bool{}
				}
				held[code][c.Node] = true
			}
		}
	}
	t.line("\n%s", trimmed(g))
	if text := expiring.Text(t.expiring(), t.clock.whenever); text != "" {
		t.line("\n%s", tell.Wrap(text+".", ""))
	}
	if text := t.cluster.Interrupted(t.in.Nodes); text != "" {
		t.line("\n%s", tell.Wrap(text+".", ""))
	}
	if len(held) == 0 {
		return
	}
	codes := slices.SortedFunc(maps.Keys(held), func(a, b string) int {
		return cmp.Or(len(held[b])-len(held[a]), cmp.Compare(a, b))
	})
	g = t.grid("MOST NODES ARE BLOCKED BY", "NODES", "WHAT IT MEANS").AlignRight(1)
	for _, code := range codes[:min(len(codes), mostCodes)] {
		gate, name, _ := strings.Cut(code, "/")
		g.Add(code, fmt.Sprint(len(held[code])), meaning(candidate.Gate(gate), name))
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
