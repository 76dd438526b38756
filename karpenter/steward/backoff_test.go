package steward

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/cmd/annotation"
)

// A turn is what Karpenter does to the node "n" between passes.
type turn func(t *testing.T, s *Steward)

func edit[T client.Object](o T, name string, change func(T)) turn {
	return func(t *testing.T, s *Steward) {
		t.Helper()
		o := o.DeepCopyObject().(T)
		if err := s.Client.Get(t.Context(), client.ObjectKey{Name: name}, o); err != nil {
			t.Fatal(err)
		}
		change(o)
		if err := s.Client.Update(t.Context(), o); err != nil {
			t.Fatal(err)
		}
	}
}

// takes is Karpenter that begins to disrupt the node for a reason, and gives up that it gives it up again.
func takes(reason string) turn {
	return func(t *testing.T, s *Steward) {
		edit(&corev1.Node{}, "n", func(n *corev1.Node) { n.Spec.Taints = []corev1.Taint{{Key: v1.DisruptedTaintKey}} })(t, s)
		edit(&v1.NodeClaim{}, "claim-n", func(c *v1.NodeClaim) {
			c.StatusConditions().SetTrueWithReason(v1.ConditionTypeDisruptionReason, reason, reason)
			date(c.Status.Conditions, nil, noon)
		})(t, s)
	}
}

func givesUp(t *testing.T, s *Steward) {
	edit(&corev1.Node{}, "n", func(n *corev1.Node) { n.Spec.Taints = nil })(t, s)
	edit(&v1.NodeClaim{}, "claim-n", func(c *v1.NodeClaim) { _ = c.StatusConditions().Clear(v1.ConditionTypeDisruptionReason) })(t, s)
}

