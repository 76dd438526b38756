package plan

import (
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
