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

// Parse reads a list of disruptionProbes from JSON, and fills in all defaults. Null means no list. An invalid entry
// keeps its place in the list and blocks; the error says what is wrong with each. The error never quotes the query of a
// path or the value of a header, since these may be secret.
func Parse(list []byte) ([]Probe, error) {
	var entries []json.RawMessage
	if err := json.Unmarshal(list, &entries); kind(list) == "a list" && err != nil {
		return unreadable(fmt.Errorf("disruptionProbes: the list is malformed: %w", err))
	} else if err != nil {
		return unreadable(fmt.Errorf(`disruptionProbes: %s is not a list: `+
			`write one such as [{"host": "health.monitoring.svc", "port": 8080}]`, kind(list)))
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

// unreadable returns one probe that blocks, in place of probes that could not be read.
func unreadable(err error) ([]Probe, error) {
	p := Probe{Name: "disruptionProbes", Broken: err.Error()}
	return []Probe{p.WithDefaults()}, err
}

// ParseNodePool reads the disruptionProbes of a NodePool from JSON. They may be under spec.disruption, like Karpenter's
// budgets, or under spec.template.disruption, as in the RFC. If they are under both, that is an error, and blocks.
func ParseNodePool(object []byte) ([]Probe, error) {
	ours, err := find(object, "spec", "disruption", probesField)
	theirs, err2 := find(object, "spec", "template", "disruption", probesField)
	astray, err3 := find(object, "spec", "template", "spec", probesField) // where most fields of a template are
	switch {
	case cmp.Or(err, err2, err3) != nil:
		return unreadable(cmp.Or(err, err2, err3))
	case astray != nil:
		return unreadable(errors.New("disruptionProbes are under spec.template.spec, where they are ignored: " +
			"write them under spec.disruption"))
	case !isNull(ours) && !isNull(theirs):
		return unreadable(errors.New("disruptionProbes are under spec.disruption and under spec.template.disruption, " +
			"and it is unclear which apply: write them under spec.disruption"))
	case !isNull(ours):
		return Parse(ours)
	case !isNull(theirs):
		return Parse(theirs)
	}
	return nil, nil
}

const probesField = "disruptionProbes"

// find returns the value at a path of fields, or nil. Misplaced or misspelled probes along the path are an error:
// otherwise they would silently stop nothing.
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
			case jsonobject.Nearest(name, []string{probesField}) != "":
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

// UnmarshalJSON decodes an entry of disruptionProbes without filling in defaults. Unknown and duplicate fields are
// errors, since the probe might not ask what its author meant. Null means absent.
func (p *Probe) UnmarshalJSON(data []byte) error {
	if isNull(data) {
		return errors.New("null is not a probe: delete it")
	}
	var decoded Probe
	err := jsonobject.Fields(data, decoded.setField)
	if errors.Is(err, jsonobject.ErrNone) {
		err = fmt.Errorf(`%s is not an object: write one such as {"host": "health.monitoring.svc", "port": 8080}`,
			kind(data))
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
		return errors.New(`field "httpGet": write its fields next to timeoutSeconds and the others: ` +
			`{"path": "/healthz", "port": 8080}`)
	}
	return jsonobject.Unknown(publicName(name), "name", "mode", "scheme", "host", "port", "path", "httpHeaders",
		"timeoutSeconds", "periodSeconds", "successThreshold", "failureThreshold", "maxAgeSeconds")
}

// UnmarshalJSON is as strict as [Probe.UnmarshalJSON].
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

// setSecret decodes a value that begins with start, or null. Its errors do not quote the value.
func setSecret(name string, value json.RawMessage, start byte, target any, example string) error {
	if value[0] != start && !isNull(value) {
		return fmt.Errorf("field %q: %s is not valid: write %s", name, kind(value), example)
	}
	return jsonobject.Set(name, value, target, example)
}

// setNumber decodes a number. Its errors do not quote objects or lists.
func setNumber(name string, value json.RawMessage, target *int, example string) error {
	if value[0] == '{' || value[0] == '[' {
		return setSecret(name, value, '0', target, example)
	}
	return jsonobject.Set(name, value, target, example)
}

// publicName returns the leading part of a name that is valid. The rest may be a value, and secret.
func publicName(name string) string {
	if end := strings.IndexAny(name, ":= \t\n?@"); end >= 0 {
		return name[:end]
	}
	return name
}

// kind returns the JSON type of a value, for errors that must not quote it.
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

// port decodes a number, or a number as a string. Kubernetes also allows the names of container ports, but a probe has
// no container.
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

// shownPort returns the part of an invalid port that errors may quote. The rest may be part of a URL, and secret.
func shownPort(data []byte) string {
	if kind(data) == "text" || kind(data) == "a number" {
		return fmt.Sprintf("%.100s", public(string(data)))
	}
	return kind(data)
}
