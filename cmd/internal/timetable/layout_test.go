package timetable

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
)

// firstDays generates days at 00:00 around changes of the clock, Mondays and others, some of them odd: half an hour, at midnight, before
// midnight into the day before, a day left out, and seconds.
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
		time.Date(2021, 3, 1, 0, 0, 0, 0, time.UTC), time.Date(2020, 8, 31, 0, 0, 0, 0, time.UTC), // in Tehran on a Monday at 00:00
		time.Date(2040, 11, 26, 0, 0, 0, 0, time.UTC), // up to the end of a leap year that only a rule of the zone reaches
	}).Draw(t, "around")
	day := from.AddDate(0, 0, rapid.IntRange(0, 48).Draw(t, "days"))
	return time.Date(day.Year(), day.Month(), day.Day(), 0, 0, 0, 0, location)
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

func forecast(t *rapid.T, set budget.Set, start time.Time, nodes int, reason candidate.Reason) Week {
	_, week, err := Week{Start: start}.bounds()
	if err != nil {
		t.Fatal(err)
	}
	segments, err := set.Forecast(week.from, week.to.Add(time.Hour), nodes, reason)
	if err != nil {
		t.Fatal(err)
	}
	return Week{reason, start, segments, nil}
}

func TestEveryMinuteIsInOneBlockThatSaysWhatIsAllowed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		set, err := budget.Compile(lists(t))
		if err != nil {
			t.Fatal(err)
		}
		start, nodes := firstDays(t), rapid.IntRange(0, 120).Draw(t, "nodes")
		p := Pool{Nodes: nodes, Budgets: set}
		for _, r := range methods {
			p.Weeks = append(p.Weeks, forecast(t, set, start, nodes, r))
		}
		sheets, err := lay([]Pool{p})
		if err != nil {
			t.Fatal(err)
		}
		if len(sheets) != 1 {
			t.Fatalf("%d sheets for one week", len(sheets))
		}
		s, seen := sheets[0], 0
		for _, c := range s.charts {
			for _, r := range c.reasons {
				seen++
				checkMinutes(t, s, c, r)
			}
		}
		if seen != len(methods) {
			t.Errorf("%d reasons are drawn of %d", seen, len(methods))
		}
	})
}

// The hour is put back from 2:00 to 1:00. Spans of the same amount reach beyond the block.
func TestAMixedBlockTellsOnlyOfItsOwnTime(t *testing.T) {
	set, err := budget.Compile([]budget.Budget{{Nodes: "1"}, {Nodes: "1", Schedule: "37 22 * * *", Duration: "1m"},
		{Nodes: "1", Per: "1h", Schedule: "*/5 1-4 * * *", Duration: "1m", Outside: true}})
	if err != nil {
		t.Fatal(err)
	}
	location, err := time.LoadLocation("America/New_York")
	if err != nil {
		t.Fatal(err)
	}
	monday := time.Date(2026, 10, 26, 0, 0, 0, 0, location)
	segments, err := set.Forecast(monday, monday.AddDate(0, 0, 7), 0, candidate.Drifted)
	if err != nil {
		t.Fatal(err)
	}
	sheets, err := lay([]Pool{{Budgets: set, Weeks: []Week{{candidate.Drifted, monday, segments, nil}}}})
	if err != nil {
		t.Fatal(err)
	}
	mixed := 0
	for _, d := range sheets[0].charts[0].days {
		for _, b := range d.blocks {
			if tip := sheets[0].tip(b); b.mixed {
				mixed++
				if strings.Contains(tip, "for -") || !strings.Contains(tip, "at a pace for ") {
					t.Error(tip)
				}
			}
		}
	}
	if mixed == 0 {
		t.Error("no block is mixed")
	}
}

