// Package poll runs many probes, each with its own period, and keeps their observations.
//
//	var client httpget.Client
//	runner := poll.New(&client, poll.YAML)
//	runner.Set(slices.Concat(ofTheCluster, ofPool["gpu"]))
//	go runner.Run(ctx)
//	for {
//		pool.Verdicts = runner.Verdicts(ofPool["gpu"]...)
//		in.Verdicts = runner.Verdicts(ofTheCluster...)
//		in.Now = time.Now()
//		d := disruptkit.Decide(in, candidate.Drifted)
//		…
//		select {
//		case <-runner.Changed(): // an answer has changed a verdict
//		case <-time.After(d.Wait(time.Now(), time.Hour)): // or time has
//		}
//	}
//
// If anything goes wrong here, nothing may be disrupted: the verdict of a probe that is not polled, or does not answer, says so.
package poll

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/probe"
	"github.com/disruptkit/disruptkit/probe/httpget"
)

// A Getter performs one request of a probe; *httpget.Client is one. It is called from many goroutines, and must return
// within the probe's timeout, or when ctx ends. A panic counts as no answer, and the verdict says so.
type Getter interface {
	Get(ctx context.Context, p httpget.Spec, now time.Time) httpget.Response
}

// A Runner polls probes. Probes that are equal in every field, for example because a thousand pools have the same one,
// are polled once and share their observation. All methods are safe for concurrent use.
type Runner struct {
	getter  Getter
	decode  httpget.Decoder
	changed chan struct{}
	set     chan struct{}

	mu    sync.Mutex
	polls map[string]*poll // by Spec.Key
}

// A poll is a probe with its observation.
type poll struct {
	probe    httpget.Spec
	observed probe.Observation // guarded by Runner.mu; only the poll's own goroutine writes it
}

// New returns a Runner that polls nothing yet. The decoder is for bodies that are not JSON, such as YAML; nil means
// that all are JSON.
func New(getter Getter, decode httpget.Decoder) *Runner {
	return &Runner{getter: getter, decode: decode, changed: make(chan struct{}, 1), set: make(chan struct{}, 1)}
}

// Set replaces the probes to poll: those of all pools and of the cluster. An unchanged probe continues. A probe that
// changed in any field starts again. A removed probe is no longer polled. Invalid probes are never polled. Set does not
// modify the probes, and callers must not modify them afterwards.
func (r *Runner) Set(probes []httpget.Spec) {
	r.mu.Lock()
	defer r.mu.Unlock()
	polls := map[string]*poll{}
	for _, p := range probes {
		id := p.Key()
		if same := r.polls[id]; same != nil {
			polls[id] = same
		} else if p.Validate() == nil {
			polls[id] = &poll{probe: p}
		}
	}
	r.polls = polls
	notify(r.set)
}

// notify sends a message, unless one is waiting already.
func notify(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// Run polls until ctx ends. It returns when all requests have ended, and leaves no goroutine behind.
func (r *Runner) Run(ctx context.Context) {
	var polling sync.WaitGroup
	defer polling.Wait()
	stops := map[*poll]context.CancelFunc{}
	for {
		wanted := r.wanted()
		for p, stop := range stops {
			if !wanted[p] {
				stop()
				delete(stops, p)
			}
		}
		for p := range wanted {
			if stops[p] == nil {
				polled, stop := context.WithCancel(ctx)
				stops[p] = stop
				polling.Go(func() { r.poll(polled, p) })
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-r.set:
		}
	}
}

func (r *Runner) wanted() map[*poll]bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	wanted := make(map[*poll]bool, len(r.polls))
	for _, p := range r.polls {
		wanted[p] = true
	}
	return wanted
}

// mostDelay is the longest time until a probe's first request. Until then nothing may be disrupted.
const mostDelay = 10 * time.Second

// poll polls one probe until ctx ends. It sends one request at a time, so that answers come in order. Probes do not
// wait for each other.
//
// If thousands of probes start together, their first requests are at random times within their period, but within 10
// seconds. Later requests are early by a random time, up to a tenth of the period. They are never late: by default an
// answer counts for two periods and a timeout, so that one may be lost. If an answer took longer than the period, the
// next request follows at once.
func (r *Runner) poll(ctx context.Context, p *poll) {
	period := p.probe.Period()
	for wait := rand.N(min(period, mostDelay)); ; {
		select {
		case <-ctx.Done():
			return
		case <-time.After(wait):
		}
		now := time.Now()
		after := r.observe(ctx, p, now)
		if ctx.Err() != nil {
			return // a cancelled request says nothing about the probe
		}
		r.keep(p, after)
		wait = time.Until(now.Add(period - rand.N(period/10)))
	}
}

// observe sends one request. A panic in a Getter must not end the program that protects nodes: it counts as no answer.
func (r *Runner) observe(ctx context.Context, p *poll, now time.Time) (after probe.Observation) {
	defer func() {
		if fault := recover(); fault != nil {
			after = httpget.Observe(p.probe, p.observed, httpget.Response{At: now, Err: fmt.Errorf("asking panicked: %v", fault)})
		}
	}()
	answer := r.getter.Get(ctx, p.probe, now)
	answer.At = now // it is never newer than the request
	return r.decode.Observe(p.probe, p.observed, answer)
}

// keep replaces an observation, and notifies if the verdict has changed.
func (r *Runner) keep(p *poll, after probe.Observation) {
	now := time.Now()
	r.mu.Lock()
	defer r.mu.Unlock()
	of := p.probe.Probe()
	if !same(probe.ProbeVerdict(of, p.observed, now), probe.ProbeVerdict(of, after, now)) {
		notify(r.changed)
	}
	p.observed = after
}

// same reports whether two verdicts say the same, apart from what changes with every answer, or with time: From, StaleAt,
// and the age in the message of a verdict that is stale or from the future.
func same(a, b probe.Verdict) bool {
	aged := a.Code == candidate.CodeStale || a.Code == candidate.CodeFromTheFuture
	return a.Probe == b.Probe && a.Allowed == b.Allowed && a.Code == b.Code && (a.Cause == b.Cause || aged) &&
		slices.EqualFunc(a.Denied, b.Denied, func(a, b probe.Denial) bool {
			return a.Reason == b.Reason && slices.Equal(a.Pools, b.Pools) && a.Cause == b.Cause && a.Until.Equal(b.Until)
		})
}

// Changed returns a channel that gets a message whenever an answer has changed the verdict of some probe, so that one
// receiver can decide at once. For changes by time alone, such as answers that become too old, use Decision.NextChange.
func (r *Runner) Changed() <-chan struct{} { return r.changed }

// Verdicts returns the present verdicts of some probes, such as those of a pool or of the cluster. The verdict of a
// probe that is not polled says that nothing has been observed.
//
// Verdicts reads the time itself, from the clock of the answers. A caller's time may be from before an answer, which
// would then seem to be from the future.
func (r *Runner) Verdicts(probes ...httpget.Spec) []probe.Verdict {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := time.Now()
	verdicts := make([]probe.Verdict, 0, len(probes))
	for _, p := range probes {
		var o probe.Observation
		if polled := r.polls[p.Key()]; polled != nil {
			o = polled.observed
		}
		verdicts = append(verdicts, probe.ProbeVerdict(p.Probe(), o, now))
	}
	return verdicts
}
