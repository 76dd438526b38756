package annotation

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/jsonobject"
	"github.com/disruptkit/disruptkit/topology"
)

// readTopology reads Topology.
func readTopology(text string) (o topology.Options, err error) {
	err = readObject(text, "{patience: 15m}", func(document []byte) (err error) { o, err = ParseTopology(document); return err })
	return o, err
}

// ParseTopology parses the object of [Topology] from JSON. An unknown field, or a value that is not valid, is an error.
func ParseTopology(document []byte) (o topology.Options, err error) {
	err = jsonobject.Fields(document, func(name string, value json.RawMessage) error {
		switch name {
		case "patience":
			return readPatience(name, value, &o.Patience)
		case "soak":
			return readDuration(name, value, &o.Soak, "a duration such as 15m")
		case "unlabelled":
			return readUnlabelled(name, value, &o.Unlabelled)
		case "labelOptional":
			return jsonobject.Set(name, value, &o.LabelOptional, "true or false")
		case "unsettled":
			return jsonobject.Set(name, value, &o.Unsettled, "true or false")
		}
		return jsonobject.Unknown(name, "patience", "soak", "unlabelled", "labelOptional", "unsettled")
	})
	if err != nil {
		return topology.Options{}, err
	}
	return o, nil
}

// readPatience reads the value of a field: a duration, or Never.
func readPatience(name string, value json.RawMessage, to *time.Duration) error {
	if string(value) == `"Never"` {
		*to = candidate.Forever
		return nil
	}
	return readDuration(name, value, to, "a duration such as 15m, or Never")
}

// readDuration reads the value of a field.
func readDuration(name string, value json.RawMessage, to *time.Duration, example string) error {
	var text *string
	if err := jsonobject.Set(name, value, &text, example); err != nil || text == nil {
		return err
	}
	d, err := time.ParseDuration(*text)
	if err != nil || d <= 0 {
		return fmt.Errorf("field %q: %.100q is not valid: write %s", name, *text, example)
	}
	*to = d
	return nil
}

// readUnlabelled reads the value of a field.
func readUnlabelled(name string, value json.RawMessage, to *topology.Unlabelled) error {
	const example = "TakeTurn, Exempt or Block"
	var text *string
	if err := jsonobject.Set(name, value, &text, example); err != nil || text == nil {
		return err
	}
	switch *text {
	case "TakeTurn":
		*to = topology.TakeTurn
	case "Exempt":
		*to = topology.Exempt
	case "Block":
		*to = topology.Block
	default:
		return fmt.Errorf("field %q: %.100q is not valid: write %s", name, *text, example)
	}
	return nil
}
