package kube_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/candidate/kube"
	"github.com/disruptkit/disruptkit/internal/testkit"
	"github.com/disruptkit/disruptkit/internal/testkit/fixture"
	"github.com/disruptkit/disruptkit/internal/testkit/generate"
	"github.com/disruptkit/disruptkit/schedule"
)

func TestSeveralSchedules(t *testing.T) {
	const (
		allow, allowFor = kube.DisruptionScheduleAnnotation, kube.DisruptionScheduleDurationAnnotation
		block, blockFor = kube.DisruptionBlockScheduleAnnotation, kube.DisruptionBlockDurationAnnotation
	)
	many := func(cron string, n int) string { return strings.TrimSuffix(strings.Repeat(cron+";", n), ";") }
	for _, c := range []struct {
		name        string
		annotations map[string]string
		warnings    []string
		edges       []string
	}{
		{"inside the first and outside the second",
			map[string]string{allow: "0 2 * * *", allowFor: "4h", block: "0 3 * * *"}, nil,
			[]string{"opens 2026-11-20T02:00:00Z", "closes 2026-11-20T03:00:00Z", "opens 2026-11-20T04:00:00Z",
				"closes 2026-11-20T06:00:00Z", "opens 2026-11-21T02:00:00Z"}},
		{"a block that covers the end closes earlier",
			map[string]string{allow: "0 2 * * *", allowFor: "4h", block: "0 5 * * *", blockFor: "2h"}, nil,
			[]string{"opens 2026-11-20T02:00:00Z", "closes 2026-11-20T05:00:00Z", "opens 2026-11-21T02:00:00Z"}},
		{"a block elsewhere changes nothing",
			map[string]string{allow: "0 2 * * *", allowFor: "4h", block: "0 6 * * *"}, nil,
			[]string{"opens 2026-11-20T02:00:00Z", "closes 2026-11-20T06:00:00Z", "opens 2026-11-21T02:00:00Z"}},
		{"a freeze holds over months of allowed nights",
			map[string]string{allow: "0 2 * * *", block: "0 0 24 12 *;0 0 31 12 *", blockFor: "168h"}, nil,
			[]string{"opens 2026-12-23T02:00:00Z", "closes 2026-12-23T03:00:00Z", "opens 2027-01-07T02:00:00Z", "closes 2027-01-07T03:00:00Z"}},
		{"several schedules are a union",
			map[string]string{allow: "0 2 * * 6;30 12 * * 1-5", allowFor: "1h"}, nil,
			[]string{"closes 2026-11-20T13:30:00Z", "opens 2026-11-21T02:00:00Z", "closes 2026-11-21T03:00:00Z", "opens 2026-11-23T12:30:00Z"}},
		{"of which those that touch or overlap are one",
			map[string]string{allow: "0 2 * * *;0 3 * * *;30 3 * * *"}, nil,
			[]string{"opens 2026-11-20T02:00:00Z", "closes 2026-11-20T04:30:00Z", "opens 2026-11-21T02:00:00Z"}},
		{"with one duration for all …",
			map[string]string{allow: "0 2 * * *;0 8 * * *;0 14 * * *", allowFor: "3h"}, nil,
			[]string{"opens 2026-11-20T02:00:00Z", "closes 2026-11-20T05:00:00Z", "opens 2026-11-20T08:00:00Z",
				"closes 2026-11-20T11:00:00Z", "opens 2026-11-20T14:00:00Z", "closes 2026-11-20T17:00:00Z", "opens 2026-11-21T02:00:00Z"}},
		{"… or one each",
			map[string]string{allow: "0 2 * * *;0 8 * * *;0 14 * * *", allowFor: "1h;2h;3h"}, nil,
			[]string{"opens 2026-11-20T02:00:00Z", "closes 2026-11-20T03:00:00Z", "opens 2026-11-20T08:00:00Z",
				"closes 2026-11-20T10:00:00Z", "opens 2026-11-20T14:00:00Z", "closes 2026-11-20T17:00:00Z", "opens 2026-11-21T02:00:00Z"}},
		{"spaces around the semicolons, and a semicolon at the end, mean nothing",
			map[string]string{allow: " 0 2 * * * ;\t0 8 * * *; ", allowFor: "1h ; 2h;"}, nil,
			[]string{"opens 2026-11-20T02:00:00Z", "closes 2026-11-20T03:00:00Z", "opens 2026-11-20T08:00:00Z",
				"closes 2026-11-20T10:00:00Z", "opens 2026-11-21T02:00:00Z"}},
		{"a bad part drops alone, with its duration",
			map[string]string{allow: "0 2 * * *;0 26 * * *;0 14 * * *", allowFor: "1h;2h;3h"},
			[]string{`disruption-schedule: cron expression "0 26 * * *": hour "26" is not valid: write 0 to 23 or *, combined as in 1-5, 1,3 or */2`},
			[]string{"opens 2026-11-20T02:00:00Z", "closes 2026-11-20T03:00:00Z", "opens 2026-11-20T14:00:00Z",
				"closes 2026-11-20T17:00:00Z", "opens 2026-11-21T02:00:00Z"}},
		{"an empty part is a bad part",
			map[string]string{allow: "0 2 * * *;;0 14 * * *"},
			[]string{`disruption-schedule: cron expression "" is empty: write five fields such as "0 9 * * mon-fri"`},
			[]string{"opens 2026-11-20T02:00:00Z", "closes 2026-11-20T03:00:00Z", "opens 2026-11-20T14:00:00Z",
				"closes 2026-11-20T15:00:00Z", "opens 2026-11-21T02:00:00Z"}},
		{"where all parts are bad, nothing is left of the schedule",
			map[string]string{allow: "0 26 * * *; ;", block: "0 3 * * *"},
			[]string{
				`disruption-schedule: cron expression "0 26 * * *": hour "26" is not valid: write 0 to 23 or *, combined as in 1-5, 1,3 or */2`,
				`disruption-schedule: cron expression "" is empty: write five fields such as "0 9 * * mon-fri"`,
			},
			[]string{"closes 2026-11-20T03:00:00Z", "opens 2026-11-20T04:00:00Z", "closes 2026-11-21T03:00:00Z"}},
		{"a semicolon alone is an empty part",
			map[string]string{allow: ";"},
			[]string{`disruption-schedule: cron expression "" is empty: write five fields such as "0 9 * * mon-fri"`}, nil},
		{"a bad duration is 1h, and the others are as they are",
			map[string]string{block: "0 2 * * *;0 8 * * *", blockFor: "8d;2h"},
			[]string{`disruption-block-duration: duration "8d" is not valid: write one such as 4h, 30m or 1h30m, from 1m to 168h`},
			[]string{"closes 2026-11-20T02:00:00Z", "opens 2026-11-20T03:00:00Z", "closes 2026-11-20T08:00:00Z",
				"opens 2026-11-20T10:00:00Z", "closes 2026-11-21T02:00:00Z"}},
		{"one bad duration for all is 1h for all, and told once",
			map[string]string{allow: "0 2 * * *;0 8 * * *", allowFor: "2 hours"},
			[]string{`disruption-schedule-duration: duration "2 hours" is not valid: write one such as 4h, 30m or 1h30m, from 1m to 168h`},
			[]string{"opens 2026-11-20T02:00:00Z", "closes 2026-11-20T03:00:00Z", "opens 2026-11-20T08:00:00Z",
				"closes 2026-11-20T09:00:00Z", "opens 2026-11-21T02:00:00Z"}},
		{"a wrong number of durations: 1h",
			map[string]string{allow: "0 2 * * *;0 8 * * *;0 14 * * *", allowFor: "2h;3h"},
			[]string{"disruption-schedule-duration: 2 durations for 3 schedules: write one duration for all of them, or one each"},
			[]string{"opens 2026-11-20T02:00:00Z", "closes 2026-11-20T03:00:00Z", "opens 2026-11-20T08:00:00Z",
				"closes 2026-11-20T09:00:00Z", "opens 2026-11-20T14:00:00Z", "closes 2026-11-20T15:00:00Z", "opens 2026-11-21T02:00:00Z"}},
		{"a wrong number of durations for one schedule: 1h",
			map[string]string{allow: "0 2 * * *", allowFor: "2h;3h"},
			[]string{"disruption-schedule-duration: 2 durations for 1 schedule: write one duration for all of them, or one each"},
			[]string{"opens 2026-11-20T02:00:00Z", "closes 2026-11-20T03:00:00Z", "opens 2026-11-21T02:00:00Z"}},
		{"the time zone is that of both schedules",
			map[string]string{
				allow: "0 0 * * *", allowFor: "12h", block: "0 2 * * *", blockFor: "2h",
				kube.DisruptionScheduleTimeZoneAnnotation: "Asia/Kolkata",
			}, nil,
			[]string{"opens 2026-11-19T18:30:00Z", "closes 2026-11-19T20:30:00Z", "opens 2026-11-19T22:30:00Z",
				"closes 2026-11-20T06:30:00Z", "opens 2026-11-20T18:30:00Z"}},
		{"fifty schedules count",
			map[string]string{allow: many("0 2 * * *", 49) + ";0 8 * * *", allowFor: many("1h", 49) + ";3h"}, nil,
			[]string{"opens 2026-11-20T02:00:00Z", "closes 2026-11-20T03:00:00Z", "opens 2026-11-20T08:00:00Z", "closes 2026-11-20T11:00:00Z"}},
		{"of more the first fifty do",
			map[string]string{block: many("0 2 * * *", 50) + ";0 8 * * *", blockFor: many("2h", 50) + ";3d"},
			[]string{"disruption-block-schedule: 51 schedules are too many: write at most 50"},
			[]string{"closes 2026-11-20T02:00:00Z", "opens 2026-11-20T04:00:00Z", "closes 2026-11-21T02:00:00Z"}},
		{"of thousands as well",
			map[string]string{allow: many("0 2 * * *", 50) + ";" + many("0 8 * * *", 8_000), allowFor: "30m"},
			[]string{"disruption-schedule: 8050 schedules are too many: write at most 50"},
			[]string{"opens 2026-11-20T02:00:00Z", "closes 2026-11-20T02:30:00Z", "opens 2026-11-21T02:00:00Z"}},
		{"of thousands of durations as well",
			map[string]string{allow: many("0 2 * * *", 50) + ";" + many("0 8 * * *", 8_000), allowFor: many("30m", 50) + ";" + many("1d", 8_000)},
			[]string{"disruption-schedule: 8050 schedules are too many: write at most 50"},
			[]string{"opens 2026-11-20T02:00:00Z", "closes 2026-11-20T02:30:00Z", "opens 2026-11-21T02:00:00Z"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			terms, warnings := read(c.annotations)
			if diff := cmp.Diff(c.warnings, warnings); diff != "" {
				t.Error(diff)
			}
			if terms.Invalid != (len(c.warnings) > 0) {
				t.Errorf("invalid is %t", terms.Invalid)
			}
			fixture.CheckEdges(t, candidate.Rules{}, candidate.Pod{Name: "web", Terms: terms}, c.edges...)
		})
	}
}

