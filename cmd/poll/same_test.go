package poll

import (
	"fmt"
	"testing"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/probe"
)

func TestWhatIsNoChangeOfAVerdict(t *testing.T) {
	noon := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	good := probe.Verdict{Probe: "health", Allowed: true, StaleAt: noon}
	stale := probe.Verdict{Probe: "health", Code: candidate.CodeStale, Cause: "the last answer is 21s old"}
	future := probe.Verdict{Probe: "health", Code: candidate.CodeFromTheFuture, Cause: "the last answer is from the future, by 5s"}
	with := func(v probe.Verdict, change func(*probe.Verdict)) probe.Verdict {
		change(&v)
		return v
	}
	denies := func(n int) probe.Verdict {
		v := good
		for i := range n {
			v.Denied = append(v.Denied, probe.Denial{Reason: candidate.Reason(fmt.Sprintf("Drifted/D%d", i))})
		}
		return v
	}
	for _, test := range []struct {
		rule string
		a, b probe.Verdict
		same bool
	}{
		{"the same", good, good, true},
		{"that it goes stale later", good, with(good, func(v *probe.Verdict) { v.StaleAt = noon.Add(time.Second) }), true},
		{"that it is stale", good, stale, false},
		{"that it has been for longer", stale, with(stale, func(v *probe.Verdict) { v.Cause = "the last answer is 22s old" }), true},
		{"that it no longer is", stale, good, false},
		{"by how much it is from the future", future, with(future, func(v *probe.Verdict) { v.Cause = "the last answer is from the future, by 4s" }), true},
		{"that it is from the future", future, stale, false},
		{"a denial", good, with(good, func(v *probe.Verdict) { v.Denied = []probe.Denial{{Reason: candidate.Drifted}} }), false},
		{"one denial more than are named", denies(6), denies(7), false},
		{"another denial behind those that are named", denies(7), with(denies(7), func(v *probe.Verdict) { v.Denied[6].Reason = candidate.Empty }), false},
		{"the end of a denial", denies(1), with(denies(1), func(v *probe.Verdict) { v.Denied[0].Until = noon }), false},
		{"the cause of a denial", denies(1), with(denies(1), func(v *probe.Verdict) { v.Denied[0].Cause = "no such action" }), false},
		{"that a denial has been absent", denies(1), with(denies(1), func(v *probe.Verdict) { v.Denied[0].Absent = 1 }), true},
		{"the time of the answer", good, with(good, func(v *probe.Verdict) { v.From = noon }), true},
		{"another probe", good, with(good, func(v *probe.Verdict) { v.Probe = "other" }), false},
		{"that all nodes are allowed", with(stale, func(v *probe.Verdict) { v.Allowed = true }), stale, false},
		{"the code", stale, with(stale, func(v *probe.Verdict) { v.Code = "unhealthy" }), false},
		{"the cause", with(stale, func(v *probe.Verdict) { v.Code = "x" }), with(stale, func(v *probe.Verdict) { v.Code, v.Cause = "x", "y" }), false},
	} {
		for _, got := range []bool{same(test.a, test.b), same(test.b, test.a)} {
			if got != test.same {
				t.Errorf("%s: %t", test.rule, got)
			}
		}
	}
}
