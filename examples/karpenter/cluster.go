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
	"github.com/disruptkit/disruptkit/probe"
	"github.com/disruptkit/disruptkit/report"
)

// A Cluster is what the guards of one Karpenter share: the things that its main has anyway, and what they remember. Its first
// five fields are required.
type Cluster struct {
	Client        client.Client
	State         *state.Cluster
	Clock         clock.Clock
	Recorder      events.Recorder
	CloudProvider cloudprovider.CloudProvider

	// Probes are those that count for every NodePool, besides those that a NodePool is annotated with.
	Probes []probe.Probe
	// Prober asks them. Controllers sets one that runs with the manager if there is none. Where there still is none, a probe
	// lets nothing go.
	Prober Prober
	// FailClosed lets annotations of pods that are not valid hold back their nodes; see candidate.Rules.
	FailClosed bool

	mu       sync.Mutex
	methods  []candidate.Reason // that are a provider's own
	parser   candidate.Parser
	policies map[string]compiled // by NodePool
	memory   memoryStore
	reports  map[candidate.Reason]report.Report // the last ones
	nodes    int                                // how many the last snapshot had
	launches []*launch
	jitters  func() float64 // set by tests
}

// know lets budgets name the reason of a method.
func (c *Cluster) know(method candidate.Reason) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !slices.Contains(slices.Concat(candidate.Methods(), c.methods), method) {
		c.methods, c.policies = append(c.methods, method), nil
	}
}

// A Prober asks probes all the time; *poll.Runner is one.
type Prober interface {
	// Set says which to ask, instead of those before.
	Set(probes []probe.Probe)
	// Verdicts returns what they say now.
	Verdicts(probes ...probe.Probe) []probe.Verdict
}
