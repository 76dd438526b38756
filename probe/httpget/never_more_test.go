package httpget_test

import (
	"encoding/json"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/testkit"
	"github.com/disruptkit/disruptkit/internal/testkit/generate"
	"github.com/disruptkit/disruptkit/probe"
	"github.com/disruptkit/disruptkit/probe/httpget"
)

// askedFor is every reason and every pool that a verdict is asked about in properties.
func askedFor(ask func(reason candidate.Reason, pool string, labels map[string]string)) {
	for _, reason := range []candidate.Reason{"", "Drifted", "Drifted/AMIDrift", "Drifted/SubnetDrift", "Empty", "Empty/Buffer", "Underutilized", "Expired", "somebody's own"} {
		ask(reason, "gpu", nil)
		ask(reason, "web", map[string]string{"team": "search", "zone": "a"})
		ask(reason, "search", map[string]string{"team": ""})
	}
}

// allowsNoMore checks that a verdict blocks whatever another blocks.
func allowsNoMore(t *rapid.T, less, more probe.Verdict, now time.Time) {
	askedFor(func(reason candidate.Reason, pool string, labels map[string]string) {
		b, blocked := less.Blocker(reason, pool, labels, now)
		if _, still := more.Blocker(reason, pool, labels, now); blocked && !still {
			t.Fatalf("%q of %s was blocked by %s, and is allowed with %s", reason, pool, b, more)
		}
	})
}

func fold(p httpget.Spec, history []httpget.Response) probe.Observation {
	var o probe.Observation
	for _, r := range history {
		o = httpget.Observe(p, o, r)
	}
	return o
}

// drawHistory generates a probe that reads bodies, and its answers up to noon, one a second.
func drawHistory(t *rapid.T) (httpget.Spec, []httpget.Response) {
	p := testkit.Arbitrary(generate.Probe).Draw(t, "probe")
	p.Mode = rapid.SampledFrom([]httpget.Mode{httpget.BodyMode, httpget.ClusterMode}).Draw(t, "reads")
	var history []httpget.Response
	for left := rapid.IntRange(1, 8).Draw(t, "answers"); left > 0; left-- {
		history = append(history, testkit.Arbitrary(response(p.Mode, noon.Add(-time.Duration(left-1)*time.Second))).Draw(t, "response"))
	}
	return p, history
}

func TestOneMoreDenialNeverAllowsMore(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, history := drawHistory(t)
		less := probe.ProbeVerdict(p.Probe(), fold(p, history), noon)

		at := rapid.IntRange(0, len(history)-1).Draw(t, "which answer")
		var body struct {
			DeniedActions []json.RawMessage `json:"deniedActions"`
		}
		understood := httpget.Observe(p, probe.Observation{}, httpget.Response{Status: 200, Body: history[at].Body}).Streak > 0
		if err := json.Unmarshal(history[at].Body, &body); err != nil || !understood {
			t.Skip("it is not understood anyhow")
		}
		entry := rapid.SampledFrom([]string{`"drift"`, `"consolidation"`, `"nobody knows"`, `5`, `{"name":"empty","clusterWide":true}`,
			`{"name":"drift:AMIDrift","nodePools":{"labels":["gpu","team=search"]}}`, `{"name":"expired"}`}).Draw(t, "entry")
		where := rapid.IntRange(0, len(body.DeniedActions)).Draw(t, "where")
		body.DeniedActions = slices.Insert(body.DeniedActions, where, json.RawMessage(entry))
		more := slices.Clone(history)
		var err error
		if more[at].Body, err = json.Marshal(body); err != nil {
			t.Fatal(err)
		}
		allowsNoMore(t, less, probe.ProbeVerdict(p.Probe(), fold(p, more), noon), noon)
	})
}

// The bad answer is between the others, since the last answer sets the age of an observation.
func TestOneMoreBadAnswerNeverAllowsMore(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, history := drawHistory(t)
		at := rapid.IntRange(0, len(history)).Draw(t, "where")
		bad := httpget.Response{At: history[min(at, len(history)-1)].At, Status: rapid.SampledFrom([]int{0, 200, 503}).Draw(t, "status"), Body: []byte("{}")}
		more := slices.Insert(slices.Clone(history), at, bad)
		allowsNoMore(t, probe.ProbeVerdict(p.Probe(), fold(p, history), noon), probe.ProbeVerdict(p.Probe(), fold(p, more), noon), noon)
	})
}

func TestABadAnswerInsteadOfAGoodOneNeverAllowsMore(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, history := drawHistory(t)
		at := rapid.IntRange(0, len(history)-1).Draw(t, "which answer")
		if httpget.Observe(p, probe.Observation{}, history[at]).Denied != nil {
			t.Skip("it denies something, which nobody knows any more")
		}
		worse := slices.Clone(history)
		worse[at].Status = 503
		allowsNoMore(t, probe.ProbeVerdict(p.Probe(), fold(p, history), noon), probe.ProbeVerdict(p.Probe(), fold(p, worse), noon), noon)
	})
}

func TestAHigherThresholdForGoodAnswersNeverAllowsMore(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, history := drawHistory(t)
		higher := p
		higher.SuccessThreshold = p.WithDefaults().SuccessThreshold + rapid.IntRange(1, 3).Draw(t, "more")
		lower := p
		lower.FailureThreshold = rapid.IntRange(1, p.WithDefaults().FailureThreshold).Draw(t, "fewer")
		less := probe.ProbeVerdict(p.Probe(), fold(p, history), noon)
		allowsNoMore(t, less, probe.ProbeVerdict(higher.Probe(), fold(higher, history), noon), noon)
		allowsNoMore(t, less, probe.ProbeVerdict(lower.Probe(), fold(lower, history), noon), noon)
	})
}
