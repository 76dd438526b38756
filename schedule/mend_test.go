package schedule

import (
	"fmt"
	"strings"
	"testing"

	"github.com/robfig/cron/v3"
)

// set returns the numbers that robfig/cron reads in a field.
func set(t *testing.T, position int, text string) uint64 {
	t.Helper()
	parts := [5]string{"*", "*", "*", "*", "*"}
	parts[position] = text
	parsed, err := cron.ParseStandard(strings.Join(parts[:], " "))
	if err != nil {
		t.Fatal(err)
	}
	spec := parsed.(*cron.SpecSchedule)
	return [5]uint64{spec.Minute, spec.Hour, spec.Dom, spec.Month, spec.Dow}[position]
}

// around returns every step-th number from one to another, going on from the maximum to the minimum.
func around(f field, from, to, step int) uint64 {
	size := f.max - f.min + 1
	for to < from {
		to += size
	}
	var numbers uint64
	for n := from; n <= to; n += step {
		numbers |= 1 << ((n-f.min)%size + f.min)
	}
	return numbers
}

func TestMendedRangesNameWhatWasMeant(t *testing.T) {
	for position, f := range fields {
		limit := f.max
		if f.name == "day of week" {
			limit = 7
		}
		for from := f.min; from <= limit; from++ {
			for to := f.min; to <= limit; to++ {
				for _, step := range []int{0, 1, 2, 3, 5, 59, 1000} {
					text := fmt.Sprintf("%d-%d/%d", from, to, step)
					if step == 0 {
						text, step = fmt.Sprintf("%d-%d", from, to), 1
					}
					want := around(f, from, to, step)
					if from == 7 && to == 7 && f.name == "day of week" {
						want = 1
					}
					if got := set(t, position, f.mend(text)); got != want {
						t.Fatalf("%s %s is mended to %s: %b, want %b", f.name, text, f.mend(text), got, want)
					}
				}
			}
		}
	}
}

func TestMendedRangesOfNamesNameWhatWasMeant(t *testing.T) {
	for position, f := range fields {
		for from := range f.names {
			for to := range f.names {
				text := strings.ToUpper(f.names[from][:3]) + "-" + f.names[to]
				want := around(f, f.min+from, f.min+to, 1)
				if got := set(t, position, f.mend(text)); got != want {
					t.Fatalf("%s %s is mended to %s: %b, want %b", f.name, text, f.mend(text), got, want)
				}
			}
		}
	}
}

func TestFieldsThatCannotBeMended(t *testing.T) {
	for _, text := range []string{"", ",", "-", "/", "1,", "x", "1-x", "x-1", "sun-x", "8", "1-8", "8-1", "-1", "1/x", "1/0", "1/-1", "su", "unm", "sundays", "march", "5-1-3", "*-5"} {
		if got := fields[4].mend(text); got != "" {
			t.Errorf("%q is mended to %q", text, got)
		}
	}
}
