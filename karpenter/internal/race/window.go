package race

import (
	"fmt"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"

	"github.com/disruptkit/disruptkit/schedule"
)

// Window is whether the window of a budget is open. Karpenter reads the cron expression each time; disruptkit has
// read it when the budget was compiled.
func Window(cron string, d time.Duration) (Race, error) {
	budget := &v1.Budget{Nodes: "0", Schedule: &cron, Duration: &metav1.Duration{Duration: d}}
	window, err := schedule.Parse(cron, d, "")
	if err != nil {
		return Race{}, err
	}
	week := everyFiveHours(friday)
	now := &still{}
	for _, now.now = range week {
		active, err := budget.IsActive(now)
		if err != nil {
			return Race{}, err
		}
		if open := schedule.InWindow(window, now.now); open != active {
			return Race{}, fmt.Errorf("%q at %s: disruptkit says %v, Karpenter %v", cron, now.now, open, active)
		}
	}
	return Race{
		Rule: "Window open? " + cron,
		Karpenter: func(b *testing.B) {
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				now.now = week[i%len(week)]
				_, _ = budget.IsActive(now)
			}
		},
		DisruptKit: func(b *testing.B) {
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				schedule.InWindow(window, week[i%len(week)])
			}
		},
	}, nil
}

// everyFiveHours returns times all over the day and the week from a time on: how far the next hit is matters to
// Karpenter.
func everyFiveHours(from time.Time) (times []time.Time) {
	for h := 0; h < 7*24; h += 5 {
		times = append(times, from.Add(time.Duration(h)*time.Hour))
	}
	return times
}
