package schedule

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/robfig/cron/v3"

	"github.com/disruptkit/disruptkit/internal/wording"
)

// ErrNeverHits is wrapped by the error for an expression that can never hit, such as "0 0 30 2 *".
var ErrNeverHits = errors.New("never hits")

// Parse compiles a window that opens whenever the cron expression hits, and stays open for d.
//
// The expression has five fields (minute, hour, day of month, month, day of week), or is one of @yearly, @annually,
// @monthly, @weekly, @daily, @midnight and @hourly. As in Kubernetes, months and weekdays may be written as
// three-letter names, and ? means *. If both day fields are restricted, a day need match only one of them. The zone is
// a tz database name such as "Europe/Berlin"; "" is UTC.
//
// The error lists every fault, quotes it and says what to write instead. On error the Window is never open. Rejected
// are:
//   - expressions without fixed times of day (@every, @reboot), and those that can never hit ("0 0 30 2 *");
//   - fields for seconds or years, and a TZ= or CRON_TZ= prefix (as the CronJob API does);
//   - backward ranges (sat-sun) and weekday 7, which some other crons accept;
//   - durations of zero or less;
//   - unknown zones, and those that depend on the host (Local).
func Parse(expr string, d time.Duration, zone string) (Window, error) {
	e, exprErr := parseExpression(expr)
	location, zoneErr := parseZone(zone)
	var durationErr error
	if d <= 0 {
		durationErr = fmt.Errorf("duration %s never opens the window: write a positive one such as 1h",
			wording.Duration(d))
	}
	if err := errors.Join(exprErr, durationErr, zoneErr); err != nil {
		return never, err
	}
	if location == nil {
		zone = "UTC"
	}
	return newLeaf(newRecurrence(e, location, d), recurrenceText(expr, d, zone)), nil
}

func recurrenceText(expr string, d time.Duration, zone string) string {
	return fmt.Sprintf("%s for %s, %s", strings.Join(strings.Fields(expr), " "), wording.Duration(d), zone)
}

// MustParse is [Parse] for tests and variables. It panics on error.
func MustParse(expr string, d time.Duration, zone string) Window {
	w, err := Parse(expr, d, zone)
	if err != nil {
		panic("schedule: " + err.Error())
	}
	return w
}

// A field describes one of the five fields of an expression.
type field struct {
	name     string
	min, max int
	names    []string // of its values, from min
	example  string
}

var (
	weekdays = []string{"Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"}
	months   = []string{"January", "February", "March", "April", "May", "June",
		"July", "August", "September", "October", "November", "December"}

	fields = [5]field{
		{"minute", 0, 59, nil, "0 to 59"},
		{"hour", 0, 23, nil, "0 to 23"},
		{"day of month", 1, 31, nil, "1 to 31"},
		{"month", 1, 12, months, "1 to 12, jan to dec"},
		{"day of week", 0, 6, weekdays, "0 (Sunday) to 6, sun to sat"},
	}
)

const longest = 1024 // bytes of an expression: naming every number of every field takes half of that

func parseExpression(expr string) (expression, error) {
	trimmed := strings.TrimSpace(expr)
	parts := strings.Fields(trimmed)
	switch {
	case len(expr) > longest:
		return expression{}, fmt.Errorf("cron expression %s has %d bytes: write at most %d",
			quote(expr), len(expr), longest)
	case trimmed == "":
		return expression{}, fmt.Errorf(`cron expression %s is empty: write five fields such as "0 9 * * mon-fri"`,
			quote(expr))
	case strings.HasPrefix(trimmed, "TZ=") || strings.HasPrefix(trimmed, "CRON_TZ="):
		return expression{}, fmt.Errorf("cron expression %s sets a time zone: "+
			"write it without %s, and give the zone on its own",
			quote(expr), quote(parts[0]))
	case strings.HasPrefix(trimmed, "@"):
		return parseDescriptor(trimmed)
	case len(parts) != 5:
		return expression{}, miscounted(expr, parts)
	}
	if sets, ok := parseFields(strings.Join(parts, " ")); ok {
		return compile(expr, sets)
	}
	if plain, what := wording.Plain(trimmed); what != "" {
		if _, err := parseExpression(plain); err == nil {
			return expression{}, fmt.Errorf("cron expression %s has %s: write %q", quote(expr), what, plain)
		}
	}
	var faults []error
	for i, f := range fields {
		if err := f.check(i, parts[i]); err != nil {
			faults = append(faults, fmt.Errorf("cron expression %s: %w", quote(expr), err))
		}
	}
	return expression{}, errors.Join(faults...)
}

