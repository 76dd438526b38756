package karpenter_test

import (
	"net/http"
	"sync"

	"k8s.io/utils/clock"

	"github.com/disruptkit/disruptkit/probe"
	"github.com/disruptkit/disruptkit/probe/httpget"
)

// endpoint is a prober whose probes all ask the same endpoint, in fake time.
type endpoint struct {
	clock clock.PassiveClock
	down  bool

	mu       sync.Mutex
	observed map[string]probe.Observation
}

func (*endpoint) Set([]httpget.Spec) {}

// Verdicts asks the endpoint, and says what its answers add up to.
func (e *endpoint) Verdicts(probes ...httpget.Spec) []probe.Verdict {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.observed == nil {
		e.observed = map[string]probe.Observation{}
	}
	status := http.StatusOK
	if e.down {
		status = http.StatusServiceUnavailable
	}
	var verdicts []probe.Verdict
	for _, p := range probes {
		o := httpget.Observe(p, e.observed[p.Key()], httpget.Response{At: e.clock.Now(), Status: status})
		e.observed[p.Key()] = o
		verdicts = append(verdicts, probe.ProbeVerdict(p.Probe(), o, e.clock.Now()))
	}
	return verdicts
}
