package disruptkit_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/disruptkit/disruptkit"

	"github.com/disruptkit/disruptkit/internal/generate"
)

func TestGroupsHoldNodesBackAsInTheNaiveDecision(t *testing.T) {
	for name, inputs := range map[string]func(generate.Source) disruptkit.Input{"any": generate.Grouped, "in zones": generate.GroupedInZones} {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				agreesWithNaive(t, arbitrary(inputs).Draw(t, "input"), arbitrary(generate.Asked).Draw(t, "asked"))
			})
		})
	}
}
