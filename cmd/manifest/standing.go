package manifest

import (
	"strings"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
)

// A Standing is how a machine is, as its Node and its NodeClaim say. Times that are zero are unknown.
type Standing struct {
	Milestones           // of its NodeClaim; none if it has none
	NotReady   bool      // it has joined, and its Ready condition is not True
	Since      time.Time // since when it is not Ready
	Cordoned   bool      // spec.unschedulable; this alone deletes nothing
	Going      bool      // it is in flight
	Begun      bool      // its drain has begun
	Ended      bool      // its drain has ended, and its instance terminates
	lifespan
	// Interrupted reports why the cloud takes it away, whatever budgets say: "event SpotInterrupted"; "": it does not, as far as known.
	Interrupted string
}

// standing returns that of a machine.
func (s state) standing() (t Standing) {
	t.Going, t.Ended = s.leaving() != candidate.Staying, s.leaving() == candidate.Terminating
	t.lifespan = s.ending()
	if s.claim != nil {
		t.Milestones = s.claim.milestones()
	}
	t.Begun = t.Going && !t.launch
	if s.node != nil {
		t.NotReady, t.Cordoned = !s.node.ready && s.initialized(), s.node.cordoned
		if t.NotReady {
			t.Since = s.node.unreadySince
		}
		if t.Deleted.IsZero() {
			t.Deleted = s.node.deleted
		}
	}
	return t
}

// Standing returns that of a node.
func (c *Cluster) Standing(n candidate.Node) Standing { return c.standings[n.Name] }

// NodeOf returns the name of the node of a NodeClaim, with or without nodeclaim/ in front.
func (c *Cluster) NodeOf(claim string) (node string, known bool) {
	claim = strings.TrimPrefix(claim, "nodeclaim/")
	for name, s := range c.standings {
		if s.Claim == claim && claim != "" {
			return name, true
		}
	}
	return "", false
}

// Text returns "draining since Sat 05:50", "instance terminating", "waiting for its replacement since Sat 05:40" or
// "not Ready since Sat 03:00", and "" of a node of which there is nothing to say. Day shows a time.
func (s Standing) Text(day func(time.Time) string) string {
	since := func(what string, at time.Time) string {
		if !at.IsZero() {
			what += " since " + day(at)
		}
		if s.Interrupted != "" {
			what += ", interrupted: " + s.Interrupted
		}
		return what
	}
	switch {
	case s.Ended:
		return since("instance terminating", time.Time{})
	case s.Going && s.Begun:
		return since("draining", s.Deleted)
	case s.Going:
		return since("waiting for its replacement", s.Disrupted)
	case s.NotReady:
		return since("not Ready", s.Since)
	}
	return ""
}
