package timetable

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/internal/picture"
	"github.com/disruptkit/disruptkit/internal/wording"
	"github.com/disruptkit/disruptkit/schedule"
)

// The most of texts and lists that come from elsewhere, so that what is drawn stays bounded.
const (
	longestName   = 60 // characters
	longestBudget = 160
	longestFault  = 2000
	mostNamed     = 6 // budgets, or amounts
)

func named(reason candidate.Reason) string {
	if reason == "" {
		return "any reason"
	}
	return picture.Short(string(reason), longestName)
}

// title returns the reasons of a chart.
func (c chart) title() string { return listed(c.reasons, named) }

// listed names some of a list: "a, b, c and 4 more".
func listed[T any](list []T, name func(T) string) string {
	var names []string
	for i, e := range list {
		if i == mostNamed && len(list) > mostNamed+1 {
			return strings.Join(names, ", ") + fmt.Sprintf(" and %d more", len(list)-i)
		}
		names = append(names, name(e))
	}
	return strings.Join(names, ", ")
}

// length returns "8h", "8h30m", "10m" or, where there are any, seconds.
func length(d time.Duration) string {
	text := d.Round(time.Second).String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}

// hour returns a time of day: "09:00", or "24:00".
func hour(d time.Duration) string {
	text := fmt.Sprintf("%02d:%02d", d/time.Hour, d%time.Hour/time.Minute)
	if s := d % time.Minute; s != 0 {
		text += fmt.Sprintf(":%02d", s/time.Second)
	}
	return text
}

// String returns "Mon 23 Nov 17:00 to Tue 24 Nov 09:00 UTC", with two zones where the clock changes in between.
func (s span) String() string {
	const minutes, seconds = "Mon 2 Jan 15:04", "Mon 2 Jan 15:04:05"
	layout := minutes
	if s.from.Second() != 0 || s.to.Second() != 0 {
		layout = seconds
	}
	_, a := s.from.Zone()
	_, b := s.to.Zone()
	if a == b {
		return s.from.Format(layout) + " to " + zoned(s.to, layout)
	}
	return zoned(s.from, layout) + " to " + zoned(s.to, layout)
}

// zoned returns a time with its zone, such as CET. Callers may have made zones with long names.
func zoned(t time.Time, layout string) string {
	zone, _ := t.Zone()
	return t.Format(layout) + " " + picture.Short(zone, 10)
}

// dates returns "Mon 23 to Sun 29 Nov 2026", with the months and years that it takes.
func (s sheet) dates() string {
	last := s.date.AddDate(0, 0, 6)
	layout := "Mon 2"
	switch {
	case s.date.Year() != last.Year():
		layout = "Mon 2 Jan 2006"
	case s.date.Month() != last.Month():
		layout = "Mon 2 Jan"
	}
	return s.date.Format(layout) + " to " + last.Format("Mon 2 Jan 2006")
}

func (s sheet) zone() string { return picture.Short(s.week.from.Location().String(), longestName) }

func (s sheet) subtitle() string {
	return fmt.Sprintf("%s. %s, %s.", wording.Count(s.nodes, "node"), s.dates(), s.zone())
}

// summary returns what a week comes to: "closed for 80h, 10 of 100 for 88h".
func (s sheet) summary(spans []budget.Segment, within span) string {
	text := listed(totals(spans, within), func(t total) string { return amount(t.nodes, s.nodes) + " for " + length(t.length) })
	var paced time.Duration
	for _, p := range spans {
		if p.Paces != 0 {
			paced += span{p.Start, p.End}.cut(within).length()
		}
	}
	if paced > 0 {
		text += "; at a pace for " + length(paced)
	}
	return text
}

// tip returns the whole text of a block, for people who point at it.
func (s sheet) tip(b block) string {
	first, last := b.parts[0], b.parts[len(b.parts)-1]
	within := slices.DeleteFunc(slices.Clone(b.parts), func(p budget.Segment) bool {
		return !p.End.After(b.span.from) || !p.Start.Before(b.span.to)
	})
	switch {
	case b.mixed:
		var binding budget.Indexes
		for _, p := range within {
			binding |= p.Binding | p.Paces
		}
		text := fmt.Sprintf("%v: mixed, %d spans: %s", b.span, len(within), s.summary(within, b.span))
		if binding != 0 {
			text += "; by " + s.by(binding, b.span)
		}
		for _, e := range schedule.Events(b.pauses...).Events(b.span.bounds()) {
			text += ", " + picture.Short(e.Name, longestBudget)
		}
		return text
	case len(b.parts) == 1:
		return s.told(first, b.pauses)
	}
	text := fmt.Sprintf("%v: %s", span{first.Start, last.End}, amount(first.Nodes, s.nodes))
	for i, p := range within {
		if i == mostNamed && len(within) > mostNamed+1 {
			return text + fmt.Sprintf("\nand %d more spans", len(within)-i)
		}
		text += fmt.Sprintf("\n%v: %s", span{p.Start, p.End}, s.why(p, b.pauses))
	}
	return text
}

