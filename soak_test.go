package disruptkit_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/disruptkit/disruptkit/internal/generate"
)

func TestSoaksHoldNodesBackAsInTheNaiveDecision(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		agreesWithNaive(t, arbitrary(generate.Soaked).Draw(t, "input"), arbitrary(generate.Asked).Draw(t, "asked"))
	})
}
