package main

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/adapters/internal/cluster"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
)

// A world is a cluster with a cluster-autoscaler that does the worst that its contract lets it do: it takes any node that was open to it at any
// time within the grace, as it may have looked then, and takes its time over it.
type world struct {
	now    time.Time
	nodes  []candidate.Node
	holds  map[string]hold
	open   map[string]time.Time // when the node was open last
	stored cluster.State
}

const (
	lasts = 15 * time.Minute
	grace = 2 * time.Minute
)

func newWorld(t interface{ Fatal(...any) }, nodes int, budgets ...budget.Budget) (*world, []disruptkit.Pool) {
	set, err := budget.Compile(budgets)
	if err != nil {
		t.Fatal(err)
	}
	w := &world{now: time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC), holds: map[string]hold{}, open: map[string]time.Time{}}
	for i := range nodes {
		w.nodes = append(w.nodes, candidate.Node{
			Name: fmt.Sprintf("n%02d", i), Pool: "workers", Phase: candidate.Running, Created: w.now.AddDate(0, 0, -9),
			Conditions: []candidate.Condition{{Reason: candidate.Empty, Since: w.now.Add(-time.Hour)}},
		})
	}
	return w, []disruptkit.Pool{{Name: "workers", Budgets: set}}
}

// pass is one pass of the adapter; written says how many of its writes succeed: it may crash after any of them.
func (w *world) pass(pools []disruptkit.Pool, written int) plan {
	p := decide(view{
		Input: disruptkit.Input{Now: w.now, Pools: pools, Nodes: w.nodes}, Holds: maps.Clone(w.holds), State: w.stored, Lasts: lasts, Grace: grace,
	})
	if written--; written < 0 {
		return p
	}
	w.stored = p.State
	for _, name := range p.Hold {
		if written--; written >= 0 {
			w.holds[name] = held
			i := w.index(name)
			w.nodes[i].Conditions = []candidate.Condition{{Reason: candidate.Empty, Since: w.now}}
		}
	}
	for _, name := range p.Release {
		if written--; written >= 0 {
			w.holds[name] = open
		}
	}
	w.look()
	return p
}

// look is cluster-autoscaler, which sees what is open.
func (w *world) look() {
	for _, n := range w.nodes {
		if h := w.holds[n.Name]; h == open || h == foreign {
			w.open[n.Name] = w.now
		}
	}
}

// mayBeTaken are the nodes that it may take now, or takes already.
func (w *world) mayBeTaken() (names []string) {
	for _, n := range w.nodes {
		if at, was := w.open[n.Name]; n.InFlight() || was && w.now.Sub(at) < grace {
			names = append(names, n.Name)
		}
	}
	return names
}

func (w *world) index(name string) int {
	return slices.IndexFunc(w.nodes, func(n candidate.Node) bool { return n.Name == name })
}

const everything = 1 << 30

func TestNoMoreNodesMayBeTakenAtOnceThanTheBudgetAllows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		limit := rapid.IntRange(0, 3).Draw(t, "limit")
		w, pools := newWorld(t, rapid.IntRange(1, 8).Draw(t, "nodes"), budget.Budget{Nodes: strconv.Itoa(limit)})
		for _, n := range w.nodes { // all are held to begin with: before that, nobody can promise anything
			w.holds[n.Name] = rapid.SampledFrom([]hold{held, held, held, theirs}).Draw(t, "hold")
		}
		for range rapid.IntRange(1, 40).Draw(t, "steps") {
			switch rapid.IntRange(0, 5).Draw(t, "step") {
			case 0:
				w.now = w.now.Add(time.Duration(rapid.IntRange(0, 1000).Draw(t, "seconds")) * time.Second)
				w.look()
			case 1:
				if may := w.mayBeTaken(); len(may) > 0 {
					w.nodes[w.index(rapid.SampledFrom(may).Draw(t, "taken"))].Leaving = candidate.Draining
				}
			case 2:
				w.nodes = slices.DeleteFunc(w.nodes, func(n candidate.Node) bool { return n.InFlight() && rapid.Bool().Draw(t, "gone") })
			case 3: // a node is needed, or no longer
				if len(w.nodes) > 0 {
					n := &w.nodes[rapid.IntRange(0, len(w.nodes)-1).Draw(t, "node")]
					if n.Conditions != nil {
						n.Conditions = nil
					} else {
						n.Conditions = []candidate.Condition{{Reason: candidate.Empty, Since: w.now}}
					}
				}
			default:
				w.pass(pools, rapid.SampledFrom([]int{everything, everything, 0, 1, 2, 3}).Draw(t, "written"))
			}
			if may := w.mayBeTaken(); len(may) > limit {
				t.Fatalf("cluster-autoscaler may take %v at once, and the budget is %d", may, limit)
			}
		}
	})
}

func TestEveryNodeHasItsTurn(t *testing.T) {
	w, pools := newWorld(t, 5, budget.Budget{Nodes: "2"})
	for _, n := range w.nodes {
		w.holds[n.Name] = held
	}
	released := map[string]bool{}
	for range 20 {
		p := w.pass(pools, everything)
		for _, name := range p.Release {
			released[name] = true
		}
		if !p.Next.After(w.now) {
			t.Fatalf("at %s, the next pass is at %s", w.now, p.Next)
		}
		w.now = p.Next
	}
	if len(released) != 5 {
		t.Errorf("only %v had a turn", released)
	}
}

func TestAReleaseEndsWithTheWindow(t *testing.T) {
	w, pools := newWorld(t, 1, budget.Budget{Nodes: "0", Schedule: "10 12 * * *", Duration: "8h"}) // from 12:10
	w.holds["n00"] = held
	if p := w.pass(pools, everything); !slices.Equal(p.Release, []string{"n00"}) || !p.Next.Equal(w.now.Add(10*time.Minute)) {
		t.Fatalf("%+v", p)
	}
	w.now = w.now.Add(10 * time.Minute)
	if p := w.pass(pools, everything); !slices.Equal(p.Hold, []string{"n00"}) {
		t.Fatalf("%+v", p)
	}
}

func TestAReleaseIsTakenBackWhenTheNodeMayGoNoMore(t *testing.T) {
	w, pools := newWorld(t, 1, budget.Budget{Nodes: "1"})
	w.holds["n00"] = held
	w.pass(pools, everything)
	w.now = w.now.Add(time.Minute)
	if p := w.pass(pools, everything); len(p.Hold) > 0 {
		t.Fatal("it is taken back for no reason")
	}
	w.nodes[0].Pods = []candidate.Pod{{Name: "batch", Terms: candidate.Terms{Protect: candidate.Forever}}}
	if p := w.pass(pools, everything); !slices.Equal(p.Hold, []string{"n00"}) {
		t.Fatalf("%+v", p)
	}
}

// What somebody else wrote stays: a hold of theirs is not released, and where they forbid to hold, the node counts as in flight.
func TestAnnotationsOfOthersAreLeftAlone(t *testing.T) {
	w, pools := newWorld(t, 3, budget.Budget{Nodes: "2"})
	w.holds = map[string]hold{"n00": theirs, "n01": foreign, "n02": held}
	p := w.pass(pools, everything)
	if len(p.Hold) > 0 || !slices.Equal(p.Release, []string{"n02"}) {
		t.Fatalf("%+v", p)
	}
	w.holds["n02"], w.stored = held, cluster.State{}
	pools[0].Budgets, _ = budget.Compile([]budget.Budget{{Nodes: "1"}})
	if p := w.pass(pools, everything); len(p.Release) > 0 {
		t.Fatalf("one may be taken already, and %v as well", p.Release)
	}
}
