// Command memory rolls three zones in turn, and keeps whose turn it is in an annotation, as a controller that may restart at any time.
package main

import (
	"encoding/json"
	"fmt"
	"log"
	"slices"
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
)

const (
	zone       = "topology.kubernetes.io/zone"
	annotation = "disruptkit.dev/memory"
)

func main() {
	budgets, err := budget.Compile([]budget.Budget{
		{Nodes: "1", TopologyKey: zone, Sequential: true, Reasons: []candidate.Reason{candidate.Drifted}},
	})
	if err != nil {
		log.Fatal(err)
	}
	pool := disruptkit.Pool{Name: "default", Budgets: budgets}
	now := time.Date(2026, 11, 23, 9, 0, 0, 0, time.UTC)
	nodes := drifted(now, "a1", "b1", "c1", "a2", "b2") // in this order: without turns, zone a would be left half done

	annotations := map[string]string{} // of the NodePool; all that is left after a restart
	for len(nodes) > 0 {
		memory, err := read(annotations)
		if err != nil {
			log.Println(err) // an unreadable memory is as good as none: no budget is exceeded, but a zone may be left early
		}
		d := disruptkit.Decide(disruptkit.Input{
			Now: now, Pools: []disruptkit.Pool{pool}, Nodes: nodes, Memory: map[string]disruptkit.Memory{pool.Name: memory},
		}, candidate.Drifted)
		if err := write(annotations, d.Memory[pool.Name]); err != nil { // before anything starts
			log.Fatal(err)
		}
		fmt.Println(annotations[annotation])
		for _, c := range d.Allowed {
			fmt.Println("  drain", c.Node)
			nodes = slices.DeleteFunc(nodes, func(n candidate.Node) bool { return n.Name == c.Node })
		}
		now = now.Add(time.Hour)
	}
}

// read returns the memory in the annotations of a NodePool.
func read(annotations map[string]string) (m disruptkit.Memory, err error) {
	if text, ok := annotations[annotation]; ok {
		err = json.Unmarshal([]byte(text), &m)
	}
	return m, err
}

// write stores a memory, unless it is the one that is stored.
func write(annotations map[string]string, m disruptkit.Memory) error {
	if stored, err := read(annotations); err == nil && m.Equal(stored) {
		return nil // spare the API server
	}
	text, err := json.Marshal(m)
	annotations[annotation] = string(text)
	return err
}

// drifted returns nodes whose names begin with their zones.
func drifted(now time.Time, names ...string) (nodes []candidate.Node) {
	for i, name := range names {
		nodes = append(nodes, candidate.Node{
			Name: name, Pool: "default", Phase: candidate.Running, Labels: map[string]string{zone: name[:1]},
			Conditions: []candidate.Condition{{Reason: candidate.Drifted, Since: now.Add(time.Duration(i-9) * time.Hour)}},
		})
	}
	return nodes
}
