package blockers

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/internal/command"
	"github.com/disruptkit/disruptkit/cmd/manifest"
	"github.com/disruptkit/disruptkit/dialect"
	"github.com/disruptkit/disruptkit/schedule"
)

// A holder holds nodes, or holds up their drain.
type holder struct {
	what   string
	nodes  []string
	heldUp []string      // those of nodes whose drain it only holds up
	limit  time.Duration // how long such a drain takes at the most, the longest of them
	pods   []string      // namespace/name; none: an annotation of the node holds it
	since  time.Time
	first  []hold // the first one, and those of the same kind in its namespace
}

// A tally is what holds nodes, that of most nodes first.
type tally struct {
	nodes, held int
	heldUp      int // other nodes, whose drain is held up
	holders     []*holder
}

// A hold is one thing that holds a node.
type hold struct {
	node    *candidate.Node
	pod     *candidate.Pod // nil: the node itself does
	blocker candidate.Blocker
	owner   string // of the pod; "": nobody
	since   time.Time
	heldUp  bool          // the pod only holds up the drain
	limit   time.Duration // which takes that long at the most
}

// grouping returns what --by counts nodes by.
func grouping(text string) (func(hold) string, error) {
	key, isLabel := strings.CutPrefix(text, "label=")
	switch {
	case text == "blocker":
		return hold.title, nil
	case text == "owner":
		return hold.workload, nil
	case text == "namespace":
		return func(h hold) string {
			if h.pod == nil {
				return "nodes themselves"
			}
			return h.pod.Namespace
		}, nil
	case isLabel && key != "":
		return func(h hold) string {
			if h.pod == nil {
				return "nodes themselves"
			}
			return cmp.Or(h.pod.Labels[key], "without the label "+key)
		}, nil
	}
	return nil, fmt.Errorf("--by %q is unknown: write blocker, owner, namespace, or label=KEY, such as label=team", text)
}

// title names the blocker.
func (h hold) title() string {
	switch s := h.blocker.Source; {
	case s != nil && len(s.PDBs) == 1:
		return "PDB " + s.PDBs[0]
	case s != nil && len(s.PDBs) > 1:
		return "PDBs " + strings.Join(s.PDBs, ", ")
	case h.blocker.Code == candidate.CodeDoNotDisrupt:
		return "do-not-disrupt of " + h.workload()
	}
	return string(h.blocker.Code) + " of " + h.workload()
}

// workload names the owner.
func (h hold) workload() string {
	if h.pod == nil {
		return "nodes themselves"
	}
	if h.owner == "" {
		return "Pod " + h.pod.String()
	}
	kind, name, _ := strings.Cut(h.owner, "/")
	return kind + " " + h.pod.Namespace + "/" + name
}

// count counts the nodes of a pool, or of all, that each holder holds.
func count(cluster *manifest.Cluster, in disruptkit.Input, pool string, by func(hold) string) (all tally) {
	rules, owners, at := in.Rules, cluster.Owners(), map[string]*holder{}
	rules.Dialect = dialect.Disruptkit // the API server asks the PodDisruptionBudgets of each pod
	gate := candidate.OpenPods(rules, in.Now)
	for i := range in.Nodes {
		n := &in.Nodes[i]
		if n.Pool == "" || pool != "" && n.Pool != pool || len(n.Conditions) == 0 && !n.InFlight() {
			continue
		}
		holds := holdsOf(gate, n, owners)
		if limit, limited := limitOf(gate, n, cluster, in.Now); limited {
			for i := range holds {
				if holds[i].pod != nil {
					holds[i].heldUp, holds[i].limit = true, limit
				}
			}
		}
		all.nodes++
		switch {
		case slices.ContainsFunc(holds, func(h hold) bool { return !h.heldUp }):
			all.held++
		case len(holds) > 0:
			all.heldUp++
		}
		for _, h := range holds {
			what := by(h)
			if at[what] == nil {
				at[what] = &holder{what: what, since: h.since}
				all.holders = append(all.holders, at[what])
			}
			at[what].add(h)
		}
	}
	slices.SortStableFunc(all.holders, func(a, b *holder) int {
		return cmp.Or(len(b.nodes)-len(a.nodes), len(b.pods)-len(a.pods), strings.Compare(a.what, b.what))
	})
	return all
}

