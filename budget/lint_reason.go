package budget

import (
	"fmt"
	"slices"
	"strings"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/duration"
	"github.com/disruptkit/disruptkit/internal/sentence"
)

// reasonsText returns "Drifted and Empty", or "any reason" without reasons.
func reasonsText(reasons []candidate.Reason) string {
	if len(reasons) == 0 {
		return "any reason"
	}
	texts := make([]string, len(reasons))
	for i, r := range reasons {
		texts[i] = string(r)
	}
	return enumerate(texts)
}

// children finds child reasons that Karpenter and its providers do not report; other autoscalers may. It skips children
// of Unhealthy, which are types of node conditions that any agent may define.
func (l *linter) children() {
	for _, r := range l.set.named() {
		name, isChild := strings.CutPrefix(string(r), string(r.Method())+"/")
		known := r.Method() == candidate.Drifted && slices.Contains(candidate.DriftReasons(), name)
		if !isChild || known || !slices.Contains(candidate.Methods(), r.Method()) || r.Method() == candidate.Unhealthy {
			continue
		}
		f := Finding{Code: FindingUnknownChild, Severity: SeverityInfo, Reason: r,
			Message: string(r) + " is not reported by Karpenter or its known providers",
			Advice:  "they know Drifted/" + strings.Join(candidate.DriftReasons(), ", Drifted/")}
		for _, known := range candidate.DriftReasons() {
			if near(name, known) {
				f.Severity, f.Advice = SeverityWarning, l.renaming(r, candidate.Drifted+"/"+candidate.Reason(known))
			}
		}
		for _, method := range candidate.Methods() {
			if near(name, string(method)) {
				f.Severity, f.Advice = SeverityWarning, l.renaming(r, method)
			}
		}
		for _, b := range l.budgets() {
			if slices.Contains(b.reasons, r) {
				f.Budgets.add(b.index)
			}
		}
		l.add(f)
	}
}

// renaming says to write one reason instead of another, wherever that stands.
func (l *linter) renaming(from, to candidate.Reason) string {
	list := cloneBudgets(l.set.written)
	for i := range list {
		for j, r := range list[i].Reasons {
			if parsed, err := candidate.ParseReason(string(r), l.set.methods...); err == nil && parsed == from {
				list[i].Reasons[j] = to
			}
		}
	}
	return fmt.Sprintf("write %s instead of %s%s", to, from, l.butWhich(list))
}

// near reports whether two names differ at most by one letter: an additional one, a different one, or two swapped ones.
// It ignores case.
func near(a, b string) bool {
	a, b = strings.ToLower(a), strings.ToLower(b)
	for a != "" && b != "" && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	for a != "" && b != "" && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	swapped := len(a) == 2 && len(b) == 2 && a[0] == b[1] && a[1] == b[0]
	return swapped || len(a) <= 1 && len(b) <= 1
}

// expired finds budgets and a deadline for Expired, since Karpenter expires nodes without checking either.
func (l *linter) expired() {
	const unasked, advice = "Karpenter consults no budget before it expires nodes", "it has an effect only in autoscalers that do"
	if d, dated := l.set.deadlines[candidate.Expired]; dated && d != candidate.Forever {
		l.add(Finding{Code: FindingExpiredUnasked, Severity: SeverityInfo, Reason: candidate.Expired,
			Message: fmt.Sprintf("Expired is overdue after %s (deadline), and %s", duration.Text(d), unasked), Advice: advice})
	}
	for _, b := range l.budgets() {
		if slices.ContainsFunc(b.reasons, func(r candidate.Reason) bool { return r.Method() == candidate.Expired }) {
			l.add(Finding{Code: FindingExpiredUnasked, Severity: SeverityInfo, Budgets: only(b.index), Reason: candidate.Expired,
				Message: l.name(b.index) + ", and " + unasked, Advice: advice})
		}
	}
}

// roundings finds percentages of so few nodes that they round up to 1.
func (l *linter) roundings() {
	if l.assumed {
		return
	}
	for _, b := range l.budgets() {
		scoped := l.set.written[b.index].TopologyKey != ""
		if !b.limit.percent || b.limit.n == 0 || scoped || l.nodes > 99/b.limit.n {
			continue
		}
		l.add(Finding{Code: FindingRoundsUp, Severity: SeverityInfo, Budgets: only(b.index),
			Message: fmt.Sprintf("%s: percentages round up, so that %d%% of %s is 1", l.name(b.index), b.limit.n, sentence.Count(l.nodes, "node")),
			Advice:  fmt.Sprintf(`write "nodes": "1" in %s if that is intended; only "0" blocks all nodes`, l.set.places[b.index])})
	}
}

// notReady finds reasons for which never more than one node may go. A node that is not Ready uses that up, and only
// repair replaces it.
func (l *linter) notReady() {
	others := slices.DeleteFunc(slices.Clone(l.reasons), candidate.Unhealthy.Covers)
	l.each(others, func(r candidate.Reason) (f Finding, found bool) {
		most := 0
		for _, s := range l.timelines[r] {
			if most = max(most, s.Nodes); s.Nodes > 0 {
				f.Budgets |= s.Binding
			}
		}
		if most != 1 {
			return f, false
		}
		f.Code, f.Severity = FindingNotReadyBlocks, SeverityInfo
		f.Message = fmt.Sprintf("stopped by a single node that is not Ready, since that counts as in use: %s", l.names(f.Budgets))
		f.Advice = "that is safe, but only repair (Unhealthy) replaces the node itself: write 2 or more to let others go on"
		return f, true
	})
}
