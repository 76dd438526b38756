package command

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"

	"github.com/disruptkit/disruptkit/cmd/annotation"
	"github.com/disruptkit/disruptkit/cmd/disruptionpolicy"
	"github.com/disruptkit/disruptkit/karpenter/internal/shared"
	"github.com/disruptkit/disruptkit/karpenter/steward"
)

const vetoed, unrepaired = v1.DoNotDisruptAnnotationKey, v1.DoNotRepairAnnotationKey

// What a steward, people, and those before them may have written on a node, and what of it stays.
var marks = []struct {
	rule          string
	before, after map[string]string
}{
	{"held", map[string]string{vetoed: "true", annotation.Held: "Drifted: topology/waits", unrepaired: "true", annotation.RepairHeld: "true"}, nil},
	{"born held", map[string]string{vetoed: "true", annotation.Held: "not released", unrepaired: "true", annotation.RepairHeld: "true"}, nil},
	{"released", map[string]string{
		annotation.ReleasedUntil: "2026-11-20T12:00:00Z", annotation.ReleasedFor: "Drifted since 2026-11-20T11:59:00Z", unrepaired: "true", annotation.RepairHeld: "true",
	}, nil},
	{"released for repair", map[string]string{vetoed: "true", annotation.Held: "", annotation.ReleasedUntil: "2026-11-20T12:00:00Z"}, nil},
	{"taken back", map[string]string{
		vetoed: "true", annotation.Held: "a freeze", unrepaired: "true", annotation.RepairHeld: "true", annotation.ReleasedUntil: "2026-11-20T12:00:00Z",
		annotation.ReleasedFor: "Drifted",
	}, nil},
	{"somebody's own hold", map[string]string{vetoed: "true", unrepaired: "true", annotation.RepairHeld: "true"}, map[string]string{vetoed: "true"}},
	{"somebody's own of both", map[string]string{vetoed: "true", unrepaired: "true"}, map[string]string{vetoed: "true", unrepaired: "true"}},
	{"somebody's own against repair", map[string]string{vetoed: "true", annotation.Held: "it", unrepaired: "true"}, map[string]string{unrepaired: "true"}},
	{"somebody's own hold of a node that was released", map[string]string{
		vetoed: "true", annotation.ReleasedUntil: "2026-11-20T12:00:00Z", annotation.ReleasedFor: "Drifted",
	}, map[string]string{vetoed: "true"}},
	{"what nobody can read", map[string]string{annotation.ReleasedUntil: "soon", annotation.ReleasedFor: "", annotation.Held: ""}, nil},
	{"a hold that is none", map[string]string{vetoed: "false"}, map[string]string{vetoed: "false"}},
	{"nothing", nil, nil},
}

// A NodeClaim's hash before and after: what was made to drift has its own again, also where its NodePool has another by now.
var hashes = map[string]string{"expired-1": "1", "expired-0": "0", "1": "1", "0": "0", "": ""}

// A departed is a cluster that a steward has worked in, and a Karpenter that notices what has not drifted.
type departed struct {
	client.Client
	notices time.Duration // how long it takes
	writes  []string      // kinds, in their order
	fails   int           // the number of the write that fails, once
	early   bool          // a node was written before Karpenter had noticed
}

func newDeparted(t *testing.T) *departed {
	d := &departed{}
	var objects []client.Object
	for _, m := range [][]byte{steward.RunManifest, steward.HoldManifest, steward.DenyManifest} {
		some, err := steward.Objects(m)
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range some {
			objects = append(objects, o)
		}
	}
	objects = append(objects, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "steward-calendars", Namespace: "disruptkit"}})
	objects = append(objects, &v1.NodePool{ObjectMeta: metav1.ObjectMeta{Name: "p", Annotations: map[string]string{
		annotation.Steward: "true", annotation.StewardEnforced: "true", annotation.Releases: "{}", annotation.Policies: "{}", annotation.Memory: "{}", annotation.Disruption: "budgets: []",
		annotation.Expire: "{after: 720h}", "example.com/of": "somebody", v1.NodePoolHashAnnotationKey: "1",
	}}})
	policy := &unstructured.Unstructured{}
	policy.SetAPIVersion(disruptionpolicy.Version)
	policy.SetKind(disruptionpolicy.Kind)
	policy.SetName("cap")
	policy.SetAnnotations(map[string]string{annotation.Releases: "{}", annotation.Memory: "{}", "example.com/of": "somebody"})
	objects = append(objects, policy)
	for i, m := range marks {
		n := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprint("n", i), Annotations: map[string]string{"example.com/of": "somebody"}}}
		maps.Copy(n.Annotations, m.before)
		n.Spec.Taints = []corev1.Taint{{Key: "dedicated", Effect: corev1.TaintEffectNoSchedule}, {Key: steward.SoonTaint, Effect: corev1.TaintEffectPreferNoSchedule}}
		objects = append(objects, n)
	}
	for hash := range hashes {
		c := &v1.NodeClaim{ObjectMeta: metav1.ObjectMeta{Name: "claim" + hash, Annotations: map[string]string{"example.com/of": "somebody"}}}
		c.Labels = map[string]string{v1.NodePoolLabelKey: "p"}
		if hash != "" {
			c.Annotations[v1.NodePoolHashAnnotationKey] = hash
		}
		if hash != "1" {
			c.StatusConditions().SetTrueWithReason(v1.ConditionTypeDrifted, "NodePoolDrifted", "NodePoolDrifted")
		}
		objects = append(objects, c)
	}
	d.Client = interceptor.NewClient(fake.NewClientBuilder().WithScheme(scheme.Scheme).WithObjects(objects...).Build(), interceptor.Funcs{
		Delete: func(ctx context.Context, kube client.WithWatch, o client.Object, opts ...client.DeleteOption) error {
			return d.write(o, func() error { return kube.Delete(ctx, o, opts...) })
		},
		Patch: func(ctx context.Context, kube client.WithWatch, o client.Object, patch client.Patch, opts ...client.PatchOption) error {
			return d.write(o, func() error {
				err := kube.Patch(ctx, o, patch, opts...)
				if c, is := o.(*v1.NodeClaim); is && err == nil {
					time.AfterFunc(d.notices, func() { d.notice(kube, c.Name) })
				}
				return err
			})
		},
	})
	return d
}

