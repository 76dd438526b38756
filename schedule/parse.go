package schedule

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
	_ "time/tzdata" // so that every host knows every zone

	"github.com/robfig/cron/v3"
)

// Parse compiles a window that opens whenever the cron expression hits and stays open for d.
//
// The expression has five fields (minute, hour, day of month, month, day of week), or is one of @yearly, @annually,
// @monthly, @weekly, @daily, @midnight and @hourly. As in Kubernetes, names of months and weekdays are understood, ?
// is *, and where both days are restricted either will do. The zone is a name of the tz database such as
// "Europe/Berlin"; "" is UTC.
//
// The error names every fault, quotes it and says what to write instead. The Window is then never open. Rejected are:
//   - expressions that are no fixed times of the clock (@every, @reboot), or can never hit ("0 0 30 2 *");
//   - fields for seconds or years, and TZ= or CRON_TZ= in front, which the CronJob API rejects, too;
//   - ranges that run backwards (sat-sun) and weekday 7, which some crons know and Kubernetes' does not;
//   - durations that are not positive;
//   - zones that are unknown, or mean what the host is set to (Local).
func Parse(expr string, d time.Duration, zone string) (Window, error) {
	e, exprErr := parseExpression(expr)
	location, zoneErr := parseZone(zone)
	var durationErr error
	if d <= 0 {
		durationErr = fmt.Errorf("duration %s never opens the window: write a positive one such as 1h", d)
	}
	if err := errors.Join(exprErr, durationErr, zoneErr); err != nil {
		return never, err
	}
	r := &recurrence{
		expression: e,
		zone:       location,
		seconds:    int64(d / time.Second),
		nanos:      int64(d % time.Second),
	}
	r.gapless = e.gapless(r.seconds)
	if r.gapless && e.everyMinute() {
		r.zone = nil // in every zone alike
	}
	if zone == "" {
		zone = "UTC"
	}
	text := fmt.Sprintf("%s for %s, %s", strings.Join(strings.Fields(expr), " "), shortDuration(d), zone)
	return Window{&window{recurrence: r, text: text}}, nil
}

// MustParse is Parse for windows that are known to be right, in tests and variables. It panics if they are not.
func MustParse(expr string, d time.Duration, zone string) Window {
	w, err := Parse(expr, d, zone)
	if err != nil {
		panic("schedule: " + err.Error())
	}
	return w
}

