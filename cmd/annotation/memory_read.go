package annotation

import (
	"cmp"
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

// parse parses the text of Memory: an object whose roll is complete, and which can be written again. A roll without a key counts as none.
func parse(text string) (m disruptkit.Memory, err error) {
	var written struct{ Roll map[string]any }
	switch {
	case !strings.HasPrefix(strings.TrimSpace(text), "{"):
		err = errors.New("it is not a JSON object")
	default:
		err = explained(cmp.Or(json.Unmarshal([]byte(text), &m), json.Unmarshal([]byte(text), &written)))
	}
	for _, name := range []string{"key", "domain"} {
		if err == nil && written.Roll != nil && written.Roll[name] == nil {
			err = fmt.Errorf("the roll has no %s", name)
		}
	}
	if m.Roll.Key == "" {
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
