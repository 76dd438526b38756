package forecast

import (
	"bytes"
	"cmp"
	"slices"
	"time"

	"github.com/disruptkit/disruptkit/cmd/engine"
	"github.com/disruptkit/disruptkit/cmd/internal/command"
	"github.com/disruptkit/disruptkit/cmd/internal/expiring"
	"github.com/disruptkit/disruptkit/cmd/manifest"
	"github.com/disruptkit/disruptkit/internal/wording"
	"github.com/disruptkit/disruptkit/schedule"
)

// counted is what the input says of nodes, beside NodePools: dumps of clusters have them.
type counted struct {
	nodes   map[string]int // by pool
	units   map[string]int // of how many nodes the largest unit is, by pool
	expires []expiring.Node
	now     time.Time // of expires
}

// count counts the nodes in a text, and finds those that expire by a time.
func (c *counted) count(policy manifest.Policy, text []byte, now, until time.Time) {
	policy.WithoutPods = true // neither how many nodes there are, nor when they expire, depends on them
	cluster, err := policy.Read(bytes.NewReader(text))
	if err != nil {
		return // whoever reads the NodePools says so
	}
	in := cluster.Input(now)
	if c.nodes == nil {
		c.nodes, c.units = map[string]int{}, map[string]int{}
	}
	if policy.As != engine.Karpenter { // which knows no units
		sizes := map[[2]string]int{}
		for _, n := range in.Nodes {
			if unit := [2]string{n.Pool, n.Unit}; n.Unit != "" && n.Counted() {
				sizes[unit]++
				c.units[n.Pool] = max(c.units[n.Pool], sizes[unit])
			}
		}
	}
	for pool, n := range expiring.Counts(in) {
		if n > 0 {
			c.nodes[pool] += n
		}
	}
	if c.now = now; policy.As != engine.Disruptkit { // which asks budgets
		c.expires = append(c.expires, expiring.Planned(cluster, in, until)...)
		slices.SortStableFunc(c.expires, expiring.Node.Compare) // of several files
	}
}

// addCluster reads the NodePools of the cluster, and its nodes, if they may be read.
func (in *input) addCluster(env command.Environment) error {
	from, err := env.Cluster("nodepools,nodeclaims,nodes," + manifest.Optional)
	if err != nil {
		if from, err = env.Cluster("nodepools," + manifest.Optional); err != nil {
			return err
		}
		in.notes = append(in.notes, "the nodes could not be read, so how many there are is assumed")
	}
	defer from.Close()
	return in.add("nodepools", from)
}

// nodesOf returns how many nodes a pool has: as a flag says, or as the input has, or as the NodePool says, or else an
// assumed number: as many as it may have, if that is less.
func (o options) nodesOf(c counted, pool manifest.NodePool) (nodes int, assumed bool) {
	if n := cmp.Or(c.nodes[pool.Name], pool.Known.Nodes); n > 0 && o.Assumed {
		return n, false
	}
	if most := pool.Known.NodeLimit; most > 0 && o.Assumed {
		return min(o.Nodes, most), most > o.Nodes
	}
	return o.Nodes, o.Assumed
}

// size describes how many nodes a pool has.
func (r report) size(p *pool) string {
	text := "It has " + wording.Count(p.nodes, "node")
	switch {
	case p.assumed:
		text += ", as is assumed (--nodes says how many)"
	case r.Assumed && p.Known.Nodes == 0 && p.nodes == p.Known.NodeLimit:
		text += " at most (limits.nodes)"
	}
	return text + "."
}

// expiry reports which nodes of the pool expire; "": none does.
func (p *pool) expiry(zone *time.Location) string {
	return expiring.Text(p.expires, func(at time.Time) string { return onClock(at.In(zone), "Mon 02 Jan 15:04") })
}

// expiring counts the nodes of the pool that expire in a span. Those that have expired do so now.
func (p *pool) expiring(in schedule.Span, now time.Time) (n int) {
	for _, e := range p.expires {
		if at := schedule.Last(e.At, now); !at.Before(in.Start) && at.Before(in.End) {
			n++
		}
	}
	return n
}

// expiresOf returns the nodes of a pool that expire from a time on. Those that have expired and are still there do so
// now.
func (c *counted) expiresOf(pool string, from time.Time) (all []expiring.Node) {
	for _, n := range c.expires {
		if n.Pool == pool && !schedule.Last(n.At, c.now).Before(from) {
			all = append(all, n)
		}
	}
	return all
}
