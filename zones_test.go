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
	"github.com/disruptkit/disruptkit/topology"
)

const zone = "topology.kubernetes.io/zone"

// zoned returns Ready nodes of the pool "default", such as "a1 a2 b1", in the zones that their first letters name. Those
// with a star have drifted, each an hour after the one before: "a1* b1* a2*".
func zoned(names string) []candidate.Node {
	var nodes []candidate.Node
	for i, name := range strings.Fields(names) {
		name, drifted := strings.CutSuffix(name, "*")
		n := candidate.Node{Name: name, Pool: "default", Initialized: true, Ready: true, Labels: map[string]string{zone: name[:1]}}
		if drifted {
			n.Conditions = []candidate.Condition{{Reason: "Drifted", Since: friday.Add(time.Duration(i-99) * time.Hour)}}
		}
		nodes = append(nodes, n)
	}
	return nodes
}

func sequential(nodes string) budget.Budget {
	return budget.Budget{Nodes: nodes, TopologyKey: zone, Sequential: true}
}

// turns tells a decision about zones: what may go, what holds back the others, the roll, and when to look again.
func turns(d disruptkit.Decision) string {
	var s strings.Builder
	for _, c := range d.Allowed {
		fmt.Fprintf(&s, "+ %s %s", c.Node, c.Reason)
		if !c.Until.IsZero() {
			s.WriteString(" until " + c.Until.Format("15:04"))
		}
		s.WriteString("\n")
	}
	for _, c := range d.Blocked {
		for _, b := range c.Blockers {
			fmt.Fprintf(&s, "- %s %s\n", c.Node, b)
		}
	}
	for _, w := range d.Warnings {
		fmt.Fprintf(&s, "! %s: %s\n", w.Code, w)
	}
	for pool, r := range d.Rolls {
		fmt.Fprintf(&s, "roll of %s: %s=%s", pool, r.Key, r.Domain)
		if !r.IdleSince.IsZero() {
			s.WriteString(", idle since " + r.IdleSince.Format("15:04"))
		}
		s.WriteString("\n")
	}
	if !d.NextChange.IsZero() {
		s.WriteString("next change: " + d.NextChange.Format("15:04") + "\n")
	}
	return s.String()
}

func TestDecisionsOnZones(t *testing.T) {
	for _, c := range []struct {
		name   string
		in     func(t *testing.T) disruptkit.Input
		reason candidate.Reason
		want   string
	}{
		{"one zone at a time, the one that drifted first", func(t *testing.T) disruptkit.Input {
			return disruptkit.Input{Pools: []disruptkit.Pool{pool(t, sequential("1"))}, Nodes: zoned("b1* a1* b2*")}
		}, "Drifted", `
+ b1 Drifted
- a1 topology/waits-for-domain: a waits for b (0 in flight, 2 to go)
- b2 topology/exhausted: 1 of 2 nodes of b may go at once, 1 allowed before this one: budgets[0] is 1 per topology.kubernetes.io/zone, one at a time
roll of default: topology.kubernetes.io/zone=b
`},
	} {
		t.Run(c.name, func(t *testing.T) {
			in := c.in(t)
			in.Now = friday
			if diff := cmp.Diff(strings.TrimPrefix(c.want, "\n"), turns(disruptkit.Decide(in, c.reason))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

var _ topology.Roll
