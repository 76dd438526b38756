// Package input reads the cluster that programs decide on.
package input

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/pflag"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/engine"
	"github.com/disruptkit/disruptkit/cmd/internal/bundled"
	"github.com/disruptkit/disruptkit/cmd/internal/command"
	"github.com/disruptkit/disruptkit/cmd/manifest"
)

// A Source is what flags say of where a cluster is read, as which engine reads it, and at what time.
type Source struct {
	File   string // "": the cluster that the program can ask, or else the bundled one; - is standard input
	Policy manifest.Policy
	At     time.Time      // zero: not given
	Zone   *time.Location // in which times are shown, and dates are read
	Every  time.Duration  // from one reading of the cluster to the next, with AddEvery

	flags *pflag.FlagSet
	zone  command.Zone
	now   string
	asked []candidate.Reason
	piped []byte // what was read from standard input or a pipe
}

// AddFlags adds the flags. What the program does at a time, such as "decide for", is for the help.
func (s *Source) AddFlags(env *command.Environment, f *pflag.FlagSet, does string) {
	s.flags = f
	s.Policy.Flags(f)
	f.Lookup("engine").Usage += ". Without the flag, annotations of NodePools name the steward or the guard"
	command.FileVarP(f, &s.File, "filename", "f",
		"read the `file` with JSON or YAML that kubectl printed; - is standard input (default: the cluster)")
	env.AddDemo(f)
	f.StringVar(&s.now, "now", "", does+" this `time`, such as 2026-11-20 or 2026-11-20T10:30:00Z (default: now)")
	s.zone.AddFlag(f,
		"the tz database zone in which times are shown and dates are read, such as Europe/Berlin; JSON is in UTC")
}

// Given reports whether somebody has written a flag.
func (s *Source) Given(flag string) bool { return s.flags.Changed(flag) }

// Finish sets what several flags say together, for somebody who asks for some reasons.
func (s *Source) Finish(env command.Environment, asked []candidate.Reason) (err error) {
	live := env.Cluster != nil
	if err := s.detect(env); err != nil {
		return err
	}
	s.Zone, s.asked = s.zone.In, asked
	if s.now != "" {
		s.At, err = command.Time("--now", s.now, s.Zone)
	}
	err = errors.Join(s.Policy.Check(), err)
	s.Policy = s.Policy.For(s.Policy.As, asked)
	s.Policy.Whole = live && s.File == ""
	return err
}

// Read reads the cluster as each of some engines does, with the calendars for a time ahead. It sets the time unless it was given.
func (s *Source) Read(env command.Environment, ahead time.Duration, as ...engine.Engine) ([]*manifest.Cluster, error) {
	in, now, err := s.open(env)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	if s.At.IsZero() {
		s.At = now
	}
	s.At = s.At.In(s.Zone)
	if err := s.Policy.ReadCalendars(s.zone.Written, s.At, s.At.Add(ahead)); err != nil {
		return nil, err
	}
	var policies []manifest.Policy
	for _, e := range as {
		policies = append(policies, s.Policy.For(e, s.asked))
	}
	clusters, err := manifest.ReadAll(in, policies...)
	if err != nil {
		return nil, s.Policy.Unread(err)
	}
	s.noteAge(env, clusters[0].Newest())
	return clusters, nil
}

// open opens the objects. It also returns the time to decide at: now, or that of the bundled cluster.
func (s *Source) open(env command.Environment) (objects io.ReadCloser, now time.Time, err error) {
	switch {
	case s.File != "":
		objects, err = s.OpenFile(env)
	case env.Cluster != nil:
		objects, err = env.Cluster(manifest.Kinds + "," + manifest.Optional)
	default:
		fmt.Fprintln(env.Stderr, "note: this is a bundled cluster; for your own, leave out --demo")
		return io.NopCloser(bytes.NewReader(bundled.Cluster)), bundled.Now, nil
	}
	return objects, time.Now().UTC().Truncate(time.Second), err
}

// OpenFile opens the file, or what was read already of one that can be read only once.
func (s *Source) OpenFile(env command.Environment) (io.ReadCloser, error) {
	if s.piped != nil {
		return io.NopCloser(bytes.NewReader(s.piped)), nil
	}
	return manifest.Open(s.File, env.Stdin)
}
