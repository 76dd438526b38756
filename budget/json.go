package budget

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/disruptkit/disruptkit/internal/jsonobject"
)

// UnmarshalJSON decodes an entry of spec.disruption.budgets. Nodes may be a string or a number; what a text says is
// left to Compile. Fields that are unknown, that stand twice, or that are there but empty are errors, since they would
// read as absent: a budget could turn out to restrict less than it was meant to. Null is absent.
func (b *Budget) UnmarshalJSON(data []byte) error {
	if string(bytes.TrimSpace(data)) == "null" {
		return nil // by convention
	}
	var decoded Budget
	err := jsonobject.Fields(data, decoded.setField)
	switch {
	case errors.Is(err, jsonobject.ErrNone):
		return fmt.Errorf("budget %.100s is no object: write one such as {\"nodes\": \"10%%\"}", data)
	case err != nil:
		return fmt.Errorf("budget: %w", err)
	}
	*b = decoded
	return nil
}

func (b *Budget) setField(name string, value json.RawMessage) error {
	const yes, words = "true or false", `text, such as "8h"`
	switch name {
	case "reasons":
		return jsonobject.Set(name, value, &b.Reasons, `a list, such as ["Drifted"]`)
	case "nodes":
		return jsonobject.Set(name, value, (*nodes)(&b.Nodes), words)
	case "schedule":
		return jsonobject.Set(name, value, (*text)(&b.Schedule), words)
	case "duration":
		return jsonobject.Set(name, value, (*text)(&b.Duration), words)
	case "timeZone":
		return jsonobject.Set(name, value, (*text)(&b.TimeZone), words)
	case "outside":
		return jsonobject.Set(name, value, &b.Outside, yes)
	case "topologyKey":
		return jsonobject.Set(name, value, &b.TopologyKey, words) // "" is absent, as the AZ-sequential RFC has it
	case "sequential":
		return jsonobject.Set(name, value, &b.Sequential, yes)
	}
	return jsonobject.Unknown(name, "reasons", "nodes", "schedule", "duration", "timeZone", "outside", "topologyKey", "sequential")
}

// nodes decodes a text or a number.
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
	return fmt.Errorf(`%.100s is neither text nor a number: write a count such as 5, or a percentage such as "10%%"`, data)
}

// text decodes a string that says something.
type text string

func (t *text) UnmarshalJSON(data []byte) error {
	if err := json.Unmarshal(data, (*string)(t)); err != nil {
		return err
	}
	if string(data) != "null" && *t == "" {
		return fmt.Errorf(`"" says nothing: leave the field out for its default`)
	}
	return nil
}
