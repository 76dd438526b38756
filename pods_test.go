package disruptkit_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/schedule"
)

// noon is the time at which the rows of this file are decided.
var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// sharing returns a node that has drifted for some hours, in a pool and a zone, with a pod of each app.
func sharing(name, pool, zone string, hours int, apps ...string) candidate.Node {
	n := candidate.Node{
		Name: name, Pool: pool, Labels: map[string]string{"zone": zone},
		Initialized: true, Ready: true, ReadySince: noon.Add(-100 * time.Hour),
		Conditions: []candidate.Condition{{Reason: candidate.Drifted, Since: noon.Add(-time.Duration(hours) * time.Hour)}},
	}
	for _, app := range apps {
		n.Pods = append(n.Pods, candidate.Pod{Namespace: "shop", Name: name + "-" + app, Labels: map[string]string{"app": app}})
	}
	return n
}

// goesFrom returns the node with one more pod, that may go for some hours from an hour of each day on.
func goesFrom(n candidate.Node, hour, hours int) candidate.Node {
	w := schedule.MustParse(fmt.Sprintf("0 %d * * *", hour), time.Duration(hours)*time.Hour, "")
	n.Pods = append(n.Pods, candidate.Pod{Namespace: "shop", Name: n.Name + "-w", Terms: candidate.Terms{Window: w}})
	return n
}

// TestPodsTieNodesTogether tells each node with its fate: what may go with its until, what may not with the codes of what
// holds it back and until when. Of the apps a and b one pod each may be evicted.
func TestPodsTieNodesTogether(t *testing.T) {
	one := budget.Budget{Nodes: "1"}
	zones := budget.Budget{Nodes: "1", TopologyKey: "zone", Sequential: true, Reasons: []candidate.Reason{candidate.Drifted}}
	lunch := budget.Budget{Nodes: "0", Schedule: "0 11 * * *", Duration: "90m"}
	for _, c := range []struct {
		name    string
		budgets map[string][]budget.Budget // of each pool; none is no limit
		nodes   []candidate.Node
		now     []string
		at      string // a later time
		then    []string
	}{
		{
			name:  "one PDB lets one node go, of whatever pool",
			nodes: []candidate.Node{sharing("n1", "p", "", 3, "a"), sharing("n2", "q", "", 2, "a"), sharing("n3", "q", "", 1, "b")},
			now:   []string{"n1 goes", "n3 goes", "n2 pod/exhausted"},
		},
		{
			name:  "a node in flight uses up what its pods need, and is asked nothing more",
			nodes: []candidate.Node{inFlight(sharing("n1", "p", "", 3, "a")), sharing("n2", "q", "", 2, "a")},
			now:   []string{"n1 node/deleting", "n2 pod/exhausted"},
		},
		{
			name:  "where a window closes, another takes the place at the PDB, and takes it from a third",
			nodes: []candidate.Node{goesFrom(sharing("n1", "p", "", 3, "a"), 11, 2), sharing("n2", "q", "", 2, "a", "b"), sharing("n3", "p", "", 1, "b")},
			now:   []string{"n1 goes until 13:00", "n3 goes until 13:00", "n2 pod/exhausted"},
			at:    "13:00",
			then:  []string{"n2 goes until 11:00", "n1 pod/outside-schedule until 11:00", "n3 pod/exhausted"},
		},
		{
			name:  "nobody loses a place where there is room for all who come",
			nodes: []candidate.Node{goesFrom(sharing("n1", "p", "", 3), 14, 2), goesFrom(sharing("n2", "p", "", 2), 8, 10)},
			now:   []string{"n2 goes until 18:00", "n1 pod/outside-schedule until 14:00"},
			at:    "14:00",
			then:  []string{"n1 goes until 16:00", "n2 goes until 18:00"},
		},
		{
			name:    "one who comes takes the only place",
			budgets: map[string][]budget.Budget{"p": {one}},
			nodes:   []candidate.Node{goesFrom(sharing("n1", "p", "", 3), 14, 2), goesFrom(sharing("n2", "p", "", 2), 8, 10)},
			now:     []string{"n2 goes until 14:00", "n1 pod/outside-schedule until 14:00"},
			at:      "14:00",
			then:    []string{"n1 goes until 16:00", "n2 budget/exhausted"},
		},
		{
			name:    "a window that closes lets another zone have its turn, which takes a PDB elsewhere",
			budgets: map[string][]budget.Budget{"p": {zones}},
			nodes: []candidate.Node{
				sharing("q1", "q", "", 10, "a"), goesFrom(sharing("a1", "p", "a", 9, "a"), 11, 2),
				sharing("b1", "p", "b", 8, "b"), sharing("c", "q", "", 7, "b"),
			},
			now:  []string{"q1 goes", "c goes until 13:00", "a1 pod/exhausted", "b1 topology/waits-for-domain"},
			at:   "13:00",
			then: []string{"q1 goes", "b1 goes", "a1 pod/outside-schedule until 11:00 pod/exhausted topology/waits-for-domain", "c pod/exhausted"},
		},
		{
			name:    "who waits for a budget alone may find its PDB used up by then, by one whom another made room for",
			budgets: map[string][]budget.Budget{"p": {lunch}, "q": {one}},
			nodes: []candidate.Node{
				sharing("n1", "p", "", 9, "b"), sharing("n2", "q", "", 8, "b"), sharing("n3", "q", "", 7, "a"), sharing("n4", "p", "", 6, "a"),
			},
			now:  []string{"n2 goes until 12:30", "n1 budget/allows-none until 12:30", "n3 budget/exhausted", "n4 budget/allows-none until 12:30 pod/exhausted"},
			at:   "12:30",
			then: []string{"n1 goes until 11:00", "n3 goes until 11:00", "n2 pod/exhausted", "n4 pod/exhausted"},
		},
		{
			name:    "a window that closes during a freeze may leave the turn to another zone",
			budgets: map[string][]budget.Budget{"p": {zones, {Nodes: "0", Schedule: "0 11 * * *", Duration: "3h"}}},
			nodes:   []candidate.Node{goesFrom(sharing("n1", "p", "b", 9), 9, 4), sharing("n2", "p", "a", 8), sharing("n3", "p", "b", 7)},
			now: []string{
				"n1 budget/allows-none until 14:00 pod/outside-schedule topology/waits-for-domain",
				"n2 budget/allows-none until 14:00 topology/waits-for-domain",
				"n3 budget/allows-none until 14:00 topology/waits-for-domain",
			},
			at:   "14:00",
			then: []string{"n2 goes until 11:00", "n1 pod/outside-schedule until 09:00 topology/waits-for-domain", "n3 topology/waits-for-domain"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			in := disruptkit.Input{Now: noon}
			in.Rules, _ = candidate.Compile([]candidate.PDB{pdbOf("a"), pdbOf("b")}, nil)
			for _, pool := range []string{"p", "q"} {
				set, err := budget.Compile(append([]budget.Budget{}, c.budgets[pool]...))
				if err != nil {
					t.Fatal(err)
				}
				in.Pools = append(in.Pools, disruptkit.Pool{Name: pool, Budgets: set})
			}
			in.Nodes = c.nodes
			d := disruptkit.Decide(in, candidate.Drifted)
			if diff := cmp.Diff(c.now, fates(d)); diff != "" {
				t.Error(diff)
			}
			if c.at == "" {
				return
			}
			in.Now, in.Memory = clock(c.at), d.Memory
			if diff := cmp.Diff(c.then, fates(disruptkit.Decide(in, candidate.Drifted))); diff != "" {
				t.Error("then", diff)
			}
		})
	}
}

