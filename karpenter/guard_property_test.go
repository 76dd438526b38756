package karpenter

import (
	"fmt"
	"slices"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"pgregory.net/rapid"
	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"
	"sigs.k8s.io/karpenter/pkg/controllers/disruption"
)

// A fleet is a random small cluster of which the tests know what may be disrupted.
type fleet struct {
	*guarded
	perZone   map[string]int // of the pools whose zones take turns
	limit     map[string]int // of each pool
	poolOf    map[string]string
	using     map[string]bool // what uses up limits: nodes in flight, or not Ready
	going     map[string]bool // of these, in flight
	karpenter map[string]int  // how many Karpenter allows of each pool
}

func drawFleet(t *testing.T, r *rapid.T) fleet {
	f := fleet{
		perZone: map[string]int{}, limit: map[string]int{}, poolOf: map[string]string{}, using: map[string]bool{},
		going: map[string]bool{}, karpenter: map[string]int{},
	}
	names := []string{"p", "q", "static"}[:rapid.IntRange(1, 3).Draw(r, "pools")]
	var pools []*v1.NodePool
	for _, name := range names {
		text := fmt.Sprintf("budgets:\n- {nodes: %q}\n", fmt.Sprint(f.draw(r, f.limit, name, 0, 4)))
		if rapid.Bool().Draw(r, "sequential") {
			text += fmt.Sprintf("- {nodes: %q, topologyKey: %s, sequential: true}\n", fmt.Sprint(f.draw(r, f.perZone, name, 1, 2)), zoneLabel)
		}
		np := pool(name, DisruptionAnnotation, text, TopologyAnnotation, "patience: 3m")
		if name == "static" {
			np.Spec.Replicas = new(int64)
		}
		pools = append(pools, np)
		f.draw(r, f.karpenter, name, 0, 4)
	}
	f.guarded = newGuarded(t, pools...)
	for i := range rapid.IntRange(1, 12).Draw(r, "nodes") {
		name := fmt.Sprintf("%s%d", rapid.SampledFrom([]string{"a", "b", "c"}).Draw(r, "zone"), i)
		f.poolOf[name] = rapid.SampledFrom(names).Draw(r, "pool")
		ready := rapid.IntRange(0, 7).Draw(r, "ready") > 0
		f.using[name] = !ready
		f.node(f.poolOf[name], name, rapid.IntRange(1, 60).Draw(r, "minutes"), func(n *corev1.Node, _ *v1.NodeClaim) {
			if !ready {
				n.Status.Conditions[0].Status = corev1.ConditionFalse
			}
		})
		if rapid.IntRange(0, 7).Draw(r, "in flight") == 0 {
			f.inFlight(name)
			f.using[name], f.going[name] = true, true
		}
	}
	return f
}

func (f fleet) draw(r *rapid.T, to map[string]int, pool string, from, up int) int {
	to[pool] = rapid.IntRange(from, up).Draw(r, "number")
	return to[pool]
}

// check fails where commands break a limit.
func (f fleet) check(r *rapid.T, commands []disruption.Command) {
	started := map[string]int{}
	zones := map[string]map[byte]bool{}
	enter := func(node string) {
		if zones[f.poolOf[node]] == nil {
			zones[f.poolOf[node]] = map[byte]bool{}
		}
		zones[f.poolOf[node]][node[0]] = true
	}
	seen := map[string]bool{}
	for _, command := range commands {
		for _, name := range namesOf(command.Candidates) {
			if seen[name] || f.going[name] {
				r.Fatalf("%s goes twice", name)
			}
			seen[name] = true
			started[f.poolOf[name]]++
			enter(name)
		}
	}
	for pool, n := range started {
		using := 0
		for name, of := range f.poolOf {
			if of == pool && f.using[name] && !seen[name] { // a node that is not Ready counts once
				using++
			}
			if of == pool && f.going[name] {
				enter(name)
			}
		}
		if n > f.karpenter[pool] || n+using > f.limit[pool] {
			r.Fatalf("%d nodes of %s start beside %d: Karpenter allows %d more, and the annotation %d", n, pool, using, f.karpenter[pool], f.limit[pool])
		}
		if most := f.perZone[pool]; most > 0 && (len(zones[pool]) > 1 || n > most) {
			r.Fatalf("%d nodes of %s start, and %d zones are in flight: one zone may be, and %d of its nodes", n, pool, len(zones[pool]), most)
		}
	}
}

