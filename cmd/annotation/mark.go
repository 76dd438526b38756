package annotation

import (
	"time"

	"github.com/disruptkit/disruptkit/candidate/kube"
)

// A Mark is what the annotations of a node say. The zero Mark is that of a node without any.
type Mark struct {
	Disrupt, Repair Veto
	// Until is when the release ends; zero: it has none, or nobody can read it.
	Until time.Time
	// Why is the value of Held.
	Why string
	// For is the value of ReleasedFor.
	For string
	// Left reports that ReleasedUntil is there, whatever it says.
	Left bool
	// Soon reports that the node has SoonTaint, which is no annotation: whoever reads the node sets it.
	Soon bool

	// Marked, RepairMarked and Explained report that Held, RepairHeld and ReleasedFor are there.
	Marked, RepairMarked, Explained bool
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
	text, left := annotations[ReleasedUntil]
	until, err := time.Parse(time.RFC3339, text)
	if err != nil {
		until = time.Time{}
	}
	why, marked := annotations[Held]
	_, repairMarked := annotations[RepairHeld]
	reasons, explained := annotations[ReleasedFor]
	return Mark{
		Disrupt: veto(annotations[kube.DoNotDisruptAnnotation], marked),
		Repair:  veto(annotations[kube.DoNotRepairAnnotation], repairMarked),
		Until:   until, Why: why, For: reasons, Left: left, Marked: marked, RepairMarked: repairMarked, Explained: explained,
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

// Ours reports whether a node has anything of the steward's.
func (m Mark) Ours() bool { return m.Marked || m.RepairMarked || m.Explained || m.Left || m.Soon }

// Held reports whether nothing can be disrupted or repaired.
func (m Mark) Held() bool { return m.Disrupt != None && m.Repair != None }

// Cleared returns the annotations to change so that nothing of the steward's is left: nil removes one.
func (m Mark) Cleared() map[string]any {
	change := map[string]any{}
	for name, there := range map[string]bool{
		kube.DoNotDisruptAnnotation: m.Disrupt == Ours, Held: m.Marked, kube.DoNotRepairAnnotation: m.Repair == Ours, RepairHeld: m.RepairMarked,
		ReleasedFor: m.Explained, ReleasedUntil: m.Left,
	} {
		if there {
			change[name] = nil
		}
	}
	return change
}
