package manifest

import (
	"cmp"
	"io"
	"slices"
	"time"

	"github.com/disruptkit/disruptkit/schedule"
)

// An Event is what Karpenter said about the consolidation of a node.
type Event struct {
	Reason  string // such as Unconsolidatable
	Message string // such as "Can't replace with a cheaper node"
	At      time.Time
}

// consolidations are the reasons of the events in which Karpenter says why it does not consolidate a node, and of those
// in which it says that it might, which make the former obsolete. (Karpenter v1.15: pkg/events/reason.go. It publishes
// each about the Node and about the NodeClaim, the first of them at most every 15 minutes.)
var consolidations = []string{"Unconsolidatable", "ConsolidationRejected", "DisruptionBlocked", "ConsolidationCandidate", "ConsolidationApproved"}

// Against reports whether the event says why a node is not consolidated.
func (e Event) Against() bool { return slices.Index(consolidations, e.Reason) < 3 }

// Hear adds what Events say about nodes, from a list that kubectl printed. An empty list says nothing.
func (c *Cluster) Hear(in io.Reader) error {
	heard := newReader()
	if _, err := readInto(heard, in); err != nil {
		return err
	}
	for _, n := range c.Nodes {
		if e, ok := heard.events["Node/"+n.Name]; ok {
			c.Said[n.Name] = e
		}
		if e, ok := heard.interrupted["Node/"+n.Name]; ok {
			s := c.standings[n.Name]
			s.Interrupted = cmp.Or(s.Interrupted, "event "+e.Reason)
			c.standings[n.Name] = s
		}
	}
	return nil
}

// events has the last event about each object, by "kind/name".
type events map[string]Event

// add adds an event, if its reason is one of some. One that cannot be read says nothing, and is no fault: no decision depends on events.
func (all events) add(o *object, reasons []string) {
	about := o.root.field("involvedObject")
	e := Event{Reason: o.root.field("reason").text(), Message: o.root.field("message").text()}
	for _, at := range []value{o.root.field("lastTimestamp"), o.root.field("series").field("lastObservedTime"), o.root.field("eventTime"), o.root.field("firstTimestamp")} {
		e.At = schedule.Last(e.At, at.time())
	}
	key := about.field("kind").text() + "/" + about.field("name").text()
	o.faults = nil
	if !slices.Contains(reasons, e.Reason) || e.Message == "" || e.At.IsZero() {
		return
	}
	if before, ok := all[key]; !ok || e.At.After(before.At) || e.At.Equal(before.At) && e.Message < before.Message {
		all[key] = e
	}
}

// of returns the last event about a machine: about its Node, or about its NodeClaim.
func (all events) of(s state) (said Event, ok bool) {
	if s.node != nil {
		said, ok = all["Node/"+s.node.name]
	}
	if s.claim != nil {
		if e, found := all["NodeClaim/"+s.claim.name]; found && (!ok || e.At.After(said.At)) {
			said, ok = e, true
		}
	}
	return said, ok
}
