// Package explain says what each stable code means, with an example and what to do: for people who see a code in a decision, in a
// finding of lint, or on a dashboard.
package explain

import (
	"fmt"
	"slices"
	"strings"

	"github.com/disruptkit/disruptkit/candidate"
)

// An Entry explains a code.
type Entry struct {
	Code    string
	Means   string // what is so
	Example string // what shows it
	Do      string // what to do about it
}

// All returns an entry for each code, and for words that stand for none, in order.
func All() []Entry {
	all := slices.Concat(blockers, findings(), plans, words)
	slices.SortFunc(all, func(a, b Entry) int { return strings.Compare(a.Code, b.Code) })
	return all
}

// words are not codes, but decisions, plans and metrics use them as if people knew them.
var words = []Entry{
	{"overdue", "The node's deadline has passed, so windows, paces, soaks and back-offs no longer block it. Turns of " +
		"zones, waves, probes, pauses and vetoes " +
		"still do, and so do its pods if it has no terminationGracePeriod.",
		`deadline: 336h in the control for drift, and the node has drifted for 15 days.`,
		"If the node is still blocked, kubectl disruption why NODE lists its blockers. To replace nodes in time, " +
			"widen the windows, or " +
			"write a later deadline."},
}

// Advice returns what to do about what blocks a node at a gate. A PodDisruptionBudget needs something else than the budget of a pool.
func Advice(gate candidate.Gate, code candidate.Code) string {
	if gate == candidate.GatePod {
		switch code {
		case candidate.CodeAllowsNone:
			return "Look at the pods that the PodDisruptionBudget selects. It allows no disruption while too few of " +
				"them are ready, or if it requires all of " +
				"them. Repair them, add a replica, or let it allow one disruption."
		case candidate.CodeExhausted:
			return "Wait. Nodes that the decision already allows use up the PodDisruptionBudget. It recovers as their pods " +
				"start elsewhere."
		case candidate.CodeDoNotDisrupt:
			return "Remove the annotation from the pod, or wait for the pod to end. Drift waits for it only as long as the terminationGracePeriod " +
				"of the NodeClaim, if it has one; that of the NodePool is for new nodes."
		}
	}
	e, err := Of(string(code))
	if err != nil {
		return ""
	}
	return e.Do
}

// Of returns the entry of a code, in any case. The error names those that are alike.
func Of(code string) (Entry, error) {
	code = strings.ToLower(strings.TrimSpace(code))
	if _, after, found := strings.Cut(code, "/"); found { // gate/code, as decisions print it
		code = after
	}
	all := All()
	if i := slices.IndexFunc(all, func(e Entry) bool { return e.Code == code }); i >= 0 {
		return all[i], nil
	}
	var alike []string
	for _, e := range all {
		for _, word := range strings.Split(code, "-") {
			if len(word) > 2 && strings.Contains(e.Code, word) {
				alike = append(alike, e.Code)
				break
			}
		}
	}
	hint := "write explain without a code to see them all"
	if len(alike) > 0 {
		hint = "did you mean " + strings.Join(alike, ", ") + "?"
	}
	return Entry{}, fmt.Errorf("there is no code %q: %s", code, hint)
}
