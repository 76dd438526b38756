package candidate_test

import (
	"testing"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/candidate/kube"
	"github.com/disruptkit/disruptkit/internal/testkit/fixture"
	"github.com/disruptkit/disruptkit/schedule"
)

// TestPodWindowsWhereClocksAreMoved works out by hand when pods with schedules in the zones with the rarest habits may
// go. All instants are in UTC. ("Edge case tests (DST transitions, leap years, invalid schedules)", RFC, "Testing
// Strategy")
func TestPodWindowsWhereClocksAreMoved(t *testing.T) {
	for _, c := range []struct {
		name, zone      string
		allow, allowFor string
		block, blockFor string
		edges           []string
	}{
		// New York: 2026-03-08 02:00 becomes 03:00 (07:00Z), 2026-11-01 02:00 becomes 01:00 (06:00Z).
		{name: "a window in the hour that New York skips opens at the end of it", zone: "America/New_York",
			allow: "30 2 * * *", allowFor: "1h", edges: []string{
				"opens 2026-03-07T07:30:00Z", "closes 2026-03-07T08:30:00Z",
				"opens 2026-03-08T07:00:00Z", "closes 2026-03-08T08:00:00Z",
				"opens 2026-03-09T06:30:00Z", "closes 2026-03-09T07:30:00Z"}},
		{name: "a window in the hour that New York repeats opens twice", zone: "America/New_York",
			allow: "30 1 * * *", allowFor: "30m", edges: []string{
				"opens 2026-10-31T05:30:00Z", "closes 2026-10-31T06:00:00Z",
				"opens 2026-11-01T05:30:00Z", "closes 2026-11-01T06:00:00Z",
				"opens 2026-11-01T06:30:00Z", "closes 2026-11-01T07:00:00Z",
				"opens 2026-11-02T06:30:00Z", "closes 2026-11-02T07:00:00Z"}},
		{name: "business hours of New York begin an hour earlier in UTC after the weekend", zone: "America/New_York",
			block: "0 9 * * 1-5", blockFor: "8h", edges: []string{
				"closes 2026-03-06T14:00:00Z", "opens 2026-03-06T22:00:00Z",
				"closes 2026-03-09T13:00:00Z", "opens 2026-03-09T21:00:00Z"}},
		{name: "the RFC's nights of eight hours end at five or at seven by the clock of New York", zone: "America/New_York",
			allow: "0 22 * * *", allowFor: "8h", edges: []string{
				"opens 2026-03-08T03:00:00Z", "closes 2026-03-08T11:00:00Z", // 07:00 -04:00
				"opens 2026-03-09T02:00:00Z", "closes 2026-03-09T10:00:00Z"}},
		{name: "a Sunday of 24 hours ends an hour before a Sunday of 25 does", zone: "America/New_York",
			allow: "0 0 * * 0", allowFor: "24h", edges: []string{
				"opens 2026-11-01T04:00:00Z", "closes 2026-11-02T04:00:00Z", // 23:00 -05:00
				"opens 2026-11-08T05:00:00Z", "closes 2026-11-09T05:00:00Z"}},
		{name: "a block in the hour that is skipped is not lost, either", zone: "America/New_York",
			allow: "0 0 * * *", allowFor: "6h", block: "15 2 * * *", blockFor: "30m", edges: []string{
				"opens 2026-03-08T05:00:00Z", "closes 2026-03-08T07:00:00Z", // 02:15 is 03:00 -04:00
				"opens 2026-03-08T07:30:00Z", "closes 2026-03-08T11:00:00Z",
				"opens 2026-03-09T04:00:00Z", "closes 2026-03-09T06:15:00Z"}},

		// Lord Howe Island: 2026-04-05 02:00 becomes 01:30 (15:00Z the day before), 2026-10-04 02:00 becomes 02:30 (15:30Z).
		{name: "a window in the half hour that Lord Howe Island skips opens at the end of it", zone: "Australia/Lord_Howe",
			allow: "15 2 * * *", allowFor: "1h", edges: []string{
				"opens 2026-10-02T15:45:00Z", "closes 2026-10-02T16:45:00Z",
				"opens 2026-10-03T15:30:00Z", "closes 2026-10-03T16:30:00Z",
				"opens 2026-10-04T15:15:00Z", "closes 2026-10-04T16:15:00Z"}},
		{name: "a window in the half hour that Lord Howe Island repeats opens twice", zone: "Australia/Lord_Howe",
			allow: "45 1 * * *", allowFor: "15m", edges: []string{
				"opens 2026-04-03T14:45:00Z", "closes 2026-04-03T15:00:00Z",
				"opens 2026-04-04T14:45:00Z", "closes 2026-04-04T15:00:00Z",
				"opens 2026-04-04T15:15:00Z", "closes 2026-04-04T15:30:00Z",
				"opens 2026-04-05T15:15:00Z", "closes 2026-04-05T15:30:00Z"}},

		// Santiago: 2026-04-05 00:00 becomes 23:00 of April 4 (03:00Z), 2026-09-06 00:00 becomes 01:00 (04:00Z).
		{name: "the midnight that Santiago skips is at one", zone: "America/Santiago",
			allow: "0 0 * * *", allowFor: "2h", edges: []string{
				"opens 2026-09-05T04:00:00Z", "closes 2026-09-05T06:00:00Z",
				"opens 2026-09-06T04:00:00Z", "closes 2026-09-06T06:00:00Z",
				"opens 2026-09-07T03:00:00Z", "closes 2026-09-07T05:00:00Z"}},
		{name: "the last half hour of a day appears twice in Santiago", zone: "America/Santiago",
			allow: "30 23 * * *", allowFor: "30m", edges: []string{
				"opens 2026-04-04T02:30:00Z", "closes 2026-04-04T03:00:00Z",
				"opens 2026-04-05T02:30:00Z", "closes 2026-04-05T03:00:00Z",
				"opens 2026-04-05T03:30:00Z", "closes 2026-04-05T04:00:00Z",
				"opens 2026-04-06T03:30:00Z", "closes 2026-04-06T04:00:00Z"}},
		{name: "the RFC's Sunday of 24 hours begins at one in Santiago", zone: "America/Santiago",
			allow: "0 0 * * 0", allowFor: "24h", edges: []string{
				"opens 2026-08-30T04:00:00Z", "closes 2026-08-31T04:00:00Z",
				"opens 2026-09-06T04:00:00Z", "closes 2026-09-07T04:00:00Z",
				"opens 2026-09-13T03:00:00Z", "closes 2026-09-14T03:00:00Z"}},

		// Cairo: 2026-04-24 00:00 becomes 01:00 (22:00Z the day before), 2026-10-30 00:00 becomes 23:00 of October 29
		// (21:00Z).
		{name: "the midnight that Cairo skips on a Friday is at one", zone: "Africa/Cairo",
			allow: "0 0 * * fri", allowFor: "2h", edges: []string{
				"opens 2026-04-16T22:00:00Z", "closes 2026-04-17T00:00:00Z",
				"opens 2026-04-23T22:00:00Z", "closes 2026-04-24T00:00:00Z",
				"opens 2026-04-30T21:00:00Z", "closes 2026-04-30T23:00:00Z"}},
		{name: "the last hour of a Thursday holds pods back twice as long in Cairo", zone: "Africa/Cairo",
			block: "0 23 * * thu", blockFor: "1h", edges: []string{
				"closes 2026-10-22T20:00:00Z", "opens 2026-10-22T21:00:00Z",
				"closes 2026-10-29T20:00:00Z", "opens 2026-10-29T22:00:00Z",
				"closes 2026-11-05T21:00:00Z", "opens 2026-11-05T22:00:00Z"}},

		// Apia: 2011-12-29 is followed by 2011-12-31 (10:00Z on December 30), -10:00 by +14:00.
		{name: "the fixture.Noon of the day that Apia skips is at the midnight after it", zone: "Pacific/Apia",
			allow: "0 12 * * *", allowFor: "1h", edges: []string{
				"opens 2011-12-29T22:00:00Z", "closes 2011-12-29T23:00:00Z",
				"opens 2011-12-30T10:00:00Z", "closes 2011-12-30T11:00:00Z",
				"opens 2011-12-30T22:00:00Z", "closes 2011-12-30T23:00:00Z"}},
		{name: "a freeze on the day that Apia skips is on the day after it", zone: "Pacific/Apia",
			block: "0 0 30 12 *", blockFor: "24h", edges: []string{
				"closes 2010-12-30T10:00:00Z", "opens 2010-12-31T10:00:00Z",
				"closes 2011-12-30T10:00:00Z", "opens 2011-12-31T10:00:00Z",
				"closes 2012-12-29T10:00:00Z", "opens 2012-12-30T10:00:00Z"}},
		{name: "a window over the skipped day is as long as it says", zone: "Pacific/Apia",
			allow: "0 18 * * thu", allowFor: "12h", edges: []string{
				"opens 2011-12-30T04:00:00Z", "closes 2011-12-30T16:00:00Z", // Thursday 18:00 to Saturday 06:00
				"opens 2012-01-05T04:00:00Z", "closes 2012-01-05T16:00:00Z"}},

		// Casablanca: for Ramadan 2026-02-15 03:00 becomes 02:00, after it 2026-03-22 02:00 becomes 03:00 (both 02:00Z).
		{name: "a window in the hour that Casablanca repeats before Ramadan opens twice", zone: "Africa/Casablanca",
			allow: "30 2 * * *", allowFor: "30m", edges: []string{
				"opens 2026-02-14T01:30:00Z", "closes 2026-02-14T02:00:00Z",
				"opens 2026-02-15T01:30:00Z", "closes 2026-02-15T02:00:00Z",
				"opens 2026-02-15T02:30:00Z", "closes 2026-02-15T03:00:00Z",
				"opens 2026-02-16T02:30:00Z", "closes 2026-02-16T03:00:00Z"}},
		{name: "a window in the hour that Casablanca skips after Ramadan opens at the end of it", zone: "Africa/Casablanca",
			allow: "30 2 * * *", allowFor: "30m", edges: []string{
				"opens 2026-03-21T02:30:00Z", "closes 2026-03-21T03:00:00Z",
				"opens 2026-03-22T02:00:00Z", "closes 2026-03-22T02:30:00Z",
				"opens 2026-03-23T01:30:00Z", "closes 2026-03-23T02:00:00Z"}},
		{name: "nights of Casablanca are as long in Ramadan, and a day of 25 hours before it", zone: "Africa/Casablanca",
			block: "0 8 * * *", blockFor: "14h", edges: []string{
				"closes 2026-02-14T07:00:00Z", "opens 2026-02-14T21:00:00Z",
				"closes 2026-02-15T08:00:00Z", "opens 2026-02-15T22:00:00Z"}},

		// Leap days.
		{name: "a leap day in UTC", allow: "0 0 29 2 *", allowFor: "24h", edges: []string{
			"opens 2024-02-29T00:00:00Z", "closes 2024-03-01T00:00:00Z", "opens 2028-02-29T00:00:00Z", "closes 2028-03-01T00:00:00Z"}},
		{name: "a freeze on leap days skips the year 2100", block: "0 0 29 2 *", blockFor: "24h", edges: []string{
			"closes 2096-02-29T00:00:00Z", "opens 2096-03-01T00:00:00Z", "closes 2104-02-29T00:00:00Z", "opens 2104-03-01T00:00:00Z"}},
		{name: "a window over the end of February leads to March or to a leap day", allow: "59 23 28 2 *", allowFor: "2m", edges: []string{
			"opens 2027-02-28T23:59:00Z", "closes 2027-03-01T00:01:00Z", "opens 2028-02-28T23:59:00Z", "closes 2028-02-29T00:01:00Z"}},
		{name: "a leap day in New York", zone: "America/New_York", allow: "0 0 29 2 *", allowFor: "24h", edges: []string{
			"opens 2028-02-29T05:00:00Z", "closes 2028-03-01T05:00:00Z", "opens 2032-02-29T05:00:00Z"}},
		{name: "a leap day on Lord Howe Island", zone: "Australia/Lord_Howe", allow: "0 0 29 2 *", allowFor: "24h", edges: []string{
			"opens 2028-02-28T13:00:00Z", "closes 2028-02-29T13:00:00Z", "opens 2032-02-28T13:00:00Z"}},
		{name: "a leap day in Santiago", zone: "America/Santiago", allow: "0 0 29 2 *", allowFor: "24h", edges: []string{
			"opens 2028-02-29T03:00:00Z", "closes 2028-03-01T03:00:00Z", "opens 2032-02-29T03:00:00Z"}},
		{name: "a leap day in Cairo", zone: "Africa/Cairo", allow: "0 0 29 2 *", allowFor: "24h", edges: []string{
			"opens 2028-02-28T22:00:00Z", "closes 2028-02-29T22:00:00Z", "opens 2032-02-28T22:00:00Z"}},
		{name: "a leap day in Apia", zone: "Pacific/Apia", allow: "0 0 29 2 *", allowFor: "24h", edges: []string{
			"opens 2028-02-28T11:00:00Z", "closes 2028-02-29T11:00:00Z", "opens 2032-02-28T11:00:00Z"}},
		{name: "a leap day in Casablanca, where 2028's is in Ramadan and 2032's is not", zone: "Africa/Casablanca",
			allow: "0 0 29 2 *", allowFor: "24h", edges: []string{
				"opens 2028-02-29T00:00:00Z", "closes 2028-03-01T00:00:00Z", "opens 2032-02-28T23:00:00Z", "closes 2032-02-29T23:00:00Z"}},

		// The end of the year.
		{name: "a freeze over the end of the year is two that touch", block: "0 0 24 12 *;0 0 31 12 *", blockFor: "168h;48h", edges: []string{
			"closes 2026-12-24T00:00:00Z", "opens 2027-01-02T00:00:00Z", "closes 2027-12-24T00:00:00Z"}},
		{name: "the RFC's Saturdays go on over the end of the year", allow: "0 2 * * 6", allowFor: "4h", edges: []string{
			"opens 2026-12-26T02:00:00Z", "closes 2026-12-26T06:00:00Z", "opens 2027-01-02T02:00:00Z", "closes 2027-01-02T06:00:00Z"}},
		{name: "the last minute of the year", allow: "59 23 31 12 *", allowFor: "1m", edges: []string{
			"opens 2026-12-31T23:59:00Z", "closes 2027-01-01T00:00:00Z", "opens 2027-12-31T23:59:00Z"}},
		{name: "the end of the year in New York", zone: "America/New_York", allow: "0 23 31 12 *", allowFor: "2h", edges: []string{
			"opens 2027-01-01T04:00:00Z", "closes 2027-01-01T06:00:00Z", "opens 2028-01-01T04:00:00Z"}},
		{name: "the end of the year on Lord Howe Island", zone: "Australia/Lord_Howe", allow: "0 23 31 12 *", allowFor: "2h", edges: []string{
			"opens 2026-12-31T12:00:00Z", "closes 2026-12-31T14:00:00Z", "opens 2027-12-31T12:00:00Z"}},
		{name: "the end of the year in Santiago", zone: "America/Santiago", allow: "0 23 31 12 *", allowFor: "2h", edges: []string{
			"opens 2027-01-01T02:00:00Z", "closes 2027-01-01T04:00:00Z", "opens 2028-01-01T02:00:00Z"}},
		{name: "the end of the year in Cairo", zone: "Africa/Cairo", allow: "0 23 31 12 *", allowFor: "2h", edges: []string{
			"opens 2026-12-31T21:00:00Z", "closes 2026-12-31T23:00:00Z", "opens 2027-12-31T21:00:00Z"}},
		{name: "the end of the year in Apia", zone: "Pacific/Apia", allow: "0 23 31 12 *", allowFor: "2h", edges: []string{
			"opens 2026-12-31T10:00:00Z", "closes 2026-12-31T12:00:00Z", "opens 2027-12-31T10:00:00Z"}},
		{name: "the end of the year in Casablanca", zone: "Africa/Casablanca", allow: "0 23 31 12 *", allowFor: "2h", edges: []string{
			"opens 2026-12-31T22:00:00Z", "closes 2027-01-01T00:00:00Z", "opens 2027-12-31T22:00:00Z"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			annotations := map[string]string{}
			for key, value := range map[string]string{
				kube.DisruptionScheduleAnnotation:         c.allow,
				kube.DisruptionScheduleDurationAnnotation: c.allowFor,
				kube.DisruptionBlockScheduleAnnotation:    c.block,
				kube.DisruptionBlockDurationAnnotation:    c.blockFor,
				kube.DisruptionScheduleTimeZoneAnnotation: c.zone,
			} {
				if value != "" {
					annotations[key] = value
				}
			}
			terms, warnings := readTerms(annotations)
			if warnings != nil || terms.Invalid {
				t.Errorf("warned of %q", warnings)
			}
			fixture.CheckEdges(t, candidate.Rules{}, candidate.Pod{Name: "web", Terms: terms}, c.edges...)

			// A PodSchedule with the same texts holds the same pods back, up to the same instants.
			rules, err := candidate.CompileRules(nil, []candidate.PodSchedule{{
				Name: "all", Selector: &candidate.Selector{}, Schedule: c.allow, Duration: c.allowFor,
				BlockSchedule: c.block, BlockDuration: c.blockFor, TimeZone: c.zone,
			}})
			if err != nil {
				t.Error(err)
			}
			fixture.CheckEdges(t, rules, candidate.Pod{Name: "web"}, c.edges...)
		})
	}
}

