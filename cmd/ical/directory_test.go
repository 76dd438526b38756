package ical_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/disruptkit/disruptkit/cmd/ical"
	"github.com/disruptkit/disruptkit/schedule"
)

var friday = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// A shelf is a directory of calendars.
type shelf struct {
	*testing.T
	path string
}

func (s shelf) write(name string, events ...string) {
	s.Helper()
	if err := os.WriteFile(filepath.Join(s.path, name), []byte(calendar(events...)), 0o600); err != nil {
		s.Fatal(err)
	}
}

// wholeDay returns an event of a whole day.
func wholeDay(date string) string {
	return "BEGIN:VEVENT\r\nDTSTART;VALUE=DATE:" + date + "\r\nSUMMARY:x\r\nEND:VEVENT"
}

// texts reports which calendars are there, and which of them are open at a time.
func texts(c *ical.Calendars, now time.Time) string {
	var all []string
	for _, name := range slices.Sorted(maps.Keys(c.Windows)) {
		all = append(all, fmt.Sprintf("%s:%t", name, schedule.InWindow(c.Windows[name], now)))
	}
	return strings.Join(all, " ")
}

// Directories change while somebody reads them, and a file that cannot be read is no calendar: what names it allows nothing.
func TestADirectoryHasTheCalendarsThatItsFilesAreNow(t *testing.T) {
	s := shelf{t, t.TempDir()}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	d, before := ical.NewDirectory(s.path, ""), (*ical.Calendars)(nil)
	for _, step := range []struct {
		rule, want, fails string
		same              bool // as before
		do                func()
	}{
		{"an empty directory", "", "", false, func() {}},
		{"a file", "holidays:true", "", false, func() {
			s.write("holidays.ics", wholeDay("20261120"))
			s.write("notes.txt")
			s.write(".ics", wholeDay("20261120"))
		}},
		{"nothing has changed", "holidays:true", "", true, func() {}},
		{"a file that has changed", "holidays:false", "", false, func() { s.write("holidays.ics", wholeDay("20261121"), wholeDay("20261122")) }},
		{"a file beside it that nobody can read", "holidays:false", "freeze.ics: ", false, func() { s.write("freeze.ics", wholeDay("20261399")) }},
		{"nothing has changed there, either", "holidays:false", "freeze.ics: ", true, func() {}},
		{"it is gone", "holidays:false", "", false, func() { must(os.Remove(filepath.Join(s.path, "freeze.ics"))) }},
		{"a link to nothing", "holidays:false", "link.ics: no such file", false, func() { must(os.Symlink("nowhere", filepath.Join(s.path, "link.ics"))) }},
		{"the directory is gone", "", "no such file", false, func() { must(os.RemoveAll(s.path)) }},
		{"it is still gone", "", "no such file", true, func() {}},
		{"it is back", "holidays:true", "", false, func() {
			must(os.Mkdir(s.path, 0o700))
			s.write("holidays.ics", wholeDay("20261120"))
		}},
	} {
		step.do()
		c := d.At(friday)
		named, _, _ := strings.Cut(step.fails, ".ics")
		if got := texts(c, friday); got != step.want {
			t.Errorf("%s: there are %q, want %q", step.rule, got, step.want)
		}
		if (c.Err != nil) != (step.fails != "") || c.Err != nil && !strings.Contains(c.Err.Error(), step.fails) {
			t.Errorf("%s: the error is %v, want %q", step.rule, c.Err, step.fails)
		}
		broken := c.Unread[named]
		if c.Windows == nil {
			broken = c.Unread[""]
		}
		if (broken != nil) != (step.fails != "") || broken != nil && !strings.Contains(broken.Error(), step.fails) {
			t.Errorf("%s: %s is broken: %v, want %q", step.rule, named, broken, step.fails)
		}
		if strings.HasPrefix(step.want, "holidays") && c.Unread["holidays"] != nil {
			t.Errorf("%s: %v", step.rule, c.Unread["holidays"])
		}
		if (c == before) != step.same {
			t.Errorf("%s: they are the same as before: %t", step.rule, c == before)
		}
		before = c
	}
	if c := (*ical.Directory)(nil).At(friday); len(c.Windows) > 0 || c.Err != nil || c != (*ical.Directory)(nil).At(friday) {
		t.Errorf("no directory has %v, %v", c.Windows, c.Err)
	}
}

