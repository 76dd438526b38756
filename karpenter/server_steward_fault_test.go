//go:build unix

package karpenter_test

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"

	"github.com/disruptkit/disruptkit/cmd/annotation"
	"github.com/disruptkit/disruptkit/karpenter/internal/world"
)

// Karpenter restarts in mid-roll, and so does the API server.
func TestServerStewardEverythingRestarts(t *testing.T) {
	s := tellWithSteward(t, ofOneZone(2), twoOfAZone, func(o *world.Options) { o.NodesPerZone = 3 })
	s.drift()
	s.inZones(1)
	if err := s.Restart(); err != nil {
		t.Fatal(err)
	}
	s.inZones(2)
	if err := child(t, "kube-apiserver").Kill(); err != nil {
		t.Fatal(err)
	}
	s.lasts(5 * time.Second)
	if err := servers.ControlPlane.GetAPIServer().Start(); err != nil {
		t.Fatal(err)
	}
	s.rolls(2 * patience)
	s.oneByOne()
	if n, _ := s.counted(); n > 0 {
		t.Errorf("admission has denied %d writes of Karpenter", n)
	}
}

// The API server is away until a release has ended that nobody has used. Then the node is held again, and soon has another release.
func TestServerStewardOutlastsAnOutage(t *testing.T) {
	s := tellWithSteward(t, ofOneZone(1), one, oneOfAZone)
	s.Crash()
	s.makeDrift("a1")
	s.until(patience, "a1 is released", func() bool { return s.released() == "a1" })
	s.lasts(70 * time.Second)
	if err := child(t, "kube-apiserver").Kill(); err != nil {
		t.Fatal(err)
	}
	s.lasts(30 * time.Second)
	if err := servers.ControlPlane.GetAPIServer().Start(); err != nil {
		t.Fatal(err)
	}
	s.until(patience, "a1 is held again", func() bool { m, n := s.mark("a1"); return n != nil && m.Disrupt == annotation.Ours })
	s.until(time.Minute, "a1 is released again", func() bool { return s.released() == "a1" })
	if err := s.Restart(); err != nil {
		t.Fatal(err)
	}
	s.until(patience, "a1 is new", func() bool { return !strings.Contains(s.names(func(world.Node) bool { return true }), "a1") })
	if n, _ := s.counted(); n > 0 {
		t.Errorf("admission has denied %d writes of Karpenter", n)
	}
}

// Somebody else writes each node and each NodePool just before the steward does, three times of four.
func TestServerStewardConflicts(t *testing.T) {
	s := tellWithSteward(t, ofOneZone(2), twoOfAZone, nil)
	s.stop()
	var writes, conflicts, stores, unstored atomic.Int64
	s.lead(func(c *rest.Config) {
		c.Wrap(func(next http.RoundTripper) http.RoundTripper {
			return roundTripper(func(r *http.Request) (*http.Response, error) {
				name, isNode := strings.CutPrefix(r.URL.Path, "/api/v1/nodes/")
				if isNode && r.Method == http.MethodPatch {
					if n := writes.Add(1); n%4 != 0 {
						_ = s.AnnotateNode(name, "example.com/count", fmt.Sprint(n)) // the node may be gone
					}
				}
				_, isPool := strings.CutPrefix(r.URL.Path, "/apis/karpenter.sh/v1/nodepools/")
				if isPool && r.Method == http.MethodPatch {
					if n := stores.Add(1); n%4 != 0 {
						_ = s.UpdatePool(func(p *v1.NodePool) { p.Annotations["example.com/count"] = fmt.Sprint(n) })
					}
				}
				response, err := next.RoundTrip(r)
				switch conflict := err == nil && response.StatusCode == http.StatusConflict; {
				case conflict && isPool:
					unstored.Add(1)
				case conflict:
					conflicts.Add(1)
				}
				return response, err
			})
		})
	})
	s.drift()
	s.rolls(3 * patience)
	s.oneByOne()
	s.quiet()
	if n := conflicts.Load(); n < 5 {
		t.Errorf("%d writes conflicted: too few to show anything", n)
	}
	if n := unstored.Load(); n < 5 {
		t.Errorf("%d writes of NodePools conflicted: too few to show anything", n)
	}
}

// A steward dies at one of its writes, just before the API server has it or just after, and another one begins with what is stored. Each
// lives for a write more than the one before.
func TestServerStewardDiesAtItsWrites(t *testing.T) {
	s := tellWithSteward(t, ofOneZone(2), twoOfAZone, nil)
	s.stop()
	died, deaths := make(chan bool, 1), 0
	next := func() { s.lead(diesAt(int64(deaths/2+1), deaths%2 == 0, died)) }
	next()
	s.drift()
	s.until(2*patience, "all nodes are new", func() bool {
		select {
		case <-died:
			deaths++
			s.stop()
			next()
		default:
		}
		return s.Rolled()
	})
	t.Logf("%d stewards have died", deaths)
	if deaths < 6 {
		t.Errorf("%d stewards have died: too few to show anything", deaths)
	}
	s.oneByOne()
	s.quiet()
}

// diesAt ends the writes of a steward at one of them, which is made if it dies after it, and says so.
func diesAt(write int64, after bool, died chan<- bool) func(*rest.Config) {
	var writes atomic.Int64
	return func(c *rest.Config) {
		c.Wrap(func(next http.RoundTripper) http.RoundTripper {
			return roundTripper(func(r *http.Request) (*http.Response, error) {
				if r.Method != http.MethodPatch {
					return next.RoundTrip(r)
				}
				switch n := writes.Add(1); {
				case n < write:
					return next.RoundTrip(r)
				case n == write && after:
					if response, err := next.RoundTrip(r); err == nil {
						_ = response.Body.Close()
					}
				}
				select {
				case died <- true:
				default: // it is known
				}
				return nil, errors.New("the steward is dead")
			})
		})
	}
}

