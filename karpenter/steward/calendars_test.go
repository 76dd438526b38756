package steward

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"
	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"

	"github.com/disruptkit/disruptkit/cmd/annotation"
	"github.com/disruptkit/disruptkit/cmd/ical"
)

// A budget that names a calendar is active on its days. One that names a calendar that is not there, or which nobody can read, allows nothing.
func TestBudgetsNameCalendars(t *testing.T) {
	const budgets = `budgets: [{nodes: "0", calendar: holidays}]`
	for _, c := range []struct{ rule, file, day, want string }{
		{"a day of the calendar", "holidays.ics", "20261120", "told n"},
		{"another day", "holidays.ics", "20261121", "stored 1; released n"},
		{"a file that nobody can read", "holidays.ics", "tomorrow", "told n"},
		{"a calendar of another name", "team.ics", "20261121", "told n"},
		{"no directory", "", "", "told n"},
	} {
		for _, written := range []string{"NodePool", "DisruptionPolicy"} {
			annotations := map[string]string{annotation.StewardEnforced: "true"}
			if written == "NodePool" {
				annotations[annotation.Disruption] = budgets
			}
			e := newEstate(annotations)
			e.node("n", time.Hour, drifted("AMIDrift"))
			if written != "NodePool" {
				e.share("policy", "{all: true, "+budgets+"}")
			}
			s, told := e.steward("")
			if c.file != "" {
				dir := t.TempDir()
				event := "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:x\r\nBEGIN:VEVENT\r\nDTSTART;VALUE=DATE:" + c.day + "\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n"
				if err := os.WriteFile(filepath.Join(dir, c.file), []byte(event), 0o600); err != nil {
					t.Fatal(err)
				}
				s.Calendars = ical.NewDirectory(dir, "")
			}
			if _, err := s.Pass(t.Context()); err != nil {
				t.Fatal(err)
			}
			want := c.want
			if written == "DisruptionPolicy" { // the NodePool says that it is under it, and the policy what is released
				want = map[string]string{"told n": "stored 0; told n", "stored 1; released n": "policy; stored 1; released n"}[want]
			}
			if got := told(); got != want {
				t.Errorf("%s, written in the %s: %s, want %s", c.rule, written, got, want)
			}
			var np v1.NodePool
			if err := s.Client.Get(t.Context(), client.ObjectKey{Name: "p"}, &np); err != nil {
				t.Fatal(err)
			}
			const named = `calendar \"holidays\" cannot be read: `
			if status := np.Annotations[annotation.Status]; written == "DisruptionPolicy" &&
				(strings.Contains(status, named) != (c.day == "tomorrow") || c.day == "tomorrow" && !strings.Contains(status, "/holidays.ics: ")) {
				t.Errorf("%s, written in the %s: the status is %s", c.rule, written, status)
			}
		}
	}
}
