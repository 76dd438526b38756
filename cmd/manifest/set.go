package manifest

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/disruptkit/disruptkit/internal/stray"
	"github.com/disruptkit/disruptkit/internal/wording"
)

// Set returns the cluster with single fields changed, each as in "web.budgets[0].nodes=20%": the name of a NodePool, a
// path within its spec.disruption, and a value. The value null takes a field or an entry of a list out, and the position
// after the last entry adds one. Unlike [Cluster.Instead], it returns an error if the API server would reject or drop
// what was set.
func (c *Cluster) Set(changes []string) (*Cluster, error) {
	var pools []NodePool
	for _, change := range changes {
		policy, path, value, err := c.parseSet(change)
		if err != nil {
			return nil, fmt.Errorf("%q: %w", change, err)
		}
		i := slices.IndexFunc(pools, func(p NodePool) bool { return p.Name == policy.Name })
		if i < 0 {
			i, pools = len(pools), append(pools, policy)
		}
		if pools[i].raw, err = put(pools[i].raw, slices.Concat(ofPolicy, path), value); err != nil {
			return nil, fmt.Errorf("%q: %w", change, err)
		}
	}
	for _, policy := range pools {
		p, err := c.read(policy)
		if err != nil {
			return nil, err
		}
		before := c.pools[p.Name]
		for _, w := range slices.Concat(p.faults, p.dropped, p.Budgets.Warnings()) {
			if !slices.Contains(slices.Concat(before.faults, before.dropped, before.Budgets.Warnings()), w) {
				w.Message = strings.TrimSuffix(w.Message, stray.Beside) // the other one is not of the change
				return nil, w
			}
		}
	}
	return c.Instead(pools, nil)
}

// ofPolicy is the path of a NodePool's policy.
var ofPolicy = []any{"spec", "disruption"}

// pathPart matches a name and the positions behind it: budgets[0].
var pathPart = regexp.MustCompile(`^([A-Za-z]+)((?:\[[0-9]{1,3}\])*)$`)

// parseSet parses a change.
func (c *Cluster) parseSet(change string) (policy NodePool, path []any, value json.RawMessage, err error) {
	left, right, found := strings.Cut(change, "=")
	if !found {
		return policy, nil, nil, errors.New("write NODEPOOL.PATH=VALUE, such as web.budgets[0].nodes=20%")
	}
	var names []string
	for _, p := range c.all { // the name of a NodePool may have dots
		names = append(names, wording.Quote(p.Name))
		if strings.HasPrefix(left, p.Name+".") && len(p.Name) >= len(policy.Name) {
			policy = NodePool{nodePool: *p}
		}
	}
	if policy.Name == "" {
		return policy, nil, nil, fmt.Errorf("it begins with no NodePool of the cluster: write one of %s, and a dot", strings.Join(names, ", "))
	}
	for part := range strings.SplitSeq(left[len(policy.Name)+1:], ".") {
		match := pathPart.FindStringSubmatch(part)
		if match == nil {
			return policy, nil, nil, fmt.Errorf("%q is not a part of a path: write such as budgets[0].nodes", part)
		}
		path = append(path, match[1])
		for digits := range strings.FieldsFuncSeq(match[2], func(r rune) bool { return r == '[' || r == ']' }) {
			i, _ := strconv.Atoi(digits) // the pattern has digits alone
			path = append(path, i)
		}
	}
	value, err = valueOf(right)
	return policy, path, value, err
}

// valueOf returns a value as JSON: text, with or without quotes, unless it is a boolean, null, a list or an object. (No field is a number.)
func valueOf(text string) (json.RawMessage, error) {
	switch {
	case text == "true", text == "false", text == "null":
		return json.RawMessage(text), nil
	case text != "" && strings.ContainsRune("[{\"'", rune(text[0])):
		var v any
		if err := yaml.Unmarshal([]byte(text), &v); err != nil {
			return nil, fmt.Errorf("%q is not a list, an object or a text in quotes: %w", text, err)
		}
		return json.Marshal(v)
	}
	return json.Marshal(text)
}

// put returns a JSON value with another one at a path of names and positions. Null takes out what is there.
func put(in json.RawMessage, path []any, to json.RawMessage) (json.RawMessage, error) {
	if len(path) == 0 {
		return to, nil
	}
	if name, isName := path[0].(string); isName {
		fields := map[string]json.RawMessage{}
		if len(in) > 0 && !isNull(in) && json.Unmarshal(in, &fields) != nil {
			return nil, fmt.Errorf("there is no field %q: what is there is no object", name)
		}
		inner, err := put(fields[name], path[1:], to)
		if err != nil {
			return nil, err
		}
		if fields[name] = inner; isNull(inner) {
			delete(fields, name)
		}
		return json.Marshal(fields)
	}
	var list []json.RawMessage
	at := path[0].(int)
	if len(in) > 0 && json.Unmarshal(in, &list) != nil || at > len(list) {
		return nil, fmt.Errorf("there is no position [%d]: the length of the list is %d", at, len(list))
	}
	if at == len(list) {
		list = append(list, nil)
	}
	inner, err := put(list[at], path[1:], to)
	if err != nil {
		return nil, err
	}
	if list[at] = inner; isNull(inner) {
		list = slices.Delete(list, at, at+1)
	}
	return json.Marshal(list)
}

func isNull(raw json.RawMessage) bool { return string(raw) == "null" }
