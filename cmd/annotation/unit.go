package annotation

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/wording"
	"github.com/disruptkit/disruptkit/schedule"
)

// UnitLabel, on a NodePool, names the label whose values are its units: nodes with one value are disrupted together or not at all; see [Unite].
const UnitLabel = prefix + "unit-label"

// Codes of units. They are stable.
const (
	CodeNoUnit    candidate.Code = "no-unit"     // a node lacks the label; also of a Warning: all nodes of a NodePool do
	CodeUnitOfOne candidate.Code = "unit-of-one" // of a Warning: no two nodes of a NodePool have one value
)

// groupLabels are the labels by which Pods name the group that they work in, as LeaderWorkerSet and JobSet write them. Their values are hashes that
// are unique in the cluster. Each has the labels that name the group to people.
var groupLabels = map[string][]string{
	"leaderworkerset.sigs.k8s.io/group-key": {"leaderworkerset.sigs.k8s.io/name", "leaderworkerset.sigs.k8s.io/group-index"},
	"jobset.sigs.k8s.io/jobset-uid":         {"jobset.sigs.k8s.io/jobset-name"},
	"jobset.sigs.k8s.io/job-key": {
		"jobset.sigs.k8s.io/jobset-name", "jobset.sigs.k8s.io/replicatedjob-name", "jobset.sigs.k8s.io/job-index",
	},
}

// ReadUnitLabel reads the value of UnitLabel.
func ReadUnitLabel(text string) (key string, err error) {
	if !wording.IsLabelKey(text) {
		return "", fmt.Errorf("%.100q is not a label name: write one such as nvidia.com/gpu.clique", text)
	}
	return text, nil
}

// Facts are what Unite needs to know of a node beside the candidate.Node.
type Facts struct {
	Annotations map[string]string // of the Node or its NodeClaim
	Began       time.Time         // since when it is in flight; zero: unknown, or it is not
}

// Unite sets the unit of each node by the label that its NodePool names (keys, by NodePool), given facts of each. The unit is the value of the
// node's label or annotation of that name. Otherwise it is the group of its Pods, if the label is one that LeaderWorkerSet or JobSet writes on
// Pods. If Pods of several groups share a node, the groups are one unit.
//
// A node that says nothing is blocked, since it may be of any unit. One without Pods of a group is disrupted alone. While nodes of a unit are in
// flight, nodes that were launched since then are not of it, and neither are Pods that started since then: they replace what is in flight.
func Unite(nodes []candidate.Node, keys map[string]string, facts []Facts) (warnings []candidate.Warning) {
	if len(keys) == 0 {
		return nil
	}
	same := map[string]string{} // the name of the unit that a name is a part of, if that is another one
	named := make([][]membership, len(nodes))
	for i := range nodes {
		n := &nodes[i]
		key := keys[n.Pool]
		if key == "" {
			continue
		}
		named[i] = memberships(n, key, facts[i].Annotations)
		if len(named[i]) == 0 && groupLabels[key] == nil {
			n.Blockers = append(slices.Clip(n.Blockers), noUnit(n.Pool, key))
		}
		for _, m := range named[i] {
			join(same, named[i][0].unit, m.unit)
		}
	}
	began := map[string]time.Time{} // since when units are broken
	for i := range nodes {
		for _, m := range named[i] {
			if unit := whole(same, m.unit); nodes[i].InFlight() {
				began[unit] = schedule.First(began[unit], facts[i].Began)
			}
		}
	}
	for i := range nodes {
		for _, m := range named[i] {
			unit := whole(same, m.unit)
			if at := began[unit]; at.IsZero() || nodes[i].InFlight() || m.since.Before(at) {
				nodes[i].Unit = unit
			}
		}
	}
	return unitWarnings(nodes, keys)
}

// unitWarnings returns a warning about each NodePool whose nodes lack the label, or do not share a value of it.
func unitWarnings(nodes []candidate.Node, keys map[string]string) (warnings []candidate.Warning) {
	size, of, named, largest := map[string]int{}, map[string]int{}, map[string]int{}, map[string]int{}
	for i := range nodes {
		size[nodes[i].Unit]++
	}
	for i := range nodes {
		n := &nodes[i]
		if of[n.Pool]++; n.Unit != "" {
			named[n.Pool]++
			largest[n.Pool] = max(largest[n.Pool], size[n.Unit])
		}
	}
	for _, pool := range slices.Sorted(maps.Keys(keys)) {
		key := keys[pool]
		w := candidate.Warning{Object: "NodePool/" + pool, Field: field(UnitLabel), Value: key}
		switch {
		case key == "" || of[pool] == 0 || groupLabels[key] != nil: // a group may have one Pod, or none now
			continue
		case named[pool] == 0:
			w.Code, w.Message = CodeNoUnit, "no node of the NodePool has this label or annotation, so all are blocked: write one that they have"
		case named[pool] > 1 && largest[pool] == 1:
			w.Code, w.Message = CodeUnitOfOne, "no two nodes have one value, so each is disrupted alone: write a label that nodes of a unit share"
		default:
			continue
		}
		warnings = append(warnings, w)
	}
	return warnings
}

// noUnit blocks a node whose unit is unknown.
func noUnit(pool, key string) candidate.Blocker {
	return candidate.Blocker{Gate: candidate.GateNode, Code: CodeNoUnit, Message: fmt.Sprintf(
		"its unit is unknown: annotation %s of NodePool %q is %q, and the node has neither a label nor an annotation of that name: "+
			"label it, with a value of its own if it works alone", UnitLabel, pool, key)}
}

// A membership is a unit that a node is a part of, and since when.
type membership struct {
	unit  string
	since time.Time
}

// unstarted is since when a Pod is on a node that has not started.
var unstarted = time.Unix(1<<40, 0)

// memberships returns what a node says of its units.
func memberships(n *candidate.Node, key string, annotations map[string]string) (all []membership) {
	for _, from := range []map[string]string{n.Labels, annotations} {
		if from[key] != "" {
			return []membership{{from[key], n.Created}}
		}
	}
	if groupLabels[key] == nil {
		return nil
	}
	for i := range n.Pods {
		if p := &n.Pods[i]; p.Labels[key] != "" && !p.Inactive {
			all = append(all, membership{groupName(p, key), cmp.Or(p.Started, unstarted)})
		}
	}
	return all
}

// groupName names the group of a Pod: "shop/vllm-0". Without the labels for that, it is the value of the group's label.
func groupName(p *candidate.Pod, key string) string {
	var parts []string
	for _, label := range groupLabels[key] {
		if p.Labels[label] == "" {
			return p.Labels[key]
		}
		parts = append(parts, p.Labels[label])
	}
	return p.Namespace + "/" + strings.Join(parts, "-")
}

// join makes two names those of one unit, which has the smaller one.
func join(same map[string]string, a, b string) {
	if a, b = whole(same, a), whole(same, b); a != b {
		same[max(a, b)] = min(a, b)
	}
}

// whole returns the name of the unit that a name is a part of.
func whole(same map[string]string, name string) string {
	for same[name] != "" {
		name = same[name]
	}
	return name
}
