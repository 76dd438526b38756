package disruptkit

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/disruptkit/disruptkit/budget"
)

func TestForWhichPacesStartsAreKept(t *testing.T) {
	noon := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	gone := func(per string, minutes int) budget.Pace {
		return budget.Pace{Per: per, Gone: noon.Add(time.Duration(-minutes) * time.Minute)}
	}
	for _, c := range []struct {
		name string
		per  string // of the list
		last []budget.Pace
		want []budget.Pace
	}{
		{"none", "", nil, nil},
		{"that of the list", "1h", nil, []budget.Pace{{Per: "1h"}}},
		{"that of the list, of a year", "8784h", nil, []budget.Pace{{Per: "8784h"}}},
		{"one that is gone, from now on", "", []budget.Pace{{Per: "1h"}}, []budget.Pace{gone("1h", 0)}},
		{"one that has been gone for less than its period", "", []budget.Pace{gone("1h", 59)}, []budget.Pace{gone("1h", 59)}},
		{"none that has been gone for its period", "", []budget.Pace{gone("1h", 60)}, nil},
		{"a longer one", "1h", []budget.Pace{{Per: "24h"}}, []budget.Pace{gone("24h", 0), {Per: "1h"}}},
		{"no shorter one", "24h", []budget.Pace{gone("2h", 5), {Per: "1h"}}, []budget.Pace{{Per: "24h"}}},
		{"one that outlives a longer one", "", []budget.Pace{gone("3h", 170), gone("2h", 5)}, []budget.Pace{gone("3h", 170), gone("2h", 5)}},
		{"none that a longer one outlives", "", []budget.Pace{gone("3h", 20), gone("2h", 5)}, []budget.Pace{gone("3h", 20)}},
		{"in whatever order", "", []budget.Pace{gone("2h", 5), gone("3h", 170)}, []budget.Pace{gone("3h", 170), gone("2h", 5)}},
		{"one that is gone since long after now, from now on", "", []budget.Pace{gone("1h", -61)}, []budget.Pace{gone("1h", 0)}},
		{"none that cannot be read", "1h", []budget.Pace{{Per: "day"}, {Per: "-2h"}, {Per: "8785h"}, {Per: "90s"}, {Per: "9999999h"}, {}}, []budget.Pace{{Per: "1h"}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			list := []budget.Budget{{Nodes: "1"}}
			if c.per != "" {
				list = append(list, budget.Budget{Nodes: "1", Per: c.per})
			}
			set, err := budget.Compile(list)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, keepStarts(set, noon, c.last)); diff != "" {
				t.Error(diff)
			}
			if got := keepStarts(set, time.Time{}, c.last); !cmp.Equal(got, c.last) {
				t.Errorf("without a time: %v", got)
			}
			longest := time.Duration(0)
			for _, p := range c.want[:min(1, len(c.want))] {
				longest, _ = time.ParseDuration(p.Per)
			}
			if got := keptFor(c.want); got != longest {
				t.Errorf("starts are kept for %v, want %v", got, longest)
			}
		})
	}
}
