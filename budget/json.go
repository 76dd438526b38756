package budget

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/jsonobject"
	"github.com/disruptkit/disruptkit/internal/wording"
)

// UnmarshalJSON decodes an entry of spec.disruption.budgets. Nodes may be a string or a number. Unknown, duplicate and
// empty fields are errors: if they were ignored, a budget could limit less than its author meant. Null means absent.
// [Compile] checks the values.
//
// The fields of the disruption-controls-by-method RFC are accepted, too: action and method, which mean the same, and
// reason, which is a child. {"method": "Drift", "reason": "AMIDrift"} means {"reasons": ["Drift:AMIDrift"]}. They do
// not change which budgets decide; for the RFC's rule, set Spec.MostSpecific.
func (b *Budget) UnmarshalJSON(data []byte) error {
	if jsonobject.IsNull(data) {
		return nil // by convention
	}
	var decoded Budget
	var rfc method
	err := jsonobject.Fields(data, func(name string, value json.RawMessage) error {
		if known, err := rfc.setField(name, value); known {
			return err
		}
		return decoded.setField(name, value)
	})
	if err == nil {
		err = rfc.restrict(&decoded)
	}
	switch {
	case errors.Is(err, jsonobject.ErrNone):
		return fmt.Errorf("budget %s is not an object: write one such as {\"nodes\": \"10%%\"}",
			wording.JSON(data, 100))
	case err != nil:
		return fmt.Errorf("budget: %w", err)
	}
	*b = decoded
	return nil
}

// A method has the fields of a budget in the disruption-controls-by-method RFC. As there, "" means none.
type method struct{ action, method, reason string }

func (m *method) setField(name string, value json.RawMessage) (known bool, err error) {
	switch name {
	case "action":
		return true, jsonobject.Set(name, value, &m.action, `a string, such as "Drift"`)
	case "method":
		return true, jsonobject.Set(name, value, &m.method, `a string, such as "Drift"`)
	case "reason":
		return true, jsonobject.Set(name, value, &m.reason, `a string, such as "AMIDrift"`)
	}
	return false, nil
}

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

func (b *Budget) setField(name string, value json.RawMessage) error {
	const yes, words = "true or false", `a string, such as "8h"`
	switch name {
	case "reasons":
		return jsonobject.Set(name, value, &b.Reasons, `a list, such as ["Drifted"]`)
	case "nodes":
		return jsonobject.Set(name, value, (*nodes)(&b.Nodes), words)
	case "per":
		return jsonobject.Set(name, value, (*text)(&b.Per), `a string, such as "1h"`)
	case "soak":
		return jsonobject.Set(name, value, (*text)(&b.Soak), `a string, such as "10m"`)
	case "schedule":
		return jsonobject.Set(name, value, (*text)(&b.Schedule), words)
	case "duration":
		return jsonobject.Set(name, value, (*text)(&b.Duration), words)
	case "from":
		return jsonobject.Set(name, value, (*text)(&b.From), `a string, such as "2026-12-23"`)
	case "to":
		return jsonobject.Set(name, value, (*text)(&b.To), `a string, such as "2027-01-02"`)
	case "calendar":
		return jsonobject.Set(name, value, (*text)(&b.Calendar), `a string, such as "holidays"`)
	case "timeZone":
		return jsonobject.Set(name, value, (*text)(&b.TimeZone), `a string, such as "Europe/Berlin"`)
	case "outside":
		return jsonobject.Set(name, value, &b.Outside, yes)
	case "topologyKey":
		const zone = `a string, such as "topology.kubernetes.io/zone"`
		return jsonobject.Set(name, value, &b.TopologyKey, zone) // "" means absent, as in the AZ-sequential RFC
	case "sequential":
		return jsonobject.Set(name, value, &b.Sequential, yes)
	}
	return jsonobject.Unknown(name, "reasons", "nodes", "per", "soak", "schedule", "duration", "from", "to", "calendar",
		"timeZone", "outside", "topologyKey", "sequential")
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
