package topology

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
	"time"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/wording"
	"github.com/disruptkit/disruptkit/schedule"
)

// A Domain counts the nodes of a pool in one zone, rack, … for one budget. Below, a node is drifted if it is a
// candidate for a reason that the budget applies to (Options.Applies).
type Domain struct {
	Name      string // the label's value; "" for the nodes without the label
	Nodes     int    // the nodes that count (candidate.Node.Counted)
	InFlight  int    // of Nodes: draining, rebooting or in an unknown phase, whatever the reason
	Allowed   int    // how many of Nodes may be in flight at once
	Remaining int    // how many more may go: Allowed less InFlight, at least 0

	Rolling int // in flight, or in an unknown phase, for a reason that the budget applies to or an unknown one
	ToGo    int // drifted, and neither rolling, leaving, nor blocked for good; a rebooting node stays
	Free    int // of ToGo: not blocked at all
	Paused  int // of ToGo: blocked by a pause of the domain (candidate.CodePaused)
	Unready int // not drifted, not leaving, and not Ready or rebooting; if any, the domain has not settled

	OldestFree string    // the name of the free node that goes first: the first that is overdue, or else drifted first
	FreeSince  time.Time // when it drifted; zero is unknown, and older than any other
	OverdueBy  time.Time // its deadline (candidate.Condition.Deadline), if it is overdue; zero: it is not
	NextFree   time.Time // when the first blocked node becomes free by time alone; zero: never, or unknown
	HeldUp     string    // the oldest node to go, overdue ones first, and what blocks it, if anything does
	NotReady   string    // the first unready node by name
	ReadySince time.Time // when the last node that has not drifted became Ready; zero is unknown
}

// Domains counts the nodes of one pool by domain. Node names must be unique. The domains are sorted by name.
//
// Each node comes with its blockers: those of the node gate, the pod gate and the caller. If it is a candidate for
// several reasons, pass the blockers of the reason that is held back least. Leave out blockers of pools, probes and
// other budgets unless they never lift: a domain that waits for those is not idle. Include pauses of single domains,
// but not those of the whole pool. (Rules 3 and 4.)
func Domains(nodes iter.Seq2[*candidate.Node, []candidate.Blocker], b budget.Limit, o Options, now time.Time) []Domain {
	if nodes == nil {
		return nil
	}
	c := NewCensus(b, o, now)
	for n, blockers := range nodes {
		if i := c.Number(n.Labels[b.Key]); c.Count(i, n) {
			c.Wait(i, n, blockers)
		}
	}
	domains, _ := c.Domains()
	return domains
}

// DomainsOf is [Domains] for nodes that only they themselves block (candidate.NodeGate), for the reason of each that is
// blocked least. Exported for autoscalers that have a loop of their own, and want turns alone.
func DomainsOf(nodes []candidate.Node, b budget.Limit, o Options, now time.Time) []Domain {
	return Domains(func(yield func(*candidate.Node, []candidate.Blocker) bool) {
		for i := range nodes {
			if !yield(&nodes[i], itself(&nodes[i], b, o, now)) {
				return
			}
		}
	}, b, o, now)
}

// itself returns the fewest blockers that a node itself has for a reason that the budget applies to.
func itself(n *candidate.Node, b budget.Limit, o Options, now time.Time) (least []candidate.Blocker) {
	first := true
	for _, c := range n.Conditions {
		if !o.Applies(b, c.Reason) {
			continue
		}
		if all := candidate.NodeGate(n, c, candidate.Minimum{}, now); first || len(all) < len(least) {
			first, least = false, all
		}
	}
	return least
}

// A Census is [Domains] for callers that also need the domain of each node. It numbers domains from 0, in the order of
// their first node. Exported for the engine, which counts for all gates.
type Census struct {
	budget  budget.Limit
	options Options
	now     time.Time
	domains []Domain
	numbers map[string]int // of domains, by name
	oldest  []age          // the oldest node to go of each domain
	exempt  int            // the nodes that count and that the budget does not concern

	reason  candidate.Reason // the last that applies was asked of: almost all nodes have the reason of the one before
	applied bool             // what it said
}

