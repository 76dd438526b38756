package disruptkit

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/wording"
	"github.com/disruptkit/disruptkit/probe"
	"github.com/disruptkit/disruptkit/schedule"
)

// signalGate is the gate of signals from outside: the probes and breakers of the pool, of its groups and of the whole
// cluster, and pauses.
type signalGate struct {
	still
	fleet    *fleet
	methods  []candidate.Reason  // those beside candidate.Methods
	pauses   []probe.Pause       // as they are enforced
	faults   []candidate.Warning // of pauses, as they are written
	verdicts [][]scopeVerdict    // by scope; those of a pool include those of its groups

	wide    [][]signal                 // by Kind: the signals of all its requests
	zoned   [][]zonedPause             // by Kind
	plain   []*signalAnswer            // by Kind: for requests that no zoned pause concerns
	answers []map[string]*signalAnswer // by Kind, and by how its zoned pauses concern a node
	about   []byte                     // scratch: how zoned pauses concern a node
}

// A scopeVerdict is a verdict about a pool, a group, or the cluster.
type scopeVerdict struct {
	probe.Verdict
	group string // "": none
}

// A signal is a probe, a breaker or a pause that concerns some requests, whether it blocks them now or not. Signals
// with the same name lift together.
type signal struct {
	name signalName
	// judge returns the blocker at a time, whether it blocks then, and when that may next change.
	judge func(at time.Time) (b candidate.Blocker, blocked bool, change time.Time)
}

// A signalName identifies a probe, or a pause.
type signalName struct {
	group, probe, by, why string
	pause                 bool
}

// A zonedPause is a pause of single domains. It concerns nodes that it includes or awaits.
type zonedPause struct {
	probe.Pause
	inside, inbound signal
}

// How a zonedPause concerns a node.
const (
	notAbout = iota
	includes
	awaits
)

// A signalAnswer is the answer of signals for requests of one kind that the same zoned pauses concern.
type signalAnswer struct {
	blockers []candidate.Blocker
	zoned    []candidate.Blocker // of zoned pauses, which lift without regard to other signals of their name
	until    time.Time           // when the first pause begins or ends
	lasting  time.Time           // when the first zoned pause does
}

func openSignals(f *fleet) *signalGate {
	g := &signalGate{fleet: f, methods: []candidate.Reason{candidate.Requested}}
	for _, p := range f.Input.Pools {
		g.methods = append(g.methods, p.Budgets.Methods()...)
	}
	g.enforcePauses()
	g.verdicts = make([][]scopeVerdict, len(f.Scopes))
	for _, p := range f.Scopes {
		if !p.Ambiguous { // otherwise it is unclear which pool they concern
			g.openVerdicts(p)
		}
	}
	g.wide, g.zoned = make([][]signal, len(f.Kinds)), make([][]zonedPause, len(f.Kinds))
	g.plain, g.answers = make([]*signalAnswer, len(f.Kinds)), make([]map[string]*signalAnswer, len(f.Kinds))
	for _, k := range f.Kinds {
		g.answers[k.Index] = map[string]*signalAnswer{}
		if !k.Pool.Ambiguous {
			g.openKind(k)
		}
		g.plain[k.Index] = g.read(k, nil)
	}
	g.limitLasting()
	return g
}

// enforcePauses reads the pauses of the input. Their order makes no difference.
func (g *signalGate) enforcePauses() {
	for _, written := range g.fleet.Pauses {
		p, faults := written.Enforced(g.methods...)
		g.pauses, g.faults = append(g.pauses, p), append(g.faults, faults...)
		if written.Until.IsZero() { // an invalid end is a fault of its own
			g.faults = append(g.faults, candidate.Warning{
				Code: candidate.CodeNoEnd, Object: p.Object(), Field: "until",
				Message: "the pause has no end, and applies until somebody removes it: write when it ends",
			})
		}
	}
	slices.SortStableFunc(g.pauses, func(a, b probe.Pause) int {
		return cmp.Or(a.Blocker().Compare(b.Blocker()), a.From.Compare(b.From))
	})
}

