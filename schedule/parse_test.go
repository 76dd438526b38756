package schedule_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/disruptkit/disruptkit/schedule"
)

// Endings of messages that many rows share.
const (
	fiveFields = `write five (minute, hour, day of month, month, day of week), such as "0 9 * * mon-fri"`
	tzName     = `write a tz database name such as "Europe/Berlin", or "UTC"`
	aMinute    = "write 0 to 59 or *, combined as in 1-5, 1,3 or */2"
	anHour     = "write 0 to 23 or *, combined as in 1-5, 1,3 or */2"
	aDay       = "write 1 to 31 or *, combined as in 1-5, 1,3 or */2"
	aMonth     = "write 1 to 12, jan to dec or *, combined as in 1-5, 1,3 or */2"
	aWeekday   = "write 0 (Sunday) to 6, sun to sat or *, combined as in 1-5, 1,3 or */2"
)

// TestParseRejects has the complete text of each error. better is the expression that the message tells to write
// instead, where it is a whole one.
func TestParseRejects(t *testing.T) {
	for _, c := range []struct {
		name   string
		expr   string
		d      time.Duration
		zone   string
		want   []string
		better string
	}{
		// "Reject at Parse, each with a message that says what to write instead: @every, @reboot"
		{"@every has no fixed times", "@every 5m", time.Hour, "", []string{
			`cron expression "@every 5m" sets no time of day: write five fields such as "*/5 * * * *"`}, "*/5 * * * *"},
		{"@every with a tab has no fixed times", "@every\t5m", time.Hour, "", []string{
			`cron expression "@every\t5m" sets no time of day: write five fields such as "*/5 * * * *"`}, "*/5 * * * *"},
		{"@reboot has no fixed times", " @reboot ", time.Hour, "", []string{
			`cron expression "@reboot" sets no time of day: write five fields such as "*/5 * * * *"`}, "*/5 * * * *"},
		{"a descriptor that nobody knows", "@fortnightly", time.Hour, "", []string{
			`cron expression "@fortnightly" is unknown: write @yearly, @monthly, @weekly, @daily or @hourly, or five fields`}, "@daily"},
		{"descriptors are lower case", "@Daily", time.Hour, "", []string{
			`cron expression "@Daily" is unknown: write "@daily"`}, "@daily"},
		{"a descriptor stands alone", "@daily 5", time.Hour, "", []string{
			`cron expression "@daily 5" is unknown: write @yearly, @monthly, @weekly, @daily or @hourly, or five fields`}, "@daily"},
		{"an at sign is no descriptor", "@", time.Hour, "", []string{
			`cron expression "@" is unknown: write @yearly, @monthly, @weekly, @daily or @hourly, or five fields`}, "@hourly"},

		// "a TZ=/CRON_TZ= prefix (as the CronJob API does; robfig panics on TZ=0)"
		{"a zone in front of the fields", "TZ=Europe/Berlin 0 9 * * *", time.Hour, "", []string{
			`cron expression "TZ=Europe/Berlin 0 9 * * *" sets a time zone: write it without "TZ=Europe/Berlin", and give the zone on its own`}, "0 9 * * *"},
		{"a zone in front of the fields, as robfig/cron spells it", " CRON_TZ=UTC\t0 9 * * *", time.Hour, "", []string{
			`cron expression " CRON_TZ=UTC\t0 9 * * *" sets a time zone: write it without "CRON_TZ=UTC", and give the zone on its own`}, "0 9 * * *"},
		{"a zone in front of a descriptor", "CRON_TZ=UTC @daily", time.Hour, "", []string{
			`cron expression "CRON_TZ=UTC @daily" sets a time zone: write it without "CRON_TZ=UTC", and give the zone on its own`}, "@daily"},
		{"a zone and nothing else, on which robfig/cron panics", "TZ=0", time.Hour, "", []string{
			`cron expression "TZ=0" sets a time zone: write it without "TZ=0", and give the zone on its own`}, ""},
		{"the name of no zone and nothing else", "CRON_TZ=", time.Hour, "", []string{
			`cron expression "CRON_TZ=" sets a time zone: write it without "CRON_TZ=", and give the zone on its own`}, ""},

		// "seconds fields"
		{"six fields", "0 30 9 * * mon-fri", time.Hour, "", []string{
			`cron expression "0 30 9 * * mon-fri" has 6 fields, but seconds and years are not supported: write "30 9 * * mon-fri", if the first field is seconds`}, "30 9 * * mon-fri"},
		{"seven fields", "0 30 9 * * ? 2026", time.Hour, "", []string{
			`cron expression "0 30 9 * * ? 2026" has 7 fields, but seconds and years are not supported: write "30 9 * * ?", if the first field is seconds`}, "30 9 * * ?"},
		{"six fields, the last of them a year", "30 9 * * mon-fri 2026", time.Hour, "", []string{
			`cron expression "30 9 * * mon-fri 2026" ends in a year, and years are not supported: write "30 9 * * mon-fri"`}, "30 9 * * mon-fri"},
		{"spaces in a range", "0 9 * * mon - fri", time.Hour, "", []string{
			`cron expression "0 9 * * mon - fri" has 7 fields: ` + fiveFields}, "0 9 * * mon-fri"},
		{"eight fields", "0 0 0 0 0 0 0 0", time.Hour, "", []string{
			`cron expression "0 0 0 0 0 0 0 0" has 8 fields: ` + fiveFields}, ""},
		{"four fields", "0 9 * *", time.Hour, "", []string{
			`cron expression "0 9 * *" has 4 fields: ` + fiveFields}, ""},
		{"one field", "daily", time.Hour, "", []string{
			`cron expression "daily" has one field: ` + fiveFields}, ""},
		{"the empty expression", "", time.Hour, "", []string{
			`cron expression "" is empty: write five fields such as "0 9 * * mon-fri"`}, "0 9 * * mon-fri"},
		{"an expression of spaces", " \t\n", time.Hour, "", []string{
			`cron expression " \t\n" is empty: write five fields such as "0 9 * * mon-fri"`}, "0 9 * * mon-fri"},

		{"Jenkins' hash", "H H * * *", time.Hour, "", []string{
			`cron expression "H H * * *": minute "H" is not valid: ` + aMinute,
			`cron expression "H H * * *": hour "H" is not valid: ` + anHour}, ""},

		// "`0 0 30 2 *` (or `, * * * *`, an empty set) is active for ever there … Here an expression that can never fire
		// is an error at Parse."
		{"February 30", "0 0 30 2 *", time.Hour, "", []string{
			`cron expression "0 0 30 2 *" never hits, since none of its months has such a day: write a day of the month from 1 to 29`}, "0 0 29 2 *"},
		{"the 31st of short months", "0 0 31 2,4,6 *", time.Hour, "", []string{
			`cron expression "0 0 31 2,4,6 *" never hits, since none of its months has such a day: write a day of the month from 1 to 30`}, "0 0 30 2,4,6 *"},
		{"February 30 and 31", "0 0 30-31 feb ?", time.Hour, "", []string{
			`cron expression "0 0 30-31 feb ?" never hits, since none of its months has such a day: write a day of the month from 1 to 29`}, "0 0 29 feb ?"},

		// "the zone Local in any case, unknown or malformed zones"
		{"the zone Local", "0 9 * * *", time.Hour, "Local", []string{
			`time zone "Local" depends on the host: ` + tzName}, ""},
		{"the zone LOCAL", "0 9 * * *", time.Hour, "LOCAL", []string{
			`time zone "LOCAL" depends on the host: ` + tzName}, ""},
		{"the zone localtime", "0 9 * * *", time.Hour, "localtime", []string{
			`time zone "localtime" depends on the host: ` + tzName}, ""},
		{"the zone posixrules", "0 9 * * *", time.Hour, "posixrules", []string{
			`time zone "posixrules" depends on the host: ` + tzName}, ""},
		{"a way around to the host's zone", "0 9 * * *", time.Hour, "./localtime", []string{
			`time zone "./localtime" is unknown: ` + tzName}, ""},
		{"a zone with a doubled slash, which some hosts know and some do not", "0 9 * * *", time.Hour, "Europe//Berlin", []string{
			`time zone "Europe//Berlin" is unknown: ` + tzName}, ""},
		{"an unknown zone", "0 9 * * *", time.Hour, "Mars/Olympus_Mons", []string{
			`time zone "Mars/Olympus_Mons" is unknown: ` + tzName}, ""},
		{"an offset is no zone", "0 9 * * *", time.Hour, "+02:00", []string{
			`time zone "+02:00" is unknown: ` + tzName}, ""},
		{"a path is no zone", "0 9 * * *", time.Hour, "../etc/passwd", []string{
			`time zone "../etc/passwd" is unknown: ` + tzName}, ""},
		{"a variant with leap seconds that only some hosts have", "0 9 * * *", time.Hour, "right/Europe/Berlin", []string{
			`time zone "right/Europe/Berlin" is unknown: ` + tzName}, ""},
		{"an absolute path is no zone", "0 9 * * *", time.Hour, "/etc/localtime", []string{
			`time zone "/etc/localtime" is unknown: ` + tzName}, ""},
		{"a region is no zone", "0 9 * * *", time.Hour, "Europe", []string{
			`time zone "Europe" is unknown: ` + tzName}, ""},
		{"spaces are no part of a zone", "0 9 * * *", time.Hour, " UTC", []string{
			`time zone " UTC" is unknown: ` + tzName}, ""},
		{"a NUL is no part of a zone", "0 9 * * *", time.Hour, "UTC\x00", []string{
			`time zone "UTC\x00" is unknown: ` + tzName}, ""},
		{"a very long zone is shortened", "0 9 * * *", time.Hour, strings.Repeat("a/", 50_000) + "b", []string{
			`time zone "` + strings.Repeat("a/", 40) + `"… is unknown: ` + tzName}, ""},

		// "durations ≤ 0"
		{"no duration", "0 9 * * *", 0, "", []string{
			`duration 0s never opens the window: write a positive one such as 1h`}, ""},
		{"a negative duration", "0 9 * * *", -90 * time.Minute, "", []string{
			`duration -1h30m never opens the window: write a positive one such as 1h`}, ""},
		{"the shortest of all durations", "0 9 * * *", -1 << 63, "", []string{
			`duration -2562047h47m16.854775808s never opens the window: write a positive one such as 1h`}, ""},

		{"an expression that is too long", strings.Repeat("0,", 600) + "0 0 * * *", time.Hour, "", []string{
			`cron expression "` + strings.Repeat("0,", 40) + `"… has 1209 bytes: write at most 1024`}, ""},
		{"an expression of too many spaces", strings.Repeat(" ", 2000) + "@daily", time.Hour, "", []string{
			`cron expression "` + strings.Repeat(" ", 80) + `"… has 2006 bytes: write at most 1024`}, ""},

		// "Parse/Compile … report every fault at once"
		{"every fault is reported at once", "60 22-6 32 13 sat-sun", -time.Hour, "Local", []string{
			`cron expression "60 22-6 32 13 sat-sun": minute "60" is not valid: ` + aMinute,
			`cron expression "60 22-6 32 13 sat-sun": hour "22-6" is not valid: write "22-23,0-6"`,
			`cron expression "60 22-6 32 13 sat-sun": day of month "32" is not valid: ` + aDay,
			`cron expression "60 22-6 32 13 sat-sun": month "13" is not valid: ` + aMonth,
			`cron expression "60 22-6 32 13 sat-sun": day of week "sat-sun" is not valid: write "sat,sun"`,
			`duration -1h never opens the window: write a positive one such as 1h`,
			`time zone "Local" depends on the host: ` + tzName}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			w, err := schedule.Parse(c.expr, c.d, c.zone)
			if err == nil {
				t.Fatalf("%q for %v in %q is accepted", c.expr, c.d, c.zone)
			}
			if diff := cmp.Diff(strings.Join(c.want, "\n"), err.Error()); diff != "" {
				t.Errorf("error (-want +got):\n%s", diff)
			}
			neverOpens(t, w)
			if c.better == "" {
				return
			}
			for field := range strings.FieldsSeq(c.better) {
				if !strings.Contains(err.Error(), field) {
					t.Errorf("%q of %q is not what the message says to write", field, c.better)
				}
			}
			if _, err := schedule.Parse(c.better, time.Hour, ""); err != nil {
				t.Errorf("what the message says to write is rejected: %v", err)
			}
		})
	}
}

