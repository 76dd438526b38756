package planner

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/internal/command"
	"github.com/disruptkit/disruptkit/cmd/manifest"
	"github.com/disruptkit/disruptkit/internal/duration"
	"github.com/disruptkit/disruptkit/plan"
)

// A snapshot is the cluster at a time.
type snapshot struct {
	cluster *manifest.Cluster
	in      disruptkit.Input
	options plan.Options
}

// A reading is a snapshot, or why there is none. The zero reading is the one before.
type reading struct {
	snapshot
	err error
}

// follow plans, reads the cluster, or the file, again and again, and says how the roll compares with the plan, whenever that changes. It
// returns when no node is left to go, or somebody stops it. What could not be read makes the last answer stale.
func (o *options) follow(ctx context.Context, env command.Environment) (status int, err error) {
	f := &following{options: o, env: env, out: env.Stdout}
	for first := true; !f.over; first = false {
		if !first && !pause(ctx, f.wait()) {
			break
		}
		r, ok := f.read(ctx)
		switch {
		case !ok:
			return f.status(), f.failed
		case r.err != nil && f.watch == nil:
			return hopeless, r.err
		case r.err != nil:
			f.stale(r.err.Error())
		case r.cluster != nil:
			f.take(r.snapshot)
		}
		if f.failed != nil {
			return hopeless, f.failed
		}
	}
	return f.status(), f.failed
}

// A following is what is known while a roll is followed.
type following struct {
	*options
	env    command.Environment
	out    io.Writer
	failed error // to print

	watch    *watch
	measured *measured
	written  time.Time // the file, when it was read last
	broken   bool      // something in the input is broken or missing
	over     bool      // no node is left to go
	last     answer    // that is printed
	at       time.Time // of the last snapshot
	fault    string    // why the last answer is stale; "": it is not
}

// patience is how long a reading may take before the last answer is called stale. It is a variable for tests.
var patience = time.Minute

// read reads once. While that takes long, the last answer is stale. It reports whether nobody has stopped it.
func (f *following) read(ctx context.Context) (r reading, ok bool) {
	done := make(chan reading, 1)
	go func() {
		var r reading
		r.snapshot, r.err = f.snapshot()
		done <- r
	}()
	late := time.NewTimer(patience)
	defer late.Stop()
	for {
		select {
		case r := <-done:
			return r, ctx.Err() == nil
		case <-ctx.Done():
			return r, false
		case <-late.C:
			if f.watch != nil {
				f.stale("the cluster has not answered for " + duration.Rough(patience))
			}
		}
	}
}

// snapshot reads the cluster, or the file unless it is the one that was read last.
func (f *following) snapshot() (s snapshot, err error) {
	reader, env := *f.options, f.env
	if f.file != "" {
		info, err := os.Stat(f.file)
		if err != nil || info.ModTime().Equal(f.written) {
			return s, err
		}
		env.Stdin, reader.at = strings.NewReader(""), info.ModTime().UTC().Truncate(time.Second)
		f.written = info.ModTime()
	}
	if s.cluster, err = reader.read(env); err != nil {
		f.written = time.Time{} // it may be half written
		return snapshot{}, err
	}
	s.in, _ = reader.leaveOut(reader.input(s.cluster))
	s.options = reader.planOptions(s.cluster)
	return s, nil
}

// take takes in a snapshot, and prints the answer if it has changed.
func (f *following) take(s snapshot) {
	now := s.in.Now
	if f.measured == nil {
		f.measured = newMeasured(s.in.Nodes, now)
	}
	f.measured.see(s.cluster.Milestones(), now)
	s.options.Model = f.measured.model(s.options.Model, f.given, now)
	var a answer
	var warnings []candidate.Warning
	if f.watch == nil {
		f.watch = newWatch(s.in, s.options, f.runs)
		a, warnings = f.watch.beginning(), f.watch.fresh.Warnings
	} else {
		a, warnings = f.watch.see(s.in, s.options), f.watch.fresh.Warnings
	}
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

// stale says why there is no new answer, once.
func (f *following) stale(fault string) {
	if fault == f.fault {
		return
	}
	f.fault = fault
	f.print(time.Now().In(f.in), "stale: "+fault)
	f.print(time.Time{}, fmt.Sprintf("the last answer is of %s: %s", day(f.at), f.last))
}

// print prints a line with a time, or one that belongs to the line before.
func (f *following) print(at time.Time, text string) {
	begin := strings.Repeat(" ", len("Fri 20 Nov 10:30"))
	if !at.IsZero() {
		begin = fmt.Sprintf("%*s", -len(begin), day(at))
	}
	if _, err := fmt.Fprintf(f.out, "%s  %s\n", begin, text); err != nil && f.failed == nil {
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

// wait returns how long to wait before the next reading: a file is looked at each second, and read if it has changed.
func (f *following) wait() time.Duration {
	if f.file != "" {
		return min(time.Second, f.interval)
	}
	return f.interval
}

// pause waits, and reports whether nobody has stopped it meanwhile.
func pause(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}
