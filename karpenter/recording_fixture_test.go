package karpenter_test

import (
	"bytes"
	"testing"

	"github.com/disruptkit/disruptkit/cmd/replay"
)

// recorded returns a recording that is replayed when the test ends: whatever the guard, or the steward, decided, Decide decides again.
func recorded(t *testing.T) *replay.Recorder {
	t.Helper()
	var lines bytes.Buffer
	t.Cleanup(func() {
		if lines.Len() == 0 {
			return // there was nothing to decide
		}
		n, err := replay.Check(&lines, func(d replay.Divergence) { t.Error("replayed: ", d) })
		if err != nil {
			t.Error("replayed: ", err)
		}
		t.Logf("%d decisions replayed", n)
	})
	return replay.NewRecorder(&lines, func(err error) { t.Error(err) })
}
