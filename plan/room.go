package plan

import "github.com/disruptkit/disruptkit/candidate"

// CodeRoom is the code of blockers and waits of nodes whose pods fit on a replacement that is not Ready yet
// (Model.Room).
const CodeRoom candidate.Code = "room"

// room returns on whose replacements the pods of a node fit. "": on none, or it has none to move.
func (m Model) room(n *candidate.Node) string {
	if m.Room == nil || n.Vacant() || m.static(n.Pool) {
		return ""
	}
	return m.Room(*n)
}
