package topology

import (
	"cmp"
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
	Remaining int    // how many more may be disrupted: Allowed less InFlight, at least 0

	Rolling int // in flight, or in an unknown phase, for a reason that the budget applies to or an unknown one
	ToGo    int // drifted, and neither rolling, being removed, nor blocked for good; a rebooting node counts
	Free    int // of ToGo: not blocked at all
	Paused  int // of ToGo: blocked by a pause of the domain (candidate.CodePaused)
	Unready int // not drifted, not being removed, and not Ready or rebooting; if any, the domain has not settled

	OldestFree string    // the name of the first free node in line: overdue nodes first, then the oldest drift
	FreeSince  time.Time // when it drifted; zero is unknown, and older than any other
	OverdueBy  time.Time // its deadline (candidate.Condition.Deadline), if it is overdue; zero: it is not
	NextFree   time.Time // when time alone first lifts all blockers of a node to go; zero: never, or unknown
	HeldUp     string    // the first node to go in line, and what blocks it, if anything does
	NotReady   string    // the first unready node by name
	ReadySince time.Time // when the last node that has not drifted became Ready; zero is unknown
}

// String returns the domain's name for messages. It is quoted if it would not read well on one line.
func (d Domain) String() string {
	if d.Name == "" {
		return "(no label)"
	}
	return wording.Quote(d.Name)
}

// A Census counts the nodes of one pool by domain. Call [Census.Count] with each node, and, if the roll may wait for
// the node, [Census.Wait].
type Census struct {
	Nodes      int // the nodes that count (candidate.Node.Counted)
	Unlabelled int // of Nodes: without the label

	budget  budget.Limit
	options Options
	now     time.Time
	tallies []tally        // in the order of their first nodes
	numbers map[string]int // of tallies, by name
}

// A tally is a domain that is being counted.
type tally struct {
	Domain
	oldest age // of the nodes to go
}

// NewCensus returns a Census without nodes.
func NewCensus(b budget.Limit, o Options, now time.Time) *Census {
	return &Census{budget: b, options: o, now: now, numbers: map[string]int{}}
}

// Count counts a node of the pool, with those that it stands for, and returns the number of its domain. Node names must
// be unique. If the roll may wait for the node, waits is true: then call [Census.Wait] with its blockers, now or later.
func (c *Census) Count(n *candidate.Node) (domain int, waits bool) {
	name := n.Labels[c.budget.Key]
	domain = c.number(name)
	d, many := &c.tallies[domain].Domain, max(1, n.StandsFor)
	if n.Counted() {
		c.Nodes += many
		d.Nodes += many
		if name == "" {
			c.Unlabelled += many
		}
		if n.Disrupting(candidate.Unhealthy) { // it is in flight, or may be
			d.InFlight += many
		}
	}
	switch {
	case c.rolling(n):
		d.Rolling += many
	case n.Leaving != candidate.Staying: // in flight for another reason
	case c.drifted(n):
		return domain, true
	default:
		d.settle(n)
	}
	return domain, false
}

// number returns the number of the domain with a name.
func (c *Census) number(name string) int {
	number, known := c.numbers[name]
	if !known {
		number = len(c.tallies)
		c.numbers[name] = number
		c.tallies = append(c.tallies, tally{Domain: Domain{Name: name}})
	}
	return number
}

// Wait counts a node for which the roll may wait, given the number of its domain and its blockers: those of the node
// gate, the pod gate and the caller. If it is a candidate for several reasons, pass the blockers of the reason that can
// be allowed soonest. Leave out blockers of pools, probes and other budgets unless they never lift: a domain that waits
// for them is not idle. Include pauses of single domains, but not pauses of the whole pool. (Rules 3 and 4.)
func (c *Census) Wait(domain int, n *candidate.Node, blockers []candidate.Blocker) {
	d := &c.tallies[domain]
	if slices.ContainsFunc(blockers, forGood) {
		return
	}
	node := c.ageOf(n)
	d.ToGo++
	if slices.ContainsFunc(blockers, pauses) {
		d.Paused++
	}
	if d.ToGo == 1 || node.older(d.oldest) {
		d.oldest, d.HeldUp = node, ""
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

func forGood(b candidate.Blocker) bool { return b.ForGood }

func pauses(b candidate.Blocker) bool { return b.Code == candidate.CodePaused }

// Domains returns the domains sorted by name. The domain with number n is domains[positions[n]]. If that position is
// negative, the budget does not concern its nodes.
func (c *Census) Domains() (domains []Domain, positions []int) {
	unlabelled := c.options.treatment(c.Unlabelled, c.Nodes)
	positions = make([]int, len(c.tallies))
	for i := range c.tallies {
		d := c.tallies[i].Domain
		if d.Name == "" && unlabelled == Exempt {
			positions[i] = -1
			continue
		}
		if d.Name == "" && unlabelled.blocks() { // the roll does not wait for them
			d.ToGo, d.Free, d.Paused, d.OldestFree, d.HeldUp = 0, 0, 0, "", ""
			d.FreeSince, d.OverdueBy, d.NextFree = time.Time{}, time.Time{}, time.Time{}
		}
		d.Allowed = c.budget.Of(d.Nodes)
		d.Remaining = max(0, d.Allowed-d.InFlight)
		domains = append(domains, d)
	}
	slices.SortFunc(domains, func(a, b Domain) int { return cmp.Compare(a.Name, b.Name) })
	for i := range domains {
		positions[c.numbers[domains[i].Name]] = i
	}
	return domains, positions
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

// applies reports whether the budget applies to a reason.
func (c *Census) applies(reason candidate.Reason) bool { return c.options.Applies(c.budget, reason) }

// rolling reports whether a node is in flight, or in an unknown phase, for a reason that the budget applies to or for
// an unknown one.
func (c *Census) rolling(n *candidate.Node) bool {
	return (n.InFlight() || !n.Phase.Known()) && c.options.MayApply(c.budget, n.InFlightFor())
}

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

// An age is a node's place in line: overdue nodes first, by deadline, then by when they drifted, then by name.
type age struct {
	since   time.Time
	name    string
	overdue time.Time // the deadline; zero: it is not overdue
}

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

func (d *Domain) oldestFree() age { return age{d.FreeSince, d.OldestFree, d.OverdueBy} }

func (a age) older(b age) bool {
	if a.overdue != b.overdue && !a.overdue.Equal(b.overdue) {
		return b.overdue.IsZero() || !a.overdue.IsZero() && a.overdue.Before(b.overdue)
	}
	if c := a.since.Compare(b.since); c != 0 { // do not load names from memory unless needed
		return c < 0
	}
	return a.name < b.name
}
