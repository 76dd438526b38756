package forecast

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/disruptkit/disruptkit/budget/lint"
	"github.com/disruptkit/disruptkit/cmd/internal/tell"
	"github.com/disruptkit/disruptkit/internal/wording"
)

// fewPools are as many as are found without an index.
const fewPools = 3

// found returns how many findings of a severity a pool has.
func (p *pool) found(s lint.Severity) (n int) {
	for _, f := range p.findings {
		if f.Severity == s {
			n++
		}
	}
	return n
}

// index lists the pools, with what is found of each, where there are many. Those with errors come first.
func (t text) index(pools []*pool) {
	if len(pools) <= fewPools {
		return
	}
	fmt.Fprintln(t)
	table := tell.NewGrid("NODEPOOL", "FINDINGS")
	for _, p := range worst(pools) {
		var words []string
		for _, s := range []lint.Severity{lint.SeverityError, lint.SeverityWarning, lint.SeverityInfo} {
			switch n := p.found(s); {
			case n == 1 || n > 1 && s == lint.SeverityInfo:
				words = append(words, fmt.Sprintf("%d %s", n, s))
			case n > 1:
				words = append(words, fmt.Sprintf("%d %ss", n, s))
			}
		}
		table.Add(wording.Quote(p.Name), cmp.Or(strings.Join(words, ", "), "none"))
	}
	fmt.Fprint(t, table)
}
