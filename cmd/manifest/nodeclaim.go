package manifest

import (
	"fmt"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
)

// A nodeClaim is a NodeClaim, which makes a Node one of Karpenter's.
type nodeClaim struct {
	*object
	metadata
	lifespan
	nodeName, providerID string // of its Node
	terminating          bool   // its instance is
	rebooting            bool
	consolidatable       condition
	drift                candidate.Condition
	drifted              bool
	initialized          condition
	disruption           condition        // that it is disrupted, and why
	disruptedFor         candidate.Reason // "": unknown, or it is not
	gracePeriod          bool
	deadline             time.Time // when its grace period ends, if it is deleted
	rebootEnded          time.Time // zero: never rebooted, or rebooting now
	created              time.Time
	lifetime             time.Duration // from then on, until it expires; 0 is for ever
}

func readNodeClaim(o *object) *nodeClaim {
	status := o.root.field("status")
	c := &nodeClaim{
		object:     o,
		metadata:   o.metadata(),
		nodeName:   status.field("nodeName").text(),
		providerID: status.field("providerID").text(),
	}
	conditions := o.conditions("Drifted", "Consolidatable", "DisruptionReason", "Initialized", "InstanceTerminating", "Rebooting")
	c.terminating = conditions.of("InstanceTerminating").isTrue()
	if reboot := conditions.of("Rebooting"); reboot.isFalse() {
		c.rebootEnded = reboot.since
	} else {
		c.rebooting = reboot.isTrue()
	}
	c.consolidatable = conditions.of("Consolidatable")
	c.drift, c.drifted = driftOf(conditions.of("Drifted"))
	c.initialized, c.disruption = conditions.of("Initialized"), conditions.of("DisruptionReason")
	if c.disruption.isTrue() {
		c.disruptedFor, _ = candidate.ParseReason(c.disruption.reason.text()) // an unknown reason counts for every reason
	}
	spec := o.root.field("spec")
	grace := spec.field("terminationGracePeriod").text()
	c.gracePeriod = grace != ""
	c.grace, _ = time.ParseDuration(grace)
	c.created = o.created()
	c.lifetime, _ = time.ParseDuration(spec.field("expireAfter").text()) // an invalid one means Never
	if c.lifetime > 0 && !c.created.IsZero() {
		c.expires = c.created.Add(c.lifetime)
	}

	const deadline = "karpenter.sh/nodeclaim-termination-timestamp"
	if text, ok := c.annotations[deadline]; ok {
		c.deadline = value{o, "metadata.annotations[" + deadline + "]", text}.time()
	} else if !c.deleted.IsZero() && c.grace > 0 { // Karpenter writes the annotation when it first looks at the deletion
		c.deadline = c.deleted.Add(c.grace)
	}
	return c
}

// driftOf returns the candidate's condition for a condition Drifted. Its reason becomes a child: AMIDrift gives
// Drifted/AMIDrift. If there is no particular reason, Karpenter repeats the type.
func driftOf(c condition) (drift candidate.Condition, drifted bool) {
	drift = candidate.Condition{Reason: candidate.Drifted, Since: c.since}
	if child := c.reason.text(); c.isTrue() && child != "" {
		reason, err := candidate.ParseReason(string(candidate.Drifted) + "/" + child)
		if err != nil {
			c.reason.fault(fmt.Sprintf("%q cannot be the reason of a condition: write one such as AMIDrift", shortened(child)))
			reason = candidate.Drifted
		}
		drift.Reason = reason
	}
	return drift, c.isTrue()
}
