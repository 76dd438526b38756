package topology

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
	"time"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/quote"
	"github.com/disruptkit/disruptkit/internal/until"
)

// A Domain counts the nodes of a pool in one zone, rack, … as one budget sees them. A node is drifted, in what follows,
// if it is a candidate for a reason that the budget applies to.
type Domain struct {
	Name      string // the label's value; "" are the nodes without the label
	Nodes     int    // that are counted (candidate.Node.Counted)
	InFlight  int    // of those, marked for deletion or rebooting, whatever the reason
	Allowed   int    // how many of Nodes may be in flight at once
	Remaining int    // how many more may go: Allowed less InFlight, or 0

	Rolling int // marked for deletion for a reason that the budget applies to, or an unknown one; terminating ones, too
	ToGo    int // drifted, not marked, and not blocked for good
	Free    int // of those, not blocked at all
	Paused  int // of ToGo, held back by a pause of the domain (candidate.CodePaused)
	Unready int // not drifted, not marked, and not Ready, or rebooting: the domain has not settled

	OldestFree string    // the node of Free that has drifted for longest
	FreeSince  time.Time // since when it has; zero is unknown, and older than any other
	NextFree   time.Time // when time alone lets the first blocked node go; zero: never, or unknown
	HeldUp     string    // the oldest node to go, and what holds it back, if anything does
	NotReady   string    // the first by name of Unready
	ReadySince time.Time // since when the last of the nodes that are not drifted is Ready; zero is unknown
}

// Domains counts the nodes of one pool, whose names must differ, by domain. The domains are sorted by name.
//
// With each node comes what holds it back at the gates before this one (node and pod, and what the caller knows of it),
// for that of its reasons which is held back least. What pools, probes and other budgets say is not among it, unless
// nothing ends it: a domain that waits for them is not idle. A pause of single domains is among it; one of the whole pool is not.
// (Rules 2 and 3.)
func Domains(nodes iter.Seq2[*candidate.Node, []candidate.Blocker], b budget.Scope, o Options, now time.Time) []Domain {
	if nodes == nil {
		return nil
	}
	c := NewCensus(b, o, now)
	for n, blockers := range nodes {
		if i := c.Number(n.Labels[b.Key]); i >= 0 {
			c.Count(i, n, blockers)
		}
	}
	domains, _ := c.Domains()
	return domains
}

// A Census is Domains for callers who also want to know the domain of each node. It numbers domains from 0, in the order in which
// it meets them.
type Census struct {
	budget  budget.Scope
	options Options
	now     time.Time
	domains []Domain
	numbers map[string]int // by name
	oldest  []age          // of each domain's nodes to go
}

// NewCensus returns one of no nodes.
func NewCensus(b budget.Scope, o Options, now time.Time) *Census {
	return &Census{budget: b, options: o, now: now, numbers: map[string]int{}}
}

// Number returns the number of the domain of a name, or -1 if the budget does not concern its nodes.
func (c *Census) Number(name string) (domain int) {
	if !c.options.concerns(name) {
		return -1
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

// Domains returns what was counted, sorted by name, and where in that the domain of each number is.
func (c *Census) Domains() (domains []Domain, positions []int) {
	domains = slices.Clone(c.domains)
	for i := range domains {
		d := &domains[i]
		d.Allowed = c.budget.Allowed(d.Nodes)
		d.Remaining = max(0, d.Allowed-d.InFlight)
	}
	slices.SortFunc(domains, func(a, b Domain) int { return cmp.Compare(a.Name, b.Name) })
	positions = make([]int, len(domains))
	for i := range domains {
		positions[c.numbers[domains[i].Name]] = i
	}
	return domains, positions
}

// Count counts a node of the pool in its domain, and what holds it back.
func (c *Census) Count(domain int, n *candidate.Node, blockers []candidate.Blocker) {
	d := &c.domains[domain]
	marked := n.Deleting || n.InstanceTerminating // one that reboots stays
	if n.Counted() {
		d.Nodes++
		if n.InFlight() {
			d.InFlight++
		}
	}
	since, drifted := c.drifted(n)
	rolling := n.InFlight() && c.rolling(n)
	switch {
	case rolling:
		d.Rolling++
	case marked: // it leaves for another reason
	case !drifted:
		d.settle(n)
	case c.toGo(d, blockers):
		c.wait(domain, age{since, n.Name}, blockers)
	}
}

// drifted reports whether a node is a candidate for a reason that the budget applies to, and since when.
func (c *Census) drifted(n *candidate.Node) (since time.Time, drifted bool) {
	for _, condition := range n.Conditions {
		if c.options.Applies(c.budget, condition.Reason) && (!drifted || condition.Since.Before(since)) {
			since, drifted = condition.Since, true
		}
	}
	return since, drifted
}

// rolling reports whether a node in flight is so for a reason that the budget applies to, or for one that is unknown.
func (c *Census) rolling(n *candidate.Node) bool {
	return c.options.MayApply(c.budget, n.InFlightFor())
}

// toGo reports whether a drifted node is waited for. What is blocked for good is not; all else passes.
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
			d.HeldUp = quote.Text(node.name) + ": " + blockers[0].Message
		}
	}
	if len(blockers) == 0 {
		d.Free++
		if d.Free == 1 || node.older(d.oldestFree()) {
			d.FreeSince, d.OldestFree = node.since, node.name
		}
	} else if at, ok := candidate.Lift(blockers); ok && at.After(c.now) {
		d.NextFree = until.First(d.NextFree, at)
	}
}

func pauses(b candidate.Blocker) bool { return b.Code == candidate.CodePaused }

// An age orders nodes: who has drifted for longer comes first; of the same age, by name.
type age struct {
	since time.Time
	name  string
}

func (a age) older(b age) bool {
	if c := a.since.Compare(b.since); c != 0 { // what does not matter is not fetched from memory
		return c < 0
	}
	return a.name < b.name
}

func (d *Domain) oldestFree() age { return age{d.FreeSince, d.OldestFree} }

// settle counts a node that is not drifted.
func (d *Domain) settle(n *candidate.Node) {
	switch {
	case !n.Ready || n.Rebooting:
		d.Unready++
		if d.Unready == 1 || n.Name < d.NotReady {
			d.NotReady = n.Name
		}
	case n.ReadySince.After(d.ReadySince):
		d.ReadySince = n.ReadySince
	}
}

// Title is the name of the domain for people: in quotes where it cannot be read in a line.
func (d Domain) Title() string {
	if d.Name == "" {
		return "(no label)"
	}
	return quote.Text(d.Name)
}

// String tells what is going on: "us-west-2a (2 in flight, 5 to go)".
func (d Domain) String() string {
	return fmt.Sprintf("%s (%d in flight, %d to go)", d.Title(), d.Rolling, d.ToGo)
}
