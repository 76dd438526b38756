package kube_test

import (
	"fmt"
	"maps"
	"strconv"
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

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// read returns what annotations of the pod shop/web ask for, and what is wrong with them.
func read(annotations map[string]string) (candidate.Terms, []string) {
	var parser kube.Parser
	terms, warnings := parser.Terms("shop", "web", annotations)
	return terms, texts(warnings)
}

func texts(warnings []candidate.Warning) []string {
	var texts []string
	for _, w := range warnings {
		texts = append(texts, strings.TrimPrefix(w.Error(), "Pod/shop/web: karpenter.sh/"))
	}
	return texts
}

// annotationsIn returns the annotations in a manifest of a pod, or in some lines of it.
func annotationsIn(t *testing.T, manifest string) map[string]string {
	t.Helper()
	annotations := map[string]string{}
	for line := range strings.Lines(manifest) {
		key, rest, found := strings.Cut(strings.TrimSpace(line), ": ")
		if !found || !strings.HasPrefix(key, "karpenter.sh/") {
			continue
		}
		quoted, err := strconv.QuotedPrefix(rest)
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		annotations[key], _ = strconv.Unquote(quoted)
	}
	if len(annotations) == 0 {
		t.Fatalf("no annotations in %q", manifest)
	}
	return annotations
}

// TestTheManifestsOfTheRFC reads each manifest of the pod disruption schedule RFC as it stands there.
func TestTheManifestsOfTheRFC(t *testing.T) {
	for _, c := range []struct {
		name     string
		manifest string
		edges    []string
	}{
		{"two new annotations on pods to control when disruption is permitted (Proposed Spec)", `
apiVersion: v
kind: Pod
metadata:
  name: long-running-task
  annotations:
    # Cron schedule defining the disruption window
    karpenter.sh/disruption-schedule: "0 2 * * 6"  # 2 AM on Saturdays
    # Duration of the disruption window
    karpenter.sh/disruption-schedule-duration: "4h"
`, []string{"opens 2026-11-21T02:00:00Z", "closes 2026-11-21T06:00:00Z", "opens 2026-11-28T02:00:00Z"}},

		{"Pod can only be disrupted on Saturdays between 2 AM and 6 AM (Option A)", `
karpenter.sh/disruption-schedule: "0 2 * * 6"
karpenter.sh/disruption-schedule-duration: "4h"
`, []string{"opens 2026-11-21T02:00:00Z", "closes 2026-11-21T06:00:00Z", "opens 2026-11-28T02:00:00Z"}},

		{"Pod cannot be disrupted on weekdays during business hours (Option B)", `
karpenter.sh/disruption-block-schedule: "0 9 * * 1-5"
karpenter.sh/disruption-block-duration: "8h"
`, []string{"closes 2026-11-19T09:00:00Z", "opens 2026-11-19T17:00:00Z", "closes 2026-11-20T09:00:00Z",
			"opens 2026-11-20T17:00:00Z", "closes 2026-11-23T09:00:00Z"}},

		{"ML Training Pod - Weekend Maintenance Only", `
metadata:
  annotations:
    karpenter.sh/disruption-schedule: "0 2 * * 6"    # 2 AM Saturday
    karpenter.sh/disruption-schedule-duration: "6h"  # Until 8 AM
`, []string{"opens 2026-11-21T02:00:00Z", "closes 2026-11-21T08:00:00Z", "opens 2026-11-28T02:00:00Z"}},

		{"Business Application - After Hours Only", `
metadata:
  annotations:
    karpenter.sh/disruption-schedule: "0 22 * * *"   # 10 PM daily
    karpenter.sh/disruption-schedule-duration: "8h"  # Until 6 AM
`, []string{"opens 2026-11-20T22:00:00Z", "closes 2026-11-21T06:00:00Z", "opens 2026-11-21T22:00:00Z"}},

		{"Batch Job - Anytime Sunday", `
metadata:
  annotations:
    karpenter.sh/disruption-schedule: "0 0 * * 0"    # Midnight Sunday
    karpenter.sh/disruption-schedule-duration: "24h" # All day
`, []string{"opens 2026-11-22T00:00:00Z", "closes 2026-11-23T00:00:00Z", "opens 2026-11-29T00:00:00Z"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			terms, warnings := read(annotationsIn(t, c.manifest))
			if len(warnings) > 0 || terms.Invalid {
				t.Errorf("warned of %q", warnings)
			}
			fixture.CheckEdges(t, candidate.Rules{}, candidate.Pod{Name: "web", Terms: terms}, c.edges...)
		})
	}
}

// TestTheUseCasesOfTheRFC quotes the RFC's "Use Cases" and what it finds that existing controls cannot say.
func TestTheUseCasesOfTheRFC(t *testing.T) {
	for _, c := range []struct {
		name        string
		annotations map[string]string
		edges       []string
	}{
		{"can safely be disrupted during scheduled maintenance windows (e.g., Saturday 2-6 AM) when the queue is drained",
			map[string]string{kube.DisruptionScheduleAnnotation: "0 2 * * sat", kube.DisruptionScheduleDurationAnnotation: "4h"},
			[]string{"opens 2026-11-21T02:00:00Z", "closes 2026-11-21T06:00:00Z", "opens 2026-11-28T02:00:00Z"}},
		{"it's preferable to absorb this cost during off-peak hours",
			map[string]string{
				kube.DisruptionBlockScheduleAnnotation: "0 7 * * *", kube.DisruptionBlockDurationAnnotation: "15h",
				kube.DisruptionScheduleTimeZoneAnnotation: "Asia/Tokyo",
			},
			[]string{"opens 2026-11-20T13:00:00Z", "closes 2026-11-20T22:00:00Z", "opens 2026-11-21T13:00:00Z"}},
		{"Maintenance windows allow controlled rollouts when traffic is low",
			map[string]string{kube.DisruptionScheduleAnnotation: "30 3 * * tue,thu", kube.DisruptionScheduleDurationAnnotation: "1h30m"},
			[]string{"opens 2026-11-24T03:30:00Z", "closes 2026-11-24T05:00:00Z", "opens 2026-11-26T03:30:00Z",
				"closes 2026-11-26T05:00:00Z", "opens 2026-12-01T03:30:00Z"}},
		{"disrupt me only on weekends",
			map[string]string{kube.DisruptionScheduleAnnotation: "0 0 * * 6,0", kube.DisruptionScheduleDurationAnnotation: "24h"},
			[]string{"opens 2026-11-21T00:00:00Z", "closes 2026-11-23T00:00:00Z", "opens 2026-11-28T00:00:00Z"}},
		{"protect me during business hours",
			map[string]string{kube.DisruptionBlockScheduleAnnotation: "0 9-16 * * mon-fri"},
			[]string{"closes 2026-11-20T09:00:00Z", "opens 2026-11-20T17:00:00Z", "closes 2026-11-23T09:00:00Z"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			terms, warnings := read(c.annotations)
			if len(warnings) > 0 || terms.Invalid {
				t.Errorf("warned of %q", warnings)
			}
			fixture.CheckEdges(t, candidate.Rules{}, candidate.Pod{Name: "web", Terms: terms}, c.edges...)
		})
	}
}

// TestHasActiveDisruptionSchedule quotes the comment of that function in the RFC, and of its body. Its equivalent is
// schedule.InWindow(terms.Window, now).
func TestHasActiveDisruptionSchedule(t *testing.T) {
	saturday := fixture.When(t, "2026-11-21T02:00:00Z")
	for _, c := range []struct {
		name        string
		annotations map[string]string
		now         time.Time
		want        bool
	}{
		{"Returns true (allow disruption) if: No schedule annotation is set",
			nil, saturday, true},
		{"returns true if the pod has a disruption schedule and the current time falls within an active disruption window",
			map[string]string{"karpenter.sh/disruption-schedule": "0 2 * * 6", "karpenter.sh/disruption-schedule-duration": "4h"},
			saturday, true},
		{"Schedule is set and current time is within the window, at its last instant",
			map[string]string{"karpenter.sh/disruption-schedule": "0 2 * * 6", "karpenter.sh/disruption-schedule-duration": "4h"},
			saturday.Add(4*time.Hour - 1), true},
		{"Returns false (block disruption) if: Schedule is set and current time is outside the window",
			map[string]string{"karpenter.sh/disruption-schedule": "0 2 * * 6", "karpenter.sh/disruption-schedule-duration": "4h"},
			saturday.Add(4 * time.Hour), false},
		{"and at the last instant before it",
			map[string]string{"karpenter.sh/disruption-schedule": "0 2 * * 6", "karpenter.sh/disruption-schedule-duration": "4h"},
			saturday.Add(-1), false},
		{`if schedule == "": No schedule means always disruptable`,
			map[string]string{"karpenter.sh/disruption-schedule": ""}, saturday.Add(-1), true},
		{`if duration == "": Default to 1 hour, which has begun`,
			map[string]string{"karpenter.sh/disruption-schedule": "0 2 * * 6", "karpenter.sh/disruption-schedule-duration": ""},
			saturday.Add(time.Hour - 1), true},
		{`if duration == "": Default to 1 hour, which is over`,
			map[string]string{"karpenter.sh/disruption-schedule": "0 2 * * 6", "karpenter.sh/disruption-schedule-duration": ""},
			saturday.Add(time.Hour), false},
	} {
		t.Run(c.name, func(t *testing.T) {
			terms, warnings := read(c.annotations)
			if got := schedule.InWindow(terms.Window, c.now); got != c.want || len(warnings) > 0 {
				t.Errorf("%t, warned of %q", got, warnings)
			}
		})
	}
}

// TestValidationDefaultsAndErrorHandling quotes the RFC's section "Validation/Defaults".
func TestValidationDefaultsAndErrorHandling(t *testing.T) {
	const (
		hit     = "opens 2026-11-21T02:00:00Z"
		oneHour = "closes 2026-11-21T03:00:00Z"
		again   = "opens 2026-11-28T02:00:00Z"
	)
	saturdays := func(duration string) map[string]string {
		return map[string]string{"karpenter.sh/disruption-schedule": "0 2 * * 6", "karpenter.sh/disruption-schedule-duration": duration}
	}
	for _, c := range []struct {
		name        string
		annotations map[string]string
		warnings    []string
		edges       []string // none: always disruptable
	}{
		// Validation Rules
		{"If disruption-schedule is set, it must be a valid cron expression",
			map[string]string{"karpenter.sh/disruption-schedule": "0 2 * * sat-sun"},
			[]string{`disruption-schedule: cron expression "0 2 * * sat-sun": day of week "sat-sun" is not valid: write "sat,sun"`}, nil},
		{"all faults of an expression are in one warning",
			map[string]string{"karpenter.sh/disruption-schedule": "60 2 * * 7"},
			[]string{`disruption-schedule: cron expression "60 2 * * 7": minute "60" is not valid: write 0 to 59 or *, combined as in 1-5, 1,3 or */2; ` +
				`cron expression "60 2 * * 7": day of week "7" is not valid: write "0"`}, nil},
		{`Format follows standard cron syntax: "Minute Hour DayOfMonth Month DayOfWeek" (Code Definition)`,
			map[string]string{"karpenter.sh/disruption-schedule": "30 4 1 12 *", "karpenter.sh/disruption-schedule-duration": "30m"},
			nil, []string{"opens 2026-12-01T04:30:00Z", "closes 2026-12-01T05:00:00Z", "opens 2027-12-01T04:30:00Z"}},
		{`disruption-schedule-duration must be a valid Go duration string (e.g., "1h", …)`,
			saturdays("1h"), nil, []string{hit, oneHour, again}},
		{`disruption-schedule-duration must be a valid Go duration string (e.g., …, "30m", …)`,
			saturdays("30m"), nil, []string{hit, "closes 2026-11-21T02:30:00Z", again}},
		{`disruption-schedule-duration must be a valid Go duration string (e.g., …, "2h30m")`,
			saturdays("2h30m"), nil, []string{hit, "closes 2026-11-21T04:30:00Z", again}},
		{"disruption-schedule-duration must be a valid Go duration string, which has no days",
			saturdays("1d"), []string{`disruption-schedule-duration: duration "1d" is not valid: write one such as 4h, 30m or 1h30m, from 1m to 168h`},
			[]string{hit, oneHour, again}},
		{"Duration must be positive …",
			saturdays("-5m"), []string{`disruption-schedule-duration: duration "-5m" is less than a minute: write at least 1m`},
			[]string{hit, oneHour, again}},
		{"Duration must be positive, which 0 is not",
			saturdays("0s"), []string{`disruption-schedule-duration: duration "0s" is less than a minute: write at least 1m`},
			[]string{hit, oneHour, again}},
		{"… and at least 1 minute",
			saturdays("1m"), nil, []string{hit, "closes 2026-11-21T02:01:00Z", again}},
		{"at least 1 minute: not a nanosecond less",
			saturdays("59.999999999s"), []string{`disruption-schedule-duration: duration "59.999999999s" is less than a minute: write at least 1m`},
			[]string{hit, oneHour, again}},
		{"Duration should not exceed 7 days (to prevent effectively permanent windows)",
			saturdays("168h0m0.000000001s"), []string{`disruption-schedule-duration: duration "168h0m0.000000001s" is longer than 7 days: write at most 168h`},
			[]string{hit, oneHour, again}},
		{"should not exceed 7 days, of a month here",
			map[string]string{"karpenter.sh/disruption-schedule": "0 0 1 * *", "karpenter.sh/disruption-schedule-duration": "168h"},
			nil, []string{"opens 2026-12-01T00:00:00Z", "closes 2026-12-08T00:00:00Z", "opens 2027-01-01T00:00:00Z"}},

		// Defaults
		{`If disruption-schedule-duration is omitted when disruption-schedule is set, default to "1h"`,
			map[string]string{"karpenter.sh/disruption-schedule": "0 2 * * 6"}, nil, []string{hit, oneHour, again}},
		{"If neither annotation is set, pod follows normal disruption rules (equivalent to current behavior)", nil, nil, nil},
		{"of other annotations nothing is asked",
			map[string]string{"prometheus.io/scrape": "true", "karpenter.sh/nodepool-hash": "disruption-", "disruption-schedule": "x"}, nil, nil},

		// Error Handling
		{`Invalid cron expressions should be logged and treated as "always disruptable" (fail-open)`,
			map[string]string{"karpenter.sh/disruption-schedule": "whenever", "karpenter.sh/disruption-schedule-duration": "4h"},
			[]string{`disruption-schedule: cron expression "whenever" has one field: write five (minute, hour, day of month, month, day of week), such as "0 9 * * mon-fri"`}, nil},
		{"Invalid durations should be logged and default to 1 hour",
			saturdays("four hours"), []string{`disruption-schedule-duration: duration "four hours" is not valid: write one such as 4h, 30m or 1h30m, from 1m to 168h`},
			[]string{hit, oneHour, again}},
		{"of a block schedule as well",
			map[string]string{"karpenter.sh/disruption-block-schedule": "0 2 * * 6", "karpenter.sh/disruption-block-duration": "0"},
			[]string{`disruption-block-duration: duration "0" is less than a minute: write at least 1m`},
			[]string{"closes 2026-11-21T02:00:00Z", "opens 2026-11-21T03:00:00Z", "closes 2026-11-28T02:00:00Z"}},
		{"an invalid block schedule blocks nothing",
			map[string]string{"karpenter.sh/disruption-block-schedule": "0 25 * * *", "karpenter.sh/disruption-block-duration": "4h"},
			[]string{`disruption-block-schedule: cron expression "0 25 * * *": hour "25" is not valid: write 0 to 23 or *, combined as in 1-5, 1,3 or */2`}, nil},
		{"an invalid schedule leaves the block schedule alone",
			map[string]string{"karpenter.sh/disruption-schedule": "", "karpenter.sh/disruption-block-schedule": "0 2 * * 6"},
			nil, []string{"closes 2026-11-21T02:00:00Z", "opens 2026-11-21T03:00:00Z", "closes 2026-11-28T02:00:00Z"}},
		{"a time zone that nobody knows makes both schedules absent",
			map[string]string{
				"karpenter.sh/disruption-schedule": "0 2 * * 6", "karpenter.sh/disruption-block-schedule": "0 9 * * *",
				"karpenter.sh/disruption-schedule-timezone": "Mars/Olympus",
			},
			[]string{`disruption-schedule-timezone: time zone "Mars/Olympus" is unknown: write a tz database name such as "Europe/Berlin", or "UTC"`}, nil},
		{"so does one that is whatever the host is set to",
			map[string]string{"karpenter.sh/disruption-schedule": "0 2 * * 6", "karpenter.sh/disruption-schedule-timezone": "Local"},
			[]string{`disruption-schedule-timezone: time zone "Local" depends on the host: write a tz database name such as "Europe/Berlin", or "UTC"`}, nil},
		{"an empty time zone is UTC",
			map[string]string{"karpenter.sh/disruption-schedule": "0 2 * * 6", "karpenter.sh/disruption-schedule-timezone": ""},
			nil, []string{hit, oneHour, again}},

		// What the RFC leaves open.
		{"a duration without a schedule is warned of",
			map[string]string{"karpenter.sh/disruption-schedule-duration": "4h"},
			[]string{`disruption-schedule-duration: duration "4h" has no schedule: also write karpenter.sh/disruption-schedule`}, nil},
		{"a duration without a block schedule is warned of",
			map[string]string{"karpenter.sh/disruption-schedule": "0 2 * * 6", "karpenter.sh/disruption-block-duration": "4h"},
			[]string{`disruption-block-duration: duration "4h" has no schedule: also write karpenter.sh/disruption-block-schedule`},
			[]string{hit, oneHour, again}},
		{"a time zone without a schedule is warned of",
			map[string]string{"karpenter.sh/disruption-schedule-timezone": "Europe/Berlin"},
			[]string{`disruption-schedule-timezone: time zone "Europe/Berlin" has no schedule to apply to: also write a schedule, or leave it out`}, nil},
		{"a time zone applies to a block schedule alone",
			map[string]string{"karpenter.sh/disruption-block-schedule": "0 2 * * 6", "karpenter.sh/disruption-schedule-timezone": "Europe/Berlin"},
			nil, []string{"closes 2026-11-21T01:00:00Z", "opens 2026-11-21T02:00:00Z", "closes 2026-11-28T01:00:00Z"}},
		{"names that are nearly right are warned of, with the right ones",
			map[string]string{
				"karpenter.sh/disruption-":               "0 2 * * 6",
				"karpenter.sh/disruption-Duration":       "4h",
				"karpenter.sh/disruption-block":          "0 9 * * *",
				"karpenter.sh/disruption-block-for":      "8h",
				"karpenter.sh/disruption-BLOCK-duration": "8h",
				"karpenter.sh/disruption-time-zone":      "UTC",
				"karpenter.sh/disruption-block-timezone": "UTC",
				"karpenter.sh/disruption-window":         "0 2 * * 6",
			},
			[]string{
				`disruption-: "karpenter.sh/disruption-" is unknown: write karpenter.sh/disruption-schedule`,
				`disruption-BLOCK-duration: "karpenter.sh/disruption-BLOCK-duration" is unknown: write karpenter.sh/disruption-block-duration`,
				`disruption-Duration: "karpenter.sh/disruption-Duration" is unknown: write karpenter.sh/disruption-schedule-duration`,
				`disruption-block: "karpenter.sh/disruption-block" is unknown: write karpenter.sh/disruption-block-schedule`,
				`disruption-block-for: "karpenter.sh/disruption-block-for" is unknown: write karpenter.sh/disruption-block-schedule`,
				`disruption-block-timezone: "karpenter.sh/disruption-block-timezone" is unknown: write karpenter.sh/disruption-schedule-timezone`,
				`disruption-time-zone: "karpenter.sh/disruption-time-zone" is unknown: write karpenter.sh/disruption-schedule-timezone`,
				`disruption-window: "karpenter.sh/disruption-window" is unknown: write karpenter.sh/disruption-schedule`,
			}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			terms, warnings := read(c.annotations)
			if diff := cmp.Diff(c.warnings, warnings); diff != "" {
				t.Error(diff)
			}
			if terms.Invalid != (len(c.warnings) > 0) || terms.Protect != 0 {
				t.Errorf("invalid is %t, protected for %s", terms.Invalid, terms.Protect)
			}
			if c.edges == nil && terms.Window != (schedule.Window{}) {
				t.Errorf("disruptable only in %s", terms.Window)
			}
			fixture.CheckEdges(t, candidate.Rules{}, candidate.Pod{Name: "web", Terms: terms}, c.edges...)
		})
	}
}