// write does a write, unless it is the one that fails.
func (d *departed) write(o client.Object, do func() error) error {
	d.writes = append(d.writes, fmt.Sprintf("%T", o))
	if _, is := o.(*corev1.Node); is {
		d.early = d.early || d.drifted("claimexpired-1")
	}
	if d.fails == len(d.writes) {
		return errors.New("the connection is lost")
	}
	return do()
}

// notice is Karpenter that notices that a NodeClaim has the hash of its NodePool.
func (d *departed) notice(kube client.Client, name string) {
	var c v1.NodeClaim
	if kube.Get(context.Background(), client.ObjectKey{Name: name}, &c) != nil || c.Annotations[v1.NodePoolHashAnnotationKey] != "1" {
		return
	}
	_ = c.StatusConditions().Clear(v1.ConditionTypeDrifted)
	_ = kube.Update(context.Background(), &c)
}

// drifted reports whether Karpenter says so of a NodeClaim.
func (d *departed) drifted(name string) bool {
	var c v1.NodeClaim
	err := d.Get(context.Background(), client.ObjectKey{Name: name}, &c)
	return err != nil || c.StatusConditions().Get(v1.ConditionTypeDrifted).IsTrue()
}

// left checks what is left after the steward has been taken out.
func (d *departed) left(t *testing.T) {
	t.Helper()
	for _, m := range [][]byte{steward.RunManifest, steward.HoldManifest, steward.DenyManifest} {
		for _, o := range must(steward.Objects(m)) {
			err := d.Get(t.Context(), client.ObjectKeyFromObject(o), o)
			if o.GetKind() == "Namespace" && err != nil {
				t.Errorf("the namespace, in which people have calendars: %v", err)
			} else if o.GetKind() != "Namespace" && (client.IgnoreNotFound(err) != nil || err == nil) {
				t.Errorf("%s %s is still there: %v", o.GetKind(), o.GetName(), err)
			}
		}
	}
	var np v1.NodePool
	if err := d.Get(t.Context(), client.ObjectKey{Name: "p"}, &np); err != nil {
		t.Fatal(err)
	}
	const stay = "disruptkit.dev/disruption disruptkit.dev/expire disruptkit.dev/memory example.com/of karpenter.sh/nodepool-hash"
	if got := strings.Join(slices.Sorted(maps.Keys(np.Annotations)), " "); got != stay {
		t.Errorf("the NodePool has the annotations %s, want %s", got, stay)
	}
	policies, err := shared.List(t.Context(), d)
	if err != nil || len(policies) != 1 {
		t.Fatal(policies, err)
	}
	if got := strings.Join(slices.Sorted(maps.Keys(policies[0].GetAnnotations())), " "); got != "disruptkit.dev/memory example.com/of" {
		t.Errorf("the DisruptionPolicy has the annotations %s", got)
	}
	for i, m := range marks {
		want := map[string]string{"example.com/of": "somebody"}
		maps.Copy(want, m.after)
		var n corev1.Node
		if err := d.Get(t.Context(), client.ObjectKey{Name: fmt.Sprint("n", i)}, &n); err != nil || !maps.Equal(n.Annotations, want) {
			t.Errorf("%s: the node has %v, want %v (%v)", m.rule, n.Annotations, want, err)
		}
		if len(n.Spec.Taints) != 1 || n.Spec.Taints[0].Key != "dedicated" {
			t.Errorf("%s: the node has the taints %v", m.rule, n.Spec.Taints)
		}
	}
	for before, want := range hashes {
		var c v1.NodeClaim
		err := d.Get(t.Context(), client.ObjectKey{Name: "claim" + before}, &c)
		if got := c.Annotations[v1.NodePoolHashAnnotationKey]; err != nil || got != want {
			t.Errorf("the hash %q has become %q, want %q (%v)", before, got, want, err)
		}
		if c.Annotations["example.com/of"] != "somebody" {
			t.Errorf("the NodeClaim with the hash %q has lost what somebody wrote: %v", before, c.Annotations)
		}
	}
}

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

