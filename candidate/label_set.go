package candidate

import (
	"maps"
)

// A LabelSet is a namespace with labels. A million pods have a few thousand different ones. Selectors match all pods
// with the same LabelSet alike, so a decision evaluates them once for each. [Parser.LabelSet] makes them. The zero
// LabelSet means none.
type LabelSet struct{ set *labelSet }

type labelSet struct {
	number    int // unique within its Parser's cache
	namespace string
	labels    map[string]string
}

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
		set = &labelSet{namespace: text[start-len(namespace) : start], labels: quoted(text[start:])}
		if p.makeRoom(sizeOfLabelSet + sizeOfLabel*len(labels) + len(text)) {
			set.number = len(p.sets)
			p.sets[text] = set
		}
	}
	p.forget()
	return LabelSet{set}
}

// Equal reports whether both have the same namespace and labels, whichever Parser made them.
func (s LabelSet) Equal(other LabelSet) bool {
	if s.set == nil || other.set == nil {
		return s == other
	}
	return s.set.namespace == other.set.namespace && maps.Equal(s.set.labels, other.set.labels)
}

// labelSet returns the LabelSet of a pod, unless the pod has Labels of its own, or another Namespace.
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
