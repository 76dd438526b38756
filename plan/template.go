package plan

import (
	"slices"
	"time"
)

// A template is the account of slots that have had the same results since the beginning. A slot with another result, or
// that starts, gets an account of its own.
type template struct {
	slot
	parted []int // slots that have had another result, and may still wait
}

// gather makes the slots of nodes of a pool without results share a template.
func (a *account) gather(ids []int) *template {
	clock := a.slots[a.slotOf[ids[0]]].clock
	t := &template{slot: slot{clock: clock, key: -1, since: a.from, read: -1, many: len(ids)}}
	for _, id := range ids {
		a.slots[a.slotOf[id]].shares = t
	}
	return t
}

// part gives a slot an account of its own.
func (a *account) part(at int) {
	s := &a.slots[at]
	t := s.shares
	if t == nil {
		return
	}
	s.shares, s.key, s.since, s.hopeless, s.Waits = nil, t.key, t.since, t.hopeless, slices.Clone(t.Waits)
	t.many-- // the clock counts the slot under the same key as before
	t.parted = append(t.parted, at)
}

// repeat gives a template, and the waiting slots that have parted from it, the result of one of them.
func (a *account) repeat(t *template, at int, now time.Time) {
	if a.slots[at].read != a.reading {
		return
	}
	t.said = a.slots[at].said
	for _, at := range a.heard {
		if s := &a.slots[at]; s.shares == t && s.said != t.said {
			a.part(at)
		}
	}
	t.parted = slices.DeleteFunc(t.parted, func(at int) bool { return a.slots[at].phase != waits })
	for _, at := range t.parted {
		if s := &a.slots[at]; s.read != a.reading {
			a.hear(at, t.said)
		}
	}
	if t.many > 0 {
		a.turnTo(&t.slot, waits, t.said.key, t.said.stays, now)
	}
}
