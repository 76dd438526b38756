package plan

import (
	"slices"
	"strings"
	"testing"

	"github.com/disruptkit/disruptkit/candidate"
)

func TestAWaitSaysWhatItIsFor(t *testing.T) {
	for _, test := range []struct {
		wait Wait
		want string
	}{
		{Wait{Gate: candidate.GateNode, Code: candidate.CodeRejected}, "the API server rejects the NodePool (node/rejected)"},
		{Wait{Gate: candidate.GateNode, Code: candidate.CodeNotInitialized}, "nodes are not ready to go (node/not-initialized)"},
		{Wait{Code: CodeDrain}, "nodes drain"},
	} {
		if got := test.wait.String(); got != test.want {
			t.Errorf("%q, want %q", got, test.want)
		}
	}
}

func TestEveryNodeIsCountedThatIsNotListed(t *testing.T) {
	for left, want := range map[int]string{0: "", 1: "and 1 node more\n", 2: "and 2 nodes more\n"} {
		p := Plan{Nodes: slices.Repeat([]Node{{Name: "a", Outcome: Never}}, 5+left)}
		if text := p.String(); strings.Count(text, "never: node a") != 5 || !strings.Contains(text, want) ||
			left == 0 && strings.Contains(text, " more\n") {
			t.Errorf("%d are left:\n%s", left, text)
		}
	}
}
