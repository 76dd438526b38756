package manifest

import (
	"fmt"
	"maps"
	"slices"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/annotation"
	"github.com/disruptkit/disruptkit/cmd/engine"
	"github.com/disruptkit/disruptkit/internal/wording"
)

// noteRequest gives a node the reason that somebody asks for its replacement, or notes why that has no effect.
func (c *Cluster) noteRequest(n *candidate.Node, s state) {
	var node, claim map[string]string
	if s.node != nil {
		node = s.node.annotations
	}
	if s.claim != nil {
		claim = s.claim.annotations
	}
	request, asks := annotation.ReadRequest(node, claim)
	if !asks {
		return
	}
	if why := c.unread(n.Pool, s); why != "" {
		c.ignored[why] = append(c.ignored[why], n.Name)
		return
	}
	c.requests[n.Name] = request
	if s.claim != nil {
		n.Conditions = append(n.Conditions, request.Condition())
	}
}

// unread reports why the engine does not act on a request for a node's replacement; "": it does, or who manages the node is unknown.
func (c *Cluster) unread(pool string, s state) string {
	p, a := c.pools[pool], engine.Asked{OptedIn: true, Comparable: true}
	switch {
	case pool == "" && !s.unclaimable && c.policy.As != engine.Karpenter:
		return "no NodePool has the node, so nothing replaces it"
	case p != nil && s.claim != nil:
		// A warning says where a NodePool is not opted in, and that decisions are what they will be once it is.
		a = engine.Asked{Static: p.Static, OptedIn: true, Comparable: annotation.Comparable(p.annotations, s.claim.annotations)}
	}
	if why := c.policy.As.Unheard(a); why != "" {
		return why + ": kubectl delete nodeclaim replaces a node at once, and asks no budget"
	}
	return ""
}

// Request returns the request for the replacement of a node, and whether there is one that the engine reads.
func (c *Cluster) Request(n candidate.Node) (r annotation.Request, asks bool) {
	r, asks = c.requests[n.Name]
	return r, asks
}

// ignoredRequests describes the requests that have no effect.
func (c *Cluster) ignoredRequests() (notes []string) {
	for _, why := range slices.Sorted(maps.Keys(c.ignored)) {
		notes = append(notes, fmt.Sprintf("%s has no effect on %s: %s", annotation.Replace,
			wording.List(slices.Sorted(slices.Values(c.ignored[why])), manyStrays, wording.Quote), why))
	}
	return notes
}
