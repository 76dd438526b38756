package lint

var examples = [][2]string{
	{"NAME -R deploy", "all NodePools below a directory"},
	{"NAME --fail-on warning --disable rounds-up -o github deploy/*.yaml", "in a workflow, with a finding left out"},
	{"NAME -o sarif -R deploy > findings.sarif", "for code scanning"},
}