// Recurring events are known for a year. The next day, one day more is.
func TestADirectoryIsReadAgainEachDay(t *testing.T) {
	s := shelf{t, t.TempDir()}
	s.write("nights.ics", "BEGIN:VEVENT\r\nDTSTART:20200101T000000Z\r\nDURATION:PT12H\r\nRRULE:FREQ=DAILY\r\nEND:VEVENT")
	d := ical.NewDirectory(s.path, "")
	first := d.At(friday.Add(-6 * time.Hour))
	for _, now := range []time.Time{friday.Add(-6 * time.Hour), friday.AddDate(0, 10, 0).Add(-6 * time.Hour), friday.AddDate(0, 1, 0).Add(-6 * time.Hour)} {
		c := d.At(now)
		if c.Err != nil || !schedule.InWindow(c.Windows["nights"], now) || !schedule.InWindow(c.Windows["nights"], now.AddDate(1, 0, 0)) {
			t.Errorf("%s: the night is not known, or not that in a year: %v", now, c.Err)
		}
	}
	if d.At(friday.Add(17*time.Hour)) == first {
		t.Error("nothing was read again")
	}
}

// What other programs may read otherwise is warned of for each file, with its path, for as long as it is there.
func TestADirectoryWarnsOfItsFiles(t *testing.T) {
	s := shelf{t, t.TempDir()}
	s.write("days.ics", wholeDay("20261120"))
	s.write("odd.ics", "BEGIN:VEVENT\r\nDTSTART:20261120T000000Z\r\nSUMMARY:x\r\nDURATION:PT1H\r\nRRULE:FREQ=WEEKLY;BYDAY=MO;COUNT=2\r\nEND:VEVENT")
	d, odd := ical.NewDirectory(s.path, ""), filepath.Join(s.path, "odd.ics")
	if c := d.At(friday); c.Err != nil || len(c.Warnings) != 1 || !strings.HasPrefix(c.Warnings[0], odd+`: event "x": RRULE`) {
		t.Errorf("warns %q, %v", c.Warnings, c.Err)
	}
	if err := os.Remove(odd); err != nil {
		t.Fatal(err)
	}
	if c := d.At(friday.Add(time.Minute)); len(c.Warnings) > 0 {
		t.Errorf("warns %q of a file that is gone", c.Warnings)
	}
}

// What cannot be read may be readable later, though nothing says that it has changed.
func TestWhatCannotBeReadIsTriedAgain(t *testing.T) {
	s := shelf{t, t.TempDir()}
	s.write("freeze.ics", wholeDay("20261399"))
	d := ical.NewDirectory(s.path, "")
	first := d.At(friday)
	if soon, later := d.At(friday.Add(59*time.Second)), d.At(friday.Add(time.Minute)); soon != first || later == first || later.Err == nil {
		t.Errorf("after 59 s it was read again: %t; after a minute: %t; %v", soon != first, later != first, later.Err)
	}
}

// The days of a file that names no zone are those of the given zone.
func TestADirectoryHasAZone(t *testing.T) {
	s := shelf{t, t.TempDir()}
	s.write("holidays.ics", wholeDay("20261120"))
	for zone, want := range map[string]string{"": "holidays:false", "Europe/Berlin": "holidays:true", "Nowhere": ""} {
		at := time.Date(2026, 11, 19, 23, 30, 0, 0, time.UTC)
		if c := ical.NewDirectory(s.path, zone).At(at); texts(c, at) != want || (c.Err != nil) != (want == "") {
			t.Errorf("%q: %q, %v, want %q", zone, texts(c, at), c.Err, want)
		}
	}
}