// checkMinutes compares what a chart says with AllowedByReason.
func checkMinutes(t *rapid.T, s sheet, c chart, reason candidate.Reason) {
	drawn := make([]bool, (s.week.to.Sub(s.week.from)+time.Minute-1)/time.Minute) // a change of the clock may be by seconds
	for _, d := range c.days {
		for _, b := range d.blocks {
			label, tip := s.fitting(b, roomOnBlock), s.tip(b)
			first := (b.span.from.Sub(s.week.from) + time.Minute - 1) / time.Minute
			for i := int(first); s.week.from.Add(time.Duration(i) * time.Minute).Before(b.span.to); i++ {
				at := s.week.from.Add(time.Duration(i) * time.Minute)
				if drawn[i] {
					t.Fatalf("%s is in two blocks", at)
				}
				drawn[i] = true
				checkPlace(t, d, b, at)
				allowed, err := budget.AllowedByReason(s.pool.Budgets, at, s.nodes, reason)
				if err != nil {
					t.Fatal(err)
				}
				want := amount(allowed.Nodes, s.nodes)
				segments, err := s.pool.Budgets.Forecast(at, at.Add(1), s.nodes, reason)
				if err != nil {
					t.Fatal(err)
				}
				paced := segments[0].Paces != 0
				if !b.mixed && b.paced() != paced || paced && !strings.Contains(tip, "at the pace of ") && !strings.Contains(tip, "at a pace for ") {
					t.Fatalf("at %s nodes start at a pace: %t; the tip is %q", at, paced, tip)
				}
				if number, _, _ := strings.Cut(want, " of "); label != want && label != number && label != "mixed" {
					t.Fatalf("at %s the label is %q, and %s is allowed", at, label, want)
				}
				if !strings.Contains(tip, ": "+want) && !(label == "mixed" && strings.Contains(tip, want+" for ")) {
					t.Fatalf("at %s the tip is %q, and %s is allowed", at, tip, want)
				}
			}
		}
	}
	if i := slices.Index(drawn, false); i >= 0 {
		t.Fatalf("%s is in no block", s.week.from.Add(time.Duration(i)*time.Minute))
	}
}

// checkPlace checks that a time is where a clock on the wall shows it.
func checkPlace(t *rapid.T, d day, b block, at time.Time) {
	hour, minute, second := at.Clock()
	clock := time.Duration(hour)*time.Hour + time.Duration(minute)*time.Minute + time.Duration(second)*time.Second
	if place := b.stretch.from + at.Sub(b.span.from); place != clock || at.Day() != d.date.Day() || at.Month() != d.date.Month() {
		t.Fatalf("%s is drawn on %s at %s", at, d.date.Format(time.DateOnly), place)
	}
}

// roomOnBlock is the room that there is on a block of full width.
const roomOnBlock = column - space - 6

func TestBlocksAndGapsCoverADayWithoutOverlap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		set, err := budget.Compile(lists(t))
		if err != nil {
			t.Fatal(err)
		}
		sheets, err := lay([]Pool{{Nodes: 40, Budgets: set, Weeks: []Week{forecast(t, set, firstDays(t), 40, candidate.Drifted)}}})
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range sheets[0].charts[0].days {
			var area time.Duration // the whole column is 24 hours; lanes are parts of 60, so that none is lost
			for _, g := range d.gaps {
				area += 60 * (g.to - g.from)
			}
			for i, a := range d.blocks {
				area += a.length() * time.Duration(60/a.lanes)
				if a.length() <= 0 || a.span.to.Sub(a.span.from) != a.length() {
					t.Fatalf("a block is %v long, and drawn as %v", a.span.to.Sub(a.span.from), a.length())
				}
				for _, b := range d.blocks[:i] {
					if a.stretch.from < b.stretch.to && b.stretch.from < a.stretch.to && (a.lanes != b.lanes || a.lane == b.lane) {
						t.Fatalf("blocks %v and %v of %s overlap", a.slot, b.slot, d.date)
					}
				}
			}
			if area != 60*fullDay {
				t.Fatalf("on %s %s of 24h are drawn", d.date.Format(time.DateOnly), area/60)
			}
		}
	})
}

// layout describes a day: "00:00–02:00 closed; 02:00–02:30 left closed; …".
func layout(s sheet, d day) string {
	var texts []string
	for _, g := range d.gaps {
		texts = append(texts, fmt.Sprintf("%s–%s nothing", hour(g.from), hour(g.to)))
	}
	for _, b := range d.blocks {
		half := ""
		if b.lanes == 2 {
			half = []string{" left", " right"}[b.lane]
		}
		texts = append(texts, fmt.Sprintf("%s–%s%s %s", hour(b.stretch.from), hour(b.stretch.to), half, s.fitting(b, 1000)))
	}
	slices.Sort(texts)
	return strings.Join(texts, "; ")
}

