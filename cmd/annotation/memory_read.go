package annotation

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

// example is such an annotation, for messages.
const example = `{"roll":{"key":"topology.kubernetes.io/zone","domain":"us-west-2a"}}`

// ReadMemory returns the memory in the annotations of a NodePool, and warnings about an invalid one. Object names the
// NodePool in warnings, such as NodePool/default. An invalid annotation blocks nothing: it counts as empty. Unknown
// fields are ignored, since a later version may have written them.
func ReadMemory(object string, annotations map[string]string) (disruptkit.Memory, []candidate.Warning) {
	text, isThere := annotations[Memory]
	if !isThere {
		return disruptkit.Memory{}, nil
	}
	m, err := parse(text)
	if err != nil {
		return m, []candidate.Warning{{
			Code: candidate.CodeInvalidAnnotation, Object: object, Field: field(Memory), Value: text,
			Message: fmt.Sprintf("%.100q is no memory: %v: write text such as '%s', or remove the annotation", text, err, example),
		}}
	}
	return m, nil
}

// parse parses the text of Memory.
func parse(text string) (m disruptkit.Memory, err error) {
	var written struct{ Roll *writtenRoll }
	err = decode(text, &m, &written)
	return checked(m, written.Roll, err)
}

// A writtenRoll distinguishes missing fields of a roll from empty ones.
type writtenRoll struct{ Key, Domain *string }

// checked returns a memory if its roll is complete and it can be written again. A roll without a key counts as none.
func checked(m disruptkit.Memory, written *writtenRoll, err error) (disruptkit.Memory, error) {
	switch {
	case err != nil, written == nil:
	case written.Key == nil:
		err = errors.New("the roll has no key")
	case written.Domain == nil:
		err = errors.New("the roll has no domain")
	case m.Roll.Key == "":
		m.Roll = topology.Roll{}
	}
	if err == nil {
		_, err = MemoryText(m)
	}
	if err != nil {
		return disruptkit.Memory{}, err
	}
	return m, nil
}

// decode decodes a JSON object.
func decode(text string, into ...any) error {
	if !strings.HasPrefix(strings.TrimSpace(text), "{") {
		return errors.New("it is not a JSON object")
	}
	for _, target := range into {
		if err := json.Unmarshal([]byte(text), target); err != nil {
			return explained(err)
		}
	}
	return nil
}

// explained rewrites an error of package json for people.
func explained(err error) error {
	var wrongType *json.UnmarshalTypeError
	var noTime *time.ParseError
	switch {
	case errors.As(err, &wrongType):
		return fmt.Errorf("%s cannot be of type %s", wrongType.Field, wrongType.Value)
	case errors.As(err, &noTime):
		return fmt.Errorf("%.100q is not a time such as 2026-11-20T10:30:00Z", noTime.Value)
	}
	return err
}
