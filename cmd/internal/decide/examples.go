package decide

var examples = [][2]string{
	{"NAME", "all nodes, for the reasons for which Karpenter asks"},
	{"NAME --pool web --reason Drifted", "one NodePool, for one reason"},
	{"NAME -f cluster.json --now 2026-12-24", "a file that kubectl printed, as if it was Christmas Eve"},
	{"NAME --engine guard -o json", "Karpenter with disruptkit's guard, for a program to read"},
}

var examplesWhy = [][2]string{
	{"NAME ip-10-0-36-243", "a part of the name of a node is enough"},
	{"NAME ip-10-0-36-243 --reason Drifted --zone Europe/Berlin", "for one reason, with the times of Berlin"},
	{"NAME ip-10-0-36-243 -f cluster.json", "a node in a file that kubectl printed"},
}