// shortDuration returns 16h for 16h0m0s.
func shortDuration(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

// parseZone returns nil for UTC.
func parseZone(zone string) (*time.Location, error) {
	switch strings.ToLower(zone) {
	case "", "utc":
		return nil, nil
	case "local", "localtime", "posixrules":
		return nil, fmt.Errorf("time zone %q is whatever the host is set to: write a tz database name such as "+
			`"Europe/Berlin", or "UTC"`, zone)
	}
	location, err := time.LoadLocation(zone)
	if err != nil {
		return nil, fmt.Errorf("time zone %s is not known: write a tz database name such as "+
			`"Europe/Berlin", or "UTC"`, quote(zone))
	}
	return location, nil
}

// A field is one of the five of an expression.
type field struct {
	name     string
	min, max int
	names    string // three letters each, from min
	example  string
}

var fields = [5]field{
	{"minute", 0, 59, "", "0 to 59"},
	{"hour", 0, 23, "", "0 to 23"},
	{"day of month", 1, 31, "", "1 to 31"},
	{"month", 1, 12, "janfebmaraprmayjunjulaugsepoctnovdec", "1 to 12, or jan to dec"},
	{"day of week", 0, 6, "sunmontuewedthufrisat", "0 (Sunday) to 6, or sun to sat"},
}

const longest = 1024 // bytes of an expression: naming every number of every field takes half of that

func parseExpression(expr string) (expression, error) {
	trimmed := strings.TrimSpace(expr)
	parts := strings.Fields(trimmed)
	switch {
	case len(expr) > longest:
		return expression{}, fmt.Errorf("cron expression %s has %d bytes: write at most %d", quote(expr), len(expr), longest)
	case trimmed == "":
		return expression{}, errors.New(`the cron expression is empty: write five fields such as "0 9 * * mon-fri"`)
	case strings.HasPrefix(trimmed, "TZ=") || strings.HasPrefix(trimmed, "CRON_TZ="):
		return expression{}, fmt.Errorf("cron expression %s sets a time zone: leave %q out and give the zone on its own",
			quote(expr), parts[0])
	case strings.HasPrefix(trimmed, "@"):
		return parseDescriptor(trimmed)
	case len(parts) == 6 || len(parts) == 7:
		return expression{}, fmt.Errorf("cron expression %s has %d fields, but seconds and years are not supported: "+
			"write %q, if the first field is seconds", quote(expr), len(parts), strings.Join(parts[1:6], " "))
	case len(parts) != 5:
		return expression{}, fmt.Errorf("cron expression %s has %d fields: write five (minute, hour, day of month, "+
			`month, day of week), such as "0 9 * * mon-fri"`, quote(expr), len(parts))
	}
	var faults []error
	for i, f := range fields {
		if err := f.check(i, parts[i]); err != nil {
			faults = append(faults, fmt.Errorf("cron expression %s: %w", quote(expr), err))
		}
	}
	if err := errors.Join(faults...); err != nil {
		return expression{}, err
	}
	return compile(expr, strings.Join(parts, " "))
}

func parseDescriptor(text string) (expression, error) {
	switch text {
	case "@yearly", "@annually", "@monthly", "@weekly", "@daily", "@midnight", "@hourly":
		return compile(text, text)
	}
	name, _, _ := strings.Cut(text, " ")
	if name == "@every" || name == "@reboot" {
		return expression{}, fmt.Errorf("cron expression %s does not say at what times of the clock: write five fields "+
			`such as "*/5 * * * *"`, quote(text))
	}
	return expression{}, fmt.Errorf("cron expression %s is not known: write @yearly, @monthly, @weekly, @daily or "+
		"@hourly, or five fields", quote(text))
}

// compile parses an expression that has passed all checks.
func compile(expr, normal string) (expression, error) {
	parsed, err := cron.ParseStandard(normal)
	if err != nil {
		return expression{}, fmt.Errorf("cron expression %s: %w", quote(expr), err)
	}
	spec := parsed.(*cron.SpecSchedule) // the other kind is @every's
	const star = 1 << 63
	e, ok := newExpression(expression{
		minutes:   spec.Minute &^ star,
		hours:     spec.Hour &^ star,
		monthDays: spec.Dom &^ star,
		months:    spec.Month &^ star,
		weekdays:  spec.Dow &^ star,
	}, spec.Dom&star != 0, spec.Dow&star != 0)
	if !ok {
		return expression{}, fmt.Errorf("cron expression %s never hits: no month that it names has such a day", quote(expr))
	}
	return e, nil
}

// check parses one field, the others being *.
func (f field) check(position int, text string) error {
	parts := [5]string{"*", "*", "*", "*", "*"}
	parts[position] = text
	parsed, err := cron.ParseStandard(strings.Join(parts[:], " "))
	if err != nil {
		if better := f.mend(text); better != "" {
			return fmt.Errorf("%s %s: write %q", f.name, quote(text), better)
		}
		reason := strings.TrimSuffix(err.Error(), ": "+text)
		return fmt.Errorf("%s %s: %s: write %s", f.name, quote(text), reason, f.example)
	}
	spec := parsed.(*cron.SpecSchedule)
	sets := [5]uint64{spec.Minute, spec.Hour, spec.Dom, spec.Month, spec.Dow}
	if sets[position] == 0 {
		return fmt.Errorf("%s %s names nothing: write * or %s", f.name, quote(text), f.example)
	}
	return nil
}

// mend returns what a field with backward ranges, or with 7 for Sunday, was meant to be, or "".
func (f field) mend(text string) string {
	var mended []string
	for part := range strings.SplitSeq(text, ",") {
		low, high, isRange := strings.Cut(part, "-")
		from, ok := f.number(low)
		to, ok2 := from, ok
		if isRange {
			to, ok2 = f.number(high)
		}
		if !ok || !ok2 {
			return ""
		}
		switch {
		case from > f.max && to > f.max: // 7 is Sunday
			mended = append(mended, strconv.Itoa(f.min))
		case to > f.max:
			mended = append(mended, f.join(low, from, f.text(f.max, low), f.max), f.text(f.min, high))
		case from > to:
			mended = append(mended, f.join(low, from, f.text(f.max, low), f.max), f.join(f.text(f.min, high), f.min, high, to))
		default:
			mended = append(mended, part)
		}
	}
	return strings.Join(mended, ",")
}

// number returns what a name or a number stands for; one over the maximum is only good for 7 as a weekday.
func (f field) number(text string) (int, bool) {
	if i := strings.Index(f.names, strings.ToLower(text)); len(text) == 3 && i >= 0 && i%3 == 0 {
		return f.min + i/3, true
	}
	n, err := strconv.Atoi(text)
	limit := f.max
	if f.name == "day of week" {
		limit = 7
	}
	return n, err == nil && f.min <= n && n <= limit
}

// text returns n as a name where like is one.
func (f field) text(n int, like string) string {
	if _, err := strconv.Atoi(like); err != nil {
		return f.names[(n-f.min)*3:][:3]
	}
	return strconv.Itoa(n)
}

func (f field) join(low string, from int, high string, to int) string {
	if from == to {
		return low
	}
	return low + "-" + high
}

// quote quotes a text, and shortens it where it is long.
func quote(text string) string {
	const most = 80
	if len(text) > most {
		return strconv.Quote(text[:most]) + "…"
	}
	return strconv.Quote(text)
}