// "sat-sun and 1-7 (day 7 does not exist in robfig; Karpenter's own documentation once shipped sat-sun, and users lost all
// disruption to it: say "write sat,sun")"
// What other crons have, and what word processors make of a text, is named.
func TestParseSaysWhatIsMeant(t *testing.T) {
	for expr, want := range map[string]string{
		"0 9 L * *":         `day of month "L" is not valid: cron has no last day of the month: write 28, or three budgets`,
		"0 9 15W * *":       `day of month "15W" is not valid: cron has no nearest weekday: write the day, such as 15`,
		"0 9 * * 6#1":       `day of week "6#1" is not valid: cron has no first or second weekday of a month: write 6 for each week`,
		"0 9 * * friL":      `day of week "friL" is not valid: cron has no last weekday of a month: write fri for each week`,
		"0 9 * * mon–fri":   `has an en dash: write "0 9 * * mon-fri"`,
		"“0 9 * * mon-fri”": `has typographic quotes: write "0 9 * * mon-fri"`,
	} {
		if _, err := schedule.Parse(expr, time.Hour, ""); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", expr, err, want)
		}
	}
}

func TestParseRejectsFields(t *testing.T) {
	general := map[string]string{"minute": aMinute, "hour": anHour, "day of month": aDay, "month": aMonth, "day of week": aWeekday}
	names := []string{"minute", "hour", "day of month", "month", "day of week"}
	for _, c := range []struct{ field, text, better string }{ // "": the message shows what fields look like
		{"day of week", "sat-sun", "sat,sun"},
		{"day of week", "fri-mon", "fri-sat,sun-mon"},
		{"day of week", "wed,Sat-Sun", "wed,Sat,sun"},
		{"day of week", "1-7", "1-6,0"},
		{"day of week", "0-7", "0-6,0"},
		{"day of week", "6-7", "6,0"},
		{"day of week", "7-3", "0-3"},
		{"day of week", "7-wed", "0-wed"},
		{"day of week", "7-7", "0"},
		{"day of week", "7", "0"},
		{"day of week", "6,7", "6,0"},
		{"day of week", "fri-7", "fri-sat,0"},
		{"day of week", "1-7/2", "1,3,5,0"},
		{"day of week", "fri-mon/2", "fri,sun"},
		{"day of week", "1-8", ""},
		{"day of week", "Saturday-sunday", "sat,sun"},
		{"month", "march/2", "mar/2"},
		{"day of week", "sonntag", ""},
		{"hour", "22-6", "22-23,0-6"},
		{"hour", "20-0", "20-23,0"},
		{"hour", "21-6/2", "21,23,1,3,5"},
		{"hour", "22-6/9223372036854775807", "22"},
		{"hour", "1,22-6/0", ""},
		{"hour", "1,22-6/", ""},
		{"minute", "50-10", "50-59,0-10"},
		{"day of month", "31-1", "31,1"},
		{"month", "Nov-feb", "Nov-dec,jan-feb"},
		{"month", "12-feb", "12,jan-feb"},
		{"minute", "60", ""},
		{"minute", "0,30,60", ""},
		{"minute", "-1", ""},
		{"hour", "24", ""},
		{"day of month", "0", ""},
		{"day of month", "32", ""},
		{"month", "0", ""},
		{"month", "13", ""},
		{"minute", "*/0", ""},
		{"minute", "*/", ""},
		{"hour", "9-", ""},
		{"hour", "9-12-15", ""},
		{"hour", "*-5", ""}, // robfig/cron reads *-5 as *, and Karpenter opens a window all day that was meant to end at 5
		{"hour", "9,?-5", ""},
		{"minute", ",", ""},
		{"day of week", ",", ""},
	} {
		position := slices.Index(names, c.field)
		parts := strings.Fields("0 0 * * *")
		parts[position] = c.text
		expr := strings.Join(parts, " ")
		want := fmt.Sprintf("cron expression %q: %s %q is not valid: ", expr, c.field, c.text)
		if c.better == "" {
			want += general[c.field]
		} else {
			want += fmt.Sprintf("write %q", c.better)
			parts[position] = c.better
			if _, err := schedule.Parse(strings.Join(parts, " "), time.Hour, ""); err != nil {
				t.Errorf("what the message says to write is rejected: %v", err)
			}
		}
		w, err := schedule.Parse(expr, time.Hour, "")
		if err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
		neverOpens(t, w)
	}
}