func TestWhateverAMethodReturnsNoLimitIsBroken(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		f := drawFleet(t, r)
		all := slices.Clone(f.offered)
		f.offered = slices.DeleteFunc(f.offered, func(*disruption.Candidate) bool { return rapid.IntRange(0, 7).Draw(r, "not offered") == 0 })
		m := drift()
		m.choose = func(budgets map[string]int, cs []*disruption.Candidate) (commands []disruption.Command) {
			clear(budgets)
			from := rapid.SampledFrom([][]*disruption.Candidate{cs, all}).Draw(r, "from")
			slices.Reverse(cs)
			for range rapid.IntRange(0, 3).Draw(r, "commands") {
				some := slices.DeleteFunc(slices.Clone(from), func(*disruption.Candidate) bool { return rapid.Bool().Draw(r, "left out") })
				if rapid.Bool().Draw(r, "replaces") {
					commands = append(commands, each(some)...)
				} else {
					commands = append(commands, one(some)...)
				}
			}
			return commands
		}
		commands, err := Guard(m, f.Cluster).ComputeCommands(t.Context(), f.karpenter, f.offered...)
		if err != nil {
			r.Fatal(err)
		}
		f.check(r, commands)
	})
}

// started takes the nodes of commands away, as if they had gone at once.
func (g *guarded) started(commands []disruption.Command) {
	for name := range chosen(commands) {
		g.State.DeleteNode(name)
		g.State.DeleteNodeClaim("claim-" + name)
	}
}

func TestARollEndsOnceAllNodesCanStart(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		names := []string{"p", "q"}[:rapid.IntRange(1, 2).Draw(r, "pools")]
		var pools []*v1.NodePool
		for _, name := range names {
			pools = append(pools, pool(name, DisruptionAnnotation, sequential, TopologyAnnotation, "patience: 3m"))
		}
		g := newGuarded(t, pools...)
		for i := range rapid.IntRange(2, 6).Draw(r, "nodes") {
			zone := rapid.SampledFrom([]string{"a", "b", "c"}).Draw(r, "zone")
			g.node(rapid.SampledFrom(names).Draw(r, "pool"), fmt.Sprintf("%s%d", zone, i), rapid.IntRange(1, 60).Draw(r, "minutes"))
		}
		left, healed := map[string]*disruption.Candidate{}, false
		for _, c := range g.offered {
			left[c.Name()] = c
		}
		m := drift()
		m.choose = first(func(string) bool { return healed || rapid.IntRange(0, 9).Draw(r, "can start") == 0 })
		guard := Guard(m, g.Cluster)
		for minute := 0; len(left) > 0; minute++ {
			healed = minute > 30
			if minute > 120 {
				r.Fatalf("%d nodes are not disrupted: %v; the memories are %s %s", len(left), sortedKeys(left), g.memory("p"), g.memory(names[len(names)-1]))
			}
			g.offered = nil
			for _, name := range sortedKeys(left) {
				if healed || rapid.IntRange(0, 5).Draw(r, "not offered") > 0 {
					g.offered = append(g.offered, left[name])
				}
			}
			if len(g.offered) > 0 {
				commands, err := guard.ComputeCommands(t.Context(), map[string]int{"p": 2, "q": 2}, g.offered...)
				if err != nil {
					r.Fatal(err)
				}
				g.started(commands)
				for name := range chosen(commands) {
					delete(left, name)
				}
			}
			g.clock.Step(time.Minute)
		}
	})
}
