package decide

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/internal/wording"
)

// fewStarts is how many of a pool's starts are named.
const fewStarts = 5

// pace describes how many more starts the paces of a pool or a group allow, from when on they allow the next, and which nodes started.
func (t *table) pace(d disruptkit.Decision, key string, p disruptkit.PoolDecision) string {
	if p.MayStart.Binding == 0 {
		return ""
	}
	text := wording.Count(p.MayStart.Nodes, "start") + " left"
	if !p.NextStart.IsZero() {
		text += ", the next from " + t.clock.Until(p.NextStart) + " on"
	}
	var set []string
	policy := t.policies[key].Budgets
	for i := range p.MayStart.Binding.All() {
		set = append(set, fmt.Sprintf("%s: %s", policy.Place(i), policy.Describe(i, t.in.Now)))
	}
	text += " (" + strings.Join(set, ", ") + ")"
	started := slices.DeleteFunc(slices.Clone(d.Memory[key].Starts), func(s disruptkit.Start) bool {
		return s.At.Equal(d.Now) && !s.Seen // it may be disrupted now
	})
	var names []string
	for _, s := range started[max(0, len(started)-fewStarts):] {
		names = append(names, wording.Quote(s.Node)+" "+t.started(key, s))
	}
	switch more := len(started) - len(names); {
	case len(names) == 0:
		return text
	case more > 0:
		names = append([]string{fmt.Sprintf("%d more", more)}, names...)
	}
	return text + "; started: " + strings.Join(names, ", ")
}

// started reports when a node started. A start that nobody remembers counts as now. One in the future counts already.
func (t *table) started(key string, s disruptkit.Start) string {
	remembered := func(r disruptkit.Start) bool { return r.Node == s.Node && r.At.Equal(s.At) }
	if !slices.ContainsFunc(t.in.Memory[key].Starts, remembered) {
		return "(counts as now, since its start is not known)"
	}
	if s.At.After(t.in.Now) {
		return "(counts from now on, since a wrong clock put it at " + s.At.UTC().Format(time.RFC3339) + ")"
	}
	return t.clock.Since(s.At)
}
