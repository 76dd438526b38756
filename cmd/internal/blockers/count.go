package blockers

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/internal/choose"
	"github.com/disruptkit/disruptkit/cmd/internal/command"
	"github.com/disruptkit/disruptkit/cmd/manifest"
	"github.com/disruptkit/disruptkit/dialect"
	"github.com/disruptkit/disruptkit/schedule"
)

// A holder holds nodes.
type holder struct {
	what  string
	nodes []string
	pods  []string // namespace/name; none: an annotation of the node holds it
	since time.Time
	first []hold // the first one, and those of the same kind in its namespace
}

// A tally is what holds nodes, that of most nodes first.
type tally struct {
	nodes, held int
	holders     []*holder
}

// A hold is one thing that holds a node.
type hold struct {
	node    *candidate.Node
	pod     *candidate.Pod // nil: the node itself does
	blocker candidate.Blocker
	owner   string // of the pod; "": nobody
	since   time.Time
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

// count counts the nodes that each holder holds.
func count(cluster *manifest.Cluster, in disruptkit.Input, chosen choose.Choice, by func(hold) string) (all tally) {
	rules, owners, at := in.Rules, cluster.Owners(), map[string]*holder{}
	rules.Dialect = dialect.Disruptkit // the API server asks the PodDisruptionBudgets of each pod
	gate := candidate.OpenPods(rules, in.Now)
	for i := range in.Nodes {
		n := &in.Nodes[i]
		if n.Pool == "" || !chosen.HasNode(n.Pool, n.Name) || len(n.Conditions) == 0 && !n.InFlight() {
			continue
		}
		holds := holdsOf(gate, n, owners)
		all.nodes++
		if len(holds) > 0 {
			all.held++
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
	if n.DoNotDisrupt {
		holds = append(holds, hold{node: n, blocker: candidate.Blocker{Code: candidate.CodeDoNotDisrupt}, since: since})
	}
	one := *n
	one.Digest = nil
	for i := range n.Pods {
		one.Pods = n.Pods[i : i+1]
		for _, b := range gate.Blockers(&one, candidate.Condition{}) {
			p := &n.Pods[i]
			holds = append(holds, hold{n, p, b, owners[p.String()], schedule.Last(since, p.Started)})
		}
	}
	return holds
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
