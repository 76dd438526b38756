package fuzz_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/topology"
)

// FuzzZones builds a cluster in three zones from bytes, two for each node, with a sequential budget and a roll value as
// the fuzzer writes them. However odd these are, drift is never allowed in two zones, nor in one while nodes of another
// are in flight for drift, nor beyond a zone's limit; and the decision does not depend on the order.
func FuzzZones(f *testing.F) {
	f.Add([]byte{3, 0x00, 3, 0x40, 3, 0x80, 7, 0x80}, "1", "zone", "zone", "b", int64(-60), byte(0), "Drifted")
	f.Add([]byte{3, 0x00, 3, 0x40, 1, 0x44, 3, 0xc0}, "50%", "zone", "zone", "gone", int64(1<<62), byte(7), "")
	f.Add([]byte{7, 0x00, 7, 0x40, 3, 0x44, 3, 0x00}, "100%", "no zone", "rack", "", int64(-1<<62), byte(0xff), "Drifted/AMIDrift")
	f.Fuzz(func(t *testing.T, cluster []byte, nodes, key, rollKey, rollDomain string, idle int64, choices byte, asked string) {
		if len(cluster) > 100 {
			return
		}
		now := time.Unix(1_795_176_000, 0)
		set, _ := budget.Compile([]budget.Budget{{Nodes: nodes, TopologyKey: key, Sequential: true}})
		roll := topology.Roll{Key: rollKey, Domain: rollDomain}
		if idle != 0 {
			roll.IdleSince = now.Add(time.Duration(idle))
		}
		in := disruptkit.Input{
			Now: now,
			Pools: []disruptkit.Pool{{Name: "a", Budgets: set, Topology: topology.Options{
				Unlabelled: topology.Unlabelled(choices & 3),
				Patience:   time.Duration(choices>>2&3-1) * time.Minute,
				Soak:       time.Duration(choices>>4&3-1) * time.Minute,
				Unsettled:  choices&64 != 0,
			}}, {Name: "b"}},
			Memory: map[string]disruptkit.Memory{"a": {Roll: roll}, "": {Roll: roll}},
		}
		zones := map[string]string{}
		rolling := map[string]bool{}
		for i := 0; i+1 < len(cluster); i += 2 {
			n := node(i/2, cluster[i], cluster[i+1], now)
			n.Labels = map[string]string{key: []string{"a", "b", "c", ""}[cluster[i+1]>>6]}
			n.DisruptedFor = candidate.Drifted
			zones[n.Name] = n.Labels[key]
			if n.Pool == "a" && (n.Leaving != candidate.Staying) {
				rolling[n.Labels[key]] = true
			}
			in.Nodes = append(in.Nodes, n)
		}
		reason := candidate.Reason(asked)
		d := disruptkit.Decide(in, reason)
		started := map[string]int{}
		for _, c := range d.Allowed {
			zone := zones[c.Node]
			if c.Pool != "a" || candidate.Drifted != c.Reason.Method() || zone == "" && choices&3 == byte(topology.Exempt) {
				continue
			}
			started[zone]++
			for other := range rolling {
				exempt := other == "" && choices&3 == byte(topology.Exempt)
				if other != zone && !exempt {
					t.Fatalf("%s may be disrupted in %q while %q rolls", c.Node, zone, other)
				}
			}
		}
		if len(started) > 1 {
			t.Fatalf("in two zones at once: %v", started)
		}
		for _, p := range d.Pools {
			for _, s := range p.Topology {
				for _, domain := range s.Domains {
					if started[domain.Name] > domain.Remaining && p.Pool == "a" {
						t.Fatalf("%d allowed in %s, %d remained", started[domain.Name], domain, domain.Remaining)
					}
				}
			}
		}
		for i, j := 0, len(in.Nodes)-1; i < j; i, j = i+1, j-1 {
			in.Nodes[i], in.Nodes[j] = in.Nodes[j], in.Nodes[i]
		}
		if diff := cmp.Diff(d, disruptkit.Decide(in, reason)); diff != "" {
			t.Fatal(diff)
		}
	})
}
