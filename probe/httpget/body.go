package httpget

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/jsonobject"
	"github.com/disruptkit/disruptkit/probe"
)

// A Decoder converts bodies to JSON, for endpoints that answer in another format, such as the RFC's YAML. A nil Decoder
// leaves bodies unchanged. A Decoder must reject duplicate keys, since its JSON would no longer show them.
type Decoder func(body []byte) (json []byte, err error)

// Limits of an observation: the number of its denials, and of all their pool selectors. Beyond these, it denies
// everything.
const mostDenials, mostSelectors = 1000, 5000

// read returns what the body of an answer denies: {"deniedActions": […]}.
func (d Decoder) read(p Spec, body []byte) ([]probe.Denial, error) {
	switch {
	case len(body) > maxBody:
		return nil, fmt.Errorf("the body is longer than %d bytes", maxBody)
	case len(body) == 0:
		return nil, errors.New(`the body is empty: write {"deniedActions": []} to deny nothing`)
	case !utf8.Valid(body):
		return nil, errors.New("the body is not UTF-8")
	}
	if d != nil {
		decoded, err := d(body)
		if err != nil {
			return nil, quotation{"%s", err.Error()}
		}
		body = decoded
	}
	var entries []json.RawMessage
	err := jsonobject.Fields(body, func(name string, value json.RawMessage) error {
		if name != "deniedActions" {
			return jsonobject.Unknown(name, "deniedActions")
		}
		return jsonobject.Set(name, value, &entries, `a list, such as ["drift"], or [] to deny nothing`)
	})
	switch {
	case errors.Is(err, jsonobject.ErrNone):
		return nil, quotation{`the body begins with %s, and is not an object: ` +
			`write {"deniedActions": []} to deny nothing`, fmt.Sprintf("%.40q", body)}
	case err != nil:
		return nil, quotation{"the body is malformed: %s", err.Error()}
	case entries == nil:
		return nil, errors.New("the body has no deniedActions: write [] to deny nothing")
	}
	return denials(p, entries), nil
}

// denials returns the denials of the entries, sorted and without duplicates. An invalid entry denies everything.
func denials(p Spec, entries []json.RawMessage) []probe.Denial {
	read := readAction
	if p.Mode == ClusterMode {
		read = readClusterAction
	}
	var all []probe.Denial
	for i, entry := range entries {
		denied, err := read(entry)
		if err != nil {
			denied = []probe.Denial{{Cause: fmt.Sprintf("deniedActions[%d]: %s", i, told(p, err))}}
		}
		all = append(all, denied...)
	}
	return bounded(sorted(all))
}

// sorted sorts denials. Of those that deny the same, it keeps the first.
func sorted(all []probe.Denial) []probe.Denial {
	slices.SortStableFunc(all, compare)
	return slices.CompactFunc(all, func(a, b probe.Denial) bool { return compare(a, b) == 0 })
}

// compare orders denials by what they deny.
func compare(a, b probe.Denial) int {
	return cmp.Or(cmp.Compare(a.Reason, b.Reason), slices.Compare(a.Pools, b.Pools))
}

// bounded replaces too many denials by one that denies everything.
func bounded(all []probe.Denial) []probe.Denial {
	selectors := 0
	for _, d := range all {
		selectors += len(d.Pools)
	}
	if len(all) > mostDenials || selectors > mostSelectors {
		return []probe.Denial{{Cause: fmt.Sprintf("it denies more than %d things, or to more than %d pools",
			mostDenials, mostSelectors)}}
	}
	return all
}

// readAction reads an entry in BodyMode: "drift".
func readAction(entry json.RawMessage) ([]probe.Denial, error) {
	var name string
	if err := json.Unmarshal(entry, &name); err != nil || name == "" {
		return nil, quotation{"%s is not an action: " + knownActions, fmt.Sprintf("%.100s", entry)}
	}
	return deny(name, nil)
}

