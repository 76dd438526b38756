package manifest

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/candidate/kube"
)

// A pod is a Pod as the API prints it.
type pod struct {
	candidate.Pod
	node       string              // the node that it runs on; "": none yet
	nodeless   bool                // its node cannot be read
	gone       time.Time           // when it is gone, if it terminates: its deletionTimestamp has the grace period in it
	cost       float64             // of its eviction
	reschedule float64             // the same, or 0 if it does not move
	owner      string              // "Deployment/web"; "": nobody's
	grace      time.Duration       // its terminationGracePeriodSeconds
	faults     []candidate.Warning // what cannot be read
	warnings   []candidate.Warning // about what is ignored
}

// readPod reads a Pod. The parser caches the annotations of other pods.
func readPod(o *object, parser *kube.Parser) *pod {
	spec, status := o.root.field("spec"), o.root.field("status")
	p := &pod{node: spec.textOf("nodeName"), grace: usualGrace}
	p.nodeless = o.isFaulty("spec") || o.isFaulty("spec.nodeName")

	meta := o.metadata()
	p.Namespace, p.Name = o.space(), cmp.Or(o.name, o.where)
	p.Labels = meta.labels
	parser.Share(&p.Pod)
	if selector := spec.field("nodeSelector"); !selector.absent() {
		p.NodeSelector = selector.texts()
	}
	p.Terms, p.warnings = parser.Terms(p.Namespace, p.Name, meta.annotations)
	p.Started = status.field("startTime").time()
	p.Unready = o.conditions("Ready").of("Ready").isFalse()

	owners := o.owners()
	owned := func(by owner) bool {
		return slices.ContainsFunc(owners, func(o owner) bool { return o.apiVersion == by.apiVersion && o.kind == by.kind })
	}
	if len(owners) > 0 {
		p.owner = owners[0].workload(meta.labels["pod-template-hash"])
	}
	phase := status.textOf("phase")
	p.gone = meta.deleted
	p.Inactive = meta.deleting || phase == "Succeeded" || phase == "Failed"
	tolerates := toleratesDisruption(spec.field("tolerations")) // always read, to find faults
	p.Unevictable = owned(static) || tolerates

	if grace := spec.field("terminationGracePeriodSeconds"); !grace.absent() {
		p.grace = time.Duration(grace.integer()) * time.Second
	}
	p.cost = evictionCost(spec.field("priority").integer(), meta.annotations["controller.kubernetes.io/pod-deletion-cost"])
	p.reschedule = p.cost
	stays := p.Inactive && !(meta.deleting && owned(statefulSet)) || owned(daemonSet) || owned(static)
	p.faults = o.faults
	switch {
	case len(p.faults) > 0:
		p.reschedule = math.Inf(1) // unknown, so assume that it has to move
	case stays:
		p.reschedule, p.Stays = 0, true
	}
	return p
}

// as returns the pod as a parser of another dialect reads it: only what its annotations ask for may differ.
func (p *pod) as(o *object, parser *kube.Parser) *pod {
	annotations := o.root.field("metadata").field("annotations")
	if len(annotations.fields()) == 0 {
		return p
	}
	terms, warnings := parser.Terms(p.Namespace, p.Name, annotations.texts())
	if terms == p.Terms && len(warnings)+len(p.warnings) == 0 {
		return p
	}
	other := *p
	other.Terms, other.warnings = terms, warnings
	return &other
}

// An owner is the target of an entry of metadata.ownerReferences.
type owner struct{ apiVersion, kind, name string }

var (
	static      = owner{apiVersion: "v1", kind: "Node"} // the kubelet runs it from a file, and always will
	daemonSet   = owner{apiVersion: "apps/v1", kind: "DaemonSet"}
	statefulSet = owner{apiVersion: "apps/v1", kind: "StatefulSet"}
)

func (o *object) owners() (owners []owner) {
	for _, reference := range o.root.field("metadata").field("ownerReferences").each() {
		owners = append(owners, owner{reference.textOf("apiVersion"), reference.textOf("kind"), reference.textOf("name")})
	}
	return owners
}

// workload names what owns a Pod as people know it: the Deployment of its ReplicaSet, whose name has the hash of the template
// behind it.
func (o owner) workload(hash string) string {
	if deployment, ok := strings.CutSuffix(o.name, "-"+hash); ok && o.kind == "ReplicaSet" && hash != "" {
		return "Deployment/" + deployment
	}
	return o.kind + "/" + o.name
}

// Owners returns what the Pods on nodes belong to, by "namespace/name": "Deployment/web", "StatefulSet/db", "Job/nightly".
// Pods that belong to nothing are left out.
func (c *Cluster) Owners() map[string]string {
	owners := map[string]string{}
	for _, s := range c.states {
		for _, p := range s.pods {
			if p.owner != "" {
				owners[p.String()] = p.owner
			}
		}
	}
	return owners
}

const (
	disruptedTaint = "karpenter.sh/disrupted"
	noSchedule     = "NoSchedule"
)

// toleratesDisruption reports whether tolerations match the taint that Karpenter puts on nodes in flight,
// karpenter.sh/disrupted:NoSchedule, by the rules of core/v1 Toleration: an empty key or effect matches any.
func toleratesDisruption(tolerations value) (tolerated bool) {
	for _, t := range tolerations.each() {
		key, effect := t.field("key").text(), t.field("effect").text()
		operator, wanted := t.field("operator").text(), t.field("value").text()
		if key != "" && key != disruptedTaint || effect != "" && effect != noSchedule {
			continue
		}
		switch operator {
		case "Exists":
			tolerated = true
		case "", "Equal":
			tolerated = tolerated || wanted == "" // the taint has no value
		}
	}
	return tolerated
}

// evictionCost returns the cost of moving a pod: 1, adjusted by its priority and deletion cost, from -10 to 10.
// (Karpenter: EvictionCost.) A deletion cost that is not a number is ignored.
func evictionCost(priority int64, deletionCost string) float64 {
	cost := 1.0
	if n, err := strconv.ParseFloat(deletionCost, 64); err == nil {
		cost += n / (1 << 27)
	}
	cost += float64(priority) / (1 << 25)
	return min(max(cost, -10), 10)
}

// empty reports whether moving a node's pods costs nothing. (Karpenter: Candidate.IsEmpty. DaemonSet, static, terminal
// and terminating pods do not move. Terminating pods of a StatefulSet do, since they come back.)
func empty(pods []*pod) bool {
	cost := 1.0 // of the node itself
	for _, p := range pods {
		cost += max(p.reschedule, 0)
	}
	return cost <= 1
}
