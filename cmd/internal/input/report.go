package input

import (
	"fmt"
	"slices"
	"strings"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/internal/command"
	"github.com/disruptkit/disruptkit/cmd/internal/tell"
	"github.com/disruptkit/disruptkit/cmd/manifest"
)

// Report prints what is to be known of a cluster beside decisions: notes and warnings. It returns the exit status of a command that decided:
// Faulty if something is broken, or if nodes are blocked because a kind of objects is missing.
func Report(
	env command.Environment, cluster *manifest.Cluster, warnings []candidate.Warning, decisions ...disruptkit.Decision,
) (status int) {
	for _, note := range cluster.Notes() {
		fmt.Fprintln(env.Stderr, "note:", note)
	}
	for _, line := range lines(warnings) {
		fmt.Fprintln(env.Stderr, line)
	}
	holdsBack := func(m manifest.Missing) bool { return m.HoldsBack(decisions...) }
	if slices.ContainsFunc(warnings, tell.IsFault) || slices.ContainsFunc(cluster.Missing(), holdsBack) {
		return command.Faulty
	}
	return command.Good
}

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
