package decide

import (
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/internal/wire"
	"github.com/disruptkit/disruptkit/cmd/manifest"
)

// unsure reports whether somebody else has to decide first whether a node is to go for a reason at all: what the API shows of
// Underutilized is the condition Consolidatable.
func unsure(r candidate.Reason) bool { return candidate.Underutilized.Covers(r) }

// caveat describes what it means that nodes may be disrupted for a reason; "" where it means just that.
func caveat(r candidate.Reason) string {
	if unsure(r) {
		return manifest.Consolidatable
	}
	return ""
}

// A jsonEvent is what Karpenter said about the consolidation of a node.
type jsonEvent struct {
	Reason  string     `json:"reason"`
	Message string     `json:"message"`
	At      *time.Time `json:"at"`
}

// jsonSaid returns what Karpenter said about a candidate for consolidation; nil where it has said nothing.
func (a answer) jsonSaid(c candidate.Candidate) *jsonEvent {
	e, ok := a.cluster.Said[c.Node]
	if !ok || !unsure(c.Reason) {
		return nil
	}
	return &jsonEvent{e.Reason, e.Message, wire.Time(e.At)}
}
