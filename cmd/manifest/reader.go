package manifest

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/candidate/kube"
	"github.com/disruptkit/disruptkit/cmd/disruptionpolicy"
	"github.com/disruptkit/disruptkit/internal/wording"
)

// A reader collects the objects of a cluster. Engines read the same objects, each in its own way: see [reader.cluster].
type reader struct {
	withoutPods bool
	unhealthy   []string    // the types of conditions that call for repair
	pod         podReader   // of the last one
	labels      kube.Parser // which Pods share

	pools       []*object // NodePools, in the order of the input; several may share a name
	several     []*object // DisruptionPolicies
	claims      []*nodeClaim
	nodes       []*node
	pods        map[string][]*pod // by node
	annotated   []*pod            // those whose annotations ask for something
	pdbs        []pdb
	schedules   []podSchedule
	events      events // about consolidation
	interrupted events // about instances that the cloud takes away

	podGrace   map[string]time.Duration // of pods for which it is not the usual one
	doubts     doubts
	cut        cutLists
	faults     []candidate.Warning // of all that is not a NodePool or a DisruptionPolicy
	handedIn   map[string]bool     // kinds with objects or a list in the input
	unknown    map[string]int      // objects by kind and apiVersion
	namespaces map[string]bool     // of Pods
}

// newReader returns a reader for what some policies need.
func newReader(policies ...Policy) *reader {
	r := &reader{
		withoutPods: !slices.ContainsFunc(policies, func(p Policy) bool { return !p.WithoutPods }),
		pods:        map[string][]*pod{},
		events:      events{}, interrupted: events{},
		podGrace: map[string]time.Duration{},
		doubts:   doubts{namespaces: map[string][]candidate.Warning{}},
		cut:      cutLists{},
		handedIn: map[string]bool{}, unknown: map[string]int{}, namespaces: map[string]bool{},
	}
	for _, p := range policies {
		r.unhealthy = append(r.unhealthy, conditionTypes(p.Repair)...)
	}
	return r
}

// groups has the API group of each kind that is read.
var groups = map[string]string{
	"NodePool":              group,
	"NodeClaim":             group,
	"Node":                  "",
	"Pod":                   "",
	"PodDisruptionBudget":   "policy",
	"PodDisruptionSchedule": group,
	"Event":                 "",

	disruptionpolicy.Kind: disruptionpolicy.Group,
}

func (r *reader) add(o *object) {
	switch {
	case o.isKnown():
		r.handedIn[o.kind] = true
		r.read(o)
	case o.kind == "" || o.isList(): // reported as a fault
	case o.isRefusal(), o.isMisspelt(): // what it stands for may block any node
		r.doubts.nodes = append(r.doubts.nodes, o.faults...)
	default:
		r.unknown[fmt.Sprintf("%s (%s)", o.kind, cmp.Or(o.apiVersion, "no apiVersion"))]++
		return // whatever its faults
	}
	if o.kind != "NodePool" && o.kind != disruptionpolicy.Kind { // which have them
		r.faults = append(r.faults, o.faults...)
	}
}

// isRefusal reports, as a fault, what kubectl prints of an error of the API server in place of objects.
func (o *object) isRefusal() bool {
	status := o.root.field("status")
	if o.kind != "Status" || groupOf(o.apiVersion) != "" || status.json != "Failure" {
		return false
	}
	status.fault("the API server refused to list some objects: " + wording.Short(o.root.field("message").text(), 200))
	return true
}

// isMisspelt reports, as a fault, that the kind is nearly one that decisions depend on, or the beginning of one.
func (o *object) isMisspelt() bool {
	for kind, group := range groups {
		cutOff := len(o.kind) > 3 && strings.HasPrefix(kind, o.kind)
		if group != "" && groupOf(o.apiVersion) == group && (cutOff || strings.EqualFold(kind, o.kind) || wording.Near(kind, o.kind)) {
			o.root.field("kind").fault("the kind is unknown: write " + kind)
			return true
		}
	}
	return false
}

// addList records that the input has a complete list of a kind. A List does not say so of any kind.
func (r *reader) addList(l list) {
	r.cut.addList(l)
	if l.of.isKnown() && l.items[0] == '[' { // not null
		r.handedIn[l.of.kind] = true
	}
}

func (r *reader) read(o *object) {
	if strings.HasPrefix(o.kind, "PodDisruption") {
		annotations := o.root.apart().field("metadata").field("annotations").texts()
		r.faults = append(r.faults, misplaced(o.kind, o.String(), annotations)...)
	}
	switch o.kind {
	case "NodePool":
		r.pools = append(r.pools, o)
	case "NodeClaim":
		r.claims = append(r.claims, readNodeClaim(o))
		o.root.json = nil // all of it is read, and they are kept
	case "Node":
		r.nodes = append(r.nodes, readNode(o, r.unhealthy))
		o.root.json = nil
	case disruptionpolicy.Kind:
		r.several = append(r.several, o)
	case "Event":
		r.events.add(o, consolidations)
		r.interrupted.add(o, interruptions)
	case "PodDisruptionBudget":
		if pdb := readPDB(o); len(o.faults) > 0 {
			r.doubts.addPDB(o)
		} else {
			r.pdbs = append(r.pdbs, pdb)
		}
	case "PodDisruptionSchedule":
		r.schedules = append(r.schedules, podSchedule{readPodSchedule(o), o.faults})
	}
}

// readPod reads a Pod, unless nobody needs Pods: decoding them takes most of the time. A pod without a node blocks nothing.
func (r *reader) readPod(d *jsontext.Decoder, where string) error {
	r.handedIn["Pod"] = true
	if r.withoutPods {
		return skip(d)
	}
	if err := r.pod.read(d, where); err != nil {
		return err
	}
	p := readPod(&r.pod)
	r.labels.Share(&p.Pod)
	r.doubts.addPod(p)
	if p.grace != usualGrace {
		r.podGrace[p.String()] = p.grace
	}
	r.namespaces[p.Namespace] = true
	if len(p.faults) > 0 {
		r.namespaces[""] = true // unknown
	}
	r.faults = append(append(r.faults, p.faults...), misplaced("Pod", r.pod.object.String(), r.pod.annotations)...)
	if p.node != "" {
		r.pods[p.node] = append(r.pods[p.node], p)
	}
	maps.DeleteFunc(r.pod.annotations, func(name, _ string) bool { return !strings.HasPrefix(name, group+"/") })
	if p.annotations = r.pod.annotations; len(p.annotations) > 0 {
		r.annotated = append(r.annotated, p)
	}
	return nil
}