func pdbOf(app string) candidate.PDB {
	return candidate.PDB{
		Namespace: "shop", Name: app, DisruptionsAllowed: 1, Selector: &candidate.Selector{MatchLabels: map[string]string{"app": app}},
	}
}

func inFlight(n candidate.Node) candidate.Node {
	n.Deleting = true
	return n
}

func fates(d disruptkit.Decision) []string {
	var all []string
	until := func(t time.Time) string {
		if t.IsZero() {
			return ""
		}
		return t.Format(" until 15:04")
	}
	for _, c := range d.Allowed {
		all = append(all, c.Node+" goes"+until(c.Until))
	}
	for _, c := range d.Blocked {
		text := c.Node
		for _, b := range c.Blockers {
			text += " " + string(b.Gate) + "/" + b.Code + until(b.Until)
		}
		all = append(all, text)
	}
	return all
}

func TestTheOrderOfPodsDoesNotShowInWhatComesAfter(t *testing.T) {
	var told []string
	for _, apps := range [][]string{{"a", "b"}, {"b", "a"}} {
		in := disruptkit.Input{Now: noon, Nodes: []candidate.Node{sharing("n1", "p", "", 2, apps...), sharing("n2", "p", "", 1, apps...)}}
		in.Rules, _ = candidate.Compile([]candidate.PDB{pdbOf("a"), pdbOf("b")}, nil)
		set, err := budget.Compile([]budget.Budget{{Nodes: "0", Schedule: "0 9 * * *", Duration: "8h"}})
		if err != nil {
			t.Fatal(err)
		}
		in.Pools = []disruptkit.Pool{{Name: "p", Budgets: set}}
		told = append(told, fmt.Sprint(disruptkit.Decide(in, candidate.Drifted).Blocked))
	}
	if told[0] != told[1] || !strings.Contains(told[0], "after that, other candidates use up a PDB of pod shop/n2-a") {
		t.Error(told[0], told[1])
	}
}

// The pods of a node with many reasons are judged twice: for those that are eventual, and for the others.
func TestANodeWithAGracePeriodIsHeldBackForSomeReasonsOnly(t *testing.T) {
	n := sharing("n", "p", "", 1)
	n.HasGracePeriod = true
	n.Pods = []candidate.Pod{{Namespace: "shop", Name: "busy", Terms: candidate.Terms{Protect: candidate.Forever}}}
	n.Conditions = nil
	for i, reason := range []candidate.Reason{"Underutilized", "Empty", "Drifted/AMIDrift", "Drifted", "Expired"} {
		n.Conditions = append(n.Conditions, candidate.Condition{Reason: reason, Since: noon.Add(time.Duration(i-9) * time.Hour)})
	}
	d := disruptkit.Decide(disruptkit.Input{Now: noon, Pools: []disruptkit.Pool{{Name: "p"}}, Nodes: []candidate.Node{n}}, "")
	var got []string
	for _, c := range append(d.Allowed, d.Blocked...) {
		text := string(c.Reason)
		for _, b := range c.Blockers {
			text += " " + string(b.Gate) + "/" + b.Code
		}
		got = append(got, text)
	}
	want := []string{"Drifted/AMIDrift", "Underutilized pod/do-not-disrupt", "Empty pod/do-not-disrupt", "Drifted node/already-allowed budget/exhausted",
		"Expired node/already-allowed pod/do-not-disrupt budget/exhausted"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
