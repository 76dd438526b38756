package planner

var examples = [][2]string{
	{"NAME", "when the roll of all drifted nodes will be done"},
	{"NAME --set 'web.budgets[0].nodes=20%'", "the same, and with a larger budget beside it"},
	{"NAME --drain 10m --launch 5m", "with the times that draining and launching take in your cluster"},
	{"NAME -f cluster.json --pool web -o svg > plan.svg", "draw one NodePool of a file that kubectl printed"},
}
