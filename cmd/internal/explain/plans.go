package explain

// plans are the codes of package plan, for the phases of a node in flight.
var plans = []Entry{
	{"launch", "A replacement for the node is on its way, and not yet Ready.",
		"A new instance boots, and its startup taints are removed.",
		"Nothing. If launches take longer on your cluster, say so: kubectl disruption plan --launch 5m."},
	{"drain", "The node drains: its pods are evicted, and start elsewhere.",
		"A pod with a long terminationGracePeriodSeconds.",
		"Nothing. If drains take longer on your cluster, say so: kubectl disruption plan --drain 10m."},
}