// neverOpens checks that a window is closed for ever.
func neverOpens(t *testing.T, w schedule.Window) {
	t.Helper()
	for _, at := range []time.Time{{}, time.Unix(0, 0), time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC), time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC)} {
		if open, span := w.State(at); open || span != (schedule.Span{}) || schedule.InWindow(w, at) {
			t.Errorf("%v at %v: %t %v, want closed for ever", w, at, open, span)
		}
	}
	if w.String() != "never" {
		t.Errorf("%q, want never", w)
	}
}

func TestParseAccepts(t *testing.T) {
	for _, c := range []struct {
		name string
		expr string
		d    time.Duration
		zone string
		text string // String
		at   string // the window has just opened
	}{
		{"@yearly", "@yearly", time.Hour, "", "@yearly for 1h, UTC", "2027-01-01T00:00:00Z"},
		{"@annually", "@annually", time.Hour, "", "@annually for 1h, UTC", "2027-01-01T00:00:00Z"},
		{"@monthly", "@monthly", time.Hour, "", "@monthly for 1h, UTC", "2026-12-01T00:00:00Z"},
		{"@weekly is Sunday", "@weekly", time.Hour, "", "@weekly for 1h, UTC", "2026-11-22T00:00:00Z"},
		{"@daily", "@daily", time.Hour, "", "@daily for 1h, UTC", "2026-11-21T00:00:00Z"},
		{"@midnight", "@midnight", time.Hour, "", "@midnight for 1h, UTC", "2026-11-21T00:00:00Z"},
		{"@hourly", "@hourly", time.Minute, "", "@hourly for 1m, UTC", "2026-11-20T13:00:00Z"},
		{"spaces around a descriptor", "\t @daily\n", time.Hour, "", "@daily for 1h, UTC", "2026-11-21T00:00:00Z"},
		{"tabs and repeated spaces", " 0\t9  *\n* mon-fri ", 16 * time.Hour, "", "0 9 * * mon-fri for 16h, UTC", "2026-11-23T09:00:00Z"},
		{"names of weekdays in any case", "0 9 * * MON,Wed,fri", time.Hour, "", "0 9 * * MON,Wed,fri for 1h, UTC", "2026-11-23T09:00:00Z"},
		{"names of months in any case", "0 9 1 DEC-Dec,jan *", time.Hour, "", "0 9 1 DEC-Dec,jan * for 1h, UTC", "2026-12-01T09:00:00Z"},
		{"? is *", "? 9 ? ? ?", time.Hour, "", "? 9 ? ? ? for 1h, UTC", "2026-11-21T09:00:00Z"},
		{"steps", "*/20 9-17/4 * * *", time.Minute, "", "*/20 9-17/4 * * * for 1m, UTC", "2026-11-20T13:00:00Z"},
		{"a step from a number on", "50/5 * * * *", time.Minute, "", "50/5 * * * * for 1m, UTC", "2026-11-20T12:50:00Z"},
		{"lists of ranges", "0 0-6,22-23 * * *", time.Hour, "", "0 0-6,22-23 * * * for 1h, UTC", "2026-11-20T22:00:00Z"},
		{"leading zeros", "00 09 * * 05", time.Hour, "", "00 09 * * 05 for 1h, UTC", "2026-11-27T09:00:00Z"},
		{"where both days are restricted either will do: the 13th", "0 0 13 * fri", time.Hour, "", "0 0 13 * fri for 1h, UTC", "2026-12-13T00:00:00Z"},
		{"where both days are restricted either will do: Friday", "0 0 13 * fri", time.Hour, "", "0 0 13 * fri for 1h, UTC", "2026-11-27T00:00:00Z"},
		{"a day that only some of the months have", "0 0 31 2,4,5 *", time.Hour, "", "0 0 31 2,4,5 * for 1h, UTC", "2027-05-31T00:00:00Z"},
		{"a day that no month has, or a weekday", "0 0 31 2 sun", time.Hour, "", "0 0 31 2 sun for 1h, UTC", "2027-02-07T00:00:00Z"},
		{"UTC by name", "@daily", time.Hour, "UTC", "@daily for 1h, UTC", "2026-11-21T00:00:00Z"},
		{"UTC in any case", "@daily", time.Hour, "utc", "@daily for 1h, UTC", "2026-11-21T00:00:00Z"},
		{"a zone", "0 9 * * *", time.Hour, "Europe/Berlin", "0 9 * * * for 1h, Europe/Berlin", "2026-11-21T08:00:00Z"},
		{"a zone without a region", "0 9 * * *", time.Hour, "EST5EDT", "0 9 * * * for 1h, EST5EDT", "2026-11-20T14:00:00Z"},
		{"every minute in a zone", "* * * * *", 10 * time.Second, "Asia/Kathmandu", "* * * * * for 10s, Asia/Kathmandu", "2026-11-20T14:00:00Z"},
		{"hours and minutes", "0 9 * * *", 90 * time.Minute, "", "0 9 * * * for 1h30m, UTC", "2026-11-21T09:00:00Z"},
		{"an hour and ten minutes", "0 9 * * *", 70 * time.Minute, "", "0 9 * * * for 1h10m, UTC", "2026-11-21T09:00:00Z"},
		{"minutes that end in a zero", "0 9 * * *", 10 * time.Minute, "", "0 9 * * * for 10m, UTC", "2026-11-21T09:00:00Z"},
		{"hours that end in a zero", "0 9 * * *", 20 * time.Hour, "", "0 9 * * * for 20h, UTC", "2026-11-21T09:00:00Z"},
		{"seconds", "0 9 * * *", time.Hour + time.Second, "", "0 9 * * * for 1h0m1s, UTC", "2026-11-21T09:00:00Z"},
		{"a nanosecond", "0 9 * * *", 1, "", "0 9 * * * for 1ns, UTC", "2026-11-21T09:00:00Z"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w, err := schedule.Parse(c.expr, c.d, c.zone)
			if err != nil {
				t.Fatal(err)
			}
			if w.String() != c.text {
				t.Errorf("String: %q, want %q", w, c.text)
			}
			at := parseTime(t, c.at)
			if schedule.InWindow(w, at.Add(-1)) || !schedule.InWindow(w, at) {
				t.Errorf("%v does not open at %v", w, at)
			}
		})
	}
}

