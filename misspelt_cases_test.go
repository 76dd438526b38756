package disruptkit_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/testkit/fixture"
	"github.com/disruptkit/disruptkit/probe"
	"github.com/disruptkit/disruptkit/topology"
)

// Thirty nodes of web in three zones have drifted because of their AMI, and one of batch has.
func thirty(t testing.TB, budgets ...budget.Budget) disruptkit.Input {
	in := disruptkit.Input{Now: fixture.Noon, Pools: []disruptkit.Pool{fixture.Pool(t, budgets...), fixture.Pool(t, budget.Budget{Nodes: "100%"})}}
	in.Pools[0].Name, in.Pools[1].Name = "web", "batch"
	for i := range 31 {
		n := candidate.Node{Name: fmt.Sprintf("n-%02d", i), Pool: "web", Phase: candidate.Running, Labels: map[string]string{"zone": string(rune('a' + i%3))},
			Conditions: []candidate.Condition{{Reason: "Drifted/AMIDrift"}}}
		if i == 30 {
			n.Pool = "batch"
		}
		in.Nodes = append(in.Nodes, n)
	}
	return in
}

func TestAMisspeltNameBlocksWhatItWasFor(t *testing.T) {
	key := func(sequential bool, nodes string) budget.Budget {
		return budget.Budget{Nodes: nodes, TopologyKey: "zonee", Sequential: sequential}
	}
	none := budget.Budget{Nodes: "0", Reasons: []candidate.Reason{"Drifted/AMIDrfit"}}
	for _, row := range []struct {
		name    string
		in      disruptkit.Input
		change  func(in *disruptkit.Input)
		allowed int    // of web and batch
		says    string // in a warning; "": there is none
	}{
		{"no node has the label of a sequential budget", thirty(t, key(true, "100%")), nil, 1, `no node has the label "zonee", and until one has, none is allowed: write "zone", which nodes have`},
		{"no node has the label of a budget", thirty(t, key(false, "100%")), nil, 1, `no node has the label "zonee"`},
		{"no node has the label, and such nodes are exempt", thirty(t, key(true, "100%")), func(in *disruptkit.Input) { in.Pools[0].Topology.Unlabelled = topology.Exempt }, 1, `no node has the label "zonee"`},
		{"nodes may lack the label", thirty(t, key(true, "100%")), func(in *disruptkit.Input) { in.Pools[0].Topology.LabelOptional = true }, 31, ""},
		{"nodes may lack the label, and are exempt", thirty(t, key(true, "1")), func(in *disruptkit.Input) {
			in.Pools[0].Topology = topology.Options{LabelOptional: true, Unlabelled: topology.Exempt}
		}, 31, ""},
		{"one node has the label", thirty(t, key(false, "1")), func(in *disruptkit.Input) { in.Nodes[0].Labels["zonee"] = "a" }, 3, `29 of 30 nodes have no label "zonee", and are a domain of their own`},
		{"one node has the label, and the others are exempt", thirty(t, key(false, "0")), func(in *disruptkit.Input) {
			in.Nodes[0].Labels["zonee"], in.Pools[0].Topology.Unlabelled = "a", topology.Exempt
		}, 30, `29 of 30 nodes have no label "zonee", and the budget does not limit them`},
		{"only a node that does not count has the label", thirty(t, key(true, "100%")), func(in *disruptkit.Input) {
			in.Nodes[0].Labels["zonee"], in.Nodes[0].Phase = "a", candidate.Launched
		}, 1, `no node has the label "zonee"`},
		{"no node of a group has the label", thirty(t, budget.Budget{Nodes: "100%"}), func(in *disruptkit.Input) {
			set, _ := budget.Compile([]budget.Budget{key(true, "100%")})
			in.Groups = []disruptkit.Group{{Name: "prod", Pools: []string{"web", "batch"}, Budgets: set}}
		}, 0, `Group/prod: budgets[0].topologyKey: no node has the label "zonee"`},
		{"a budget names a child one letter from that of the nodes", thirty(t, none), nil, 1, `reason "Drifted/AMIDrift" is one letter from "Drifted/AMIDrfit", which budgets[0] names: write the same name in both`},
		{"a child in another case", thirty(t, budget.Budget{Nodes: "0", Reasons: []candidate.Reason{"Drifted/AmiDrift"}}), nil, 1, "one letter from"},
		{"budgets name both children", thirty(t, none, budget.Budget{Nodes: "50%", Reasons: []candidate.Reason{"Drifted/AMIDrift"}}), nil, 16, ""},
		{"no node has the child that a budget misspells", thirty(t, none), func(in *disruptkit.Input) {
			for i := range in.Nodes {
				in.Nodes[i].Conditions[0].Reason = "Drifted/SubnetDrift"
			}
		}, 31, `reason "Drifted/AMIDrfit" is one letter from Drifted/AMIDrift, for which no node is allowed until then: write Drifted/AMIDrift`},
		{"turns are for a child that is misspelt", thirty(t, budget.Budget{Nodes: "1", TopologyKey: "zone", Sequential: true}), func(in *disruptkit.Input) {
			in.Pools[0].Topology.Reasons = []candidate.Reason{"Drifted/AMIDrfit"}
		}, 2, `reason "Drifted/AMIDrfit" is not known, and sequential budgets order all reasons: write Drifted/AMIDrift`},
		{"a pause is for a child that is misspelt", thirty(t, budget.Budget{Nodes: "100%"}), func(in *disruptkit.Input) {
			in.Pauses = []probe.Pause{{Reasons: []candidate.Reason{"Drifted/AMIDrfit"}}}
		}, 0, `reason "Drifted/AMIDrfit" is one letter from "Drifted/AMIDrift"`},
		{"a denial is for an unknown reason", thirty(t, budget.Budget{Nodes: "100%"}), func(in *disruptkit.Input) {
			in.Verdicts = []probe.Verdict{{Allowed: true, Denied: []probe.Denial{{Reason: "driftt"}}}}
		}, 0, `reason "driftt" is unknown, and until then, every reason is denied`},
		{"a group names a pool one letter from another", thirty(t, budget.Budget{Nodes: "100%"}), func(in *disruptkit.Input) {
			in.Groups = []disruptkit.Group{{Name: "prod", Pools: []string{"wbe", "batch"}}}
		}, 0, `no pool is called "wbe", and until the group names only pools that exist, no node of its pools may go, nor one of web: write web`},
		{"a group names a pool that is like no other", thirty(t, budget.Budget{Nodes: "100%"}), func(in *disruptkit.Input) {
			in.Groups = []disruptkit.Group{{Name: "prod", Pools: []string{"gpu", "batch"}}}
		}, 30, `no pool is called "gpu"`},
		{"nodes are of a pool one letter from another", thirty(t, budget.Budget{Nodes: "1"}), func(in *disruptkit.Input) {
			in.Nodes[0].Pool, in.Nodes[0].Leaving, in.Nodes[1].Pool = "wbe", candidate.Draining, "wbe"
		}, 2, `2 nodes of pool "wbe", which is not in the input and is one letter from web`},
		{"a node has no name", thirty(t, budget.Budget{Nodes: "100%"}), func(in *disruptkit.Input) { in.Nodes[30].Name = "" }, 30, "1 node without a name"},
		{"nodes have no names", thirty(t, budget.Budget{Nodes: "100%"}), func(in *disruptkit.Input) { in.Nodes[0].Name, in.Nodes[30].Name = "", "" }, 29, "2 nodes without a name"},
		{"a node is in flight for a misspelt method", thirty(t, budget.Budget{Nodes: "1"}), func(in *disruptkit.Input) {
			in.Nodes[0].Leaving, in.Nodes[0].DisruptedFor = candidate.Draining, "Driftd"
		}, 1, `1 node, such as n-00 for "Driftd"`},
	} {
		t.Run(row.name, func(t *testing.T) {
			in := row.in
			if row.change != nil {
				row.change(&in)
			}
			d := disruptkit.Decide(in, "Drifted")
			if len(d.Allowed) != row.allowed {
				t.Errorf("%d are allowed, want %d", len(d.Allowed), row.allowed)
			}
			var texts []string
			for _, w := range d.Warnings {
				texts = append(texts, w.Error())
			}
			if all := strings.Join(texts, "\n"); !strings.Contains(all, row.says) || row.says == "" && all != "" && !strings.Contains(all, "no end") {
				t.Errorf("warnings:\n%s\nwant %s", all, row.says)
			}
			agreesWithNaive(t, in, "Drifted")
		})
	}
}

