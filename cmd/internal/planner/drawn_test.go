package planner

import (
	"path/filepath"
	"strings"
	"testing"
	"time"
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

// A scale is where times are in a picture.
type scale map[time.Time]float64

// steps returns when a node's replacement is launched, and when the node drains.
func (n jsonNode) steps(from time.Time) (launch, drain [2]time.Time) {
	if n.Start != nil {
		from = *n.Start
	}
	switch {
	case n.Ready == nil:
		return launch, [2]time.Time{from, *n.Gone}
	case n.Ready.After(*n.Gone):
		return [2]time.Time{*n.Gone, *n.Ready}, [2]time.Time{from, *n.Gone}
	}
	return [2]time.Time{from, *n.Ready}, [2]time.Time{*n.Ready, *n.Gone}
}
