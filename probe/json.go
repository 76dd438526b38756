package probe

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/disruptkit/disruptkit/internal/jsonobject"
	"github.com/disruptkit/disruptkit/internal/sentence"
)

// Parse reads a list of disruptionProbes, in JSON, with all defaults filled in. Null is no list. An entry that is broken
// stays in its place, and blocks; the error says what is wrong with each. It quotes no path's query, and no value of a header,
// since these may be secret.
func Parse(list []byte) ([]Probe, error) {
	var entries []json.RawMessage
	if err := json.Unmarshal(list, &entries); kind(list) == "a list" && err != nil {
		return unreadable(fmt.Errorf("disruptionProbes: the list is malformed: %w", err))
	} else if err != nil {
		return unreadable(fmt.Errorf(`disruptionProbes: %s is not a list: write one such as [{"host": "health.monitoring.svc", "port": 8080}]`, kind(list)))
	}
	var probes []Probe
	var errs []error
	for i, entry := range entries {
		var p Probe
		err := p.UnmarshalJSON(entry)
		if err == nil {
			err = p.Validate()
		}
		if err != nil {
			where := fmt.Sprintf("disruptionProbes[%d]", i)
			p.Name, p.Broken = cmp.Or(p.Name, where), sentence.Of(err)
			errs = append(errs, fmt.Errorf("%s: %s", where, p.Broken))
		}
		probes = append(probes, p.WithDefaults())
	}
	return probes, errors.Join(errs...)
}

// unreadable returns a probe that blocks, in place of those that nobody knows.
func unreadable(err error) ([]Probe, error) {
	p := Probe{Name: "disruptionProbes", Broken: err.Error()}
	return []Probe{p.WithDefaults()}, err
}

// ParseNodePool reads the disruptionProbes of a NodePool, in JSON. They may be under spec.disruption, where Karpenter has the
// budgets, or under spec.template.disruption, where the RFC has them, but not under both: that is an error, and blocks.
func ParseNodePool(object []byte) ([]Probe, error) {
	ours, err := find(object, "spec", "disruption", probesField)
	theirs, err2 := find(object, "spec", "template", "disruption", probesField)
	astray, err3 := find(object, "spec", "template", "spec", probesField) // where most fields are
	switch {
	case cmp.Or(err, err2, err3) != nil:
		return unreadable(cmp.Or(err, err2, err3))
	case astray != nil:
		return unreadable(errors.New("disruptionProbes are under spec.template.spec, where they are ignored: write them under spec.disruption"))
	case !isNull(ours) && !isNull(theirs):
		return unreadable(errors.New("disruptionProbes are under spec.disruption and under spec.template.disruption, and it is unclear which apply: write them under spec.disruption"))
	case !isNull(ours):
		return Parse(ours)
	case !isNull(theirs):
		return Parse(theirs)
	}
	return nil, nil
}

const probesField = "disruptionProbes"

var dashes = strings.NewReplacer("-", "", "_", "")

// find returns what is at a path of fields, if anything is. Probes that are elsewhere on the way, or are spelled in another
// way, are an error: nothing would stop disruption, and nobody would know.
func find(object json.RawMessage, path ...string) (json.RawMessage, error) {
	for i, wanted := range path {
		if i > 0 && isNull(object) {
			return nil, nil
		}
		var found json.RawMessage
		err := jsonobject.Fields(object, func(name string, value json.RawMessage) error {
			switch {
			case name == wanted:
				found = value
			case strings.EqualFold(name, wanted):
				return fmt.Errorf("field %q is unknown: write %s", name, wanted)
			case jsonobject.Alike(dashes.Replace(name), probesField):
				return fmt.Errorf("field %q is unknown there: write disruptionProbes under spec.disruption", name)
			}
			return nil
		})
		where := strings.Join(append([]string{"NodePool"}, path[:i]...), ".")
		switch {
		case errors.Is(err, jsonobject.ErrNone):
			return nil, fmt.Errorf("%s is not an object: write one with the field %s", where, wanted)
		case err != nil:
			return nil, fmt.Errorf("%s: %w", where, err)
		}
		object = found
	}
	return object, nil
}

func isNull(value json.RawMessage) bool {
	return len(value) == 0 || string(bytes.TrimSpace(value)) == "null"
}

// UnmarshalJSON decodes an entry of disruptionProbes as it is written. Fields that are unknown or stand twice are errors: a
// probe could turn out to ask something else than was meant. Null is absent.
func (p *Probe) UnmarshalJSON(data []byte) error {
	if isNull(data) {
		return errors.New("null is not a probe: delete it")
	}
	var decoded Probe
	err := jsonobject.Fields(data, decoded.setField)
	if errors.Is(err, jsonobject.ErrNone) {
		err = fmt.Errorf(`%s is not an object: write one such as {"host": "health.monitoring.svc", "port": 8080}`, kind(data))
	}
	*p = decoded
	return err
}

