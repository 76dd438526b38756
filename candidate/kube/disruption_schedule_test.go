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

// A block that covers all that is allowed is no fault that can be seen in one of them: the pod says that it never may
// go.
func TestASchedulePairThatNeverOpensHoldsWithoutAnEnd(t *testing.T) {
	terms, warnings := read(map[string]string{
		kube.DisruptionScheduleAnnotation:      "0 2 * * *",
		kube.DisruptionBlockScheduleAnnotation: "0 1 * * *", kube.DisruptionBlockDurationAnnotation: "3h",
	})
	node := candidate.Node{Pods: []candidate.Pod{{Namespace: "shop", Name: "web", Terms: terms}}}
	v := fixture.Open(candidate.Rules{}, fixture.When(t, "2026-11-20T02:00:00Z")).Judge(&node, candidate.Condition{})
	want := []string{"pod/outside-schedule: pod shop/web may go only when its disruption schedule lets it: " +
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
