package manifest

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/stray"
	"github.com/disruptkit/disruptkit/schedule"
)

// A freeze is a budget for a time, which stock Karpenter does not have: it has no dates.
type freeze struct {
	nodes    string
	reasons  []any
	from, to time.Time // zero: it has begun already, or has no end
}

// plainName is a name that a shell and the API server take as it is.
var plainName = regexp.MustCompile(`^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$`)

// stockReasons are the reasons that budgets of karpenter.sh/v1 may have.
var stockReasons = []string{string(candidate.Drifted), string(candidate.Empty), string(candidate.Underutilized)}

// inStock describes what stock Karpenter can do instead of the dates of a NodePool: as a note for each, with the commands that apply it
// and take it back. Of the NodePool's own budgets both commands keep all that Karpenter understands.
// What is over at a time is nothing to do, unless that is zero.
func inStock(pool string, o *object, now time.Time) (notes []string) {
	rest := []any{}
	var freezes []freeze
	foreign := "" // why no patch can have the rest
	disruption := o.disruption().fields()
	list, written := disruption["budgets"].([]any)
	for i, one := range list {
		b, _ := one.(map[string]any)
		_, from := b["from"]
		_, to := b["to"]
		switch calendar, given := b["calendar"]; {
		case given:
			notes = append(notes, fmt.Sprintf("NodePool/%s: stock Karpenter has no calendars, as budgets[%d] names one (%v): write a budget with a schedule in UTC for each event", pool, i, calendar))
			return notes
		case !from && !to:
			rest = append(rest, one)
			if name := foreignTo(b); name != "" && foreign == "" {
				foreign = fmt.Sprintf("first fix budgets[%d], which has %s", i, name)
			}
			continue
		}
		f, why := dated(b)
		if why != "" {
			return append(notes, fmt.Sprintf("NodePool/%s: stock Karpenter has no dates, and nothing like budgets[%d]: %s", pool, i, why))
		}
		freezes = append(freezes, f)
	}
	freezes = slices.DeleteFunc(freezes, func(f freeze) bool { return !f.to.IsZero() && !now.IsZero() && !f.to.After(now) })
	switch {
	case len(freezes) == 0:
		return notes
	case foreign != "":
		return append(notes, fmt.Sprintf("NodePool/%s: stock Karpenter has no dates: %s", pool, foreign))
	}
	if !written || len(rest) == 0 && len(list) > 0 {
		rest = []any{map[string]any{"nodes": "10%"}} // the default, which a list would replace
	}
	with, back := slices.Clone(rest), ""
	for _, f := range freezes {
		budget, when, why := f.budget()
		if !plainName.MatchString(pool) {
			why = "the API server rejects the name of the NodePool"
		}
		if why != "" {
			return append(notes, fmt.Sprintf("NodePool/%s: stock Karpenter has no dates, and nothing like this one: %s", pool, why))
		}
		with, back = append(with, budget), back+when
	}
	return append(notes, fmt.Sprintf("NodePool/%s: stock Karpenter has no dates. A budget does it, in UTC; to apply it:\n  %s\nand to take it back%s:\n  %s",
		pool, patch(pool, with), back, patch(pool, rest)))
}

// foreignTo returns a field of a budget that karpenter.sh/v1 does not have, or "".
func foreignTo(b map[string]any) string {
	for _, name := range slices.Sorted(maps.Keys(b)) {
		if !slices.Contains(stray.Known(stray.Budget), name) {
			return name
		}
	}
	return ""
}

// dated returns the freeze that a budget with dates is, or why it is none.
func dated(b map[string]any) (f freeze, why string) {
	text := func(name string) string {
		s, _ := b[name].(string)
		return s
	}
	for _, name := range []string{"outside", "topologyKey", "per"} {
		if b[name] != nil {
			return f, "it has " + name
		}
	}
	window, err := schedule.ParseDates(text("from"), text("to"), text("timeZone"))
	if err != nil {
		return f, err.Error()
	}
	f.reasons, _ = b["reasons"].([]any)
	if f.nodes = text("nodes"); f.nodes == "" {
		f.nodes = "10%"
	}
	for open := range window.Spans(time.Unix(0, 0), time.Date(9000, 1, 1, 0, 0, 0, 0, time.UTC)) {
		if text("from") != "" {
			f.from = open.Start
		}
		if text("to") != "" {
			f.to = open.End
		}
	}
	return f, ""
}

// budget returns the budget of karpenter.sh/v1 that does what a freeze does, and when to take it back; or why there is none. Schedules come again each
// year, so a freeze that is over has to be taken back.
func (f freeze) budget() (b map[string]any, back, why string) {
	for _, r := range f.reasons {
		if s, _ := r.(string); !slices.Contains(stockReasons, s) {
			return nil, "", fmt.Sprintf("a budget cannot be for %v", r)
		}
	}
	b = map[string]any{"nodes": f.nodes}
	if len(f.reasons) > 0 {
		b["reasons"] = f.reasons
	}
	from, to := f.from.UTC().Truncate(time.Minute), f.to.UTC()
	if end := to.Truncate(time.Minute); end.Before(to) {
		to = end.Add(time.Minute)
	}
	switch {
	case f.to.IsZero() && f.from.IsZero():
		return b, " when it is over", ""
	case f.to.IsZero():
		return nil, "", "it begins at a time and has no end: apply a budget without a schedule then"
	case f.from.IsZero() || to.Sub(from) > 364*24*time.Hour:
		return b, " at " + to.Format(time.RFC3339), "" // nothing else ends it
	}
	b["schedule"] = fmt.Sprintf("%d %d %d %d *", from.Minute(), from.Hour(), from.Day(), from.Month())
	length := to.Sub(from)
	b["duration"] = strings.TrimSuffix(strings.TrimSuffix(length.String(), "0s"), "h0m")
	if !strings.HasSuffix(b["duration"].(string), "m") {
		b["duration"] = fmt.Sprintf("%dh", int(length.Hours()))
	}
	return b, fmt.Sprintf(", after %s and before %s (its schedule comes each year, so do not apply it before %s)",
		to.Format(time.RFC3339), from.AddDate(1, 0, 0).Format(time.DateOnly), to.AddDate(-1, 0, 1).Format(time.DateOnly)), ""
}

// Freeze returns the budget of karpenter.sh/v1 that allows no node from one time to another, and whether it ends by itself; or why
// there is none. Zero: without end.
func Freeze(from, to time.Time) (budget map[string]any, ends bool, why string) {
	if to.IsZero() {
		from = to // it blocks until it is removed
	}
	budget, _, why = freeze{nodes: "0", from: from, to: to}.budget()
	_, ends = budget["schedule"]
	return budget, ends, why
}

// patch returns the command that replaces the budgets of a NodePool. A merge patch replaces a list whole.
func patch(pool string, budgets []any) string {
	text, err := json.Marshal(map[string]any{"spec": map[string]any{"disruption": map[string]any{"budgets": budgets}}})
	if err != nil {
		return err.Error()
	}
	return PatchCommand(pool, string(text))
}

// PatchCommand returns the command that applies a merge patch to a NodePool.
func PatchCommand(pool, patch string) string {
	return "kubectl patch nodepool " + pool + " --type merge -p '" + strings.ReplaceAll(patch, "'", `\u0027`) + "'"
}
