package lint

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/stray"
	"github.com/disruptkit/disruptkit/internal/wording"
	"github.com/disruptkit/disruptkit/schedule"
)

// Meant returns what the wrong value of a field was meant to be, such as Drifted for drifted, or "" if that is not
// obvious. The Warning is one of budget.Set.Warnings, or of a program that could not even read the value.
func Meant(w candidate.Warning) (text string) {
	value := strings.Trim(w.Value, `"`)
	switch field := w.Field[strings.LastIndex(w.Field, ".")+1:]; {
	case field == "consolidationPolicy":
		text = stray.MeantPolicy(value)
	case field == "consolidateAfter", field == "expireAfter", field == "terminationGracePeriod", field == "duration":
		text = wording.MeantDuration(value)
	case !strings.Contains(w.Field, "budgets["):
	case field == "nodes":
		text = wording.MeantNodes(value)
	case field == "schedule":
		text = meantSchedule(value, w.Message)
	case strings.HasPrefix(field, "reasons["):
		text = wording.MeantMethod(value)
	}
	return text
}

var invalidPart = regexp.MustCompile(`"([^" ]+)" is not valid: write "([^" ]+)"`)

// meantSchedule returns a schedule with plain characters, and with the parts that a message says to write.
func meantSchedule(value, message string) string {
	text, _ := wording.Plain(strings.TrimSpace(value))
	if strings.HasPrefix(text, "@") {
		text = strings.ToLower(text)
	}
	fields := strings.Fields(text)
	for _, m := range invalidPart.FindAllStringSubmatch(message, -1) {
		if i := slices.Index(fields, m[1]); i >= 0 {
			fields[i] = m[2]
		}
	}
	text = strings.Join(fields, " ")
	if _, err := schedule.Parse(text, time.Hour, ""); err != nil {
		return ""
	}
	return text
}

// respelling returns what to do about the wrong values of a budget: to write what they were meant to be, if that is
// obvious of all of them. The text says what is wrong, and what to write.
func (l *linter) respelling(i int, text string) remedy {
	wrong, instead, _ := strings.Cut(text, ": write ")
	r := remedy{lead: wrong + ": ", otherwise: "write " + instead}
	if instead == "" {
		r = remedy{otherwise: text}
	}
	b := l.list[i]
	b.Reasons = slices.Clone(b.Reasons)
	for _, w := range l.warnings {
		if !l.at(w.Field).Has(i) {
			continue
		}
		meant, field := Meant(w), strings.TrimPrefix(w.Field, l.set.Place(i)+".")
		switch field {
		case "nodes":
			b.Nodes = meant
		case "duration":
			b.Duration = meant
		case "schedule":
			b.Schedule = meant
		default:
			at := 0
			if _, err := fmt.Sscanf(field, "reasons[%d]", &at); err == nil && at < len(b.Reasons) {
				b.Reasons[at] = candidate.Reason(meant)
			}
		}
		if meant == "" {
			return r
		}
	}
	r.ways = []way{{edits: l.replacing(i, b), obvious: true, raises: true}}
	return r
}
