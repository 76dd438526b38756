package planner

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// An event is an event that kubectl prints.
type event struct {
	Kind           string
	Reason         string
	Message        string
	InvolvedObject struct{ Kind, Name, UID string }
	FirstTimestamp *time.Time
	LastTimestamp  *time.Time
	EventTime      *time.Time
}

// at returns one of the times of an event, or, if it does not have that one, another.
func (e event) at(wanted *time.Time) time.Time {
	for _, t := range []*time.Time{wanted, e.EventTime, e.FirstTimestamp, e.LastTimestamp} {
		if t != nil && !t.IsZero() {
			return *t
		}
	}
	return time.Time{}
}

// bounds are the events of NodeClaims between which something takes place. (Karpenter: disruptionevents.Terminating is published once a
// NodeClaim is deleted, disruptionevents.Launching once a replacement is created. Its status controller publishes Finalized once the
// finalizer is removed, and each condition that changes.)
var bounds = map[string]struct {
	starts, ends string
	end          func(event) bool
}{
	"drain": {"DisruptionTerminating", "Finalized", func(e event) bool { return e.Reason == "Finalized" }},
	"launch": {"DisruptionLaunching", "Initialized", func(e event) bool {
		return e.Reason == "Initialized" && strings.Contains(e.Message, "-> True")
	}},
}

// ofEvents returns the times of the NodeClaims whose start and end are among the events.
func ofEvents(what string, text []byte) (times, error) {
	var list struct {
		event
		Items []event
	}
	if err := json.Unmarshal(text, &list); err != nil {
		return times{}, fmt.Errorf("it is no list of events in JSON: %w; write what kubectl get events -A -o json prints", err)
	}
	events := list.Items
	if list.Kind == "Event" {
		events = append(events, list.event)
	}
	if !slices.ContainsFunc(events, func(e event) bool { return e.Kind == "Event" }) {
		return times{}, errors.New("it has no events: write what kubectl get events -A -o json prints")
	}
	m, known := bounds[what]
	if !known {
		return times{}, errors.New("events say only how long drains and launches take: write times, or a file of times or metrics")
	}
	starts, ends := map[string]time.Time{}, map[string]time.Time{}
	for _, e := range events {
		if e.Kind != "Event" || e.InvolvedObject.Kind != "NodeClaim" {
			continue
		}
		object := cmp.Or(e.InvolvedObject.UID, e.InvolvedObject.Name)
		if at := e.at(e.FirstTimestamp); e.Reason == m.starts && (starts[object].IsZero() || at.Before(starts[object])) {
			starts[object] = at
		}
		if at := e.at(e.LastTimestamp); m.end(e) && at.After(ends[object]) {
			ends[object] = at
		}
	}
	var t times
	for object, start := range starts {
		if took := ends[object].Sub(start); !start.IsZero() && !ends[object].IsZero() && took >= 0 {
			t.all = append(t.all, share{1, took, took})
		}
	}
	if len(t.all) == 0 {
		return t, fmt.Errorf("no NodeClaim has both an event %s and an event %s after it: of %d, only one of them is there; the API server keeps events for an hour",
			m.starts, m.ends, len(starts)+len(ends))
	}
	t.source = fmt.Sprintf("%d between the events %s and %s", len(t.all), m.starts, m.ends)
	return t, nil
}
