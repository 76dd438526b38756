package candidate

import (
	"maps"
)

// A LabelSet is a namespace with labels. A million pods have a few thousand different LabelSets. A selector matches
// either all pods with the same LabelSet or none, so a decision evaluates it once for each LabelSet. [Parser.LabelSet]
// makes them. The zero LabelSet means that there is none: decisions then read the labels of the pod.
type LabelSet struct{ set *labelSet }

const (
	sizeOfLabelSet = 512 // one of no labels
	sizeOfLabel    = 128 // besides its text
)

// LabelSet returns the LabelSet of a pod's namespace and labels. Equal namespaces and labels get the same LabelSet, as
// long as it is in the Parser's cache. Making a LabelSet takes longer than one decision without it, so use it for pods
// that you keep from one decision to the next.
func (p *Parser) LabelSet(namespace string, labels map[string]string) LabelSet {
	for key := range labels {
		p.keys = append(p.keys, key)
	}
	p.quote(namespace)
	start := len(p.text)
	p.quoteAll(labels)
	set, ok := p.sets[string(p.text)]
	if !ok {
		text := string(p.text)
		set = &labelSet{Namespace: text[start-len(namespace) : start], Labels: quoted(text[start:])}
		if p.makeRoom(sizeOfLabelSet + sizeOfLabel*len(labels) + len(text)) {
			set.Number = len(p.sets)
			p.sets[text] = set
		}
	}
	p.forget()
	return LabelSet{set}
}

// Equal reports whether both have the same namespace and labels, whichever Parser made them. Exported for tests that
// compare Pods: go-cmp calls it, and == does not do.
func (s LabelSet) Equal(other LabelSet) bool {
	if s.set == nil || other.set == nil {
		return s == other
	}
	return s.set.Namespace == other.set.Namespace && maps.Equal(s.set.Labels, other.set.Labels)
}

// A labelSet is the namespace and the labels that many pods share. All pods with the same LabelSet have the same
// pointer to it, as long as it is in the cache of the [Parser] that made it.
type labelSet struct {
	Number    int // unique within its Parser's cache
	Namespace string
	Labels    map[string]string
}

// NamespaceOf returns the namespace of a pod with the LabelSet, which may be nil: the pod's own namespace, or else that
// of the LabelSet.
func (s *labelSet) NamespaceOf(own string) string {
	if own == "" && s != nil {
		return s.Namespace
	}
	return own
}

// LabelsOf returns the labels of a pod with the LabelSet, which may be nil: the pod's own labels, or else those of the
// LabelSet.
func (s *labelSet) LabelsOf(own map[string]string) map[string]string {
	if own == nil && s != nil {
		return s.Labels
	}
	return own
}
