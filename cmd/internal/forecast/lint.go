package forecast

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/spf13/pflag"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/budget/lint"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/engine"
	"github.com/disruptkit/disruptkit/cmd/internal/choose"
	"github.com/disruptkit/disruptkit/cmd/internal/command"
	"github.com/disruptkit/disruptkit/cmd/manifest"
)

// A Question is what is asked of NodePools.
type Question struct {
	Files   []string // and directories, - is standard input; none are the NodePools of the cluster, or the bundled one
	Deep    bool     // of directories, those in them are read as well
	Exclude []string // patterns of files and directories that are left out there
	IfAny   bool     // the files may have no NodePool
	Policy  manifest.Policy
	Pool    string // the only one that is looked at; "": all
	Nodes   int    // of each pool
	Assumed bool   // the number is unknown: the nodes of the input count first
	Now     time.Time
}

// Rewrite returns how to write fixes of findings of one NodePool into its file. Those that correct values come first,
// and others wait until the list can be read.
func Rewrite(findings []Finding, fixes []lint.Fix) (patch manifest.Patch, wait bool, err error) {
	var typos []candidate.Warning
	for _, f := range findings {
		typos, wait = append(typos, f.typos...), wait || len(f.typos) == 0
	}
	if len(typos) > 0 {
		patch, err = findings[0].in.Correct(typos)
		return patch, wait, err
	}
	patch, err = findings[0].in.Rewrite(fixes...)
	return patch, false, err
}

// assumedNodes is how many nodes a pool has if the number is unknown.
const assumedNodes = 100

// AddFlags adds the flags of whoever asks.
func (q *Question) AddFlags(f *pflag.FlagSet) {
	q.Policy.PoolFlags(f)
	f.StringArrayVarP(&q.Files, "filename", "f", nil, "read this `file` or directory, as without -f; there may be several")
	f.BoolVarP(&q.Deep, "recursive", "R", false, "also read the directories in directories")
	choose.PoolFlag(f, &q.Pool, "show one `NodePool`")
	q.Nodes, q.Assumed = assumedNodes, true
	f.Func("nodes", fmt.Sprintf("how many nodes a pool has, as a `number`, for percentages (default: as in the input, or else %d)", assumedNodes),
		func(text string) (err error) {
			q.Assumed = false
			q.Nodes, err = parseNodes(text)
			return err
		})
}

// parseNodes reads how many nodes a pool has.
func parseNodes(text string) (int, error) {
	nodes, err := strconv.Atoi(text)
	if err != nil || nodes < 0 || nodes > math.MaxInt32 {
		return 0, fmt.Errorf("%q is not a number of nodes: write one from 0 to %d", text, math.MaxInt32)
	}
	return nodes, nil
}

// SamePool reports whether two findings are about the same NodePool.
func (f Finding) SamePool(other Finding) bool { return f.in == other.in }

// An Answer is what Lint finds.
type Answer struct {
	Findings []Finding
	Pools    int      // how many NodePools there are
	Assumed  bool     // the number of nodes of one of them
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
	return Finding{Finding: unread, Places: []manifest.Place{f.Place}}
}

// Lint returns what a forecast finds of NodePools, without their timelines. The error says which files could not be
// read or, without NodePools, that nothing could: the findings then are what is wrong with the input.
func Lint(env command.Environment, q Question) (a Answer, err error) {
	o := options{Question: q, live: env.Cluster != nil, to: q.Now}
	in, err := read(o, env)
	if errors.Is(err, errNoPool) && (q.IfAny && len(in.faults) == 0 || len(in.policies) > 0) {
		err = nil
	}
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
	if err != nil {
		in.pools = nil
	}
	a.Pools = len(in.pools)
	for _, r := range in.pools {
		nodes, assumed := o.nodesOf(in.counted, r)
		a.Assumed = a.Assumed || assumed
		p := newPool(r, nodes)
		p.repeated = in.repeated[r.Named]
		for _, f := range p.findAll(q.Now) {
			if len(f.Places) == 0 { // of the default, which is not written
				f.Places = []manifest.Place{p.Place("budgets")}
			}
			add(f, p.Named)
		}
	}
	if q.Policy.As != engine.Karpenter {
		for _, p := range in.policies {
			for _, f := range lintPolicy(p, q.Now) {
				add(f, manifest.Place{})
			}
		}
	}
	a.Findings, a.Ignored = in.leaveOut(all, named, q.Pool == "")
	return a, errors.Join(append(in.unread, err)...)
}

// ofPools are findings that hold of a list of budgets only if no other limits the nodes. NodePools have their own beside those of a policy.
var ofPools = []string{lint.CodeNoBudgets, lint.CodeUnlimitedSpan, lint.CodePaceAlone, lint.CodeNotReadyBlocks}

// lintPolicy returns what package budget finds of the budgets of a DisruptionPolicy.
func lintPolicy(p manifest.WrittenPolicy, now time.Time) (all []Finding) {
	if len(p.Faults) > 0 || len(p.Budgets.Budgets()) == 0 {
		return nil
	}
	for _, f := range lint.Run(p.Budgets, now, lint.Facts{AsksToExpire: true}) {
		if slices.Contains(ofPools, f.Code) {
			continue
		}
		f.Fixes = nil // they are of the list of a NodePool
		one := Finding{Finding: f, Pool: p.Object()}
		for _, which := range []budget.Indexes{f.Subject, f.Budgets &^ f.Subject} {
			for i := range which.All() {
				one.Places = append(one.Places, p.Place("spec."+p.Budgets.Place(i)))
			}
		}
		if len(one.Places) == 0 {
			one.Places = []manifest.Place{p.Place("spec.budgets")}
		}
		all = append(all, one)
	}
	return all
}
