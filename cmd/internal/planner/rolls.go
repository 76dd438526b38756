package planner

import (
	"context"
	"slices"
	"time"

	"github.com/spf13/pflag"

	"github.com/disruptkit/disruptkit/cmd/internal/command"
	"github.com/disruptkit/disruptkit/cmd/manifest"
	"github.com/disruptkit/disruptkit/internal/wording"
)

// Rolls is how far rolls are, read again and again, for a page that shows it: as the command status does, compared with the first plan.
type Rolls struct {
	written statusWritten
	looker  *looker
	course  *course
}

// A course is a roll beside its plan.
type course struct {
	*watch
	revisions map[string]string // of the pools, by name
	before    []Step
	actual    []Step
}

// A Step is when so many nodes are done.
type Step struct {
	At   time.Time
	Done int
}

// A Rolled is how far all rolls are at a time.
type Rolled struct {
	Cluster *manifest.Cluster
	Now     time.Time // in the zone in which times are shown
	Broken  bool      // something in it is broken or missing
	// Unknown is why nothing is known of rolls: then all that follows is empty.
	Unknown string

	Headline string   // how far all are
	Course   string   // how that compares with the plan
	Assumed  []string // what the plan takes for granted, and what was measured
	Rows     []Row    // NodePools, each with its zones, and DisruptionPolicies

	// Planned and Expected are when nodes are done by the first plan, and by one that is made now; Actual is when they were.
	// Each begins when the first plan was made, or now. All are empty where no node has to go.
	Planned, Actual, Expected []Step
	All                       int // nodes that are to go by these
	// Before is when the nodes of the roll became Ready that were new when the first plan was made, by their NodeClaims. Nodes that
	// were added meanwhile are among them.
	Before []Step
}

// A Row is how far a NodePool, a DisruptionPolicy or a zone is.
type Row struct {
	Name                                           string
	Zone, Policy                                   bool
	State                                          string // done, stuck, rolling or waiting
	Nodes, New, Unready, InProgress, ToGo, IsStuck int
	Next, Done                                     string   // when the next node starts, and the last one is done
	Notes                                          []string // its revision, what its next node waits for, and what is stuck
}

// AddFlags adds the flags of the input, and of how long things take.
func (r *Rolls) AddFlags(env *command.Environment, f *pflag.FlagSet) {
	r.written.addRoll(env, f)
}

// Finish sets what depends on several flags. The rolls are of one NodePool, or of all: "". It returns how clusters are read.
func (r *Rolls) Finish(env command.Environment, pool string) (policy manifest.Policy, zone *time.Location, err error) {
	w := &r.written
	demo := w.File == "" && env.Cluster == nil
	if err := env.DemoAlone(w.File); err != nil {
		return policy, nil, err
	}
	if !demo {
		if err := w.Again(env, "dashboard"); err != nil {
			return policy, nil, err
		}
	}
	o, err := w.setRoll(env)
	if pool != "" {
		o.pools = []string{pool}
	}
	r.looker = newLooker(o)
	return o.Policy, o.Zone, err
}

// Follow reads until ctx is done or see returns true. It calls see with how far rolls are, or why nothing could be read.
func (r *Rolls) Follow(ctx context.Context, env command.Environment, see func(Rolled, error) (over bool)) {
	r.looker.source(env).Each(ctx, func(s snapshot, err error) bool {
		if err != nil {
			return see(Rolled{}, err)
		}
		return see(r.look(s), nil)
	})
}

// Tell prints the warnings about a cluster on standard error.
func (r *Rolls) Tell(env command.Environment, cluster *manifest.Cluster) {
	r.looker.tell(env, cluster, nil)
}

// look returns how far rolls are.
func (r *Rolls) look(s snapshot) Rolled {
	of := Rolled{Cluster: s.cluster, Now: s.in.Now, Broken: isBroken(s.cluster, s.cluster.Warnings())}
	o, err := r.looker.look(s)
	if err != nil {
		of.Unknown = err.Error()
		return of
	}
	of.Headline = o.headline()
	of.Assumed = only([]string{o.guesses, o.measured}, func(text string) bool { return text != "" })
	for _, p := range o.pools {
		of.Rows = append(of.Rows, o.rows(p, Row{})...)
	}
	for _, p := range o.policies {
		of.Rows = append(of.Rows, o.rows(p, Row{Policy: true})...)
	}
	r.compare(s, o, &of)
	return of
}

// rows returns the row of a standing, and those of its zones.
func (o overview) rows(r standing, like Row) (rows []Row) {
	row := like
	row.Name, row.State = wording.Quote(r.name), string(r.state(o.now))
	if row.Zone {
		row.Name = wording.Quote(zoneTitle(r.name))
	}
	row.Nodes, row.New, row.Unready, row.InProgress, row.ToGo, row.IsStuck = r.nodes, r.fresh, r.unready, r.going, r.toGo, r.stuckNodes
	row.Next, row.Done = o.nextText(r.next), o.doneText(r)
	if !row.Zone {
		row.Notes = o.notes(r)
	}
	rows = append(rows, row)
	for _, z := range r.zones {
		rows = append(rows, o.rows(z, Row{Zone: true, Policy: like.Policy})...)
	}
	return rows
}

// compare compares the rolls with the plan that was made at first, or since the revision of a pool has changed.
func (r *Rolls) compare(s snapshot, o overview, of *Rolled) {
	revisions := map[string]string{}
	changed := r.course == nil
	for _, p := range o.pools {
		revisions[p.name] = p.revision.Hash
		changed = changed || r.course.revisions[p.name] != p.revision.Hash
	}
	if changed {
		r.course = &course{before: r.before(s, o)}
	}
	c := r.course
	c.revisions = revisions
	c.watch, of.Course = c.watch.compare(s.in, o.sample)
	done := c.done(s.in)
	if n := len(c.actual); n == 0 || c.actual[n-1].Done != done {
		c.actual = append(c.actual, Step{o.now, done})
	}
	if len(c.ends)+len(ends(o.sample.Plan)) == 0 {
		return
	}
	of.Planned, of.Actual, of.Expected = cumulated(Step{At: c.plan.From}, c.ends), slices.Clone(c.actual), cumulated(Step{o.now, done}, ends(o.sample.Plan))
	of.Actual, of.Before = append(of.Actual, Step{o.now, done}), c.before
	of.All = max(of.Planned[len(of.Planned)-1].Done, of.Expected[len(of.Expected)-1].Done)
}

// before returns when the nodes became Ready that are new, and were created since the roll of their NodePool began.
func (r *Rolls) before(s snapshot, o overview) []Step {
	fresh := map[string]bool{}
	for i := range s.in.Nodes {
		n := &s.in.Nodes[i]
		kind, counts := r.looker.kind(n, false)
		fresh[n.Name] = counts && kind == isFresh
	}
	var at []time.Time
	for _, m := range s.cluster.Milestones() {
		began, rolls := r.looker.began[m.Pool]
		if o.has(m.Pool) && rolls && fresh[m.Node] && !m.Created.Before(began) && !m.Initialized.IsZero() && !m.Initialized.After(o.now) {
			at = append(at, m.Initialized)
		}
	}
	if len(at) == 0 {
		return nil
	}
	slices.SortFunc(at, time.Time.Compare)
	return cumulated(Step{At: at[0]}, at)
}

// cumulated counts what is done at some times, on top of a first step.
func cumulated(first Step, at []time.Time) []Step {
	all := []Step{first}
	for i, t := range at {
		all = append(all, Step{t, first.Done + i + 1})
	}
	return all
}
