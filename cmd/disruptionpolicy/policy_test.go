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
