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

// An answer is how a roll stands.
type answer struct {
	text     string        // all of it, but for how long it takes still
	stands   string        // what of the text is no matter of time
	expected string        // when it is done
	finish   plan.Spread   // likewise
	off      time.Duration // how far behind it is, or below 0: ahead
	measured string        // see measured.String
}

func (a answer) String() string { return a.text + a.expected }

// like reports whether an answer is like an earlier one: in when it is done, up to a twentieth of what it still takes, and in
// how far behind it is, up to a quarter.
func (a answer) like(b answer, now time.Time) bool {
	return a.stands == b.stands && (a.off-b.off).Abs() < max(5*time.Minute, b.off.Abs()/4) && near(a.finish, b.finish, now)
}

// near reports whether two spreads are the same, up to a twentieth of what is left.
func near(a, b plan.Spread, now time.Time) bool {
	alike := func(s, t time.Time) bool {
		return s.IsZero() == t.IsZero() && s.Sub(t).Abs() < max(time.Minute, t.Sub(now).Abs()/20)
	}
	return alike(a.Early, b.Early) && alike(a.Middle, b.Middle) && alike(a.Late, b.Late)
}

// compare compares the roll with what is planned from a snapshot on. Without a watch, it begins one.
func (w *watch) compare(in disruptkit.Input, r plan.Range) (*watch, answer) {
	if w == nil {
		w = &watch{plan: r.Plan, finish: r.Finish, ends: ends(r.Plan), last: in.Now}
		return w, w.beginning()
	}
	return w, w.see(in, r)
}

// beginning returns the answer at the beginning: the plan.
func (w *watch) beginning() answer {
	if len(w.plan.Nodes) == 0 {
		return answer{text: "no node has to go"}
	}
	text := "planned: " + wording.Count(len(w.plan.Nodes), "node") + " to go, " + ending(w.plan, w.finish)
	return answer{text: text, stands: "on time: 0", finish: w.finish}
}

// see reads a snapshot, and what is planned from there on, and returns how the roll compares.
func (w *watch) see(in disruptkit.Input, r plan.Range) answer {
	fresh := r.Plan
	done := w.done(in)
	w.hold(fresh, in.Now)
	a := answer{expected: "nothing is left to do"}
	if fresh.Finish.After(in.Now) {
		a.expected, a.finish = "now expected by "+day(fresh.Finish), r.Finish
		if differ(r.Finish) {
			a.expected = "now expected " + between(fresh, r.Finish)
		}
		if late := fresh.Finish.Sub(w.plan.Finish); late.Abs() >= time.Minute && !w.plan.Finish.IsZero() {
			a.expected += ", not " + day(w.plan.Finish)
		}
	} else if c := fresh.Count(far); c.Never+c.ToGo > 0 {
		a.expected = wording.Count(c.Never+c.ToGo, "node") + " will not be disrupted"
	}
	standing, kind, off := w.standing(done, in.Now)
	more := w.more(fresh)
	a.off = off
	planned := len(only(w.ends, func(end time.Time) bool { return !end.After(in.Now) }))
	a.text = fmt.Sprintf("%s: %d of %d done, %d planned%s; ", standing, done, len(w.ends), planned, more)
	a.stands = fmt.Sprintf("%s: %d%s", kind, done, more)
	if a.finish == (plan.Spread{}) {
		a.stands += a.expected
	}
	return a
}

// more describes how many nodes are to go that the plan did not have.
func (w *watch) more(fresh plan.Plan) string {
	planned := map[string]bool{}
	for _, n := range w.plan.Nodes {
		planned[n.Name] = true
	}
	more := 0
	for _, n := range fresh.Nodes {
		if !planned[n.Name] {
			more++
		}
	}
	if more == 0 {
		return ""
	}
	return fmt.Sprintf(", %s to go since", wording.Count(more, "more node"))
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

// standing returns "2h behind (…)", "on time", or "10m ahead", the same without times, and how far behind that is.
func (w *watch) standing(done int, now time.Time) (text, kind string, off time.Duration) {
	if done < len(w.ends) && now.Sub(w.ends[done]) >= time.Minute {
		why, cause := w.why()
		off = now.Sub(w.ends[done])
		return display.Rough(off) + " behind" + why, "behind" + cause, off
	}
	if done > 0 && w.ends[done-1].Sub(now) >= time.Minute {
		off = now.Sub(w.ends[done-1])
		return display.Rough(-off) + " ahead", "ahead", off
	}
	return "on time", "on time", 0
}

// why describes what has held nodes up for longest.
func (w *watch) why() (text, cause string) {
	if len(w.held) == 0 {
		return " (drains or launches take longer than planned)", ""
	}
	first := slices.MaxFunc(w.held, func(a, b held) int { return cmp.Compare(a.wait.For, b.wait.For) })
	cause = cmp.Or(first.wait.Cause, first.wait.String())
	return fmt.Sprintf(" (%s held up %s for %s)", cause, wording.Count(len(first.nodes), "node"), display.Rough(first.wait.For)), cause
}
