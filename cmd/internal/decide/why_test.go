package decide

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/internal/tell"
)

// "until" could be taken for the end of the window in which a pod may be disrupted, "at" for a promise, and "not before" as if nothing else
// could lift it.
func TestWhatBlocksACandidateIsALine(t *testing.T) {
	now := time.Date(2026, 11, 20, 10, 30, 0, 0, time.UTC)
	later := func(hours int) time.Time { return now.Add(time.Duration(hours) * time.Hour) }
	node := candidate.Blocker{Gate: candidate.GateNode, Code: "nominated", Message: "a pending pod is expected on the node"}
	pod := func(name, says string, until time.Time) candidate.Blocker {
		return candidate.Blocker{Gate: candidate.GatePod, Code: "c", Message: "pod " + name + " " + says, Pod: name, Until: until}
	}
	other := pod("x/a", "stays", later(1))
	other.Code = "d"
	budget := candidate.Blocker{Gate: candidate.GateBudget, Code: "c", Message: "pod x/z stays", Until: later(1)}
	var many []candidate.Blocker
	for i := range 30 {
		many = append(many, pod(fmt.Sprintf("x/%02d", i), "stays", time.Time{}))
	}
	for _, test := range []struct {
		rule     string
		blockers []candidate.Blocker
		want     string
	}{
		{"nothing", nil, ""},
		{"a node", []candidate.Blocker{node}, "node: a pending pod is expected on the node"},
		{"a budget, with a time", []candidate.Blocker{budget}, "budget: pod x/z stays; time alone lifts it Fri 11:30 (in 1h00m)"},
		{"a pod", []candidate.Blocker{pod("x/a", "stays", time.Time{})}, "pod: x/a stays"},
		{"a pod, with a time", []candidate.Blocker{pod("x/a", "stays", later(1))}, "pod: x/a stays; time alone lifts it Fri 11:30 (in 1h00m)"},
		{"a pod with a space in its name", []candidate.Blocker{pod(`"x/a b"`, "stays", time.Time{}), pod("x/c", "stays", time.Time{})}, `pod: each of "x/a b", x/c stays`},
		{
			"pods that stay for the same",
			[]candidate.Blocker{pod("x/a", "stays", later(1)), pod("x/b", "stays", later(1))},
			"pod: each of x/a, x/b stays; time alone lifts it Fri 11:30 (in 1h00m)",
		},
		{
			"pods that stay for the same, but not as long",
			[]candidate.Blocker{pod("x/a", "stays", later(2)), pod("x/b", "stays", later(3)), pod("x/c", "stays", later(1))},
			"pod: each of x/a, x/b, x/c stays; time alone lifts the last Fri 13:30 (in 3h00m)",
		},
		{
			"the last may come first",
			[]candidate.Blocker{pod("x/a", "stays", later(2)), pod("x/b", "stays", later(1))},
			"pod: each of x/a, x/b stays; time alone lifts the last Fri 12:30 (in 2h00m)",
		},
		{
			"four pods are all named", many[:4],
			"pod: each of x/00, x/01, x/02, x/03 stays",
		},
		{"of many pods three are named", many, "pod: each of x/00, x/01, x/02 and 27 more stays"},
		{
			"what differs is separate, in order",
			[]candidate.Blocker{pod("x/a", "stays", time.Time{}), node, pod("x/b", "waits", time.Time{}), pod("x/c", "stays", later(1)), other, pod("x/d", "stays", time.Time{})},
			"pod: each of x/a, x/d stays\n" +
				"node: a pending pod is expected on the node\n" +
				"pod: x/b waits\n" +
				"pod: x/c stays; time alone lifts it Fri 11:30 (in 1h00m)\n" +
				"pod: x/a stays; time alone lifts it Fri 11:30 (in 1h00m)",
		},
		{
			"what is said of no certain pod is said as it is",
			[]candidate.Blocker{{Gate: candidate.GatePod, Message: "candidates before it use up a PDB of its pods after that"}, {Gate: candidate.GatePod, Message: "pod"}, {Gate: candidate.GatePod, Message: "pod alone"}},
			"pod: candidates before it use up a PDB of its pods after that\npod: pod\npod: pod alone",
		},
		{
			"also where all but a word of it is the same",
			[]candidate.Blocker{{Gate: candidate.GatePod, Message: "candidates before it wait"}, {Gate: candidate.GatePod, Message: "other candidates wait"}},
			"pod: candidates before it wait\npod: other candidates wait",
		},
	} {
		t.Run(test.rule, func(t *testing.T) {
			var got []string
			for _, w := range whys(test.blockers) {
				got = append(got, tell.Wrap(w.text(tell.Clock{Now: now}), ""))
			}
			if diff := cmp.Diff(test.want, strings.Join(got, "\n")); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}
