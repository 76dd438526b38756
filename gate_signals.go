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
	targets  map[target]bool     // that select a pool
	kinds    []kindSignals       // by Kind
	about    []byte              // scratch: how zoned pauses concern a node
}

// kindSignals are the signals of a kind of requests.
type kindSignals struct {
	wide    []signal                 // of all of them
	zoned   []signal                 // of some: pauses of single domains
	plain   *signalAnswer            // for requests that no zoned pause concerns
	answers map[string]*signalAnswer // by how the zoned pauses concern a node
}

// A target is a selector of a denial.
type target struct {
	probe    string
	selector probe.PoolSelector
}

// A scopeVerdict is a verdict about a pool, a group, or the cluster.
type scopeVerdict struct {
	probe.Verdict
	group string // "": none
}

// A signal is a probe, a breaker or a pause that concerns some requests, whether it blocks them now or not. Signals
// with the same name lift together.
type signal struct {
	name  string       // of the probe and its group, or of who pauses and why
	pause *probe.Pause // nil: it is a probe or a breaker
	more  string       // ends the message
	// judge returns the blocker at a time, whether it blocks then, and when that may next change.
	judge func(at time.Time) (b candidate.Blocker, blocked bool, change time.Time)
}

// How a pause of single domains concerns a node.
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
	g := &signalGate{fleet: f, methods: []candidate.Reason{candidate.Requested}, targets: map[target]bool{},
		verdicts: make([][]scopeVerdict, len(f.Scopes)), kinds: make([]kindSignals, len(f.Kinds))}
	for _, p := range f.Input.Pools {
		g.methods = append(g.methods, p.Budgets.Methods()...)
	}
	g.enforcePauses()
	for _, p := range f.Scopes {
		if !p.Ambiguous { // otherwise it is unclear which pool they concern
			g.openVerdicts(p)
		}
	}
	for i, k := range f.Kinds {
		if !k.Pool.Ambiguous {
			g.openKind(k)
		}
		g.kinds[i].answers = map[string]*signalAnswer{}
		g.kinds[i].plain = g.kinds[i].read(f.Now, nil)
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
			g.faults = append(g.faults, warningf(candidate.CodeNoEnd, p.Object(), "until", "",
				"the pause has no end, and applies until somebody removes it: write when it ends"))
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
	if !p.Grouped() {
		add(g.fleet.Verdicts, "")
	}
	for _, scope := range p.Scopes {
		add(scope.Verdicts, scope.Group())
	}
}

