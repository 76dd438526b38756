package annotation

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/disruptkit/disruptkit/internal/jsonobject"
	"github.com/disruptkit/disruptkit/internal/stray"
	"github.com/disruptkit/disruptkit/probe/httpget"
)

// The names of probes in the RFC's first version, and in the one that replaced it.
const (
	probesField    = "disruptionProbes"
	readinessField = "disruptionReadiness"
	httpField      = "httpProbes"
)

// ParseNodePoolProbes reads the probes of a NodePool from JSON: the field disruptionProbes or disruptionReadiness, as
// [ParseProbes] does. It may be under spec.disruption, like Karpenter's budgets, or under spec.template.disruption, as in the RFC.
// More than one such field is an error, and blocks.
func ParseNodePoolProbes(object []byte) ([]httpget.Spec, error) {
	var fields []probesPlace
	for _, path := range []string{"spec.disruption", "spec.template.disruption", astray} {
		found, err := find(object, strings.Split(path, "."))
		if err != nil {
			return unreadable(probesField, err)
		}
		fields = append(fields, found...)
	}
	for _, f := range fields {
		if f.parent == astray {
			return unreadable(f.name, fmt.Errorf("%s are under %s, where they are ignored: "+
				"write them under spec.disruption", f.name, f.parent))
		}
	}
	switch len(fields) {
	case 0:
		return nil, nil
	case 1:
		return fields[0].parse()
	}
	one, other := fields[0], fields[1]
	if one.name == other.name {
		return unreadable(one.name, fmt.Errorf("%s are under %s and under %s, and it is unclear which apply: "+
			"write them under spec.disruption", one.name, one.parent, other.parent))
	}
	return unreadable(one.name, fmt.Errorf("there are %s under %s and %s under %s, and it is unclear which apply: "+
		"write one of them, under spec.disruption", one.name, one.parent, other.name, other.parent))
}

// astray is where most fields of a template are, but not these.
const astray = "spec.template.spec"

// A probesPlace is a field of a NodePool that holds probes.
type probesPlace struct {
	parent, name string // such as spec.disruption and disruptionProbes
	value        json.RawMessage
}

func (f probesPlace) parse() ([]httpget.Spec, error) {
	if f.name == readinessField {
		return parseReadiness(f.value)
	}
	return parseList(f.value, f.name, httpget.StatusMode)
}

// find returns the fields with probes in the object under some parents. Misplaced or misspelled probes along the path
// are an error: otherwise they would silently stop nothing.
func find(object json.RawMessage, parents []string) (found []probesPlace, err error) {
	for i := 0; i <= len(parents); i++ {
		if i > 0 && (object == nil || jsonobject.IsNull(object)) {
			return nil, nil
		}
		where := strings.Join(parents[:i], ".")
		wanted := []string{probesField, readinessField}
		if i < len(parents) {
			wanted = parents[i : i+1]
		}
		var next json.RawMessage
		err := jsonobject.Fields(object, func(name string, value json.RawMessage) error {
			if err := misspelled(name, wanted); err != nil {
				return err
			}
			switch {
			case name != wanted[0] && name != wanted[len(wanted)-1]:
			case i < len(parents):
				next = value
			case !jsonobject.IsNull(value):
				found = append(found, probesPlace{where, name, value})
			}
			return nil
		})
		path := strings.Join(append([]string{"NodePool"}, parents[:i]...), ".")
		switch {
		case errors.Is(err, jsonobject.ErrNone):
			return nil, fmt.Errorf("%s is not an object: write one with the field %s", path, wanted[0])
		case err != nil:
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		object = next
	}
	return found, nil
}

// misspelled is an error for a name that means one of those wanted, or probes that do not belong there.
func misspelled(name string, wanted []string) error {
	for _, w := range wanted {
		if name == w {
			return nil
		}
		if strings.EqualFold(name, w) {
			return fmt.Errorf("field %q is unknown: write %s", name, w)
		}
	}
	switch meant := stray.Nearest(name, []string{probesField, readinessField, httpField}); meant {
	case "":
		return nil
	case httpField:
		return fmt.Errorf("field %q is unknown there: write %s under spec.disruption.%s", name, meant, readinessField)
	default:
		return fmt.Errorf("field %q is unknown there: write %s under spec.disruption", name, meant)
	}
}
