package steward

import (
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/annotation"
	"github.com/disruptkit/disruptkit/cmd/disruptionpolicy"
	"github.com/disruptkit/disruptkit/karpenter"
	"github.com/disruptkit/disruptkit/probe"
)

// A memory that could not be stored holds its nodes back before it is tried again: for firstTry, and each time that it fails again for twice as
// long, up to lastTry. Others may go in their place meanwhile.
const (
	firstTry = time.Second
	lastTry  = 30 * time.Second
)

// A failure to store a memory. It is forgotten once that is stored.
type failure struct {
	err   error
	until time.Time
	wait  time.Duration // until then
}

// group adds the DisruptionPolicies that select NodePools. Of those that do not take part, only what is in flight counts: nobody holds it.
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
	s.holdUnstored(shot, seen)
}

// holdUnstored holds back the nodes of memories that could not be stored lately, so that others go, and those of policies of which a NodePool
// could not be told that it is under them.
func (s *Steward) holdUnstored(shot *Snapshot, seen objects) {
	blocked := func(key string, blockers []candidate.Blocker) []candidate.Blocker {
		f := s.unstored[key]
		if !f.until.After(shot.Input.Now) {
			return blockers
		}
		return append(slices.Clip(blockers), candidate.Blocker{
			Gate: candidate.GateBudget, Code: karpenter.CodeNotStored, Message: "what is decided cannot be stored: " + f.err.Error(),
		})
	}
	for i := range shot.Input.Groups {
		g := &shot.Input.Groups[i]
		g.Blockers = blocked(g.Key(), g.Blockers)
		for _, pool := range g.Pools {
			if np := seen.pools[pool]; takesPart(np) && !seen.saysSo(np) {
				g.Blockers = blocked(pool, g.Blockers)
			}
		}
	}
	for i := range shot.Input.Pools {
		p := &shot.Input.Pools[i]
		p.Blockers = blocked(p.Name, p.Blockers)
	}
}

// unstore notes whether a memory could be stored. A conflict is neither.
func (s *Steward) unstore(key string, stored bool, err error) {
	switch {
	case stored:
		delete(s.unstored, key)
	case err != nil:
		wait := min(max(firstTry, 2*s.unstored[key].wait), lastTry)
		s.unstored[key] = failure{err, s.Clock().Add(wait), wait}
	}
}

// waits reports whether a memory is not tried to be stored yet, since that has failed before a time.
func (s *Steward) waits(key string, now time.Time) bool { return s.unstored[key].until.After(now) }
