package main

import (
	"fmt"
	"math/rand/v2"
	"time"
)

const (
	poolName    = "default"
	zoneKey     = "topology.kubernetes.io/zone"
	gracePeriod = 2 * time.Hour // the pool's terminationGracePeriod: no drain takes longer
)

// zoneSizes are the zones of the fleet, uneven as they are where capacity is bought where it is to be had.
var zoneSizes = []struct {
	zone  string
	nodes int
}{{"us-west-2a", 44}, {"us-west-2b", 40}, {"us-west-2c", 36}}

// workloads are what has a PodDisruptionBudget. Each node runs pods of one of them.
var workloads = []string{
	"web/api", "web/frontend", "shop/cart", "shop/checkout", "shop/search", "data/kafka", "data/redis", "data/postgres",
	"ml/ranking", "ml/features", "ops/metrics", "ops/logs", "mail/relay", "mail/queue", "auth/tokens",
}

// A machine is a node of the fleet before the roll, and what chance has in store for its replacement. It is the same with
// and without the zones' turns.
type machine struct {
	zone     string
	labels   map[string]string // of the node and of its replacement; shared
	old, new string            // the names of the node and of its replacement
	workload string
	drifted  time.Time

	boot     time.Duration // from the replacement's launch until it is Ready
	drain    time.Duration // how long the pods of the old node take to leave
	recovery time.Duration // from then until the workload's PDB allows a disruption again

	stuck        bool // a pod never leaves
	doNotDisrupt bool
}

// newFleet returns machines whose drift was found during the day before the first window, in all zones at once: by age,
// their zones alternate. The same seed gives the same fleet.
func newFleet(seed uint64, drifted time.Time) []machine {
	random := rand.New(rand.NewPCG(seed, 0))
	minutes := func(from, to int) time.Duration { return time.Duration(from+random.IntN(to-from+1)) * time.Minute }
	var fleet []machine
	for i, z := range zoneSizes {
		addresses := random.Perm(32 * 250) // of the zone's own /19
		name := func(n int) string { return fmt.Sprintf("ip-10-0-%d-%d", 32*i+addresses[n]/250, 4+addresses[n]%250) }
		labels := map[string]string{zoneKey: z.zone}
		for n := range z.nodes {
			fleet = append(fleet, machine{
				zone: z.zone, labels: labels, old: name(n), new: name(z.nodes + n),
				workload: workloads[random.IntN(len(workloads))],
				drifted:  drifted.Add(time.Duration(10*n+3*i)*time.Minute + time.Duration(random.IntN(120))*time.Second),
				boot:     minutes(5, 11), drain: minutes(12, 45), recovery: minutes(3, 12),
			})
		}
	}
	fleet[zoneSizes[0].nodes-7].stuck = true // late in its zone's turn, where the next zone has to wait for it
	fleet[len(fleet)-zoneSizes[2].nodes/2].doNotDisrupt = true
	return fleet
}
