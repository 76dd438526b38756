package planner

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/cmd/internal/command"
	"github.com/disruptkit/disruptkit/cmd/internal/follow"
	"github.com/disruptkit/disruptkit/internal/wording"
	"github.com/disruptkit/disruptkit/plan"
)

// A conclusion is how a wait has ended.
type conclusion struct {
	As         string `json:"as"` // done, stuck, behind or timeout
	Message    string `json:"message"`
	ExitStatus int    `json:"exitStatus"`
}

// await reads the cluster again and again, and prints changes, until it ends as in the help, or is stopped.
func (o *statusOptions) await(ctx context.Context, env command.Environment) (status int, err error) {
	w := newAwaiting(o, env)
	ctx = w.view.Within(ctx)
	limited, stop := ctx, context.CancelFunc(func() {})
	if o.timeout > 0 {
		limited, stop = context.WithTimeout(ctx, o.timeout)
	}
	defer stop()
	o.source(env).Each(limited, func(s snapshot, err error) bool {
		w.see(s, err)
		return w.ended != nil || w.failed != nil || w.view.Err != nil
	})
	stopped := ctx.Err() != nil
	w.failed = errors.Join(w.failed, w.view.Close())
	return w.end(stopped)
}

// An awaiting is the state of a wait.
type awaiting struct {
	*looker
	env  command.Environment
	view *follow.View

	last     *overview // nil: there is none so far
	broken   bool      // something in the input is invalid or missing
	failed   error     // so that nothing more can be done
	told     map[string]telling
	gone     int                  // how many nodes of the plan are
	heldFor  map[string]time.Time // since when each node that is to go is seen to be stuck
	doneFrom time.Time            // since when it is seen to be done; zero: it is not
	ended    *conclusion
}

// A telling is what has been printed about a pool.
type telling struct {
	line, notes string // how far it is; its revision, and what keeps its nodes
	eta         plan.Spread
}

func newAwaiting(o *statusOptions, env command.Environment) *awaiting {
	out := env.Stdout
	if o.Given("output") { // what is to be read by a program comes last, and alone
		out = env.Stderr
	}
	return &awaiting{looker: newLooker(o), env: env, view: follow.NewView(env.Stdin, out, o.Zone, o.watch), told: map[string]telling{}, heldFor: map[string]time.Time{}}
}

// see reads a snapshot, or why there is none.
func (w *awaiting) see(s snapshot, err error) {
	var of overview
	if err == nil {
		of, err = w.look(s)
	}
	switch {
	case err != nil && w.last == nil && !errors.Is(err, follow.ErrLate), err != nil && s.cluster != nil && len(s.cluster.Missing()) == 0: // or there is no such pool
		w.failed = err
	case err != nil:
		w.view.Stale(err.Error())
	default:
		w.take(s, of)
	}
}

// take reads an overview, and prints what has changed.
func (w *awaiting) take(s snapshot, of overview) {
	broken := isBroken(s.cluster, s.cluster.Warnings(disruptkit.Decision{Warnings: of.warnings}))
	if w.last == nil || broken && !w.broken {
		w.tell(w.env, s.cluster, of.warnings)
	}
	if w.broken = broken; w.last == nil && !w.view.Pages() {
		w.view.Line(of.Now, strings.TrimSpace(of.As.Title()+" "+of.Guesses))
	}
	again := w.view.Fault != ""
	w.last, w.view.Fault = &of, ""
	w.compare(s, of)
	w.gone = w.course.done(s.in)
	w.hold(of)
	if w.view.Pages() {
		var page strings.Builder
		of.scrolls = true
		w.failed = errors.Join(w.failed, printStatusText(&page, of))
		w.view.Page(page.String())
	} else {
		w.lines(of, again)
	}
	if w.wait {
		w.ended = w.ending(of)
	}
}

// hold records since when nodes that are to go are seen to be stuck.
func (w *awaiting) hold(of overview) {
	held := map[string]time.Time{}
	for _, r := range of.Pools {
		for _, st := range r.Stuck {
			for _, name := range st.Nodes {
				if since, known := w.heldFor[name]; st.held && known {
					held[name] = since
				} else if st.held {
					held[name] = of.Now
				}
			}
		}
	}
	w.heldFor = held
}

// lines prints what has changed.
func (w *awaiting) lines(of overview, again bool) {
	for _, r := range of.Pools {
		before, known := w.told[r.Name]
		now, notes := telling{line: of.line(r), eta: r.Finish}, revised(r)
		now.notes = strings.Join(notes, "")
		for _, s := range r.Stuck {
			notes = append(notes, s.text())
			now.notes += s.Code + s.Nodes[0] + s.Why
		}
		if again || !known || now.line != before.line || now.notes != before.notes || !near(now.eta, before.eta, of.Now) {
			w.view.Line(of.Now, now.line+"; "+w.expected(of, r))
		} else {
			now.eta = before.eta
		}
		if now.notes != before.notes {
			for _, text := range notes {
				w.view.Line(time.Time{}, text)
			}
		}
		w.told[r.Name] = now
	}
}