func TestDaysByTheClockOnTheWall(t *testing.T) {
	for _, c := range []struct {
		name   string
		list   []budget.Budget
		monday time.Time
		day    int
		want   string
	}{
		{"midnight cuts a span", businessHours, advent, 1, "00:00–09:00 closed; 09:00–17:00 4 of 40; 17:00–24:00 closed"},
		{"a span ends where it ends", []budget.Budget{{Nodes: "0", Schedule: "37 9 * * mon", Duration: "1h"}}, advent, 0,
			"00:00–09:37 unlimited; 09:37–10:37 closed; 10:37–24:00 unlimited"},
		{"the hour that the clock leaves out is empty, and its spans go on below", nightsInBerlin, inBerlin(t, 2027, 3, 22), 6,
			"00:00–02:00 closed; 02:00–03:00 nothing; 03:00–04:30 closed; 04:30–22:00 8 of 40; 22:00–24:00 closed"},
		{"the hour that appears twice is in halves", nightsInBerlin, inBerlin(t, 2026, 10, 19), 6,
			"00:00–02:00 closed; 02:00–02:30 right closed; 02:00–03:00 left closed; " +
				"02:30–03:00 right 8 of 40; 03:00–22:00 8 of 40; 22:00–24:00 closed"},
		{"spans of a minute are one block", minuteWise, advent, 0,
			"00:00–09:00 unlimited; 09:00–16:59 mixed; 16:59–20:00 unlimited; 20:00–20:10 5 of 40; 20:10–24:00 unlimited"},
		{"so are many that are hardly higher than a pixel", []budget.Budget{{Nodes: "0", Schedule: "*/20 9-10 * * *", Duration: "10m"}}, advent, 0,
			"00:00–09:00 unlimited; 09:00–10:50 mixed; 10:50–24:00 unlimited"},
		{"one of them alone is drawn", []budget.Budget{{Nodes: "0", Schedule: "0 9 * * *", Duration: "1m"}}, advent, 3,
			"00:00–09:00 unlimited; 09:00–09:01 closed; 09:01–24:00 unlimited"},
		{"two that are lower than a pixel are one block",
			[]budget.Budget{{Nodes: "0", Schedule: "0 9 * * *", Duration: "1m"}, {Nodes: "1", Schedule: "1 9 * * *", Duration: "2m"}}, advent, 3,
			"00:00–09:00 unlimited; 09:00–09:03 mixed; 09:03–24:00 unlimited"},
		{"a few short ones are drawn",
			[]budget.Budget{{Nodes: "0", Schedule: "0 9 * * *", Duration: "5m"}, {Nodes: "1", Schedule: "5 9 * * *", Duration: "10m"}}, advent, 3,
			"00:00–09:00 unlimited; 09:00–09:05 closed; 09:05–09:15 1 of 40; 09:15–24:00 unlimited"},
	} {
		t.Run(c.name, func(t *testing.T) {
			sheets, err := lay([]Pool{pool(t, "p", c.list, 40, c.monday, candidate.Drifted)})
			if err != nil {
				t.Fatal(err)
			}
			if got := layout(sheets[0], sheets[0].charts[0].days[c.day]); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

func TestAWeekMayBeginAtOne(t *testing.T) {
	tehran, err := time.LoadLocation("Asia/Tehran")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name     string
		day      int
		month    time.Month
		year     int
		from, to string
	}{
		{"there is no 00:00", 22, time.March, 2021, "Mon 01:00 +0430", "Mon 00:00 +0430"},
		{"there is none a week later", 15, time.March, 2021, "Mon 00:00 +0330", "Mon 01:00 +0430"},
		{"the clock goes back at 24:00 of Sunday", 14, time.September, 2020, "Mon 00:00 +0430", "Mon 00:00 +0330"},
		{"the clock went back at 24:00 of Sunday", 21, time.September, 2020, "Mon 00:00 +0330", "Mon 00:00 +0330"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, week, err := Week{Start: time.Date(c.year, c.month, c.day, 0, 0, 0, 0, tehran)}.bounds()
			if err != nil {
				t.Fatal(err)
			}
			const layout = "Mon 15:04 -0700"
			if from, to := week.from.Format(layout), week.to.Format(layout); from != c.from || to != c.to {
				t.Errorf("from %s to %s; want %s to %s", from, to, c.from, c.to)
			}
		})
	}
}

func TestWeeksOfAPoolAreSheets(t *testing.T) {
	p := pool(t, "p", businessHours, 40, inBerlin(t, 2026, 11, 23), methods...)
	next := pool(t, "p", businessHours, 40, inBerlin(t, 2026, 11, 30), methods...) // with a Location of its own, of the same zone
	again := pool(t, "p", businessHours, 40, inBerlin(t, 2026, 11, 23), "Expired")
	p.Weeks = slices.Concat(p.Weeks, next.Weeks, again.Weeks)
	sheets, err := lay([]Pool{p, next})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, s := range sheets {
		for _, c := range s.charts {
			got = append(got, s.dates()+": "+c.title())
		}
	}
	want := []string{
		"Mon 23 to Sun 29 Nov 2026: Drifted", "Mon 23 to Sun 29 Nov 2026: Empty, Underutilized, Expired",
		"Mon 30 Nov to Sun 6 Dec 2026: Drifted", "Mon 30 Nov to Sun 6 Dec 2026: Empty, Underutilized",
		"Mon 30 Nov to Sun 6 Dec 2026: Drifted", "Mon 30 Nov to Sun 6 Dec 2026: Empty, Underutilized",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}
