package decide

import (
	"fmt"
	"strings"

	"github.com/disruptkit/disruptkit/cmd/annotation"
	"github.com/disruptkit/disruptkit/cmd/engine"
	"github.com/disruptkit/disruptkit/cmd/internal/tell"
	"github.com/disruptkit/disruptkit/cmd/manifest"
	"github.com/disruptkit/disruptkit/internal/wording"
)

// mark says who holds the node, and whether the steward has released it.
func (s stay) mark(text *strings.Builder) {
	m, there := s.cluster.Mark(s.node)
	if !there {
		return
	}
	for _, line := range s.marks(m) {
		fmt.Fprintln(text, tell.Wrap(line, "  "))
	}
	if s.as != engine.Steward {
		fmt.Fprintln(text, tell.Wrap("The steward decides about the node: --engine steward says what it may do.", "  "))
	}
}

// marks returns sentences about a mark: who holds what, and what is released.
func (s stay) marks(m manifest.Mark) (lines []string) {
	add := func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) }
	if m.Takes && m.Unwritten != "" {
		add("The steward cannot write what it decides, as the status of the NodePool says: %s", m.Unwritten)
	}
	runs := m.Until.After(s.in.Now)
	says := ""
	if m.For != "" {
		says = " for " + wording.Quote(m.For)
	}
	switch {
	case s.node.InFlight() && s.node.Maintenance.Condition == "":
		add("Nothing that is written on it holds it any more: it goes already.")
		return lines
	case m.Disrupt == annotation.Theirs:
		add("Held by somebody: its do-not-disrupt is not the steward's, which leaves it alone.")
	case m.Disrupt == annotation.Ours:
		why := ""
		if m.Why != "" {
			why = ", which wrote: " + wording.Quote(m.Why)
		}
		add("Held by the steward%s.", why)
	case runs:
		add("Released by the steward%s: Karpenter may disrupt it until %s.", says, s.clock.Until(m.Until))
	case m.Takes || !m.Until.IsZero():
		add("Not held by anybody: the steward, or the node's next heartbeat, is to hold it.")
	}
	switch {
	case runs && m.Disrupt != annotation.None && m.Repair == annotation.None:
		add("Released by the steward for repair%s: Karpenter may repair it until %s.", says, s.clock.Until(m.Until))
	case runs && m.Disrupt != annotation.None:
		add("It was released by the steward%s, and is held again: until %s, Karpenter may still take it where it has not seen that.", says, s.clock.Until(m.Until))
	case !m.Until.IsZero() && !runs:
		add("Its last release by the steward%s ended %s.", says, s.clock.Since(m.Until))
	}
	switch {
	case m.Repair == annotation.Theirs:
		add("Its repair is held by somebody: its do-not-repair is not the steward's, which leaves it alone.")
	case m.Repair == annotation.Ours && m.Disrupt == annotation.Theirs:
		add("Its repair is held by the steward.")
	}
	return lines
}
