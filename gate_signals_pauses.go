package disruptkit

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/probe"
)

// pauses are the signals from people: Input.Pauses.
type pauses struct {
	all    []probe.Pause       // as they are enforced
	byKind [][]paused          // pauses of single domains that concern a kind, now or later
	wide   [][]paused          // pauses everywhere that concern a kind, now or later
	faults []candidate.Warning // of pauses as they are written

	distinct bool // no two pauses have the same By and Why
}

// paused is a pause with its blocker.
type paused struct {
	probe.Pause
	holds           bool
	inside, inbound []candidate.Blocker // of nodes that it includes, and of those that it awaits
}

// against returns the blocker of a node while the pause is in effect, or nothing if the pause is not about the node.
func (p *paused) against(n *candidate.Node) []candidate.Blocker {
	switch {
	case p.Includes(n.Labels):
		return p.inside
	case p.Awaits(n):
		return p.inbound
	}
	return nil
}

func openPauses(f *fleet) pauses {
	g := pauses{byKind: make([][]paused, len(f.Kinds)), wide: make([][]paused, len(f.Kinds))}
	if len(f.Pauses) == 0 {
		return g
	}
	methods := methodsOf(f)
	for _, written := range f.Pauses {
		p, faults := written.Enforced(methods...)
		g.all, g.faults = append(g.all, p), append(g.faults, faults...)
		if written.Until.IsZero() { // a broken end is a fault of its own
			g.faults = append(g.faults, candidate.Warning{
				Code: candidate.CodeNoEnd, Object: p.Object(), Field: "until",
				Message: "the pause has no end, and applies until somebody removes it: write when it ends",
			})
		}
	}
	slices.SortStableFunc(g.all, comparePauses)
	named := map[signalName]bool{}
	for _, p := range g.all {
		named[signalName{by: p.By, why: p.Why}] = true
	}
	g.distinct = len(named) == len(g.all)
	for _, p := range g.all {
		holds, _ := p.State(f.Now)
		inside, inbound := p.Blocker(), p.Blocker()
		inbound.Message += "; its pods may move there"
		one := paused{p, holds, []candidate.Blocker{inside}, []candidate.Blocker{inbound}}
		for _, k := range f.Kinds {
			switch {
			case k.Pool.Ambiguous || k.Pool.Grouped() || !p.Concerns(k.Reason, k.Pool.Name, k.Pool.Labels):
			case len(p.Domains) > 0:
				g.byKind[k.Index] = append(g.byKind[k.Index], one)
			default:
				g.wide[k.Index] = append(g.wide[k.Index], one)
			}
		}
	}
	return g
}

// comparePauses orders pauses, so that the order of the input makes no difference. Those that compare as equal say the
// same.
func comparePauses(a, b probe.Pause) int {
	return cmp.Or(a.Blocker().Compare(b.Blocker()), a.From.Compare(b.From))
}

// zoned returns what pauses of single domains say against a request.
func (g *pauses) zoned(r *request) (blockers []candidate.Blocker) {
	for i := range g.byKind[r.Kind.Index] {
		if p := &g.byKind[r.Kind.Index][i]; p.holds {
			blockers = joined(blockers, p.against(r.Node))
		}
	}
	return blockers
}

// domainPauses yields the pauses of single domains that concern a request, whether they hold yet or not, each with its
// blockers. Turns depend on them.
func (g *signalGate) domainPauses(r *request) iter.Seq2[probe.Pause, []candidate.Blocker] {
	return func(yield func(probe.Pause, []candidate.Blocker) bool) {
		for i := range g.pauses.byKind[r.Kind.Index] {
			p := &g.pauses.byKind[r.Kind.Index][i]
			if blockers := p.against(r.Node); len(blockers) > 0 && !yield(p.Pause, blockers) {
				return
			}
		}
	}
}

// warnings returns warnings about pauses: about faults, and about pauses that are over, have no end, or name unknown
// pools or domains.
func (g *pauses) warnings(in Input) []candidate.Warning {
	all := slices.Clone(g.faults)
	for _, p := range g.all {
		warn := func(code candidate.Code, field, value, message string) {
			all = append(all, candidate.Warning{
				Code: code, Object: p.Object(), Field: field, Value: value, Message: message,
			})
		}
		if holds, until := p.State(in.Now); !holds && until.IsZero() {
			ended := p.Until.UTC().Format(time.RFC3339)
			warn(candidate.CodeNoEffect, "until", ended, "the pause ended at "+ended+", and no longer applies: "+
				"remove it, or write a later end")
			continue
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
	}
	slices.SortStableFunc(all, func(a, b candidate.Warning) int {
		return cmp.Or(strings.Compare(a.Object, b.Object), strings.Compare(a.Field, b.Field),
			strings.Compare(a.Value, b.Value), strings.Compare(a.Message, b.Message))
	})
	return all
}