func miscounted(expr string, parts []string) error {
	if len(parts) == 6 && len(parts[5]) == 4 {
		rest := strings.Join(parts[:5], " ")
		if _, err := parseExpression(rest); err == nil {
			return fmt.Errorf("cron expression %s ends in a year, and years are not supported: write %q",
				quote(expr), rest)
		}
	}
	if len(parts) == 6 || len(parts) == 7 {
		rest := strings.Join(parts[1:6], " ")
		if _, err := parseExpression(rest); err == nil {
			return fmt.Errorf("cron expression %s has %d fields, but seconds and years are not supported: "+
				"write %q, if the first field is seconds", quote(expr), len(parts), rest)
		}
	}
	count := fmt.Sprintf("%d fields", len(parts))
	if len(parts) == 1 {
		count = "one field"
	}
	return fmt.Errorf("cron expression %s has %s: write five (minute, hour, day of month, month, day of week), "+
		`such as "0 9 * * mon-fri"`, quote(expr), count)
}

func parseDescriptor(text string) (expression, error) {
	switch text {
	case "@yearly", "@annually", "@monthly", "@weekly", "@daily", "@midnight", "@hourly":
		sets, _ := parseFields(text)
		return compile(text, sets)
	}
	if name := strings.Fields(text)[0]; name == "@every" || name == "@reboot" {
		return expression{}, fmt.Errorf("cron expression %s sets no time of day: write five fields "+
			`such as "*/5 * * * *"`, quote(text))
	}
	if lower := strings.ToLower(text); lower != text {
		if _, err := parseDescriptor(lower); err == nil {
			return expression{}, fmt.Errorf("cron expression %s is unknown: write %q", quote(text), lower)
		}
	}
	return expression{}, fmt.Errorf("cron expression %s is unknown: write @yearly, @monthly, @weekly, @daily or "+
		"@hourly, or five fields", quote(text))
}

// parseFields parses five fields, or a descriptor, into their sets. It reports false if a field is not valid or names
// nothing.
func parseFields(text string) (sets [5]uint64, ok bool) {
	parsed, err := cron.ParseStandard(text)
	if err != nil || strings.Contains(text, "*-") || strings.Contains(text, "?-") { // robfig/cron reads *-5 as *
		return sets, false
	}
	spec := parsed.(*cron.SpecSchedule) // callers exclude @every, the only other kind
	sets = [5]uint64{spec.Minute, spec.Hour, spec.Dom, spec.Month, spec.Dow}
	return sets, !slices.Contains(sets[:], 0) // a comma alone names nothing
}

func compile(expr string, sets [5]uint64) (expression, error) {
	e, ok := newExpression(sets)
	if !ok {
		return expression{}, fmt.Errorf("cron expression %s %w, since none of its months has such a day: "+
			"write a day of the month from 1 to %d", quote(expr), ErrNeverHits, e.longestMonth())
	}
	return e, nil
}

// check returns an error if a field is not valid; the error says what to write instead.
func (f field) check(position int, text string) error {
	if parses(position, text) {
		return nil
	}
	if better := f.mend(text); better != "" && parses(position, better) {
		return fmt.Errorf("%s %s is not valid: write %q", f.name, quote(text), better)
	}
	if other := f.quartz(text); other != "" {
		return fmt.Errorf("%s %s is not valid: %s", f.name, quote(text), other)
	}
	return fmt.Errorf("%s %s is not valid: write %s or *, combined as in 1-5, 1,3 or */2",
		f.name, quote(text), f.example)
}

// quartz returns what to write instead of Quartz syntax: the last day, the nearest weekday, the first Saturday.
func (f field) quartz(text string) string {
	upper := strings.ToUpper(text)
	day := strings.TrimRight(strings.TrimPrefix(upper, "L"), "LW")
	switch week, _, numbered := strings.Cut(upper, "#"); {
	case f.max == 31 && day == "" && strings.HasPrefix(upper, "L"):
		return "cron has no last day of the month: write 28, or three budgets, with 31 in the months " +
			"1,3,5,7,8,10,12, 30 in 4,6,9,11 and 28,29 in 2"
	case f.max == 31 && strings.HasSuffix(upper, "W"):
		return fmt.Sprintf("cron has no nearest weekday: write the day, such as %s", day)
	case f.max == 6 && numbered:
		return fmt.Sprintf("cron has no first or second weekday of a month: write %s for each week, or a budget "+
			"for each date", strings.ToLower(week))
	case f.max == 6 && strings.HasSuffix(upper, "L"):
		return fmt.Sprintf("cron has no last weekday of a month: write %s for each week, or a budget for each date",
			strings.ToLower(day))
	}
	return ""
}

// parses reports whether a field is valid. The other fields are *.
func parses(position int, text string) bool {
	parts := [5]string{"*", "*", "*", "*", "*"}
	parts[position] = text
	_, ok := parseFields(strings.Join(parts[:], " "))
	return ok
}

// quote quotes a text, shortened if it is long.
func quote(text string) string {
	const most = 80
	if len(text) > most {
		return strconv.Quote(text[:most]) + "…"
	}
	return strconv.Quote(text)
}
