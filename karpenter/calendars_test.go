package karpenter

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/cmd/ical"
)

// Calendars change while NodePools and DisruptionPolicies do not. What cannot be read, or is not there, blocks: "0" within the calendar, and
// "9" outside it, neither of which limits anything at other times.
func TestTheGuardKnowsCalendarsAsTheirFilesAreNow(t *testing.T) {
	for _, c := range []struct {
		written string
		guarded func(t *testing.T) *guarded
	}{
		{"on the NodePool", func(t *testing.T) *guarded {
			return newGuarded(t, pool("default", DisruptionAnnotation, `budgets: [{nodes: "0", calendar: holidays}, {nodes: "9", calendar: holidays, outside: true}]`))
		}},
		{"in a DisruptionPolicy", func(t *testing.T) *guarded {
			g := newGuarded(t, pool("default"))
			g.share("p", `{all: true, budgets: [{nodes: "0", calendar: holidays}]}`)
			return g
		}},
	} {
		t.Run(c.written, func(t *testing.T) {
			dir := t.TempDir()
			g := c.guarded(t)
			g.node("default", "a1", 3)
			m := Guard(drift(), g.Cluster)
			if got := g.mustCompute(m, 9); got != "" {
				t.Errorf("where nobody knows calendars, %s started", got)
			}
			g.Calendars = ical.NewDirectory(dir, "")
			for i, c := range []struct {
				day  string // on which "holidays" is; "": there is no such file
				want string
			}{{"20261121", "a1"}, {"20261120", ""}, {"20261119", "a1"}, {"of rest", ""}, {"20261122", "a1"}, {"", ""}} {
				path := filepath.Join(dir, "holidays.ics")
				event := fmt.Sprintf("BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:x\r\nBEGIN:VEVENT\r\nSUMMARY:%s\r\nDTSTART;VALUE=DATE:%s\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n",
					strings.Repeat("x", i), c.day) // files of other lengths, since times of files are coarse
				err := os.WriteFile(path, []byte(event), 0o600)
				if c.day == "" {
					err = os.Remove(path)
				}
				if err != nil {
					t.Fatal(err)
				}
				if got := g.mustCompute(m, 9); got != c.want {
					t.Errorf("with %q, %q started, want %q", c.day, got, c.want)
				}
				s, err := g.snapshot(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				said := fmt.Sprint(disruptkit.Decide(s.Input, "").Blocked)
				if says := strings.Contains(said, "cannot be read: "+path); says != (c.day == "of rest") {
					t.Errorf("with %q, it says %s", c.day, said)
				}
			}
		})
	}
}
