package planner

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/cmd/internal/choose"
	"github.com/disruptkit/disruptkit/cmd/internal/command"
	"github.com/disruptkit/disruptkit/internal/duration"
	"github.com/disruptkit/disruptkit/internal/sentence"
	"github.com/disruptkit/disruptkit/plan"
)

// follow plans on the file --watch as it is, reads the file again whenever it changes, and says how the roll compares with the plan.
func (o *options) follow(stdout, stderr io.Writer) error {
	var w *watch
	var last time.Time
	for i := 0; o.reads == 0 || i < o.reads; i++ {
		if i > 0 {
			time.Sleep(time.Second)
		}
		in, options, at, err := o.snapshot(last)
		switch {
		case err != nil && w == nil:
			return err
		case err != nil: // it may be half written
			fmt.Fprintln(stderr, "plan:", err)
			continue
		case at.Equal(last):
			continue
		}
		last = at
		var text string
		if w == nil {
			w = newWatch(in, options, o.runs)
			text = w.beginning()
		} else {
			text = w.see(in, options)
		}
		if _, err := fmt.Fprintf(stdout, "%s  %s\n", day(in.Now), text); err != nil {
			return err
		}
	}
	return nil
}

// snapshot reads the file --watch, and returns when it was written. A file that was written at the last time is not read again.
func (o *options) snapshot(last time.Time) (in disruptkit.Input, options plan.Options, at time.Time, err error) {
	info, err := os.Stat(o.watch)
	if err != nil {
		return in, options, at, err
	}
	if at = info.ModTime().UTC(); at.Equal(last) {
		return in, options, at, nil
	}
	reader := *o
	reader.file, reader.at = o.watch, at.Truncate(time.Second)
	cluster, err := reader.read(command.Environment{Stdin: strings.NewReader("")})
	if err != nil {
		return in, options, at, err
	}
	in, _ = o.leaveOut(reader.input(cluster))
	return in, o.planOptions(cluster), at, nil
}

// A watch compares a roll with its plan.
type watch struct {
	plan plan.Plan // the run in the middle
	runs runs
	many int         // how often to plan; see options.runs
	ends []time.Time // of the plan, in order
	last time.Time   // of the last snapshot
	held []held
}

// held is what holds up nodes that the plan has started.
type held struct {
	wait  plan.Wait       // For is how long it has done so
	nodes map[string]bool // that it has held up
	now   bool            // it still does
}

func newWatch(in disruptkit.Input, o plan.Options, many int) *watch {
	r := inZone(plan.Sample(in, o, many), in.Now.Location())
	w := &watch{plan: r.Plan, runs: newRuns(r, choose.Choice{}), many: many, last: in.Now}
	for _, n := range w.plan.Nodes {
		if n.Outcome == plan.Done {
			w.ends = append(w.ends, n.End())
		}
	}
	slices.SortFunc(w.ends, time.Time.Compare)
	return w
}

// beginning tells the plan.
func (w *watch) beginning() string {
	if len(w.plan.Nodes) == 0 {
		return "no node has to go"
	}
	return "planned: " + sentence.Count(len(w.plan.Nodes), "node") + " to go, " + ending(w.plan, w.runs.finish)
}

// see takes in a snapshot, and tells how the roll stands.
func (w *watch) see(in disruptkit.Input, o plan.Options) string {
	r := inZone(plan.Sample(in, o, w.many), in.Now.Location())
	fresh := r.Plan
	done := w.done(in)
	w.hold(fresh, in.Now)
	expected := "nothing is left to do"
	if fresh.Finish.After(in.Now) {
		expected = "now expected by " + day(fresh.Finish)
		if differ(r.Finish) {
			expected = "now expected " + between(fresh, r.Finish)
		}
		if late := fresh.Finish.Sub(w.plan.Finish); late.Abs() >= time.Minute && !w.plan.Finish.IsZero() {
			expected += ", not " + day(w.plan.Finish)
		}
	} else if c := fresh.Count(far(fresh)); c.Never+c.ToGo > 0 {
		expected = sentence.Count(c.Never+c.ToGo, "node") + " will not go"
	}
	return fmt.Sprintf("%s: %d of %d done, %d planned; %s", w.standing(done, in.Now), done, len(w.ends), w.plan.Count(in.Now).Done, expected)
}

// done counts the nodes of the plan that are gone.
func (w *watch) done(in disruptkit.Input) (done int) {
	there := map[string]bool{}
	for _, n := range in.Nodes {
		there[n.Name] = true
	}
	for _, n := range w.plan.Nodes {
		if n.Outcome == plan.Done && !there[n.Name] {
			done++
		}
	}
	return done
}

// hold notes what holds up nodes that the plan has started by now.
func (w *watch) hold(fresh plan.Plan, now time.Time) {
	due := map[string]bool{}
	for _, n := range w.plan.Nodes {
		due[n.Name] = n.Outcome == plan.Done && !n.Start.IsZero() && n.Start.Before(now)
	}
	for i := range w.held {
		w.held[i].now = false
	}
	for _, n := range fresh.Nodes {
		if !due[n.Name] || len(n.Waits) == 0 {
			continue
		}
		wait := n.Waits[0]
		wait.For = 0
		i := slices.IndexFunc(w.held, func(h held) bool {
			return h.wait.Gate == wait.Gate && h.wait.Code == wait.Code && h.wait.Cause == wait.Cause
		})
		if i < 0 {
			i = len(w.held)
			w.held = append(w.held, held{wait: wait, nodes: map[string]bool{}})
		}
		h := &w.held[i]
		if !h.now {
			h.wait.For += now.Sub(w.last)
			h.now = true
		}
		h.nodes[n.Name] = true
	}
	w.last = now
}

// standing returns "2h behind (…)", "on time", or "10m ahead".
func (w *watch) standing(done int, now time.Time) string {
	switch {
	case done < len(w.ends) && now.Sub(w.ends[done]) >= time.Minute:
		return duration.Rough(now.Sub(w.ends[done])) + " behind" + w.why()
	case done > 0 && w.ends[done-1].Sub(now) >= time.Minute:
		return duration.Rough(w.ends[done-1].Sub(now)) + " ahead"
	}
	return "on time"
}

// why says what has held nodes up for longest.
func (w *watch) why() string {
	if len(w.held) == 0 {
		return " (drains or launches take longer than planned)"
	}
	first := slices.MaxFunc(w.held, func(a, b held) int { return cmp.Compare(a.wait.For, b.wait.For) })
	cause := cmp.Or(first.wait.Cause, first.wait.String())
	return fmt.Sprintf(" (%s held up %s for %s)", cause, sentence.Count(len(first.nodes), "node"), duration.Rough(first.wait.For))
}