// openVerdicts finds the verdicts about a pool: the cluster's, its own, and its groups'; or a group's own.
func (g *signalGate) openVerdicts(p *scope) {
	add := func(verdicts []probe.Verdict, group string) {
		for _, v := range verdicts {
			g.verdicts[p.Index] = append(g.verdicts[p.Index], scopeVerdict{g.enforced(v, p), group})
		}
	}
	if p.Grouped() {
		add(p.Verdicts, p.Name)
		return
	}
	add(g.fleet.Verdicts, "")
	for _, scope := range p.Scopes {
		add(scope.Verdicts, scope.Group())
	}
}

// enforced returns a verdict with only the denials about a pool. A denial for an unknown reason denies every reason.
func (g *signalGate) enforced(v probe.Verdict, p *scope) probe.Verdict {
	var denied []probe.Denial
	for _, d := range v.Denied {
		selects := func(s probe.PoolSelector) bool { return s.Selects(signalled(p), p.Labels) }
		if len(d.Pools) > 0 && !slices.ContainsFunc(d.Pools, selects) {
			continue
		}
		if g.unknownReason(d.Reason) {
			d.Reason = ""
		}
		denied = append(denied, d)
	}
	v.Denied = denied
	return v
}

// signalled returns the name by which selectors of signals select a pool; "" for a group.
func signalled(p *scope) string {
	if p.Grouped() {
		return ""
	}
	return p.Name
}

// openKind finds the signals of a kind. Pauses concern pools, not groups.
func (g *signalGate) openKind(k *kind) {
	for _, p := range g.pauses {
		if k.Pool.Grouped() || !p.Concerns(k.Reason, k.Pool.Name, k.Pool.Labels) {
			continue
		}
		if inside := pauseSignal(p, ""); len(p.Domains) == 0 {
			g.wide[k.Index] = append(g.wide[k.Index], inside)
		} else {
			inbound := pauseSignal(p, "; its pods may move there")
			g.zoned[k.Index] = append(g.zoned[k.Index], zonedPause{p, inside, inbound})
		}
	}
	for _, v := range g.verdicts[k.Pool.Index] {
		g.wide[k.Index] = append(g.wide[k.Index], verdictSignal(v, k))
	}
}

func pauseSignal(p probe.Pause, more string) signal {
	b := p.Blocker()
	b.Message += more
	return signal{
		signalName{by: p.By, why: p.Why, pause: true},
		func(at time.Time) (candidate.Blocker, bool, time.Time) {
			holds, change := p.State(at)
			return b, holds, change
		},
	}
}

func verdictSignal(v scopeVerdict, k *kind) signal {
	return signal{
		signalName{group: v.group, probe: v.Probe},
		func(at time.Time) (b candidate.Blocker, blocked bool, change time.Time) {
			b, blocked = v.Blocker(k.Reason, signalled(k.Pool), k.Pool.Labels, at)
			if blocked && v.group != "" {
				b = inGroup(v.group, b)
			}
			return b, blocked, v.NextChange(at)
		},
	}
}

// answer returns the answer of signals for the requests of a kind for a node. Without a node, it omits zoned pauses.
func (g *signalGate) answer(k *kind, n *candidate.Node) *signalAnswer {
	if n == nil || len(g.zoned[k.Index]) == 0 {
		return g.plain[k.Index]
	}
	g.about = g.about[:0]
	for i := range g.zoned[k.Index] {
		how := byte(notAbout)
		switch p := &g.zoned[k.Index][i]; {
		case p.Includes(n.Labels):
			how = includes
		case p.Awaits(n):
			how = awaits
		}
		g.about = append(g.about, how)
	}
	known := g.answers[k.Index][string(g.about)]
	if known == nil {
		known = g.read(k, g.about)
		g.answers[k.Index][string(g.about)] = known
	}
	return known
}

