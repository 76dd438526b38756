package world

import (
	"sync/atomic"
	"time"

	"k8s.io/utils/clock"
	clocktesting "k8s.io/utils/clock/testing"
)

// Clock is the time of a world.
type Clock interface {
	clock.Clock
	// Step lets time pass.
	Step(time.Duration)
}

// realClock is the time of a world on an API server, which knows no other.
type realClock struct {
	clock.RealClock
	parked *atomic.Int64 // how many wait for the time to pass
}

func (c realClock) Step(d time.Duration) { c.Sleep(d) }

// After also counts who waits.
func (c realClock) After(d time.Duration) <-chan time.Time {
	c.parked.Add(1)
	ch := make(chan time.Time, 1)
	time.AfterFunc(d, func() {
		c.parked.Add(-1)
		ch <- c.Now()
	})
	return ch
}

// fakeClock is the time of a world in memory.
type fakeClock struct {
	*clocktesting.FakeClock
	parked chan parked // receives whoever waits for the time to pass
}

// A parked controller waits until a time. It goes on when the manager sends the time, and not by itself: it would run beside
// the other controllers, and what happens would differ from run to run.
type parked struct {
	until time.Time
	wake  chan<- time.Time
}

func newClock(start time.Time) *fakeClock {
	return &fakeClock{FakeClock: clocktesting.NewFakeClock(start), parked: make(chan parked, 16)}
}

// Sleep returns at once. Karpenter sleeps only to see its own writes, which it sees at once here; the fake clock would
// take that for the passing of time.
func (*fakeClock) Sleep(time.Duration) {}

// After tells the manager that a controller waits, so that the world can go on meanwhile.
func (c *fakeClock) After(d time.Duration) <-chan time.Time {
	wake := make(chan time.Time, 1)
	c.parked <- parked{c.Now().Add(d), wake}
	return wake
}

// NewTimer returns a timer that has fired already if there is nothing to wait for, as real ones do.
func (c *fakeClock) NewTimer(d time.Duration) clock.Timer {
	t := c.FakeClock.NewTimer(d)
	if d <= 0 {
		c.Step(0)
	}
	return t
}
