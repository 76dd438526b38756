package planner

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/plan"
)

// histogram returns what a Prometheus client prints of one: bounds and how many cases there are up to each.
func histogram(name, labels string, total int, upTo ...int) string {
	var s strings.Builder
	fmt.Fprintf(&s, "# HELP %s Some text.\n# TYPE %[1]s histogram\n", name)
	comma := labels
	if labels != "" {
		comma += ","
	}
	for i := 0; i < len(upTo); i += 2 {
		fmt.Fprintf(&s, "%s_bucket{%sle=\"%d\"} %d\n", name, comma, upTo[i], upTo[i+1])
	}
	fmt.Fprintf(&s, "%s_bucket{%sle=\"+Inf\"} %d\n%[1]s_sum{%[4]s} 1\n%[1]s_count{%[4]s} %[3]d\n", name, comma, total, labels)
	return s.String()
}

func TestHowLongThingsTake(t *testing.T) {
	dir := t.TempDir()
	other := histogram("other_seconds", "", 1, 10, 1)
	nodeclaims := "karpenter_nodeclaims_termination_duration_seconds"
	pools := histogram(nodeclaims, `nodepool="web"`, 2, 60, 0, 120, 2) + strings.SplitAfterN(histogram(nodeclaims, `nodepool="gpu"`, 6, 60, 0, 1800, 0, 3600, 6), "\n", 3)[2]
	conditions := `type="Initialized",status="Unknown",to_status="True",`
	for _, test := range []struct {
		rule string
		what string // drain by default
		text string // of a file, unless it begins with -
		pool string
		want map[int]float64 // how often up to so many seconds
		says string          // what is assumed, or the fault
	}{
		{rule: "one time", text: "-3m", want: map[int]float64{179: 0, 180: 1}},
		{rule: "no time", text: "-0s", want: map[int]float64{0: 1}},
		{rule: "times", text: "-1m, 3m,20m", want: map[int]float64{59: 0, 60: 1. / 3, 179: 1. / 3, 180: 2. / 3, 1199: 2. / 3, 1200: 1}},
		{rule: "a line each", text: "2m\n\n2m\n10m\n10m\n", want: map[int]float64{119: 0, 120: .5, 599: .5, 600: 1},
			says: "a drain takes as long as one of 4 in FILE: half of them up to 10m, nine in ten up to 10m, and the longest 10m"},
		{rule: "in any order", text: "10m\n2m\n12m\n3m\n4m\n", want: map[int]float64{119: 0, 120: .2}, says: "half of them up to 4m, nine in ten up to 12m, and the longest 12m"},
		{rule: "a histogram: evenly within each bucket, and above the last up to twice as long", text: histogram("x_seconds", "", 10, 60, 5, 600, 8),
			want: map[int]float64{30: .25, 60: .5, 330: .65, 600: .8, 900: .9, 1200: 1}, says: "one of 10 that x_seconds counts in FILE: half of them up to 1m, nine in ten up to 15m, and the longest 20m"},
		{rule: "of all metrics, the one that Karpenter has for drains", text: other + pools, want: map[int]float64{60: 0, 120: .25, 1800: .25, 3600: 1}, says: "of its own pool where that is known"},
		{rule: "a pool's own", text: pools, pool: "web", want: map[int]float64{60: 0, 90: .5, 120: 1}, says: "one of 8 that karpenter_nodeclaims"},
		{rule: "a histogram that falls: what is more counts", text: histogram("x_seconds", "", 4, 60, 5, 600, 2, 900, 10), want: map[int]float64{60: .5, 600: .5, 900: 1}, says: "one of 10 that x_seconds"},
		{rule: "launches: how long NodeClaims take until they are Initialized", what: "launch",
			text: other + histogram("operator_nodeclaim_status_condition_transition_seconds", conditions+`kind="NodeClaim"`, 4, 64, 0, 128, 4) +
				strings.SplitAfterN(histogram("operator_nodeclaim_status_condition_transition_seconds", `type="Drained",status="Unknown",to_status="True"`, 9, 64, 9), "\n", 3)[2],
			want: map[int]float64{64: 0, 128: 1}, says: "a launch takes as long as one of 4 that operator_nodeclaim_status"},
		{rule: "evictions", what: "eviction", text: "2m\n", want: map[int]float64{119: 0, 120: 1}, says: "an eviction takes as long as one of 1 in FILE"},

		{rule: "not a time", text: "-long", says: `"long" is not a duration: write one such as 90s or 3m`},
		{rule: "nothing", text: "-", says: `"" is not a duration`},
		{rule: "an empty file", text: "\n", says: "FILE is empty: write a duration on each line"},
		{rule: "another file", text: "kind: NodePool\n", says: `FILE: no histogram, such as Karpenter's karpenter_nodeclaims_termination_duration_seconds, and not a duration on each line: "kind:" is not a duration`},
		{rule: "a histogram of nothing", text: histogram("x_seconds", "", 0, 60, 0), says: "the histogram x_seconds has counted nothing"},
		{rule: "several metrics", text: other + histogram("x_seconds", "", 1, 60, 1), says: "none of its 2 histograms is Karpenter's for drain: leave one alone, such as other_seconds"},
		{rule: "no launches", what: "launch", text: histogram("operator_nodeclaim_status_condition_transition_seconds", `type="Ready"`, 1, 60, 1), says: "has no series with to_status=\"True\" and type=\"Initialized\""},
	} {
		t.Run(test.rule, func(t *testing.T) {
			what := "drain"
			if test.what != "" {
				what = test.what
			}
			file := filepath.Join(dir, "times")
			text, ok := strings.CutPrefix(test.text, "-")
			if !ok {
				write(t, file, test.text)
				text = "@" + file
			}
			var takes plan.Takes
			says, err := setTakes(what, text, &takes)
			if err != nil {
				says = err.Error()
			}
			if says = strings.ReplaceAll(says, file, "FILE"); !strings.Contains(says, test.says) || (err == nil) != (test.want != nil) || (says == "") != (test.says == "") {
				t.Fatalf("got %q, %v", says, err)
			}
			if err != nil {
				return
			}
			const n = 20_000
			var all []time.Duration
			for i := range n {
				all = append(all, takes(candidate.Node{Pool: test.pool}, time.Time{}, float64(i)/n))
			}
			slices.Sort(all)
			for _, seconds := range slices.Sorted(maps.Keys(test.want)) {
				upTo, _ := slices.BinarySearch(all, time.Duration(seconds)*time.Second+1)
				if got := float64(upTo) / n; got < test.want[seconds]-0.02 || got > test.want[seconds]+0.02 {
					t.Errorf("%.3f of all take up to %d s, want %.3f", got, seconds, test.want[seconds])
				}
			}
		})
	}
}

// Nobody may make a plan wait or grow with what a file says.
func TestTimesAreBounded(t *testing.T) {
	file := filepath.Join(t.TempDir(), "times")
	for _, text := range []string{
		histogram("x_seconds", "", 3, 60, 5, 600, 2), // it falls
		"# TYPE x histogram\nx_bucket{le=\"NaN\"} 3\nx_bucket{le=\"1e300\"} 7\nx_count 9\n",
		"# TYPE x histogram\nx_count 9\n",
		"# TYPE x histogram\nx 1\nx_bucket 2\n",
	} {
		write(t, file, text)
		var takes plan.Takes
		if _, err := setTakes("drain", "@"+file, &takes); err != nil {
			continue
		}
		for i := range 1000 {
			if d := takes(candidate.Node{}, time.Time{}, float64(i)/1000); d < 0 || d > 10*365*24*time.Hour {
				t.Errorf("%s: it takes %s", text, d)
			}
		}
	}
}
