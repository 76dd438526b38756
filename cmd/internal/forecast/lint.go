package forecast

import (
	"errors"
	"fmt"
	"time"

	"github.com/disruptkit/disruptkit/budget/lint"
	"github.com/disruptkit/disruptkit/cmd/internal/command"
	"github.com/disruptkit/disruptkit/cmd/manifest"
)

// A Question is what Lint is asked.
type Question struct {
	Files   []string // and directories; none are the NodePools of the cluster, or the bundled one
	Deep    bool     // of directories, those in them are read as well
	Policy  manifest.Policy
	Pool    string // the only one that is looked at; "": all
	Nodes   int    // of each pool
	Assumed bool   // the number is unknown: the nodes of the input count first
	Now     time.Time
}

// A Finding is one of a NodePool, and where it is written.
type Finding struct {
	lint.Finding
	Pool   string // "" where it cannot be read what it is
	Places []manifest.Place
	in     *pool // nil: none
}

// Rewrite returns how to write fixes of a NodePool's findings into its file.
func (f Finding) Rewrite(fixes ...lint.Fix) (manifest.Patch, error) { return f.in.Rewrite(fixes...) }

// SamePool reports whether two findings are about the same NodePool.
func (f Finding) SamePool(other Finding) bool { return f.in == other.in }

// An Answer is what Lint finds.
type Answer struct {
	Findings []Finding
	Pools    int      // how many NodePools there are
	Ignored  int      // findings that comments or annotations leave out
	Files    []string // that were read; standard input and a cluster are none
}

// findingOf returns the finding about something that may be a NodePool, and cannot be read.
func findingOf(f manifest.Fault) Finding {
	unread := lint.Finding{Code: string(manifest.CodeUnreadable), Severity: lint.SeverityError, Message: f.Warning.Error()}
	switch f.Code {
	case manifest.CodeSelectsNothing, manifest.CodeOverruled:
		unread.Code, unread.Severity = string(f.Code), lint.SeverityWarning
	}
	return Finding{unread, "", []manifest.Place{f.Place}, nil}
}

// Lint returns what a forecast finds of NodePools, without their timelines. The error says which files could not be
// read or, without NodePools, that nothing could: the findings then are what is wrong with the input.
func Lint(env command.Environment, q Question) (a Answer, err error) {
	o := options{files: q.Files, deep: q.Deep, pool: q.Pool, policy: q.Policy, live: env.Cluster != nil,
		now: q.Now, to: q.Now, nodes: q.Nodes, nodesAssumed: q.Assumed}
	in, err := read(o, env)
	a.Files = in.files
	for _, note := range in.notes { // faults are findings
		fmt.Fprintln(env.Stderr, "note:", note)
	}
	var all []Finding
	var named []manifest.Place // of the NodePools of all findings
	add := func(f Finding, name manifest.Place) { all, named = append(all, f), append(named, name) }
	for _, f := range in.faults {
		add(findingOf(f), manifest.Place{})
	}
	if err == nil {
		a.Pools = len(in.pools)
	}
	notReady := false // a pool is blocked by one node that is not Ready, and it has been said
	for _, r := range in.pools {
		nodes, _ := o.nodesOf(in.counted, r.Name)
		p := newPool(r, nodes)
		p.repeated = in.repeated[r.Named]
		for _, f := range p.findAll(q.Now) {
			if len(f.places) == 0 { // of the default, which is not written
				f.places = []manifest.Place{p.Place("budgets")}
			}
			blocks := f.Code == lint.CodeNotReadyBlocks
			if blocks && notReady {
				continue // it is the same of each NodePool: once is enough
			}
			notReady = notReady || blocks
			add(Finding{f.Finding, p.Name, f.places, p}, p.Named)
		}
	}
	a.Findings, a.Ignored = in.leaveOut(all, named, q.Pool == "")
	return a, errors.Join(append(in.unread, err)...)
}
