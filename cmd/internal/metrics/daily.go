package metrics

import (
	"time"

	"github.com/disruptkit/disruptkit/candidate"
)

// A happening is what comes over some nodes of a pool, the same every day.
type happening struct {
	at    time.Duration // after midnight
	pool  string
	nodes int // the oldest that nobody wants gone; 0: as many as are missing
	what  func(f *fleet, node string)
}

// daily is in the order of the day.
var daily = []happening{
	{after(3, 0), "batch", 1, turns(candidate.Empty)},
	{after(5, 0), "web", 2, turns(candidate.Empty)},
	{after(6, 0), "web", 0, nil}, // people come: it scales up
	{after(6, 0), "batch", 0, nil},
	{after(8, 0), "batch", 3, turns("Drifted/SecurityGroupDrift")},
	{after(8, 30), "web", 6, turns("Drifted/AMIDrift")},
	{after(8, 45), "web", 2, turns("Drifted/SubnetDrift")},
	{after(9, 0), "web", 3, turns(candidate.Underutilized)},
	{after(11, 0), "web", 1, breaks},
	{after(14, 30), "web", 1, turns(candidate.Empty)},
	{after(14, 30), "batch", 2, byHand},
	{after(18, 0), "web", 2, turns(candidate.Underutilized)},
	{after(21, 30), "web", 4, turns("Drifted/AMIDrift")},
}

func after(hour, minute time.Duration) time.Duration { return hour*time.Hour + minute*time.Minute }

// turns gives a node a reason to go.
func turns(reason candidate.Reason) func(*fleet, string) {
	return func(f *fleet, node string) {
		m := f.machine(node)
		m.Conditions = append(m.Conditions, candidate.Condition{Reason: reason, Since: f.now})
	}
}

// breaks is a kubelet that goes down, and does not come back.
func breaks(f *fleet, node string) { f.machine(node).broken = f.now }

// byHand is somebody who deletes a node, and asks no budget.
func byHand(f *fleet, node string) { f.remove(node, "") }

// happen lets it happen.
func (f *fleet) happen(h happening) {
	var idle []string
	staying := 0
	for _, m := range f.machines {
		if m.Pool != h.pool || m.Leaving != candidate.Staying {
			continue
		}
		staying++
		if len(m.Conditions) == 0 && m.broken.IsZero() {
			idle = append(idle, m.Name)
		}
	}
	for range sizes[h.pool] - staying {
		if h.nodes == 0 {
			f.launch(h.pool, f.now.Add(boot))
		}
	}
	for _, node := range idle[:min(h.nodes, len(idle))] {
		h.what(f, node)
	}
}
