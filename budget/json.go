package budget

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// UnmarshalJSON decodes an entry of spec.disruption.budgets. Nodes may be a string or a number. A text that is there
// but empty is an error, since it would read as absent; what a text says is left to Compile. Unknown fields are
// ignored: without them a budget restricts no less.
func (b *Budget) UnmarshalJSON(data []byte) error {
	type plain Budget // without this method
	wire := struct {
		*plain
		Nodes    nodes     `json:"nodes"`
		Schedule *nonEmpty `json:"schedule"`
		Duration *nonEmpty `json:"duration"`
	}{plain: &plain{}}
	if err := json.Unmarshal(data, &wire); err != nil {
		return fmt.Errorf("budget: %w", err)
	}
	*b = Budget(*wire.plain)
	b.Nodes = string(wire.Nodes)
	if wire.Schedule != nil {
		b.Schedule = string(*wire.Schedule)
	}
	if wire.Duration != nil {
		b.Duration = string(*wire.Duration)
	}
	return nil
}

// nodes decodes a string or a number.
type nodes string

func (n *nodes) UnmarshalJSON(data []byte) error {
	switch data[0] {
	case 'n': // null
		return nil
	case '"':
		return (*nonEmpty)(n).UnmarshalJSON(data)
	case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		*n = nodes(data)
		return nil
	}
	return fmt.Errorf(`nodes %.100s is neither text nor a number: write a count such as 5, or a percentage such as "10%%"`,
		bytes.TrimSpace(data))
}

// nonEmpty decodes a string that must say something.
type nonEmpty string

func (s *nonEmpty) UnmarshalJSON(data []byte) error {
	var text string
	if err := json.Unmarshal(data, &text); err != nil {
		return err
	}
	if text == "" {
		return fmt.Errorf(`"" says nothing: leave the field out for its default`)
	}
	*s = nonEmpty(text)
	return nil
}
