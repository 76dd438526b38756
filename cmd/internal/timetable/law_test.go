package timetable

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/internal/command"
	"github.com/disruptkit/disruptkit/schedule"
)

// firstDays generates days around changes of the clock, some of them odd: half an hour, at midnight, before midnight into the day before, a
// day left out, and seconds.
func firstDays(t *rapid.T) time.Time {
	zone := rapid.SampledFrom([]string{"UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "America/Sao_Paulo",
		"Asia/Beirut", "America/St_Johns", "America/Havana", "Pacific/Apia", "Africa/Monrovia", "Asia/Kolkata", "Asia/Tehran"}).Draw(t, "zone")
	location, err := time.LoadLocation(zone)
	if err != nil {
		t.Fatal(err)
	}
	from := rapid.SampledFrom([]time.Time{
		time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC), time.Date(2026, 9, 28, 0, 0, 0, 0, time.UTC), time.Date(2011, 12, 26, 0, 0, 0, 0, time.UTC),
		time.Date(2007, 10, 1, 0, 0, 0, 0, time.UTC), time.Date(1972, 1, 3, 0, 0, 0, 0, time.UTC), time.Date(2018, 10, 29, 0, 0, 0, 0, time.UTC),
		time.Date(2021, 3, 1, 0, 0, 0, 0, time.UTC), time.Date(2020, 8, 31, 0, 0, 0, 0, time.UTC), time.Date(2040, 11, 26, 0, 0, 0, 0, time.UTC),
	}).Draw(t, "around")
	day := from.AddDate(0, 0, rapid.IntRange(0, 48).Draw(t, "days"))
	return command.Day(day.Year(), day.Month(), day.Day(), location)
}

// lists generates budgets, from such that are never active to such that change each minute.
func lists(t *rapid.T) []budget.Budget {
	one := rapid.Custom(func(t *rapid.T) budget.Budget {
		b := budget.Budget{
			Nodes:    rapid.SampledFrom([]string{"0", "1", "5", "10%", "35%", "100%", "9999999"}).Draw(t, "nodes"),
			Reasons:  rapid.SampledFrom([][]candidate.Reason{nil, drifted, {candidate.Empty}, methods}).Draw(t, "reasons"),
			TimeZone: rapid.SampledFrom([]string{"", "Europe/Berlin", "America/St_Johns"}).Draw(t, "zone"),
			Outside:  rapid.Bool().Draw(t, "outside"),
			Per:      rapid.SampledFrom([]string{"", "", "", "1h"}).Draw(t, "per"),
		}
		if b.Nodes == "0" {
			b.Per = ""
		}
		b.Schedule = rapid.SampledFrom([]string{"", "0 9 * * mon-fri", "*/2 * * * *",
			"37 22 * * *", "*/5 1-4 * * *", "0 0 * * sun", "*/30 * * * *"}).Draw(t, "schedule")
		b.Duration = rapid.SampledFrom([]string{"1m", "3m", "8h", "10h37m", "30h"}).Draw(t, "duration")
		if b.Schedule == "" {
			b.Duration, b.TimeZone, b.Outside = "", "", false
		}
		return b
	})
	return rapid.SliceOfN(one, 0, 4).Draw(t, "budgets")
}

// checked returns the row of a pool for a reason.
func checked(t *rapid.T) (Pool, Row) {
	set, err := budget.Compile(lists(t))
	if err != nil {
		t.Fatal(err)
	}
	p := Pool{Start: firstDays(t), Nodes: rapid.IntRange(0, 120).Draw(t, "nodes"), Budgets: set}
	segments, err := set.Forecast(p.Start, p.day(Days), p.Nodes, candidate.Drifted)
	if err != nil {
		t.Fatal(err)
	}
	p.Weeks = []Week{{candidate.Drifted, segments, nil}}
	return p, p.Rows()[0]
}

func TestEveryMinuteIsInOneBlockThatSaysWhatIsAllowed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, row := checked(t)
		if len(row.Blocks) > max(mostBlocks, Days*25) {
			t.Fatalf("%d blocks", len(row.Blocks))
		}
		for at := p.Start; at.Before(p.day(Days)); at = at.Add(time.Minute) {
			blocks := slices.DeleteFunc(slices.Clone(row.Blocks), func(b Block) bool { return !b.Contains(at) })
			if len(blocks) != 1 {
				t.Fatalf("%s is in %d blocks", at, len(blocks))
			}
			allowed, err := budget.AllowedByReason(p.Budgets, at, p.Nodes, candidate.Drifted)
			if err != nil {
				t.Fatal(err)
			}
			i := slices.IndexFunc(row.Segments, func(s budget.Segment) bool { return s.Contains(at) })
			if b, s := blocks[0], row.Segments[i]; b.Class != mixed && (b.Allowance != allowed || b.Paces != s.Paces) {
				t.Fatalf("at %s the block says %+v, and %+v is allowed", at, b.Segment, s)
			}
		}
	})
}

// A day is drawn as clocks on the wall show it, also where they change in it.
func TestPartsAreWhereTheClockShowsThem(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, row := checked(t)
		shown := map[string]time.Duration{}
		for i := range Days {
			for _, b := range row.Blocks {
				for _, part := range parts(b.Span, schedule.Span{Start: p.day(i), End: p.day(i + 1)}) {
					if part.from < 0 || part.length <= 0 || part.from+part.length > 24.0001 {
						t.Fatalf("%+v is beyond the day", part)
					}
					shown[fmt.Sprint(i)] += time.Duration(part.length * float64(time.Hour))
				}
			}
			if length := p.day(i + 1).Sub(p.day(i)); (shown[fmt.Sprint(i)] - length).Abs() > time.Second {
				t.Fatalf("of %s, %s is drawn", length, shown[fmt.Sprint(i)])
			}
		}
	})
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	at := func(month time.Month, day, hour int) time.Time {
		return time.Date(2026, month, day, hour, 0, 0, 0, berlin)
	}
	for _, c := range []struct {
		name string
		s    schedule.Span
		day  time.Time
		want []part
	}{
		{"within a day", schedule.Span{Start: at(11, 23, 9), End: at(11, 23, 17)}, at(11, 23, 0), []part{{9, 8}}},
		{"cut at midnight", schedule.Span{Start: at(11, 23, 17), End: at(11, 25, 9)}, at(11, 24, 0), []part{{0, 24}}},
		{"of another day", schedule.Span{Start: at(11, 23, 17), End: at(11, 24, 0)}, at(11, 24, 0), nil},
		{"clocks go forward", schedule.Span{Start: at(3, 29, 0), End: at(3, 29, 9)}, at(3, 29, 0), []part{{0, 2}, {3, 6}}},
		{"clocks go back", schedule.Span{Start: at(10, 25, 0), End: at(10, 25, 9)}, at(10, 25, 0), []part{{0, 3}, {2, 7}}},
	} {
		if got := parts(c.s, schedule.Span{Start: c.day, End: c.day.AddDate(0, 0, 1)}); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}
