package budget

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// UnmarshalJSON decodes an entry of spec.disruption.budgets. Nodes may be a string or a number; what a text says is
// left to Compile. Fields that are unknown, that stand twice, or that are there but empty are errors, since they would
// read as absent: a budget could turn out to restrict less than it was meant to. Null is absent.
func (b *Budget) UnmarshalJSON(data []byte) error {
	if string(bytes.TrimSpace(data)) == "null" {
		return nil // by convention
	}
	var decoded Budget
	seen := map[string]bool{}
	d := json.NewDecoder(bytes.NewReader(data))
	if start, err := d.Token(); err != nil || start != json.Delim('{') {
		return fmt.Errorf("budget %.100s is no object: write one such as {\"nodes\": \"10%%\"}", data)
	}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return fmt.Errorf("budget: %w", err)
		}
		name, _ := key.(string)
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return fmt.Errorf("budget: field %.100q: %w", name, err)
		}
		if seen[name] {
			return fmt.Errorf("budget: field %.100q is there twice: write it once", name)
		}
		seen[name] = true
		if err := decoded.setField(name, value); err != nil {
			return fmt.Errorf("budget: %w", err)
		}
	}
	if _, err := d.Token(); err != nil { // the end of the object
		return fmt.Errorf("budget: %w", err)
	}
	*b = decoded
	return nil
}

func (b *Budget) setField(name string, value json.RawMessage) error {
	var target any
	example := `text, such as "8h"`
	switch name {
	case "reasons":
		target, example = &b.Reasons, `a list, such as ["Drifted"]`
	case "nodes":
		target = (*nodes)(&b.Nodes)
	case "schedule":
		target = (*text)(&b.Schedule)
	case "duration":
		target = (*text)(&b.Duration)
	case "timeZone":
		target = (*text)(&b.TimeZone)
	case "outside":
		target, example = &b.Outside, "true or false"
	case "topologyKey":
		target = &b.TopologyKey // "" is absent, as the AZ-sequential RFC has it
	case "sequential":
		target, example = &b.Sequential, "true or false"
	default:
		return fmt.Errorf("field %.100q is not known: write %s", name, knownFields(name))
	}
	err := json.Unmarshal(value, target)
	var wrongType *json.UnmarshalTypeError
	switch {
	case errors.As(err, &wrongType):
		return fmt.Errorf("field %q: %.100s is not what belongs there: write %s", name, value, example)
	case err != nil:
		return fmt.Errorf("field %q: %w", name, err)
	}
	return nil
}

// knownFields says which field was meant, or which there are.
func knownFields(name string) string {
	names := []string{"reasons", "nodes", "schedule", "duration", "timeZone", "outside", "topologyKey", "sequential"}
	for _, known := range names {
		if strings.EqualFold(strings.TrimSuffix(name, "s"), strings.TrimSuffix(known, "s")) {
			return fmt.Sprintf("%q", known)
		}
	}
	return "one of " + strings.Join(names, ", ")
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
