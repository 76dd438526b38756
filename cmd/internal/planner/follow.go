package planner

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/cmd/internal/command"
	"github.com/disruptkit/disruptkit/cmd/internal/follow"
	"github.com/disruptkit/disruptkit/cmd/manifest"
	"github.com/disruptkit/disruptkit/plan"
)

// A snapshot is the cluster at a time.
type snapshot struct {
	cluster *manifest.Cluster
	in      disruptkit.Input
	options plan.Options
}

// patience is how long a reading may take before the last answer is called stale. It is a variable for tests.
var patience = follow.Patience

// source is what is read again and again: the cluster, or the file.
func (o *options) source(env command.Environment) *follow.Source[snapshot] {
	return &follow.Source[snapshot]{File: o.File, Every: o.Every, Patience: patience, Read: func(at time.Time) (snapshot, error) {
		return o.snapshot(env, at)
	}}
}

// snapshot reads the cluster, or the file that was written at a time.
func (o *options) snapshot(env command.Environment, at time.Time) (s snapshot, err error) {
	reader := *o
	if !at.IsZero() {
		reader.At = at
	}
	if s.cluster, err = reader.read(env); err != nil {
		return snapshot{}, err
	}
	s.in, _ = reader.leaveOut(reader.input(s.cluster))
	s.options = reader.planOptions(s.cluster)
	return s, nil
}

// follow plans, reads the cluster, or the file, again and again, and says how the roll compares with the plan, whenever that changes. It
// returns when no node is left to go, or somebody stops it. What could not be read makes the last answer stale.
func (o *options) follow(ctx context.Context, env command.Environment) (status int, err error) {
	f := &following{options: o, env: env, out: env.Stdout}
	o.source(env).Each(ctx, func(s snapshot, err error) bool {
		switch {
		case err != nil && f.watch == nil && !follow.IsLate(err):
			f.failed = err
		case err != nil && f.watch == nil:
		case err != nil:
			f.stale(err.Error())
		default:
			f.take(s)
		}
		return f.over || f.failed != nil
	})
	if f.failed != nil {
		return hopeless, f.failed
	}
	return f.status(), nil
}

// A following is what is known while a roll is followed.
type following struct {
	*options
	env    command.Environment
	out    io.Writer
	failed error // to read at first, or to print

	watch    *watch
	measured *measured
	broken   bool      // something in the input is broken or missing
	over     bool      // no node is left to go
	last     answer    // that is printed
	at       time.Time // of the last snapshot
	fault    string    // why the last answer is stale; "": it is not
}

// take takes in a snapshot, and prints the answer if it has changed.
func (f *following) take(s snapshot) {
	now := s.in.Now
	if f.measured == nil {
		f.measured = newMeasured(s.in.Nodes, now)
	}
	f.measured.see(s.cluster.Milestones(), now)
	s.options.Model = f.measured.model(s.options.Model, f.Given, now)
	var a answer
	f.watch, a = f.watch.compare(s.in, f.sample(s))
	warnings := f.watch.fresh.Warnings
	f.measured.expect(f.watch.fresh)
	if f.at.IsZero() {
		f.broken = f.tell(f.env, s.cluster, warnings)
	} else {
		f.broken = isBroken(s.cluster, s.cluster.Warnings(disruptkit.Decision{Warnings: warnings}))
	}
	again := f.fault != ""
	f.at, f.fault, f.over = now, "", len(f.watch.fresh.Nodes) == 0
	if again || f.over || !a.like(f.last, now) {
		a.measured = f.measured.String()
		f.print(now, a.String())
		if a.measured != "" && a.measured != f.last.measured {
			f.print(time.Time{}, "measured in this roll: "+a.measured)
		}
		f.last = a
	}
}

// sample plans from a snapshot on.
func (o *options) sample(s snapshot) plan.Range {
	return inZone(plan.Sample(s.in, s.options, o.runs), s.in.Now.Location())
}

// stale says why there is no new answer, once.
func (f *following) stale(fault string) {
	if fault == f.fault {
		return
	}
	f.fault = fault
	f.print(time.Now().In(f.Zone), "stale: "+fault)
	f.print(time.Time{}, fmt.Sprintf("the last answer is of %s: %s", day(f.at), f.last))
}

// print prints a line with a time, or one that belongs to the line before.
func (f *following) print(at time.Time, text string) {
	if err := follow.Line(f.out, at, text); err != nil && f.failed == nil {
		f.failed = err
	}
}

// status returns the exit status.
func (f *following) status() int {
	if f.broken || f.fault != "" {
		return faulty
	}
	return good
}
