package stray

import "fmt"

// Foreign describes what becomes of a field that karpenter.sh/v1 does not have where it is written, and gives advice.
func Foreign(name, advice string) string {
	return fmt.Sprintf("karpenter.sh/v1 has no field %.100q here; kubectl apply refuses it, and for clients without "+
		"strict validation the API server drops it, at best with a warning: %s", name, advice)
}

// Guarded is the advice to write something for disruptkit's guard.
func Guarded(what string) string {
	return "the annotation disruptkit.dev/disruption supports " + what + WhereGuarded
}

// WhereGuarded ends advice to write something for disruptkit's guard.
const WhereGuarded = ", where Karpenter runs with disruptkit's guard or steward"

// GuardedBudget is the advice about a field of a budget that only disruptkit has. It returns "" for all other fields.
// Guarded is the [Guarded] advice for the field. Scheduled says whether the budget has a schedule.
func GuardedBudget(field, guarded string, scheduled bool) string {
	when := "the budget is active at all times"
	if scheduled {
		when = "the budget is active at the times of its schedule, on any date"
	}
	switch field {
	case "timeZone":
		if !scheduled {
			return "the budget has no schedule for which a time zone would matter: " +
				"write a schedule, with its hours in UTC, or no time zone"
		}
		return "the schedule is in UTC: write its hours in UTC; " + guarded
	case "per", "soak", "spread":
		return "the budget limits how many go at once; " + guarded
	case "outside":
		if scheduled {
			when = "the budget is active inside the windows of its schedule, not outside"
		}
		return when + "; " + guarded
	case "from", "to", "calendar":
		return when + "; " + guarded
	case "guaranteed":
		return "the budget limits its reasons, and guarantees them nothing; " + guarded
	case "topologyKey", "sequential":
		return "the budget applies to the whole pool; " + guarded
	}
	return ""
}
