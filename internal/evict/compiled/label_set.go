package compiled

// A LabelSet is the namespace and the labels that many pods share. All pods with the same LabelSet have the same
// pointer to it, as long as it is in the cache of the candidate.Parser that made it.
type LabelSet struct {
	Number    int // unique within its Parser's cache
	Namespace string
	Labels    map[string]string
}

// NamespaceOf returns the namespace of a pod with the LabelSet, which may be nil: the pod's own namespace, or else that
// of the LabelSet.
func (s *LabelSet) NamespaceOf(own string) string {
	if own == "" && s != nil {
		return s.Namespace
	}
	return own
}

// LabelsOf returns the labels of a pod with the LabelSet, which may be nil: the pod's own labels, or else those of the
// LabelSet.
func (s *LabelSet) LabelsOf(own map[string]string) map[string]string {
	if own == nil && s != nil {
		return s.Labels
	}
	return own
}
