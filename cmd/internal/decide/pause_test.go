package decide

import (
	"os"
	"strings"
	"testing"
)

// The annotation pauses where the guard runs, and Karpenter knows nothing of it.
func TestAnAnnotatedPauseHoldsBackNodesWhereTheGuardRuns(t *testing.T) {
	text, err := os.ReadFile("testdata/engines.yaml")
	if err != nil {
		t.Fatal(err)
	}
	const annotations = "  annotations:\n    disruptkit.dev/disruption: |"
	for _, test := range []struct{ rule, as, pause, stdout, stderr string }{
		{"the guard", "guard", "{until: 2026-11-20T14:00:00Z, by: alice, why: INC-1234}", "paused by alice: INC-1234; not before Fri 14:00", ""},
		{"the guard, without an end", "guard", "true", "paused by the annotation disruptkit.dev/pause",
			"NodePool/default: metadata.annotations[disruptkit.dev/pause].until: the pause has no end, and applies until somebody removes it"},
		{"the guard, where it cannot be read", "guard", "2h", "annotation disruptkit.dev/pause of the NodePool:", `NodePool/default: metadata.annotations[disruptkit.dev/pause]: "2h" is not a pause: write a time`},
		{"Karpenter", "karpenter", "true", "a1", "NodePool/default: metadata.annotations[disruptkit.dev/pause]: it has no effect in Karpenter without disruptkit's guard"},
	} {
		t.Run(test.rule, func(t *testing.T) {
			input := strings.Replace(string(text), annotations, "  annotations:\n    disruptkit.dev/pause: '"+test.pause+"'\n    disruptkit.dev/disruption: |", 1)
			got := decided(input, "--engine", test.as, "-f", "-", "--now", "2026-11-20T10:30:00Z", "--reason", "Drifted")
			if goes := strings.Contains(got.stdout, "MAY GO NOW, IN ORDER"); goes != (test.as == "karpenter") {
				t.Errorf("nodes may go: %t", goes)
			}
			if !strings.Contains(got.stdout, test.stdout) || !strings.Contains(got.stderr, test.stderr) {
				t.Errorf("%s\n%s", got.stdout, got.stderr)
			}
		})
	}
}
