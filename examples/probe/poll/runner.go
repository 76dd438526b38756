// Package poll asks many probes, each in its own time, and keeps what has been observed of them.
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
//		case <-runner.Changed(): // an answer says something else
//		case <-alarm(d.NextChange): // or time does; zero is never
//		}
//	}
//
// Whatever goes wrong here, nothing may go for it: a probe that is not polled, or whose answers stay out, has the
// verdict that says so.
package poll

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/disruptkit/disruptkit/probe"
)

// A Getter asks a probe once; *httpget.Client is one. It is called from many goroutines, and has to return within the
// probe's timeout, or when ctx ends. If it panics, that is no answer, and the verdict says so.
type Getter interface {
	Get(ctx context.Context, p probe.Probe, now time.Time) probe.Response
}

// A Runner polls probes. Probes that are equal in every field, such as one that a thousand pools have, are one: it is
// asked once, and all have the same observation. All methods are safe for concurrent use.
type Runner struct {
	getter  Getter
	decode  probe.Decoder
	changed chan struct{}
	set     chan struct{}

	mu    sync.Mutex
	polls map[string]*poll // by Probe.Key
}

// A poll is a probe, and what has been observed of it.
type poll struct {
	probe    probe.Probe
	observed probe.Observation // guarded by Runner.mu; only the poll's own goroutine writes it
}

// New returns a Runner that polls nothing yet. The decoder is for bodies that are not JSON, such as YAML; nil: there
// are none.
func New(getter Getter, decode probe.Decoder) *Runner {
	return &Runner{getter: getter, decode: decode, changed: make(chan struct{}, 1), set: make(chan struct{}, 1)}
}

// Set says which probes to poll, of all pools and the cluster, instead of those before. One that stayed as it was goes
// on; one that changed in any field starts anew; one that is gone is no longer asked. Broken ones never are. They are
// only read, and must not be changed afterwards.
func (r *Runner) Set(probes []probe.Probe) {
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

// notify leaves a message, unless there is one.
func notify(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// Run polls until ctx ends, and returns once all questions have: no goroutine is left.
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

// mostDelay is the most that passes until a probe is first asked. Until then nothing may go.
const mostDelay = 10 * time.Second

// poll asks one probe until ctx ends: one question at a time, so that answers come in order, and nobody waits for
// another's.
//
// Thousands that start together are first asked at random times within their period, of which 10 seconds at the most,
// and from then on a random part of it early, up to a tenth. They are never late for that: by default an answer counts
// for two periods and a timeout, so that one may be lost. After an answer that took longer than the period the next
// question follows at once.
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
			return // a question that was given up says nothing of the probe
		}
		r.keep(p, after)
		wait = time.Until(now.Add(period - rand.N(period/10)))
	}
}

// observe asks once. Somebody else's panic must not end the program that keeps nodes where they are: it is no answer.
func (r *Runner) observe(ctx context.Context, p *poll, now time.Time) (after probe.Observation) {
	defer func() {
		if fault := recover(); fault != nil {
			after = probe.Observe(p.probe, p.observed, probe.Response{At: now, Err: fmt.Errorf("asking panicked: %v", fault)})
		}
	}()
	answer := r.getter.Get(ctx, p.probe, now)
	answer.At = now // it is never newer than the question
	return r.decode.Observe(p.probe, p.observed, answer)
}

// keep replaces an observation, and tells if the verdict is another.
func (r *Runner) keep(p *poll, after probe.Observation) {
	now := time.Now()
	r.mu.Lock()
	defer r.mu.Unlock()
	if !probe.ProbeVerdict(p.probe, p.observed, now).Same(probe.ProbeVerdict(p.probe, after, now)) {
		notify(r.changed)
	}
	p.observed = after
}

// Changed returns a channel with a message whenever the verdict of some probe has changed for its answer, so that one
// receiver can decide at once. What time alone changes, such as that answers grow too old, is in Decision.NextChange.
func (r *Runner) Changed() <-chan struct{} { return r.changed }

// Verdicts returns what some probes say now: those of a pool, or of the cluster. One that is not polled says that
// nothing has been observed.
//
// Now is read here, on the clock that the answers have: for a caller's, from before an answer came in, that would be
// from the future.
func (r *Runner) Verdicts(probes ...probe.Probe) []probe.Verdict {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := time.Now()
	verdicts := make([]probe.Verdict, 0, len(probes))
	for _, p := range probes {
		var o probe.Observation
		if polled := r.polls[p.Key()]; polled != nil {
			o = polled.observed
		}
		verdicts = append(verdicts, probe.ProbeVerdict(p, o, now))
	}
	return verdicts
}
