package fuzz_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
)

// FuzzDecide builds a cluster from bytes, two for each node, with two pools: one of a single budget as the fuzzer
// writes it, one of the default. However odd it is, the decision is a partition, exceeds no allowance and no PDB, and does not
// depend on the order.
func FuzzDecide(f *testing.F) {
	f.Add([]byte{0, 0, 0x83, 0x11, 0xff, 0xff, 0x07, 0x42}, "10%", "0 9 * * mon-fri", "8h", "Europe/Berlin", int64(1_795_176_000), "Drifted")
	f.Add([]byte{0x03, 1, 0x03, 2, 0x03, 3, 0x03, 4, 0x03, 5}, "2", "", "", "", int64(0), "")
	f.Add([]byte{0x13, 1, 0x13, 1}, "101%", "@daily", "0m", "Local", int64(-1<<62), "Empty")
	f.Fuzz(func(t *testing.T, cluster []byte, nodes, cron, duration, zone string, seconds int64, asked string) {
		if len(cluster) > 200 {
			return
		}
		set, _ := budget.Compile([]budget.Budget{{Nodes: nodes, Schedule: cron, Duration: duration, TimeZone: zone}})
		in := disruptkit.Input{
			Now:   time.Unix(seconds, 0),
			Pools: []disruptkit.Pool{{Name: "a", Budgets: set}, {Name: "b"}},
		}
		for i := 0; i+1 < len(cluster); i += 2 {
			in.Nodes = append(in.Nodes, node(i/2, cluster[i], cluster[i+1], in.Now))
		}
		var pdbs []candidate.PDB
		for app, allowed := range apps {
			pdbs = append(pdbs, candidate.PDB{
				Namespace: "shop", Name: app, DisruptionsAllowed: allowed,
				Selector: &candidate.Selector{MatchLabels: map[string]string{"app": app}},
			})
		}
		in.Rules, _ = candidate.CompileRules(pdbs, nil)
		reason := candidate.Reason(asked)
		d := disruptkit.Decide(in, reason)
		candidates := 0
		for _, n := range in.Nodes {
			reasons := map[candidate.Reason]bool{} // each once
			for _, c := range n.Conditions {
				if reasons[c.Reason] {
					continue
				}
				reasons[c.Reason] = true
				if _, err := candidate.ParseReason(string(c.Reason)); reason.Covers(c.Reason) || err != nil { // nobody knows what was meant
					candidates++
				}
			}
		}
		if len(d.Allowed)+len(d.Blocked) != candidates {
			t.Fatalf("%d allowed and %d blocked of %d", len(d.Allowed), len(d.Blocked), candidates)
		}
		for _, p := range d.Pools {
			started := 0
			for _, c := range d.Allowed {
				if c.Pool == p.Pool && c.Reason == p.Reason {
					started++
				}
			}
			if started > p.Remaining {
				t.Fatalf("%d allowed, %d remained", started, p.Remaining)
			}
		}
		going := map[string]int{} // by app
		for _, n := range in.Nodes {
			if slices.ContainsFunc(d.Allowed, func(c candidate.Candidate) bool { return c.Node == n.Name }) {
				going[n.Pods[0].Labels["app"]]++
			}
		}
		for app, allowed := range apps {
			if going[app] > allowed {
				t.Fatalf("%d nodes are disrupted, and PDB %s allows %d", going[app], app, allowed)
			}
		}
		for i, j := 0, len(in.Nodes)-1; i < j; i, j = i+1, j-1 {
			in.Nodes[i], in.Nodes[j] = in.Nodes[j], in.Nodes[i]
		}
		in.Pools[0], in.Pools[1] = in.Pools[1], in.Pools[0]
		if diff := cmp.Diff(d, disruptkit.Decide(in, reason)); diff != "" {
			t.Fatal(diff)
		}
	})
}

// apps are those of the pods, and how many disruptions their PDBs allow.
var apps = map[string]int{"a": 1, "b": 0, "c": 3}

func node(i int, flags, more byte, now time.Time) candidate.Node {
	n := candidate.Node{
		Name: fmt.Sprint("node-", i), Pool: "a",
		Phase:   []candidate.Phase{candidate.Launched, candidate.NotReady, candidate.Registered, candidate.Running}[flags&3],
		Leaving: []candidate.Leaving{candidate.Staying, candidate.Draining, candidate.Terminating, candidate.Terminating}[flags>>2&3],
	}
	if flags&16 != 0 {
		n.Name = "node-0"
	}
	if flags&32 != 0 {
		n.Pool = "b"
	}
	if flags&64 != 0 {
		n.NominatedUntil = now.Add(time.Minute)
	}
	n.DoNotDisrupt = flags&128 != 0
	pod := candidate.Pod{Namespace: "shop", Name: fmt.Sprint("pod-", i), Labels: map[string]string{"app": string("abcc"[i%4])}}
	if more&0xc0 == 0xc0 {
		pod.Started, pod.Terms.Protect = now.Add(-30*time.Minute), time.Hour
	}
	n.Pods = []candidate.Pod{pod}
	reasons := []candidate.Reason{candidate.Drifted, candidate.Empty, "Drifted/AMIDrift", "none"}
	since := now.Add(-time.Duration(more>>4) * time.Hour)
	n.Conditions = []candidate.Condition{{Reason: reasons[more&3], Since: since}}
	if more&4 != 0 {
		n.Conditions = append(n.Conditions, candidate.Condition{Reason: reasons[more>>3&3], Since: since})
	}
	return n
}
