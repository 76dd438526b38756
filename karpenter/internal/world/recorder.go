package world

import (
	"fmt"
	"strings"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/utils/clock"
	"sigs.k8s.io/karpenter/pkg/events"
)

// Event is what a controller has told about an object.
type Event struct {
	At      time.Time
	Object  string
	Reason  string
	Message string
}

func (e Event) String() string {
	return fmt.Sprintf("%s %s %s: %s", e.At.Format(time.TimeOnly), e.Object, e.Reason, e.Message)
}

// recorder keeps events, and drops those that Karpenter's recorder drops.
type recorder struct {
	clock clock.PassiveClock
	mu    sync.Mutex
	last  map[string]time.Time
	kept  []Event
}

func newRecorder(clock clock.PassiveClock) *recorder {
	return &recorder{clock: clock, last: map[string]time.Time{}}
}

// Publish implements events.Recorder.
func (r *recorder) Publish(list ...events.Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := r.clock.Now()
	for _, e := range list {
		timeout := e.DedupeTimeout
		if timeout == 0 {
			timeout = 2 * time.Minute
		}
		key := e.Reason + "-" + strings.Join(e.DedupeValues, "-")
		if last, told := r.last[key]; told && len(e.DedupeValues) > 0 && now.Sub(last) < timeout {
			continue
		}
		r.last[key] = now
		name := ""
		if o, err := meta.Accessor(e.InvolvedObject); err == nil {
			name = o.GetName()
		}
		r.kept = append(r.kept, Event{At: now, Object: name, Reason: e.Reason, Message: e.Message})
	}
}

func (r *recorder) events() []Event {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]Event(nil), r.kept...)
}
