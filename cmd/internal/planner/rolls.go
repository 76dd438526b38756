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
	options statusOptions
	looker  *looker
	actual  []Step // since the first plan was made
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
}

// A Row is how far a NodePool, a DisruptionPolicy or a zone is.
type Row struct {
	Name         string
	Zone, Policy bool
	State        string // done, stuck, rolling or waiting
	Tally
	Next, Done string   // when the next node starts, and the last one is done
	Notes      []string // its revision, what its next node waits for, and what is stuck
}

// AddFlags adds the flags of the input, and of how long things take.
func (r *Rolls) AddFlags(env *command.Environment, f *pflag.FlagSet) {
	r.options.addRoll(env, f)
}

// Finish sets what depends on several flags. The rolls are of one NodePool, or of all: "". It returns how clusters are read.
func (r *Rolls) Finish(env command.Environment, pool string) (policy manifest.Policy, zone *time.Location, err error) {
	o := &r.options
	if demo := o.File == "" && env.Cluster == nil; !demo {
		if err = o.Again(env, "dashboard"); err != nil {
			return policy, nil, err
		}
	}
	err = o.setRoll(env)
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
	of.Assumed = only([]string{o.Guesses, o.Measured}, func(text string) bool { return text != "" })
	of.Rows = append(o.rows(o.Pools, false), o.rows(o.Policies, true)...)
	r.compare(s, o, &of)
	return of
}

// rows returns the rows of NodePools or of policies, each with its zones.
func (o overview) rows(of []standing, policy bool) (rows []Row) {
	row := func(name string, zone bool, r standing) Row {
		return Row{wording.Quote(name), zone, policy, string(r.State), r.Tally, o.nextText(r.Next), o.doneText(r), nil}
	}
	for _, r := range of {
		first := row(r.Name, false, r)
		first.Notes = o.notes(r)
		rows = append(rows, first)
		for _, z := range r.Zones {
			rows = append(rows, row(zoneTitle(z.Name), true, z))
		}
	}
	return rows
}

// compare compares the rolls with the plan that was made at first, or since the revision of a pool has changed.
func (r *Rolls) compare(s snapshot, o overview, of *Rolled) {
	var begins bool
	if of.Course, begins = r.looker.compare(s, o); begins {
		r.actual = nil
	}
	planned, expected, done := r.looker.course, ends(o.sample.Plan), r.looker.course.done(s.in)
	if n := len(r.actual); n == 0 || r.actual[n-1].Done != done {
		r.actual = append(r.actual, Step{o.Now, done})
	}
	if len(planned.ends)+len(expected) == 0 {
		return
	}
	of.Planned, of.Expected = cumulated(Step{At: planned.plan.From}, planned.ends), cumulated(Step{o.Now, done}, expected)
	of.Actual = append(slices.Clone(r.actual), Step{o.Now, done})
	of.All = max(of.Planned[len(of.Planned)-1].Done, of.Expected[len(of.Expected)-1].Done)
}

// cumulated counts what is done at some times, on top of a first step.
func cumulated(first Step, at []time.Time) []Step {
	all := []Step{first}
	for i, t := range at {
		all = append(all, Step{t, first.Done + i + 1})
	}
	return all
}
