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

// ProbesOf returns the first field with probes of a spec.disruption that budget.Spec decodes, or "". The Spec ignores them.
func ProbesOf(document []byte) (field string) {
	_ = jsonobject.Fields(document, func(name string, _ json.RawMessage) error { // budget.Spec finds the faults
		if name == ProbesField || name == ReadinessField {
			field = cmp.Or(field, name)
		}
		return nil
	})
	return field
}

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
	err := jsonobject.Decode(object, []jsonobject.Field{{Name: httpField, Target: &list}})
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
	const words, number = "a quoted string", "a whole number"
	var headers []header
	err = jsonobject.Decode(entry, []jsonobject.Field{
		{Name: "name", Target: &secret{&p.Name, false}, Example: words},
		{Name: "mode", Target: &secret{&p.Mode, false}, Example: "status, body or cluster"},
		{Name: "scheme", Target: &secret{&p.Scheme, false}, Example: "http or https"},
		{Name: "host", Target: &secret{&p.Host, false}, Example: words},
		{Name: "port", Target: (*port)(&p.Port)},
		{Name: "path", Target: &secret{&p.Path, false}, Example: `a string, such as "/healthz"`},
		{Name: "httpHeaders", Target: &secret{&headers, false}, Example: `a list, such as [{"name": "X-Pool", "value": "gpu"}]`},
		{Name: "timeoutSeconds", Target: &secret{&p.TimeoutSeconds, true}, Example: number},
		{Name: "periodSeconds", Target: &secret{&p.PeriodSeconds, true}, Example: number},
		{Name: "successThreshold", Target: &secret{&p.SuccessThreshold, true}, Example: number},
		{Name: "failureThreshold", Target: &secret{&p.FailureThreshold, true}, Example: number},
		{Name: "maxAgeSeconds", Target: &secret{&p.MaxAgeSeconds, true}, Example: number},
	}, jsonobject.Field{Name: "httpGet", Target: new(nested)})
	for _, h := range headers {
		p.HTTPHeaders = append(p.HTTPHeaders, httpget.Header(h))
	}
	if errors.Is(err, jsonobject.ErrNone) {
		err = fmt.Errorf(`%s is not an object: write one such as {"host": "health.monitoring.svc", "port": 8080}`,
			kind(entry))
	}
	return p, err
}

// A header decodes as strictly as a probe.
type header httpget.Header

func (h *header) UnmarshalJSON(data []byte) error {
	err := jsonobject.Decode(data, []jsonobject.Field{
		{Name: "name", Target: &secret{&h.Name, false}, Example: "text"},
		{Name: "value", Target: &secret{&h.Value, false}, Example: "a quoted string"},
	})
	if errors.Is(err, jsonobject.ErrNone) {
		return fmt.Errorf(`%s is not a header: write one such as {"name": "X-Pool", "value": "gpu"}`, kind(data))
	}
	return err
}

// A secret is where a value goes that errors do not quote, unless it shows texts and numbers.
type secret struct {
	to    any
	shows bool
}

func (s *secret) UnmarshalJSON(data []byte) error {
	err := json.Unmarshal(data, s.to)
	var wrongType *json.UnmarshalTypeError
	if hides := !s.shows || data[0] == '{' || data[0] == '['; hides && errors.As(err, &wrongType) {
		return jsonobject.Invalid(kind(data))
	}
	return err
}

// nested is what people write in a readiness probe.
type nested struct{}

func (*nested) UnmarshalJSON([]byte) error {
	return errors.New(`write its fields next to timeoutSeconds and the others: {"path": "/healthz", "port": 8080}`)
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
