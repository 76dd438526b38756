package karpenter

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
)

// empty stands for a string that is present but empty. To disruptkit an empty string is absent. To Karpenter it is
// invalid, and allows nothing.
const empty = " "

// reasons are the reasons for which Karpenter checks budgets.
var reasons = []candidate.Reason{candidate.Underutilized, candidate.Empty, candidate.Drifted, candidate.Unhealthy}

// ToBudgets converts the budgets of a NodePool. The API server replaces a missing list by 10 %. If Karpenter still sees
// none, there is no limit.
func ToBudgets(list []v1.Budget) []budget.Budget {
	budgets := make([]budget.Budget, 0, len(list))
	for _, b := range list {
		budgets = append(budgets, ToBudget(b))
	}
	return budgets
}

// ToBudget converts a budget of Karpenter. Invalid values stay invalid; budget.Compile reports them.
func ToBudget(b v1.Budget) budget.Budget {
	to := budget.Budget{Nodes: cmp.Or(b.Nodes, empty)}
	if b.Reasons != nil { // an empty list matches nothing in Karpenter's dialect
		to.Reasons = make([]candidate.Reason, 0, len(b.Reasons))
	}
	for _, r := range b.Reasons {
		to.Reasons = append(to.Reasons, candidate.Reason(r))
	}
	if b.Schedule != nil {
		to.Schedule = cmp.Or(*b.Schedule, empty)
	}
	if b.Duration != nil {
		to.Duration = b.Duration.Duration.String()
	}
	return to
}

// FromBudget converts a budget to karpenter.sh/v1. The error names the fields that it does not have: write such budgets
// into the annotation DisruptionAnnotation.
func FromBudget(b budget.Budget) (v1.Budget, error) {
	var missing []string
	lacks := func(is bool, field string) {
		if is {
			missing = append(missing, field)
		}
	}
	lacks(b.TimeZone != "", "timeZone")
	lacks(b.Outside, "outside")
	lacks(b.From != "", "from")
	lacks(b.To != "", "to")
	lacks(b.Calendar != "", "calendar")
	lacks(b.Per != "", "per")
	lacks(b.Soak != "", "soak")
	lacks(b.Spread != "", "spread")
	lacks(b.Guaranteed, "guaranteed")
	lacks(b.TopologyKey != "", "topologyKey")
	lacks(b.Sequential, "sequential")
	from := v1.Budget{Nodes: cmp.Or(b.Nodes, "10%")}
	for _, r := range b.Reasons {
		parsed, _ := candidate.ParseReason(string(r))
		lacks(!slices.Contains(reasons, parsed), fmt.Sprintf("the reason %q", r))
		from.Reasons = append(from.Reasons, v1.DisruptionReason(parsed))
	}
	if b.Schedule != "" {
		from.Schedule = &b.Schedule
	}
	if b.Duration != "" {
		d, err := time.ParseDuration(b.Duration)
		if err != nil {
			return v1.Budget{}, fmt.Errorf("duration %q: write one such as 8h or 90m", b.Duration)
		}
		from.Duration = &metav1.Duration{Duration: d}
	}
	if len(missing) > 0 {
		return v1.Budget{}, errors.New("karpenter.sh/v1 cannot say " + strings.Join(missing, ", "))
	}
	return from, nil
}
