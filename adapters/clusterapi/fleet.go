package main

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/adapters/internal/cluster"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/annotation"
	"github.com/disruptkit/disruptkit/cmd/disruptionpolicy"
	"github.com/disruptkit/disruptkit/probe"
	"github.com/disruptkit/disruptkit/probe/httpget"
)

const zone = "topology.kubernetes.io/zone"

// A fleet is a Cluster at one time. Each MachineDeployment that is opted in is a pool, and each of its Machines a node with the Machine's name.
type fleet struct {
	input    disruptkit.Input // without memory
	machines map[string]*clusterv1.Machine
	warnings []candidate.Warning
	policies map[string]annotation.Policy // by pool that is opted in
	startup  time.Duration                // how long a Machine may take until it is Available

	labels    map[string][]map[string]string // of MachineDeployments, by pool
	selection disruptionpolicy.Selection     // of those
}

// read returns the fleet as it is.
func (r *roller) read(ctx context.Context) (f fleet, err error) {
	var owner clusterv1.Cluster
	if err := r.objects.Get(ctx, r.of, &owner); err != nil {
		return f, err
	}
	var deployments clusterv1.MachineDeploymentList
	if err := r.objects.List(ctx, &deployments, client.InNamespace(r.of.Namespace)); err != nil {
		return f, err
	}
	var machines clusterv1.MachineList
	if err := r.objects.List(ctx, &machines, client.InNamespace(r.of.Namespace)); err != nil {
		return f, err
	}
	workload, err := r.workload(ctx)
	if err != nil {
		return f, err
	}
	shot, err := (&cluster.Reader{Client: workload}).Read(ctx)
	if err != nil {
		return f, err
	}
	f = fleet{input: shot.Input, machines: map[string]*clusterv1.Machine{}, warnings: shot.Warnings, policies: map[string]annotation.Policy{},
		startup: r.startup, labels: map[string][]map[string]string{}}
	f.input.Nodes = nil
	for i := range deployments.Items {
		switch md := &deployments.Items[i]; {
		case md.Spec.ClusterName != r.of.Name:
		case r.takesPart(md):
			marked := slices.ContainsFunc(machines.Items, func(m clusterv1.Machine) bool {
				return m.Labels[clusterv1.MachineDeploymentNameLabel] == md.Name && isMarked(&m)
			})
			f.addPool(md, paused(&owner, owner.Spec.Paused) || paused(md, md.Spec.Paused), marked)
		default:
			f.watch(md)
		}
	}
	if err := r.join(ctx, &f); err != nil {
		return f, err
	}
	r.ask(&f)
	nodes := map[string]candidate.Node{}
	for _, n := range shot.Input.Nodes {
		nodes[n.Name] = n
	}
	for i := range machines.Items {
		m := &machines.Items[i]
		if _, pooled := f.labels[m.Labels[clusterv1.MachineDeploymentNameLabel]]; pooled && m.Spec.ClusterName == r.of.Name {
			f.addMachine(m, nodes[m.Status.NodeRef.Name])
		}
	}
	f.await()
	return f, nil
}

// takesPart reports whether somebody has annotated a MachineDeployment with a policy, and it lets others choose what goes.
func (r *roller) takesPart(md *clusterv1.MachineDeployment) bool {
	if !md.DeletionTimestamp.IsZero() || !annotation.Read(md.Name, md.Annotations).Written {
		return false
	}
	if md.Spec.Rollout.Strategy.Type != clusterv1.OnDeleteMachineDeploymentStrategyType {
		r.log("warning: MachineDeployment/%s: spec.rollout.strategy.type is %q, and Cluster API chooses what goes: write OnDelete, or remove the annotations",
			md.Name, md.Spec.Rollout.Strategy.Type)
		return false
	}
	return true
}

// paused reports whether somebody has told Cluster API to leave an object alone.
func paused(o metav1.Object, spec *bool) bool {
	_, annotated := o.GetAnnotations()[clusterv1.PausedAnnotation]
	return annotated || spec != nil && *spec
}

