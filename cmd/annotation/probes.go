package annotation

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"github.com/disruptkit/disruptkit/internal/display"
	"github.com/disruptkit/disruptkit/internal/jsonobject"
	"github.com/disruptkit/disruptkit/internal/wording"
	"github.com/disruptkit/disruptkit/probe/httpget"
)

// The names of probes in the RFC's first version, and in the one that replaced it.
const (
	ProbesField    = "disruptionProbes"
	ReadinessField = "disruptionReadiness"

	httpField = "httpProbes"
)

// ParseField reads the value of ProbesField, a list, or of ReadinessField, an object with a list of httpProbes, from JSON. It fills in all
// defaults. Their default modes differ, as the RFC's recommendations do: a list's is httpget.StatusMode, and httpProbes have httpget.BodyMode.
// Null means no probes.
//
// An invalid entry keeps its place in the list and blocks; the error says what is wrong with each. The error never
// quotes the query of a path or the value of a header, since these may be secret.
func ParseField(name string, written []byte) ([]httpget.Spec, error) {
	if name == ReadinessField {
		return parseReadiness(written)
	}
	return parseList(written, name, httpget.StatusMode)
}

// ParseProbes reads the value of either field, by what it is. See [ParseField].
// An invalid entry keeps its place in the list and blocks; the error says what is wrong with each. The error never
// quotes the query of a path or the value of a header, since these may be secret.
func ParseProbes(written []byte) ([]httpget.Spec, error) {
	var readiness struct{ HTTPProbes json.RawMessage } // nil only if it is absent
	if err := json.Unmarshal(written, &readiness); err == nil && readiness.HTTPProbes != nil {
		return parseReadiness(written)
	}
	return parseList(written, ProbesField, httpget.StatusMode)
}

// parseReadiness reads an object disruptionReadiness.
func parseReadiness(object []byte) ([]httpget.Spec, error) {
	const example = `write one such as {"httpProbes": [{"host": "health.monitoring.svc", "port": 8080}]}`
	var list json.RawMessage
	err := jsonobject.Fields(object, func(name string, value json.RawMessage) error {
		if name != httpField {
			return jsonobject.Unknown(display.PublicName(name), httpField)
		}
		list = value
		return nil
	})
	switch {
	case errors.Is(err, jsonobject.ErrNone):
		return unreadable(ReadinessField,
			fmt.Errorf("%s: %s is not an object: %s", ReadinessField, kind(object), example))
	case err != nil:
		return unreadable(ReadinessField, fmt.Errorf("%s: %w", ReadinessField, err))
	case list == nil:
		return unreadable(ReadinessField, fmt.Errorf("%s has no %s: %s", ReadinessField, httpField, example))
	}
	return parseList(list, httpField, httpget.BodyMode)
}

// parseList reads a list of probes under a name. Those that say no mode have the given one.
func parseList(list []byte, name string, mode httpget.Mode) ([]httpget.Spec, error) {
	var entries []json.RawMessage
	if err := json.Unmarshal(list, &entries); kind(list) == "a list" && err != nil {
		return unreadable(name, fmt.Errorf("%s: the list is malformed: %w", name, err))
	} else if err != nil {
		return unreadable(name, fmt.Errorf(`%s: %s is not a list: `+
			`write one such as [{"host": "health.monitoring.svc", "port": 8080}]`, name, kind(list)))
	}
	var probes []httpget.Spec
	var errs []error
	for i, entry := range entries {
		p, err := readProbe(entry)
		p.Mode = cmp.Or(p.Mode, mode)
		if err == nil {
			err = p.Validate()
		}
		if err != nil {
			where := fmt.Sprintf("%s[%d]", name, i)
			p.Name, p.Broken = cmp.Or(p.Name, where), wording.Sentence(err)
			errs = append(errs, fmt.Errorf("%s: %s", where, p.Broken))
		}
		probes = append(probes, p.WithDefaults())
	}
	return probes, errors.Join(errs...)
}