// readClusterAction reads an entry in ClusterMode: {"name": "drift", "clusterWide": false, "nodePools": {"labels":
// ["gpu"]}}.
func readClusterAction(entry json.RawMessage) ([]probe.Denial, error) {
	var name string
	var clusterWide bool
	var nodePools json.RawMessage
	err := jsonobject.Fields(entry, func(field string, value json.RawMessage) error {
		switch field {
		case "name":
			return jsonobject.Set(field, value, &name, "a string, such as drift")
		case "clusterWide":
			return jsonobject.Set(field, value, &clusterWide, "true or false")
		case "nodePools":
			nodePools = value
			return nil
		}
		return jsonobject.Unknown(field, "name", "clusterWide", "nodePools")
	})
	switch {
	case errors.Is(err, jsonobject.ErrNone):
		return nil, quotation{`%s is not an object: write {"name": "drift", "clusterWide": true}`,
			fmt.Sprintf("%.100s", entry)}
	case err != nil:
		return nil, quotation{"%s", err.Error()}
	case clusterWide:
		return deny(name, nil)
	}
	pools, err := readNodePools(nodePools)
	if err != nil {
		return nil, err
	}
	return deny(name, pools)
}

// readNodePools reads {"labels": ["gpu", "team=search"]}.
func readNodePools(value json.RawMessage) (pools []probe.PoolSelector, err error) {
	const neither = `it is not clusterWide, and names no nodePools: ` +
		`write "clusterWide": true, or "nodePools": {"labels": ["gpu"]}`
	if value == nil || jsonobject.IsNull(value) {
		return nil, errors.New(neither)
	}
	err = jsonobject.Fields(value, func(name string, value json.RawMessage) error {
		if name != "labels" {
			return jsonobject.Unknown(name, "labels")
		}
		return jsonobject.Set(name, value, &pools, `a list, such as ["gpu", "team=search"]`)
	})
	switch {
	case errors.Is(err, jsonobject.ErrNone):
		return nil, quotation{`nodePools: %s is not an object: write {"labels": ["gpu"]}`, fmt.Sprintf("%.100s", value)}
	case err != nil:
		return nil, quotation{"nodePools: %s", err.Error()}
	case len(pools) == 0:
		return nil, errors.New(neither)
	}
	if i := slices.IndexFunc(pools, selectsNone); i >= 0 {
		return nil, quotation{"nodePools: %s is neither a pool nor a label: write a name such as gpu, " +
			"or a label such as team=search", fmt.Sprintf("%.40q", pools[i])}
	}
	slices.Sort(pools)
	return slices.Compact(pools), nil
}

// selectsNone reports whether no pool can match a selector.
func selectsNone(s probe.PoolSelector) bool {
	const longest = 253 + 1 + 63 + 1 + 63 // domain/name=value
	return s == "" || len(s) > longest || strings.ContainsFunc(string(s), unicode.IsControl)
}

const knownActions = "write drift, emptiness, underutilized, consolidation (both of these), expiration or unhealthy"

// deny returns the denials for an action.
func deny(action string, pools []probe.PoolSelector) ([]probe.Denial, error) {
	if strings.EqualFold(action, "consolidation") {
		empty, underutilized := candidate.Empty, candidate.Underutilized
		return []probe.Denial{{Reason: empty, Pools: pools}, {Reason: underutilized, Pools: pools}}, nil
	}
	end := strings.IndexAny(action, "/:")
	if end < 0 {
		end = len(action)
	}
	method, child := known(action[:end]), action[end:]
	if method != "" && child != "" && known(child[1:]) == method {
		child = "" // method and child are the same
	}
	reason, err := candidate.ParseReason(string(method) + child)
	if err != nil {
		return nil, quotation{"%s is not a known action: " + knownActions, fmt.Sprintf("%.100q", action)}
	}
	return []probe.Denial{{Reason: reason, Pools: pools}}, nil
}

// known returns the method that a text spells, in any case, or "".
func known(text string) candidate.Reason {
	for _, spelling := range []string{
		"Drift", "Drifted", "Empty", "Emptiness", "Underutilized", "Expired", "Expiration", "Unhealthy",
	} {
		if strings.EqualFold(spelling, text) {
			method, _ := candidate.ParseReason(spelling)
			return method
		}
	}
	return ""
}
