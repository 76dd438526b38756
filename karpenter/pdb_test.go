package karpenter_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"pgregory.net/rapid"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/karpenter"
)

func TestPodDisruptionBudgetsAreRead(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(*policyv1.PodDisruptionBudget)
		want   func(*candidate.PDB)
	}{
		{"one that allows pods", func(p *policyv1.PodDisruptionBudget) { p.Status.DisruptionsAllowed = 2 },
			func(p *candidate.PDB) { p.DisruptionsAllowed = 2 }},
		{"one that allows less than none", func(p *policyv1.PodDisruptionBudget) { p.Status.DisruptionsAllowed = -1 },
			func(p *candidate.PDB) { p.DisruptionsAllowed = -1 }},
		{"one that allows pods that are not Ready", func(p *policyv1.PodDisruptionBudget) {
			p.Spec.UnhealthyPodEvictionPolicy = new(policyv1.AlwaysAllow)
		}, func(p *candidate.PDB) { p.AlwaysAllow = true }},
		{"one that asks for a healthy budget", func(p *policyv1.PodDisruptionBudget) {
			p.Spec.UnhealthyPodEvictionPolicy = new(policyv1.IfHealthyBudget)
		}, func(*candidate.PDB) {}},
		{"one without a selector", func(p *policyv1.PodDisruptionBudget) { p.Spec.Selector = nil },
			func(p *candidate.PDB) { p.Selector = nil }},
		{"one of some pods", func(p *policyv1.PodDisruptionBudget) {
			p.Spec.Selector = &metav1.LabelSelector{
				MatchLabels: map[string]string{"app": "web"},
				MatchExpressions: []metav1.LabelSelectorRequirement{
					{Key: "tier", Operator: metav1.LabelSelectorOpNotIn, Values: []string{"a", "b"}}, {Key: "canary",
						Operator: metav1.LabelSelectorOpDoesNotExist},
				},
			}
		}, func(p *candidate.PDB) {
			p.Selector = &candidate.Selector{
				MatchLabels: map[string]string{"app": "web"},
				MatchExpressions: []candidate.Requirement{
					{Key: "tier", Operator: "NotIn", Values: []string{"a", "b"}}, {Key: "canary", Operator: "DoesNotExist"},
				},
			}
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := newPDB("blue", 0)
			tt.change(p)
			want := candidate.PDB{Namespace: "blue", Name: "pdb", Selector: &candidate.Selector{}}
			tt.want(&want)
			if diff := cmp.Diff(want, karpenter.ToPDB(p)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestSelectorsComeBackAsTheyWere(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawSelector(t, rapid.Bool().Draw(t, "broken"))
		if diff := cmp.Diff(s, karpenter.FromSelector(karpenter.ToSelector(s)), cmpopts.EquateEmpty()); diff != "" {
			t.Fatal(diff)
		}
	})
}
