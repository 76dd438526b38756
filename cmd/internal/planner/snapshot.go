package planner

import (
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

// sample plans from a snapshot on, with the drains and launches that are measured so far.
func (o *options) sample(s snapshot, m *measured) plan.Range {
	now := s.in.Now
	m.watch(s.cluster, s.in)
	s.options.Model = m.model(s.options.Model, o.Given, now)
	r := inZone(plan.Sample(s.in, s.options, o.runs), now.Location())
	r.Plan = named(s.cluster, s.in, r.Plan)
	m.expect(r.Plan)
	return r
}
