package forecast

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/annotation"
	"github.com/disruptkit/disruptkit/cmd/engine"
	"github.com/disruptkit/disruptkit/internal/wording"
	"github.com/disruptkit/disruptkit/probe"
	"github.com/disruptkit/disruptkit/schedule"
)

// events names what takes place within a span in the calendar of a budget: ": Christmas Day, New Year's Day". "" is nothing.
func (p *pool) events(i int, within schedule.Span) string {
	const few, longest = 5, 100
	var names []string
	for _, e := range p.budgets.Events(i, within) {
		if name := wording.Short(e.Name, longest); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return ""
	}
	if len(names) > few {
		names = append(names[:few], fmt.Sprintf("%d more", len(names)-few))
	}
	return ": " + strings.Join(names, ", ")
}

// pausable returns what pauses need to know of the pool.
func (p *pool) pausable() disruptkit.Pool {
	return disruptkit.Pool{Name: p.Name, Labels: map[string]string{annotation.PoolLabel: p.Name}, Budgets: p.budgets}
}

// pausesOf returns when people pause the whole pool for a reason, as the guard reads it: "paused by alice: INC-1234".
func (p *pool) pausesOf(reason candidate.Reason) []schedule.Event {
	if p.unasked(reason) {
		return nil
	}
	return engine.Pauses(p.Pauses, p.pausable(), reason)
}

// pauseWarnings reports which pauses are broken, over, or without an end.
func (p *pool) pauseWarnings(now time.Time) (all []candidate.Warning) {
	if len(p.Pauses) == 0 {
		return nil
	}
	decision := disruptkit.Decide(disruptkit.Input{Now: now, Pools: []disruptkit.Pool{p.pausable()}, Pauses: p.Pauses}, candidate.Drifted)
	for _, w := range decision.Warnings {
		ours := slices.ContainsFunc(p.Pauses, func(pause probe.Pause) bool { return w.Object == pause.Object() })
		if ours && w.Code != candidate.CodeUnknownDomain { // there are no nodes
			all = append(all, annotation.Place(w, p.Pauses)...)
		}
	}
	return all
}

// zonePauses tells the pauses of single zones: "paused in us-east-1a by alice: INC-1234, until 2026-11-24T12:00:00Z".
func (p *pool) zonePauses() (texts []string) {
	for _, pause := range p.Pauses {
		enforced, _ := pause.Enforced(p.budgets.Methods()...)
		if len(enforced.Domains) == 0 {
			continue
		}
		text := enforced.Blocker().Message
		if !enforced.From.IsZero() {
			text += ", from " + enforced.From.UTC().Format(time.RFC3339)
		}
		if !enforced.Until.IsZero() {
			text += ", until " + enforced.Until.UTC().Format(time.RFC3339)
		}
		texts = append(texts, text)
	}
	return texts
}

// pausedWithin returns the pauses for a reason that hold within a span, which has bounds.
func (p *pool) pausedWithin(reason candidate.Reason, within schedule.Span) []schedule.Event {
	return slices.DeleteFunc(p.pausesOf(reason), func(e schedule.Event) bool {
		return !e.Start.IsZero() && !e.Start.Before(within.End) || !e.End.IsZero() && !within.Start.Before(e.End)
	})
}

// whoPaused names the pauses for a reason that hold within a span.
func (p *pool) whoPaused(reason candidate.Reason, within schedule.Span) (names []string) {
	for _, e := range p.pausedWithin(reason, within) {
		names = append(names, e.Name)
	}
	return names
}
