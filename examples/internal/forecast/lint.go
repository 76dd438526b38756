package forecast

import (
	"errors"
	"fmt"
	"time"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/examples/internal/engine"
	"github.com/disruptkit/disruptkit/examples/internal/manifest"
	"github.com/disruptkit/disruptkit/examples/internal/program"
)

// A Question is what Lint is asked.
type Question struct {
	Files  []string // none are the NodePools of the cluster, or the bundled one
	Policy manifest.Policy
	Pool   string // the only one that is looked at; "": all
	Nodes  int    // of each pool; below 0: nobody said how many
	Now    time.Time
}

// A Finding is one of a NodePool, and where it is written.
type Finding struct {
	budget.Finding
	Pool   string // "" where it cannot be read what it is
	Places []manifest.Place
}

// Lint returns what a forecast finds of NodePools, without their timelines, and how many NodePools there are. The error says which files
// could not be read or, without NodePools, that nothing could: the findings then are what is wrong with the input.
func Lint(env program.Environment, q Question) (all []Finding, pools int, err error) {
	in, err := read(options{files: q.Files, pool: q.Pool, policy: q.Policy, live: env.Cluster != nil}, env)
	for _, note := range in.notes { // faults are findings
		fmt.Fprintln(env.Stderr, "note:", note)
	}
	for _, f := range in.faults {
		unread := budget.Finding{Code: manifest.CodeUnreadable, Severity: budget.SeverityError, Message: f.Warning.Error()}
		all = append(all, Finding{unread, "", []manifest.Place{f.Place}})
	}
	if err != nil {
		return all, 0, err
	}
	for _, r := range in.pools {
		p := &pool{NodePool: r, nodes: q.Nodes}
		p.budgets, _ = p.Spec.Compile() // what is wrong is among the findings
		if p.As == engine.Guard {
			p.theirs, _ = p.Admitted.Compile()
		}
		for _, f := range p.findAll(q.Now) {
			if len(f.places) == 0 { // of the default, which is not written
				f.places = []manifest.Place{p.Place("budgets")}
			}
			all = append(all, Finding{f.Finding, p.Name, f.places})
		}
	}
	return all, len(in.pools), errors.Join(in.unread...)
}