// NewCensus returns a Census without nodes. Exported for the engine, which makes one for each budget.
func NewCensus(b budget.Limit, o Options, now time.Time) *Census {
	return &Census{budget: b, options: o, now: now, numbers: map[string]int{}, applied: o.Applies(b, "")}
}

// fewDomains is how many names are compared before one is looked up. There are seldom more zones, and comparing them
// is faster.
const fewDomains = 4

// Number returns the number of the domain with a name, or -1 if the budget does not concern its nodes.
// Exported for the engine, which looks up all labels before it counts.
func (c *Census) Number(name string) (domain int) {
	if !c.options.concerns(name) {
		return -1
	}
	for i := range min(fewDomains, len(c.domains)) {
		if c.domains[i].Name == name {
			return i
		}
	}
	domain, known := c.numbers[name]
	if !known {
		domain = len(c.domains)
		c.numbers[name] = domain
		c.domains = append(c.domains, Domain{Name: name})
		c.oldest = append(c.oldest, age{})
	}
	return domain
}

// Domains returns the domains sorted by name. The domain with number n is domains[positions[n]].
// Exported for the engine, which also needs the domain of each node.
func (c *Census) Domains() (domains []Domain, positions []int) {
	domains = slices.Clone(c.domains)
	for i := range domains {
		d := &domains[i]
		d.Allowed = c.budget.Of(d.Nodes)
		d.Remaining = max(0, d.Allowed-d.InFlight)
	}
	slices.SortFunc(domains, func(a, b Domain) int { return cmp.Compare(a.Name, b.Name) })
	positions = make([]int, len(domains))
	for i := range domains {
		positions[c.numbers[domains[i].Name]] = i
	}
	return domains, positions
}

// Unlabelled returns how many of the nodes that count have no label, and how many nodes count. Exported for the
// engine, which warns of them.
func (c *Census) Unlabelled() (unlabelled, counted int) {
	unlabelled, counted = c.exempt, c.exempt
	for i := range c.domains {
		counted += c.domains[i].Nodes
		if c.domains[i].Name == "" {
			unlabelled += c.domains[i].Nodes
		}
	}
	return unlabelled, counted
}

// Count counts a node of the pool in its domain, or below 0 as one that the budget does not concern. It reports whether
// the roll may wait for the node: then call [Census.Wait] when its blockers are known. Exported for the
// engine, which counts while it reads the labels.
func (c *Census) Count(domain int, n *candidate.Node) (waits bool) {
	if domain < 0 {
		if n.Counted() {
			c.exempt++
		}
		return false
	}
	d := &c.domains[domain]
	if n.Counted() {
		d.Nodes++
		if n.Disrupting(candidate.Unhealthy) { // it is in flight, or may be
			d.InFlight++
		}
	}
	switch {
	case c.rolling(n):
		d.Rolling++
	case n.Leaving != candidate.Staying: // it leaves for another reason; a rebooting node stays
	case c.drifted(n):
		return true
	default:
		d.settle(n)
	}
	return false
}

// Wait counts a node for which the roll may wait, given its blockers. See [Domains] for which blockers to pass.
// Exported for the engine, which knows the blockers when all other gates are open.
func (c *Census) Wait(domain int, n *candidate.Node, blockers []candidate.Blocker) {
	if c.toGo(&c.domains[domain], blockers) {
		c.wait(domain, c.ageOf(n), blockers)
	}
}

// drifted reports whether a node is a candidate for a reason that the budget applies to.
func (c *Census) drifted(n *candidate.Node) bool {
	for i := range n.Conditions {
		if c.applies(n.Conditions[i].Reason) {
			return true
		}
	}
	return false
}

