package steward

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/annotation"
)

func TestNodesThatMayBeDisruptedSoonAreTainted(t *testing.T) {
	tainted := held
	tainted.Soon = true
	for _, c := range []struct {
		rule string
		with func(f *fleet)
		want string
	}{
		{"those that wait for others, and the one that is released now", func(f *fleet) {
			f.node("a1", held, candidate.Drifted)
			f.node("a2", held, candidate.Drifted)
		}, "a1 a2"},
		{"none without a reason, and none for consolidation", func(f *fleet) {
			f.budgets = []budget.Budget{{Nodes: "0"}}
			f.node("a1", held)
			f.node("a2", held, candidate.Underutilized)
			f.node("a3", held, candidate.Empty)
		}, ""},
		{"those whose window opens in time", func(f *fleet) {
			f.budgets = []budget.Budget{{Nodes: "0", Schedule: "30 11 * * *", Duration: "1h"}}
			f.node("a1", held, candidate.Expired)
		}, "a1"},
		{"none whose window opens later", func(f *fleet) {
			f.budgets = []budget.Budget{{Nodes: "0", Schedule: "30 11 * * *", Duration: "2h"}}
			f.node("a1", held, candidate.Drifted)
		}, ""},
		{"none that is blocked for good", func(f *fleet) {
			f.node("a1", annotation.Mark{Disrupt: annotation.Theirs, Repair: annotation.Theirs}, candidate.Drifted)
		}, ""},
		{"they lose it once their reason is gone", func(f *fleet) {
			f.node("a1", tainted)
			f.node("a2", tainted, candidate.Drifted)
		}, "-a1"},
		{"what is in flight keeps it", func(f *fleet) {
			f.node("a1", tainted, candidate.Drifted).Leaving = candidate.Draining
		}, ""},
		{"all lose it where nobody asks", func(f *fleet) {
			f.Soon = 0
			f.node("a1", tainted, candidate.Drifted)
		}, "-a1"},
		{"nodes of pools that are not opted in lose it", func(f *fleet) {
			f.node("a1", tainted, candidate.Drifted).Pool = "other"
		}, "-a1"},
	} {
		p := plan(t, func(f *fleet) {
			f.Soon, f.budgets = time.Hour, []budget.Budget{{Nodes: "1"}}
			c.with(f)
		})
		var got []string
		for node, soon := range p.Taints {
			got = append(got, map[bool]string{false: "-"}[soon]+node)
		}
		slices.Sort(got)
		if text := strings.Join(got, " "); text != c.want {
			t.Errorf("%s: %q, want %q", c.rule, text, c.want)
		}
	}
}

// The taints of others stay, and a node that is written in a pass is tainted in the next one.
func TestTheTaintComesAndGoes(t *testing.T) {
	others := corev1.Taint{Key: "dedicated", Value: "web", Effect: corev1.TaintEffectNoSchedule}
	e := newEstate(nil)
	for _, name := range []string{"a1", "a2"} {
		e.node(name, time.Hour, func(n *corev1.Node, c *v1.NodeClaim) {
			n.Spec.Taints = []corev1.Taint{others}
			c.StatusConditions().SetTrue(v1.ConditionTypeDrifted)
		})
	}
	e.pool.Spec.Disruption.Budgets = []v1.Budget{{Nodes: "1"}}
	s, _ := e.steward("")
	pass := func() string {
		t.Helper()
		if _, err := s.Pass(t.Context()); err != nil {
			t.Fatal(err)
		}
		var nodes corev1.NodeList
		if err := s.Client.List(t.Context(), &nodes); err != nil {
			t.Fatal(err)
		}
		var texts []string
		for _, n := range nodes.Items {
			for _, taint := range n.Spec.Taints {
				texts = append(texts, n.Name+" "+taint.ToString())
			}
		}
		return strings.Join(texts, "; ")
	}
	with := func(soon string) string {
		return fmt.Sprintf("a1 dedicated=web:NoSchedule%s; a2 dedicated=web:NoSchedule%s", strings.ReplaceAll(soon, "NODE", "a1"), strings.ReplaceAll(soon, "NODE", "a2"))
	}
	s.Soon = time.Hour
	pass()
	if got, want := pass(), with("; NODE "+annotation.SoonTaint+":PreferNoSchedule"); got != want {
		t.Errorf("tainted %s, want %s", got, want)
	}
	s.Soon = 0
	if got := pass(); got != with("") {
		t.Errorf("not asked any more: %s", got)
	}
	s.Soon = time.Hour
	pass()
	var np v1.NodePool
	if err := s.Client.Get(t.Context(), client.ObjectKey{Name: "p"}, &np); err != nil {
		t.Fatal(err)
	}
	delete(np.Annotations, annotation.Steward)
	if err := s.Client.Update(t.Context(), &np); err != nil {
		t.Fatal(err)
	}
	pass()
	if got := pass(); got != with("") {
		t.Errorf("not opted in any more: %s", got)
	}
}
