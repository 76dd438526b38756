package annotation

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/jsonobject"
	"github.com/disruptkit/disruptkit/probe"
)

// PoolLabel is the label of Karpenter's nodes with the name of their NodePool. Pools need this label as well, because a
// pause selects its pool by it: a bare name would also select pools that have any label with that value.
const PoolLabel = "karpenter.sh/nodepool"

const zoneLabel = "topology.kubernetes.io/zone"

const (
	timeExample  = "a time such as 2026-11-22T14:00:00Z"
	pauseExample = "{until: 2026-11-22T14:00:00Z, by: alice, why: INC-1234}"
)

// readPause reads Pause. It returns no pause if the text is false.
func readPause(pool, text string) ([]probe.Pause, error) {
	document, err := toJSON(text)
	if err != nil {
		return nil, err
	}
	p := probe.Pause{Pools: []probe.PoolSelector{probe.PoolSelector(PoolLabel + "=" + pool)}, By: "the annotation " + Pause}
	switch {
	case string(document) == "false":
		return nil, nil
	case string(document) == "true":
		return []probe.Pause{p}, nil
	case document[0] == '"':
		err = readUntil("until", document, &p.Until)
	default:
		var parsed probe.Pause
		parsed, err = ParsePause(document)
		parsed.Pools, parsed.By = p.Pools, cmp.Or(parsed.By, p.By)
		p = parsed
		if err != nil && !errors.Is(err, jsonobject.ErrNone) {
			return nil, err
		}
	}
	if err != nil {
		return nil, fmt.Errorf("%.100q is not a pause: write %s, true, or an object such as %s", text, timeExample, pauseExample)
	}
	return []probe.Pause{p}, nil
}

// ParsePause parses the object of [Pause] from JSON. An unknown field, or a value that is not valid, is an error.
func ParsePause(document []byte) (p probe.Pause, err error) {
	err = jsonobject.Fields(document, func(name string, value json.RawMessage) error { return setPause(&p, name, value) })
	return p, err
}

// setPause reads a field of Pause.
func setPause(p *probe.Pause, name string, value json.RawMessage) error {
	const names = "a list such as [us-east-1a]"
	switch name {
	case "from":
		return readTime(name, value, &p.From)
	case "until":
		return readUntil(name, value, &p.Until)
	case "by":
		return jsonobject.Set(name, value, &p.By, "text such as alice, a number in quotes")
	case "why":
		return jsonobject.Set(name, value, &p.Why, "text such as INC-1234, a number in quotes")
	case "reasons":
		return jsonobject.Set(name, value, &p.Reasons, "a list such as [Drifted]")
	case "zones", "domains":
		if p.Domains != nil {
			return errors.New("zones and domains are both there: write one of them")
		}
		if name == "zones" {
			if p.Key != "" {
				return fmt.Errorf("zones are values of %s, and need no key: write domains, or leave out the key", zoneLabel)
			}
			p.Key = zoneLabel
		}
		return jsonobject.Set(name, value, &p.Domains, names)
	case "inbound":
		return jsonobject.Set(name, value, &p.Inbound, "true or false")
	case "key":
		if p.Key != "" {
			return fmt.Errorf("zones are values of %s, and need no key: write domains, or leave out the key", zoneLabel)
		}
		return jsonobject.Set(name, value, &p.Key, "text such as "+zoneLabel)
	}
	return jsonobject.Unknown(name, "until", "from", "by", "why", "reasons", "zones", "key", "domains", "inbound")
}

// readUntil reads the end of a pause. The zero time is an error: it means no end in a [probe.Pause], which nobody has written.
func readUntil(name string, value json.RawMessage, to *time.Time) error {
	if err := readTime(name, value, to); err != nil || !to.IsZero() || string(value) == "null" {
		return err
	}
	return fmt.Errorf("field %q: %s is not valid: write %s, or leave it out for no end", name, value, timeExample)
}

// readTime reads the value of a field. As for the other fields, null means absent.
func readTime(name string, value json.RawMessage, to *time.Time) error {
	var text *string
	if err := jsonobject.Set(name, value, &text, timeExample); err != nil || text == nil {
		return err
	}
	if err := to.UnmarshalText([]byte(*text)); err != nil {
		return fmt.Errorf("field %q: %.100q is not valid: write %s", name, *text, timeExample)
	}
	return nil
}

// Place turns a decision's warning about pauses from annotations into one warning for each NodePool with such an
// annotation. It returns other warnings unchanged.
func Place(w candidate.Warning, pauses []probe.Pause) []candidate.Warning {
	var placed []candidate.Warning
	known := false
	for _, p := range pauses {
		pool, ours := annotatedPool(p)
		if !ours || w.Object != p.Object() {
			continue
		}
		known = true
		if !Concerns(w, p) {
			continue
		}
		of := w
		of.Object, of.Field = "NodePool/"+pool, field(Pause)+"."+w.Field
		placed = append(placed, of)
	}
	if !known {
		return []candidate.Warning{w}
	}
	return placed
}

// annotatedPool returns the pool whose annotation has a pause.
func annotatedPool(p probe.Pause) (pool string, ours bool) {
	if len(p.Pools) != 1 {
		return "", false
	}
	return strings.CutPrefix(string(p.Pools[0]), PoolLabel+"=")
}

// Concerns reports whether a decision's warning about a pause with the Object of p is about p, and not another one by the same person for the
// same reason.
func Concerns(w candidate.Warning, p probe.Pause) bool {
	enforced, faults := p.Enforced()
	switch w.Code {
	case candidate.CodeNoEnd:
		return p.Until.IsZero()
	case candidate.CodeNoEffect:
		return w.Value == enforced.Until.UTC().Format(time.RFC3339)
	case candidate.CodeUnknownDomain:
		return slices.Contains(enforced.Domains, w.Value)
	case candidate.CodeUnknownPool: // decisions may be about some of the pools
		return false
	}
	return slices.ContainsFunc(faults, func(f candidate.Warning) bool { return f.Field == w.Field && f.Value == w.Value })
}
