package steward

import (
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/annotation"
	"github.com/disruptkit/disruptkit/cmd/disruptionpolicy"
	"github.com/disruptkit/disruptkit/karpenter"
	"github.com/disruptkit/disruptkit/probe"
)

// A memory that could not be stored blocks its nodes before it is tried again: for firstTry, and each time that it fails again for twice as
// long, up to lastTry. Others may be disrupted in their place meanwhile.
const (
	firstTry = time.Second
	lastTry  = 30 * time.Second
)

const claimOf = "NodeClaim of "

// A failure to write what is decided. It is forgotten once that is written.
type failure struct {
	err   error
	until time.Time
	wait  time.Duration // until then
}

// group adds the DisruptionPolicies that select NodePools. Of those that are not opted in, only what is in flight counts: nobody holds it.
func (s *Steward) group(
	shot *Snapshot, seen objects, policies []disruptionpolicy.Policy, written []*unstructured.Unstructured, verdicts map[string][]probe.Verdict,
) {
	labels := make(map[string][]map[string]string, len(seen.pools))
	for name, np := range seen.pools {
		labels[name] = []map[string]string{np.Labels}
	}
	selection := disruptionpolicy.Select(policies, labels, disruptionpolicy.Elsewhere(shot.Input.Nodes, labels))
	shot.Input.Pauses = append(shot.Input.Pauses, selection.Pauses...)
	for _, g := range selection.Groups {
		key := g.Key()
		at := slices.IndexFunc(written, func(o *unstructured.Unstructured) bool { return o.GetName() == g.Policy.Name })
		seen.shared[key], shot.Input.Memory[key] = written[at], g.Policy.Memory
		shot.Shared[key] = readReleases(written[at].GetAnnotations()[annotation.Releases])
		g.Verdicts = verdicts[g.Policy.Name]
		for _, pool := range g.Pools {
			seen.keys[pool] = append(seen.keys[pool], key)
			if !takesPart(seen.pools[pool]) && !shot.Bystanders[pool] {
				shot.Bystanders[pool] = true
				shot.Input.Pools = append(shot.Input.Pools, disruptkit.Pool{Name: pool, Labels: seen.pools[pool].Labels})
			}
		}
		shot.Input.Groups = append(shot.Input.Groups, g.Group)
	}
	for i := range shot.Input.Nodes {
		if n := &shot.Input.Nodes[i]; shot.Bystanders[n.Pool] {
			n.Conditions = nil
		}
	}
	s.holdUnwritten(&shot.Input, seen, true)
}

// holdUnwritten blocks the nodes that could not be written, those of memories that could not be stored, and those of policies that could
// not be written on a NodePool: of these, the ones that wait before another try, so that others are disrupted, or the ones that do not.
func (s *Steward) holdUnwritten(in *disruptkit.Input, seen objects, waiting bool) {
	blocked := func(failures map[string]failure, key string, blockers []candidate.Blocker) []candidate.Blocker {
		f, failed := failures[key]
		if !failed || f.until.After(in.Now) != waiting {
			return blockers
		}
		return append(slices.Clip(blockers), candidate.Blocker{
			Gate: candidate.GateBudget, Code: karpenter.CodeNotStored, Message: "what is decided cannot be stored: " + f.err.Error(),
		})
	}
	for i := range in.Groups {
		g := &in.Groups[i]
		g.Blockers = blocked(s.unstored, g.Key(), g.Blockers)
		for _, pool := range g.Pools {
			if np := seen.pools[pool]; takesPart(np) && !seen.saysSo(np) {
				g.Blockers = blocked(s.unstored, pool, g.Blockers)
			}
		}
	}
	for i := range in.Pools {
		p := &in.Pools[i]
		p.Blockers = blocked(s.unstored, p.Name, p.Blockers)
	}
	for i := range in.Nodes {
		n := &in.Nodes[i]
		n.Blockers = blocked(s.unwritten, n.Name, blocked(s.unwritten, claimOf+n.Name, n.Blockers))
	}
}

// noted notes whether something could be written. A conflict is neither.
func (s *Steward) noted(failures map[string]failure, key string, done bool, err error) {
	switch {
	case done:
		delete(failures, key)
	case err != nil:
		wait := min(max(firstTry, 2*failures[key].wait), lastTry)
		failures[key] = failure{err, s.Clock().Add(wait), wait}
	}
}

// complain publishes an event about what cannot be written; nil: it can.
func (s *Steward) complain(o runtime.Object, reason, what string, err error) {
	if err != nil && s.Recorder != nil {
		s.Recorder.Eventf(o, corev1.EventTypeWarning, reason, "%s: %.400v", what, err)
	}
}

// waits reports whether a memory is not tried to be stored yet, since that has failed before a time.
func (s *Steward) waits(key string, now time.Time) bool { return s.unstored[key].until.After(now) }
