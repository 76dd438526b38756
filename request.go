package disruptkit

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
)

// A request is a node and one reason to disrupt it.
type request struct {
	node      *candidate.Node
	condition candidate.Condition
	pool      *pool               // nil if it is not in the input
	asked     bool                // the decision is about it; else it only counts where domains take turns
	duplicate bool                // another node has its name
	blockers  []candidate.Blocker // what holds back the node itself, and its pods
	pods      candidate.PodVerdict
	displaced bool // only those before it hold it back
}

// newRequests returns what a reason asks for, and what else the turns of domains depend on, in the order of the nodes.
func newRequests(in Input, reason candidate.Reason, owners []*pool, names duplicateNames, pods *pods) []request {
	most := 0
	for i := range in.Nodes {
		most += len(in.Nodes[i].Conditions)
	}
	requests := make([]request, 0, most)
	for i := range in.Nodes {
		n := &in.Nodes[i]
		p, duplicate, from := owners[i], names[n.Name], len(requests)
		said := sayings{gate: pods, node: n}
		for _, c := range n.Conditions {
			if asked := reason.Covers(c.Reason); asked || p.zoned(c.Reason) {
				requests = append(requests, request{node: n, condition: c, pool: p, asked: asked, duplicate: duplicate, pods: said.of(c)})
				r := &requests[len(requests)-1]
				r.blockers = joined(r.nodeGate(in.Now), r.pods.Blockers)
			}
		}
		if p != nil && len(p.zonings) > 0 {
			p.members = append(p.members, member{n, duplicate, from, len(requests)})
		}
	}
	return requests
}

// nodeGate returns what holds back the node itself.
func (r *request) nodeGate(now time.Time) []candidate.Blocker {
	var disruptAfter time.Duration
	if r.pool != nil && !r.pool.ambiguous {
		disruptAfter = r.pool.Budgets.DisruptAfter(r.condition.Reason)
	}
	blockers := candidate.NodeGate(*r.node, r.condition, disruptAfter, now)
	if r.duplicate {
		blockers = slices.Insert(blockers, 0, nodeBlocker(candidate.CodeDuplicateNode, "another node has this name"))
	}
	return blockers
}

func nodeBlocker(code, message string) candidate.Blocker {
	return candidate.Blocker{Gate: candidate.GateNode, Code: code, Message: message}
}

// oldestFirst returns the requests that the decision is about, oldest first.
func oldestFirst(requests []request) []*request {
	var line []*request
	for i := range requests {
		if requests[i].asked {
			line = append(line, &requests[i])
		}
	}
	slices.SortFunc(line, (*request).compare)
	return line
}

// compare puts the oldest first. Nodes that have all of their names in common are ordered by what else there is to
// see of them, lest the order of the input show.
func (r *request) compare(other *request) int {
	if c := r.condition.Since.Compare(other.condition.Since); c != 0 {
		return c
	}
	if c := strings.Compare(r.node.Name, other.node.Name); c != 0 {
		return c
	}
	if c := strings.Compare(r.node.Pool, other.node.Pool); c != 0 {
		return c
	}
	if c := strings.Compare(string(r.condition.Reason), string(other.condition.Reason)); c != 0 || r.node == other.node {
		return c
	}
	return strings.Compare(fmt.Sprintf("%#v", r.blockers), fmt.Sprintf("%#v", other.blockers))
}

// judge returns everything that holds back the next candidate, which may be allowed already for another reason; or until
// when it may go.
func (r *request) judge(allowed bool) (blockers []candidate.Blocker, end time.Time) {
	switch {
	case r.node.Pool == "": // the node gate says so
	case r.pool == nil:
		blockers = append(blockers, nodeBlocker(candidate.CodeUnknownPool, fmt.Sprintf("the node's pool %.100q is not in the input", r.node.Pool)))
	case r.pool.ambiguous:
		blockers = append(blockers, nodeBlocker(candidate.CodeUnknownPool, "another pool has the name of the node's pool"))
	default:
		blockers = r.pool.Blockers
	}
	if allowed && !r.duplicate {
		blockers = joined(blockers, []candidate.Blocker{nodeBlocker(candidate.CodeAlreadyAllowed, "the node may go already, for another of its reasons")})
	}
	blockers = joined(blockers, r.blockers)
	if r.pool == nil || r.pool.ambiguous {
		return blockers, time.Time{}
	}
	return r.pool.judge(r, blockers)
}
