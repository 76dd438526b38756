package disruptkit

import (
	"fmt"
	"slices"
	"strings"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/probe"
)

// methodsOf returns the methods that the caller adds to those of package candidate.
func methodsOf(f *fleet) (methods []candidate.Reason) {
	for _, p := range f.Input.Pools {
		methods = append(methods, p.Budgets.Methods()...)
	}
	return methods
}

// enforcedVerdict returns a verdict in which a denial for a reason that nobody knows denies every reason.
func enforcedVerdict(v probe.Verdict, methods []candidate.Reason) probe.Verdict {
	if !slices.ContainsFunc(v.Denied, func(d probe.Denial) bool { return unknownReason(d.Reason, methods) }) {
		return v
	}
	v.Denied = slices.Clone(v.Denied)
	for i := range v.Denied {
		if d := &v.Denied[i]; unknownReason(d.Reason, methods) {
			d.Reason = ""
		}
	}
	return v
}

// unknownReason reports whether a reason has an unknown method. As in denials, case does not matter.
func unknownReason(reason candidate.Reason, methods []candidate.Reason) bool {
	same := func(m candidate.Reason) bool { return strings.EqualFold(string(m), string(reason.Method())) }
	return reason != "" && !slices.ContainsFunc(candidate.Methods(), same) && !slices.ContainsFunc(methods, same)
}

// reasonWarnings warns of denials and pauses for reasons that nobody knows, or that are one letter from a reason of the
// nodes, which they apply to as well.
func (g *signalGate) reasonWarnings() (all []candidate.Warning) {
	methods := methodsOf(g.fleet)
	warn := func(object, field string, reason candidate.Reason) {
		w := candidate.Warning{Code: candidate.CodeUnknownReason, Object: object, Field: field, Value: string(reason)}
		if unknownReason(reason, methods) {
			w.Message = fmt.Sprintf("reason %.100q is unknown, and until then, every reason is denied: write Drifted, "+
				"or what candidate.ParseReason returns", reason)
		} else if meant := g.misspelt(reason); meant != "" {
			w.Message = fmt.Sprintf("reason %.100q is one letter from %.100q, which nodes have and which is blocked, "+
				"too: write the same name in both", reason, meant)
		}
		if w.Message != "" && !slices.Contains(all, w) {
			all = append(all, w)
		}
	}
	for v := range g.written() {
		for _, d := range v.Denied {
			warn("DisruptionProbe/"+v.Probe, "reason", d.Reason)
		}
	}
	for _, p := range g.pauses.all {
		for _, r := range p.Reasons {
			warn(p.Object(), "reasons", r)
		}
	}
	return all
}

// misspelt returns the first reason of the nodes, by name, from which a reason differs by one letter, or "".
func (g *signalGate) misspelt(reason candidate.Reason) (first candidate.Reason) {
	for _, k := range g.fleet.Kinds {
		if candidate.Misspelt(reason, k.Reason) && (first == "" || k.Reason < first) {
			first = k.Reason
		}
	}
	return first
}
