package karpenter

import (
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/disruptkit/disruptkit/candidate"
)

// ToPDB converts a PodDisruptionBudget.
func ToPDB(p *policyv1.PodDisruptionBudget) candidate.PDB {
	unhealthy := p.Spec.UnhealthyPodEvictionPolicy
	return candidate.PDB{
		Namespace: p.Namespace, Name: p.Name,
		Selector:           ToSelector(p.Spec.Selector),
		DisruptionsAllowed: int(p.Status.DisruptionsAllowed),
		AlwaysAllow:        unhealthy != nil && *unhealthy == policyv1.AlwaysAllow,
	}
}

// ToSelector converts a label selector of Kubernetes.
func ToSelector(s *metav1.LabelSelector) *candidate.Selector {
	if s == nil {
		return nil
	}
	to := &candidate.Selector{MatchLabels: s.MatchLabels}
	for _, r := range s.MatchExpressions {
		to.MatchExpressions = append(to.MatchExpressions, candidate.Requirement{Key: r.Key, Operator: string(r.Operator), Values: r.Values})
	}
	return to
}

// FromSelector converts a label selector to Kubernetes.
func FromSelector(s *candidate.Selector) *metav1.LabelSelector {
	if s == nil {
		return nil
	}
	from := &metav1.LabelSelector{MatchLabels: s.MatchLabels}
	for _, r := range s.MatchExpressions {
		from.MatchExpressions = append(from.MatchExpressions, metav1.LabelSelectorRequirement{
			Key: r.Key, Operator: metav1.LabelSelectorOperator(r.Operator), Values: r.Values,
		})
	}
	return from
}