func (g *signalGate) read(k *kind, about []byte) *signalAnswer {
	now, a := g.fleet.Now, &signalAnswer{}
	all := slices.Clone(g.wide[k.Index])
	for i, how := range about {
		switch p := &g.zoned[k.Index][i]; how {
		case includes:
			all = append(all, p.inside)
		case awaits:
			all = append(all, p.inbound)
		}
	}
	for i, s := range all {
		b, blocked, change := s.judge(now)
		zoned := i >= len(g.wide[k.Index])
		if s.name.pause {
			a.until = schedule.First(a.until, change)
		}
		if zoned {
			a.lasting = schedule.First(a.lasting, change)
		}
		if !blocked {
			continue
		}
		if zoned {
			a.zoned = append(a.zoned, b)
		}
		b.Until = firstFree(now, func(at time.Time) (blocks bool, change time.Time) {
			for _, other := range all {
				if other.name == s.name {
					_, blocked, next := other.judge(at)
					blocks, change = blocks || blocked, schedule.First(change, next)
				}
			}
			return blocks, change
		})
		a.blockers = append(a.blockers, b)
	}
	slices.SortStableFunc(a.blockers, candidate.Blocker.Compare)
	return a
}

// limitLasting sets kind.LastingUntil to when zoned pauses begin or end, if that is earlier.
func (g *signalGate) limitLasting() {
	for i := range g.fleet.Requests {
		r := &g.fleet.Requests[i]
		if r.Kind != nil && len(g.zoned[r.Kind.Index]) > 0 {
			r.Kind.LastingUntil = schedule.First(r.Kind.LastingUntil, g.answer(r.Kind, r.Node).lasting)
		}
	}
}

// Allows reports whether no signal blocks the request.
func (g *signalGate) Allows(r *request) bool { return len(g.Blockers(r)) == 0 }

// Blockers returns the signals that block the request.
func (g *signalGate) Blockers(r *request) []candidate.Blocker {
	if r.Kind == nil {
		return nil
	}
	return g.answer(r.Kind, r.Node).blockers
}

// Lasting returns the pauses of its domain that block the request. No roll waits for them.
func (g *signalGate) Lasting(r *request) []candidate.Blocker {
	if r.Kind == nil {
		return nil
	}
	return g.answer(r.Kind, r.Node).zoned
}

// Denies reports whether a verdict denies a reason to a pool.
func (g *signalGate) Denies(p *scope, reason candidate.Reason) bool {
	return slices.ContainsFunc(g.verdicts[p.Index], func(v scopeVerdict) bool {
		_, denied := v.Blocker(reason, signalled(p), p.Labels, g.fleet.Now)
		return denied
	})
}

// Against returns the signals that block a kind of requests.
func (g *signalGate) Against(k *kind) []candidate.Blocker { return g.answer(k, nil).blockers }

// Until returns when the first pause begins that concerns the request. It assumes that probes are still answered.
func (g *signalGate) Until(r *request) time.Time { return g.answer(r.Kind, r.Node).until }

// NextChange returns when the first answer becomes stale, or a pause begins or ends.
func (g *signalGate) NextChange() (next time.Time) {
	for _, verdicts := range g.verdicts {
		for _, v := range verdicts {
			next = schedule.First(next, v.NextChange(g.fleet.Now))
		}
	}
	for _, p := range g.pauses {
		_, change := p.State(g.fleet.Now)
		next = schedule.First(next, change)
	}
	return next
}

// Warnings returns the warnings about denials and pauses: unknown reasons, pools and domains, and pauses that have a
// fault, are over, or have no end.
func (g *signalGate) Warnings() []candidate.Warning {
	said := sorted(append(g.reasonWarnings(), g.targetWarnings()...))
	ofPauses := slices.Clone(g.faults)
	for _, p := range g.pauses {
		ofPauses = append(ofPauses, pauseWarnings(p, g.fleet.Input)...)
	}
	return append(said, sorted(ofPauses)...)
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
		if wording.Misspelt(reason, k.Reason) && (first == "" || k.Reason < first) {
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
