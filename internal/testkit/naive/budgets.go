package naive

import (
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/wording"
	"github.com/disruptkit/disruptkit/schedule"
)

// budgets returns the code of the blocker that a pool's budgets have for one more node.
func budgets(p scope, now time.Time, nodes int, reason candidate.Reason, users []candidate.Reason) []string {
	allowance, err := budget.AllowedByReason(p.Budgets, now, nodes, reason)
	switch {
	case room(p, now, nodes, reason, users):
		return nil
	case err != nil:
		return []string{refusal(err)}
	case allowance.Nodes == 0:
		return []string{"budget/allows-none"}
	}
	return []string{"budget/exhausted"}
}

// refusal returns the code of an error of budgets: of their own, or of the reason.
func refusal(err error) string {
	if len(candidate.Warnings(err)) > 0 || errors.As(err, new(candidate.Warning)) {
		return "budget/invalid-budget"
	}
	return "budget/unknown-reason"
}

// misspelt reports whether budgets name a child one letter from a reason, and not the reason itself.
func misspelt(set budget.Set, reason candidate.Reason) (near bool) {
	for _, b := range set.Budgets() {
		for _, r := range b.Reasons {
			r, _ = candidate.ParseReason(string(r))
			if r == reason {
				return false
			}
			near = near || wording.Misspelt(r, reason)
		}
	}
	return near
}

// room reports whether each of the deciding budgets allows one more node.
func room(p scope, now time.Time, nodes int, reason candidate.Reason, users []candidate.Reason) bool {
	allowance, err := budget.AllowedByReason(p.Budgets, now, nodes, reason)
	if !p.Budgets.MostSpecific() || reason == "" || err != nil {
		return len(users) < allowance.Nodes
	}
	for i := range deciding(p.Budgets, now, reason) {
		using := 0
		for _, user := range users {
			if uses(p.Budgets.Budgets()[i], user, misspelt(p.Budgets, user) || deciding(p.Budgets, now, user)[i]) {
				using++
			}
		}
		limit, _ := budget.Compile([]budget.Budget{{Nodes: p.Budgets.Budgets()[i].Nodes}})
		if alone, _ := budget.AllowedByReason(limit, now, nodes, reason); using >= alone.Nodes {
			return false
		}
	}
	return true
}

// uses reports whether a node that is disrupted for a reason uses up a budget, given whether that decides for the
// reason: an unknown reason does, and so does one that the budget names a child of.
func uses(b budget.Budget, reason candidate.Reason, decides bool) bool {
	_, err := candidate.ParseReason(string(reason))
	return reason == "" || err != nil || decides || slices.ContainsFunc(b.Reasons, func(r candidate.Reason) bool {
		r, _ = candidate.ParseReason(string(r))
		return strings.HasPrefix(string(r)+"/", string(reason)+"/")
	})
}

// number returns how many of some reasons count.
func number(reasons []candidate.Reason, counts func(candidate.Reason) bool) (n int) {
	for _, r := range reasons {
		if counts(r) {
			n++
		}
	}
	return n
}

// deciding returns the budgets that decide for a reason if the most specific ones do, from their written form.
func deciding(set budget.Set, now time.Time, reason candidate.Reason) map[int]bool {
	return decidingOf(set, now, reason, false)
}

// decidingOf is deciding for paces only, or for all other budgets.
func decidingOf(set budget.Set, now time.Time, reason candidate.Reason, paces bool) map[int]bool {
	method, _, _ := strings.Cut(string(reason), "/")
	for _, name := range []candidate.Reason{reason, candidate.Reason(method), ""} {
		deciding := map[int]bool{}
		for i, b := range set.Budgets() {
			names := name == "" && len(b.Reasons) == 0
			for _, r := range b.Reasons {
				parsed, _ := candidate.ParseReason(string(r))
				names = names || parsed == name
			}
			if names && b.TopologyKey == "" && (b.Per != "") == paces && !set.Broken().Has(i) && active(b, now) {
				deciding[i] = true
			}
		}
		if len(deciding) > 0 {
			return deciding
		}
	}
	return nil
}

func active(b budget.Budget, now time.Time) bool {
	if b.From != "" || b.To != "" {
		zone, err := time.LoadLocation(b.TimeZone)
		if err != nil {
			panic(err)
		}
		today := now.In(zone).Format(time.DateOnly)
		in := (b.From == "" || b.From <= today) && (b.To == "" || today <= b.To)
		return in != b.Outside
	}
	if b.Schedule == "" {
		return true
	}
	d, err := time.ParseDuration(b.Duration)
	if err != nil {
		panic(err)
	}
	w, err := schedule.Parse(b.Schedule, d, b.TimeZone)
	if err != nil {
		panic(err)
	}
	return schedule.InWindow(w, now) != b.Outside
}

// minimum returns what must have passed before a node may be disrupted for a reason in its pool.
func minimum(in disruptkit.Input, n candidate.Node, reason candidate.Reason) (least candidate.Minimum) {
	for _, p := range scopes(in, n.Pool) {
		least.Held = max(least.Held, p.Budgets.Minimum(reason).Held)
		least.Age = max(least.Age, p.Budgets.Minimum(reason).Age)
	}
	return least
}
