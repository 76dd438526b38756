package metrics

import (
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/internal/planner"
	"github.com/disruptkit/disruptkit/cmd/internal/tell"
	"github.com/disruptkit/disruptkit/cmd/manifest"
	"github.com/disruptkit/disruptkit/plan"
)

// A file is a cluster as kubectl prints it, read again each time that somebody looks.
type file struct {
	name    string // "" is a live cluster
	open    func() (io.ReadCloser, error)
	policy  manifest.Policy
	now     time.Time         // zero: when somebody looks
	cluster *manifest.Cluster // as it was read last
}

// claims returns the node of a NodeClaim, as it was read last.
func (f *file) claims(name string) (node string, known bool) { return f.cluster.NodeOf(name) }

func newFile(name string, stdin io.Reader, policy manifest.Policy, now time.Time) *file {
	return &file{name: name, open: func() (io.ReadCloser, error) { return manifest.Open(name, stdin) }, policy: policy, now: now}
}

func (f *file) input() (disruptkit.Input, error) {
	in, err := f.open()
	if err != nil {
		return disruptkit.Input{}, err
	}
	defer in.Close()
	now := f.now
	if now.IsZero() {
		now = time.Now().UTC()
	}
	if err := f.policy.ReadCalendars("", now, now); err != nil {
		return disruptkit.Input{}, err
	}
	cluster, err := f.policy.Read(in)
	if err != nil {
		if f.name != "" {
			err = fmt.Errorf("%s: %w", f.name, err)
		}
		return disruptkit.Input{}, f.policy.Unread(err)
	}
	f.cluster = cluster
	return cluster.Input(now), nil
}

// decide decides as the engine does that the file was read for.
func (f *file) decide(in disruptkit.Input, reason candidate.Reason) disruptkit.Decision {
	return f.cluster.Decide(in, reason)
}

// missing returns what was not given.
func (f *file) missing() []manifest.Missing { return f.cluster.Missing() }

// repairs reports whether there are policies by which nodes are repaired.
func (f *file) repairs() bool { return f.cluster.Repairing() }

// unsure returns the nodes that may be disrupted for nothing but consolidation: the condition Consolidatable does not say that it will be done.
func (f *file) unsure(ds []disruptkit.Decision) map[string]bool {
	nodes := map[string]bool{}
	for _, d := range ds {
		for _, c := range d.Allowed {
			others, known := nodes[c.Node]
			nodes[c.Node] = candidate.Underutilized.Covers(c.Reason) && (others || !known)
		}
	}
	return nodes
}

// planOptions are those of kubectl disruption plan where nothing is given or measured.
func (f *file) planOptions() plan.Options {
	return planner.Options(f.cluster, f.policy.As, plan.Model{Eviction: plan.Constant(30 * time.Second)})
}

// admitted returns Karpenter's own budgets where the guard or the steward runs.
func (f *file) admitted() map[string]budget.Set {
	all := map[string]budget.Set{}
	for _, p := range f.cluster.Pools {
		if set, also := f.cluster.Admitted(p.Name); also {
			all[p.Name] = set
		}
	}
	return all
}

// rejected reports whether the API server rejects a NodePool.
func (f *file) rejected(pool string) bool { return f.cluster.Rejected(pool) }

// faults returns what is broken in what was read last.
func (f *file) faults(ds []disruptkit.Decision) []candidate.Warning {
	return slices.DeleteFunc(f.warnings(ds), func(w candidate.Warning) bool { return !tell.IsFault(w) })
}

// start starts nothing: somebody else does.
func (f *file) start([]candidate.Reason, disruptkit.Input) {}

// warnings returns what is wrong with what was read last.
func (f *file) warnings(ds []disruptkit.Decision) []candidate.Warning {
	return f.cluster.Warnings(ds...)
}