// Windows that contradict each other are never open, which takes long to find out: their pod is held back, and asked
// again.
func TestAWindowThatTakesTooLongToFollowIsAskedAgain(t *testing.T) {
	now := time.Date(2026, 11, 20, 12, 34, 56, 0, time.UTC)
	for _, c := range []struct {
		name        string
		annotations map[string]string
		closed      bool
	}{
		{"never open", annotationsOf("*/2 * * * *", "1m", "*/2 * * * *", "1m", ""), true},
		{"never open, of a hundred schedules", annotationsOf("{}/2 * * * *", "1m", "{}/2 * * * *", "1m", "Europe/Berlin"), true},
		{"never closed", annotationsOf("*/2 * * * *;1-59/2 * * * *", "1m", "", "", ""), false},
	} {
		t.Run(c.name, func(t *testing.T) {
			var parser kube.Parser
			terms, _ := parser.Terms("", "", c.annotations)
			n := candidate.Node{Pods: []candidate.Pod{{Name: "web-0", Terms: terms}}}
			v := fixture.Open(candidate.Rules{}, now).Judge(&n, candidate.Condition{})
			if !v.Until.After(now.Add(2*time.Minute)) || (len(v.Blockers) > 0) != c.closed {
				t.Fatalf("until %v it is held back by %v", v.Until, v.Blockers)
			}
			for _, b := range v.Blockers {
				if b.Code != candidate.CodeOutsideSchedule || !b.Until.IsZero() || len(b.Message) > 400 {
					t.Errorf("it is held back by %v", b)
				}
			}
			for at := now; at.Before(v.Until); at = at.Add(10 * time.Second) {
				if schedule.InWindow(terms.Window, at) == c.closed {
					t.Fatalf("at %v it is closed %t", at, !c.closed)
				}
			}
		})
	}
}

// TestNoAnnotationIsCostly compares with one that is usual. The bound is loose: what it is about took ten thousand
// times as long.
func TestNoAnnotationIsCostly(t *testing.T) {
	now := time.Date(2026, 11, 20, 12, 34, 56, 0, time.UTC)
	fastest := func(annotations map[string]string) time.Duration {
		var parser kube.Parser
		terms, _ := parser.Terms("", "", annotations)
		n := candidate.Node{Pods: []candidate.Pod{{Name: "web-0", Terms: terms}}}
		best := time.Hour
		for range 50 {
			began := time.Now()
			fixture.Open(candidate.Rules{}, now).Judge(&n, candidate.Condition{})
			best = min(best, time.Since(began))
		}
		return best
	}
	usual := fastest(annotationsOf(costly[0].schedule, costly[0].duration, "", "", ""))
	for _, c := range costly {
		if took := fastest(annotationsOf(c.schedule, c.duration, c.block, c.blockFor, c.zone)); took > 100*usual+5*time.Millisecond {
			t.Errorf("%s takes %v, and usual is %v", c.name, took, usual)
		}
	}
}
