// Command rollout is the smallest autoscaler that is complete. It replaces the drifted nodes of a cluster, one zone at
// a time, on weeknights: it reads its memory from a file, decides, stores the memory, starts what is allowed, and
// sleeps until something happens, or until time alone changes the decision. Only the cluster and its clock are made up.
package main

import (
	"fmt"
	"log"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
)

const zone = "topology.kubernetes.io/zone"

func main() {
	budgets, err := budget.Compile([]budget.Budget{
		{Nodes: "0", Schedule: "0 22 * * mon-fri", Duration: "1h", Outside: true}, // nothing but on weeknights, from 22:00 to 23:00
		{Nodes: "2", TopologyKey: zone, Sequential: true, Reasons: []candidate.Reason{candidate.Drifted}},
		{Nodes: "20%"}, // of all nodes, when new ones are not Ready as well
	})
	if err != nil {
		log.Fatal(err)
	}
	dir, err := os.MkdirTemp("", "rollout") // a program that runs for real has a place that outlives it
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	monday := time.Date(2026, 11, 23, 18, 0, 0, 0, time.UTC)
	file := memory(filepath.Join(dir, "memory.json"))
	if err := run(newCluster(monday), disruptkit.Pool{Name: "default", Budgets: budgets}, file); err != nil {
		log.Println(err) // nothing has started that is not stored: start again, with the same file
	}
}

// run decides until no node has drifted any more, or nothing will change.
func run(c *cluster, pool disruptkit.Pool, file memory) error {
	for {
		last, err := file.read()
		if err != nil {
			return err
		}
		d := disruptkit.Decide(disruptkit.Input{
			Now: c.now, Pools: []disruptkit.Pool{pool}, Nodes: c.nodes, Memory: last,
		}, candidate.Drifted)
		if err := file.write(d.Memory); err != nil { // before anything starts: the next decision has to know whose turn it is
			return err
		}
		for _, node := range d.Allowed {
			c.replace(node.Node)
		}
		tell(d)
		if !c.sleep(d.Wait(c.now, 24*time.Hour)) {
			return nil
		}
	}
}

// tell prints what starts, and how many wait for what.
func tell(d disruptkit.Decision) {
	line := d.Now.Format("Mon 15:04")
	for _, c := range d.Allowed {
		line += " " + c.Node + " starts,"
	}
	waits := map[candidate.Code]int{}
	for _, c := range d.Blocked {
		waits[c.Blockers[0].Code]++ // the first gate that blocks it; there may be others
	}
	for _, code := range slices.Sorted(maps.Keys(waits)) {
		line += fmt.Sprintf(" %d %s,", waits[code], code)
	}
	if len(d.Allowed)+len(d.Blocked) == 0 {
		line += " done"
	}
	fmt.Println(strings.TrimSuffix(line, ","))
}
