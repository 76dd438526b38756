package decide

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/internal/command"
	"github.com/disruptkit/disruptkit/cmd/internal/follow"
)

// follow decides again and again, and shows it, until somebody stops it. What cannot be read makes the last answer stale.
func (o options) follow(ctx context.Context, env command.Environment) (status int, err error) {
	w := &watching{options: o, env: env, view: follow.NewView(env.Stdin, env.Stdout, o.Zone, true), told: map[candidate.Reason]string{}}
	source := follow.Source[answer]{File: o.File, Every: o.Every, Patience: follow.Patience, Read: func(at time.Time) (answer, error) {
		reader := o
		reader.At = at
		return reader.answer(env)
	}}
	source.Each(w.view.Within(ctx), func(a answer, err error) bool {
		w.see(a, err)
		return w.failed != nil || w.view.Err != nil
	})
	if err := w.view.Close(); w.failed == nil {
		w.failed = err
	}
	switch {
	case w.failed != nil:
		return hopeless, w.failed
	case w.view.Fault != "":
		return faulty, nil
	case w.last == nil:
		return good, nil
	}
	return w.last.status(), nil
}

// A watching is what is known while somebody watches.
type watching struct {
	options
	env    command.Environment
	view   *follow.View
	last   *answer                     // nil: there is none so far
	told   map[candidate.Reason]string // what lines have said
	failed error                       // so that nothing more can be done
}

// see takes in an answer, or why there is none.
func (w *watching) see(a answer, err error) {
	switch {
	case err != nil && w.last == nil && !follow.IsLate(err):
		w.failed = err
		return
	case err != nil:
		w.view.Stale(err.Error())
		return
	case w.last == nil:
		report(w.env, w.options, a.cluster, a.warnings)
	}
	w.last = &a
	if w.view.Pages() {
		var page strings.Builder
		w.failed = w.print(&page, a)
		w.view.Page(page.String())
		return
	}
	again := w.view.Fault != ""
	w.view.Fault = ""
	w.lines(a, again)
}

// lines prints what has changed, or everything.
func (w *watching) lines(a answer, again bool) {
	for _, d := range a.decisions {
		says := fmt.Sprint(len(d.Allowed), len(d.Blocked), d.NextChange)
		if again || says != w.told[d.Reason] {
			w.view.Line(a.in.Now, a.title(d))
		}
		w.told[d.Reason] = says
	}
}
