package compiled

// A LabelSet is the namespace and the labels that many pods share. All pods with the same LabelSet have the same
// pointer to it, as long as it is in the cache of the candidate.Parser that made it.
type LabelSet struct {
	Number    int // unique within its Parser's cache
	Namespace string
	Labels    map[string]string
}

// NamespaceOf returns the namespace of a pod that has the LabelSet, or none if it is nil: the pod's own, or that of the LabelSet.
func (s *LabelSet) NamespaceOf(own string) string {
	if own == "" && s != nil {
		return s.Namespace
	}
	return own
}
