package budget

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/jsonobject"
	"github.com/disruptkit/disruptkit/internal/wording"
)

// UnmarshalJSON decodes an entry of spec.disruption.budgets. Nodes may be a string or a number. Unknown, duplicate and
// empty fields are errors: if they were ignored, a budget could limit less than its author meant. Null means absent.
// [Compile] checks the values.
//
// It also accepts the fields of the disruption-controls-by-method RFC: action and method, which mean the same, and
// reason, which is a child. {"method": "Drift", "reason": "AMIDrift"} means {"reasons": ["Drift:AMIDrift"]}. They do
// not change which budgets decide; for the RFC's rule, set Spec.MostSpecific.
func (b *Budget) UnmarshalJSON(data []byte) error {
	const yes = "true or false"
	var d Budget
	var rfc method
	restrict := func() error { return rfc.restrict(&d) }
	return decode(data, b, &d, "budget", `{"nodes": "10%"}`, restrict, []jsonobject.Field{
		{Name: "reasons", Target: &d.Reasons, Example: `a list, such as ["Drifted"]`},
		{Name: "nodes", Target: (*nodes)(&d.Nodes), Example: `a string, such as "8h"`},
		{Name: "per", Target: (*text)(&d.Per), Example: `a string, such as "1h"`},
		{Name: "soak", Target: (*text)(&d.Soak), Example: `a string, such as "10m"`},
		{Name: "guaranteed", Target: &d.Guaranteed, Example: yes},
		{Name: "spread", Target: (*text)(&d.Spread), Example: `a string, such as "168h"`},
		{Name: "schedule", Target: (*text)(&d.Schedule), Example: `a string, such as "8h"`},
		{Name: "duration", Target: (*text)(&d.Duration), Example: `a string, such as "8h"`},
		{Name: "from", Target: (*text)(&d.From), Example: `a string, such as "2026-12-23"`},
		{Name: "to", Target: (*text)(&d.To), Example: `a string, such as "2027-01-02"`},
		{Name: "calendar", Target: (*text)(&d.Calendar), Example: `a string, such as "holidays"`},
		{Name: "timeZone", Target: (*text)(&d.TimeZone), Example: `a string, such as "Europe/Berlin"`},
		{Name: "outside", Target: &d.Outside, Example: yes},
		{Name: "topologyKey", Target: &d.TopologyKey, // "" means absent, as in the AZ-sequential RFC
			Example: `a string, such as "topology.kubernetes.io/zone"`},
		{Name: "sequential", Target: &d.Sequential, Example: yes},
	},
		jsonobject.Field{Name: "action", Target: &rfc.action, Example: `a string, such as "Drift"`},
		jsonobject.Field{Name: "method", Target: &rfc.method, Example: `a string, such as "Drift"`},
		jsonobject.Field{Name: "reason", Target: &rfc.reason, Example: `a string, such as "AMIDrift"`},
	)
}

// A method has the fields of a budget in the disruption-controls-by-method RFC. As there, "" means none.
type method struct{ action, method, reason string }

// restrict sets a budget's reasons to the method, or its child. Compile checks whether the reason exists.
func (m method) restrict(b *Budget) error {
	name := cmp.Or(m.action, m.method)
	switch {
	case m == method{}:
		return nil
	case b.Reasons != nil:
		return errors.New("reasons and action, method or reason say the same thing: write only reasons")
	case m.action != "" && m.method != "" && m.action != m.method:
		return fmt.Errorf("action %.100q and method %.100q contradict each other: write one of them", m.action,
			m.method)
	case name == "":
		b.Reasons = []candidate.Reason{candidate.Reason(m.reason)}
	case m.reason == "":
		b.Reasons = []candidate.Reason{candidate.Reason(name)}
	default:
		b.Reasons = []candidate.Reason{candidate.Reason(name + ":" + m.reason)}
	}
	return nil
}

