package lint

import (
	"fmt"
	"slices"
	"strings"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/duration"
	"github.com/disruptkit/disruptkit/internal/limit"
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
	for _, r := range l.limits.Named() {
		name, isChild := strings.CutPrefix(string(r), string(r.Method())+"/")
		known := r.Method() == candidate.Drifted && slices.Contains(candidate.DriftReasons(), name)
		if !isChild || known || !slices.Contains(candidate.Methods(), r.Method()) || r.Method() == candidate.Unhealthy {
			continue
		}
		f := finding{Code: CodeUnknownChild, Severity: SeverityInfo, Reason: r,
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
			if slices.Contains(b.Reasons, r) {
				f.Budgets.Add(b.Index)
			}
		}
		l.add(f)
	}
}

// renaming says to write one reason instead of another, wherever that stands.
func (l *linter) renaming(from, to candidate.Reason) string {
	list := l.set.Budgets()
	for i := range list {
		for j, r := range list[i].Reasons {
			if parsed, err := candidate.ParseReason(string(r), l.limits.Methods...); err == nil && parsed == from {
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
	if d, dated := l.limits.Deadlines[candidate.Expired]; dated && d != candidate.Forever {
		l.add(finding{Code: CodeExpiredUnasked, Severity: SeverityInfo, Reason: candidate.Expired,
			Message: fmt.Sprintf("Expired is overdue after %s (deadline), and %s", duration.Text(d), unasked), Advice: advice})
	}
	for _, b := range l.budgets() {
		if slices.ContainsFunc(b.Reasons, func(r candidate.Reason) bool { return r.Method() == candidate.Expired }) {
			l.add(finding{Code: CodeExpiredUnasked, Severity: SeverityInfo, Budgets: limit.Only(b.Index), Reason: candidate.Expired,
				Message: l.name(b.Index) + ", and " + unasked, Advice: advice})
		}
	}
}

// roundings finds percentages of so few nodes that they round up to 1.
func (l *linter) roundings() {
	if l.assumed {
		return
	}
	for _, b := range l.budgets() {
		scoped := l.list[b.Index].TopologyKey != ""
		if !b.Limit.Percent || b.Limit.N == 0 || scoped || l.nodes > 99/b.Limit.N {
			continue
		}
		l.add(finding{Code: CodeRoundsUp, Severity: SeverityInfo, Budgets: limit.Only(b.Index),
			Message: fmt.Sprintf("%s: percentages round up, so that %d%% of %s is 1", l.name(b.Index), b.Limit.N, sentence.Count(l.nodes, "node")),
			Advice:  fmt.Sprintf(`write "nodes": "1" in %s if that is intended; only "0" blocks all nodes`, l.set.Place(b.Index))})
	}
}

// notReady finds reasons for which never more than one node may go. A node that is not Ready uses that up, and only
// repair replaces it.
func (l *linter) notReady() {
	others := slices.DeleteFunc(slices.Clone(l.reasons), candidate.Unhealthy.Covers)
	l.each(others, func(r candidate.Reason) (f finding, found bool) {
		most := 0
		for _, s := range l.timelines[r] {
			if most = max(most, s.Nodes); s.Nodes > 0 {
				f.Budgets |= s.Binding
			}
		}
		if most != 1 {
			return f, false
		}
		f.Code, f.Severity = CodeNotReadyBlocks, SeverityInfo
		f.Message = fmt.Sprintf("stopped by a single node that is not Ready, since that counts as in use: %s", l.names(f.Budgets))
		f.Advice = "that is safe, but only repair (Unhealthy) replaces the node itself: write 2 or more to let others go on"
		return f, true
	})
}
