package decide

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/internal/tell"
	"github.com/disruptkit/disruptkit/internal/wording"
)

// How much of each list the first screen has.
const (
	mostInUse   = 2
	mostBlocked = 3
	mostNext    = 3
	mostKilled  = 1
)

// overview prints the first screen: how many may be disrupted, and which first, who is in flight and what holds it, who
// leaves whatever is decided, and what blocks most nodes.
func (t *table) overview() {
	t.head()
	if slices.ContainsFunc(t.decisions, func(d disruptkit.Decision) bool { commands, _ := t.stores(d); return len(commands) > 0 }) {
		t.line("Before you drain by this, store what -v shows.")
	}
	t.reasons(slices.DeleteFunc(slices.Clone(t.decisions), func(d disruptkit.Decision) bool { return !t.shows(d) }))
	t.next()
	t.open()
	t.longest()
	t.despite()
	t.leaving()
	t.blockedBy(mostBlocked)
	text := tell.First(t.String(), "-v shows all; --pool or --reason a part of it; why NODE all of a node.", tell.FirstScreen)
	t.Reset()
	t.WriteString(text)
}

// open names the pools of allowed nodes that no budget limits now, and when one will.
func (t *table) open() {
	pools := map[string][]string{}
	for _, d := range t.decisions {
		for _, p := range d.Pools {
			text := t.unlimited(p)
			allowed := func(c candidate.Candidate) bool { return c.Pool == p.Pool }
			if text != "" && !p.Until.IsZero() && slices.ContainsFunc(d.Allowed, allowed) && !slices.Contains(pools[text], wording.Quote(p.Pool)) {
				pools[text] = append(pools[text], wording.Quote(p.Pool))
			}
		}
	}
	for _, text := range slices.Sorted(maps.Keys(pools)) {
		t.line("%s", tell.Wrap(wording.Some(pools[text], mostNext)+": "+text, "  "))
	}
}

// despite names the allowed nodes with pods that something holds, and that are killed when a grace period ends.
func (t *table) despite() {
	var all []string
	for _, d := range t.decisions {
		for _, c := range d.Allowed {
			if holds := t.holds(c.Node); len(holds) > 0 {
				pods := wording.List(holds, mostKilled, func(b candidate.Blocker) string { return b.Pod })
				all = append(all, fmt.Sprintf("%s (such as %s, %s after its drain begins)", wording.Quote(c.Node), pods,
					wording.Duration(t.cluster.Grace(candidate.Node{Name: c.Node}))))
			}
		}
	}
	if len(all) > 0 {
		t.line("%s", tell.WrapNarrow("Allowed, although protected pods are then killed: "+wording.Some(all, mostNext)+".", "  "))
	}
}

// longest lists the nodes that have used up budgets for the longest time.
func (t *table) longest() {
	since := func(n *candidate.Node) int64 {
		s := t.cluster.Standing(*n)
		for _, at := range []int64{s.Deleted.Unix(), s.Disrupted.Unix(), s.Since.Unix()} {
			if at > 0 {
				return at
			}
		}
		return t.in.Now.Unix()
	}
	nodes := t.using()
	slices.SortStableFunc(nodes, func(a, b *candidate.Node) int {
		return cmp.Or(cmp.Compare(since(a), since(b)), cmp.Compare(a.Name, b.Name))
	})
	if len(nodes) == 0 {
		return
	}
	shown := min(len(nodes), mostInUse)
	t.line("\n%s", trimmed(t.inUse(nodes[:shown])))
	if more := len(nodes) - shown; more > 0 {
		t.line("and %d more, of a shorter time", more)
	}
}

// next names the nodes that may be disrupted first, for each reason, on a line.
func (t *table) next() {
	begun := false
	for _, d := range t.decisions {
		if len(d.Allowed) == 0 {
			continue
		}
		if !begun {
			t.line("")
		}
		begun = true
		may := "allowed now"
		if unsure(d.Reason) {
			may = "budgets would allow now"
		}
		line := func(most int) string {
			return fmt.Sprintf("%s, %s: %s", d.Reason, may,
				wording.List(d.Allowed, most, func(c candidate.Candidate) string { return wording.Quote(c.Node) }))
		}
		most := mostNext
		for most > 1 && strings.Contains(tell.WrapNarrow(line(most), ""), "\n") {
			most--
		}
		t.line("%s", tell.WrapNarrow(line(most), "  "))
	}
}