// A block that covers all that is allowed is no fault that can be seen in one of them: the pod says that it never may
// go.
func TestASchedulePairThatNeverOpensHoldsWithoutAnEnd(t *testing.T) {
	terms, warnings := read(map[string]string{
		kube.DisruptionScheduleAnnotation:      "0 2 * * *",
		kube.DisruptionBlockScheduleAnnotation: "0 1 * * *", kube.DisruptionBlockDurationAnnotation: "3h",
	})
	node := candidate.Node{Pods: []candidate.Pod{{Namespace: "shop", Name: "web", Terms: terms}}}
	v := fixture.Open(candidate.Rules{}, fixture.When(t, "2026-11-20T02:00:00Z")).Judge(&node, candidate.Condition{})
	want := []string{"pod/outside-schedule: pod shop/web may be disrupted only when its disruption schedule allows it: " +
		"0 2 * * * for 1h, UTC and outside (0 1 * * * for 3h, UTC)"}
	if diff := cmp.Diff(want, fixture.Said(v.Blockers)); diff != "" || warnings != nil {
		t.Error(diff, warnings)
	}
}

// A part is one of several schedules, and what it was made of.
type part struct {
	cron, duration string
	window         schedule.Window
	valid          bool
}

// drawParts draws schedules, some of them broken, and the texts of an annotation and its duration.
func drawParts(t *rapid.T, zone string) (parts []part, crons, durations string) {
	lengths := []part{{duration: "1m"}, {duration: "90m"}, {duration: "5h30m"}, {duration: "168h"}, {duration: ""}, {duration: "1s"}, {duration: "169h"}, {duration: "x"}}
	open := map[string]time.Duration{"1m": time.Minute, "90m": 90 * time.Minute, "5h30m": 330 * time.Minute, "168h": 168 * time.Hour}
	n := rapid.IntRange(0, 4).Draw(t, "parts")
	each := rapid.SampledFrom([]string{"none", "one", "each", "too many"}).Draw(t, "durations")
	one := rapid.SampledFrom(lengths).Draw(t, "duration").duration
	var texts []string
	for range n {
		p := part{cron: testkit.Arbitrary(generate.Cron).Draw(t, "cron"), duration: one}
		if rapid.IntRange(0, 4).Draw(t, "broken") == 0 {
			p.cron = rapid.SampledFrom([]string{"", "0 25 * * *", "@every 1h", "0 0 30 2 *", "\xff"}).Draw(t, "broken cron")
		}
		switch each {
		case "none", "too many":
			p.duration = ""
		case "each":
			p.duration = rapid.SampledFrom(lengths).Draw(t, "duration").duration
		}
		d, ok := open[p.duration]
		if !ok {
			d = time.Hour
		}
		w, err := schedule.Parse(p.cron, d, zone)
		p.window, p.valid = w, err == nil
		parts = append(parts, p)
		crons += p.cron + rapid.SampledFrom([]string{";", " ; "}).Draw(t, "between")
		texts = append(texts, p.duration)
	}
	switch {
	case n == 0:
	case each == "one":
		durations = one
	case each == "each":
		durations = strings.Join(texts, ";") + ";"
	case each == "too many":
		durations = strings.Repeat("2h;", n+1)
	}
	return parts, crons, durations
}

