package metrics

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/internal/tell"
	"github.com/disruptkit/disruptkit/topology"
)

func TestTurnsSayWhoseItIsAndWhoComesLater(t *testing.T) {
	later := begin.Add(time.Hour)
	zones := func(s topology.Selection) topology.Selection {
		s.Key, s.Sequential = "topology.kubernetes.io/zone", true
		return s
	}
	domains := []topology.Domain{{Name: "a", Rolling: 1, ToGo: 2}, {Name: "b", Rolling: 1}, {Name: "c", ToGo: 4}, {Name: "d"}}
	of := func(pool string, s ...topology.Selection) disruptkit.PoolDecision {
		return disruptkit.PoolDecision{Pool: pool, Topology: s}
	}
	wave := func(w disruptkit.Wave) disruptkit.PoolDecision {
		return disruptkit.PoolDecision{Pool: "p", Nodes: 9, Wave: &w}
	}
	for _, c := range []struct {
		name string
		of   disruptkit.PoolDecision
		want string
	}{
		{"a zone has it", of("p", zones(topology.Selection{Budget: 2, Chosen: true, Active: "a", GivesWay: later, Domains: domains})),
			"p: one zone at a time, by budgets[2] | turn a: now, gives way by Thu 15:45; 1 in flight; 2 to go | first b: finishes first; 1 in flight | later c: later; 4 to go | done d: nothing to go"},
		{"it waits for another", of("p", zones(topology.Selection{Chosen: true, Active: "c", Gated: true, Gate: "b", Domains: domains[1:3]})),
			"p: one zone at a time, by budgets[0] | first b: finishes first; 1 in flight | turn c: now, after b; 4 to go"},
		{"it settles", of("p", zones(topology.Selection{Chosen: true, Active: "d", Domains: domains[3:]})),
			"p: one zone at a time, by budgets[0] | turn d: now, until it has settled"},
		{"none has it", of("p", zones(topology.Selection{Domains: domains[2:]})), "p: one zone at a time, by budgets[0] | later c: later; 4 to go | done d: nothing to go"},
		{"zones take no turns", of("p", topology.Selection{Key: "zone", Domains: domains}), ""},
		{"a pool that is not shown", of("other", zones(topology.Selection{Domains: domains})), ""},
		{"a wave", wave(disruptkit.Wave{Wave: 2, Of: 3, Nodes: 5, InUse: 4}),
			"p: wave 2 of 3: at most 5 of 9 nodes may be new or in flight, and 4 now; it is done when 5 are new and Ready"},
		{"a wave bakes", wave(disruptkit.Wave{Wave: 1, Of: 2, Nodes: 5, InUse: 5, Until: later}), "p: wave 1 of 2 is done, and bakes until Thu 15:45"},
		{"the last wave", wave(disruptkit.Wave{Wave: 2, Of: 2, Nodes: budget.Unlimited, InUse: 7}), "p: wave 2 of 2, the last: all the rest may be disrupted"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var p picture
			for _, reason := range []candidate.Reason{candidate.Drifted, "Drifted/AMIDrift"} { // the same is said once
				p.decisions = append(p.decisions, disruptkit.Decision{Reason: reason, Pools: []disruptkit.PoolDecision{c.of}})
			}
			if got := told(narrow(p, "p").turns(tell.Clock{Now: begin})); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

func told(turns []turnView) string {
	var texts []string
	for _, v := range turns {
		text := v.Of + ": " + v.Rule
		for _, d := range v.Domains {
			text += fmt.Sprintf(" | %s %s: %s", d.Class, d.Name, d.State)
		}
		texts = append(texts, text)
	}
	return strings.Join(texts, "\n")
}

func TestPoliciesTakeTurnsToo(t *testing.T) {
	s := topology.Selection{Key: "karpenter.sh/nodepool", Sequential: true, Domains: []topology.Domain{{Name: "p", ToGo: 1}}}
	p := picture{in: disruptkit.Input{Groups: []disruptkit.Group{
		{Name: "prod", Pools: []string{"p"}}, {Name: "dev", Pools: []string{"q"}},
	}}}
	p.decisions = []disruptkit.Decision{{Groups: []disruptkit.PoolDecision{{Pool: "prod", Topology: []topology.Selection{s}}, {Pool: "dev", Topology: []topology.Selection{s}}}}}
	if got, want := told(narrow(p, "p").turns(tell.Clock{Now: begin})), "policy prod: one nodepool at a time, by budgets[0] | later p: later; 1 to go"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
