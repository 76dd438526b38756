package lint

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
)

var ruleUnevenSteps = Rule{
	Code:    CodeUnevenSteps,
	Means:   "Steps start again with each hour, day or month, so the last gap is shorter.",
	Example: `schedule: "*/90 * * * *" hits once an hour, and "0 0 */14 * *" on the 1st, the 15th and the 29th.`,
	Do:      "Write out the times, or steps that divide 60 minutes, 24 hours or the days evenly.",
}

// stepPattern matches a field that is a single step: "*/14", "0/14" or "9-17/20".
var stepPattern = regexp.MustCompile(`^(?:[*?]|([0-9]{1,2})(?:-([0-9]{1,2}))?)/([0-9]{1,9})$`)

// A cycle is the range of a cron field. Steps start again with each cycle.
type cycle struct {
	names   string // the unit, plural
	of      string // the cycle, such as "hour"
	min     int
	lengths []int // units in a cycle; months have different lengths
	advice  string
}

var cycles = [5]cycle{
	{"minutes", "hour", 0, []int{60}, "write a step that divides 60, such as */30, or list the minutes"},
	{"hours", "day", 0, []int{24}, "write a step that divides 24, such as */8, or list the hours"},
	{"days", "month", 1, []int{28, 29, 30, 31},
		"list the days, such as 1,15, or write a day of the week: cron cannot count days across months"},
	{"months", "year", 1, []int{12}, "write a step that divides 12, such as */3, or list the months"},
	{"days", "week", 0, []int{7}, "list the days, such as mon,wed,fri"},
}

// unevenSteps finds fields whose steps are not what they seem: */90 minutes hits once an hour, and */14 days hits on
// the 29th and again on the 1st.
func (l *linter) unevenSteps() {
	for _, b := range l.valid {
		e, ok := l.expression(b)
		if !ok {
			continue
		}
		for i, field := range []string{e.minute, e.hour, e.monthDay, e.month, e.weekday} {
			severity, what := cycles[i].uneven(field)
			if what != "" {
				l.add(Finding{Code: CodeUnevenSteps, Severity: severity, Budgets: only(b.Index),
					Message: fmt.Sprintf("%s: the steps of %s start again with each %s, so that %s", l.name(b.Index),
						field, cycles[i].of, what),
					Advice: cycles[i].advice})
			}
		}
	}
}

// uneven says what is wrong with a field's steps, if anything.
func (c cycle) uneven(field string) (severity Severity, what string) {
	m := stepPattern.FindStringSubmatch(field)
	if m == nil {
		return "", ""
	}
	most := slices.Max(c.lengths)
	first, last := c.min, c.min+most-1
	if m[1] != "" {
		first, _ = strconv.Atoi(m[1])
	}
	if m[2] != "" {
		last, _ = strconv.Atoi(m[2])
	}
	step, _ := strconv.Atoi(m[3])
	switch {
	case step < 2 || step == most:
		return "", "" // once in each cycle, as written
	case first+step > last:
		return SeverityWarning, fmt.Sprintf("it hits only once in each, at %d", first)
	case last < c.min+most-1:
		return "", "" // a range that ends on purpose
	}
	shortest := step
	for _, length := range c.lengths {
		end := c.min + length - 1
		shortest = min(shortest, length-(end-first)/step*step)
	}
	if shortest == step {
		return "", ""
	}
	severity = SeverityInfo
	if 2*shortest < step {
		severity = SeverityWarning
	}
	return severity, fmt.Sprintf("the last hit and the next may be only %d of the %d %s apart", shortest, step, c.names)
}
