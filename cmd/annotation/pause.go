package annotation

import (
	"cmp"
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
		err = jsonobject.Set("until", document, moment(&p.Until), timeExample)
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
	const names = "a list such as [us-east-1a]"
	var zones []string
	err = jsonobject.Decode(document, []jsonobject.Field{
		{Name: "until", Target: moment(&p.Until), Example: timeExample + ", or leave it out for no end"},
		{Name: "from", Target: moment(&p.From), Example: timeExample},
		{Name: "by", Target: &p.By, Example: "text such as alice, a number in quotes"},
		{Name: "why", Target: &p.Why, Example: "text such as INC-1234, a number in quotes"},
		{Name: "reasons", Target: &p.Reasons, Example: "a list such as [Drifted]"},
		{Name: "zones", Target: &zones, Example: names},
		{Name: "key", Target: &p.Key, Example: "text such as " + zoneLabel},
		{Name: "domains", Target: &p.Domains, Example: names},
		{Name: "inbound", Target: &p.Inbound, Example: "true or false"},
	})
	switch {
	case err != nil || zones == nil:
		return p, err
	case p.Domains != nil:
		return p, errors.New("zones and domains are both there: write one of them")
	case p.Key != "":
		return p, fmt.Errorf("zones are values of %s, and need no key: write domains, or leave out the key", zoneLabel)
	}
	p.Key, p.Domains = zoneLabel, zones
	return p, nil
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
