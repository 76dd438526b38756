package metrics

import (
	"sync"
	"time"

	"github.com/disruptkit/disruptkit/cmd/engine"
	"github.com/disruptkit/disruptkit/cmd/internal/planner"
)

// A stale says why a picture is old.
type stale struct {
	why   string
	since time.Time // when reading failed first
}

// A live is a cluster that is read again and again, as it was seen last. It is safe for concurrent use.
type live struct {
	watch watch

	mu   sync.Mutex
	last picture
}

// newLive returns one of clusters that are read for an engine.
func newLive(as engine.Engine) *live { return &live{watch: watch{as: as}} }

// take takes in what was read.
func (l *live) take(r planner.Rolled) {
	p := l.watch.look(r.Cluster, r.Now)
	p.rolled = &r
	l.mu.Lock()
	defer l.mu.Unlock()
	l.last = p
}

// fail notes why nothing could be read. What was seen last is stale until something is.
func (l *live) fail(why error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	since := time.Now()
	if l.last.stale != nil {
		since = l.last.stale.since
	}
	l.last.stale = &stale{why.Error(), since}
}

// seen returns what was seen last.
func (l *live) seen() picture {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.last
}

// status returns the exit status of whoever stops looking now.
func (l *live) status() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.last.rolled.Broken || l.last.stale != nil {
		return faulty
	}
	return good
}