// add adds a hold.
func (h *holder) add(o hold) {
	if !slices.Contains(h.nodes, o.node.Name) {
		h.nodes = append(h.nodes, o.node.Name)
		if o.heldUp {
			h.heldUp, h.limit = append(h.heldUp, o.node.Name), max(h.limit, o.limit)
		}
	}
	if o.pod != nil && !slices.Contains(h.pods, o.pod.String()) {
		h.pods = append(h.pods, o.pod.String())
	}
	h.since = schedule.First(h.since, o.since)
	if len(h.first) == 0 || o.alike(h.first[0]) {
		h.first = append(h.first, o)
	}
}

// holdsOf returns what holds a node.
func holdsOf(gate *candidate.PodGate, n *candidate.Node, owners map[string]string) (holds []hold) {
	var since time.Time // from when on the node has had a reason
	for _, c := range n.Conditions {
		since = schedule.First(since, c.Since)
	}
	if n.DoNotDisrupt && !n.InFlight() { // it stops no drain
		holds = append(holds, hold{node: n, blocker: candidate.Blocker{Code: candidate.CodeDoNotDisrupt}, since: since})
	}
	one := *n
	one.Digest = nil
	for i := range n.Pods {
		one.Pods = n.Pods[i : i+1]
		for _, b := range gate.Blockers(&one, candidate.Condition{}) {
			p := &n.Pods[i]
			holds = append(holds, hold{
				node: n, pod: p, blocker: b, owner: owners[p.String()], since: schedule.Last(since, p.Started),
			})
		}
	}
	return holds
}

// limitOf returns how long the drain of a node takes at the most, from now on, if its pods cannot keep it from being
// disrupted for one of its reasons, or it is in flight.
func limitOf(
	gate *candidate.PodGate, n *candidate.Node, cluster *manifest.Cluster, now time.Time,
) (limit time.Duration, limited bool) {
	if n.InFlight() {
		if n.Deadline.IsZero() { // its drain has not begun, or it has no limit
			return cluster.Grace(*n), n.HasGracePeriod && !n.Rebooting
		}
		return n.Deadline.Sub(now), true
	}
	for _, c := range n.Conditions {
		if len(gate.Blockers(n, c)) == 0 {
			limit = cluster.Grace(*n)
			if c.Bound != nil {
				limit = *c.Bound
			}
			return limit, true
		}
	}
	return 0, false
}

// alike reports whether one command can be for both.
func (h hold) alike(o hold) bool {
	return h.blocker.Code == o.blocker.Code && (h.pod == nil) == (o.pod == nil) && (h.pod == nil || h.pod.Namespace == o.pod.Namespace)
}

// help returns what a command would do, and the command.
func (h *holder) help(cluster *manifest.Cluster) (why, run string) {
	first, names := h.first[0], ""
	for _, o := range h.first {
		name := o.node.Name
		if o.pod != nil {
			name = o.pod.Name
		}
		names += command.Argument(name) + " "
	}
	if first.pod == nil {
		return "these nodes may be disrupted again", "kubectl annotate nodes " + names + "karpenter.sh/do-not-disrupt-"
	}
	kubectl := "kubectl -n " + command.Argument(first.pod.Namespace) + " "
	var pdbs []string
	if s := first.blocker.Source; s != nil {
		pdbs = s.PDBs
	}
	switch code := first.blocker.Code; {
	case code == candidate.CodeAllowsNone && len(pdbs) == 1:
		_, name, _ := strings.Cut(pdbs[0], "/")
		if recovers, known := cluster.Recovers(pdbs[0]); recovers || !known {
			return "it allows evictions when its pods are Ready; see which are not", kubectl + "get pods -o wide"
		}
		return "it can never allow an eviction; let it allow one (if there is only one replica, add another one first)",
			kubectl + "patch pdb " + command.Argument(name) + ` --type merge -p '{"spec":{"maxUnavailable":1,"minAvailable":null}}'`
	case code == candidate.CodeDoNotDisrupt:
		return "these pods may be disrupted again", kubectl + "annotate pods " + names + "karpenter.sh/do-not-disrupt-"
	case len(pdbs) > 1:
		return "the API server evicts no pod of several; keep one, and delete the others", kubectl + "get pdb"
	}
	return first.blocker.Message, kubectl + "describe pod " + command.Argument(first.pod.Name)
}