// Whoever writes "drifted" may mean any reason, and so its node is a candidate of each decision.
func TestAReasonThatNobodyCanKnowIsBlockedAndWarnedOf(t *testing.T) {
	for asked, listed := range map[candidate.Reason]bool{"Drifted": true, "Empty": true, "": true} {
		for _, written := range []candidate.Reason{"drifted", "Driftes", "Driftes/AMIDrift"} {
			in := thirty(t, budget.Budget{Nodes: "100%"})
			in.Nodes[0].Conditions[0].Reason = written
			d := disruptkit.Decide(in, asked)
			found := false
			for _, c := range d.Blocked {
				found = found || c.Node == "n-00" && c.Reason == written && c.Blockers[0].Code == candidate.CodeUnknownReason
			}
			warned := strings.Contains(fmt.Sprint(d.Warnings), fmt.Sprintf("reason %q is unknown", written))
			if found != listed || !warned {
				t.Errorf("%q of %q: blocked %t, warned %t: %v", written, asked, found, warned, d.Warnings)
			}
			agreesWithNaive(t, in, asked)
		}
	}
	in := thirty(t, budget.Budget{Nodes: "100%"})
	in.Nodes[0].Conditions[0].Reason = "Drift" // is known to mean Drifted
	if d := disruptkit.Decide(in, "Empty"); len(d.Blocked) > 0 || len(d.Warnings) > 0 {
		t.Errorf("%v %v", d.Blocked, d.Warnings)
	}
	if d := disruptkit.Decide(in, "Drifted"); len(d.Blocked) != 1 || !strings.Contains(d.Blocked[0].Blockers[0].Message, "write Drifted") {
		t.Errorf("%v", d.Blocked)
	}
	if d := disruptkit.Decide(thirty(t, budget.Budget{Nodes: "100%"}), "Drifted/AMIDrfit"); len(d.Allowed) > 0 || !strings.Contains(fmt.Sprint(d.Warnings), `one letter from it`) {
		t.Errorf("%v", d.Warnings)
	}
}
