package metrics

import (
	"context"
	"time"
)

// pace is how long a step of the simulation takes where somebody looks on.
const pace = time.Second / 2

// advance lets a step pass, and looks.
func (w *watch) advance(f *fleet) (picture, error) {
	w.mu.Lock()
	f.advance()
	w.mu.Unlock()
	return w.look()
}

// follow advances until ctx ends.
func (w *watch) follow(ctx context.Context, f *fleet) {
	ticks := time.NewTicker(pace)
	defer ticks.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticks.C:
			_, _ = w.advance(f) // a fleet can always be looked at
		}
	}
}