func TestNothingOfTheStewardsIsLeftAndAllThatIsOthersStays(t *testing.T) {
	for notices, most := range map[time.Duration]time.Duration{0: time.Second, 4 * time.Second: 5 * time.Second, time.Hour: settles + time.Second} {
		synctest.Test(t, func(t *testing.T) {
			d := newDeparted(t)
			d.notices = notices
			var out bytes.Buffer
			began := time.Now()
			if err := (departure{namespace: installedIn}).leave(t.Context(), d, &out); err != nil {
				t.Fatal(err)
			}
			if took := time.Since(began); took > most || took < min(notices, settles) {
				t.Errorf("Karpenter notices after %s: it took %s, and may take %s", notices, took, most)
			}
			d.left(t)
			if waits := notices < settles; d.early == waits {
				t.Errorf("Karpenter notices after %s: nodes were allowed before that: %t", notices, d.early)
			}
			if says := strings.Contains(out.String(), "note     Karpenter may still replace 1 node for drift: it has not noticed within 10s"); says != (notices > settles) {
				t.Errorf("Karpenter notices after %s, and it says:\n%s", notices, out.String())
			}
			for _, want := range []string{"deleted  ValidatingAdmissionPolicy disruptkit-steward-deny\n", "cleared  NodePool p\n", "restored 2 NodeClaims"} {
				if !strings.Contains(out.String(), want) {
					t.Errorf("it does not say %q:\n%s", want, out.String())
				}
			}
		})
	}
}

// The last pod of the steward ends after some seconds. Meanwhile it says what it waits for, once.
func TestLeaveSaysThatItWaitsForTheStewardToEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{
			Name: "steward-0", Namespace: "disruptkit", Labels: map[string]string{"app.kubernetes.io/name": "disruptkit-steward"},
		}}
		kube := fake.NewClientBuilder().WithScheme(scheme.Scheme).WithObjects(pod).Build()
		time.AfterFunc(3500*time.Millisecond, func() {
			if err := kube.Delete(context.Background(), pod); err != nil {
				t.Error(err)
			}
		})
		var out bytes.Buffer
		began := time.Now()
		if err := (departure{namespace: installedIn}).gone(t.Context(), kube, &out); err != nil || time.Since(began) != 4*time.Second || out.String() != "waiting  until pod steward-0 has ended\n" {
			t.Errorf("after %s: %v\n%s", time.Since(began), err, out.String())
		}
	})
}

// With Helm, the steward may be in any namespace, and what does nothing by itself is Helm's to delete.
func TestLeaveBeforeHelmDeletesWhatActs(t *testing.T) {
	d := departure{namespace: "else", idle: true}
	var got []string
	for _, o := range must(d.objects()) {
		got = append(got, strings.Trim(o.GetKind()+" "+o.GetNamespace(), " "))
	}
	want := []string{
		"ValidatingAdmissionPolicyBinding", "ValidatingAdmissionPolicy", "MutatingAdmissionPolicyBinding", "MutatingAdmissionPolicy", "Deployment else",
	}
	if !slices.Equal(got, want) {
		t.Errorf("it deletes %v, want %v", got, want)
	}
}

// What denies goes before what holds, and a node is allowed only once its NodeClaim is restored: in mid-way nothing goes that was held, and Karpenter
// is denied nothing.
func TestTheOrderInWhichTheStewardLeaves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDeparted(t)
		if err := (departure{namespace: installedIn}).leave(t.Context(), d, &bytes.Buffer{}); err != nil {
			t.Fatal(err)
		}
		const want = "*unstructured.Unstructured *v1.NodePool *v1.NodeClaim *v1.Node *unstructured.Unstructured"
		if got := strings.Join(slices.Compact(d.writes), " "); got != want {
			t.Errorf("it writes %s, want %s", got, want)
		}
	})
}

// Whichever write fails, it says so, and again does the rest.
func TestTheStewardCanLeaveAgainWhereThatHasFailed(t *testing.T) {
	fails, all := 1, false
	for ; !all; fails++ {
		synctest.Test(t, func(t *testing.T) {
			d := newDeparted(t)
			d.fails, d.notices = fails, 3*time.Second
			err := departure{namespace: installedIn}.leave(t.Context(), d, &bytes.Buffer{})
			if all = fails > len(d.writes); all != (err == nil) {
				t.Errorf("write %d of %d fails, and the error is %v", fails, len(d.writes), err)
			}
			d.fails = 0
			if err := (departure{namespace: installedIn}).leave(t.Context(), d, &bytes.Buffer{}); err != nil {
				t.Fatal(err)
			}
			d.left(t)
			if d.early {
				t.Errorf("write %d fails, and again nodes are allowed before Karpenter has noticed", fails)
			}
		})
	}
	if fails < 20 {
		t.Errorf("only %d writes", fails)
	}
}
