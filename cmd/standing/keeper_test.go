package standing

import (
	"testing"
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/golden"
	"github.com/disruptkit/disruptkit/plan"
)

func TestAKeeperWritesWhatHasChangedAndThenWhenItIsDone(t *testing.T) {
	k := Keeper{By: "guard"}
	written := ""
	look := func(after time.Duration, change func(*disruptkit.Input)) (Status, bool) {
		t.Helper()
		in := cluster(budget.Budget{Nodes: "1"})
		in.Now = noon.Add(after)
		change(&in)
		texts := k.Look(in, map[string]Pool{"web": {Generation: 3, Written: written}})
		k.planning.Wait()
		if texts["web"] == "" {
			return Status{}, false
		}
		written = texts["web"]
		return Read(written), true
	}
	same := func(*disruptkit.Input) {}
	if s, wrote := look(0, same); !wrote || s.ObservedGeneration != 3 || s.ToGo != 3 || s.ETA != (ETA{}) {
		t.Errorf("at first: %v %+v", wrote, s)
	}
	if _, wrote := look(5*time.Second, func(in *disruptkit.Input) { in.Nodes = in.Nodes[3:] }); wrote {
		t.Error("it has looked again after 5s")
	}
	if _, wrote := look(time.Minute, same); wrote {
		t.Error("it was written though only the plan is new")
	}
	s, wrote := look(5*time.Minute, same)
	if !wrote || s.ETA.Middle.IsZero() || !s.ETA.Planned.Equal(s.ETA.Middle) {
		t.Fatalf("with its ETA: %v %+v", wrote, s)
	}
	golden.Check(t, "../../observability/testdata/status.json", written+"\n")
	if other := (&Keeper{By: "steward"}); !k.Leaves(written) || other.Leaves(written) || k.Leaves("") {
		t.Error("who wrote it is who takes it away")
	}
	for _, after := range []time.Duration{6, 7, 8} {
		if s, wrote := look(after*time.Minute, same); wrote {
			t.Errorf("at rest it was written: %+v", s)
		}
	}
	gone := func(in *disruptkit.Input) { in.Nodes = in.Nodes[1:] }
	if s, wrote := look(9*time.Minute, gone); !wrote || s.ToGo != 2 {
		t.Errorf("a node is gone: %v %+v", wrote, s)
	}
	if s, wrote := look(9*time.Minute+20*time.Second, func(in *disruptkit.Input) { in.Nodes = in.Nodes[3:] }); !wrote || s.Phase != Done || s.ETA != (ETA{}) {
		t.Errorf("all are: %v %+v", wrote, s)
	}
}

func TestAKeeperPlansAsItsOptionsSay(t *testing.T) {
	asked := 0
	k := Keeper{Options: func(disruptkit.Input) plan.Options { asked++; return plan.Options{} }}
	in := cluster(budget.Budget{Nodes: "1"})
	k.Look(in, nil)
	if in.Now = in.Now.Add(time.Minute); asked > 0 {
		t.Error("it plans for nobody")
	}
	k.Look(in, map[string]Pool{"web": {}})
	k.planning.Wait()
	if asked != 1 || k.forecast.Outlooks["web"].Middle.IsZero() {
		t.Errorf("%d, %+v", asked, k.forecast)
	}
}

// Two plans at once would take twice as long, and the older one could end last, and count.
func TestAKeeperPlansOnceAtATime(t *testing.T) {
	asked := 0
	k := Keeper{Options: func(disruptkit.Input) plan.Options { asked++; return plan.Options{} }, isPlanning: true}
	in := cluster(budget.Budget{Nodes: "1"})
	k.Look(in, map[string]Pool{"web": {}})
	if k.isPlanning = false; asked > 0 {
		t.Error("it plans while it plans")
	}
	in.Now = in.Now.Add(time.Minute)
	k.Look(in, map[string]Pool{"web": {}})
	k.planning.Wait()
	if asked != 1 || k.isPlanning {
		t.Errorf("%d, %v", asked, k.isPlanning)
	}
}

// Nodes that are merely Consolidatable are not disrupted in kubectl disruption plan either.
func TestConsolidatableNodesAreInNoForecast(t *testing.T) {
	in := cluster()
	for i := range in.Nodes {
		in.Nodes[i].Conditions = []candidate.Condition{{Reason: candidate.Underutilized}}
	}
	if f := (Forecast{}).Next(in, plan.Options{}, []candidate.Reason{candidate.Drifted, candidate.Underutilized}); len(f.Outlooks) > 0 {
		t.Errorf("%+v", f)
	}
}
