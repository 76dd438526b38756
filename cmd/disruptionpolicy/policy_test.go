package disruptionpolicy_test

import (
	"testing"

	"github.com/disruptkit/disruptkit/cmd/disruptionpolicy"
)

// A pause without pools is one of the whole cluster.
func TestAPauseOfNoPoolPausesNothing(t *testing.T) {
	p := disruptionpolicy.Read("p", []byte(`{"spec": {"nodePoolSelector": {"matchLabels": {"team": "x"}}, "pause": {}}}`), nil)
	labels := map[string][]map[string]string{"web": {{"team": "a"}}}
	if g, pauses := p.Of(labels, nil); len(p.Faults) > 0 || len(g.Pools)+len(pauses) > 0 {
		t.Errorf("%v: %+v, %+v", p.Faults, g, pauses)
	}
	labels["web"][0]["team"] = "x"
	if g, pauses := p.Of(labels, nil); len(g.Pools) != 1 || len(pauses) != 1 || len(pauses[0].Pools) != 1 {
		t.Errorf("%+v, %+v", g, pauses)
	}
}

// Somebody who hands over an object of another kind, or version, is told so, and which one to write.
func TestAnObjectOfAnotherKindIsTold(t *testing.T) {
	for object, want := range map[string]string{
		`{"apiVersion": "disruptkit.dev/v1alpha1", "kind": "DisruptionPolicy", "spec": {"all": true}}`: "",
		`{"spec": {"all": true}}`: "",
		`{"apiVersion": "disruptkit.dev/v1alpha1", "kind": "NodePool", "spec": {"all": true}}`:   `kind: "NodePool" is another kind: write DisruptionPolicy`,
		`{"apiVersion": "disruptkit.dev/v2", "kind": "DisruptionPolicy", "spec": {"all": true}}`: `apiVersion: "disruptkit.dev/v2" is unknown: write disruptkit.dev/v1alpha1`,
	} {
		got := ""
		for _, f := range disruptionpolicy.Read("p", []byte(object), nil).Faults {
			got += f.Field + ": " + f.Message
		}
		if got != want {
			t.Errorf("%s: got %q, want %q", object, got, want)
		}
	}
}

// Those of an autoscaler of your own are reasons in a pause, too, as they are in budgets.
func TestAPauseMayNameTheReasonsThatBudgetsMay(t *testing.T) {
	const object = `{"spec": {"all": true, "budgets": [{"nodes": "1", "reasons": ["Rebalanced"]}], "pause": {"reasons": ["Rebalanced"]}}}`
	if p := disruptionpolicy.Read("p", []byte(object), nil, "Rebalanced"); len(p.Faults) > 0 {
		t.Errorf("%v", p.Faults)
	}
	if p := disruptionpolicy.Read("p", []byte(object), nil); len(p.Faults) != 2 {
		t.Errorf("%v", p.Faults)
	}
}

// Somebody has meant a value there: nobody knows of which NodePools.
func TestASelectorWithANullSelectsAllThatItCould(t *testing.T) {
	for _, selector := range []string{
		`{"matchLabels": {"team": null}}`,
		`{"matchExpressions": null}`,
		`{"matchExpressions": [null]}`,
		`{"matchExpressions": [{"key": "team", "operator": "In", "values": null}]}`,
		`{"matchExpressions": [{"key": "team", "operator": "In", "values": ["x", null]}]}`,
	} {
		p := disruptionpolicy.Read("p", []byte(`{"spec": {"nodePoolSelector": `+selector+`}}`), nil)
		g, _ := p.Of(map[string][]map[string]string{"web": {{"team": "a"}}}, nil)
		if len(p.Faults) == 0 || len(g.Pools) != 1 || len(g.Blockers) == 0 {
			t.Errorf("%s: %v, %+v", selector, p.Faults, g)
		}
	}
}
