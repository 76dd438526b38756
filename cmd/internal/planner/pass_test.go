package planner

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/disruptkit/disruptkit/plan"
)

const passMetrics = `
# TYPE karpenter_voluntary_disruption_decision_evaluation_duration_seconds histogram
karpenter_voluntary_disruption_decision_evaluation_duration_seconds_bucket{reason="drifted",le="1"} 10
karpenter_voluntary_disruption_decision_evaluation_duration_seconds_bucket{reason="drifted",le="3"} 20
karpenter_voluntary_disruption_decision_evaluation_duration_seconds_bucket{reason="drifted",le="+Inf"} 20
karpenter_voluntary_disruption_decision_evaluation_duration_seconds_sum{reason="drifted"} 25
karpenter_voluntary_disruption_decision_evaluation_duration_seconds_count{reason="drifted"} 20
karpenter_voluntary_disruption_decision_evaluation_duration_seconds_bucket{reason="empty",le="100"} 7
karpenter_voluntary_disruption_decision_evaluation_duration_seconds_bucket{reason="empty",le="+Inf"} 7
karpenter_voluntary_disruption_decision_evaluation_duration_seconds_sum{reason="empty"} 700
karpenter_voluntary_disruption_decision_evaluation_duration_seconds_count{reason="empty"} 7
`

func TestAPassTakesAsLongAsKarpentersMetricsSay(t *testing.T) {
	file := filepath.Join(t.TempDir(), "metrics.txt")
	if err := os.WriteFile(file, []byte(passMetrics), 0o600); err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]time.Duration{"": 0, "0s": 0, "2s": 2 * time.Second, "@" + file: 2250 * time.Millisecond} {
		o := options{pass: text}
		if err := o.setPass(); err != nil || o.model.Pass != want {
			t.Errorf("%s: %s, %v, want %s", text, o.model.Pass, err, want)
		}
	}
	for _, text := range []string{"2", "-1s", "@nowhere.txt"} {
		o := options{pass: text}
		if err := o.setPass(); err == nil || !strings.Contains(err.Error(), strings.TrimPrefix(text, "@")) {
			t.Errorf("%s: the error is %v", text, err)
		}
	}
}

func TestAPlanSaysThatHowLongAPassTakesIsAGuess(t *testing.T) {
	const guess = "how long a pass takes is a guess"
	for args, want := range map[string]bool{
		"--engine karpenter": true, "--engine guard": true, "--engine disruptkit": false,
		"--engine karpenter --pass 2s": false, "--engine karpenter --pass 0s": false,
	} {
		if got := ran("", strings.Fields(args)...); strings.Contains(got.stdout, guess) != want {
			t.Errorf("%s: %.3000s", args, got.stdout)
		}
	}
}

// Ten nodes of a budget of ten start one after the other. How much time is between them depends on all nodes of the cluster.
func TestAPassTakesTheLongerTheLargerTheClusterIs(t *testing.T) {
	file := filepath.Join(t.TempDir(), "fleet.yaml")
	write(t, file, fleet(40, `[{nodes: "100%"}]`))
	second := func(args ...string) string {
		got := ran("", append([]string{"-f", file, "--now", "2026-11-20T18:00:00Z", "--engine", "karpenter", "-o", "json"}, args...)...)
		starts := regexp.MustCompile(`"start": "2026-11-20T18:00:(.*)Z",\n *"ready"`).FindAllStringSubmatch(got.stdout, -1)
		if len(starts) < 2 {
			t.Fatalf("%.3000s%s", got.stdout, got.stderr)
		}
		return starts[1][1]
	}
	nodes := strings.Count(fleet(40, "null"), "kind: NodeClaim")
	want := plan.PassOf(nodes)
	if got, err := time.ParseDuration(second() + "s"); err != nil || got != want {
		t.Errorf("with %d nodes, the second starts after %s, want %s", nodes, got, want)
	}
	if got := second("--pass", "7s"); got != "07" {
		t.Errorf("the second starts after %s seconds, want 07", got)
	}
	if got := second("--pass", "0s"); got != "00" {
		t.Errorf("the second starts after %s seconds, want 00", got)
	}
}
