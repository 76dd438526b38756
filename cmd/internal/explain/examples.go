package explain

var examples = [][2]string{
	{"NAME", "list all codes"},
	{"NAME exhausted never-binds", "what two of them mean, and what to do"},
}
