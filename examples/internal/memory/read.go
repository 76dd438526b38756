package memory

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/topology"
)

// What the annotations look like.
const (
	example     = `{"roll":` + exampleRoll + `}`
	exampleRoll = `{"key":"topology.kubernetes.io/zone","domain":"us-west-2a"}`
)

// Read returns what the annotations of a NodePool remember, and what is wrong with them, in warnings about an object, such as
// NodePool/default. What is broken holds nothing back: it is as if there were nothing to remember. Members that are not known
// are ignored, since a later version may have written them.
func Read(object string, annotations map[string]string) (disruptkit.Memory, []candidate.Warning) {
	text, isThere := annotations[Annotation]
	old, isOldThere := annotations[RollAnnotation]
	switch {
	case isThere && isOldThere:
		m, warnings := Read(object, map[string]string{Annotation: text})
		return m, append(warnings, warning(object, RollAnnotation, old, candidate.CodeNoEffect,
			"it is ignored, since "+Annotation+" is there: remove it"))
	case isThere:
		m, err := parse(text)
		if err != nil {
			return disruptkit.Memory{}, broken(object, Annotation, text, "memory", example, err)
		}
		return m, nil
	case isOldThere:
		roll, err := parseRoll(old)
		if err != nil {
			return disruptkit.Memory{}, broken(object, RollAnnotation, old, "roll", exampleRoll, err)
		}
		return disruptkit.Memory{Roll: roll}, nil
	}
	return disruptkit.Memory{}, nil
}

func broken(object, annotation, text, what, instead string, err error) []candidate.Warning {
	return []candidate.Warning{warning(object, annotation, text, candidate.CodeInvalidAnnotation,
		fmt.Sprintf("%.100q is no %s: %v: write text such as '%s', or remove the annotation", text, what, err, instead))}
}

func warning(object, annotation, text, code, message string) candidate.Warning {
	return candidate.Warning{
		Code: code, Object: object, Field: "metadata.annotations[" + annotation + "]", Value: text, Message: message,
	}
}

// parse parses the text of Annotation.
func parse(text string) (m disruptkit.Memory, err error) {
	var written struct{ Roll *writtenRoll }
	if err := decode(text, &m, &written); err != nil {
		return m, err
	}
	m.Roll, err = written.Roll.check(m.Roll)
	return m, err
}

// parseRoll parses the text of RollAnnotation.
func parseRoll(text string) (roll topology.Roll, err error) {
	var written writtenRoll
	if err := decode(text, &roll, &written); err != nil {
		return roll, err
	}
	return written.check(roll)
}

// A writtenRoll tells members of a roll that are missing from those that are empty.
type writtenRoll struct{ Key, Domain *string }

// check returns a roll of which all is there that has to be. One of no key is none.
func (w *writtenRoll) check(roll topology.Roll) (topology.Roll, error) {
	switch {
	case w == nil:
		return topology.Roll{}, nil
	case w.Key == nil:
		return roll, errors.New("the roll has no key")
	case w.Domain == nil:
		return roll, errors.New("the roll has no domain")
	case roll.Key == "":
		return topology.Roll{}, nil
	}
	return roll, nil
}

// decode decodes a JSON object.
func decode(text string, into ...any) error {
	if !strings.HasPrefix(strings.TrimSpace(text), "{") {
		return errors.New("it is no JSON object")
	}
	for _, target := range into {
		if err := json.Unmarshal([]byte(text), target); err != nil {
			return explained(err)
		}
	}
	return nil
}

// explained returns an error of package json in the words of who reads it.
func explained(err error) error {
	var wrongType *json.UnmarshalTypeError
	var noTime *time.ParseError
	switch {
	case errors.As(err, &wrongType):
		return fmt.Errorf("%s cannot be of type %s", wrongType.Field, wrongType.Value)
	case errors.As(err, &noTime):
		return fmt.Errorf("%.100q is no time such as 2026-11-20T10:30:00Z", noTime.Value)
	}
	return err
}