func TestEveryExpressionThatFitsIsAccepted(t *testing.T) {
	numbers := func(low, high int) string {
		var all []string
		for n := low; n <= high; n++ {
			all = append(all, fmt.Sprint(n))
		}
		return strings.Join(all, ",")
	}
	expr := strings.Join([]string{numbers(0, 59), numbers(0, 23), numbers(1, 31), numbers(1, 12), numbers(0, 6)}, " ")
	expr += strings.Repeat(" ", 1024-len(expr))
	w, err := schedule.Parse(expr, time.Minute, "")
	if open, span := w.State(time.Unix(0, 0)); err != nil || !open || span != (schedule.Span{}) {
		t.Errorf("every number of every field: %v, %t %v", err, open, span)
	}
}

func TestZonesAreThoseOfTheTzDatabase(t *testing.T) {
	for name := range strings.Lines(zoneNames(t)) {
		if _, err := schedule.Parse("@daily", time.Hour, strings.TrimSpace(name)); err != nil {
			t.Error(err)
		}
	}
}

func TestMustParsePanicsWithTheErrorOfParse(t *testing.T) {
	defer func() {
		want := `schedule: cron expression "0 0 * * sat-sun": day of week "sat-sun" is not valid: write "sat,sun"`
		if got := recover(); got != want {
			t.Errorf("panic %q, want %q", got, want)
		}
	}()
	schedule.MustParse("0 0 * * sat-sun", time.Hour, "")
}

