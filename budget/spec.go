package budget

import (
	"fmt"
	"maps"
	"slices"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/dialect"
	"github.com/disruptkit/disruptkit/schedule"
)

// A Spec is a NodePool's spec.disruption: how many nodes may be disrupted, and why. The zero Spec is Karpenter's
// default. Its JSON is that of karpenter.sh/v1, with the per-method controls of the disruption-controls-by-method RFC
// ("Approach B"). An explicitly empty list of budgets stays empty in both directions.
//
// Most people write Budgets alone. Controls are for methods with settings of their own. Programs set the fields without
// JSON.
type Spec struct {
	// Budgets is the list of budgets. Nil means one budget of 10 %, or none if Defaults has a list, even an empty one.
	// An empty list means no limit.
	Budgets []Budget `json:"budgets,omitzero"`
	// ConsolidationPolicy "WhenEmpty" keeps nodes from being disrupted for Underutilized. "" and the other policies of
	// karpenter.sh, WhenEmptyOrUnderutilized, Balanced and WhenUnderutilized, do not.
	ConsolidationPolicy string `json:"consolidationPolicy,omitzero"`
	// ConsolidateAfter "Never" keeps nodes from being disrupted for Empty and Underutilized. Durations have no effect
	// here: Karpenter waits for them before it reports these reasons.
	ConsolidateAfter string `json:"consolidateAfter,omitzero"`
	// Order is which nodes are disrupted first: "oldest" or "", those whose reason has held the longest; "newest";
	// "cheapest", by candidate.Node.Cost; or "rank", by candidate.Node.Rank. Equal nodes are in the order of their
	// groups, or else by age, then by name. Deadlines take precedence, turns of zones do not depend on it, and
	// Unhealthy has an order of its own: see disruptkit.Session.Candidates. (Not in karpenter.sh/v1.)
	Order string `json:"order,omitzero"`
	// Oversized is when a unit (candidate.Node.Unit) with more nodes than a limit allows may be disrupted: "" is never,
	// and "alone" while no other node uses up the limit. A limit of 0 still allows none. (Not in karpenter.sh/v1.)
	Oversized string `json:"oversized,omitzero"`

	// Defaults is for the methods without their own control. Its budgets come after those of Budgets.
	Defaults      Control `json:"defaults,omitzero"`
	Consolidation Control `json:"consolidation,omitzero"` // for Underutilized
	Drift         Control `json:"drift,omitzero"`         // for Drifted
	Expiration    Control `json:"expiration,omitzero"`    // for Expired
	Emptiness     Control `json:"emptiness,omitzero"`     // for Empty

	// MostSpecific makes only the most specific active budgets decide; see [Set]. They always do if a control has
	// Budgets, a DisruptAfter or a ConsolidationPolicy.
	MostSpecific bool `json:"-"`
	// Methods are the caller's own methods, which budgets may name in addition to candidate.Methods.
	Methods []candidate.Reason `json:"-"`
	// Calendars are windows that budgets can name (Budget.Calendar), such as the holidays of a country. Use
	// [schedule.Dates] to make one, or [schedule.Events] for one with the names of the holidays, which blockers then
	// show.
	Calendars map[string]schedule.Window `json:"-"`
	// Unread has the errors of calendars that could not be read, by name; under "", the error of all. A budget that
	// names one has its error as its fault, and allows nothing.
	Unread map[string]error `json:"-"`
	// Addition names the parts of the Spec that are written outside spec.disruption, so that messages name the right
	// place.
	Addition Addition `json:"-"`
	// Dialect is how to read the budgets. With dialect.Karpenter, fields that karpenter.sh/v1 does not have are
	// dropped, and the rest has the meaning that Karpenter gives it.
	Dialect dialect.Dialect `json:"-"`
}

// An Addition is the part of a Spec that is written outside spec.disruption, such as in an annotation: the last of the
// budgets, and everything that karpenter.sh/v1 does not have. Messages name its fields "disruptkit.dev/disruption
// budgets[0]". The zero Addition adds nothing.
type Addition struct {
	Name  string // in messages, such as "disruptkit.dev/disruption"
	First int    // the position in Spec.Budgets of its first budget
}

// place returns where a field is written that is not in the list of budgets.
func (a Addition) place(field string) string {
	if a.Name == "" {
		return field
	}
	return a.Name + " " + field
}

// budget returns where a budget of Spec.Budgets is written.
func (a Addition) budget(i int) string {
	if a.Name == "" || i < a.First {
		return fmt.Sprintf("budgets[%d]", i)
	}
	return a.place(fmt.Sprintf("budgets[%d]", i-a.First))
}

