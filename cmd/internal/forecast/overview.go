package forecast

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/budget/lint"
	"github.com/disruptkit/disruptkit/cmd/internal/tell"
)

// found returns how many findings of a severity a pool has.
func (p *pool) found(s lint.Severity) (n int) {
	for _, f := range p.findings {
		if f.Severity == s {
			n++
		}
	}
	return n
}

// overview prints a line for each pool and what is allowed alike: how many nodes may be disrupted now, or first, until
// when, and how many after that. Pools with errors come first. It is for several pools, whose details are many pages.
func (t text) overview(r report) {
	g := tell.NewGrid("NODEPOOL", "NODES", "ALLOWED", "UNTIL", "THEN", "CLOSED FOR", "REASONS").AlignRight(1, 2, 4).Keep(3, 5)
	for _, p := range worst(r.pools) {
		for i, of := range p.groups(p.reasons, p.sameNumbers) {
			name, nodes := p.title(r.pools), fmt.Sprint(p.nodes)
			if p.assumed {
				nodes = "assumed " + nodes
			}
			if i > 0 {
				name, nodes = " ", " "
			}
			if p.rejected() {
				g.Add(name, nodes, "?", "", "", "", "rejected by the API server: not in force")
				break
			}
			if why := p.never(of.reasons[0]); why != "" {
				g.Add(name, nodes, "0", "", "", "", of.names()+": never")
				continue
			}
			allowed, until, then := t.present(numbers(of.timeline))
			g.Add(name, nodes, allowed, until, then, closedFor(of.timeline), of.names())
		}
	}
	fmt.Fprintf(t, "\n%s", g)
	gap := "\n"
	for _, p := range r.pools {
		if text := p.expiry(t.zone); text != "" {
			fmt.Fprintln(t, gap+tell.Wrap(p.title(r.pools)+": "+text+".", "  "))
			gap = ""
		}
	}
	t.counts(r.pools)
}

// present returns how many nodes may be disrupted now, or when the forecast begins, and the next change of that.
func (t text) present(timeline []budget.Segment) (allowed, until, then string) {
	i := max(0, slices.IndexFunc(timeline, func(s budget.Segment) bool { return t.now.Before(s.End) }))
	allowed = amount(timeline[i].Nodes)
	if i+1 < len(timeline) {
		until, then = onClock(timeline[i].End.In(t.zone), layoutOf(timeline)), amount(timeline[i+1].Nodes)
	}
	return allowed, until, then
}

// closedFor returns for how long no node is allowed.
func closedFor(timeline []budget.Segment) string {
	closed := time.Duration(0)
	for _, s := range timeline {
		if s.Nodes == 0 {
			closed += s.End.Sub(s.Start)
		}
	}
	if closed == 0 {
		return ""
	}
	return short(closed)
}

// worst returns pools, those with errors first, then those with warnings.
func worst(pools []*pool) []*pool {
	pools = slices.Clone(pools)
	slices.SortStableFunc(pools, func(a, b *pool) int {
		return cmp.Or(b.found(lint.SeverityError)-a.found(lint.SeverityError), b.found(lint.SeverityWarning)-a.found(lint.SeverityWarning))
	})
	return pools
}

// counts prints how many findings of each severity the pools have.
func (t text) counts(pools []*pool) {
	var words []string
	for _, severity := range []lint.Severity{lint.SeverityError, lint.SeverityWarning, lint.SeverityInfo} {
		n := 0
		for _, p := range pools {
			n += p.found(severity)
		}
		if n > 0 {
			words = append(words, fmt.Sprintf("%d %s", n, severity))
		}
	}
	if len(words) == 0 {
		words = []string{"none"}
	}
	fmt.Fprintf(t, "\nFindings, which kubectl disruption lint explains: %s\n", strings.Join(words, ", "))
}
