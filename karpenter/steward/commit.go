package steward

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"

	"github.com/disruptkit/disruptkit/cmd/annotation"
	"github.com/disruptkit/disruptkit/cmd/disruptionpolicy"
	"github.com/disruptkit/disruptkit/karpenter"
)

// commit stores what was decided before anything of it is released, and only over the versions that were decided on. What limits the nodes of
// several NodePools is a policy. So each release is stored on all policies of its NodePool, and then on the NodePool: of two stewards that
// decide at once, one meets a conflict on an object that they share, and holds.
//
// A NodePool also says which policies it was under. Until all that a policy selects say so, nothing is released under it: a steward that
// decided when the policy did not select them yet, or was another one, meets a conflict on the NodePool.
//
// It returns the NodePools whose nodes may be released.
func (s *Steward) commit(ctx context.Context, p Plan, shot Snapshot, seen objects) (may map[string]bool, again bool, err error) {
	may = map[string]bool{}
	shared, again, err := s.shareAll(ctx, p, shot.Input.Now, seen)
	stored := map[string]bool{}
	for _, name := range slices.Sorted(maps.Keys(seen.pools)) {
		if s.waits(name, shot.Input.Now) {
			continue
		}
		may[name] = !slices.ContainsFunc(seen.keys[name], func(key string) bool { return !shared[key] })
		if state, takesPart := p.Pools[name]; takesPart && !may[name] {
			p.Pools[name] = state.onlyBefore(shot.Releases[name])
		}
		done, conflict, storing := s.store(ctx, seen, name, p)
		if stored[name], again = done, again || conflict; done {
			delete(s.ends, name)
		}
		s.noted(s.unstored, name, done, storing)
		err = errors.Join(err, storing)
	}
	late := map[string]bool{} // policies that one of their NodePools does not name
	for name := range p.Pools {
		if !stored[name] && !seen.saysSo(seen.pools[name]) {
			for _, key := range seen.keys[name] {
				late[key] = true
			}
		}
	}
	for name := range may {
		may[name] = may[name] && stored[name] && !slices.ContainsFunc(seen.keys[name], func(key string) bool { return late[key] })
	}
	return may, again, err
}

// shareAll stores what policies are to store. Those that could not be stored lately come first: a policy that shares a NodePool with one that
// fails is not written in vain.
func (s *Steward) shareAll(ctx context.Context, p Plan, now time.Time, seen objects) (shared map[string]bool, again bool, err error) {
	shared = map[string]bool{}
	failed := map[string]bool{} // NodePools
	keys := slices.Sorted(maps.Keys(p.Groups))
	slices.SortStableFunc(keys, func(a, b string) int { return cmp.Compare(s.unstored[b].wait, s.unstored[a].wait) })
	for _, key := range keys {
		pools := seen.of(key)
		if s.waits(key, now) || slices.ContainsFunc(pools, func(pool string) bool { return failed[pool] }) {
			continue
		}
		stored, conflict, storing := s.share(ctx, seen.shared[key], p.Groups[key])
		for _, pool := range pools {
			failed[pool] = failed[pool] || !stored
		}
		shared[key], again = stored, again || conflict
		s.noted(s.unstored, key, stored, storing)
		err = errors.Join(err, storing)
	}
	return shared, again, err
}

// of returns the NodePools that a policy selects.
func (o objects) of(key string) (pools []string) {
	for pool, keys := range o.keys {
		if slices.Contains(keys, key) {
			pools = append(pools, pool)
		}
	}
	return pools
}

// under returns what a NodePool is to say of the policies that it is under: their names, and which objects of these names they are.
func (o objects) under(pool string) string {
	if len(o.keys[pool]) == 0 {
		return ""
	}
	policies := map[string]types.UID{}
	for _, key := range o.keys[pool] {
		policies[o.shared[key].GetName()] = o.shared[key].GetUID()
	}
	text, _ := json.Marshal(policies) // strings have no errors
	return string(text)
}

