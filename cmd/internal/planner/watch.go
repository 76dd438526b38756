package planner

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/internal/display"
	"github.com/disruptkit/disruptkit/internal/wording"
	"github.com/disruptkit/disruptkit/plan"
)

// A watch compares a roll with its plan.
type watch struct {
	plan   plan.Plan // the run in the middle
	finish plan.Spread
	ends   []time.Time // of the plan, in order
	last   time.Time   // of the last snapshot
	held   []held
}

// held is what holds up nodes that the plan has started.
type held struct {
	wait  plan.Wait       // For is how long it has done so
	nodes map[string]bool // that it has held up
	now   bool            // it still does
}

// ends returns when the nodes of a plan are done, in order.
func ends(p plan.Plan) (all []time.Time) {
	for _, n := range p.Nodes {
		if n.Outcome == plan.Done {
			all = append(all, n.End())
		}
	}
	slices.SortFunc(all, time.Time.Compare)
	return all
}

// near reports whether two spreads are the same, up to a twentieth of what is left.
func near(a, b plan.Spread, now time.Time) bool {
	alike := func(s, t time.Time) bool {
		return s.IsZero() == t.IsZero() && s.Sub(t).Abs() < max(time.Minute, t.Sub(now).Abs()/20)
	}
	return alike(a.Early, b.Early) && alike(a.Middle, b.Middle) && alike(a.Late, b.Late)
}

// newWatch begins to watch a plan.
func newWatch(r plan.Range, now time.Time) *watch {
	return &watch{plan: r.Plan, finish: r.Finish, ends: ends(r.Plan), last: now}
}

// beginning describes the plan.
func (w *watch) beginning() string {
	if len(w.plan.Nodes) == 0 {
		return "no node has to go"
	}
	return "planned: " + wording.Count(len(w.plan.Nodes), "node") + " to go, " + ending(w.plan, w.finish)
}

// see reads a snapshot, and what is planned from there on, and describes how the roll compares.
func (w *watch) see(in disruptkit.Input, r plan.Range) string {
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
	} else if c := fresh.Count(far); c.Never+c.ToGo > 0 {
		expected = wording.Count(c.Never+c.ToGo, "node") + " will not be disrupted"
	}
	standing, _ := w.standing(done, in.Now)
	planned := len(only(w.ends, func(end time.Time) bool { return !end.After(in.Now) }))
	return fmt.Sprintf("%s: %d of %d done, %d planned; %s", standing, done, len(w.ends), planned, expected)
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

// hold records what holds up nodes that the plan has started by now.
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

// standing returns "2h behind (…)", "on time", or "10m ahead", and how far behind that is.
func (w *watch) standing(done int, now time.Time) (text string, off time.Duration) {
	if done < len(w.ends) && now.Sub(w.ends[done]) >= time.Minute {
		off = now.Sub(w.ends[done])
		return display.Rough(off) + " behind" + w.why(), off
	}
	if done > 0 && w.ends[done-1].Sub(now) >= time.Minute {
		off = now.Sub(w.ends[done-1])
		return display.Rough(-off) + " ahead", off
	}
	return "on time", 0
}

// why describes what has held nodes up for longest.
func (w *watch) why() string {
	if len(w.held) == 0 {
		return " (drains or launches take longer than planned)"
	}
	first := slices.MaxFunc(w.held, func(a, b held) int { return cmp.Compare(a.wait.For, b.wait.For) })
	return fmt.Sprintf(" (%s held up %s for %s)", cmp.Or(first.wait.Cause, first.wait.String()), wording.Count(len(first.nodes), "node"), display.Rough(first.wait.For))
}
