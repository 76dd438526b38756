package decide

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/internal/tell"
	"github.com/disruptkit/disruptkit/cmd/internal/wire"
	"github.com/disruptkit/disruptkit/cmd/manifest"
	"github.com/disruptkit/disruptkit/internal/wording"
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

// said describes what Karpenter's events say about the consolidation of candidates, alike once.
func (t *table) said(d disruptkit.Decision) {
	type saying struct {
		manifest.Event
		nodes []string
	}
	var all []saying
	for _, c := range slices.Concat(d.Allowed, d.Blocked) {
		e, ok := t.cluster.Said[c.Node]
		if !ok {
			continue
		}
		i := slices.IndexFunc(all, func(s saying) bool { return s.Reason == e.Reason && s.Message == e.Message })
		if i < 0 {
			i, all = len(all), append(all, saying{Event: e})
		}
		all[i].nodes = append(all[i].nodes, wording.Quote(c.Node))
		if e.At.After(all[i].At) {
			all[i].At = e.At
		}
	}
	if len(all) == 0 {
		return
	}
	slices.SortStableFunc(all, func(a, b saying) int { return cmp.Compare(len(b.nodes), len(a.nodes)) })
	t.line("\nKarpenter's events say:")
	for _, s := range all {
		who := s.nodes[0]
		if n := len(s.nodes) - 1; n > 0 {
			who += " and " + wording.Count(n, "other node")
		}
		t.line("%s", tell.Wrap(fmt.Sprintf("  %s: %s (%s, last %s)", who, wording.Quote(s.Message), s.Reason, t.clock.since(s.At)), "    "))
	}
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
