package planner

import (
	"path/filepath"
	"strings"
	"testing"
)

// Where no node is done there are no times before what is said of deadlines.
func TestAZoneThatIsNeverDoneSaysOnlyHowManyAreLate(t *testing.T) {
	file := filepath.Join(t.TempDir(), "fleet.yaml")
	write(t, file, strings.Replace(strings.Replace(fleet(1, "null"), "budgets: null", "drift: {deadline: 30h}", 1),
		"labels: {app: api-2}", `labels: {app: api-2}, annotations: {karpenter.sh/do-not-disrupt: "true"}`, 1))
	got := ran("", "-f", file, "--now", "2026-11-20T18:00:00Z", "--horizon", "72h", "--try=false").stdout
	if !strings.Contains(got, "  0 of 1  1 misses its deadline\n") {
		t.Error(got)
	}
	for format, want := range map[string]string{"text": "1 never, 1 misses its deadline.\n", "svg": "1 never, 1 late</title>"} {
		got := ran("", "-f", file, "--now", "2026-11-20T18:00:00Z", "--horizon", "6h", "--try=false", "-o", format).stdout
		if head, _, _ := strings.Cut(got, "Main cause"); !strings.Contains(head, want) {
			t.Errorf("the deadline is beyond the horizon, and a node that never goes misses it: %s", head)
		}
	}
}
