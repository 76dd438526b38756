package disruptkit_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/disruptkit/disruptkit/internal/generate"
)

func TestDeadlinesAreKeptAsInTheNaiveDecision(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		agreesWithNaive(t, arbitrary(generate.Dated).Draw(t, "input"), arbitrary(generate.Asked).Draw(t, "asked"))
	})
}