// saysSo reports whether a NodePool says which policies it is under.
func (o objects) saysSo(np *v1.NodePool) bool {
	return np.Annotations[annotation.Policies] == o.under(np.Name)
}

// share stores on a DisruptionPolicy what was decided, if that has changed, and only over the version that was decided on. It reports whether
// it is stored.
func (s *Steward) share(ctx context.Context, o *unstructured.Unstructured, state Stored) (stored, conflict bool, err error) {
	annotations := o.GetAnnotations()
	if annotations == nil {
		annotations = map[string]string{}
	}
	if err := annotate(annotations, state); err != nil {
		return false, false, fmt.Errorf("%s %s: %w", disruptionpolicy.Kind, o.GetName(), err)
	}
	if maps.Equal(annotations, o.GetAnnotations()) {
		return true, false, nil
	}
	to := o.DeepCopy()
	to.SetAnnotations(annotations)
	err = s.Client.Patch(ctx, to, client.MergeFromWithOptions(o, client.MergeFromWithOptimisticLock{}))
	if conflict, err := ended("store", "storing the releases of "+disruptionpolicy.Kind+" "+o.GetName(), err); conflict || err != nil {
		s.complain(o, karpenter.MemoryNotStoredEvent, "Nodes of the NodePools that it selects are not released: its annotations cannot be written", err)
		return false, conflict, err
	}
	return true, false, nil
}

// store writes what a NodePool stores, if that has changed, and only over the version that was decided on. It reports whether what was
// decided is stored.
func (s *Steward) store(ctx context.Context, seen objects, name string, p Plan) (stored, conflict bool, err error) {
	np := seen.pools[name]
	to := np.DeepCopy()
	if to.Annotations == nil {
		to.Annotations = map[string]string{}
	}
	s.enforce(to, p)
	if state, takesPart := p.Pools[name]; takesPart {
		if err := annotate(to.Annotations, state); err != nil {
			return false, false, fmt.Errorf("NodePool %s: %w", name, err)
		}
		set(to.Annotations, annotation.Policies, seen.under(name))
	} else {
		delete(to.Annotations, annotation.Releases)
		delete(to.Annotations, annotation.Policies)
	}
	if maps.Equal(to.Annotations, np.Annotations) {
		return true, false, nil
	}
	err = s.Client.Patch(ctx, to, client.MergeFromWithOptions(np, client.MergeFromWithOptimisticLock{}))
	if conflict, err := ended("store", "storing the releases of NodePool "+name, err); conflict || err != nil {
		s.complain(np, karpenter.MemoryNotStoredEvent, "Its nodes are not released", err)
		return false, conflict, err
	}
	s.pools.note(np.ResourceVersion, to)
	return true, false, nil
}

// annotate writes what is to be stored into the annotations of a NodePool or a policy.
func annotate(annotations map[string]string, state Stored) error {
	memory, err := annotation.MemoryText(state.Memory)
	if err != nil {
		return err
	}
	releases := ""
	if len(state.Releases) > 0 {
		text, err := json.Marshal(state.Releases)
		if err != nil {
			return err
		}
		releases = string(text)
	}
	set(annotations, annotation.Memory, memory)
	set(annotations, annotation.Releases, releases)
	return nil
}

// set writes an annotation, or takes it away where there is no text.
func set(annotations map[string]string, name, text string) {
	if delete(annotations, name); text != "" {
		annotations[name] = text
	}
}

// onlyBefore leaves out what is released anew: it is not, since a policy could not be stored. What has been released stays, so that the next
// pass knows as well, that it may have begun only now.
func (s Stored) onlyBefore(before map[string]time.Time) Stored {
	releases := maps.Clone(before)
	for node, until := range s.Releases {
		if _, was := before[node]; was {
			releases[node] = until
		}
	}
	return Stored{Memory: s.Memory, Releases: releases}
}
