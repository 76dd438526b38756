package tell

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/wording"
	"github.com/disruptkit/disruptkit/schedule"
)

// A Cause is a code, and the nodes that it blocks.
type Cause struct {
	Code  string // with its gate: budget/exhausted
	Nodes int
	Such  string    // the first of these nodes, and the message of its blocker
	Lifts time.Time // when time alone lifts the first of these blockers; zero: time lifts none
}

// Blocked counts the nodes that each code blocks, the code of most nodes first, and all nodes that something blocks. A node that is in flight, or that
// may be disrupted for one of its reasons, is not blocked. (Whether a node is consolidated is Karpenter's choice.)
func Blocked(nodes []candidate.Node, decisions []disruptkit.Decision) (causes []*Cause, blocked int) {
	leaves := map[string]bool{}
	for i := range nodes {
		leaves[nodes[i].Name] = leaves[nodes[i].Name] || nodes[i].InFlight()
	}
	for _, d := range decisions {
		for _, c := range d.Allowed {
			leaves[c.Node] = leaves[c.Node] || !candidate.Underutilized.Covers(d.Reason)
		}
	}
	by, counted := map[string]*Cause{}, map[[2]string]bool{}
	for _, d := range decisions {
		for _, c := range d.Blocked {
			if leaves[c.Node] {
				continue
			}
			if all := [2]string{c.Node}; !counted[all] {
				counted[all] = true
				blocked++
			}
			for _, b := range c.Blockers {
				code := string(b.Gate) + "/" + string(b.Code)
				cause, known := by[code]
				if !known {
					cause = &Cause{Code: code, Such: wording.Quote(c.Node) + ": " + b.Message}
					by[code], causes = cause, append(causes, cause)
				}
				if id := [2]string{c.Node, code}; !counted[id] {
					counted[id] = true
					cause.Nodes++
				}
				cause.Lifts = schedule.First(cause.Lifts, b.Until)
			}
		}
	}
	slices.SortFunc(causes, func(a, b *Cause) int { return cmp.Or(b.Nodes-a.Nodes, strings.Compare(a.Code, b.Code)) })
	return causes, blocked
}
