package lint

import (
	_ "embed"
	"strings"
)

// A Rule is one kind of mistake. What programs say of a code (kubectl disruption explain, SARIF, the site) comes from
// here.
type Rule struct {
	Code    string // stable, for programs
	Means   string // what the mistake is
	Example string // a budget, or another text, that has it
	Do      string // what to do about it
}

//go:embed rules.md
var rules string

// Rules returns all rules, sorted by code.
func Rules() (all []Rule) {
	_, table, _ := strings.Cut(rules, "---|\n")
	for row := range strings.Lines(table) {
		f := strings.Split(strings.Trim(row, "|\n "), " | ")
		all = append(all, Rule{f[0], f[1], f[2], f[3]})
	}
	return all
}
