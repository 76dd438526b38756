package disruptkit

import (
	"fmt"
	"maps"
	"slices"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/dialect"
	"github.com/disruptkit/disruptkit/internal/wording"
)

// NodeWarnings warns of nodes without a name, and of those whose pool is not in the input, but probably is, misspelt.
// They are not counted there.
func (f *fleet) NodeWarnings() (all []candidate.Warning) {
	if f.Nameless > 0 {
		all = append(all, candidate.Warning{
			Code: candidate.CodeNoName, Object: "Node/", Field: "name",
			Message: fmt.Sprintf("%s without a name, which are never disrupted: set Node.Name",
				wording.Count(f.Nameless, "node")),
		})
	}
	if !dialect.Names.In(f.Dialect) {
		return all
	}
	strays := map[string]int{}
	for i, at := range f.Owners {
		if at < 0 && f.Nodes[i].Pool != "" {
			strays[f.Nodes[i].Pool]++
		}
	}
	for _, name := range slices.Sorted(maps.Keys(strays)) {
		if meant := f.near(name); meant != "" {
			all = append(all, candidate.Warning{
				Code: candidate.CodeUnknownPool, Object: "NodePool/" + meant, Field: "Node.Pool", Value: name,
				Message: fmt.Sprintf("%s of pool %.100q, which is not in the input and is one letter from %s: they "+
					"are not counted in %[3]s, and not disrupted: write the same name in both, or pass that pool, too",
					wording.Count(strays[name], "node"), name, wording.Quote(meant)),
			})
		}
	}
	return all
}

// near returns the first pool whose name differs by one letter, or "".
func (f *fleet) near(name string) string {
	i := slices.IndexFunc(f.Pools, func(p *scope) bool { return wording.Near(p.Name, name) })
	if i < 0 {
		return ""
	}
	return f.Pools[i].Name
}
