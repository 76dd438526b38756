package forecast

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/budget/lint"
	"github.com/disruptkit/disruptkit/cmd/engine"
	"github.com/disruptkit/disruptkit/cmd/internal/tell"
	"github.com/disruptkit/disruptkit/internal/wording"
	"github.com/disruptkit/disruptkit/schedule"
)

// printText prints all of it, or, if that is long and of several pools, a line for each of them.
func printText(w io.Writer, r report) error {
	out := &bytes.Buffer{}
	t := text{out, r.zone, "A week", r.Now}
	if r.from.AddDate(0, 0, 7).Before(r.to) {
		t.span = "The first week"
	}
	const layout = "Mon 2006-01-02 15:04"
	from, to := onClock(r.from, layout), onClock(r.to.In(r.zone), layout)
	fmt.Fprintln(out, r.Policy.As.Title())
	fmt.Fprintf(out, "%s to %s; all times are %s\n", from, to, r.zone)
	head := out.String()
	for _, p := range r.pools {
		name := p.title(r.pools)
		fmt.Fprintf(t, "\n%s\n%s\n", name, strings.Repeat("=", utf8.RuneCountInString(name)))
		t.budgets(p)
		fmt.Fprintln(t, r.size(p))
		if expiry := p.expiry(t.zone); expiry != "" {
			fmt.Fprintln(t, tell.Wrap(expiry+".", "  "))
		}
		for _, g := range p.groups(p.reasons, p.sameTimeline) {
			t.segments(p, g)
		}
		t.findings(p)
		t.glances(p)
	}
	if len(r.pools) > 1 && !r.verbose && r.Pool == "" && !tell.Fits(out.String()) {
		out.Reset()
		out.WriteString(head)
		t.overview(r)
		first := tell.First(out.String(), "-v shows all, hour by hour; --pool NAME one of them.", tell.FirstScreen)
		out.Reset()
		out.WriteString(first)
	}
	_, err := w.Write(out.Bytes())
	return err
}

// A text is what is printed for people.
type text struct {
	io.Writer
	zone *time.Location
	span string // that is shown at a glance
	now  time.Time
}

// budgets prints what is written.
func (t text) budgets(p *pool) {
	words := p.words()
	for _, b := range words {
		fmt.Fprintln(t, b)
	}
	for _, pause := range p.zonePauses() {
		fmt.Fprintf(t, "Not in the timeline, which is of the whole pool: %s\n", pause)
	}
	switch {
	case p.rejected():
		fmt.Fprintln(t, "The API server rejects this NodePool: what was stored before stays in force.")
	case len(words) == 0:
		fmt.Fprintln(t, "It has no budgets.")
	case p.budgets.MostSpecific():
		fmt.Fprintln(t, "Of the active budgets, the most specific decide: for a child reason, for its method, for all.")
	case len(words) > 1:
		fmt.Fprintln(t, "Of the active budgets, the most restrictive decides.")
	}
	first := map[string]string{"newest": "newest node", "cheapest": "cheapest node", "rank": "node with the lowest rank"}
	if who := first[p.budgets.Order()]; who != "" {
		fmt.Fprintf(t, "The %s goes first.\n", who)
	}
}

// words returns a line for each budget. Where the API server rejects the NodePool, there are none: the defaults stand in for them.
func (p *pool) words() []string {
	words := []string{}
	if p.rejected() {
		return words
	}
	unread := p.unread()
	for i, b := range p.budgets.Budgets() {
		line := p.where(i) + ": " + b.String()
		switch {
		case unread.Has(i):
			line = p.where(i) + ": invalid"
		case p.budgets.Broken().Has(i):
			line += ": invalid"
		case p.quirkOf(i) != "":
			line += ": " + p.quirkOf(i)
		case b.TopologyKey != "":
			line += ": for each of them, within what the whole pool allows"
		case len(p.Spec.Budgets) == 0 && p.where(i) == "budgets[0]":
			line += ": the default, since none is written"
		}
		words = append(words, line)
	}
	return words
}

// quirkOf describes what stock Karpenter makes of a budget, where nobody would think so.
func (p *pool) quirkOf(i int) string {
	if p.As != engine.Karpenter {
		return ""
	}
	for _, f := range p.findings {
		switch {
		case !f.Budgets.Has(i):
		case f.Code == lint.CodeForNothing:
			return "for no reason, so it limits nothing"
		case f.Code == lint.CodeNeverCloses:
			return "always active"
		}
	}
	return ""
}