// ageOf returns since when a drifted node is drifted, and whether it is overdue.
func (c *Census) ageOf(n *candidate.Node) age {
	node, drifted := age{name: n.Name}, false
	for i := range n.Conditions {
		condition := &n.Conditions[i]
		if !c.applies(condition.Reason) {
			continue
		}
		if !drifted || condition.Since.Before(node.since) {
			node.since, drifted = condition.Since, true
		}
		if !condition.Deadline.IsZero() && condition.Overdue(c.now) {
			node.overdue = schedule.First(node.overdue, condition.Deadline)
		}
	}
	return node
}

// applies reports whether the budget applies to a reason.
func (c *Census) applies(reason candidate.Reason) bool {
	if c.reason != reason {
		c.reason, c.applied = reason, c.options.Applies(c.budget, reason)
	}
	return c.applied
}

// rolling reports whether a node is in flight for a reason that the budget applies to, or for an unknown one. One in an
// unknown phase may be.
func (c *Census) rolling(n *candidate.Node) bool {
	return (n.InFlight() || !n.Phase.Known()) && c.options.MayApply(c.budget, n.InFlightFor())
}

// toGo reports whether the roll waits for a drifted node: unless the node is blocked for good.
func (c *Census) toGo(d *Domain, blockers []candidate.Blocker) bool {
	if c.options.Unlabelled.blocks() && d.Name == "" {
		return false
	}
	return !slices.ContainsFunc(blockers, func(b candidate.Blocker) bool { return b.ForGood })
}

// wait counts a node to go.
func (c *Census) wait(i int, node age, blockers []candidate.Blocker) {
	d := &c.domains[i]
	d.ToGo++
	if slices.ContainsFunc(blockers, pauses) {
		d.Paused++
	}
	if d.ToGo == 1 || node.older(c.oldest[i]) {
		c.oldest[i], d.HeldUp = node, ""
		if len(blockers) > 0 {
			d.HeldUp = wording.Quote(node.name) + ": " + blockers[0].Message
		}
	}
	if len(blockers) == 0 {
		d.Free++
		if d.Free == 1 || node.older(d.oldestFree()) {
			d.OverdueBy, d.FreeSince, d.OldestFree = node.overdue, node.since, node.name
		}
	} else if at, ok := candidate.LiftsAt(blockers); ok && at.After(c.now) {
		d.NextFree = schedule.First(d.NextFree, at)
	}
}

func pauses(b candidate.Blocker) bool { return b.Code == candidate.CodePaused }

// An age orders nodes: overdue ones first, by their deadlines, then by when they drifted, then by name.
type age struct {
	since   time.Time
	name    string
	overdue time.Time // the deadline; zero: it is not overdue
}

func (a age) older(b age) bool {
	if a.overdue != b.overdue && !a.overdue.Equal(b.overdue) {
		return b.overdue.IsZero() || !a.overdue.IsZero() && a.overdue.Before(b.overdue)
	}
	if c := a.since.Compare(b.since); c != 0 { // do not load names from memory unless needed
		return c < 0
	}
	return a.name < b.name
}

func (d *Domain) oldestFree() age { return age{d.FreeSince, d.OldestFree, d.OverdueBy} }

// settle counts a node that is not drifted.
func (d *Domain) settle(n *candidate.Node) {
	switch {
	case !n.Ready() || n.Rebooting:
		d.Unready++
		if d.Unready == 1 || n.Name < d.NotReady {
			d.NotReady = n.Name
		}
	case n.ReadySince.After(d.ReadySince):
		d.ReadySince = n.ReadySince
	}
}

// Title returns the domain's name for messages. It is quoted if it would not read well on one line.
func (d Domain) Title() string {
	if d.Name == "" {
		return "(no label)"
	}
	return wording.Quote(d.Name)
}

// String returns a summary such as "us-west-2a (2 in flight, 5 to go)".
func (d Domain) String() string {
	return fmt.Sprintf("%s (%d in flight, %d to go)", d.Title(), d.Rolling, d.ToGo)
}
