package decide

import (
	"os"
	"strings"
	"testing"
)

// At 10:30, n-4 of testdata/paced.yaml is in flight.
func TestAStartIsReportedAsFarAsItIsKnown(t *testing.T) {
	const remembered = `{"node": "gone", "reason": "Drifted/AMIDrift", "at": "2026-11-20T09:40:00Z", "seen": true}`
	yaml, err := os.ReadFile("testdata/paced.yaml")
	if err != nil || !strings.Contains(string(yaml), remembered) {
		t.Fatal(err)
	}
	for _, test := range []struct{ name, starts, want string }{
		{"one that nobody remembers", "", "n-4 (counts as now, since its start is not known)"},
		{"one that is remembered", `{"node": "n-4", "at": "2026-11-20T10:20:00Z", "seen": true}`, "n-4 Fri 10:20 (10m ago)"},
		{"one that is remembered, of right now", `{"node": "n-4", "at": "2026-11-20T10:30:00Z", "seen": true}`, "n-4 Fri 10:30 (0s ago)"},
		{"one in the future, by a wrong clock", `{"node": "n-4", "at": "2026-11-20T10:40:00Z", "seen": true}`, "n-4 (counts from now on, since a wrong clock put it at 2026-11-20T10:40:00Z)"},
		{"one of another node, of right now", `{"node": "gone", "at": "2026-11-20T10:30:00Z", "seen": true}`, "n-4 (counts as now, since its start is not known)"},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := decided(strings.Replace(string(yaml), remembered, test.starts, 1), "--engine", "disruptkit", "--now", "2026-11-20T10:30:00Z", "--reason", "Drifted", "-f", "-")
			if !strings.Contains(strings.Join(strings.Fields(got.stdout), " "), test.want) {
				t.Errorf("%q is not in\n%s%s", test.want, got.stdout, got.stderr)
			}
		})
	}
}