// enforced returns a verdict with only the denials about a pool. A denial for an unknown reason denies every reason.
func (g *signalGate) enforced(v probe.Verdict, p *scope) probe.Verdict {
	var denied []probe.Denial
	for _, d := range v.Denied {
		about := len(d.Pools) == 0
		for _, s := range d.Pools {
			if s.Selects(signalled(p), p.Labels) {
				about, g.targets[target{v.Probe, s}] = true, true
			}
		}
		if !about {
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
	signals := &g.kinds[k.Index]
	for _, p := range g.pauses {
		switch s := pauseSignal(p); {
		case k.Pool.Grouped() || !p.Concerns(k.Reason, k.Pool.Name, k.Pool.Labels):
		case len(p.Domains) == 0:
			signals.wide = append(signals.wide, s)
		default:
			signals.zoned = append(signals.zoned, s)
		}
	}
	for _, v := range g.verdicts[k.Pool.Index] {
		signals.wide = append(signals.wide, verdictSignal(v, k))
	}
}

func pauseSignal(p probe.Pause) signal {
	return signal{
		name: fmt.Sprintf("pause %q %q", p.By, p.Why), pause: &p,
		judge: func(at time.Time) (candidate.Blocker, bool, time.Time) {
			holds, change := p.State(at)
			return p.Blocker(), holds, change
		},
	}
}

func verdictSignal(v scopeVerdict, k *kind) signal {
	return signal{
		name: fmt.Sprintf("probe %q %q", v.group, v.Probe),
		judge: func(at time.Time) (b candidate.Blocker, blocked bool, change time.Time) {
			b, blocked = v.Blocker(k.Reason, signalled(k.Pool), k.Pool.Labels, at)
			if blocked && v.group != "" {
				b = inGroup(v.group, b)
			}
			return b, blocked, v.NextChange(at)
		},
	}
}

func (g *signalGate) answer(r *request) *signalAnswer {
	if r.Kind == nil {
		return &signalAnswer{}
	}
	k := &g.kinds[r.Kind.Index]
	if len(k.zoned) == 0 {
		return k.plain
	}
	g.about = g.about[:0]
	for i := range k.zoned {
		how := byte(notAbout)
		switch p := k.zoned[i].pause; {
		case p.Includes(r.Node.Labels):
			how = includes
		case p.Awaits(r.Node):
			how = awaits
		}
		g.about = append(g.about, how)
	}
	known := k.answers[string(g.about)]
	if known == nil {
		known = k.read(g.fleet.Now, g.about)
		k.answers[string(g.about)] = known
	}
	return known
}

func (k *kindSignals) read(now time.Time, about []byte) *signalAnswer {
	a, all := &signalAnswer{}, slices.Clone(k.wide)
	for i, how := range about {
		s := k.zoned[i]
		if how == awaits {
			s.more = "; its pods may move there"
		}
		if how != notAbout {
			all = append(all, s)
		}
	}
	for i, s := range all {
		b, blocked, change := s.judge(now)
		b.Message += s.more
		zoned := i >= len(k.wide)
		if s.pause != nil {
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
		if r.Kind != nil {
			r.Kind.LastingUntil = schedule.First(r.Kind.LastingUntil, g.answer(r).lasting)
		}
	}
}

func (g *signalGate) Allows(r *request) bool { return len(g.Blockers(r)) == 0 }

func (g *signalGate) Blockers(r *request) []candidate.Blocker { return g.answer(r).blockers }

// Lasting returns the pauses of its domain that block the request. No roll waits for them.
func (g *signalGate) Lasting(r *request) []candidate.Blocker { return g.answer(r).zoned }

// Denies reports whether a verdict denies a reason to a pool.
func (g *signalGate) Denies(p *scope, reason candidate.Reason) bool {
	return slices.ContainsFunc(g.verdicts[p.Index], func(v scopeVerdict) bool {
		_, denied := v.Blocker(reason, signalled(p), p.Labels, g.fleet.Now)
		return denied
	})
}

func (g *signalGate) Against(k *kind) []candidate.Blocker { return g.kinds[k.Index].plain.blockers }

// Until returns when the first pause begins that concerns the request. It assumes that probes are still answered.
func (g *signalGate) Until(r *request) time.Time { return g.answer(r).until }

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
	var all []candidate.Warning
	ofPauses := slices.Clone(g.faults)
	written := slices.Clone(g.fleet.Verdicts)
	for _, p := range g.fleet.Input.Pools {
		written = append(written, p.Verdicts...)
	}
	for _, p := range g.fleet.Input.Groups {
		written = append(written, p.Verdicts...)
	}
	for _, v := range written {
		object := "DisruptionProbe/" + v.Probe
		for _, d := range v.Denied {
			all = append(all, g.reasonWarnings(object, "reason", d.Reason)...)
			for _, s := range d.Pools {
				if !g.targets[target{v.Probe, s}] {
					all = append(all, warningf(candidate.CodeUnknownPool, object, "nodePools", string(s),
						"no pool that it counts for has the name or the label %.100q, and nothing is denied there: "+
							"write a pool's name, key=value or the value of a label", s))
				}
			}
		}
	}
	for _, p := range g.pauses {
		for _, r := range p.Reasons {
			all = append(all, g.reasonWarnings(p.Object(), "reasons", r)...)
		}
		ofPauses = append(ofPauses, pauseWarnings(p, g.fleet.Input)...)
	}
	return append(slices.Compact(sorted(all)), sorted(ofPauses)...)
}

// reasonWarnings warns of a denial or a pause for an unknown reason, or for one that is one letter from a reason of the
// nodes, to which it also applies.
func (g *signalGate) reasonWarnings(object, field string, reason candidate.Reason) []candidate.Warning {
	warn := func(format string, args ...any) []candidate.Warning {
		return []candidate.Warning{
			warningf(candidate.CodeUnknownReason, object, field, string(reason), format, args...)}
	}
	meant := g.misspelt(reason)
	switch {
	case g.unknownReason(reason):
		return warn("reason %.100q is unknown, and until then, every reason is denied: write Drifted, or what "+
			"candidate.ParseReason returns", reason)
	case meant != "":
		return warn("reason %.100q is one letter from %.100q, which nodes have and which is also blocked: write the "+
			"same name in both", reason, meant)
	}
	return nil
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
	warn := func(code candidate.Code, field, value, format string, args ...any) {
		all = append(all, warningf(code, p.Object(), field, value, format, args...))
	}
	if holds, until := p.State(in.Now); !holds && until.IsZero() {
		ended := p.Until.UTC().Format(time.RFC3339)
		warn(candidate.CodeNoEffect, "until", ended,
			"the pause ended at %s, and no longer applies: remove it, or write a later end", ended)
		return all
	}
	for _, s := range p.Pools {
		if !slices.ContainsFunc(in.Pools, func(p Pool) bool { return s.Selects(p.Name, p.Labels) }) {
			warn(candidate.CodeUnknownPool, "pools", string(s), "no pool has the name or the label %.100q, and none "+
				"is paused by it: write a pool's name, key=value or the value of a label", s)
		}
	}
	lacks := func(n candidate.Node) bool { return n.Counted() && n.Labels[p.Key] == "" }
	if len(p.Domains) > 0 && !slices.Contains(p.Domains, "") && slices.ContainsFunc(in.Nodes, lacks) {
		warn(candidate.CodeNoLabel, "key", p.Key, "some nodes have no label %s, and are not paused: label them, if "+
			"they are in a paused domain", p.Key)
	}
	for _, d := range p.Domains {
		if !slices.ContainsFunc(in.Nodes, func(n candidate.Node) bool { return n.Labels[p.Key] == d }) {
			warn(candidate.CodeUnknownDomain, "domains", d, "no node has the value %.100q of the label %s: if that is "+
				"not a zone that is empty now, write one that nodes have", d, p.Key)
		}
	}
	return all
}
