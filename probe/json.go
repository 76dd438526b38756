package probe

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"github.com/disruptkit/disruptkit/internal/jsonobject"
)

// Parse reads a list of disruptionProbes, in JSON, with all defaults filled in. Null is no list. An entry that is broken
// stays in its place, and blocks; the error says what is wrong with each.
func Parse(list []byte) ([]Probe, error) {
	var entries []json.RawMessage
	if err := json.Unmarshal(list, &entries); err != nil {
		err = fmt.Errorf(`disruptionProbes: %.100s is no list: write one such as [{"host": "health.monitoring.svc", "port": 8080}]`, list)
		return []Probe{{Name: "disruptionProbes", Broken: err.Error()}}, err
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
			errs = append(errs, fmt.Errorf("%s: %w", where, err))
			p.Name, p.Broken = cmp.Or(p.Name, where), err.Error()
		}
		probes = append(probes, p.WithDefaults())
	}
	return probes, errors.Join(errs...)
}

// ParseNodePool reads the disruptionProbes of a NodePool, in JSON. They may be under spec.disruption, where Karpenter has the
// budgets, or under spec.template.disruption, where the RFC has them, but not under both: that is an error, and blocks.
func ParseNodePool(object []byte) ([]Probe, error) {
	type disruption struct {
		DisruptionProbes json.RawMessage `json:"disruptionProbes"`
	}
	var pool struct {
		Spec struct {
			Disruption disruption `json:"disruption"`
			Template   struct {
				Disruption disruption `json:"disruption"`
			} `json:"template"`
		} `json:"spec"`
	}
	if err := json.Unmarshal(object, &pool); err != nil {
		err = fmt.Errorf("the NodePool cannot be read: %w", err)
		return []Probe{{Name: "disruptionProbes", Broken: err.Error()}}, err
	}
	ours, theirs := pool.Spec.Disruption.DisruptionProbes, pool.Spec.Template.Disruption.DisruptionProbes
	switch {
	case isNull(theirs) && isNull(ours):
		return nil, nil
	case isNull(theirs):
		return Parse(ours)
	case isNull(ours):
		return Parse(theirs)
	}
	err := errors.New("disruptionProbes are under spec.disruption and under spec.template.disruption, and nobody knows which hold: write them under spec.disruption")
	return []Probe{{Name: "disruptionProbes", Broken: err.Error()}}, err
}

func isNull(value json.RawMessage) bool {
	return len(value) == 0 || string(bytes.TrimSpace(value)) == "null"
}

// UnmarshalJSON decodes an entry of disruptionProbes as it is written. Fields that are unknown or stand twice are errors: a
// probe could turn out to ask something else than was meant. Null is absent.
func (p *Probe) UnmarshalJSON(data []byte) error {
	if isNull(data) {
		return errors.New("null is no probe: delete it")
	}
	var decoded Probe
	err := jsonobject.Fields(data, decoded.setField)
	if errors.Is(err, jsonobject.ErrNone) {
		err = fmt.Errorf(`%.100s is no object: write one such as {"host": "health.monitoring.svc", "port": 8080}`, data)
	}
	*p = decoded
	return err
}

func (p *Probe) setField(name string, value json.RawMessage) error {
	const words, number = `text in quotes`, "a whole number"
	switch name {
	case "name":
		return jsonobject.Set(name, value, &p.Name, words)
	case "mode":
		return jsonobject.Set(name, value, &p.Mode, "status, body or cluster")
	case "scheme":
		return jsonobject.Set(name, value, &p.Scheme, "http or https")
	case "host":
		return jsonobject.Set(name, value, &p.Host, words)
	case "port":
		return jsonobject.Set(name, value, (*port)(&p.Port), "a number from 1 to 65535")
	case "path":
		return jsonobject.Set(name, value, &p.Path, `text, such as "/healthz"`)
	case "httpHeaders":
		return jsonobject.Set(name, value, &p.HTTPHeaders, `a list, such as [{"name": "X-Pool", "value": "gpu"}]`)
	case "timeoutSeconds":
		return jsonobject.Set(name, value, &p.TimeoutSeconds, number)
	case "periodSeconds":
		return jsonobject.Set(name, value, &p.PeriodSeconds, number)
	case "successThreshold":
		return jsonobject.Set(name, value, &p.SuccessThreshold, number)
	case "failureThreshold":
		return jsonobject.Set(name, value, &p.FailureThreshold, number)
	case "maxAgeSeconds":
		return jsonobject.Set(name, value, &p.MaxAgeSeconds, number)
	case "httpGet": // as in a readiness probe
		return errors.New(`field "httpGet": write what is in it beside timeoutSeconds and so on: {"path": "/healthz", "port": 8080}`)
	}
	return jsonobject.Unknown(name, "name", "mode", "scheme", "host", "port", "path", "httpHeaders",
		"timeoutSeconds", "periodSeconds", "successThreshold", "failureThreshold", "maxAgeSeconds")
}

// UnmarshalJSON is as strict as that of a Probe.
func (h *Header) UnmarshalJSON(data []byte) error {
	err := jsonobject.Fields(data, func(name string, value json.RawMessage) error {
		switch name {
		case "name":
			return jsonobject.Set(name, value, &h.Name, "text")
		case "value":
			return jsonobject.Set(name, value, &h.Value, "text in quotes")
		}
		return jsonobject.Unknown(name, "name", "value")
	})
	if errors.Is(err, jsonobject.ErrNone) {
		return fmt.Errorf(`%.100s is no header: write one such as {"name": "X-Pool", "value": "gpu"}`, data)
	}
	return err
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
		return fmt.Errorf("%.100s is no port: write a number from 1 to 65535", data)
	}
	*p = port(n)
	return nil
}
