package karpenter_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/disruptkit/disruptkit/karpenter/internal/race"
)

func BenchmarkIsActive(b *testing.B) {
	for _, c := range []struct{ name, cron string }{{"weekdays", "0 9 * * mon-fri"}, {"daily", "@daily"}} {
		b.Run(c.name, func(b *testing.B) {
			r, err := race.Window(c.cron, 8*time.Hour)
			both(b, r, err)
		})
	}
}

func BenchmarkAllowedByReason(b *testing.B) {
	for _, budgets := range []int{1, 5, 50} {
		b.Run(fmt.Sprintf("budgets=%d", budgets), func(b *testing.B) {
			r, err := race.Allowance(budgets)
			both(b, r, err)
		})
	}
}

// BenchmarkBudgetMapping is about numbers alone, and, as guard/…, about all that the guard does.
func BenchmarkBudgetMapping(b *testing.B) {
	for _, nodes := range []int{100, 1_000, 10_000} {
		b.Run(fmt.Sprintf("nodes=%d", nodes), func(b *testing.B) {
			f, err := race.NewFleet(nodes)
			if err != nil {
				b.Fatal(err)
			}
			r, err := f.Mapping()
			both(b, r, err)
			b.Run("guard", func(b *testing.B) {
				r, err := f.Pass()
				if err != nil {
					b.Fatal(err)
				}
				r.DisruptKit(b)
			})
		})
	}
}

func both(b *testing.B, r race.Race, err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
	b.Run("karpenter", r.Karpenter)
	b.Run("disruptkit", r.DisruptKit)
}
