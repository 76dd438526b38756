package story_test

import (
	"cmp"
	"slices"
	"strings"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/candidate"
)

// signalsTold describes what blocks all nodes of a pool for a reason, once for all that the same blocks.
func signalsTold(told *strings.Builder, d disruptkit.Decision) {
	var texts []string
	waiting := map[string][]disruptkit.PoolDecision{}
	for _, p := range d.Pools {
		text := ""
		for _, b := range p.Blockers {
			text += scenarioWrapped("  - " + b.String())
		}
		if waiting[text] == nil {
			texts = append(texts, text)
		}
		waiting[text] = append(waiting[text], p)
	}
	for _, text := range texts {
		if text == "" {
			continue
		}
		verb := " wait:"
		if len(waiting[text]) == 1 {
			verb = " waits:"
		}
		told.WriteString(scenarioWrapped(scenarioReasonsOf(waiting[text], d)+verb) + text)
	}
	for _, c := range slices.Concat(d.Allowed, d.Blocked) {
		for _, b := range poolBlockers(c, d) {
			if !slices.ContainsFunc(c.Blockers, func(o candidate.Blocker) bool { return o.Compare(b) == 0 }) {
				told.WriteString(c.Node + " does not wait for that\n")
			}
		}
	}
}

// scenarioReasonsOf names reasons, and where there are several pools, those: "Drifted of default, spot".
func scenarioReasonsOf(which []disruptkit.PoolDecision, d disruptkit.Decision) string {
	var reasons []candidate.Reason
	pools := map[candidate.Reason][]string{}
	for _, p := range which {
		if pools[p.Reason] == nil {
			reasons = append(reasons, p.Reason)
		}
		pools[p.Reason] = append(pools[p.Reason], p.Pool)
	}
	several := slices.ContainsFunc(d.Pools, func(p disruptkit.PoolDecision) bool { return p.Pool != d.Pools[0].Pool })
	var texts []string
	for _, r := range reasons {
		text := cmp.Or(string(r), "everything")
		if several {
			text += " of " + strings.Join(pools[r], ", ")
		}
		texts = append(texts, text)
	}
	return strings.Join(texts, " and ")
}

// poolBlockers returns what a decision says of all nodes of a candidate's pool for its reason.
func poolBlockers(c candidate.Candidate, d disruptkit.Decision) []candidate.Blocker {
	for _, p := range d.Pools {
		if p.Pool == c.Pool && p.Reason == c.Reason {
			return p.Blockers
		}
	}
	return nil
}

// notTold returns what blocks a candidate besides that.
func notTold(c candidate.Candidate, d disruptkit.Decision) []candidate.Blocker {
	of := poolBlockers(c, d)
	return slices.DeleteFunc(slices.Clone(c.Blockers), func(b candidate.Blocker) bool { return slices.Contains(of, b) })
}

// scenarioSignals returns who blocks anything, and why: "; health: denied".
func scenarioSignals(d disruptkit.Decision) (text string) {
	for _, p := range d.Pools {
		for _, b := range p.Blockers {
			name, _, _ := strings.Cut(b.Message, ":")
			if said := "; " + name + ": " + string(b.Code); !strings.Contains(text, said) {
				text += said
			}
		}
	}
	return text
}
