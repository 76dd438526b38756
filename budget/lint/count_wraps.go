package lint

import (
	"strconv"

	"github.com/disruptkit/disruptkit/budget"
)

var ruleCountWraps = Rule{
	Code:    CodeCountWraps,
	Means:   "Karpenter keeps the lowest 32 bits of a count, so a huge one becomes another number.",
	Example: `nodes: "4294967296" is 0 in Karpenter.`,
	Do:      `Write a count that a pool can have, or "100%".`,
}

func (l *linter) countWraps(i int, b budget.Budget) {
	n, err := strconv.Atoi(b.Nodes)
	if kept := int(int32(n)); err == nil && kept != n {
		deleting := l.deleting(i)
		deleting.raises = true
		l.quirk(i, CodeCountWraps, remedy{ways: []way{deleting}, tail: ": without a budget there is no limit",
			otherwise: "write a count that a pool can have"},
			", and Karpenter keeps the lowest 32 bits of that, which are %d", kept)
	}
}
