package steward

import (
	"context"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"github.com/prometheus/client_golang/prometheus/testutil"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"
	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"

	"github.com/disruptkit/disruptkit/cmd/annotation"
)

// An untracked is an API server that does not keep the managedFields of its nodes: admission takes each release for one that has ended.
type untracked struct {
	*rollout
	nodes   map[string]bool // by name
	heals   bool            // once something is applied
	applied int
}

// patch is a write of a steward. Admission holds again the nodes that it releases.
func (u *untracked) patch(s *seat, o client.Object, patch client.Patch, do func(client.Patch) error) error {
	n, isNode := o.(*corev1.Node)
	if !isNode || !u.nodes[o.GetName()] {
		return do(patch)
	}
	if patch.Type() == types.ApplyPatchType {
		is := u.node(n.Name)
		if u.applied++; u.heals {
			delete(u.nodes, n.Name)
			alter(u.rollout, is, func(n *corev1.Node) { n.ManagedFields = []metav1.ManagedFieldsEntry{{Manager: "it"}} })
		}
		answer(o, u.node(n.Name))
		return nil
	}
	if err := do(patch); err != nil {
		return err
	}
	alter(u.rollout, u.node(n.Name), func(n *corev1.Node) {
		for name, marker := range map[string]string{v1.DoNotDisruptAnnotationKey: annotation.Held, v1.DoNotRepairAnnotationKey: annotation.RepairHeld} {
			if n.Annotations[name] != "true" {
				n.Annotations[name], n.Annotations[marker] = "true", "not released"
			}
		}
	})
	answer(o, u.node(n.Name))
	return nil
}

// A node whose managedFields somebody has cleared is released all the same. Where nothing helps, it uses no slot of its budget for long: others
// go first.
func TestANodeThatAdmissionHoldsAgain(t *testing.T) {
	for _, heals := range []bool{true, false} {
		r := newRollout(scenario{
			most: 1, over: 5 * time.Minute, done: old,
			build: func(r *rollout) {
				r.addPool("p", map[string]string{annotation.Disruption: `budgets: [{nodes: "1"}]`, annotation.StewardEnforced: "true"})
				r.join("a", "p", 2*time.Hour)
				r.join("a", "p", time.Hour)
			},
			events: []happening{{2 * time.Second, annotatePool(v1.NodePoolHashAnnotationKey, newHash)}},
		}, 0)
		u := &untracked{rollout: r, nodes: map[string]bool{"a1": true}, heals: heals}
		r.sabotage = u.patch
		first, second := time.Duration(0), time.Duration(0)
		for r.now.Before(noon.Add(r.over)) && second == 0 {
			r.tick()
			if _, is := r.takenAt["a1"]; is && first == 0 {
				first = r.now.Sub(noon)
			}
			if _, is := r.takenAt["a2"]; is {
				second = r.now.Sub(noon)
			}
		}
		if len(r.faults) > 0 || u.applied == 0 {
			t.Errorf("heals: %v: %v, applied %d times", heals, r.faults, u.applied)
		}
		if heals && (first == 0 || first > 20*time.Second) || !heals && (first > 0 || second > 50*time.Second) {
			t.Errorf("heals: %v: it is taken after %s, and the other one after %s", heals, first, second)
		}
	}
}

// What only takes annotations away has no stamp of its own: the last one may be an hour old.
func TestOnlyWritesThatAreStampedCompareClocks(t *testing.T) {
	ctx := log.IntoContext(context.Background(), logr.Discard())
	n := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n", Annotations: map[string]string{v1.DoNotDisruptAnnotationKey: "true", annotation.Held: "it"}}}
	stamp := metav1.NewTime(noon.Add(-time.Hour))
	s := &Steward{Clock: func() time.Time { return noon }, Client: &smallClient{write: func(o client.Object, _ client.Patch) error {
		o.SetManagedFields([]metav1.ManagedFieldsEntry{{Time: &stamp}})
		return nil
	}}}
	s.ready()
	for kind, compares := range map[Kind]bool{Clear: false, Hold: true} {
		clockSkew.Set(0)
		if _, err := s.write(ctx, n, Write{Node: "n", Kind: kind, Why: "it"}); err != nil {
			t.Fatal(err)
		}
		if got := testutil.ToFloat64(clockSkew); (got > 0) != compares {
			t.Errorf("%s: ahead by %v", kind, got)
		}
	}
}
