package lint

import (
	"fmt"
	"strings"
	"time"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/wording"
	"github.com/disruptkit/disruptkit/schedule"
)

// enumerate returns "a", "a and b", or "a, b and c".
func enumerate(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " and " + words[last]
}

// reasonsText returns "Drifted and Empty", or "any reason" without reasons.
func reasonsText(reasons []candidate.Reason) string {
	if len(reasons) == 0 {
		return "any reason"
	}
	texts := make([]string, len(reasons))
	for i, r := range reasons {
		texts[i] = string(r)
	}
	return enumerate(texts)
}

func plural(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// name returns "budgets[0] (10%)".
func (l *linter) name(i int) string {
	return fmt.Sprintf("%s is %s", l.set.Place(i), l.list[i])
}

// names returns the names of several budgets.
func (l *linter) names(which budget.Indexes) string {
	var names []string
	for i := range which.All() {
		names = append(names, l.name(i))
	}
	return enumerate(names)
}

// time returns "Mon 2026-11-23 05:00 UTC".
func (l *linter) time(t time.Time) string {
	layout := "Mon 2006-01-02 15:04 MST"
	if t = t.In(l.now.Location()); t.Second() != 0 && !t.Equal(l.now) && !t.Equal(l.end) {
		layout = "Mon 2006-01-02 15:04:05 MST"
	}
	return t.Format(layout)
}

// span returns "from Mon 2026-11-23 05:00 UTC to Mon 2026-11-30 01:00 UTC", or a part of it if a bound is missing.
func (l *linter) span(s schedule.Span) string {
	switch {
	case s.Start.IsZero() && s.End.IsZero():
		return "at all times"
	case s.Start.IsZero():
		return "up to " + l.time(s.End)
	case s.End.IsZero():
		return "from " + l.time(s.Start) + " on"
	}
	return "from " + l.time(s.Start) + " to " + l.time(s.End)
}

// roughly returns a duration in hours and minutes.
func roughly(d time.Duration) string { return wording.Duration(d.Round(time.Minute)) }
