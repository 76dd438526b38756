package budget_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/dialect"
	"github.com/disruptkit/disruptkit/internal/testkit"
	"github.com/disruptkit/disruptkit/internal/testkit/generate"
)

// lines describes a census: "default: 3 nodes, 1 for Drifted, 1 for any" for each pool, the first of its name being list[0].
func lines(c budget.Counts) []string {
	var all []string
	for _, p := range c.Pools {
		line := fmt.Sprintf("%s: %d nodes", p.Name, p.Nodes)
		byReason := p.Disrupting.InFlight
		for _, r := range slices.Sorted(maps.Keys(byReason)) {
			name := string(r)
			if r == "" {
				name = "any"
			}
			line += fmt.Sprintf(", %d for %s", byReason[r], name)
		}
		if n := p.Disrupting.NotReady; n > 0 {
			line += fmt.Sprintf(", %d not Ready", n)
		}
		if p.Index > 0 {
			line += fmt.Sprintf(", list[%d]", p.Index)
		}
		if p.Ambiguous {
			line += ", ambiguous"
		}
		all = append(all, line)
	}
	return all
}

func TestTheNodesOfPoolsAreCounted(t *testing.T) {
	node := func(name string, change func(*candidate.Node)) candidate.Node {
		n := candidate.Node{Name: name, Pool: "p", Phase: candidate.Running}
		if change != nil {
			change(&n)
		}
		return n
	}
	rebooting := func(n *candidate.Node) { n.Rebooting = true }
	drifted := func(n *candidate.Node) { n.Leaving, n.DisruptedFor = candidate.Draining, "Drifted" }
	for _, c := range []struct {
		name  string
		pools string
		nodes []candidate.Node
		want  string
	}{
		{"a pool without nodes has none", "p", nil, "p: 0 nodes"},
		{"pools are in the order of their names", "q p", []candidate.Node{node("a", nil)}, "p: 1 nodes, list[1]; q: 0 nodes"},
		{"one in flight uses up budgets for its reason", "p", []candidate.Node{node("a", nil), node("b", drifted)}, "p: 2 nodes, 1 for Drifted"},
		{"one that is not Ready is apart, since repair is for it", "p", []candidate.Node{node("a", func(n *candidate.Node) { n.Phase = candidate.NotReady })}, "p: 1 nodes, 1 not Ready"},
		{"one that reboots, for any", "p", []candidate.Node{node("a", rebooting), node("b", nil)}, "p: 2 nodes, 1 for any"},
		{"whatever other reason it drains for", "p", []candidate.Node{node("a", func(n *candidate.Node) { drifted(n); rebooting(n) })}, "p: 1 nodes, 1 for any"},
		{"one that reboots is no longer initialized, and counts", "p", []candidate.Node{node("a", func(n *candidate.Node) { rebooting(n); n.Phase = candidate.Launched })},
			"p: 1 nodes, 1 for any"},
		{"also one of which there is but a NodeClaim", "p", []candidate.Node{{Name: "a", Pool: "p", Phase: candidate.Launched, Rebooting: true}}, "p: 1 nodes, 1 for any"},
		{"not one whose instance is terminating", "p", []candidate.Node{node("a", func(n *candidate.Node) { rebooting(n); n.Leaving = candidate.Terminating })}, "p: 0 nodes"},
		{"one in flight that is not Ready", "p", []candidate.Node{node("a", func(n *candidate.Node) { drifted(n); n.Phase = candidate.NotReady })}, "p: 1 nodes, 1 for any"},
		{"one that is not initialized is not counted", "p", []candidate.Node{node("a", func(n *candidate.Node) { drifted(n); n.Phase = candidate.Launched })}, "p: 0 nodes"},
		{"nor one whose instance is terminating", "p", []candidate.Node{node("a", func(n *candidate.Node) { drifted(n); n.Leaving = candidate.Terminating })}, "p: 0 nodes"},
		{"nor one of a pool that nobody knows", "p", []candidate.Node{node("a", func(n *candidate.Node) { n.Pool = "q" })}, "p: 0 nodes"},
		{"namesakes are not counted, and use up budgets", "p", []candidate.Node{node("a", nil), node("a", drifted), node("b", nil)}, "p: 1 nodes, 1 for Drifted"},
		{"also where they are of several pools", "p q", []candidate.Node{node("a", nil), node("a", func(n *candidate.Node) { n.Pool = "q" })}, "p: 0 nodes; q: 0 nodes, list[1]"},
		{"of pools of a name the first stands for all", "q p p p", []candidate.Node{node("a", nil)}, "p: 1 nodes, list[1], ambiguous; q: 0 nodes"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := budget.CountNodes(strings.Fields(c.pools), c.nodes, dialect.Disruptkit)
			if diff := cmp.Diff(c.want, strings.Join(lines(got), "; ")); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestEachNodeIsCountedInItsPoolAndInNoOther(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		nodes := testkit.Arbitrary(generate.Input).Draw(t, "in").Nodes
		names := []string{"pool-1", "pool-0", "pool-3", "pool-1"}
		c := budget.CountNodes(names, nodes, dialect.Disruptkit)
		called := map[string]int{}
		for _, n := range nodes {
			called[n.Name]++
		}
		for i, n := range nodes {
			if at := c.Owners[i]; at < 0 && slices.Contains(names, n.Pool) || at >= 0 && c.Pools[at].Name != n.Pool {
				t.Fatalf("%s of %s is counted in pool %d of %v", n.Name, n.Pool, at, lines(c))
			}
			if c.Namesakes[n.Name] != (called[n.Name] > 1) {
				t.Fatalf("%d nodes are called %s, and namesakes are %v", called[n.Name], n.Name, c.Namesakes)
			}
		}
		for _, p := range c.Pools {
			counted, notReady, disrupting := 0, 0, map[candidate.Reason]int{}
			for _, n := range nodes {
				if n.Pool == p.Name && n.Counted() && called[n.Name] == 1 {
					counted++
				}
				switch {
				case n.Pool != p.Name || !n.Disrupting(""):
				case !n.Disrupting(candidate.Unhealthy):
					notReady++
				case n.Ready() && !n.Rebooting:
					disrupting[n.DisruptedFor]++
				default:
					disrupting[""]++
				}
			}
			if diff := cmp.Diff(disrupting, p.Disrupting.InFlight, cmpopts.EquateEmpty()); diff != "" || p.Nodes != counted || p.Disrupting.NotReady != notReady {
				t.Fatalf("%s has %d nodes, want %d; disrupting (-want +got)\n%s", p.Name, p.Nodes, counted, diff)
			}
		}
	})
}
