package candidate_test

import (
	"testing"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/candidate/kube"
	"github.com/disruptkit/disruptkit/internal/testkit/fixture"
	"github.com/disruptkit/disruptkit/schedule"
)

// Windows that contradict each other are never open, which takes long to compute: their pod is blocked, and judged
// again later.
func TestAWindowThatTakesTooLongToFollowIsAskedAgain(t *testing.T) {
	now := time.Date(2026, 11, 20, 12, 34, 56, 0, time.UTC)
	for _, c := range []struct {
		name        string
		annotations map[string]string
		closed      bool
	}{
		{"never open", annotationsOf("*/2 * * * *", "1m", "*/2 * * * *", "1m", ""), true},
		{"never open, of a hundred schedules", annotationsOf("{}/2 * * * *", "1m", "{}/2 * * * *", "1m", "Europe/Berlin"), true},
		{"never closed", annotationsOf("*/2 * * * *;1-59/2 * * * *", "1m", "", "", ""), false},
	} {
		t.Run(c.name, func(t *testing.T) {
			var parser kube.Parser
			terms, _ := parser.Terms("", "", c.annotations)
			n := candidate.Node{Pods: []candidate.Pod{{Name: "web-0", Terms: terms}}}
			v := fixture.Open(candidate.Rules{}, now).Judge(&n, candidate.Condition{})
			if !v.Until.After(now.Add(2*time.Minute)) || (len(v.Blockers) > 0) != c.closed {
				t.Fatalf("until %v it is blocked by %v", v.Until, v.Blockers)
			}
			for _, b := range v.Blockers {
				if b.Code != candidate.CodeOutsideSchedule || !b.Until.IsZero() || len(b.Message) > 400 {
					t.Errorf("it is blocked by %v", b)
				}
			}
			for at := now; at.Before(v.Until); at = at.Add(10 * time.Second) {
				if schedule.InWindow(terms.Window, at) == c.closed {
					t.Fatalf("at %v it is closed %t", at, !c.closed)
				}
			}
		})
	}
}

// BenchmarkCostlyAnnotations compares annotations with one that is usual, the first. What this is about once took ten
// thousand times as long.
func BenchmarkCostlyAnnotations(b *testing.B) {
	now := time.Date(2026, 11, 20, 12, 34, 56, 0, time.UTC)
	for _, c := range costly {
		b.Run(c.name, func(b *testing.B) {
			var parser kube.Parser
			terms, _ := parser.Terms("", "", annotationsOf(c.schedule, c.duration, c.block, c.blockFor, c.zone))
			n := candidate.Node{Pods: []candidate.Pod{{Name: "web-0", Terms: terms}}}
			for b.Loop() {
				fixture.Open(candidate.Rules{}, now).Judge(&n, candidate.Condition{})
			}
		})
	}
}
