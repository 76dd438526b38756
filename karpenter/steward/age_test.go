package steward

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/annotation"
)

// An estate is the objects of one NodePool with nodes of some age.
type estate struct {
	pool    *v1.NodePool
	objects []client.Object
}

func newEstate(annotations map[string]string) *estate {
	np := &v1.NodePool{ObjectMeta: metav1.ObjectMeta{Name: "p", UID: "p", Annotations: map[string]string{
		annotation.Steward: "true", v1.NodePoolHashAnnotationKey: "1", v1.NodePoolHashVersionAnnotationKey: v1.NodePoolHashVersion,
	}}}
	for name, text := range annotations {
		np.Annotations[name] = text
	}
	np.Spec.Disruption.Budgets = []v1.Budget{{Nodes: "100%"}}
	np.Spec.Disruption.ConsolidateAfter = v1.MustParseNillableDuration(v1.Never)
	return &estate{pool: np, objects: []client.Object{np}}
}

// node adds a held node with its NodeClaim.
func (e *estate) node(name string, age time.Duration, change ...func(*corev1.Node, *v1.NodeClaim)) {
	labels := map[string]string{v1.NodePoolLabelKey: "p", v1.NodeRegisteredLabelKey: "true", v1.NodeInitializedLabelKey: "true"}
	born := metav1.NewTime(noon.Add(-age))
	n := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, UID: types.UID("n-" + name), Labels: labels, CreationTimestamp: born, Annotations: map[string]string{
		v1.DoNotDisruptAnnotationKey: "true", annotation.Held: nothing, v1.DoNotRepairAnnotationKey: "true", annotation.RepairHeld: "true",
	}}}
	n.Spec.ProviderID = "fake://" + name
	n.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}}
	c := &v1.NodeClaim{ObjectMeta: metav1.ObjectMeta{Name: "claim-" + name, UID: types.UID("c-" + name), Labels: labels, CreationTimestamp: born, Annotations: map[string]string{
		v1.NodePoolHashAnnotationKey: "1", v1.NodePoolHashVersionAnnotationKey: v1.NodePoolHashVersion,
	}}}
	c.Status.ProviderID, c.Status.NodeName = n.Spec.ProviderID, name
	for _, f := range change {
		f(n, c)
	}
	e.objects = append(e.objects, n, c)
}

// steward returns a steward whose client records its patches in order.
func (e *estate) steward(fail string) (s *Steward, told func() string) {
	var patches []string
	kube := fake.NewClientBuilder().WithScheme(scheme.Scheme).WithObjects(e.objects...).WithInterceptorFuncs(interceptor.Funcs{
		Patch: func(ctx context.Context, kube client.WithWatch, o client.Object, patch client.Patch, opts ...client.PatchOption) error {
			if o.GetName() == fail {
				return apierrors.NewConflict(schema.GroupResource{}, fail, nil)
			}
			data, _ := patch.Data(o)
			err := kube.Patch(ctx, o, patch, opts...)
			if !bytes.Contains(data, []byte(annotation.Status)) { // people read it, and it decides nothing
				patches = append(patches, describe(o))
			}
			return err
		},
	}).Build()
	return &Steward{Client: kube, Prober: noProbes{}, Clock: func() time.Time { return noon }}, func() string {
		text := strings.Join(patches, "; ")
		patches = nil
		return text
	}
}

// describe describes what matters of an object that was written.
func describe(o client.Object) string {
	switch o := o.(type) {
	case *v1.NodeClaim:
		return o.Name + "=" + o.Annotations[v1.NodePoolHashAnnotationKey]
	case *v1.NodePool:
		return fmt.Sprintf("stored %d", len(readReleases(o.Annotations[annotation.Releases])))
	case *corev1.Node:
		m := annotation.ReadMark(o.Annotations)
		switch {
		case m.Disrupt == annotation.None && m.Left:
			return "released " + o.Name
		case !m.Ours():
			return "cleared " + o.Name
		}
		return "told " + o.Name
	}
	return o.GetName()
}

const monthly = `{after: 720h, deadline: 1080h}`

