package decide

import (
	"fmt"
	"strings"

	"github.com/disruptkit/disruptkit/candidate"
)

// manyAlike are more warnings than are printed one by one where they say the same of objects of one kind.
const manyAlike = 3

// lines returns warnings as lines. The pods of a Deployment have the same faults, which would hide all others.
func lines(warnings []candidate.Warning) []string {
	content := func(w candidate.Warning) candidate.Warning {
		w.Object, _, _ = strings.Cut(w.Object, "/")
		return w
	}
	alike := map[candidate.Warning]int{}
	for _, w := range warnings {
		alike[content(w)]++
	}
	var lines []string
	for _, w := range warnings {
		id := content(w)
		switch n := alike[id]; {
		case n < 0: // it is in a line before
			continue
		case n > manyAlike:
			alike[id] = -1
			w.Object += fmt.Sprintf(" and %d more", n-1)
		}
		lines = append(lines, w.Error())
	}
	return lines
}
