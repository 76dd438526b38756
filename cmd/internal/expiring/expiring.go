// Package expiring says which nodes expire when. Karpenter asks no budget before it replaces them, so they are part of
// every answer.
package expiring

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/manifest"
	"github.com/disruptkit/disruptkit/internal/wording"
	"github.com/disruptkit/disruptkit/schedule"
)

// A Node is a node that expires.
type Node struct {
	Name   string    `json:"node"`
	Pool   string    `json:"pool"`
	At     time.Time `json:"at"`               // past, if it has expired and is still there
	Over   bool      `json:"-"`                // At is not in the future
	Closed string    `json:"closed,omitempty"` // the budgets that allow no drifted node of its pool then, or now if that is Over: "budgets[1]"; "": none is 0
}

// Compare orders nodes by time, then by name.
func (n Node) Compare(o Node) int { return cmp.Or(n.At.Compare(o.At), cmp.Compare(n.Name, o.Name)) }

// UTC returns the node with its time in UTC, as JSON has it.
func (n Node) UTC() Node {
	n.At = n.At.UTC()
	return n
}

// Of returns the nodes that expire up to a time, by time and name. Nodes that are in flight are left out.
func Of(c *manifest.Cluster, in disruptkit.Input, until time.Time) (all []Node) {
	if !c.Expiring() {
		return nil
	}
	return Planned(c, in, until)
}

// Planned is Of where Pods need not be given: what becomes of the nodes then is another question.
func Planned(c *manifest.Cluster, in disruptkit.Input, until time.Time) (all []Node) {
	for _, n := range in.Nodes {
		at := c.Expires(n)
		if n.Pool == "" || n.InFlight() || at.IsZero() || at.After(until) {
			continue
		}
		all = append(all, Node{Name: n.Name, Pool: n.Pool, At: at.In(in.Now.Location())})
	}
	return Sorted(in, all)
}

// Sorted sorts nodes, and sets Over and Closed.
func Sorted(in disruptkit.Input, all []Node) []Node {
	slices.SortFunc(all, Node.Compare)
	type moment struct {
		pool string
		at   time.Time
	}
	closed, counts := map[moment]string{}, Counts(in)
	for i := range all {
		n := &all[i]
		n.Over = !n.At.After(in.Now)
		of := moment{n.Pool, schedule.Last(n.At, in.Now)}
		text, known := closed[of]
		if !known {
			text = closedAt(in, n.Pool, counts[n.Pool], of.at)
			closed[of] = text
		}
		n.Closed = text
	}
	return all
}

// Counts returns how many nodes the percentages of each pool refer to, as in a decision.
func Counts(in disruptkit.Input) map[string]int {
	counts := map[string]int{}
	for _, n := range in.Nodes {
		counts[n.Pool] = 0
	}
	for _, p := range budget.CountNodes(slices.Sorted(maps.Keys(counts)), in.Nodes, in.Dialect).Pools {
		counts[p.Name] = p.Nodes
	}
	return counts
}

// closedAt names the budgets that allow no drifted node at a time, of a pool with a number of nodes.
func closedAt(in disruptkit.Input, pool string, nodes int, at time.Time) string {
	for _, p := range in.Pools {
		if p.Name != pool {
			continue
		}
		set := p.Budgets.In(in.Dialect)
		a, err := budget.AllowedByReason(set, at, max(nodes, 1), candidate.Drifted)
		if err != nil || a.Nodes > 0 {
			return ""
		}
		var places []string
		for i := range a.Binding.All() {
			places = append(places, set.Place(i))
		}
		return strings.Join(places, ", ")
	}
	return ""
}

// Week is how far ahead answers about the present look.
const Week = 7 * 24 * time.Hour

// mostMoments is how many times a text has.
const mostMoments = 3

// Text reports which nodes expire when: "3 nodes expire by Mon 08:03, whatever budgets say: node-a Sat 10:00, and 2 at once
// Mon 08:03; 2 of them while budgets[1] is 0". It is "" if there are none. Day shows a time.
func Text(all []Node, day func(time.Time) string) string {
	if len(all) == 0 {
		return ""
	}
	verb := " expires"
	switch last := all[len(all)-1]; {
	case last.Over && len(all) == 1:
		verb = " has expired"
	case last.Over:
		verb = "s have expired"
	case len(all) > 1:
		verb = "s expire by " + day(last.At)
	}
	return fmt.Sprintf("%d node%s, whatever budgets say: %s%s", len(all), verb, list(all, day), closed(all))
}

// closed reports how many nodes expire while which budgets allow none; "": none does. It names the pools of the budgets
// where the nodes are of several.
func closed(all []Node) string {
	if len(all) == 1 && all[0].Closed != "" {
		return ", while " + all[0].Closed + " is 0"
	}
	several := slices.ContainsFunc(all, func(n Node) bool { return n.Pool != all[0].Pool })
	var budgets []string
	counts := map[string]int{}
	for _, n := range all {
		text := n.Closed
		if text != "" && several {
			text += " of " + wording.Quote(n.Pool)
		}
		if text != "" && counts[text] == 0 {
			budgets = append(budgets, text)
		}
		counts[text]++
	}
	if len(budgets) == 0 {
		return ""
	}
	of := " of them"
	for i, text := range budgets {
		budgets[i] = fmt.Sprintf("%d%s while %s is 0", counts[text], of, text)
		of = ""
	}
	return "; " + wording.Some(budgets, mostMoments)
}

// list names the first nodes that expire, and says how many more there are.
func list(all []Node, day func(time.Time) string) string {
	var texts []string
	named := 0
	for _, together := range moments(all) {
		if len(texts) == mostMoments {
			texts = append(texts, fmt.Sprintf("and %d more", len(all)-named))
			break
		}
		text := fmt.Sprintf("%d at once %s", len(together), day(together[0].At))
		if len(together) == 1 {
			text = wording.Quote(together[0].Name) + " " + day(together[0].At)
		}
		texts, named = append(texts, text), named+len(together)
	}
	return strings.Join(texts, ", ")
}

// moments returns nodes that expire within the same minute together.
func moments(all []Node) (together [][]Node) {
	for _, n := range all {
		if last := len(together) - 1; last >= 0 && n.At.Truncate(time.Minute).Equal(together[last][0].At.Truncate(time.Minute)) {
			together[last] = append(together[last], n)
			continue
		}
		together = append(together, []Node{n})
	}
	return together
}
