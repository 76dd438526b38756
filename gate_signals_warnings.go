package disruptkit

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/probe"
)

// Warnings returns the warnings about denials and pauses: unknown reasons, pools and domains, and pauses that have a
// fault, are over, or have no end.
func (g *signalGate) Warnings() []candidate.Warning {
	said := append(g.reasonWarnings(), g.targetWarnings()...)
	slices.SortFunc(said, compareWarnings)
	ofPauses := slices.Clone(g.faults)
	for _, p := range g.pauses {
		ofPauses = append(ofPauses, pauseWarnings(p, g.fleet.Input)...)
	}
	slices.SortFunc(ofPauses, compareWarnings)
	return append(said, ofPauses...)
}

func compareWarnings(a, b candidate.Warning) int {
	return cmp.Or(strings.Compare(a.Object, b.Object), strings.Compare(a.Field, b.Field),
		strings.Compare(a.Value, b.Value), strings.Compare(a.Message, b.Message))
}

func (g *signalGate) written() []probe.Verdict {
	all := slices.Clone(g.fleet.Verdicts)
	for _, p := range g.fleet.Input.Pools {
		all = append(all, p.Verdicts...)
	}
	for _, p := range g.fleet.Input.Groups {
		all = append(all, p.Verdicts...)
	}
	return all
}

// targetWarnings warns of each selector of a denial that selects none of the pools that its verdict counts for.
func (g *signalGate) targetWarnings() (all []candidate.Warning) {
	type target struct {
		probe    string
		selector probe.PoolSelector
	}
	meets := map[target]bool{}
	note := func(v probe.Verdict, selects func(probe.PoolSelector) bool) {
		for _, d := range v.Denied {
			for _, s := range d.Pools {
				meets[target{v.Probe, s}] = meets[target{v.Probe, s}] || selects(s)
			}
		}
	}
	for _, v := range g.written() {
		note(v, func(probe.PoolSelector) bool { return false })
	}
	for _, p := range g.fleet.Scopes {
		for _, v := range g.verdicts[p.Index] {
			note(v.Verdict, func(s probe.PoolSelector) bool { return s.Selects(signalled(p), p.Labels) })
		}
	}
	for t, met := range meets {
		if !met {
			all = append(all, candidate.Warning{
				Code: candidate.CodeUnknownPool, Object: "DisruptionProbe/" + t.probe,
				Field: "nodePools", Value: string(t.selector),
				Message: fmt.Sprintf("no pool that it counts for has the name or the label %.100q, "+
					"and nothing is denied there: write a pool's name, key=value or the value of a label", t.selector),
			})
		}
	}
	return all
}

// reasonWarnings warns of denials and pauses for unknown reasons, or reasons that are one letter from a reason of the
// nodes, to which they also apply.
func (g *signalGate) reasonWarnings() (all []candidate.Warning) {
	warn := func(object, field string, reason candidate.Reason) {
		w := candidate.Warning{Code: candidate.CodeUnknownReason, Object: object, Field: field, Value: string(reason)}
		if g.unknownReason(reason) {
			w.Message = fmt.Sprintf("reason %.100q is unknown, and until then, every reason is denied: write Drifted, "+
				"or what candidate.ParseReason returns", reason)
		} else if meant := g.misspelt(reason); meant != "" {
			w.Message = fmt.Sprintf("reason %.100q is one letter from %.100q, which nodes have and which is also "+
				"blocked: write the same name in both", reason, meant)
		}
		if w.Message != "" && !slices.Contains(all, w) {
			all = append(all, w)
		}
	}
	for _, v := range g.written() {
		for _, d := range v.Denied {
			warn("DisruptionProbe/"+v.Probe, "reason", d.Reason)
		}
	}
	for _, p := range g.pauses {
		for _, r := range p.Reasons {
			warn(p.Object(), "reasons", r)
		}
	}
	return all
}

// unknownReason reports whether a reason has an unknown method. As in denials, case does not matter.
func (g *signalGate) unknownReason(reason candidate.Reason) bool {
	same := func(m candidate.Reason) bool { return strings.EqualFold(string(m), string(reason.Method())) }
	return reason != "" && !slices.ContainsFunc(candidate.Methods(), same) && !slices.ContainsFunc(g.methods, same)
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

// pauseWarnings warns of a pause that is over, or that names pools or domains without nodes.
func pauseWarnings(p probe.Pause, in Input) (all []candidate.Warning) {
	warn := func(code candidate.Code, field, value, message string) {
		all = append(all, candidate.Warning{
			Code: code, Object: p.Object(), Field: field, Value: value, Message: message,
		})
	}
	if holds, until := p.State(in.Now); !holds && until.IsZero() {
		ended := p.Until.UTC().Format(time.RFC3339)
		warn(candidate.CodeNoEffect, "until", ended, "the pause ended at "+ended+", and no longer applies: "+
			"remove it, or write a later end")
		return all
	}
	for _, s := range p.Pools {
		if !slices.ContainsFunc(in.Pools, func(p Pool) bool { return s.Selects(p.Name, p.Labels) }) {
			warn(candidate.CodeUnknownPool, "pools", string(s),
				fmt.Sprintf("no pool has the name or the label %.100q, and none is paused by it: "+
					"write a pool's name, key=value or the value of a label", s))
		}
	}
	lacks := func(n candidate.Node) bool { return n.Counted() && n.Labels[p.Key] == "" }
	if len(p.Domains) > 0 && !slices.Contains(p.Domains, "") && slices.ContainsFunc(in.Nodes, lacks) {
		warn(candidate.CodeNoLabel, "key", p.Key, "some nodes have no label "+p.Key+", and are not paused: "+
			"label them, if they are in a paused domain")
	}
	for _, d := range p.Domains {
		if !slices.ContainsFunc(in.Nodes, func(n candidate.Node) bool { return n.Labels[p.Key] == d }) {
			warn(candidate.CodeUnknownDomain, "domains", d,
				fmt.Sprintf("no node has the value %.100q of the label %s: "+
					"if that is not a zone that is empty now, write one that nodes have", d, p.Key))
		}
	}
	return all
}
