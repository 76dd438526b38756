package steward

import (
	"time"

	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"

	"github.com/disruptkit/disruptkit/cmd/annotation"
)

// A Kind is one of the things that the steward does to a node.
type Kind int

const (
	// Hold lets nothing disrupt a node.
	Hold Kind = iota
	// Release lets Karpenter disrupt a node until a time, for whatever reason but repair.
	Release
	// ReleaseForRepair lets Karpenter repair a node until a time, and do nothing else with it.
	ReleaseForRepair
	// TakeBack holds a node that was released. Its release ends a little later, for the sake of a Karpenter whose cache is late.
	TakeBack
	// Tell rewrites why a node is held.
	Tell
	// Clear takes away all that is the steward's.
	Clear
)

// String names a kind for logs, events and metrics.
func (k Kind) String() string {
	return [...]string{"hold", "release", "release for repair", "take back", "tell", "clear"}[k]
}

// A Write is a change of a node's annotations, made in one patch.
type Write struct {
	Node, Pool string
	Unit       string // "": none
	Kind       Kind
	Since      time.Time // when a release began; zero: it goes on
	Until      time.Time // when the release ends, or zero
	Why        string    // the value of annotation.Held; for releases, the reasons for which the node may be disrupted
}

// Annotations returns the annotations to change for a node that has a mark: nil removes one. It is empty where nothing need change.
func (w Write) Annotations(m annotation.Mark) map[string]any {
	if w.Kind == Clear {
		return m.Cleared()
	}
	change := map[string]any{}
	hold := func(v annotation.Veto, name, marker, why string, same bool) {
		if v == annotation.None {
			change[name] = "true"
		}
		if v == annotation.None || v == annotation.Ours && !same {
			change[marker] = why
		}
	}
	free := func(v annotation.Veto, name, marker string, marked bool) {
		if v == annotation.Ours {
			change[name] = nil
		}
		if marked {
			change[marker] = nil
		}
	}
	if w.Kind == Release {
		free(m.Disrupt, v1.DoNotDisruptAnnotationKey, annotation.Held, m.Marked)
	} else {
		hold(m.Disrupt, v1.DoNotDisruptAnnotationKey, annotation.Held, w.Why, m.Why == w.Why)
	}
	if w.Kind == ReleaseForRepair {
		free(m.Repair, v1.DoNotRepairAnnotationKey, annotation.RepairHeld, m.RepairMarked)
	} else {
		hold(m.Repair, v1.DoNotRepairAnnotationKey, annotation.RepairHeld, "true", true)
	}
	if w.Kind == Release || w.Kind == ReleaseForRepair {
		if !w.Since.IsZero() {
			change[annotation.ReleasedFor] = w.Why + " since " + w.Since.UTC().Format(time.RFC3339)
		}
	} else if w.Until.IsZero() && m.Explained {
		change[annotation.ReleasedFor] = nil
	}
	switch {
	case !w.Until.IsZero():
		if !m.Until.Equal(w.Until) {
			change[annotation.ReleasedUntil] = w.Until.UTC().Format(time.RFC3339)
		}
	case m.Left:
		change[annotation.ReleasedUntil] = nil
	}
	return change
}