// Two nodes a minute, and no more.
func TestServerStewardKeepsAPace(t *testing.T) {
	s := tellWithSteward(t, ofOneZone(2), `budgets: [{nodes: "2", per: 1m}, {nodes: "2", topologyKey: topology.kubernetes.io/zone, sequential: true}]`, nil)
	s.drift()
	row := len(s.Timeline())
	s.rolls(2 * patience)
	var starts []time.Time
	for _, r := range s.Timeline()[row:] {
		for _, note := range r.Notes {
			if strings.HasSuffix(note, " disrupted") {
				starts = append(starts, r.At)
			}
		}
	}
	if len(starts) != 6 {
		t.Fatalf("%d nodes were disrupted, want 6", len(starts))
	}
	for i := range starts[2:] {
		if took := starts[i+2].Sub(starts[i]); took < 58*time.Second { // what this test sees, it sees a little later
			t.Errorf("three nodes began within %s: %v", took, starts)
		}
	}
	s.quiet()
}

// Nodes that are hardly used are consolidated, though Karpenter sleeps on that for minutes: releases last as long.
func TestServerStewardConsolidates(t *testing.T) {
	s := tellWithSteward(t, limits{6, 3}, `budgets: [{nodes: "100%"}]`, func(o *world.Options) {
		o.PodsPerNode = 2
		o.NodePool.Spec.Disruption.ConsolidateAfter = v1.MustParseNillableDuration("5s")
	})
	if err := s.Scale("b", 2); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	s.until(2*patience, "zone b has one node", func() bool {
		return len(slices.DeleteFunc(s.Nodes(), func(n world.Node) bool { return n.Zone != "b" })) == 1
	})
	t.Logf("a node of b was consolidated after %s", time.Since(began).Round(time.Second))
	s.quiet()
}

// A NodePool is deleted in mid-roll, and created again. Its nodes are nobody's meanwhile.
func TestServerStewardNodePoolIsDeletedInARoll(t *testing.T) {
	s := tellWithSteward(t, ofOneZone(2), twoOfAZone, nil)
	s.drift()
	s.inZones(1)
	var pool v1.NodePool
	if err := s.Client.Get(t.Context(), client.ObjectKey{Name: "default"}, &pool); err != nil {
		t.Fatal(err)
	}
	if err := s.Client.Delete(t.Context(), &pool); err != nil {
		t.Fatal(err)
	}
	s.until(patience, "nothing of the steward's is left on nodes", func() bool { return len(s.InFlight()) == 0 && s.markedNodes() == "" })
	s.stays(15 * time.Second)
	s.may(noLimits) // until the steward holds all nodes of the new one, Karpenter may be faster
	again := world.NewPool("default", pool.Spec.Disruption.Budgets...)
	again.Annotations = map[string]string{annotation.Disruption: twoOfAZone, annotation.Steward: "true"}
	if err := s.Client.Create(t.Context(), again); err != nil {
		t.Fatal(err)
	}
	s.enforced()
	s.until(patience, "what Karpenter took before is gone", func() bool { return len(s.InFlight()) == 0 })
	t.Logf("while the NodePool was away, Karpenter's disruption controller has failed %v times", reconcileErrors(t)-s.errors)
	s.errors = reconcileErrors(t) // it fails by itself where a NodePool is gone whose nodes it replaces
	s.may(ofOneZone(2))
	s.rolls(2 * patience)
	s.once()
	s.quiet()
}

// More pods bring new nodes while no steward is there: they are born held, and later rolled with all others.
func TestServerStewardScaleUpWithoutASteward(t *testing.T) {
	s := tellWithSteward(t, ofOneZone(2), twoOfAZone, nil)
	pause(s, "true")
	s.drift()
	s.stop()
	if err := s.Scale("b", 4); err != nil {
		t.Fatal(err)
	}
	s.until(patience, "there are two more nodes", func() bool { return len(s.Nodes()) == 8 && strings.Count(s.names(isReady), " ") == 7 })
	s.drift() // the new ones as well
	s.stays(30 * time.Second)
	s.lead()
	pause(s, "")
	s.rolls(2 * patience)
	s.oneByOne()
	if bare := s.watcher.bornBare; len(bare) > 0 {
		t.Errorf("%v were not held when they joined", bare)
	}
	s.quiet()
}

func isReady(n world.Node) bool { return n.Ready }

// Karpenter has put nodes that are released into one command, and waits before it executes that, when the steward takes back some of them.
func TestServerStewardTakesBackInACommand(t *testing.T) {
	s := tellWithSteward(t, ofOneZone(4), `budgets: [{nodes: "100%"}]`, func(o *world.Options) {
		o.Zones, o.NodesPerZone, o.PodsPerNode = 1, 4, 4
		o.NodePool.Spec.Disruption.ConsolidateAfter = v1.MustParseNillableDuration("5s")
	})
	if err := s.Scale("a", 4); err != nil {
		t.Fatal(err)
	}
	s.until(2*patience, "Karpenter waits with a command", s.Waiting)
	s.annotatePool(annotation.Disruption, `budgets: [{nodes: "1"}]`)
	s.until(patience, "one node is released", func() bool { return len(strings.Fields(s.released())) <= 1 })
	s.may(ofOneZone(1))
	row := len(s.Timeline())
	s.until(patience, "Karpenter has given the command up", func() bool { return !s.Waiting() })
	s.until(2*patience, "a node is consolidated", func() bool { return len(s.started(row)) > 0 })
	s.quiet()
}
