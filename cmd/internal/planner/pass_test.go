package planner

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/engine"
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
	for text, want := range map[string]time.Duration{"": 0, "0s": 0, "2s": 2 * time.Second, "@" + file: 1250 * time.Millisecond} {
		var o options
		if err := o.setPass(text); err != nil || o.model.Pass != want {
			t.Errorf("%s: %s, %v, want %s", text, o.model.Pass, err, want)
		}
	}
	for _, text := range []string{"2", "-1s", "@nowhere.txt"} {
		var o options
		if err := o.setPass(text); err == nil || !strings.Contains(err.Error(), strings.TrimPrefix(text, "@")) {
			t.Errorf("%s: the error is %v", text, err)
		}
	}
}

func TestAPlanOfManyNodesSaysThatAPassTakesNoTime(t *testing.T) {
	many := disruptkit.Input{Nodes: make([]candidate.Node, mostAtOnce+1)}
	for _, test := range []struct {
		as   engine.Engine
		in   disruptkit.Input
		pass time.Duration
		says bool
	}{
		{engine.Karpenter, many, 0, true}, {engine.Guard, many, 0, true}, {engine.Disruptkit, many, 0, false},
		{engine.Karpenter, many, 1, false}, {engine.Karpenter, disruptkit.Input{}, 0, false},
	} {
		var o options
		o.policy.As, o.model.Pass = test.as, test.pass
		if got := o.passes(test.in); (len(got) > 0) != test.says {
			t.Errorf("%v: %q", test, got)
		}
	}
}