// addPool adds a MachineDeployment with what its annotations say, which are those of a NodePool.
func (f *fleet) addPool(md *clusterv1.MachineDeployment, paused, marked bool) {
	said := annotation.Read(md.Name, md.Annotations)
	spec := said.Spec
	spec.Addition = budget.Addition{Name: annotation.Disruption}
	if marked {
		spec.Order = cmp.Or(spec.Order, "rank") // Machines with the annotation delete-machine are first
	}
	p := disruptkit.Pool{
		Name: md.Name, Topology: said.Topology, Blockers: said.Blockers, RepairBacksOff: said.RepairBacksOff,
		Labels:  maps.Clone(md.Spec.Template.Labels),
		Desired: replicas(md), Revision: md.Annotations[clusterv1.RevisionAnnotation],
	}
	if p.Labels == nil {
		p.Labels = map[string]string{}
	}
	p.Labels[annotation.PoolLabel] = md.Name // pauses select their pool by it
	p.Budgets, _ = spec.Compile()            // decisions report faults
	if paused {
		p.Blockers = append(p.Blockers, candidate.Blocker{Gate: candidate.GateProbe, Code: candidate.CodePaused,
			Message: "the Cluster or the MachineDeployment is paused: Cluster API would not replace the Machine"})
	}
	if md.Status.ObservedGeneration != md.Generation {
		p.Blockers = append(p.Blockers, candidate.Blocker{Gate: candidate.GateProbe, Code: candidate.CodeNotObserved,
			Message: "Cluster API has not looked at the MachineDeployment since it changed: which Machines are outdated is not known"})
	}
	for i := range p.Blockers {
		p.Blockers[i].Message = strings.Replace(p.Blockers[i].Message, " of the NodePool: ", " of the MachineDeployment: ", 1)
	}
	f.input.Pools = append(f.input.Pools, p)
	f.input.Pauses = append(f.input.Pauses, said.Pauses...)
	f.labels[md.Name] = append(f.labels[md.Name], maps.Clone(md.Labels))
	f.warnings, f.policies[md.Name] = append(f.warnings, said.Warnings...), said
}

// place reports where people have written what a warning is about.
func (f *fleet) place(w candidate.Warning) []candidate.Warning {
	all, ours := f.selection.Place(w)
	if !ours {
		all = annotation.Place(w, f.input.Pauses)
	}
	for i := range all {
		all[i].Object = strings.Replace(all[i].Object, "NodePool/", "MachineDeployment/", 1)
	}
	return all
}

// ask lets the probes of all pools be asked, and adds what they have answered.
func (r *roller) ask(f *fleet) {
	var all []httpget.Spec
	for _, said := range f.policies {
		all = append(all, said.Probes...)
	}
	for _, g := range f.selection.Groups {
		all = append(all, g.Policy.Probes...)
	}
	r.probes.Set(all)
	for i := range f.input.Pools {
		p := &f.input.Pools[i]
		p.Verdicts = r.probes.Verdicts(f.policies[p.Name].Probes...)
	}
	for i, g := range f.selection.Groups {
		f.input.Groups[i].Verdicts = r.probes.Verdicts(g.Policy.Probes...)
	}
}

// addMachine adds a Machine. Its Node has the pods, and is zero if there is none.
//
// A Machine that is not Available is NotReady, and never joins: Cluster API replaces one Machine that went, and adds none before. One that joins
// would fill the gap, as if it ran already, and the next one could be disrupted.
func (f *fleet) addMachine(m *clusterv1.Machine, n candidate.Node) {
	labels := maps.Clone(n.Labels)
	if labels == nil {
		labels = map[string]string{}
	}
	maps.Copy(labels, m.Labels)
	labels[annotation.PoolLabel] = m.Labels[clusterv1.MachineDeploymentNameLabel] // so that policies may take one pool after the other
	if domain := cmp.Or(m.Status.FailureDomain, m.Spec.FailureDomain); domain != "" {
		labels[zone] = domain
	}
	n.Name, n.Pool, n.Labels, n.Created = m.Name, m.Labels[clusterv1.MachineDeploymentNameLabel], labels, m.CreationTimestamp.Time
	n.Phase, n.ReadySince = candidate.NotReady, time.Time{}
	if c := meta.FindStatusCondition(m.Status.Conditions, clusterv1.MachineAvailableCondition); c != nil && c.Status == metav1.ConditionTrue {
		n.Phase, n.ReadySince = candidate.Running, c.LastTransitionTime.Time
	}
	if isMarked(m) {
		n.Rank = -1
	}
	_, n.DoNotRepair = m.Annotations[clusterv1.MachineSkipRemediationAnnotation]
	if paused(m, nil) {
		n.Blockers = append(n.Blockers, candidate.Blocker{Gate: candidate.GateNode, Code: candidate.CodePaused, Message: "the Machine is paused"})
	}
	if _, takesPart := f.policies[n.Pool]; takesPart {
		n.Conditions = f.reasons(m)
	}
	if c, expires := f.policies[n.Pool].Expiration.Condition(n.Created); expires {
		n.Conditions = append(n.Conditions, c)
	}
	if !m.DeletionTimestamp.IsZero() {
		leave(&n, m)
	}
	f.input.Nodes, f.machines[m.Name] = append(f.input.Nodes, n), m
}