// unreadable returns one probe that blocks, in place of probes that could not be read.
func unreadable(name string, err error) ([]httpget.Spec, error) {
	p := httpget.Spec{Name: name, Broken: err.Error()}
	return []httpget.Spec{p.WithDefaults()}, err
}

// readProbe reads an entry of disruptionProbes without filling in defaults. Unknown and duplicate fields are errors,
// since the probe might not ask what its author meant. Null means absent.
func readProbe(entry json.RawMessage) (p httpget.Spec, err error) {
	if jsonobject.IsNull(entry) {
		return p, errors.New("null is not a probe: delete it")
	}
	err = jsonobject.Fields(entry, func(name string, value json.RawMessage) error { return setField(&p, name, value) })
	if errors.Is(err, jsonobject.ErrNone) {
		err = fmt.Errorf(`%s is not an object: write one such as {"host": "health.monitoring.svc", "port": 8080}`,
			kind(entry))
	}
	return p, err
}

func setField(p *httpget.Spec, name string, value json.RawMessage) error {
	const words = "a quoted string"
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
		return setHeaders(p, name, value)
	case "timeoutSeconds":
		return setNumber(name, value, &p.TimeoutSeconds)
	case "periodSeconds":
		return setNumber(name, value, &p.PeriodSeconds)
	case "successThreshold":
		return setNumber(name, value, &p.SuccessThreshold)
	case "failureThreshold":
		return setNumber(name, value, &p.FailureThreshold)
	case "maxAgeSeconds":
		return setNumber(name, value, &p.MaxAgeSeconds)
	case "httpGet": // as in a readiness probe
		return errors.New(`field "httpGet": write its fields next to timeoutSeconds and the others: ` +
			`{"path": "/healthz", "port": 8080}`)
	}
	return jsonobject.Unknown(display.PublicName(name), "name", "mode", "scheme", "host", "port", "path", "httpHeaders",
		"timeoutSeconds", "periodSeconds", "successThreshold", "failureThreshold", "maxAgeSeconds")
}

func setHeaders(p *httpget.Spec, name string, value json.RawMessage) error {
	var headers []header
	err := setSecret(name, value, '[', &headers, `a list, such as [{"name": "X-Pool", "value": "gpu"}]`)
	if headers != nil {
		p.HTTPHeaders = make([]httpget.Header, len(headers))
	}
	for i, h := range headers {
		p.HTTPHeaders[i] = httpget.Header(h)
	}
	return err
}

// A header decodes as strictly as a probe.
type header httpget.Header

func (h *header) UnmarshalJSON(data []byte) error {
	err := jsonobject.Fields(data, func(name string, value json.RawMessage) error {
		switch name {
		case "name":
			return setSecret(name, value, '"', &h.Name, "text")
		case "value":
			return setSecret(name, value, '"', &h.Value, "a quoted string")
		}
		return jsonobject.Unknown(display.PublicName(name), "name", "value")
	})
	if errors.Is(err, jsonobject.ErrNone) {
		return fmt.Errorf(`%s is not a header: write one such as {"name": "X-Pool", "value": "gpu"}`, kind(data))
	}
	return err
}

// setSecret decodes a value that begins with start, or null. Its errors do not quote the value.
func setSecret(name string, value json.RawMessage, start byte, target any, example string) error {
	if value[0] != start && !jsonobject.IsNull(value) {
		return fmt.Errorf("field %q: %s is not valid: write %s", name, kind(value), example)
	}
	return jsonobject.Set(name, value, target, example)
}

// setNumber decodes a number. Its errors do not quote objects or lists.
func setNumber(name string, value json.RawMessage, target *int) error {
	const example = "a whole number"
	if value[0] == '{' || value[0] == '[' {
		return setSecret(name, value, '0', target, example)
	}
	return jsonobject.Set(name, value, target, example)
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
		return fmt.Sprintf("%.100s", display.PublicAddress(string(data)))
	}
	return kind(data)
}
