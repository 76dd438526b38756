package candidate

import (
	"maps"
)

// A LabelSet is a namespace and labels. A million pods have a few thousand different ones, and what selects one pod selects all
// that have its LabelSet: a decision looks for it once. Parser.LabelSet makes them. The zero LabelSet is none.
type LabelSet struct{ set *labelSet }

type labelSet struct {
	number    int // among those that its Parser remembers
	namespace string
	labels    map[string]string
}

const (
	sizeOfLabelSet = 512 // one of no labels
	sizeOfLabel    = 128 // besides its text
)

// LabelSet returns the LabelSet of a pod's namespace and labels. Equal ones have the same, as long as the Parser remembers it. Reading
// labels takes longer than one decision on them, so this pays for pods that are kept from one decision to the next.
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
		set = &labelSet{namespace: text[start-len(namespace) : start], labels: quoted(text[start:])}
		if p.makeRoom(sizeOfLabelSet + sizeOfLabel*len(labels) + len(text)) {
			set.number = len(p.sets)
			p.sets[text] = set
		}
	}
	p.forget()
	return LabelSet{set}
}

// Equal reports whether both are of the same namespace and labels, whichever Parser made them.
func (s LabelSet) Equal(other LabelSet) bool {
	if s.set == nil || other.set == nil {
		return s == other
	}
	return s.set.namespace == other.set.namespace && maps.Equal(s.set.labels, other.set.labels)
}

// labelSet returns the LabelSet of a pod, if it is all that there is to know of the pod's namespace and labels.
func (p *Pod) labelSet() *labelSet {
	if s := p.LabelSet.set; s != nil && p.Labels == nil && (p.Namespace == "" || p.Namespace == s.namespace) {
		return s
	}
	return nil
}

// namespace returns the pod's own namespace, or that of its LabelSet.
func (p *Pod) namespace() string {
	if p.Namespace == "" && p.LabelSet.set != nil {
		return p.LabelSet.set.namespace
	}
	return p.Namespace
}

// labels returns the pod's own labels, or those of its LabelSet.
func (p *Pod) labels() map[string]string {
	if p.Labels == nil && p.LabelSet.set != nil {
		return p.LabelSet.set.labels
	}
	return p.Labels
}