// UnmarshalJSON decodes spec.disruption. Unknown and duplicate fields are errors, since a limit could be lost. It
// ignores disruptionProbes and disruptionReadiness, which module cmd reads, and expireAfter of karpenter.sh/v1beta1,
// which is independent of budgets.
//
// It is the same in every dialect. Package budget/admission has what Karpenter's API server stores instead.
func (spec *Spec) UnmarshalJSON(data []byte) error {
	const object = `an object, such as {"budgets": []}`
	var ignored json.RawMessage
	d := Spec{MostSpecific: spec.MostSpecific, Calendars: spec.Calendars, Unread: spec.Unread,
		Addition: spec.Addition, Methods: spec.Methods, Dialect: spec.Dialect}
	return decode(data, spec, &d, "spec.disruption", "{}", nil, []jsonobject.Field{
		{Name: "budgets", Target: (*list)(&d.Budgets), Example: budgetsExample},
		{Name: "consolidationPolicy", Target: (*text)(&d.ConsolidationPolicy), Example: policyExample},
		{Name: "consolidateAfter", Target: (*text)(&d.ConsolidateAfter), Example: afterExample},
		{Name: "order", Target: (*text)(&d.Order), Example: `a string, such as "newest"`},
		{Name: "oversized", Target: (*text)(&d.Oversized), Example: `the string "alone"`},
		{Name: "defaults", Target: &d.Defaults, Example: object},
		{Name: "consolidation", Target: &d.Consolidation, Example: object},
		{Name: "drift", Target: &d.Drift, Example: object},
		{Name: "expiration", Target: &d.Expiration, Example: object},
		{Name: "emptiness", Target: &d.Emptiness, Example: object},
		{Name: "disruptionProbes", Target: &ignored},
		{Name: "disruptionReadiness", Target: &ignored},
	}, jsonobject.Field{Name: "expireAfter", Target: &ignored})
}

const (
	budgetsExample = `a list, such as [{"nodes": "10%"}]`
	policyExample  = `a string, such as "WhenEmpty"`
	afterExample   = `a string, such as "30m" or "Never"`
)

// UnmarshalJSON decodes one of the per-method controls, as strictly as Spec.UnmarshalJSON.
func (c *Control) UnmarshalJSON(data []byte) error {
	var d Control
	return decode(data, c, &d, "control", "{}", nil, []jsonobject.Field{
		{Name: "disruptAfter", Target: (*text)(&d.DisruptAfter), Example: afterExample},
		{Name: "deadline", Target: (*text)(&d.Deadline), Example: `a string, such as "336h" or "Never"`},
		{Name: "minAge", Target: (*text)(&d.MinAge), Example: `a string, such as "1h"`},
		{Name: "rollout", Target: &d.Rollout, Example: "an object, such as " + rolloutExample},
		{Name: "consolidationPolicy", Target: (*text)(&d.ConsolidationPolicy), Example: policyExample},
		{Name: "budgets", Target: (*list)(&d.Budgets), Example: budgetsExample},
	})
}

// decode decodes the fields of an object, which errors call what, and then the rest. The fields are those of d, which
// into becomes if there is no error. Null changes nothing, by convention.
func decode[T any](
	data []byte, into, d *T, what, example string, rest func() error, fields []jsonobject.Field,
	unlisted ...jsonobject.Field,
) error {
	if jsonobject.IsNull(data) {
		return nil
	}
	err := jsonobject.Decode(data, fields, unlisted...)
	if errors.Is(err, jsonobject.ErrNone) {
		return fmt.Errorf("%s %s is not an object: write one such as %s", what, wording.JSON(data, 100), example)
	}
	if err == nil && rest != nil {
		err = rest()
	}
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	*into = *d
	return nil
}

// list decodes a list of budgets. An entry that is null would be the default budget; the API server also rejects it.
type list []Budget

func (l *list) UnmarshalJSON(data []byte) error {
	var entries []json.RawMessage
	if json.Unmarshal(data, &entries) == nil && slices.ContainsFunc(entries, jsonobject.IsNull) {
		return errors.New(`null is not a budget: write one such as {"nodes": "10%"}, or delete it`)
	}
	return json.Unmarshal(data, (*[]Budget)(l))
}

// nodes decodes a string or a number.
type nodes string

func (n *nodes) UnmarshalJSON(data []byte) error {
	switch data[0] {
	case 'n': // null
		return nil
	case '"':
		return (*text)(n).UnmarshalJSON(data)
	case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		*n = nodes(data)
		return nil
	}
	return fmt.Errorf(`%s is neither a string nor a number: write a count such as 5, or a percentage such as "10%%"`,
		wording.JSON(data, 100))
}

// text decodes a string that is not empty.
type text string

func (t *text) UnmarshalJSON(data []byte) error {
	if err := json.Unmarshal(data, (*string)(t)); err != nil {
		return err
	}
	if string(data) != "null" && *t == "" {
		return fmt.Errorf(`"" is empty: leave the field out for its default`)
	}
	return nil
}