// reasons returns why a Machine should be disrupted. One that its MachineSet repairs by itself has no reason: only those of older templates wait for a roll.
// So do those that have never become a node, for which nothing makes room: as not healthy, they would use up what allows them.
func (f *fleet) reasons(m *clusterv1.Machine) (all []candidate.Condition) {
	if c := outdated(m); c != nil {
		all = append(all, candidate.Condition{Reason: candidate.Drifted, Since: c.LastTransitionTime.Time})
	}
	if c := falseFor(m, clusterv1.MachineOwnerRemediatedCondition, clusterv1.MachineSetMachineCannotBeRemediatedReason); c != nil {
		return append(all, candidate.Condition{Reason: candidate.Unhealthy, Since: c.LastTransitionTime.Time})
	}
	if outdated(m) != nil && m.Status.NodeRef.Name == "" {
		all = append(all, candidate.Condition{Reason: candidate.Unhealthy, Since: m.CreationTimestamp.Add(f.startup)})
	}
	return all
}

// isMarked reports whether a Machine is to go first.
func isMarked(m *clusterv1.Machine) bool {
	_, annotated := m.Annotations[clusterv1.DeleteMachineAnnotation]
	return annotated
}

// outdated returns the condition of a Machine that says that its template is older, or nil.
func outdated(m *clusterv1.Machine) *metav1.Condition {
	return falseFor(m, clusterv1.MachineUpToDateCondition, clusterv1.MachineNotUpToDateReason)
}

// falseFor returns a condition that is False for a reason, or nil.
func falseFor(m *clusterv1.Machine, kind, reason string) *metav1.Condition {
	if c := meta.FindStatusCondition(m.Status.Conditions, kind); c != nil && c.Status == metav1.ConditionFalse && c.Reason == reason {
		return c
	}
	return nil
}

// leave marks a node as going.
func leave(n *candidate.Node, m *clusterv1.Machine) {
	n.Leaving, n.DisruptedFor = candidate.Draining, ""
	if len(n.Conditions) > 0 {
		n.DisruptedFor = n.Conditions[0].Reason
	}
	if meta.IsStatusConditionFalse(m.Status.Conditions, clusterv1.MachineHealthCheckSucceededCondition) {
		n.DisruptedFor = candidate.Unhealthy
	}
}

// await lets nothing but repair start in a pool that limits zones, or under a policy that does, while it is not known which zone lacks a
// Machine: one is gone, and the one that replaces it is in no zone yet. Budgets without a zone count what is missing (Pool.Desired).
func (f *fleet) await() {
	placed, missing := map[string]int{}, map[string]int{}
	for i := range f.input.Nodes {
		if n := &f.input.Nodes[i]; n.Labels[zone] != "" || n.Phase == candidate.Running || n.InFlight() {
			placed[n.Pool]++
		}
	}
	for i := range f.input.Pools {
		p := &f.input.Pools[i]
		missing[p.Name] = max(0, p.Desired-placed[p.Name])
		awaitIn(p.Budgets, missing[p.Name], &p.Verdicts)
	}
	for i := range f.input.Groups {
		g, sum := &f.input.Groups[i], 0
		for _, pool := range g.Pools {
			sum += missing[pool]
		}
		awaitIn(g.Budgets, sum, &g.Verdicts)
	}
}

func awaitIn(budgets budget.Set, missing int, to *[]probe.Verdict) {
	for _, reason := range []candidate.Reason{candidate.Drifted, candidate.Expired} {
		if missing > 0 && len(budgets.Scopes(reason)) > 0 {
			deny(to, "failure domains", candidate.CodeUnknownDomain, reason,
				fmt.Sprintf("Machines that are missing, or in no failure domain yet: %d; which domain is short is not known", missing))
		}
	}
}

// deny allows no node for a reason.
func deny(to *[]probe.Verdict, what string, code candidate.Code, reason candidate.Reason, cause string) {
	*to = append(*to, probe.Verdict{Probe: what, Allowed: true, Code: code, Denied: []probe.Denial{{Reason: reason, Cause: cause}}})
}