// expected describes when a standing is expected to be done.
func (w *awaiting) expected(of overview, r standing) string {
	text := of.doneText(r)
	if s := r.State; s == stateRolling || s == stateWaiting {
		text = "expected: " + text
		if r.Next.At.After(of.Now) {
			text += "; next start " + of.nextText(r.Next)
		}
	}
	return text
}

// ending returns how the wait ends now; nil: it does not.
func (w *awaiting) ending(of overview) *conclusion {
	open := w.open(of)
	if len(open) == 0 {
		if w.doneFrom.IsZero() {
			w.doneFrom = of.Now
		}
		if of.Now.Sub(w.doneFrom) < w.settle {
			return nil
		}
		return &conclusion{"done", "done: " + w.summary(of, of.Pools), good}
	}
	w.doneFrom = time.Time{}
	if !slices.ContainsFunc(open, func(r standing) bool { return !w.stuckFor(of, r) }) {
		return &conclusion{"stuck", fmt.Sprintf("stuck for longer than %s: %s", wording.Duration(w.stuckAfter), w.summary(of, open)), endedStuck}
	}
	if text, off := w.course.standing(w.gone, of.Now); w.behind > 0 && off >= w.behind {
		message := fmt.Sprintf("behind plan: %s: %s. %s", text, w.summary(of, open), of.Guesses)
		return &conclusion{"behind", strings.TrimSuffix(message, ". "), endedBehind}
	}
	return nil
}

// open returns the pools that are not done.
func (w *awaiting) open(of overview) []standing {
	return only(of.Pools, func(r standing) bool { return !w.reached(r) })
}

// reached reports whether a pool is done, as far as it is to be.
func (w *awaiting) reached(r standing) bool {
	if r.Revision.Unseen {
		return false
	}
	return r.left() == 0 || w.share < 100 && 100*r.New >= w.share*(r.New+r.left())
}

// stuckFor reports whether all that is left of a pool has been stuck for long enough.
func (w *awaiting) stuckFor(of overview, r standing) bool {
	if r.State != stateStuck {
		return false
	}
	for _, s := range r.Stuck {
		for _, name := range s.Nodes {
			if s.held && of.Now.Sub(w.heldFor[name]) < w.stuckAfter {
				return false
			}
		}
	}
	return true
}

// summary describes how far some pools are, and what is stuck in them.
func (w *awaiting) summary(of overview, pools []standing) string {
	var texts []string
	for _, r := range pools {
		text := of.line(r)
		for _, s := range r.Stuck {
			text += "; " + s.text()
		}
		texts = append(texts, text)
	}
	return strings.Join(texts, "; ")
}

// end prints how the wait has ended, and returns the exit status.
func (w *awaiting) end(stopped bool) (status int, err error) {
	switch {
	case w.failed != nil:
		return hopeless, w.failed
	case w.watch && stopped:
		return exit(w.faulty(), nil)
	case stopped && w.ended == nil:
		return hopeless, errors.New("stopped before the roll was done")
	case w.last == nil:
		return hopeless, fmt.Errorf("the cluster has not answered within --timeout %s", wording.Duration(w.timeout))
	case w.ended == nil:
		w.ended = &conclusion{"timeout", fmt.Sprintf("timeout after %s: %s", wording.Duration(w.timeout), w.summary(*w.last, w.open(*w.last))), endedTimeout}
		if w.view.Fault != "" {
			w.ended.Message += fmt.Sprintf("; that was %s, and since then %s", day(w.last.Now), w.view.Fault)
			w.ended.ExitStatus = faulty
		}
	}
	if w.ended.ExitStatus == good && w.faulty() {
		w.ended.ExitStatus = faulty
	}
	w.view.Line(time.Now().In(w.Zone), w.ended.Message)
	if w.ended.ExitStatus == faulty && w.view.Fault == "" {
		w.view.Line(time.Time{}, "something in the input is invalid or missing, as standard error says")
	}
	if w.Given("output") {
		w.last.Ended = w.ended
		w.failed = w.show(w.env.Stdout, *w.last)
	}
	if err := errors.Join(w.failed, w.view.Err); err != nil {
		return hopeless, err
	}
	return w.ended.ExitStatus, nil
}

// faulty reports whether something is invalid or stale.
func (w *awaiting) faulty() bool { return w.broken || w.view.Fault != "" }
