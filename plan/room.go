package plan

import (
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/until"
)

// CodeRoom is the code of blockers and waits of nodes whose pods fit on a replacement that is not Ready yet
// (Model.Room).
const CodeRoom candidate.Code = "room"

// room returns on whose replacements the pods of a node fit. "": on none, or it has none to move.
func (m Model) room(n *candidate.Node) string {
	if m.Room == nil || n.Vacant() {
		return ""
	}
	return m.Room(*n)
}

// leaveRoom takes nodes out of what a decision allows whose pods fit on a replacement that is being launched, and all
// but the first of those whose pods fit on each other's replacements. Karpenter starts no drifted node whose pods it
// would move to a node that is not initialized. (Karpenter: SimulateScheduling, UninitializedNodeError;
// Drift.ComputeCommands goes on to the next candidate.)
func (s *simulation) leaveRoom(d *disruptkit.Decision) {
	if s.Model.Room == nil {
		return
	}
	allowed := make([]candidate.Candidate, 0, len(d.Allowed))
	for _, c := range d.Allowed {
		id, _, found := s.waiting(c)
		var in string
		if found && candidate.Drifted.Covers(c.Reason) {
			in = s.Model.room(&s.in.Nodes[s.at[id]])
		}
		end := s.launching[in]
		if in == "" || !end.After(d.Now) {
			allowed = append(allowed, c)
			if in != "" {
				s.launching[in] = d.Now.Add(max(s.Model.launch(s.in.Nodes[s.at[id]], d.Now), 1))
			}
			continue
		}
		c.Until = time.Time{}
		c.Blockers = []candidate.Blocker{{
			Gate: candidate.GateNode, Code: CodeRoom, Until: end,
			Message: "its pods fit on the replacement of another node, which is not Ready yet",
		}}
		d.Blocked = append(d.Blocked, c)
		d.NextChange = until.First(d.NextChange, end)
	}
	d.Allowed = allowed
}
