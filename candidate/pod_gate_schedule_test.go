package candidate_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/testkit/fixture"
)

// The manifest of the RFC's "Alternative 2: Custom Resource":
//
//	apiVersion: karpenter.sh/v1
//	kind: PodDisruptionSchedule
//	metadata:
//	  name: ml-training-schedule
//	spec:
//	  selector:
//	    matchLabels:
//	      app: ml-training
//	  schedule: "0 2 * * 6"
//	  duration: 4h
func TestThePodDisruptionScheduleOfTheRFC(t *testing.T) {
	training := &candidate.Selector{MatchLabels: map[string]string{"app": "ml-training"}}
	rules, err := candidate.CompileRules(nil, []candidate.PodSchedule{
		{Name: "ml-training-schedule", Selector: training, Schedule: "0 2 * * 6", Duration: "4h"},
	})
	if err != nil {
		t.Fatal(err)
	}
	edges := []string{"opens 2026-11-21T02:00:00Z", "closes 2026-11-21T06:00:00Z", "opens 2026-11-28T02:00:00Z"}
	for _, namespace := range []string{"ml", "shop", ""} { // "Works across namespaces"
		fixture.CheckEdges(t, rules, candidate.Pod{Namespace: namespace, Name: "train", Labels: training.MatchLabels}, edges...)
	}
	fixture.CheckEdges(t, rules, candidate.Pod{Namespace: "ml", Name: "serve", Labels: map[string]string{"app": "ml-serving"}})

	node := candidate.Node{Pods: []candidate.Pod{{Namespace: "ml", Name: "train", Labels: training.MatchLabels}}}
	want := []string{"pod/outside-schedule: pod ml/train may be disrupted only when PodDisruptionSchedule ml-training-schedule allows it: 0 2 * * 6 for 4h, UTC (until 2026-11-21T02:00:00Z)"}
	if diff := cmp.Diff(want, fixture.Said(fixture.Open(rules, fixture.Noon).Judge(&node, candidate.Condition{}).Blockers)); diff != "" {
		t.Error(diff)
	}
}

func TestAPodScheduleThatIsBrokenBlocksWhatItSelects(t *testing.T) {
	const held = "pod/invalid-schedule: pod shop/web-0 is blocked by PodDisruptionSchedule nightly, which is not valid: "
	brokenSelector := &candidate.Selector{MatchExpressions: []candidate.Requirement{{Key: "app", Operator: "Exists", Values: []string{"web"}}}}
	for _, c := range []struct {
		name     string
		schedule candidate.PodSchedule
		want     string   // behind held
		more     []string // warnings behind the first, which is want
		others   bool     // pods that are not selected are blocked as well
	}{
		{name: "a schedule that is none", schedule: candidate.PodSchedule{Selector: selectsWeb(), Schedule: "0 25 * * *"},
			want: `spec.schedule: cron expression "0 25 * * *": hour "25" is not valid: write 0 to 23 or *, combined as in 1-5, 1,3 or */2`},
		{name: "one bad part of several", schedule: candidate.PodSchedule{Selector: selectsWeb(), Schedule: "* * * * *;nightly"},
			want: `spec.schedule: cron expression "nightly" has one field: write five (minute, hour, day of month, month, day of week), such as "0 9 * * mon-fri"`},
		{name: "a duration that is none, of a schedule that is closed anyhow", schedule: candidate.PodSchedule{Selector: selectsWeb(), Schedule: "0 2 * * *", Duration: "1d"},
			want: `spec.duration: duration "1d" is not valid: write one such as 4h, 30m or 1h30m, from 1m to 168h`},
		{name: "a wrong number of durations", schedule: candidate.PodSchedule{Selector: selectsWeb(), Schedule: "* * * * *", Duration: "1h;1h"},
			want: `spec.duration: 2 durations for 1 schedule: write one duration for all of them, or one each`},
		{name: "a block schedule that is none", schedule: candidate.PodSchedule{Selector: selectsWeb(), Schedule: "* * * * *", BlockSchedule: "0 0 30 2 *"},
			want: `spec.blockSchedule: cron expression "0 0 30 2 *" never hits, since none of its months has such a day: write a day of the month from 1 to 29`},
		{name: "a block duration without a schedule", schedule: candidate.PodSchedule{Selector: selectsWeb(), Schedule: "* * * * *", BlockDuration: "1h"},
			want: `spec.blockDuration: duration "1h" has no schedule: also write spec.blockSchedule`},
		{name: "a time zone that nobody knows", schedule: candidate.PodSchedule{Selector: selectsWeb(), Schedule: "* * * * *", TimeZone: "Mars"},
			want: `spec.timeZone: time zone "Mars" is unknown: write a tz database name such as "Europe/Berlin", or "UTC"`},
		{name: "nothing at all", schedule: candidate.PodSchedule{Selector: selectsWeb()},
			want: `spec.schedule: nothing says when pods may be disrupted: write a schedule, or delete this PodDisruptionSchedule`},
		{name: "an invalid selector blocks all pods", schedule: candidate.PodSchedule{Selector: brokenSelector, Schedule: "* * * * *"},
			want: `spec.selector.matchExpressions[0].values: Exists has the value "web": write none, or In or NotIn`, others: true},
		{name: "all that is wrong is warned of", schedule: candidate.PodSchedule{Selector: brokenSelector, Schedule: "x y", Duration: "0s", BlockDuration: "1h"},
			want: `spec.selector.matchExpressions[0].values: Exists has the value "web": write none, or In or NotIn`, others: true,
			more: []string{
				`spec.duration: duration "0s" is less than a minute: write at least 1m`,
				`spec.schedule: cron expression "x y" has 2 fields: write five (minute, hour, day of month, month, day of week), such as "0 9 * * mon-fri"`,
				`spec.blockDuration: duration "1h" has no schedule: also write spec.blockSchedule`,
			}},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.schedule.Name = "nightly"
			rules, err := candidate.CompileRules(nil, []candidate.PodSchedule{c.schedule})
			var got []string
			for _, w := range rules.Warnings() {
				if w.Code != "invalid-schedule" || w.Object != "PodDisruptionSchedule/nightly" {
					t.Errorf("%s of %s", w.Code, w.Object)
				}
				got = append(got, strings.TrimPrefix(w.Error(), "PodDisruptionSchedule/nightly: "))
			}
			if diff := cmp.Diff(append([]string{c.want}, c.more...), got); diff != "" || err == nil {
				t.Error(diff, err)
			}
			node := candidate.Node{Pods: []candidate.Pod{webPod()}}
			if diff := cmp.Diff([]string{held + c.want}, fixture.Said(fixture.Open(rules, fixture.Noon).Judge(&node, candidate.Condition{}).Blockers)); diff != "" {
				t.Error(diff)
			}
			node.Pods[0].Labels = nil
			if v := fixture.Open(rules, fixture.Noon).Judge(&node, candidate.Condition{}); len(v.Blockers) > 0 != c.others {
				t.Errorf("other pods are blocked by %q", fixture.Said(v.Blockers))
			}
		})
	}
}

