package forecast

var examples = [][2]string{
	{"NAME nodepool.yaml", "the week of a NodePool, from today on"},
	{"NAME --from 2026-12-20 --to 2027-01-05 --zone Europe/Berlin nodepool.yaml", "two weeks, with the times of Berlin"},
	{"NAME --reason Drifted --nodes 40 -o html nodepool.yaml > week.html", "one reason, of a pool of 40 nodes, as a page"},
}
