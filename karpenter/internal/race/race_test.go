package race

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
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

func TestThePoolsOfAFleetDiffer(t *testing.T) {
	f, err := NewFleet(500)
	if err != nil {
		t.Fatal(err)
	}
	got, err := f.mapping(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	// Each pool has 100 nodes, of which two are being deleted and two are not Ready, and lets 6 % to 10 % go.
	want := map[string]int{"pool-0": 2, "pool-1": 3, "pool-2": 4, "pool-3": 5, "pool-4": 6}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestGrouped(t *testing.T) {
	for n, want := range map[int64]string{0: "0", 999: "999", 1_000: "1,000", 12_345: "12,345", 1_234_567: "1,234,567"} {
		if got := Grouped(n); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}
