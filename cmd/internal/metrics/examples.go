package metrics

var examples = [][2]string{
	{"NAME --listen localhost:9090", "serve the metrics and a page until interrupted"},
	{"NAME -f cluster.json --pool web", "print the metrics of one NodePool once"},
	{"NAME -f cluster.json --page page.html", "write the page, too"},
}
