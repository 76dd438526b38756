package steward

import (
	"time"

	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"

	"github.com/disruptkit/disruptkit/cmd/annotation"
)

// A Mark is what the annotations of a node say. The zero Mark is that of a node without any.
type Mark struct {
	Disrupt, Repair Veto
	// Until is when the release ends; zero: it has none, or nobody can read it.
	Until time.Time
	// Why is the value of annotation.Held.
	Why string
	// For is the value of annotation.ReleasedFor.
	For string
	// Left reports that annotation.ReleasedUntil is there, whatever it says.
	Left bool
	// Soon reports that the node has SoonTaint.
	Soon bool

	marked, repairMarked, explained bool // annotation.Held, annotation.RepairHeld and annotation.ReleasedFor are there
}

// A Veto says whose an annotation do-not-disrupt or do-not-repair is.
type Veto int

const (
	None   Veto = iota // there is none
	Ours               // the steward's
	Theirs             // somebody else's
)

// ReadMark reads the annotations of a node.
func ReadMark(annotations map[string]string) Mark {
	text, left := annotations[annotation.ReleasedUntil]
	until, err := time.Parse(time.RFC3339, text)
	if err != nil {
		until = time.Time{}
	}
	why, marked := annotations[annotation.Held]
	_, repairMarked := annotations[annotation.RepairHeld]
	reasons, explained := annotations[annotation.ReleasedFor]
	return Mark{
		Disrupt: veto(annotations[v1.DoNotDisruptAnnotationKey], marked),
		Repair:  veto(annotations[v1.DoNotRepairAnnotationKey], repairMarked),
		Until:   until, Why: why, For: reasons, Left: left, marked: marked, repairMarked: repairMarked, explained: explained,
	}
}

// veto returns whose an annotation is. As in Karpenter, only "true" is one.
func veto(text string, marked bool) Veto {
	switch {
	case text != "true":
		return None
	case marked:
		return Ours
	}
	return Theirs
}

// ours reports whether a node has anything of the steward's.
func (m Mark) ours() bool { return m.marked || m.repairMarked || m.explained || m.Left || m.Soon }

// held reports whether nothing can be disrupted or repaired.
func (m Mark) held() bool { return m.Disrupt != None && m.Repair != None }

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
func (w Write) Annotations(m Mark) map[string]any {
	change := map[string]any{}
	hold := func(v Veto, name, marker, why string, same bool) {
		if v == None {
			change[name] = "true"
		}
		if v == None || v == Ours && !same {
			change[marker] = why
		}
	}
	free := func(v Veto, name, marker string, marked bool) {
		if v == Ours {
			change[name] = nil
		}
		if marked {
			change[marker] = nil
		}
	}
	if w.Kind == Release || w.Kind == Clear {
		free(m.Disrupt, v1.DoNotDisruptAnnotationKey, annotation.Held, m.marked)
	} else {
		hold(m.Disrupt, v1.DoNotDisruptAnnotationKey, annotation.Held, w.Why, m.Why == w.Why)
	}
	if w.Kind == ReleaseForRepair || w.Kind == Clear {
		free(m.Repair, v1.DoNotRepairAnnotationKey, annotation.RepairHeld, m.repairMarked)
	} else {
		hold(m.Repair, v1.DoNotRepairAnnotationKey, annotation.RepairHeld, "true", true)
	}
	if w.Kind == Release || w.Kind == ReleaseForRepair {
		if !w.Since.IsZero() {
			change[annotation.ReleasedFor] = w.Why + " since " + w.Since.UTC().Format(time.RFC3339)
		}
	} else if w.Until.IsZero() && m.explained {
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
