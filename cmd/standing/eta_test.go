package standing

import (
	"testing"
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
)

// Where a PodDisruptionBudget allows no pod, nobody knows when it will: an end is expected no more, as soon as there is a plan that says so.
func TestNoEndIsExpectedWhereNothingCanBeDisrupted(t *testing.T) {
	for rule, change := range map[string]func(*disruptkit.Input){
		"all nodes to go": func(*disruptkit.Input) {},
		"one drains": func(in *disruptkit.Input) {
			in.Nodes[0].Leaving, in.Nodes[0].DisruptedFor = candidate.Draining, candidate.Drifted
		},
		"all that are left drain": func(in *disruptkit.Input) {
			for i := range 3 {
				in.Nodes[i].Leaving, in.Nodes[i].DisruptedFor = candidate.Draining, candidate.Drifted
			}
		},
	} {
		k := Keeper{By: "steward"}
		written := ""
		look := func(after time.Duration, pdb int, change func(*disruptkit.Input)) Status {
			t.Helper()
			in := cluster(budget.Budget{Nodes: "1"})
			in.Now = noon.Add(after)
			in.Rules, _ = candidate.CompileRules([]candidate.PDB{{Namespace: "shop", Name: "api", Selector: &candidate.Selector{}, DisruptionsAllowed: pdb}}, nil)
			for i := range in.Nodes {
				in.Nodes[i].Pods = []candidate.Pod{{Namespace: "shop", Name: in.Nodes[i].Name}}
			}
			change(&in)
			if text := k.Look(in, map[string]Pool{"web": {Written: written}})["web"]; text != "" {
				written = text
			}
			k.planning.Wait()
			return Read(written)
		}
		same := func(*disruptkit.Input) {}
		look(0, 1, same)
		if s := look(5*time.Minute, 1, same); s.ETA.Middle.IsZero() {
			t.Fatalf("%s: at first no end is expected: %+v", rule, s)
		}
		var s Status
		for after := 6 * time.Minute; after <= 20*time.Minute; after += 30 * time.Second {
			s = look(after, 0, change)
		}
		if !s.ETA.Middle.IsZero() {
			t.Errorf("%s: %s", rule, s.Message)
		}
	}
}
