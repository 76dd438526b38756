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
	"github.com/disruptkit/disruptkit/candidate/kube"
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
	warnings   []candidate.Warning // about what is unneeded
}

// kubePod has the fields of a Pod that are read.
type kubePod struct {
	Metadata podMetadata `json:"metadata"`
	Spec     podSpec     `json:"spec"`
	Status   podStatus   `json:"status"`
}

type podMetadata struct {
	Name              string            `json:"name"`
	Namespace         string            `json:"namespace"`
	Labels            map[string]string `json:"labels"`
	Annotations       map[string]string `json:"annotations"`
	OwnerReferences   []owner           `json:"ownerReferences"`
	DeletionTimestamp *time.Time        `json:"deletionTimestamp"`
	ManagedFields     unneeded          `json:"managedFields"`
}

type podSpec struct {
	NodeName                      string            `json:"nodeName"`
	NodeSelector                  map[string]string `json:"nodeSelector"`
	Tolerations                   []toleration      `json:"tolerations"`
	Priority                      int64             `json:"priority"`
	TerminationGracePeriodSeconds *int64            `json:"terminationGracePeriodSeconds"`
	Containers                    unneeded          `json:"containers"`
	InitContainers                unneeded          `json:"initContainers"`
	Volumes                       unneeded          `json:"volumes"`
}

type podStatus struct {
	Phase      string         `json:"phase"`
	StartTime  time.Time      `json:"startTime"`
	Conditions []podCondition `json:"conditions"`

	ContainerStatuses     unneeded `json:"containerStatuses"`
	InitContainerStatuses unneeded `json:"initContainerStatuses"`
}

// unneeded is a large field that is not read.
type unneeded struct{}

type podCondition struct {
	Type   string `json:"type"`
	Status string `json:"status"`
}

// readPod reads a Pod. The parser caches the annotations of other pods.
func readPod(o *object, k *kubePod, parser *kube.Parser) *pod {
	p := &pod{node: k.Spec.NodeName, grace: usualGrace}
	p.nodeless = o.isFaulty("spec") || o.isFaulty("spec.nodeName")

	p.Namespace, p.Name = o.space(), cmp.Or(o.name, o.where)
	p.Labels = k.Metadata.Labels
	parser.Share(&p.Pod)
	p.NodeSelector = k.Spec.NodeSelector
	p.Terms, p.warnings = parser.Terms(p.Namespace, p.Name, k.Metadata.Annotations)
	p.Started = k.Status.StartTime
	p.Unready = k.Status.ready(o) == "False"

	owners := k.Metadata.OwnerReferences
	owned := func(by owner) bool {
		return slices.ContainsFunc(owners, func(o owner) bool { return o.APIVersion == by.APIVersion && o.Kind == by.Kind })
	}
	if len(owners) > 0 {
		p.owner = owners[0].workload(k.Metadata.Labels["pod-template-hash"])
	}
	deleting := k.Metadata.DeletionTimestamp != nil
	if deleting {
		p.gone = *k.Metadata.DeletionTimestamp
	}
	p.Inactive = deleting || k.Status.Phase == "Succeeded" || k.Status.Phase == "Failed"
	p.Unevictable = owned(static) || slices.ContainsFunc(k.Spec.Tolerations, toleration.ofDisruption)

	if grace := k.Spec.TerminationGracePeriodSeconds; grace != nil {
		p.grace = time.Duration(*grace) * time.Second
	}
	p.cost = evictionCost(k.Spec.Priority, k.Metadata.Annotations["controller.kubernetes.io/pod-deletion-cost"])
	p.reschedule = p.cost
	stays := p.Inactive && !(deleting && owned(statefulSet)) || owned(daemonSet) || owned(static)
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
func (s podStatus) ready(o *object) string {
	i := slices.IndexFunc(s.Conditions, func(c podCondition) bool { return c.Type == "Ready" })
	if i < 0 {
		return ""
	}
	status := s.Conditions[i].Status
	if !slices.Contains(conditionStatuses, status) {
		faultStatus(value{o, fmt.Sprintf("status.conditions[%d].status", i), status})
	}
	return status
}

// as returns the pod as a parser of another dialect reads it: only what its annotations ask for may differ.
func (p *pod) as(annotations map[string]string, parser *kube.Parser) *pod {
	if len(annotations) == 0 {
		return p
	}
	terms, warnings := parser.Terms(p.Namespace, p.Name, annotations)
	if terms == p.Terms && len(warnings)+len(p.warnings) == 0 {
		return p
	}
	other := *p
	other.Terms, other.warnings = terms, warnings
	return &other
}

// An owner is the target of an entry of metadata.ownerReferences.
type owner struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Name       string `json:"name"`
}

var (
	static      = owner{APIVersion: "v1", Kind: "Node"} // the kubelet runs it from a file, and always will
	daemonSet   = owner{APIVersion: "apps/v1", Kind: "DaemonSet"}
	statefulSet = owner{APIVersion: "apps/v1", Kind: "StatefulSet"}
)

// workload names what owns a Pod as people know it: the Deployment of its ReplicaSet, whose name has the hash of the template
// behind it.
func (o owner) workload(hash string) string {
	if deployment, ok := strings.CutSuffix(o.Name, "-"+hash); ok && o.Kind == "ReplicaSet" && hash != "" {
		return "Deployment/" + deployment
	}
	return o.Kind + "/" + o.Name
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
	Key      string `json:"key"`
	Operator string `json:"operator"`
	Value    string `json:"value"`
	Effect   string `json:"effect"`
}

// ofDisruption reports whether it matches the taint that Karpenter puts on nodes in flight,
// karpenter.sh/disrupted:NoSchedule, by the rules of core/v1 Toleration: an empty key or effect matches any.
func (t toleration) ofDisruption() bool {
	if t.Key != "" && t.Key != annotation.DisruptedTaint || t.Effect != "" && t.Effect != noSchedule {
		return false
	}
	return t.Operator == "Exists" || (t.Operator == "" || t.Operator == "Equal") && t.Value == "" // the taint has no value
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