// deleted is the node that is gone, with a new one in its place or without.
func deleted(replaced bool) turn {
	return func(t *testing.T, s *Steward) {
		t.Helper()
		e := newEstate(nil)
		e.node("n", 0)
		if replaced {
			e.node("new", 0, func(_ *corev1.Node, c *v1.NodeClaim) { c.StatusConditions().SetTrue(v1.ConditionTypeInitialized) })
			for _, o := range e.objects[3:] {
				o.SetCreationTimestamp(metav1.NewTime(noon))
				if err := s.Client.Create(t.Context(), o); err != nil {
					t.Fatal(err)
				}
			}
		}
		for _, o := range e.objects[1:3] {
			if err := s.Client.Delete(t.Context(), o); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// comes is a NodeClaim that Karpenter has created, which is no node yet.
func comes(name string) turn {
	return func(t *testing.T, s *Steward) {
		t.Helper()
		e := newEstate(nil)
		e.node(name, 0)
		c := e.objects[2].(*v1.NodeClaim)
		c.CreationTimestamp, c.Status = metav1.NewTime(noon), v1.NodeClaimStatus{}
		if err := s.Client.Create(t.Context(), c); err != nil {
			t.Fatal(err)
		}
	}
}

// becomesNode is such a NodeClaim that is a node now, and goes one that is disrupted.
func becomesNode(name string) turn {
	return edit(&v1.NodeClaim{}, "claim-"+name, func(c *v1.NodeClaim) { c.StatusConditions().SetTrue(v1.ConditionTypeInitialized) })
}

func goes(name string) turn {
	return func(t *testing.T, s *Steward) {
		t.Helper()
		c := &v1.NodeClaim{}
		c.Name = "claim-" + name
		if err := s.Client.Delete(t.Context(), c); err != nil {
			t.Fatal(err)
		}
	}
}

// passes lets time pass.
func passes(d time.Duration) turn {
	return func(_ *testing.T, s *Steward) { s.Clock = func() time.Time { return noon.Add(d) } }
}

// another is a steward that takes over, and knows nothing.
func another(_ *testing.T, s *Steward) {
	*s = Steward{Client: s.Client, Prober: s.Prober, Clock: s.Clock, jitters: s.jitters}
}

func TestAPoolWhoseReplacementsFailWaits(t *testing.T) {
	later := disruptkit.Backoff{}.Fail(noon, 1)
	muchLater := disruptkit.Backoff{}.Fail(noon.Add(11*time.Minute), 1)
	for _, c := range []struct {
		rule   string
		before disruptkit.Backoff
		turns  []turn
		want   disruptkit.Backoff
	}{
		{"Karpenter gives up a replacement of what has drifted", disruptkit.Backoff{}, []turn{takes("Drifted"), givesUp}, later},
		{"and one of what is broken", disruptkit.Backoff{}, []turn{takes("Unhealthy"), givesUp}, later},
		{"one that has gone before it was a node", disruptkit.Backoff{}, []turn{takes("Drifted"), comes("new"), goes("new"), givesUp}, later},
		{"and one that is seen to be gone after that", disruptkit.Backoff{}, []turn{takes("Drifted"), comes("new"), givesUp, goes("new")}, later},
		{"one that has come for too long", disruptkit.Backoff{}, []turn{takes("Drifted"), comes("new"), passes(11 * time.Minute), givesUp}, muchLater},
		{"a Karpenter that starts anew gives up all, and none has failed", disruptkit.Backoff{}, []turn{takes("Drifted"), comes("new"), givesUp}, disruptkit.Backoff{}},
		{"nor has one that is a node then", disruptkit.Backoff{}, []turn{takes("Drifted"), comes("new"), becomesNode("new"), givesUp}, disruptkit.Backoff{}},
		{"nor one that becomes a node later", disruptkit.Backoff{}, []turn{takes("Drifted"), comes("new"), givesUp, becomesNode("new"), goes("new")}, disruptkit.Backoff{}},
		{"whoever has led before", disruptkit.Backoff{}, []turn{takes("Drifted"), comes("new"), passes(time.Minute), another, givesUp}, disruptkit.Backoff{}},
		{"a NodeClaim that is disrupted while nothing is taken is none", disruptkit.Backoff{}, []turn{comes("new"), goes("new"), takes("Drifted"), comes("newer"), givesUp}, disruptkit.Backoff{}},
		{"one for consolidation is no failure", disruptkit.Backoff{}, []turn{takes("Underutilized"), givesUp}, disruptkit.Backoff{}},
		{"one that goes on is none", disruptkit.Backoff{}, []turn{takes("Drifted")}, disruptkit.Backoff{}},
		{"a node that is replaced ends the wait", later, []turn{takes("Drifted"), deleted(true)}, disruptkit.Backoff{}},
		{"one that is gone without a replacement does not", later, []turn{takes("Drifted"), deleted(false)}, later},
		{"nor does one that somebody deletes", later, []turn{deleted(true)}, later},
	} {
		text, err := annotation.MemoryText(disruptkit.Memory{Backoff: c.before})
		if err != nil {
			t.Fatal(err)
		}
		e := newEstate(map[string]string{annotation.Memory: text})
		e.node("n", time.Hour, drifted("AMIDrift"))
		s, _ := e.steward("")
		s.jitters = func() float64 { return 1 }
		pass := func() {
			t.Helper()
			if _, err := s.Pass(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		pass()
		for _, turn := range c.turns {
			turn(t, s)
			pass()
			pass() // what is stored counts once
		}
		var np v1.NodePool
		if err := s.Client.Get(t.Context(), client.ObjectKey{Name: "p"}, &np); err != nil {
			t.Fatal(err)
		}
		if got := annotation.Read("p", np.Annotations).Memory.Backoff; got.Level != c.want.Level || !got.Until.Equal(c.want.Until) {
			t.Errorf("%s: %+v, want %+v", c.rule, got, c.want)
		}
	}
}

// While a pool waits nothing is released, of what has drifted as of what has expired; overdue nodes do not wait.
func TestNothingIsReleasedWhileAPoolWaits(t *testing.T) {
	for _, c := range []struct {
		rule   string
		expire string
		change func(*corev1.Node, *v1.NodeClaim)
		wait   time.Duration
		want   string
	}{
		{"drift", "{after: 9000h}", drifted("AMIDrift"), time.Minute, "told n"},
		{"drift, once it is over", "{after: 9000h}", drifted("AMIDrift"), -time.Second, "stored 1; released n"},
		{"expired", monthly, hash("1"), time.Minute, "told n"},
		{"expired, once it is over", monthly, hash("1"), -time.Second, "stored 1; claim-n=expired-1; released n"},
		{"overdue", "{after: 720h, deadline: 720h}", hash("1"), time.Minute, "stored 1; claim-n=expired-1; released n"},
	} {
		text, err := annotation.MemoryText(disruptkit.Memory{Backoff: disruptkit.Backoff{Level: 1, Until: noon.Add(c.wait)}})
		if err != nil {
			t.Fatal(err)
		}
		e := newEstate(map[string]string{annotation.Memory: text, annotation.Expire: c.expire})
		e.node("n", 721*time.Hour, c.change)
		s, told := e.steward("")
		if _, err := s.Pass(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := told(); got != c.want {
			t.Errorf("%s: %s, want %s", c.rule, got, c.want)
		}
	}
}

// A conflict when a memory is stored forgets nothing.
func TestAFailureIsCountedUntilItIsStored(t *testing.T) {
	e := newEstate(nil)
	e.node("n", time.Hour, drifted("AMIDrift"))
	s, _ := e.steward("p")
	s.jitters = func() float64 { return 1 }
	for _, turn := range []turn{func(*testing.T, *Steward) {}, takes("Drifted"), givesUp, func(*testing.T, *Steward) {}} {
		turn(t, s)
		if _, err := s.Pass(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if !s.ends["p"].failed {
		t.Errorf("the failure is forgotten: %v", s.ends)
	}
}
