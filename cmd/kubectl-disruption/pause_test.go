package main

import (
	"bytes"
	"strings"
	"testing"
)

// Pause and resume write only what they have shown, once the user agrees.
func TestPauseAsksBeforeItWrites(t *testing.T) {
	for _, row := range []struct {
		args, answer  string
		status, wrote int
		says          string
	}{
		{"pause --until 2h", "y\n", 0, 2, "nodepool/general: written"},
		{"pause general --yes", "", 0, 1, "nodepool/general: written"},
		{"pause", "n\n", 2, 0, "nothing is written: answer y, or write --yes"},
		{"pause", "", 2, 0, "nothing is written: answer y, or write --yes"},
		{"pause nodepool/batch --dry-run", "", 0, 0, "kubectl patch nodepool batch --type merge"},
		{"resume --yes", "", 0, 0, "NodePool batch (Karpenter v1.15, as it has no annotation of the guard or the steward): is not paused"},
		{"pause genral --yes", "", 2, 0, `there is no NodePool "genral": there are batch, general`},
		{"pause --engine guard --yes --why INC-1", "", 0, 2, `annotation disruptkit.dev/pause: {`},
		{"pause --engine disruptkit", "", 2, 0, "set Input.Pauses"},
	} {
		calls := recording(t)
		var stdout, stderr bytes.Buffer
		status := run(t.Context(), strings.Fields(row.args), strings.NewReader(row.answer), &stdout, &stderr)
		wrote := 0
		for _, call := range calls() {
			if strings.Contains(call, "patch nodepool/") && strings.HasPrefix(call, "--context prod-eu ") {
				wrote++
			}
		}
		if text := strings.Join(strings.Fields(stdout.String()+stderr.String()), " "); status != row.status || wrote != row.wrote || !strings.Contains(text, row.says) {
			t.Errorf("%s: status %d, %d written, %s", row.args, status, wrote, text)
		}
	}
}