// drifted marks a NodeClaim as Karpenter does.
func drifted(reason string) func(*corev1.Node, *v1.NodeClaim) {
	return func(_ *corev1.Node, c *v1.NodeClaim) {
		c.StatusConditions().SetTrueWithReason(v1.ConditionTypeDrifted, reason, reason)
	}
}

func hash(text string) func(*corev1.Node, *v1.NodeClaim) {
	return func(_ *corev1.Node, c *v1.NodeClaim) { c.Annotations[v1.NodePoolHashAnnotationKey] = text }
}

// The releases are stored, then the NodeClaim drifts, then the node is released: whoever dies in between leaves nothing that is not counted.
func TestWhatHasExpiredIsMadeToDriftBeforeItIsReleased(t *testing.T) {
	e := newEstate(map[string]string{annotation.Expire: monthly, annotation.Disruption: `budgets: [{nodes: "1", reasons: [Expired]}]`})
	e.node("old", 721*time.Hour)
	e.node("older", 722*time.Hour)
	e.node("young", 719*time.Hour)
	for fail, want := range map[string]string{
		"":            "stored 1; claim-older=expired-1; released older; told old",
		"claim-older": "stored 1; told old",
		"p":           "told old",
	} {
		s, told := e.steward(fail)
		next, err := s.Pass(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if got := told(); got != want {
			t.Errorf("%q fails: %s, want %s", fail, got, want)
		}
		if fail == "" && !next.Equal(noon.Add(15*time.Second)) { // then admission enforces
			t.Errorf("the next pass is at %s", next)
		}
	}
}

// To Karpenter it has drifted: what its own budgets do not allow is not released in vain.
func TestWhatHasExpiredAsksKarpentersOwnBudgetsForDrift(t *testing.T) {
	for nodes, want := range map[string]string{"0": "told old", "1": "stored 1; claim-old=expired-1; released old"} {
		e := newEstate(map[string]string{annotation.Expire: monthly})
		e.pool.Spec.Disruption.Budgets = []v1.Budget{{Nodes: "100%"}, {Nodes: nodes, Reasons: []v1.DisruptionReason{v1.DisruptionReasonDrifted}}}
		e.node("old", 721*time.Hour)
		s, told := e.steward("")
		if _, err := s.Pass(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := told(); got != want {
			t.Errorf("%s: %s, want %s", nodes, got, want)
		}
	}
}

func TestTheNextNodeThatExpiresIsAChangeByTime(t *testing.T) {
	e := newEstate(map[string]string{annotation.Expire: monthly, annotation.StewardEnforced: "true"})
	e.node("young", 720*time.Hour-7*time.Second)
	s, _ := e.steward("")
	if next, err := s.Pass(t.Context()); err != nil || !next.Equal(noon.Add(7*time.Second)) {
		t.Errorf("the next pass is at %s, %v", next, err)
	}
}

// Why nodes go as they age, and what of that is Karpenter's.
func TestTheReasonsOfNodesThatAge(t *testing.T) {
	const old, young = 721 * time.Hour, time.Hour
	for _, c := range []struct {
		rule    string
		age     time.Duration
		change  func(*corev1.Node, *v1.NodeClaim)
		want    string
		settles bool
		over    bool
	}{
		{"a young node has none", young, hash("1"), "", false, false},
		{"an old node has expired", old, hash("1"), "Expired", false, false},
		{"one that was made to drift, and which Karpenter has not noticed yet", old, hash("expired-1"), "Expired", false, false},
		{"one that was made to drift", old, join(hash("expired-1"), drifted("NodePoolDrifted")), "Expired", false, false},
		{"one whose NodePool has changed since", old, join(hash("expired-0"), drifted("NodePoolDrifted")), "Drifted/NodePoolDrifted Expired", false, false},
		{"one that has drifted by itself goes for that", old, drifted("AMIDrift"), "Drifted/AMIDrift", false, false},
		{"one whose NodePool has changed goes for that", old, join(hash("0"), drifted("NodePoolDrifted")), "Drifted/NodePoolDrifted", false, false},
		{"one that was made to drift, and expires no more", young, join(hash("expired-1"), drifted("NodePoolDrifted")), "", false, true},
		{"one that drifts no more, and which Karpenter has not noticed yet", young, drifted("NodePoolDrifted"), "", true, false},
		{"one that Karpenter cannot compare", old, func(_ *corev1.Node, c *v1.NodeClaim) { c.Annotations = nil }, "", false, false},
		{"one that somebody asks for", young, replace("INC-1"), "Requested", false, false},
		{"one that somebody asks for by its NodeClaim", young, replaceClaim("true"), "Requested", false, false},
		{"one that nobody asks for any more", young, join(hash("requested-1"), replace("false"), drifted("NodePoolDrifted")), "", false, true},
		{"one that was made to drift since somebody asks", young, join(hash("requested-1"), replace("true"), drifted("NodePoolDrifted")), "Requested", false, false},
		{"one that somebody asks for, and that has drifted by itself", young, join(replace("true"), drifted("AMIDrift")), "Drifted/AMIDrift Requested", false, false},
		{"one that somebody asks for, and that has expired", old, replace("true"), "Requested Expired", false, false},
		{"one that was made to drift since somebody asked, and has expired", old, join(hash("requested-1"), drifted("NodePoolDrifted")), "Expired", false, true},
		{"one that somebody asks for, and that Karpenter cannot compare", young, join(replace("true"), func(_ *corev1.Node, c *v1.NodeClaim) { c.Annotations = nil }), "", false, false},
		{"one of another version of the hash", old, func(_ *corev1.Node, c *v1.NodeClaim) { c.Annotations[v1.NodePoolHashVersionAnnotationKey] = "v0" }, "", false, false},
	} {
		e := newEstate(map[string]string{annotation.Expire: monthly})
		e.node("n", c.age, c.change)
		s, _ := e.steward("")
		s.ready()
		shot, _, err := s.look(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		n := shot.Input.Nodes[0]
		var reasons []string
		for _, condition := range n.Conditions {
			reasons = append(reasons, string(condition.Reason))
			if want := noon.Add(1080*time.Hour - c.age); !condition.Deadline.Equal(want) && c.age == old {
				t.Errorf("%s: %s is overdue at %s, want %s", c.rule, condition.Reason, condition.Deadline, want)
			}
		}
		if got := strings.Join(reasons, " "); got != c.want {
			t.Errorf("%s: %s, want %s", c.rule, got, c.want)
		}
		if a := shot.Ages["n"]; a.Settles != c.settles || a.over(noon) != c.over {
			t.Errorf("%s: %+v", c.rule, a)
		}
		p := &planner{Snapshot: shot, now: noon}
		p.settle()
		if held := slices.ContainsFunc(p.Input.Nodes[0].Blockers, func(b candidate.Blocker) bool { return b.Code == settling.Code }); held != (c.settles || c.over) {
			t.Errorf("%s: the blockers are %v", c.rule, n.Blockers)
		}
	}
}

func replace(text string) func(*corev1.Node, *v1.NodeClaim) {
	return func(n *corev1.Node, _ *v1.NodeClaim) { n.Annotations[annotation.Replace] = text }
}

func replaceClaim(text string) func(*corev1.Node, *v1.NodeClaim) {
	return func(_ *corev1.Node, c *v1.NodeClaim) { c.Annotations[annotation.Replace] = text }
}

// What somebody asks for is made to drift before it is released, in a NodePool that is opted in; and Karpenter's own budgets for drift are asked.
func TestWhatSomebodyAsksForIsMadeToDriftBeforeItIsReleased(t *testing.T) {
	drift := []v1.Budget{{Nodes: "0", Reasons: []v1.DisruptionReason{v1.DisruptionReasonDrifted}}}
	for _, c := range []struct {
		rule        string
		annotations map[string]string
		budgets     []v1.Budget
		want        string
	}{
		{"it may", nil, nil, "stored 1; claim-n=requested-1; released n"},
		{"a budget for Requested allows none", map[string]string{annotation.Disruption: `budgets: [{nodes: "0", reasons: [Requested]}]`}, nil, "told n"},
		{"a budget for Drifted of the annotation does not matter", map[string]string{annotation.Disruption: `budgets: [{nodes: "0", reasons: [Drifted]}]`},
			nil, "stored 1; claim-n=requested-1; released n"},
		{"Karpenter's own budget for Drifted allows none", nil, drift, "told n"},
		{"its NodePool is not opted in", map[string]string{annotation.Steward: "false"}, nil, "cleared n"},
	} {
		e := newEstate(c.annotations)
		e.pool.Spec.Disruption.Budgets = append(e.pool.Spec.Disruption.Budgets, c.budgets...)
		e.node("n", time.Hour, replace("2026-11-20T10:00:00Z INC-1"))
		s, told := e.steward("")
		if _, err := s.Pass(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := told(); got != c.want {
			t.Errorf("%s: %s, want %s", c.rule, got, c.want)
		}
	}
}

func join(changes ...func(*corev1.Node, *v1.NodeClaim)) func(*corev1.Node, *v1.NodeClaim) {
	return func(n *corev1.Node, c *v1.NodeClaim) {
		for _, f := range changes {
			f(n, c)
		}
	}
}

// A deadline of a reason that comes before the node's age stays.
func TestTheFirstDeadlineCounts(t *testing.T) {
	e := newEstate(map[string]string{annotation.Expire: monthly, annotation.Disruption: `drift: {deadline: 24h}`})
	e.node("n", 721*time.Hour, drifted("AMIDrift"), func(_ *corev1.Node, c *v1.NodeClaim) {
		for i := range c.Status.Conditions {
			c.Status.Conditions[i].LastTransitionTime = metav1.NewTime(noon.Add(-time.Hour))
		}
	})
	s, _ := e.steward("")
	s.ready()
	shot, _, err := s.look(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if got, want := shot.Input.Nodes[0].Conditions[0].Deadline, noon.Add(23*time.Hour); !got.Equal(want) {
		t.Errorf("it is overdue at %s, want %s", got, want)
	}
}

// A NodePool is opted in no more: its NodeClaims are restored, and its nodes are held until Karpenter has noticed that.
func TestWhatWasMadeToDriftIsRestoredBeforeItIsReleased(t *testing.T) {
	e := newEstate(map[string]string{annotation.Steward: "false", annotation.Expire: monthly})
	e.node("n", 721*time.Hour, hash("expired-1"), drifted("NodePoolDrifted"))
	s, told := e.steward("")
	for _, want := range []string{"claim-n=1", "", "cleared n"} {
		if _, err := s.Pass(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := told(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
		if want == "" { // Karpenter notices
			var c v1.NodeClaim
			if err := s.Client.Get(t.Context(), client.ObjectKey{Name: "claim-n"}, &c); err != nil {
				t.Fatal(err)
			}
			_ = c.StatusConditions().Clear(v1.ConditionTypeDrifted)
			if err := s.Client.Update(t.Context(), &c); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// What Karpenter disrupts as drifted has expired, or somebody asked for it, if the steward has made it drift: budgets count it for that.
func TestWhyKarpenterDisruptsWhatWasMadeToDrift(t *testing.T) {
	takes := func(_ *corev1.Node, c *v1.NodeClaim) {
		c.StatusConditions().SetTrueWithReason(v1.ConditionTypeDisruptionReason, "Drifted", "Drifted")
	}
	for is, want := range map[string]candidate.Reason{
		"expired-1": candidate.Expired, "expired-0": "", "requested-1": candidate.Requested, "requested-0": "", "1": candidate.Drifted,
	} {
		e := newEstate(map[string]string{annotation.Expire: monthly})
		e.node("n", 721*time.Hour, hash(is), takes, func(n *corev1.Node, _ *v1.NodeClaim) {
			n.Spec.Taints = []corev1.Taint{{Key: v1.DisruptedTaintKey}}
		})
		s, _ := e.steward("")
		s.ready()
		shot, _, err := s.look(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if got := shot.Input.Nodes[0].DisruptedFor; got != want {
			t.Errorf("hash %s: it is disrupted for %q, want %q", is, got, want)
		}
	}
}
