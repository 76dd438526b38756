package decide

import (
	"fmt"
	"slices"
	"strings"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/quote"
)

// narrow leaves what is about one pool, or one node. Everything was decided on the whole cluster.
func (a *answer) narrow(o options) error {
	if o.pool == "" && o.node == "" {
		return nil
	}
	pool := o.pool
	if o.node != "" {
		n, err := nodeNamed(a.in.Nodes, o.node)
		if err != nil {
			return fmt.Errorf("-node: %w", err)
		}
		if pool != "" && pool != n.Pool {
			return fmt.Errorf("-node %s belongs to NodePool %s, and -pool is %s", n.Name, n.Pool, pool)
		}
		o.node, pool = n.Name, n.Pool
	} else if !slices.ContainsFunc(a.in.Pools, func(p disruptkit.Pool) bool { return p.Name == pool }) {
		return fmt.Errorf("-pool: there is no NodePool %q: there are %s", pool, strings.Join(poolNames(a.in.Pools), ", "))
	}
	for i := range a.decisions {
		d := &a.decisions[i]
		d.Pools = slices.DeleteFunc(d.Pools, func(p disruptkit.PoolDecision) bool { return p.Pool != pool })
		others := func(c candidate.Candidate) bool { return c.Pool != pool || o.node != "" && c.Node != o.node }
		d.Allowed, d.Blocked = slices.DeleteFunc(d.Allowed, others), slices.DeleteFunc(d.Blocked, others)
		for name := range d.Memory {
			if name != pool {
				delete(d.Memory, name)
			}
		}
	}
	a.in.Nodes = slices.DeleteFunc(slices.Clone(a.in.Nodes), func(n candidate.Node) bool {
		return n.Pool != pool || o.node != "" && n.Name != o.node
	})
	a.in.Pools = slices.DeleteFunc(slices.Clone(a.in.Pools), func(p disruptkit.Pool) bool { return p.Name != pool })
	a.differs = slices.DeleteFunc(a.differs, func(d difference) bool { return d.pool != pool })
	return nil
}

func poolNames(pools []disruptkit.Pool) (names []string) {
	for _, p := range pools {
		names = append(names, quote.Text(p.Name))
	}
	slices.Sort(names)
	return names
}

// nodeNamed returns the node of a name, or the only one of which it is a part: ip-10-0-36-243 is enough.
func nodeNamed(nodes []candidate.Node, name string) (candidate.Node, error) {
	name = strings.TrimPrefix(name, "node/")
	var alike []candidate.Node
	for _, n := range nodes {
		if n.Name == name {
			return n, nil
		}
		if strings.Contains(n.Name, name) {
			alike = append(alike, n)
		}
	}
	switch len(alike) {
	case 1:
		return alike[0], nil
	case 0:
		return candidate.Node{}, fmt.Errorf("there is no node %q among the %d of the input", name, len(nodes))
	}
	var names []string
	for _, n := range alike[:min(len(alike), 5)] {
		names = append(names, quote.Text(n.Name))
	}
	if more := len(alike) - len(names); more > 0 {
		names = append(names, fmt.Sprintf("and %d more", more))
	}
	return candidate.Node{}, fmt.Errorf("%q is a part of several names: %s", name, strings.Join(names, ", "))
}