func TestAPodScheduleWithoutASelectorSelectsNothing(t *testing.T) {
	rules, err := candidate.CompileRules(nil, []candidate.PodSchedule{{Name: "nightly", Schedule: "never"}})
	want := "PodDisruptionSchedule/nightly: spec.selector: it is absent, and selects no pods: write the labels of the pods, or {} for all"
	if err == nil || err.Error() != want || rules.Warnings()[0].Code != "no-effect" {
		t.Error(err)
	}
	fixture.CheckEdges(t, rules, webPod())
}

// "Potential for selector conflicts" (RFC, Alternative 2): all must agree.
func TestPodSchedulesAndAnnotationsMustAllAgree(t *testing.T) {
	terms, warnings := readTerms(map[string]string{"karpenter.sh/disruption-schedule": "0 2 * * *", "karpenter.sh/disruption-schedule-duration": "4h"})
	if warnings != nil {
		t.Fatal(warnings)
	}
	rules, err := candidate.CompileRules(nil, []candidate.PodSchedule{
		{Name: "early", Selector: &candidate.Selector{}, Schedule: "0 0 * * *", Duration: "5h"},
		{Name: "no-odd-hours", Selector: selectsWeb(), BlockSchedule: "0 3 * * *"},
	})
	if err != nil {
		t.Fatal(err)
	}
	p := webPod()
	p.Terms = terms // 02 to 06; 00 to 05; not 03 to 04
	node := candidate.Node{Pods: []candidate.Pod{p}}
	const (
		annotation = "pod/outside-schedule: pod shop/web-0 may be disrupted only when its disruption schedule allows it: 0 2 * * * for 4h, UTC (until "
		early      = "pod/outside-schedule: pod shop/web-0 may be disrupted only when PodDisruptionSchedule early allows it: 0 0 * * * for 5h, UTC (until "
		odd        = "pod/outside-schedule: pod shop/web-0 may be disrupted only when PodDisruptionSchedule no-odd-hours allows it: outside (0 3 * * * for 1h, UTC) (until "
	)
	for _, c := range []struct {
		at    string
		want  []string
		until string
	}{
		{"2026-11-20T01:59:59Z", []string{annotation + "2026-11-20T02:00:00Z)"}, "2026-11-20T03:00:00Z"},
		{"2026-11-20T02:00:00Z", nil, "2026-11-20T03:00:00Z"},
		{"2026-11-20T02:59:59Z", nil, "2026-11-20T03:00:00Z"},
		{"2026-11-20T03:00:00Z", []string{odd + "2026-11-20T04:00:00Z)"}, "2026-11-20T05:00:00Z"},
		{"2026-11-20T04:00:00Z", nil, "2026-11-20T05:00:00Z"},
		{"2026-11-20T05:00:00Z", []string{early + "2026-11-21T00:00:00Z)"}, "2026-11-20T06:00:00Z"},
		{"2026-11-20T06:00:00Z", []string{early + "2026-11-21T00:00:00Z)", annotation + "2026-11-21T02:00:00Z)"}, "2026-11-21T03:00:00Z"},
	} {
		v := fixture.Open(rules, fixture.When(t, c.at)).Judge(&node, candidate.Condition{})
		if diff := cmp.Diff(c.want, fixture.Said(v.Blockers)); diff != "" || !v.Until.Equal(fixture.When(t, c.until)) {
			t.Errorf("at %s until %s: %s", c.at, v.Until, diff)
		}
	}
}
