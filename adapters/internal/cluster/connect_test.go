package cluster

import (
	"context"
	"testing"
	"time"
)

func TestPassesHaveAPauseBetweenThem(t *testing.T) {
	for _, interval := range []time.Duration{0, -time.Minute, time.Millisecond} {
		err := Loop(t.Context(), interval, func(context.Context) (time.Time, error) {
			t.Fatalf("-interval %s: a pass was made", interval)
			return time.Time{}, nil
		})
		if err == nil {
			t.Errorf("-interval %s is no error", interval)
		}
	}
}
