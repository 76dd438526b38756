package engine

// An Asked is a node whose replacement somebody asks for, as far as engines differ about that.
type Asked struct {
	Static     bool // its NodePool is
	OptedIn    bool // its NodePool is, so that the steward holds and releases its nodes
	Comparable bool // Karpenter compares the hashes of its NodeClaim and its NodePool: annotation.Comparable
}

// Unheard reports why the engine does not act on the request; "": it does.
func (e Engine) Unheard(a Asked) string {
	switch {
	case e == Karpenter:
		return "Karpenter does not know it"
	case e == Guard && a.Static:
		return "the guard replaces a node of a static NodePool for drift alone"
	case e == Steward && !a.OptedIn:
		return `the steward leaves a node to Karpenter alone if its NodePool does not have the annotation disruptkit.dev/steward: "true"`
	case e == Steward && !a.Comparable:
		return "the steward cannot make it drift before Karpenter has written karpenter.sh/nodepool-hash, of one version, on its NodePool and its NodeClaim"
	}
	return ""
}
