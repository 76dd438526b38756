package manifest

import (
	"fmt"
	"slices"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/annotation"
	"github.com/disruptkit/disruptkit/cmd/engine"
)

// unread returns warnings about annotations of a NodePool that the engine does not read, other than some.
func (p Policy) unread(o *object, reads ...string) (all []candidate.Warning) {
	at, as := o.root.field("metadata").field("annotations"), engine.Guard
	if p.As == engine.Disruptkit {
		at = at.apart() // a fault of one that is not read blocks nothing
	}
	annotations := at.texts()
	for _, name := range at.names() { // such as true, without quotes
		if _, is := annotations[name]; !is {
			annotations[name] = ""
		}
	}
	if _, there := annotations[annotation.Steward]; there {
		as = engine.Steward
	}
	why := "in " + p.As.Phrase()
	if p.As == engine.Karpenter {
		why = "in Karpenter without disruptkit's guard or steward"
	}
	return withoutEffect(o.String(), annotations, reads, func(name string) string {
		instead := ""
		if name == annotation.Pause && p.As == engine.Karpenter {
			instead = "; kubectl disruption pause stops stock Karpenter"
		}
		return why + instead + fmt.Sprintf("; for what it does with the %s, %s", as, p.choose(as))
	})
}

// misplaced returns warnings about annotations of an object that is no NodePool, which no engine reads there, other than some.
func misplaced(kind, object string, annotations map[string]string, reads ...string) []candidate.Warning {
	return withoutEffect(object, annotations, reads, func(name string) string {
		why := "on a " + kind
		if of := annotation.Bearer(name); of != "" {
			why += ": write it on the " + of
		}
		return why
	})
}

// withoutEffect returns a warning about each annotation of ours that may be meant as a limit, unless the engine reads it.
func withoutEffect(object string, annotations map[string]string, reads []string, why func(name string) string) (all []candidate.Warning) {
	for _, name := range annotation.Names(annotations) {
		if annotation.Limits(name) && !slices.Contains(reads, name) {
			all = append(all, candidate.Warning{
				Code: candidate.CodeNoEffect, Object: object, Field: "metadata.annotations[" + name + "]", Value: annotations[name],
				Message: "it has no effect " + why(name),
			})
		}
	}
	return all
}