func TestWindowsThatNeedNoCombining(t *testing.T) {
	w := schedule.MustParse("0 22 * * *", 8*time.Hour, "")
	for _, c := range []struct {
		name      string
		got, want schedule.Window
	}{
		{"a union of one is that one", schedule.Union(w), w},
		{"a union with itself", schedule.Union(w, w), w},
		{"a union with never", schedule.Union(schedule.Union(), w), w},
		{"a union with always is always", schedule.Union(w, schedule.Window{}), schedule.Window{}},
		{"outside of outside", w.Outside().Outside(), w},
		{"outside of never is always", schedule.Union().Outside(), schedule.Window{}},
		{"outside of always is never", schedule.Window{}.Outside(), schedule.Union()},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.got != c.want {
				t.Errorf("%v, want %v", c.got, c.want)
			}
		})
	}
}

func TestStringsOfWindows(t *testing.T) {
	noon := schedule.MustParse("0 12 * * *", time.Hour, "")
	night := schedule.MustParse("0 22 * * *", 8*time.Hour, "")
	weekend := schedule.MustParse("0 0 * * sat,sun", 24*time.Hour, "Europe/Berlin")
	for _, c := range []struct {
		name string
		w    schedule.Window
		want string
	}{
		{"the zero Window", schedule.Window{}, "always"},
		{"outside of the zero Window", schedule.Window{}.Outside(), "never"},
		{"the union of nothing", schedule.Union(), "never"},
		{"outside of never", schedule.Union().Outside(), "always"},
		{"a union", schedule.Union(night, weekend), "0 22 * * * for 8h, UTC or 0 0 * * sat,sun for 24h, Europe/Berlin"},
		{"a union of one", schedule.Union(night), "0 22 * * * for 8h, UTC"},
		{"a union of one twice", schedule.Union(night, night), "0 22 * * * for 8h, UTC"},
		{"a union of unions", schedule.Union(schedule.Union(night, weekend), schedule.Union(weekend, night)),
			"0 22 * * * for 8h, UTC or 0 0 * * sat,sun for 24h, Europe/Berlin"},
		{"a union with never", schedule.Union(schedule.Union(), night), "0 22 * * * for 8h, UTC"},
		{"a union with always", schedule.Union(night, schedule.Window{}), "always"},
		{"outside", night.Outside(), "outside (0 22 * * * for 8h, UTC)"},
		{"outside of outside", night.Outside().Outside(), "0 22 * * * for 8h, UTC"},
		{"a union with outside", schedule.Union(night.Outside(), weekend),
			"outside (0 22 * * * for 8h, UTC) or 0 0 * * sat,sun for 24h, Europe/Berlin"},
		{"outside of both", schedule.Union(night, weekend).Outside(),
			"outside (0 22 * * * for 8h, UTC) and outside (0 0 * * sat,sun for 24h, Europe/Berlin)"},
		{"inside one and outside of another", schedule.Union(night.Outside(), weekend).Outside(),
			"0 22 * * * for 8h, UTC and outside (0 0 * * sat,sun for 24h, Europe/Berlin)"},
		{"inside one of several, and outside of another", schedule.Union(schedule.Union(night, noon).Outside(), weekend).Outside(),
			"(0 22 * * * for 8h, UTC or 0 12 * * * for 1h, UTC) and outside (0 0 * * sat,sun for 24h, Europe/Berlin)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := c.w.String(); got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}
