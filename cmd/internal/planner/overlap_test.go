package planner

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/disruptkit/disruptkit/plan"
)

func TestSeveralZonesAreInFlightInEverySecondOfAnOverlapAndInNoOther(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := plan.Plan{From: time.Unix(1000, 0)}
		for range rapid.IntRange(0, 8).Draw(t, "nodes") {
			start := p.From.Add(time.Duration(rapid.IntRange(-1, 9).Draw(t, "start")) * time.Second)
			n := plan.Node{Zone: rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "zone"), Outcome: plan.Done, Start: start}
			n.Gone = start.Add(time.Duration(rapid.IntRange(0, 9).Draw(t, "takes")) * time.Second)
			if start.Before(p.From) {
				n.Start = time.Time{}
			}
			if rapid.IntRange(0, 4).Draw(t, "never") == 4 {
				n = plan.Node{Zone: n.Zone, Outcome: plan.Never}
			}
			p.Nodes = append(p.Nodes, n)
			p.Groups = append(p.Groups, plan.Group{Zone: n.Zone})
		}
		all := overlaps(p, lanes(p))
		for second := range 20 {
			at := p.From.Add(time.Duration(second) * time.Second)
			var want []string
			for _, zone := range []string{"a", "b", "c"} {
				if slices.ContainsFunc(p.Nodes, func(n plan.Node) bool {
					return n.Zone == zone && n.Outcome == plan.Done && !n.Start.After(at) && n.Gone.After(at)
				}) {
					want = append(want, zone)
				}
			}
			if len(want) < 2 {
				want = nil
			}
			var got []string
			for _, o := range all {
				if !o.from.After(at) && o.to.After(at) {
					got = append(got, o.zones...)
				}
			}
			if !slices.Equal(got, want) {
				t.Errorf("after %d s: got %q, want %q", second, got, want)
			}
		}
	})
}

func TestWhatIsSaidOfZonesAtOnce(t *testing.T) {
	at := func(minutes int) time.Time { return time.Unix(60*int64(minutes), 0) }
	node := func(zone string, from, to int) plan.Node {
		return plan.Node{Pool: "web", Zone: zone, Outcome: plan.Done, Start: at(from), Gone: at(to)}
	}
	turns := []plan.Turn{{Pool: "web"}}
	for _, test := range []struct {
		rule  string
		nodes []plan.Node
		turns []plan.Turn
		want  string
	}{
		{"one zone", []plan.Node{node("a", 1, 5), node("a", 2, 6)}, turns, ""},
		{"one after the other", []plan.Node{node("a", 1, 5), node("b", 5, 6)}, nil, "never two zones at once"},
		{"in turns", []plan.Node{node("a", 1, 5), node("b", 5, 6)}, turns, "zones take turns: never two of them at once"},
		{"at once", []plan.Node{node("a", 1, 5), node("b", 3, 6)}, nil, "several zones have nodes in flight at once for 2m"},
		{"at once, and yet in turns", []plan.Node{node("a", 1, 5), node("b", 4, 6)}, turns,
			"zones take turns, but several have nodes in flight at once for 1m: nodes that were in flight before, or for reasons without turns"},
	} {
		t.Run(test.rule, func(t *testing.T) {
			p := plan.Plan{From: at(0), Nodes: test.nodes, Turns: test.turns}
			for _, n := range test.nodes {
				p.Groups = append(p.Groups, plan.Group{Pool: n.Pool, Zone: n.Zone})
			}
			if got := atOnce(p, "web", lanes(p)); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}