func (p *Probe) setField(name string, value json.RawMessage) error {
	const words, number = "a quoted string", "a whole number"
	switch name {
	case "name":
		return setSecret(name, value, '"', &p.Name, words)
	case "mode":
		return setSecret(name, value, '"', &p.Mode, "status, body or cluster")
	case "scheme":
		return setSecret(name, value, '"', &p.Scheme, "http or https")
	case "host":
		return setSecret(name, value, '"', &p.Host, words)
	case "port":
		return jsonobject.Set(name, value, (*port)(&p.Port), "a number from 1 to 65535")
	case "path":
		return setSecret(name, value, '"', &p.Path, `a string, such as "/healthz"`)
	case "httpHeaders":
		return setSecret(name, value, '[', &p.HTTPHeaders, `a list, such as [{"name": "X-Pool", "value": "gpu"}]`)
	case "timeoutSeconds":
		return setNumber(name, value, &p.TimeoutSeconds, number)
	case "periodSeconds":
		return setNumber(name, value, &p.PeriodSeconds, number)
	case "successThreshold":
		return setNumber(name, value, &p.SuccessThreshold, number)
	case "failureThreshold":
		return setNumber(name, value, &p.FailureThreshold, number)
	case "maxAgeSeconds":
		return setNumber(name, value, &p.MaxAgeSeconds, number)
	case "httpGet": // as in a readiness probe
		return errors.New(`field "httpGet": write its fields next to timeoutSeconds and the others: {"path": "/healthz", "port": 8080}`)
	}
	return jsonobject.Unknown(publicName(name), "name", "mode", "scheme", "host", "port", "path", "httpHeaders",
		"timeoutSeconds", "periodSeconds", "successThreshold", "failureThreshold", "maxAgeSeconds")
}

// UnmarshalJSON is as strict as that of a Probe.
func (h *Header) UnmarshalJSON(data []byte) error {
	err := jsonobject.Fields(data, func(name string, value json.RawMessage) error {
		switch name {
		case "name":
			return setSecret(name, value, '"', &h.Name, "text")
		case "value":
			return setSecret(name, value, '"', &h.Value, "a quoted string")
		}
		return jsonobject.Unknown(publicName(name), "name", "value")
	})
	if errors.Is(err, jsonobject.ErrNone) {
		return fmt.Errorf(`%s is not a header: write one such as {"name": "X-Pool", "value": "gpu"}`, kind(data))
	}
	return err
}

// setSecret decodes a value that is not quoted where it is not what begins with start, nor null.
func setSecret(name string, value json.RawMessage, start byte, target any, example string) error {
	if value[0] != start && !isNull(value) {
		return fmt.Errorf("field %q: %s is not valid: write %s", name, kind(value), example)
	}
	return jsonobject.Set(name, value, target, example)
}

// setNumber decodes a number. An object or a list in its place is not quoted.
func setNumber(name string, value json.RawMessage, target *int, example string) error {
	if value[0] == '{' || value[0] == '[' {
		return setSecret(name, value, '0', target, example)
	}
	return jsonobject.Set(name, value, target, example)
}

// publicName returns a name up to where it no longer is one: what follows may be the value.
func publicName(name string) string {
	if end := strings.IndexAny(name, ":= \t\n?@"); end >= 0 {
		return name[:end]
	}
	return name
}

// kind says what a value is, without what it says: that may be secret.
func kind(value []byte) string {
	value = bytes.TrimSpace(value)
	switch {
	case len(value) == 0:
		return "nothing"
	case value[0] == '{':
		return "an object"
	case value[0] == '[':
		return "a list"
	case value[0] == '"':
		return "text"
	case !json.Valid(value):
		return "text that is not JSON"
	case string(value) == "null", string(value) == "true", string(value) == "false":
		return string(value)
	}
	return "a number"
}

// port decodes a number, or one as text: Kubernetes lets ports have names, but those are of containers, and here are none.
type port int

func (p *port) UnmarshalJSON(data []byte) error {
	text := string(data)
	if text == "null" {
		return nil
	}
	if unquoted := ""; json.Unmarshal(data, &unquoted) == nil {
		text = unquoted
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		return fmt.Errorf("%s is not a port: write a number from 1 to 65535", shownPort(data))
	}
	*p = port(n)
	return nil
}

// shownPort returns what of a port that is none may be told: it may be the rest of a URL.
func shownPort(data []byte) string {
	if kind(data) == "text" || kind(data) == "a number" {
		return fmt.Sprintf("%.100s", public(string(data)))
	}
	return kind(data)
}
