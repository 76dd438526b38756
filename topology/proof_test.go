package topology_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/topology"
)

// The proof (proof/zones.smt2) is about any number of zones, and about a model. Here the code is compared with the model: a node is allowed
// only where the model's step decide allows it, whatever the roll value and the numbers are.
func TestSelectionsAreStepsOfTheProof(t *testing.T) {
	set, err := budget.Compile([]budget.Budget{{Nodes: "1", TopologyKey: "zone", Sequential: true}})
	if err != nil {
		t.Fatal(err)
	}
	scope := set.Scopes("")[0]
	now := time.Date(2026, 11, 24, 6, 0, 0, 0, time.UTC)
	names := []string{"", "a", "b", "c", "d"}
	allowed := 0
	rapid.Check(t, func(t *rapid.T) {
		count := func(what string) int { return rapid.IntRange(0, 2).Draw(t, what) }
		var domains []topology.Domain
		for _, name := range names[:rapid.IntRange(1, len(names)).Draw(t, "domains")] {
			d := topology.Domain{Name: name, Nodes: 9, Allowed: count("allowed"), InFlight: count("in flight"), Unready: count("unready"),
				Free: count("free"), OldestFree: "node", Rolling: max(0, count("rolling")-1)}
			d.Remaining = max(0, d.Allowed-d.InFlight)
			d.ToGo = d.Free + count("blocked")
			d.Paused = rapid.IntRange(0, d.ToGo-d.Free).Draw(t, "paused")
			domains = append(domains, d)
		}
		previous := topology.Roll{
			Key: rapid.SampledFrom([]string{"", "zone", "rack"}).Draw(t, "key"), Domain: rapid.SampledFrom(names).Draw(t, "domain"),
			IdleSince: now.Add(time.Duration(rapid.IntRange(-3, 1).Draw(t, "idle")) * 10 * time.Minute),
		}
		s := topology.SelectActiveZone(scope, domains, previous, topology.Options{}, now)
		for _, d := range domains {
			n := 0 // how many may go here
			for n < d.Free && s.Allows(d.Name, n) {
				n++
			}
			if n == 0 {
				continue
			}
			allowed++
			if n > d.Remaining {
				t.Fatalf("guard room: %d allowed in %q of %d that remain", n, d.Name, d.Remaining)
			}
			for _, other := range domains {
				if other.Name != d.Name && other.Rolling > 0 {
					t.Fatalf("guard gate: %d allowed in %q, and %q is rolling", n, d.Name, other.Name)
				}
				if other.Name != d.Name && other.Free > 0 && s.Allows(other.Name, 0) {
					t.Fatalf("nodes of %q and of %q are allowed", d.Name, other.Name)
				}
			}
		}
	})
	if allowed == 0 && !testing.Short() { // -short draws few cases
		t.Error("nothing was ever allowed: the test says nothing")
	}
}
