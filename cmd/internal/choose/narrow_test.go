package choose_test

import (
	"fmt"
	"reflect"
	"testing"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/internal/choose"
)

// What is left names no other pool, nor a group that does not select it, and what was taken stays as it was.
func TestWhatIsNarrowedIsAboutOnePoolAlone(t *testing.T) {
	groups := []disruptkit.Group{{Name: "both", Pools: []string{"a", "b"}}, {Name: "one", Pools: []string{"b"}}, {Name: "none"}}
	whole := func() (in disruptkit.Input, decisions []disruptkit.Decision) {
		d := disruptkit.Decision{Memory: map[string]disruptkit.Memory{}}
		for _, name := range []string{"a", "b"} {
			in.Pools = append(in.Pools, disruptkit.Pool{Name: name})
			in.Nodes = append(in.Nodes, candidate.Node{Name: "n-" + name, Pool: name})
			d.Pools = append(d.Pools, disruptkit.PoolDecision{Pool: name})
			d.Allowed = append(d.Allowed, candidate.Candidate{Node: "n-" + name, Pool: name})
			d.Blocked = append(d.Blocked, candidate.Candidate{Node: "m-" + name, Pool: name})
			d.Memory[name] = disruptkit.Memory{}
		}
		for _, g := range groups {
			in.Groups, d.Groups = append(in.Groups, g), append(d.Groups, disruptkit.PoolDecision{Pool: g.Name})
			d.Memory[g.Key()] = disruptkit.Memory{}
		}
		return in, []disruptkit.Decision{d}
	}
	for pool, selected := range map[string]int{"a": 1, "b": 2} {
		in, decisions := whole()
		got, of := choose.Narrow(in, decisions, pool)
		d := of[0]
		counts := fmt.Sprint(len(got.Pools), len(got.Nodes), len(d.Pools), len(d.Allowed), len(d.Blocked), len(got.Groups), len(d.Groups), len(d.Memory))
		if want := fmt.Sprint(1, 1, 1, 1, 1, selected, selected, 1+selected); counts != want {
			t.Errorf("%s: %s, want %s", pool, counts, want)
		}
		_, remembered := d.Memory[pool]
		if got.Pools[0].Name != pool || got.Nodes[0].Pool != pool || d.Pools[0].Pool != pool || d.Allowed[0].Pool != pool || d.Blocked[0].Pool != pool || !remembered {
			t.Errorf("%s: %+v %+v", pool, got, d)
		}
		if same, was := whole(); !reflect.DeepEqual(in, same) || !reflect.DeepEqual(decisions, was) {
			t.Errorf("%s changed what it takes: %+v %+v", pool, in, decisions)
		}
	}
}
