package manifest

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/annotation"
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
	// annotations are those in which engines read what it asks for.
	annotations map[string]string
}

// readPod reads a Pod.
func readPod(r *podReader) *pod {
	o := &r.object
	p := &pod{node: r.nodeName, gone: r.deletionTimestamp, grace: time.Duration(r.gracePeriodSeconds) * time.Second}
	p.nodeless = o.isFaulty("spec") || o.isFaulty("spec.nodeName")

	p.Namespace, p.Name = o.space(), cmp.Or(o.name, o.where)
	p.Labels = r.labels
	p.NodeSelector = r.nodeSelector
	p.Started = r.startTime
	p.Unready = r.ready() == "False"

	owned := func(by owner) bool {
		return slices.ContainsFunc(r.owners, func(o owner) bool { return o.apiVersion == by.apiVersion && o.kind == by.kind })
	}
	if len(r.owners) > 0 {
		p.owner = r.owners[0].workload(r.labels["pod-template-hash"])
	}
	p.Inactive = r.deleting || r.phase == "Succeeded" || r.phase == "Failed"
	p.Unevictable = owned(static) || slices.ContainsFunc(r.tolerations, toleration.ofDisruption)

	p.cost = evictionCost(r.priority, r.annotations["controller.kubernetes.io/pod-deletion-cost"])
	p.reschedule = p.cost
	stays := p.Inactive && !(r.deleting && owned(statefulSet)) || owned(daemonSet) || owned(static)
	p.faults = o.faults
	switch {
	case len(p.faults) > 0:
		p.reschedule = math.Inf(1) // unknown, so assume that it has to move
	case stays:
		p.reschedule, p.Stays = 0, true
	}
	return p
}

// ready returns whether a Pod says that it is Ready: True, False, Unknown or "".
func (r *podReader) ready() string {
	i := slices.IndexFunc(r.conditions, func(c podCondition) bool { return c.kind == "Ready" })
	if i < 0 {
		return ""
	}
	status := r.conditions[i].status
	if !slices.Contains(conditionStatuses, status) {
		faultStatus(value{&r.object, fmt.Sprintf("status.conditions[%d].status", i), status})
	}
	return status
}

// An owner is the target of an entry of metadata.ownerReferences.
type owner struct {
	apiVersion, kind, name string
}

var (
	static      = owner{apiVersion: "v1", kind: "Node"} // the kubelet runs it from a file, and always will
	daemonSet   = owner{apiVersion: "apps/v1", kind: "DaemonSet"}
	statefulSet = owner{apiVersion: "apps/v1", kind: "StatefulSet"}
)

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

const noSchedule = "NoSchedule"

// A toleration is an entry of a Pod's spec.tolerations.
type toleration struct {
	key, operator, value, effect string
}

// ofDisruption reports whether it matches the taint that Karpenter puts on nodes in flight,
// karpenter.sh/disrupted:NoSchedule, by the rules of core/v1 Toleration: an empty key or effect matches any.
func (t toleration) ofDisruption() bool {
	if t.key != "" && t.key != annotation.DisruptedTaint || t.effect != "" && t.effect != noSchedule {
		return false
	}
	return t.operator == "Exists" || (t.operator == "" || t.operator == "Equal") && t.value == "" // the taint has no value
}

// evictionCost returns the cost of moving a pod: 1, adjusted by its priority and deletion cost, from -10 to 10.
// (Karpenter: EvictionCost.) A deletion cost that is not a number is unneeded.
func evictionCost(priority int64, deletionCost string) float64 {
	cost := 1.0
	if deletionCost != "" {
		if n, err := strconv.ParseFloat(deletionCost, 64); err == nil {
			cost += n / (1 << 27)
		}
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
