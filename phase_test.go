package disruptkit_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/testkit"
	"github.com/disruptkit/disruptkit/internal/testkit/fixture"
	"github.com/disruptkit/disruptkit/internal/testkit/generate"
)

// The first program of a newcomer: a name, a pool, and a reason to go.
func TestTheFirstProgramWorksOrSaysWhyNot(t *testing.T) {
	drifted := []candidate.Condition{{Reason: candidate.Drifted}}
	three := func(name string) candidate.Node {
		return candidate.Node{Name: name, Pool: "default", Conditions: drifted}
	}
	four := func(name string, p candidate.Phase) candidate.Node {
		n := three(name)
		n.Phase = p
		return n
	}
	const unknown = " node/unknown-phase: the phase of the node is unknown: set Node.Phase, such as to candidate.Running; "
	full := func(nodes string, inUse int) string {
		return fmt.Sprintf("budget/exhausted: 1 of %s may be disrupted at once, %d in flight or not Ready: budgets[0] is 10%%", nodes, inUse)
	}
	for _, c := range []struct {
		name  string
		nodes []candidate.Node
		want  string
	}{
		{"with a phase, it works", []candidate.Node{four("a", candidate.Running)}, "a goes"},
		{"without one, it says what to set", []candidate.Node{three("a")}, "a" + unknown + full("1 node", 1) + `
warning: NodePool/default: Node.Phase: a is in an unknown phase, so the node stays and counts as in flight: ` +
			"set Node.Phase, such as to candidate.Running"},
		{"it says so once for all, whatever their order", []candidate.Node{three("c"), three("a"), three("b")},
			"a" + unknown + full("3 nodes", 3) + "\nb" + unknown + full("3 nodes", 3) + "\nc" + unknown + full("3 nodes", 3) + `
warning: NodePool/default: Node.Phase: a and 2 more nodes are in an unknown phase, so these nodes stay and count as in flight: ` +
				"set Node.Phase, such as to candidate.Running"},
		{"a node of unknown phase holds back others, since it may be in flight",
			[]candidate.Node{four("a", candidate.Running), {Name: "b", Pool: "default"}}, "a " + full("2 nodes", 1) + `
warning: NodePool/default: Node.Phase: b is in an unknown phase, so the node stays and counts as in flight: ` +
				"set Node.Phase, such as to candidate.Running"},
		{"a phase that does not exist is unknown", []candidate.Node{four("a", 9)}, "a" + unknown + full("1 node", 1) + `
warning: NodePool/default: Node.Phase: a is in an unknown phase, so the node stays and counts as in flight: ` +
			"set Node.Phase, such as to candidate.Running"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := disruptkit.Decide(disruptkit.Input{
				Now: fixture.Noon, Nodes: c.nodes, Pools: []disruptkit.Pool{{Name: "default"}},
			}, candidate.Drifted)
			var got []string
			for _, a := range d.Allowed {
				got = append(got, a.Node+" goes")
			}
			for _, b := range d.Blocked {
				var texts []string
				for _, blocker := range b.Blockers {
					texts = append(texts, blocker.String())
				}
				got = append(got, b.Node+" "+strings.Join(texts, "; "))
			}
			for _, w := range d.Warnings {
				got = append(got, "warning: "+w.Error())
			}
			if diff := cmp.Diff(c.want, strings.Join(got, "\n")); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// Whatever a node does: if nobody says how far it has come, it stays, and no other node goes that would not go if it were known.
func TestAnUnknownPhaseWidensNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := testkit.Arbitrary(generate.Unzoned).Draw(t, "input")
		if len(in.Nodes) == 0 {
			return
		}
		i := rapid.IntRange(0, len(in.Nodes)-1).Draw(t, "node")
		in.Nodes = slices.Clone(in.Nodes)
		in.Nodes[i].Conditions = nil // a node that would go competes with others
		known := len(disruptkit.Decide(in, "").Allowed)
		in.Nodes[i].Phase = 0
		if unknown := len(disruptkit.Decide(in, "").Allowed); unknown > known {
			t.Fatalf("%d nodes go, and %d while the phase of %s is unknown", known, unknown, in.Nodes[i].Name)
		}
	})
}

func TestPhasesAreNamed(t *testing.T) {
	got := fmt.Sprint(candidate.Launched, candidate.Registered, candidate.Running, candidate.NotReady, candidate.Phase(0), candidate.Phase(9),
		candidate.Staying, candidate.Draining, candidate.Terminating, candidate.Leaving(9))
	if want := "Launched Registered Running NotReady Phase(0) Phase(9) Staying Draining Terminating Leaving(9)"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// Nobody knows whether b1 is in flight. So zone a waits, and no two zones roll at once.
func TestANodeOfUnknownPhaseMayRoll(t *testing.T) {
	for _, c := range []struct {
		phase candidate.Phase
		want  string
	}{{candidate.Running, "a1"}, {0, ""}, {9, ""}} {
		in := disruptkit.Input{Now: fixture.Noon, Pools: []disruptkit.Pool{fixture.Pool(t, fixture.Sequential("1"))}, Nodes: []candidate.Node{
			fixture.Wanted("a1", fixture.Noon, candidate.Drifted), {Name: "b1", Pool: "default", Phase: c.phase},
		}}
		for i := range in.Nodes {
			in.Nodes[i].Labels = map[string]string{"topology.kubernetes.io/zone": in.Nodes[i].Name[:1]}
		}
		if got := strings.Join(fixture.Allowed(disruptkit.Decide(in, candidate.Drifted)), " "); got != c.want {
			t.Errorf("where b1 is %s, %q goes, want %q", c.phase, got, c.want)
		}
	}
}