// "Pods with invalid schedules emit a Warning event" (Error Handling): all that it needs is there.
func TestAWarningIsReadyToBePublishedAsAnEvent(t *testing.T) {
	annotations := map[string]string{
		"karpenter.sh/disruption-schedule":          "0 2 * * sun;0 2 * * 8",
		"karpenter.sh/disruption-schedule-duration": "1d",
		"karpenter.sh/disruption-block-schedule":    "@every 1h",
		"karpenter.sh/disruption-window":            "night",
		"karpenter.sh/do-not-disrupt":               "yes",
	}
	type event struct{ Code, Object, Field, Value string }
	want := []event{
		{"invalid-annotation", "Pod/shop/web", "karpenter.sh/do-not-disrupt", "yes"},
		{"invalid-annotation", "Pod/shop/web", "karpenter.sh/disruption-schedule-duration", "1d"},
		{"invalid-annotation", "Pod/shop/web", "karpenter.sh/disruption-schedule", "0 2 * * 8"},
		{"invalid-annotation", "Pod/shop/web", "karpenter.sh/disruption-block-schedule", "@every 1h"},
		{"invalid-annotation", "Pod/shop/web", "karpenter.sh/disruption-window", "night"},
	}
	var parser kube.Parser
	for range 2 { // also when it is remembered
		_, warnings := parser.Terms("shop", "web", annotations)
		var got []event
		for _, w := range warnings {
			got = append(got, event{string(w.Code), w.Object, w.Field, w.Value})
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	}
	if _, warnings := parser.Terms("", "web-1", annotations); warnings[0].Object != "Pod/web-1" {
		t.Errorf("a pod without a namespace is %q", warnings[0].Object)
	}
}

// TestDoNotDisrupt compares with Karpenter's IsDoNotDisruptActive and quotes its comments.
func TestDoNotDisrupt(t *testing.T) {
	const (
		otherwise = `: write "true", or how long after its start the pod must not be disrupted, such as 4h or 30m`
		positive  = `: write a positive duration such as 4h, or "true"`
	)
	for _, c := range []struct {
		name, value string
		protect     time.Duration
		warning     string // behind the annotation and the quoted value
		invalid     bool
	}{
		{"true is for good", "true", candidate.Forever, "", false},
		{`duration-based values (e.g., "5m", …)`, "5m", 5 * time.Minute, "", false},
		{`duration-based values (e.g., …, "1h")`, "1h", time.Hour, "", false},
		{"a duration may be long", "8760h", 365 * 24 * time.Hour, "", false},
		{"a duration may be short", "1ns", 1, "", false},
		{"the longest duration is not for good: only true is", "9223372036854775807ns", candidate.Forever - 1, "", false},
		{"0 is no positive duration", "0s", 0, positive, true},
		{"nor is 0 without a unit", "0", 0, positive, true},
		{"nor is what lies in the past", "-5m", 0, positive, true},
		{"Invalid format - … treat as if annotation doesn't exist: True", "True", 0, otherwise, true},
		{"Invalid format - … treat as if annotation doesn't exist: a number", "3600", 0, otherwise, true},
		{"Invalid format - … treat as if annotation doesn't exist: days", "1d", 0, otherwise, true},
		{"Invalid format - … treat as if annotation doesn't exist: a space", "true ", 0, otherwise, true},
		{"Invalid format - … treat as if annotation doesn't exist: longer than time", "2562048h", 0, otherwise, true},
		{"Invalid format - … treat as if annotation doesn't exist: nothing", "", 0, otherwise, true},
		{"false asks for nothing, and no policy makes it block", "false", 0, ": leave the annotation out", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			terms, warnings := read(map[string]string{"karpenter.sh/do-not-disrupt": c.value})
			if terms.Protect != c.protect || terms.Invalid != c.invalid || terms.Window != (schedule.Window{}) {
				t.Errorf("%+v", terms)
			}
			var want []string
			if c.warning != "" {
				want = []string{fmt.Sprintf("do-not-disrupt: %q protects nothing%s", c.value, c.warning)}
			}
			if diff := cmp.Diff(want, warnings); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestFalseIsNoExcuseForOtherFaults(t *testing.T) {
	terms, warnings := read(map[string]string{"karpenter.sh/do-not-disrupt": "false", "karpenter.sh/disruption-schedule": "never"})
	if !terms.Invalid || len(warnings) != 2 {
		t.Errorf("invalid is %t, warned of %q", terms.Invalid, warnings)
	}
	terms, _ = read(map[string]string{"karpenter.sh/do-not-disrupt": "no", "karpenter.sh/disruption-schedule": "@daily"})
	if !terms.Invalid {
		t.Error("a good schedule hides a bad do-not-disrupt")
	}
}

// shown is all that can be seen of terms, at some times.
func shown(terms candidate.Terms, times []time.Time) string {
	text := fmt.Sprintf("%s %t %s", terms.Protect, terms.Invalid, terms.Window)
	for _, at := range times {
		open, until := terms.Window.Until(at)
		text += fmt.Sprint(" ", open, until)
	}
	return text
}

func TestAParserReadsAsIfForTheFirstTime(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		different := rapid.SliceOfN(testkit.Arbitrary(generate.Annotations), 1, 4).Draw(t, "annotations")
		times := rapid.SliceOfN(testkit.Arbitrary(generate.Time), 3, 3).Draw(t, "times")
		var used kube.Parser
		for range 10 {
			annotations := rapid.SampledFrom(different).Draw(t, "next")
			before := maps.Clone(annotations)
			got, gotWarnings := used.Terms("shop", "web", annotations)
			var fresh kube.Parser
			want, wantWarnings := fresh.Terms("shop", "web", annotations)
			if shown(got, times) != shown(want, times) {
				t.Fatalf("%q\nused:  %s\nfresh: %s", annotations, shown(got, times), shown(want, times))
			}
			if diff := cmp.Diff(wantWarnings, gotWarnings); diff != "" {
				t.Fatal(diff)
			}
			for i := range gotWarnings {
				gotWarnings[i] = candidate.Warning{} // they are the caller's
			}
			if again, _ := used.Terms("ml", "db", annotations); again.Window != got.Window {
				t.Fatal("what is remembered is another window")
			}
			if diff := cmp.Diff(before, annotations); diff != "" {
				t.Fatalf("annotations are changed: %s", diff)
			}
		}
	})
}

// Two sets of annotations that would be the same text, were they only put one behind the other.
func TestAParserConfusesNoAnnotations(t *testing.T) {
	var parser kube.Parser
	for _, c := range []struct {
		annotations map[string]string
		warnings    int
	}{
		{map[string]string{"karpenter.sh/disruption-schedule": "@daily", "karpenter.sh/disruption-schedule-duration": "2h"}, 0},
		{map[string]string{"karpenter.sh/disruption-schedule": `@daily""karpenter.sh/disruption-schedule-duration""2h`}, 1},
		{map[string]string{"karpenter.sh/disruption-schedule": "@dailykarpenter.sh/disruption-schedule-duration2h"}, 1},
		{map[string]string{`karpenter.sh/disruption-schedule""@daily`: ""}, 1},
		{map[string]string{"karpenter.sh/disruption-schedule": "\xff@daily"}, 1},
		{map[string]string{"karpenter.sh/disruption-schedule": "\ufffd@daily"}, 1},
	} {
		terms, warnings := parser.Terms("", "", c.annotations)
		if len(warnings) != c.warnings || terms.Invalid != (c.warnings > 0) {
			t.Errorf("%q: warned of %v", c.annotations, warnings)
		}
		if len(warnings) > 0 && c.annotations[warnings[0].Field] != warnings[0].Value {
			t.Errorf("%q: warned of %q", c.annotations, warnings[0].Value)
		}
	}
}

// "What it remembers is of some 64 MiB at the most: then it begins anew." Whoever rewrites annotations again and again
// fills no memory with them.
func TestAParserThatIsFullForgetsAndWorks(t *testing.T) {
	for _, c := range []struct {
		name           string
		long           string // added to each
		remembers, not int    // so many others besides the first
	}{
		{"short annotations", "", 3_000, 6_000},
		{"the longest that the API takes", strings.Repeat(";", 250<<10), 5, 10},
	} {
		t.Run(c.name, func(t *testing.T) {
			parser := kube.NewSmallParser()
			nightly := map[string]string{"karpenter.sh/disruption-schedule": "0 2 * * *" + c.long}
			first, _ := parser.Terms("", "", nightly)
			for i := range c.not {
				if i == c.remembers {
					if again, _ := parser.Terms("", "", nightly); again != first {
						t.Errorf("forgotten among %d", i)
					}
				}
				terms, _ := parser.Terms("", "", map[string]string{
					"karpenter.sh/do-not-disrupt": fmt.Sprintf("%dm", i+1), "karpenter.sh/disruption-schedule-x": c.long,
				})
				if terms != (candidate.Terms{Protect: time.Duration(i+1) * time.Minute, Invalid: true}) {
					t.Fatalf("%d minutes are %+v", i+1, terms)
				}
			}
			later, _ := parser.Terms("", "", nightly)
			if later == first {
				t.Errorf("more than %d are remembered", c.not)
			}
			if later.Window.String() != first.Window.String() {
				t.Errorf("%s is %s once the parser was full", first.Window, later.Window)
			}
			parser.Terms("", "", map[string]string{"karpenter.sh/do-not-disrupt": "1ns"})
			if again, _ := parser.Terms("", "", nightly); again != later {
				t.Error("nothing is remembered any more")
			}
		})
	}
}

func TestAParserThatHasSeenAnnotationsAllocatesNothing(t *testing.T) {
	annotations := annotationsIn(t, `
karpenter.sh/disruption-schedule: "0 2 * * 6"
karpenter.sh/disruption-schedule-duration: "4h"
`)
	var parser kube.Parser
	parser.Terms("shop", "web", annotations)
	if n := testing.AllocsPerRun(100, func() { parser.Terms("shop", "web", annotations) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// TestAnnotationsOfAnyBytes has what no API server would let by, and what it would: 256 KiB of anything.
func TestAnnotationsOfAnyBytes(t *testing.T) {
	const size = 256 << 10
	for name, value := range map[string]string{
		"nothing":             "",
		"spaces":              " \t\n ",
		"a zero byte":         "\x00",
		"invalid UTF-8":       "\xff\xfe 2 * * *",
		"half a rune":         "0 2 * * \xe2\x82",
		"spaces, long":        strings.Repeat(" ", size),
		"semicolons":          strings.Repeat(";", size),
		"bytes that are none": strings.Repeat("\xff", size),
		"zero bytes":          strings.Repeat("\x00", size),
		"digits":              strings.Repeat("9", size),
		"stars":               strings.Repeat("*", size),
		"commas":              "0 2 * * " + strings.Repeat("1,", size/2),
		"lines":               strings.Repeat("\n", size),
		"units":               strings.Repeat("1h", size/2),
		"dots":                "../../" + strings.Repeat("../", size/3),
		"quotes":              strings.Repeat(`"`, size),
		"runes":               strings.Repeat("€", size/3),
		"many schedules":      strings.Repeat("0 2 * * *;", size/10),
		"many bad schedules":  strings.Repeat("0 2 * * sat-sun;", size/16),
		"many descriptors":    strings.Repeat("@every;", size/7),
	} {
		t.Run(name, func(t *testing.T) {
			for _, key := range []string{
				kube.DoNotDisruptAnnotation, kube.DisruptionScheduleAnnotation, kube.DisruptionScheduleDurationAnnotation,
				kube.DisruptionBlockScheduleAnnotation, kube.DisruptionBlockDurationAnnotation,
				kube.DisruptionScheduleTimeZoneAnnotation, "karpenter.sh/disruption-" + value,
			} {
				alone := map[string]string{key: value}
				among := map[string]string{
					kube.DisruptionScheduleAnnotation:         "0 2 * * *;0 4 * * *",
					kube.DisruptionScheduleDurationAnnotation: "2h",
					kube.DisruptionBlockScheduleAnnotation:    "0 5 * * *",
				}
				among[key] = value
				for _, annotations := range []map[string]string{alone, among} {
					checkRead(t, annotations)
				}
			}
		})
	}
}

// checkRead checks what must hold of any annotations.
func checkRead(t *testing.T, annotations map[string]string) {
	t.Helper()
	var parser kube.Parser
	terms, warnings := parser.Terms("shop", "web", annotations)
	if terms.Invalid != (len(warnings) > 0) && annotations[kube.DoNotDisruptAnnotation] != "false" {
		t.Errorf("invalid is %t, warned of %.200q", terms.Invalid, warnings)
	}
	if len(warnings) > 400 {
		t.Errorf("%d warnings", len(warnings))
	}
	for _, w := range warnings {
		_, there := annotations[w.Field]
		if !there || w.Code != "invalid-annotation" || w.Object != "Pod/shop/web" || len(w.Message) > 2000 || !strings.Contains(w.Message, "write") && !strings.Contains(w.Message, "leave") {
			t.Errorf("%s %s %.100q: %.500q", w.Code, w.Object, w.Field, w.Message)
		}
	}
	node := candidate.Node{Pods: []candidate.Pod{{Name: "web", Terms: terms}}}
	if v := fixture.Open(candidate.Rules{}, noon).Judge(&node, candidate.Condition{}); len(v.Blockers) == 0 != schedule.InWindow(terms.Window, noon) && terms.Protect == 0 {
		t.Errorf("%v, the window is open: %t", v.Blockers, schedule.InWindow(terms.Window, noon))
	}
}

func TestAParserTellsTheSameValueUnderAnotherKeyApart(t *testing.T) {
	var parser kube.Parser
	allow, _ := parser.Terms("", "", map[string]string{kube.DisruptionScheduleAnnotation: "@daily"})
	block, _ := parser.Terms("", "", map[string]string{kube.DisruptionBlockScheduleAnnotation: "@daily"})
	if allow.Window.String() != "@daily for 1h, UTC" || block.Window.String() != "outside (@daily for 1h, UTC)" {
		t.Errorf("%s, and %s", allow.Window, block.Window)
	}
}
