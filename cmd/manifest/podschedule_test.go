package manifest_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/engine"
	"github.com/disruptkit/disruptkit/cmd/manifest"
)

func TestPodSchedule(t *testing.T) {
	for _, test := range []struct {
		rule, schedule string
		want           func(*candidate.PodSchedule) // what is different about what is read
	}{
		{"an ordinary one", ``, nil},
		{"a block schedule", `spec: {blockSchedule: 0 9 * * 1-5, blockDuration: 8h}`, func(s *candidate.PodSchedule) { s.BlockSchedule, s.BlockDuration = "0 9 * * 1-5", "8h" }},
		{"a time zone", `spec: {timeZone: Europe/Berlin}`, func(s *candidate.PodSchedule) { s.TimeZone = "Europe/Berlin" }},
		{"no duration", `spec: {duration: null}`, func(s *candidate.PodSchedule) { s.Duration = "" }},
		{"an empty selector", `spec: {selector: {matchLabels: null}}`, func(s *candidate.PodSchedule) { s.Selector.MatchLabels = map[string]string{} }},
		{
			"expressions", `spec: {selector: {matchExpressions: [{key: tier, operator: Exists}]}}`,
			func(s *candidate.PodSchedule) {
				s.Selector.MatchExpressions = []candidate.Requirement{{Key: "tier", Operator: "Exists"}}
			},
		},
		{"no namespace matters", `metadata: {namespace: data}`, nil},
		{"other versions of its API are read", `apiVersion: karpenter.sh/v1alpha1`, nil},
	} {
		t.Run(test.rule, func(t *testing.T) {
			c := read(t, different(t, podSchedule, test.schedule))
			want := candidate.PodSchedule{
				Name: "web", Schedule: "0 2 * * 6", Duration: "4h",
				Selector: &candidate.Selector{MatchLabels: map[string]string{"app": "web"}},
			}
			if test.want != nil {
				test.want(&want)
			}
			_, got := c.Rules.Written()
			if diff := cmp.Diff([]candidate.PodSchedule{want}, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			if w := c.Rules.Warnings(); len(w) > 0 {
				t.Errorf("warnings: %v", w)
			}
		})
	}
}

// Which PodDisruptionSchedules block the node of the pod shop/web-1, at Friday 2026-11-20 10:30 UTC.
func TestWhatAPodScheduleBlocks(t *testing.T) {
	const (
		only   = "pod/outside-schedule: pod shop/web-1 may be disrupted only when PodDisruptionSchedule web allows it: "
		absent = "PodDisruptionSchedule/web: spec.selector: it is absent, and selects no pods: write the labels of the pods, or {} for all"
		zone   = `spec.timeZone: time zone "Europe/Berln" is unknown: write a tz database name such as "Europe/Berlin", or "UTC"`
	)
	for _, test := range []struct {
		rule, schedule, pod string
		want                string
		warnings            []string
	}{
		{rule: "one that is closed", want: only + "0 2 * * 6 for 4h, UTC (until 2026-11-21T02:00:00Z)"},
		{rule: "one that is open: nothing", schedule: `spec: {schedule: 0 10 * * 5}`},
		{rule: "one that is open in its time zone: nothing", schedule: `spec: {schedule: 0 11 * * 5, timeZone: Europe/Berlin, duration: 1h}`},
		{
			rule: "one that blocks", schedule: `spec: {schedule: null, duration: null, blockSchedule: 0 9 * * 5, blockDuration: 8h}`,
			want: only + "outside (0 9 * * 5 for 8h, UTC) (until 2026-11-20T17:00:00Z)",
		},
		{rule: "pods of any namespace", pod: `metadata: {namespace: data}`,
			want: "pod/outside-schedule: pod data/web-1 may be disrupted only when PodDisruptionSchedule web allows it: 0 2 * * 6 for 4h, UTC (until 2026-11-21T02:00:00Z)"},
		{rule: "other pods: nothing", pod: `metadata: {labels: {app: db}}`},
		{rule: "static pods as well", pod: `metadata: {ownerReferences: [{apiVersion: v1, kind: Node, name: node-1}]}`, want: only + "0 2 * * 6 for 4h, UTC (until 2026-11-21T02:00:00Z)"},
		{rule: "pods that have finished: nothing", pod: `status: {phase: Succeeded}`},
		{rule: "one without a selector: nothing", schedule: `spec: {selector: null}`, warnings: []string{absent}},
		{rule: "one that is not valid", schedule: `spec: {timeZone: Europe/Berln}`,
			want:     "pod/invalid-schedule: pod shop/web-1 is blocked by PodDisruptionSchedule web, which is not valid: " + zone,
			warnings: []string{"PodDisruptionSchedule/web: " + zone}},
	} {
		t.Run(test.rule, func(t *testing.T) {
			c := read(t, documents(nodePool, drifted(t), node, different(t, pod, test.pod), different(t, podSchedule, test.schedule)))
			d := disruptkit.Decide(c.Input(now), candidate.Drifted)
			wantBlockers(t, d, test.want)
			if diff := cmp.Diff(test.warnings, texts(c.Warnings(d, d))); diff != "" {
				t.Errorf("warnings (-want +got)\n%s", diff)
			}
		})
	}
}

// Only an engine that reads PodDisruptionSchedules is in doubt about one that cannot be read.
func TestABrokenPodScheduleBlocksWhereItIsRead(t *testing.T) {
	for as, want := range map[engine.Engine]string{
		engine.Karpenter:  "Karpenter has no PodDisruptionSchedules, so it blocks nothing",
		engine.Guard:      "the guard reads none: write annotations of pods, such as karpenter.sh/disruption-schedule",
		engine.Steward:    "the steward reads none: write annotations of pods, such as karpenter.sh/disruption-schedule",
		engine.Disruptkit: "",
	} {
		input := documents(different(t, nodePool, `spec: {disruption: {budgets: [{nodes: "1"}]}}`), drifted(t), node, pod, different(t, podSchedule, "spec: {days: 5}"))
		c, err := manifest.Policy{As: as}.Read(strings.NewReader(input))
		if err != nil {
			t.Fatal(err)
		}
		d := c.Decide(c.Input(now), candidate.Drifted)
		if goes := len(d.Allowed) > 0; goes != (want != "") {
			t.Errorf("%s: it is disrupted: %v: %v", as, goes, d.Blocked)
		}
		if said := strings.Join(texts(c.Warnings(d)), "\n"); !strings.Contains(said, want) || !strings.Contains(said, "spec.days") {
			t.Errorf("%s: %s", as, said)
		}
	}
}