// A Control has the settings of one disruption method. The zero Control means none. (Disruption-controls-by-method RFC,
// "Approach B".)
type Control struct {
	// DisruptAfter is how long a reason must hold before a node may be disrupted: a duration such as "30m" or "1h", or
	// "Never". "" means the DisruptAfter of Spec.Defaults; in Defaults it means at once.
	DisruptAfter string `json:"disruptAfter,omitzero"`
	// Deadline is how long after its reason begins to hold a node becomes overdue: a duration up to a year, such as
	// "336h" for two weeks, or "Never". Windows, paces, soaks and back-offs no longer block an overdue node;
	// disruptkit.Session.Candidates lists what still does. "" means the Deadline of Spec.Defaults; in Defaults it means
	// never. If Since is unknown, there is no deadline. candidate.Condition.Deadline takes precedence. (Not in the
	// RFC.)
	Deadline string `json:"deadline,omitzero"`
	// MinAge is how old a node must be before it may be disrupted: a duration up to a year, such as "1h". "" means the
	// MinAge of Spec.Defaults; in Defaults it means at once. A node whose creation is unknown is too young. (Not in the
	// RFC.)
	MinAge string `json:"minAge,omitzero"`
	// Rollout disrupts the nodes of a pool in waves, for Drifted and Expired. Nil means the Rollout of Spec.Defaults;
	// in Defaults it means no waves. (Not in the RFC.)
	Rollout *Rollout `json:"rollout,omitzero"`
	// ConsolidationPolicy is Spec.ConsolidationPolicy in the RFC's place: the control for consolidation.
	ConsolidationPolicy string `json:"consolidationPolicy,omitzero"`
	// Budgets are for the control's method, or for the children of it that they name: "AMIDrift" means
	// Drifted/AMIDrift in the control for drift. If the list is nil or empty, the budgets of Spec.Budgets and Defaults
	// without reasons decide.
	Budgets []Budget `json:"budgets,omitzero"`
}

// A namedControl is a control with its name in JSON and its method; "" means all.
type namedControl struct {
	*Control
	name   string
	method candidate.Reason
}

// controls returns all controls, Defaults first.
func (spec *Spec) controls() []namedControl {
	return []namedControl{
		{&spec.Defaults, "defaults", ""},
		{&spec.Consolidation, "consolidation", candidate.Underutilized},
		{&spec.Drift, "drift", candidate.Drifted},
		{&spec.Expiration, "expiration", candidate.Expired},
		{&spec.Emptiness, "emptiness", candidate.Empty},
	}
}

// clone returns a copy that shares no list.
func (spec Spec) clone() Spec {
	spec.Budgets, spec.Methods = cloneBudgets(spec.Budgets), slices.Clone(spec.Methods)
	spec.Calendars, spec.Unread = maps.Clone(spec.Calendars), maps.Clone(spec.Unread)
	for _, c := range spec.controls() {
		c.Budgets, c.Rollout = cloneBudgets(c.Budgets), c.Rollout.clone()
	}
	return spec
}

func cloneBudgets(budgets []Budget) []Budget {
	clone := slices.Clone(budgets)
	for i := range clone {
		clone[i].Reasons = slices.Clone(clone[i].Reasons)
	}
	return clone
}

// specific reports whether the most specific budgets decide. A deadline, a minAge and waves of a control do not make
// them decide, since they are not in the RFC.
func (spec Spec) specific() bool {
	decides := func(c namedControl) bool {
		return c.DisruptAfter != "" || c.ConsolidationPolicy != "" || len(c.Budgets) > 0
	}
	return spec.MostSpecific || slices.ContainsFunc(spec.controls(), decides)
}

// A placed budget is a budget with the place where it was written, such as drift.budgets[0].
type placed struct {
	Budget
	place  string
	method candidate.Reason // of the control that it is in
}

// flat returns the budgets of the list, then those of the controls with their method as the reason.
func (spec Spec) flat() []placed {
	list := spec.Budgets
	if list == nil && spec.Defaults.Budgets == nil {
		list = []Budget{{Nodes: defaultNodes}}
	}
	var all []placed
	for i, b := range list {
		all = append(all, placed{b, spec.Addition.budget(i), ""})
	}
	for _, c := range spec.controls() {
		for i, b := range c.Budgets {
			place := spec.Addition.place(fmt.Sprintf("%s.budgets[%d]", c.name, i))
			all = append(all, placed{c.adopt(b, spec.Methods), place, c.method})
		}
	}
	return all
}

// adopt returns a budget of the control with the control's method as its reason.
func (c namedControl) adopt(b Budget, methods []candidate.Reason) Budget {
	if c.method == "" {
		return b
	}
	if len(b.Reasons) == 0 {
		b.Reasons = []candidate.Reason{c.method}
		return b
	}
	b.Reasons = slices.Clone(b.Reasons)
	for i, r := range b.Reasons {
		child := c.method + "/" + r
		if _, err := candidate.ParseReason(string(r), methods...); err == nil {
			continue
		}
		if _, err := candidate.ParseReason(string(child)); err == nil {
			b.Reasons[i] = child
		}
	}
	return b
}