// segments prints the timeline of reasons.
func (t text) segments(p *pool, g group) {
	fmt.Fprintf(t, "\n%s", g.names())
	if p.rejected() {
		fmt.Fprintln(t, ": not known, since this NodePool is not in force")
		return
	}
	if why := p.never(g.reasons[0]); why != "" {
		fmt.Fprintf(t, ": never, since %s\n", why)
		return
	}
	if after := p.disruptAfter(g.reasons[0]); after > 0 {
		fmt.Fprintf(t, ", once the reason has held for %s", short(after))
	}
	if age := p.budgets.Minimum(g.reasons[0]).Age; age > 0 {
		fmt.Fprintf(t, ", once the node is %s old", short(age))
	}
	fmt.Fprintln(t, p.overdue(g.reasons[0]))
	layout := layoutOf(g.timeline)
	time := func(at time.Time) string { return onClock(at.In(t.zone), layout) }
	table := tell.NewGrid("FROM", "TO", "HOW LONG", "ALLOWED", "SET BY").Keep(0, 1, 2, 3)
	for _, s := range g.timeline {
		by := append(p.whoPaused(g.reasons[0], s.Span), p.names(s.Binding, s.Span)...)
		for _, pace := range p.names(s.Paces, s.Span) {
			pace = "at the pace of " + pace
			if len(by) > 0 {
				pace = "and " + pace
			}
			by = append(by, pace)
		}
		if len(by) == 0 {
			by = []string{"no budget is active for it"}
		}
		var marks []string
		if !t.now.IsZero() && !t.now.Before(s.Start) && t.now.Before(s.End) {
			marks = append(marks, "now")
		}
		if n := p.expiring(s.Span, t.now); n == 1 {
			marks = append(marks, "1 expires")
		} else if n > 1 {
			marks = append(marks, fmt.Sprintf("%d expire", n))
		}
		lasts := short(s.End.Sub(s.Start))
		if len(marks) > 0 {
			lasts += " ← " + strings.Join(marks, ", ")
		}
		table.Add(time(s.Start), time(s.End), lasts, amount(s.Nodes), by[0])
		for _, name := range by[1:] {
			table.Add(" ", " ", " ", " ", name)
		}
	}
	fmt.Fprint(t, table)
}

// onClock returns a time as the clock of its zone shows it: with its offset, where the clock is put back and shows it twice.
func onClock(at time.Time, layout string) string {
	_, offset := at.Zone()
	start, end := at.ZoneBounds()
	_, before := start.Add(-1).Zone()
	_, after := end.Zone()
	again := func(seconds int) time.Duration { return time.Duration(seconds) * time.Second } // for how long the clock repeats itself
	switch {
	case !start.IsZero() && at.Sub(start) < again(before-offset), !end.IsZero() && end.Sub(at) <= again(offset-after):
		return at.Format(layout + " -07:00")
	}
	return at.Format(layout)
}

// layoutOf returns how times are written: without the year where there is only one that they can be of.
func layoutOf(timeline []budget.Segment) string {
	if timeline[len(timeline)-1].End.Sub(timeline[0].Start) < 360*24*time.Hour {
		return "Mon 02 Jan 15:04"
	}
	return "Mon 02 Jan 2006 15:04"
}

// names returns what the binding budgets say, and which events of their calendars are within a span.
func (p *pool) names(binding budget.Indexes, within schedule.Span) (names []string) {
	all := p.budgets.Budgets()
	for i := range binding.All() {
		name := p.where(i) + ": " + all[i].String() + p.events(i, within)
		if p.budgets.Broken().Has(i) {
			name = p.where(i) + ", which is invalid"
		}
		names = append(names, name)
	}
	return names
}

// amount returns a number of nodes.
func amount(nodes int) string {
	if nodes == budget.Unlimited {
		return "unlimited"
	}
	return strconv.Itoa(nodes)
}

// findings prints the probable mistakes.
func (t text) findings(p *pool) {
	if len(p.findings) == 0 {
		fmt.Fprintln(t, "\nFindings: none")
		return
	}
	fmt.Fprintln(t, "\nFindings")
	for _, f := range p.findings {
		var places []string
		for _, place := range f.Places {
			places = append(places, place.String())
		}
		at := cmp.Or(strings.Join(places, ", "), wording.Quote(p.Name))
		fmt.Fprintln(t, tell.Wrap(fmt.Sprintf("- %s %s, %s: %s", f.Severity, f.Code, at, f.Message), "  "))
		if f.Advice != "" {
			fmt.Fprintln(t, tell.Wrap("  → "+f.Advice, "    "))
		}
	}
}

// short returns a duration in days, hours and minutes: 2d16h, 16h, 10m.
func short(d time.Duration) string {
	const day = 24 * time.Hour
	var text string
	for _, unit := range []struct {
		of   time.Duration
		name string
	}{{day, "d"}, {time.Hour, "h"}, {time.Minute, "m"}, {time.Second, "s"}} {
		if n := d / unit.of; n > 0 {
			text += fmt.Sprintf("%d%s", n, unit.name)
			d -= n * unit.of
		}
	}
	return cmp.Or(text, "0s")
}
