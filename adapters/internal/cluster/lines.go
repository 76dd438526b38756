package cluster

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"
)

// Lines are what the passes of a program say. Each is printed once, until it has not been said for a pass.
type Lines struct{ said, before map[string]bool }

// Log prints a line.
func (l *Lines) Log(format string, args ...any) {
	if l.said == nil {
		l.said = map[string]bool{}
	}
	l.said[fmt.Sprintf(format, args...)] = true
}

// After returns a pass that prints, in order, what is new of what it has said.
func (l *Lines) After(pass func(context.Context) (time.Time, error)) func(context.Context) (time.Time, error) {
	return func(ctx context.Context) (time.Time, error) {
		next, err := pass(ctx)
		for _, line := range slices.Sorted(maps.Keys(l.said)) {
			if !l.before[line] {
				fmt.Println(line)
			}
		}
		l.before, l.said = l.said, nil
		return next, err
	}
}
