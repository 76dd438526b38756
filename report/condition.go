package report

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/wording"
)

// Types of a NodeClaim's conditions, and their reasons that concern budgets. Other reasons are codes of blockers, such
// as DoNotDisrupt. (Disruption-controls-by-method RFC, "NodeClaimConditions".)
const (
	ConditionBudgetRestricted = "DisruptionBudgetRestricted"
	ConditionAllowed          = "DisruptionAllowed"
	ConditionOverdue          = "DisruptionOverdue" // only of nodes with a deadline (candidate.Condition.Deadline)

	ConditionBudgetExceeded = "BudgetExceeded" // the reason if budgets allow no more nodes
	ConditionWithinBudget   = "WithinBudget"   // the reason if they do
	ConditionDeadlinePassed = "DeadlinePassed" // the reason if the first deadline of the node has passed
	ConditionDeadlineAhead  = "DeadlineAhead"  // the reason if it has not
)

// A Condition is a condition in the status of a NodeClaim. Its JSON form is that of Kubernetes.
type Condition struct {
	Type               string
	Status             bool
	Reason             string // for programs, one word
	Message            string // for people
	LastTransitionTime time.Time
}

// MarshalJSON encodes a condition as Kubernetes does.
func (c Condition) MarshalJSON() ([]byte, error) {
	status := "False"
	if c.Status {
		status = "True"
	}
	return json.Marshal(struct {
		Type               string    `json:"type"`
		Status             string    `json:"status"`
		Reason             string    `json:"reason"`
		Message            string    `json:"message"`
		LastTransitionTime time.Time `json:"lastTransitionTime"`
	}{c.Type, status, c.Reason, c.Message, c.LastTransitionTime.UTC().Truncate(time.Second)})
}

// A verdict is what all decisions together say about a node.
type verdict struct {
	allowed  bool
	blockers []candidate.Blocker
	due      *candidate.Candidate // of those with a deadline, the first to be overdue; nil: there is none
}

// hear takes the deadline of a candidate into account.
func (v *verdict) hear(c candidate.Candidate) {
	if c.Deadline.IsZero() {
		return
	}
	if v.due == nil || cmp.Or(c.Deadline.Compare(v.due.Deadline), cmp.Compare(c.Reason, v.due.Reason)) < 0 {
		v.due = &c
	}
}

// inFlight is the verdict on a node in flight. Other blockers no longer matter to it, for example budgets that it uses
// up itself.
func inFlight(n *candidate.Node) verdict {
	blockers := candidate.NodeGate(n, candidate.Condition{}, candidate.Minimum{}, time.Time{})
	return verdict{blockers: slices.DeleteFunc(blockers, func(b candidate.Blocker) bool { return !saysInFlight(b) })}
}

// saysInFlight reports whether a blocker is that of a node in flight.
func saysInFlight(b candidate.Blocker) bool {
	return b.Code == candidate.CodeDeleting || b.Code == candidate.CodeRebooting
}

// conditions returns a node's conditions. A condition whose status did not change keeps its transition time.
func (v verdict) conditions(now time.Time, before []Condition) []Condition {
	restricted := Condition{Type: ConditionBudgetRestricted, Reason: ConditionWithinBudget,
		Message: "No budget restricts disruption now."}
	allowed := Condition{Type: ConditionAllowed, Status: v.allowed, Reason: ConditionWithinBudget,
		Message: "Disruption allowed within current budget."}
	if !v.allowed { // if allowed, it is disrupted for one reason even if another is blocked
		budgets, others := v.sorted()
		if len(budgets) > 0 {
			restricted.Status, restricted.Reason = true, ConditionBudgetExceeded
			restricted.Message = "Disruption restricted due to budget limitations: " + listed(budgets)
			allowed.Reason = ConditionBudgetExceeded
		} else if len(others) > 0 {
			allowed.Reason = camelCase(string(others[0].Code))
		}
		allowed.Message = "Disruption not allowed: " + listed(slices.Concat(budgets, others))
	}
	conditions := []Condition{restricted, allowed}
	if d := v.due; d != nil {
		late := Condition{Type: ConditionOverdue, Status: d.Overdue, Reason: ConditionDeadlineAhead}
		tense := "will be overdue from "
		if d.Overdue {
			late.Reason, tense = ConditionDeadlinePassed, "has been overdue since "
		}
		late.Message = "The node " + tense + d.Deadline.UTC().Format(time.RFC3339) +
			" for " + wording.Quote(string(d.Reason)) + "."
		conditions = append(conditions, late)
	}
	for i := range conditions {
		c := &conditions[i]
		c.LastTransitionTime = now
		for _, b := range before {
			if b.Type == c.Type && b.Status == c.Status {
				c.LastTransitionTime = b.LastTransitionTime
			}
		}
	}
	return conditions
}

// sorted splits the blockers of a node into budgets and others, each in the order of gates.
func (v verdict) sorted() (budgets, others []candidate.Blocker) {
	all := slices.Clone(v.blockers)
	slices.SortStableFunc(all, func(a, b candidate.Blocker) int {
		return cmp.Or(cmp.Compare(slices.Index(gates, a.Gate), slices.Index(gates, b.Gate)), a.Compare(b))
	})
	for _, b := range all {
		if ofBudget(b) {
			budgets = append(budgets, b)
		} else {
			others = append(others, b)
		}
	}
	return budgets, others
}

// listed lists blockers without duplicates.
func listed(blockers []candidate.Blocker) string {
	var texts []string
	for _, b := range blockers {
		if text := b.String(); !slices.Contains(texts, text) {
			texts = append(texts, text)
		}
	}
	return strings.Join(texts, "; ")
}

// gates is the order of blockers in messages.
var gates = []candidate.Gate{
	candidate.GateNode, candidate.GatePod, candidate.GateProbe, candidate.GateWave, candidate.GateBackoff,
	candidate.GateBudget, candidate.GateTopology,
}

// ofBudget reports whether a blocker comes from a budget of the pool or of a zone.
func ofBudget(b candidate.Blocker) bool {
	zone := b.Gate == candidate.GateTopology &&
		(b.Code == candidate.CodeExhausted || b.Code == candidate.CodeAllowsNone)
	return b.Gate == candidate.GateBudget || zone
}

// camelCase turns a code into the reason of a condition, such as DoNotDisrupt.
func camelCase(code string) string {
	var s strings.Builder
	ends := func(r rune) bool { return (r|0x20 < 'a' || 'z' < r|0x20) && (r < '0' || '9' < r) }
	for _, word := range strings.FieldsFunc(code, ends) {
		s.WriteString(strings.ToUpper(word[:1]) + word[1:])
	}
	if text := s.String(); text != "" && (text[0] < '0' || text[0] > '9') {
		return text
	}
	return "Blocked" + s.String()
}
