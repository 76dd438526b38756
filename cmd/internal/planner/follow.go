package planner

import (
	"context"
	"errors"
	"fmt"
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

// follow plans, reads the cluster, or the file, again and again, and prints how the roll compares with the plan, if that changes. It
// returns when no node is left to go, or it is stopped. If reading fails, the last answer becomes stale.
func (o *options) follow(ctx context.Context, env command.Environment) (status int, err error) {
	f := newFollowing(o, env)
	o.source(env).Each(ctx, func(s snapshot, err error) bool {
		switch {
		case err == nil:
			f.take(s)
		case f.watch != nil:
			f.stale(err.Error())
		case !follow.IsLate(err):
			f.failed = err
		}
		return f.over || f.failed != nil || f.view.Err != nil
	})
	return exit(f.broken || f.view.Fault != "", errors.Join(f.failed, f.view.Err))
}

// A following is the state of following a roll.
type following struct {
	*options
	env    command.Environment
	view   *follow.View
	failed error // to read at first

	watch    *watch
	measured *measured
	broken   bool   // something in the input is broken or missing
	over     bool   // no node is left to go
	last     answer // that is printed
}

func newFollowing(o *options, env command.Environment) *following {
	return &following{options: o, env: env, view: follow.NewView(nil, env.Stdout, o.Zone, false)}
}

// take reads a snapshot, and prints the answer if it has changed.
func (f *following) take(s snapshot) {
	now, first := s.in.Now, f.watch == nil
	var (
		r plan.Range
		a answer
	)
	r, f.measured = f.sample(s, f.measured)
	f.watch, a = f.watch.compare(s.in, r)
	if first {
		f.broken = f.tell(f.env, s.cluster, r.Plan.Warnings)
	} else {
		f.broken = isBroken(s.cluster, s.cluster.Warnings(disruptkit.Decision{Warnings: r.Plan.Warnings}))
	}
	again := f.view.Fault != ""
	f.view.Fault, f.over = "", len(r.Plan.Nodes) == 0
	if again || f.over || !a.like(f.last, now) {
		a.measured = f.measured.String()
		f.view.Line(now, a.String())
		if a.measured != "" && a.measured != f.last.measured {
			f.view.Line(time.Time{}, "measured in this roll: "+a.measured)
		}
		f.last = a
	}
}

// sample plans from a snapshot on, with the drains and launches that are measured so far. Without measurements, it begins them.
func (o *options) sample(s snapshot, m *measured) (plan.Range, *measured) {
	now := s.in.Now
	if m == nil {
		m = newMeasured(s.in.Nodes, now)
	}
	m.watch(s.cluster, s.in)
	s.options.Model = m.model(s.options.Model, o.Given, now)
	r := inZone(plan.Sample(s.in, s.options, o.runs), now.Location())
	r.Plan = named(s.cluster, s.in, r.Plan)
	m.expect(r.Plan)
	return r, m
}

// stale prints, once, why there is no new answer, and what the last one was.
func (f *following) stale(fault string) {
	before := f.view.Fault
	if f.view.Stale(fault); f.view.Fault != before {
		f.view.Line(time.Time{}, fmt.Sprintf("the last answer is of %s: %s", day(f.watch.last), f.last))
	}
}
