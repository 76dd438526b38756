package karpenter

import (
	"slices"
	"sync"

	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/karpenter/pkg/cloudprovider"
	"sigs.k8s.io/karpenter/pkg/controllers/state"
	"sigs.k8s.io/karpenter/pkg/events"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/candidate/kube"
	"github.com/disruptkit/disruptkit/cmd/ical"
	"github.com/disruptkit/disruptkit/cmd/replay"
	"github.com/disruptkit/disruptkit/karpenter/internal/shared"
	"github.com/disruptkit/disruptkit/probe"
	"github.com/disruptkit/disruptkit/probe/httpget"
	"github.com/disruptkit/disruptkit/report"
)

// A Cluster is what the guards of one Karpenter share: objects from its main, and what the guards remember. The first
// five fields are required.
type Cluster struct {
	Client        client.Client
	State         *state.Cluster
	Clock         clock.Clock
	Recorder      events.Recorder
	CloudProvider cloudprovider.CloudProvider

	// Probes apply to every NodePool, in addition to the probes in a NodePool's annotation.
	Probes []httpget.Spec
	// Prober runs probes. If it is nil, Controllers sets one that runs with the manager. Without a Prober, a probe allows
	// nothing.
	Prober Prober
	// Calendars are those that budgets of annotations and DisruptionPolicies may name, such as a mounted ConfigMap; nil: none. Budgets that name
	// one that is not there, or cannot be read, allow nothing.
	Calendars *ical.Directory
	// FailClosed makes invalid annotations of pods block their nodes; see [candidate.Rules].
	FailClosed bool
	// Recording records each decision, with everything that it depends on and the memory that is to be stored, so that kubectl disruption
	// replay can make it again; nil: nothing is recorded. The Verdicts of probes are recorded, and not their answers.
	Recording *replay.Recorder

	mu       sync.Mutex
	methods  []candidate.Reason // a provider's own methods
	parser   kube.Parser
	policies map[string]compiled // by NodePool
	several  shared.Reader       // of DisruptionPolicies
	known    shared.Calendars    // by the policies
	memory   memoryStore
	reports  map[candidate.Reason]report.Report // the last ones
	nodes    int                                // number of nodes in the last snapshot
	launches []*launch
	jitters  func() float64 // set by tests
}

// know allows budgets to name the reason of a method.
func (c *Cluster) know(method candidate.Reason) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if method != candidate.Requested && !slices.Contains(slices.Concat(candidate.Methods(), c.methods), method) {
		c.methods, c.policies, c.several = append(c.methods, method), nil, shared.Reader{}
	}
}

// ownMethods returns the provider's own methods.
func (c *Cluster) ownMethods() []candidate.Reason {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.methods)
}

// A Prober runs probes continuously; *poll.Runner is one.
type Prober interface {
	// Set replaces the probes to run.
	Set(probes []httpget.Spec)
	// Verdicts returns the present verdicts of probes.
	Verdicts(probes ...httpget.Spec) []probe.Verdict
}
