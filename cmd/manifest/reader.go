package manifest

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/candidate/kube"
	"github.com/disruptkit/disruptkit/cmd/annotation"
	"github.com/disruptkit/disruptkit/cmd/disruptionpolicy"
	"github.com/disruptkit/disruptkit/cmd/engine"
	"github.com/disruptkit/disruptkit/dialect"
	"github.com/disruptkit/disruptkit/probe/httpget"
)

// A reader collects objects, and finally joins those that belong together.
type reader struct {
	Cluster
	unhealthy   []string             // the types of conditions that call for repair
	parser      kube.Parser          // of all pods
	pools       map[string]*nodePool // by name
	all         []*nodePool          // in the order of the input; several may share a name
	claims      []*nodeClaim
	nodes       []*node
	pods        map[string][]*pod // by node
	pdbs        []candidate.PDB
	schedules   []candidate.PodSchedule
	doubts      doubts
	events      events // about consolidation
	interrupted events // about instances that the cloud takes away
	cut         cutLists
	several     []disruptionpolicy.Policy
	unjoined    []candidate.Warning // the faults before anything was joined
}

func newReader(p Policy) *reader {
	given := map[string]bool{}
	if p.Whole {
		for _, m := range decisionKinds {
			given[m.Kind] = true
		}
	}
	return &reader{
		Cluster: Cluster{
			Memory: map[string]disruptkit.Memory{},
			Probes: map[string][]httpget.Spec{},
			Said:   map[string]Event{},

			policy:     p,
			byPDB:      map[string]pdb{},
			podGrace:   map[string]time.Duration{},
			standings:  map[string]Standing{},
			requests:   map[string]annotation.Request{},
			ignored:    map[string][]string{},
			admitted:   map[string]budget.Set{},
			handedIn:   given,
			unknown:    map[string]int{},
			namespaces: map[string]bool{},
		},
		unhealthy: conditionTypes(p.Repair), parser: kube.Parser{Dialect: p.As.Dialect()},
		pools:  map[string]*nodePool{},
		pods:   map[string][]*pod{},
		events: events{}, interrupted: events{},
		doubts: doubts{namespaces: map[string][]candidate.Warning{}},
		cut:    cutLists{},
	}
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
	default:
		r.unknown[fmt.Sprintf("%s (%s)", o.kind, cmp.Or(o.apiVersion, "no apiVersion"))]++
		return // whatever its faults
	}
	if o.kind != "NodePool" && o.kind != disruptionpolicy.Kind { // which have them
		r.faults = append(r.faults, o.faults...)
	}
}

// addList records that the input has a complete list of a kind. A List does not say so of any kind.
func (r *reader) addList(l list) {
	r.cut.addList(l)
	if l.of.isKnown() && l.items[0] == '[' { // not null
		r.handedIn[l.of.kind] = true
	}
}

func (r *reader) read(o *object) {
	switch o.kind {
	case "NodePool":
		r.all = append(r.all, readNodePool(o, r.policy))
	case "NodeClaim":
		r.claims = append(r.claims, readNodeClaim(o))
		o.root.json = nil // all of it is read, and they are kept
	case "Node":
		r.nodes = append(r.nodes, readNode(o, r.unhealthy))
		o.root.json = nil
	case disruptionpolicy.Kind:
		r.several = append(r.several, readDisruptionPolicy(o, r.policy))
	case "Event":
		r.events.add(o, consolidations)
		r.interrupted.add(o, interruptions)
	case "PodDisruptionBudget":
		if pdb := readPDB(o); len(o.faults) > 0 {
			r.doubts.addPDB(o)
		} else {
			r.pdbs, r.byPDB[pdb.Namespace+"/"+pdb.Name] = append(r.pdbs, pdb.PDB), pdb
		}
	case "PodDisruptionSchedule":
		if schedule := readPodSchedule(o); len(o.faults) > 0 && r.policy.As == engine.Disruptkit { // which alone reads them
			r.doubts.pods = append(r.doubts.pods, o.faults...)
		} else {
			r.schedules = append(r.schedules, schedule)
		}
	}
}

// addPool adds a pool. If several share a name, decisions reject all of them.
func (r *reader) addPool(p *nodePool) {
	r.pools[p.Name] = p
	if !p.memory.Equal(disruptkit.Memory{}) {
		r.Memory[p.Name] = p.memory
	}
	if len(p.probes) > 0 {
		r.Probes[p.Name] = append(r.Probes[p.Name], p.probes...)
	}
	r.Pauses = append(r.Pauses, p.pauses...)
	if r.policy.As.Annotated() {
		r.admitted[p.Name], _ = p.admitted.Compile()
	}
	r.faults = slices.Concat(r.faults, p.warnings, p.dropped, p.hints, p.faults)
	r.Pools = append(r.Pools, p.Pool)
}

// addPod adds a pod. A pod without a node blocks nothing.
func (r *reader) addPod(p *pod) {
	r.doubts.addPod(p)
	if p.grace != usualGrace {
		r.podGrace[p.String()] = p.grace
	}
	r.namespaces[p.Namespace] = true
	if len(p.faults) > 0 {
		r.namespaces[""] = true // unknown
	}
	r.faults = slices.Concat(r.faults, p.warnings, p.faults)
	if p.node != "" {
		r.pods[p.node] = append(r.pods[p.node], p)
	}
}

// cluster joins what belongs together.
func (r *reader) cluster() *Cluster {
	r.from, r.unjoined = r, slices.Clone(r.faults)
	for _, p := range r.all {
		r.addPool(p)
	}
	if r.policy.As.Annotated() {
		r.faults = append(r.faults, r.unscheduled()...)
		r.schedules = nil
	}
	r.Rules, _ = candidate.CompileRules(r.pdbs, r.schedules) // decisions report what is wrong
	r.Rules.FailClosed = r.policy.FailClosed
	for _, s := range states(r.claims, r.nodes, r.pods) {
		s.unclaimable, s.podsUnknown = !r.handedIn["NodeClaim"], !r.handedIn["Pod"]
		if s.isStray() {
			r.strays = append(r.strays, s.name())
		}
		n, warnings := s.candidate(r.pools)
		if s.node != nil && r.policy.As.Dialect() != dialect.Karpenter {
			s.node.maintain(&n)
		}
		if was, known := r.standings[n.Name]; !known || s.ending().before(was.lifespan) { // several may share a name
			standing := s.standing()
			standing.Interrupted = r.interruption(s)
			r.standings[n.Name] = standing
		}
		if p := r.pools[n.Pool]; p != nil && s.claim != nil {
			p.compare(n.Name, s.claim)
		}
		if r.policy.As == engine.Steward { // which releases what it holds
			n.DoNotDisrupt = n.DoNotDisrupt && !s.has(annotation.Held)
			n.DoNotRepair = n.DoNotRepair && !s.has(annotation.RepairHeld)
		}
		if r.policy.As.Annotated() {
			r.noteAge(&n, s)
		}
		r.noteRequest(&n, s)
		n.Blockers = append(n.Blockers, unreadable(candidate.GatePod, r.doubts.about(s.pods))...)
		if s.node != nil && n.Pool != "" && !n.Phase.Joining() && !n.InFlight() && len(s.pods) == 0 {
			r.podless++
		}
		if said, ok := r.events.of(s); ok {
			r.Said[n.Name] = said
		}
		r.Nodes, r.states = append(r.Nodes, n), append(r.states, s)
		r.faults = append(r.faults, warnings...)
	}
	r.unite()
	r.addGroups()
	r.addBreakers()
	r.faults = append(r.faults, r.unrepaired()...)
	return &r.Cluster
}
