package cluster_test

import (
	"context"
	"time"

	"github.com/disruptkit/disruptkit/adapters/internal/cluster"
)

func ExampleLines() {
	var lines cluster.Lines
	waits := []bool{true, true, false, true}
	pass := lines.After(func(context.Context) (next time.Time, err error) {
		if waits[0] {
			lines.Log("%s waits", "a")
		}
		lines.Log("a pass")
		waits = waits[1:]
		return next, nil
	})
	for range 4 {
		_, _ = pass(context.Background())
	}
	// Output:
	// a pass
	// a waits
	// a waits
}
