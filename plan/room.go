package plan

import (
	"slices"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/schedule"
)

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

// A launch is of a replacement on which pods of other nodes fit. (Karpenter: SimulateScheduling, Queue of the
// scheduler: the largest pods are first, then the oldest.)
type launch struct {
	from     time.Time // when it begins
	end      time.Time // when the replacement is Ready
	youngest time.Time // when the last of its pods started; farAway: all others are first
	evicted  time.Time // when these are evicted: their successors are younger than all other pods
}

// launches are those of replacements, by Model.Room.
type launches map[string][]launch

// until returns when the last launch ends on which pods of a node would be put. Zero: there is none.
func (l launches) until(in string, n *candidate.Node, now time.Time) (end time.Time) {
	if in == "" || len(l[in]) == 0 {
		return end
	}
	first, _ := ages(n)
	l[in] = slices.DeleteFunc(l[in], func(k launch) bool { return !k.end.After(now) })
	for _, k := range l[in] {
		if k.from.After(now) {
			continue
		}
		if !k.evicted.After(now) || !first.IsZero() && first.Before(k.youngest) || k.youngest.Equal(farAway) {
			end = schedule.Last(end, k.end)
		}
	}
	return end
}

// launched returns the launch of the replacement of a node that starts.
func (m Model) launched(n *candidate.Node, now, ready time.Time, how manner) launch {
	_, last := ages(n)
	if !m.Full {
		last = farAway
	}
	evicted := schedule.Last(now, how.spared)
	if !how.deleted && !how.first && how.spared.IsZero() {
		evicted = m.drainsFrom(*n, now, ready)
	}
	return launch{from: how.spared, end: schedule.Last(ready, now.Add(1)), youngest: last, evicted: evicted}
}

// ages returns when the first and the last of the pods of a node have started that would move. Zero: that is unknown.
func ages(n *candidate.Node) (first, last time.Time) {
	for i := range n.Pods {
		if p := &n.Pods[i]; !p.Stays {
			first, last = schedule.First(first, p.Started), schedule.Last(last, p.Started)
		}
	}
	return first, last
}