// told returns the whole text of a span.
func (s sheet) told(p budget.Segment, pauses []schedule.Event) string {
	text := fmt.Sprintf("%v: %s", span{p.Start, p.End}, amount(p.Nodes, s.nodes))
	if p.Nodes > 0 && p.Nodes != budget.Unlimited {
		text += " nodes"
	}
	return text + ", " + s.why(p, pauses)
}

// why describes what sets the amount of a span, and at which pace nodes start.
func (s sheet) why(p budget.Segment, pauses []schedule.Event) string {
	within := span{p.Start, p.End}
	var texts []string
	switch {
	case p.Nodes == budget.Unlimited && p.Paces != 0:
		texts = append(texts, "since no budget limits how many go at once")
	case p.Nodes == budget.Unlimited:
		texts = append(texts, "since no budget for it is active")
	}
	if p.Binding != 0 {
		texts = append(texts, "by "+s.by(p.Binding, within))
	}
	for _, e := range schedule.Events(pauses...).Events(within.bounds()) {
		texts = append(texts, picture.Short(e.Name, longestBudget))
	}
	if p.Paces != 0 {
		texts = append(texts, "at the pace of "+s.by(p.Paces, within))
	}
	return strings.Join(texts, ", ")
}

// by names budgets: where they are written, what they say, and what takes place in their calendars.
func (s sheet) by(binding budget.Indexes, within span) string {
	list := s.pool.Budgets.Budgets()
	return listed(slices.Collect(binding.All()), func(i int) string {
		place := s.pool.place(i)
		if i >= len(list) {
			return place
		}
		text := place + ": " + picture.Short(list[i].String(), longestBudget)
		if names := eventNames(s.pool.Budgets.Events(i, within.bounds())); len(names) > 0 {
			text += " for " + listed(names, strings.Clone)
		}
		if s.pool.Budgets.Broken().Has(i) {
			text += ", which is broken"
		}
		return text
	})
}

// place names a budget by where it is written.
func (p *Pool) place(i int) string { return picture.Short(p.Budgets.Place(i), longestName) }

// broken names the budgets that are broken; "" is none.
func (s sheet) broken() string {
	broken := slices.Collect(s.pool.Budgets.Broken().All())
	if len(broken) == 0 {
		return ""
	}
	return "Invalid, and allows nothing: " + listed(broken, s.pool.place) + "."
}

// notes are what is to be known of all charts of a sheet, beside what is broken.
func (s sheet) notes() []string {
	var notes, places []string
	if s.pool.Note != "" {
		notes = append(notes, s.pool.Note)
	}
	for i, b := range s.pool.Budgets.Budgets() {
		if b.TopologyKey != "" && !s.pool.Budgets.Broken().Has(i) {
			places = append(places, s.pool.place(i))
		}
	}
	if len(places) > 0 {
		notes = append(notes, "Not drawn, since budgets with a topologyKey limit single zones: "+listed(places, strings.Clone)+".")
	}
	if s.nodes == 0 {
		notes = append(notes, "Of 0 nodes, a percentage is 0.")
	}
	for _, r := range runs(s.date, s.week) {
		if text := changed(r.span.to); text != "" && r.span.to.Before(s.week.to) {
			notes = append(notes, text)
		}
	}
	return notes
}

// changed describes how the clock changes at a time, if it does.
func changed(at time.Time) string {
	before := at.Add(-1)
	_, a := before.Zone()
	_, b := at.Zone()
	shown := before.Truncate(time.Second).Add(time.Second).In(time.FixedZone("", a)) // as if it had not changed
	from, to := shown.Format("15:04"), at.Format("15:04")
	switch {
	case a < b:
		return fmt.Sprintf("On %s the clock goes forward from %s to %s: the time in between is left empty.", before.Format("Mon 2 Jan"), from, to)
	case a > b:
		return fmt.Sprintf("On %s the clock goes back from %s to %s: the repeated time is split in two, with the first pass on the left.",
			before.Format("Mon 2 Jan"), from, to)
	}
	return ""
}

// notes are what is to be known of the reasons of a chart.
func (c chart) notes(pool *Pool) []string {
	var never, expired []candidate.Reason
	for _, r := range c.reasons {
		if pool.Budgets.DisruptAfter(r) == candidate.Forever {
			never = append(never, r)
		}
		if r.Method() == candidate.Expired {
			expired = append(expired, r)
		}
	}
	var notes []string
	if len(never) > 0 {
		notes = append(notes, "Whatever the budgets allow, no node is disrupted for "+listed(never, named)+": a policy of the pool is Never.")
	}
	if len(expired) > 0 && !pool.AsksToExpire {
		notes = append(notes, "Karpenter consults no budget before it expires a node; this is for autoscalers that do.")
	}
	return notes
}
