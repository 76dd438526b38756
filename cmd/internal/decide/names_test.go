package decide

import (
	"fmt"
	"strings"
	"testing"
)

func TestNamesAreThoseThatAreAllowedForOneReason(t *testing.T) {
	for reason, want := range map[string]string{
		"Drifted": "node/ip-10-0-36-243.us-west-2.compute.internal node/ip-10-0-40-246.us-west-2.compute.internal",
		"Expired": "",
	} {
		got := decided("", "-o", "name", "--reason", reason, "-f", rfcs, "--now", "2026-11-20T10:30:00Z")
		if names := strings.Join(strings.Fields(got.stdout), " "); names != want || got.status == hopeless {
			t.Errorf("%s: %q, want %q; status %d: %s", reason, names, want, got.status, got.stderr)
		}
	}
	for _, args := range [][]string{nil, {"--reason", "Drifted,Empty"}, {"--reason", "Underutilized"}} {
		if got := decided("", append([]string{"-o", "name"}, args...)...); got.stdout != "" || got.status != hopeless {
			t.Errorf("%s: status %d: %s", fmt.Sprint(args), got.status, got.stdout)
		}
	}
}