// TestAWindowIsOpenWhereOnePartAllowsAndNoneBlocks is the union of what is allowed without the union of what is
// blocked, by the windows that schedule.Parse makes of each part.
func TestAWindowIsOpenWhereOnePartAllowsAndNoneBlocks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		zone := rapid.OneOf(testkit.Arbitrary(generate.Zone), rapid.SampledFrom([]string{"Mars", "Local"})).Draw(t, "zone")
		allow, allowText, allowFor := drawParts(t, zone)
		block, blockText, blockFor := drawParts(t, zone)
		terms, warnings := read(map[string]string{
			kube.DisruptionScheduleAnnotation: allowText, kube.DisruptionScheduleDurationAnnotation: allowFor,
			kube.DisruptionBlockScheduleAnnotation: blockText, kube.DisruptionBlockDurationAnnotation: blockFor,
			kube.DisruptionScheduleTimeZoneAnnotation: zone,
		})
		if terms.Invalid != (len(warnings) > 0) {
			t.Fatalf("invalid is %t, warned of %q", terms.Invalid, warnings)
		}
		for range 5 {
			now := testkit.Arbitrary(generate.Time).Draw(t, "now")
			allowed, allows := anyOpen(allow, now)
			blocked, _ := anyOpen(block, now)
			want := (allowed || !allows) && !blocked
			if got := schedule.InWindow(terms.Window, now); got != want {
				t.Fatalf("%v: %t, but allowed %t of %t and blocked %t, by %q for %q and %q for %q in %s",
					now, got, allowed, allows, blocked, allowText, allowFor, blockText, blockFor, zone)
			}
		}
		for _, parts := range [][]part{allow, block} {
			for _, p := range parts {
				if !p.valid && !terms.Invalid {
					t.Fatalf("%q is not warned of", p.cron)
				}
			}
		}
	})
}

// anyOpen reports whether a valid part is open, and whether any is valid.
func anyOpen(parts []part, now time.Time) (open, valid bool) {
	for _, p := range parts {
		open, valid = open || p.valid && schedule.InWindow(p.window, now), valid || p.valid
	}
	return open, valid
}
