package disruptionpolicy_test

import (
	"slices"
	"testing"
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/annotation"
	"github.com/disruptkit/disruptkit/cmd/disruptionpolicy"
)

// A pause without pools is one of the whole cluster.
func TestAPauseOfNoPoolPausesNothing(t *testing.T) {
	p := disruptionpolicy.Read("p", []byte(`{"spec": {"nodePoolSelector": {"matchLabels": {"team": "x"}}, "pause": {}}}`), budget.Spec{})
	labels := map[string][]map[string]string{"web": {{"team": "a"}}}
	if g, pauses := p.Of(labels, nil); len(p.Faults) > 0 || len(g.Pools)+len(pauses) > 0 {
		t.Errorf("%v: %+v, %+v", p.Faults, g, pauses)
	}
	labels["web"][0]["team"] = "x"
	if g, pauses := p.Of(labels, nil); len(g.Pools) != 1 || len(pauses) != 1 || len(pauses[0].Pools) != 1 {
		t.Errorf("%+v, %+v", g, pauses)
	}
}

// The error for an object of another kind, or version, names the one to write.
func TestAnObjectOfAnotherKindIsReported(t *testing.T) {
	for object, want := range map[string]string{
		`{"apiVersion": "disruptkit.dev/v1alpha1", "kind": "DisruptionPolicy", "spec": {"all": true}}`: "",
		`{"spec": {"all": true}}`: "",
		`{"apiVersion": "disruptkit.dev/v1alpha1", "kind": "NodePool", "spec": {"all": true}}`:   `kind: "NodePool" is another kind: write DisruptionPolicy`,
		`{"apiVersion": "disruptkit.dev/v2", "kind": "DisruptionPolicy", "spec": {"all": true}}`: `apiVersion: "disruptkit.dev/v2" is unknown: write disruptkit.dev/v1alpha1`,
	} {
		got := ""
		for _, f := range disruptionpolicy.Read("p", []byte(object), budget.Spec{}).Faults {
			got += f.Field + ": " + f.Message
		}
		if got != want {
			t.Errorf("%s: got %q, want %q", object, got, want)
		}
	}
}

// Those of an autoscaler of your own are reasons in a pause as well, as they are in budgets.
func TestAPauseMayNameTheReasonsThatBudgetsMay(t *testing.T) {
	const object = `{"spec": {"all": true, "budgets": [{"nodes": "1", "reasons": ["Rebalanced"]}], "pause": {"reasons": ["Rebalanced"]}}}`
	if p := disruptionpolicy.Read("p", []byte(object), budget.Spec{Methods: []candidate.Reason{"Rebalanced"}}); len(p.Faults) > 0 {
		t.Errorf("%v", p.Faults)
	}
	if p := disruptionpolicy.Read("p", []byte(object), budget.Spec{}); len(p.Faults) != 2 {
		t.Errorf("%v", p.Faults)
	}
}

// A value was meant there, for unknown NodePools.
func TestASelectorWithANullSelectsAllThatItCould(t *testing.T) {
	for _, selector := range []string{
		`{"matchLabels": {"team": null}}`,
		`{"matchExpressions": null}`,
		`{"matchExpressions": [null]}`,
		`{"matchExpressions": [{"key": "team", "operator": "In", "values": null}]}`,
		`{"matchExpressions": [{"key": "team", "operator": "In", "values": ["x", null]}]}`,
	} {
		p := disruptionpolicy.Read("p", []byte(`{"spec": {"nodePoolSelector": `+selector+`}}`), budget.Spec{})
		g, _ := p.Of(map[string][]map[string]string{"web": {{"team": "a"}}}, nil)
		if len(p.Faults) == 0 || len(g.Pools) != 1 || len(g.Blockers) == 0 {
			t.Errorf("%s: %v, %+v", selector, p.Faults, g)
		}
	}
}

// One person may pause several policies, and NodePools, for one incident. Each warning is about one of these pauses.
func TestWarningsOfPausesAreAboutTheirPolicies(t *testing.T) {
	now := time.Date(2026, 11, 22, 14, 0, 0, 0, time.UTC)
	labels := map[string][]map[string]string{"web": {{"team": "a"}}, "gpu": {{"team": "b"}}, "batch": {{"team": "c"}}}
	policy := func(name, team, pause string) disruptionpolicy.Policy {
		return disruptionpolicy.Read(name, []byte(`{"spec": {"nodePoolSelector": {"matchLabels": {"team": "`+team+`"}}, "pause": `+pause+`}}`), budget.Spec{})
	}
	s := disruptionpolicy.Select([]disruptionpolicy.Policy{
		policy("endless", "a", `{"by": "alice", "why": "INC-1"}`),
		policy("over", "b", `{"by": "alice", "why": "INC-1", "until": "2026-11-22T13:00:00Z"}`),
	}, labels, nil)
	own := annotation.Read("batch", map[string]string{annotation.Pause: "{by: alice, why: INC-1, until: 2026-11-22T12:00:00Z}"}).Pauses
	in := disruptkit.Input{Now: now, Pauses: slices.Concat(own, s.Pauses)}
	for name := range labels {
		in.Pools = append(in.Pools, disruptkit.Pool{Name: name, Labels: map[string]string{annotation.PoolLabel: name}})
	}
	var got []string
	for _, w := range disruptkit.Decide(in, candidate.Drifted).Warnings {
		placed, ours := s.Place(w)
		if !ours {
			placed = annotation.Place(w, in.Pauses)
		}
		for _, w := range placed {
			got = append(got, string(w.Code)+" "+w.Object+" "+w.Field+" "+w.Value)
		}
	}
	slices.Sort(got)
	want := []string{
		"no-effect DisruptionPolicy/over spec.pause.until 2026-11-22T13:00:00Z",
		"no-effect NodePool/batch metadata.annotations[disruptkit.dev/pause].until 2026-11-22T12:00:00Z",
		"no-end DisruptionPolicy/endless spec.pause.until ",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
