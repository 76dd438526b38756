package race

import (
	"testing"
	"time"
)

// The races themselves compare the answers: each constructor fails where they differ.

func TestRacesAreBetweenEqualAnswers(t *testing.T) {
	for _, cron := range []string{"0 9 * * mon-fri", "@daily"} {
		t.Run(cron, func(t *testing.T) {
			if _, err := Window(cron, 8*time.Hour); err != nil {
				t.Error(err)
			}
		})
	}
	for _, budgets := range []int{0, 1, 5, 50} {
		t.Run(count(budgets, "budget"), func(t *testing.T) {
			if _, err := Allowance(budgets); err != nil {
				t.Error(err)
			}
		})
	}
	t.Run("500 nodes", func(t *testing.T) {
		f, err := NewFleet(500)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Mapping(); err != nil {
			t.Error(err)
		}
		if _, err := f.Pass(); err != nil {
			t.Error(err)
		}
	})
}
