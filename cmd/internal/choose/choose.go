// Package choose finds the NodePools and nodes that flags and arguments name.
package choose

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/wording"
)

const mostNamed = 5

// PoolFlag adds --pool, which sets a name without the kind that may stand before it: nodepool/web.
func PoolFlag(flags *pflag.FlagSet, name *string, usage string) {
	flags.Var((*poolName)(name), "pool", usage)
}

// A poolName is the value of the flag.
type poolName string

const kind = "nodepool/"

func (n *poolName) String() string { return string(*n) }

// Type names the type as that of a flag without a kind.
func (*poolName) Type() string { return "string" }

// Set takes the kind away.
func (n *poolName) Set(text string) error {
	*n = poolName(strings.TrimPrefix(text, kind))
	return nil
}

// Claims returns the node of a NodeClaim of a name, if there is one. Nil knows none.
type Claims func(name string) (node string, known bool)

// Names returns the names of pools.
func Names(pools []disruptkit.Pool) (names []string) {
	for _, p := range pools {
		names = append(names, p.Name)
	}
	return names
}

// Pool returns an error if no pool has the name that --pool gives, if it gives any.
func Pool(name string, names []string) error {
	if name == "" {
		return nil
	}
	if _, err := Pools([]string{name}, names); err != nil {
		return fmt.Errorf("--pool: %w", err)
	}
	return nil
}

// Pools returns the names that arguments give. Each may have the kind in front: nodepool/web. Without arguments it is
// all of them. It returns an error if no pool has one of the names.
func Pools(args, names []string) (chosen []string, err error) {
	if len(args) == 0 {
		return names, nil
	}
	for _, arg := range args {
		name := strings.TrimPrefix(arg, kind)
		switch {
		case slices.Contains(names, name):
			chosen = append(chosen, name)
		case len(names) == 0:
			return nil, fmt.Errorf("there is no NodePool %q, or any other", name)
		default:
			return nil, fmt.Errorf("there is no NodePool %q: there are %s", name, wording.List(slices.Sorted(slices.Values(names)), mostNamed, wording.Quote))
		}
	}
	return chosen, nil
}

// Node returns the node of a name, or of a NodeClaim, or the only one of whose name it is a part: ip-10-0-36-243 is enough.
func Node(nodes []candidate.Node, name string, claims Claims) (candidate.Node, error) {
	name = strings.TrimPrefix(name, "node/")
	if claims != nil && !slices.ContainsFunc(nodes, func(n candidate.Node) bool { return n.Name == name }) {
		if node, known := claims(name); known {
			name = node
		}
	}
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
	return candidate.Node{}, fmt.Errorf("no node is called %q, and it is a part of several names: %s", name,
		wording.List(alike, mostNamed, func(n candidate.Node) string { return wording.Quote(n.Name) }))
}
