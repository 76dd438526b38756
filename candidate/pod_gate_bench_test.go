package candidate_test

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/candidate/kube"
	"github.com/disruptkit/disruptkit/internal/testkit/fixture"
)

// What one pod's annotations cost each decision, be they usual or the work of somebody who means harm.
func BenchmarkPodGate(b *testing.B) {
	now := time.Date(2026, 11, 20, 12, 34, 56, 0, time.UTC)
	for _, c := range costly {
		annotations := annotationsOf(c.schedule, c.duration, c.block, c.blockFor, c.zone)
		b.Run(c.name, func(b *testing.B) {
			var parser kube.Parser
			terms, warnings := parser.Terms("shop", "web-0", annotations)
			if len(warnings) > 0 {
				b.Fatal(warnings)
			}
			n := candidate.Node{Phase: candidate.NotReady, Pods: []candidate.Pod{{Name: "web-0", Terms: terms}}}
			b.ReportAllocs()
			for b.Loop() {
				fixture.Open(candidate.Rules{}, now).Judge(&n, candidate.Condition{})
			}
		})
	}
}

// costly are annotations that take long to judge, or took long.
var costly = []struct {
	name                                      string
	schedule, duration, block, blockFor, zone string // {} is one of the first 50 numbers
}{
	{"usual", "0 2 * * 6", "4h", "", "", ""},
	{"both", "0 2 * * *", "4h", "0 0 24 12 *", "72h", "Europe/Berlin"},
	{"contradictory", "*/2 * * * *", "1m", "*/2 * * * *", "1m", ""},
	{"contradictory-zone", "*/2 * * * *", "1m", "*/2 * * * *", "1m", "Europe/Berlin"},
	{"a-year-of-minutes", "* * * 1-11 *", "1m", "", "", ""},
	{"a-year-of-minutes-zone", "* * * 1-11 *", "1m", "", "", "Europe/Berlin"},
	{"a-year-of-other-days", "* * */2 1-11 *", "48h", "", "", "Europe/Berlin"},
	{"leap-days", "{} 0 29 2 *", "1m", "", "", "Europe/Berlin"},
	{"leap-days-less-others", "{} 0 29 2 *", "1m", "{} 0 29 2 *", "1m", "Europe/Berlin"},
	{"hundred-contradictory", "{}/2 * * * *", "1m", "{}/2 * * * *", "1m", ""},
	{"hundred-contradictory-zone", "{}/2 * * * *", "1m", "{}/2 * * * *", "1m", "Europe/Berlin"},
	{"hundred-years-of-minutes", "*,{} * * 1-11 *", "1m", "*,{} * * 2-12 *", "1m", "Europe/Berlin"},
	{"hundred-years-of-other-days", "{} * */2 1-11 *", "48h", "{} * 2-31/2 1-11 *", "48h", "Europe/Berlin"},
	{"long-texts", "{}" + strings.Repeat(",1", 400) + " * * * *", "1m", "{}" + strings.Repeat(",1", 400) + " * * * *", "1m", ""},
}

// annotationsOf returns the annotations, with 50 schedules where there is a {}.
func annotationsOf(schedule, duration, block, blockFor, zone string) map[string]string {
	all := map[string]string{}
	for key, text := range map[string]string{
		kube.DisruptionScheduleAnnotation: schedule, kube.DisruptionScheduleDurationAnnotation: duration,
		kube.DisruptionBlockScheduleAnnotation: block, kube.DisruptionBlockDurationAnnotation: blockFor,
		kube.DisruptionScheduleTimeZoneAnnotation: zone,
	} {
		var parts []string
		for i := range 50 {
			parts = append(parts, strings.ReplaceAll(text, "{}", strconv.Itoa(i)))
		}
		if !strings.Contains(text, "{}") {
			parts = parts[:1]
		}
		if text != "" {
			all[key] = strings.Join(parts, ";")
		}
	}
	return all
}
