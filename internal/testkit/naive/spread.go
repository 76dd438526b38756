package naive

import (
	"fmt"
	"slices"
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/dialect"
)

// early reports whether a budget that spreads a roll blocks the next start of a pool, after some starts.
func (d *decision) early(p scope, nodes int, reason candidate.Reason, starts []disruptkit.Start) bool {
	set, now := p.Budgets, d.in.Now
	for i, b := range set.Budgets() {
		if b.Spread == "" || set.Broken().Has(i) || d.in.Dialect == dialect.Karpenter || !spreads(set, i, reason) ||
			!decidesAt(set, i, reason, now) {
			continue
		}
		whole, err := time.ParseDuration(b.Spread)
		if err != nil {
			panic(err)
		}
		since, last := d.roll(p, i)
		newest, of := d.newest(p, i)
		if of == "" && !d.spreading(p, i) || d.lots(p, i) == 0 && !d.flies(p, i) {
			continue
		}
		if of != "" && openTime(set, i, nodes, of, since, newest.Add(-1)) >= whole {
			since, last = now, now // since the spread was over
		}
		for _, s := range starts {
			if s.Reason != "" && spreads(set, i, s.Reason) && s.At.After(last) {
				last = s.At
			}
		}
		if last.After(now) {
			last = now
		}
		passed := min(whole, openTime(set, i, nodes, reason, since, last))
		share := (whole - passed) / time.Duration(d.lots(p, i)+1)
		if openTime(set, i, nodes, reason, since, now) < passed+share {
			return true
		}
	}
	return false
}

// spreads reports whether a budget's spread is for a reason. One that nobody can know counts everywhere.
func spreads(set budget.Set, i int, reason candidate.Reason) bool {
	for _, m := range []candidate.Reason{"Unhealthy", "Requested", "Empty", "Underutilized"} {
		if m.Covers(reason) {
			return false
		}
	}
	reasons := set.Budgets()[i].Reasons
	return reason == "" || len(reasons) == 0 || slices.ContainsFunc(reasons, func(r candidate.Reason) bool {
		r, _ = candidate.ParseReason(string(r), set.Methods()...)
		return r.Covers(reason)
	})
}

// decidesAt reports whether a budget is among those that decide for a reason at a time.
func decidesAt(set budget.Set, i int, reason candidate.Reason, at time.Time) bool {
	if set.MostSpecific() {
		return decidingOf(set, at, reason, false)[i]
	}
	return isFor(set, i, reason, at)
}

// roll returns when the roll of a budget began, and its last start that is remembered.
func (d *decision) roll(p scope, i int) (since, last time.Time) {
	since = d.in.Now
	own := disruptkit.Spreading{Revision: p.Revision}
	for _, r := range p.Budgets.Budgets()[i].Reasons {
		r, _ = candidate.ParseReason(string(r), p.Budgets.Methods()...)
		own.Reasons = append(own.Reasons, r)
	}
	for _, s := range d.in.Memory[p.key].Spreads {
		same := fmt.Sprint(s.Reasons) == fmt.Sprint(own.Reasons)
		same = same && (p.layer > 0 || s.Revision == own.Revision) // no generator changes that of a group
		if same && !s.Since.IsZero() && !s.Since.After(d.in.Now) {
			since, last = s.Since, s.Last
		}
	}
	if last.Before(since) {
		last = since
	}
	return since, last
}

// newest returns since when the newest reason of the candidates holds, in the input, and that reason.
func (d *decision) newest(p scope, i int) (newest time.Time, of candidate.Reason) {
	before := *d
	before.allowed = nil
	before.waiting(p, i, func(r request, _ string) {
		since := r.c.Since
		if !since.After(d.in.Now) && (since.After(newest) || since.Equal(newest) && r.c.Reason < of) {
			newest, of = since, r.c.Reason
		}
	})
	return newest, of
}

// spreading reports whether a budget that spreads rolls has a candidate, or a node in flight, before the decision.
func (d *decision) spreading(p scope, i int) (rolls bool) {
	before := *d
	before.allowed = nil
	before.waiting(p, i, func(request, string) { rolls = true })
	return rolls || before.flies(p, i)
}

// flies reports whether a node is in flight for a reason that a budget spreads.
func (d *decision) flies(p scope, i int) (flies bool) {
	for _, o := range d.allowed {
		flies = flies || p.has(o.node) && usesUp(o.node) && spreads(p.Budgets, i, o.c.Reason)
	}
	for _, n := range d.in.Nodes {
		for _, s := range started(disruptkit.Input{Now: d.in.Now, Nodes: []candidate.Node{n}}, p, 0) {
			flies = flies || s.Reason != "" && spreads(p.Budgets, i, s.Reason)
		}
	}
	return flies
}

// lots returns how many candidates of a pool wait that a budget spreads. A unit counts once.
func (d *decision) lots(p scope, i int) int {
	waiting := map[string]bool{}
	d.waiting(p, i, func(_ request, lot string) { waiting[lot] = true })
	return len(waiting)
}

// waiting calls a function with each candidate of a pool that waits for a spread, and with what is disrupted with it.
func (d *decision) waiting(p scope, i int, with func(r request, lot string)) {
	for at, n := range d.in.Nodes {
		for j, c := range n.Conditions {
			counts := p.has(n) && n.Counted() && n.Phase.Known() && !n.InFlight()
			if !counts || !spreads(p.Budgets, i, c.Reason) || repeated(d.in, n, j) {
				continue
			}
			c.Deadline = Deadline(d.in, n, c)
			r := request{n, c, at}
			lot, gone := fmt.Sprint("node ", at), false
			for _, m := range unit(d.in, r) {
				is := func(o request) bool { return o.position == m.position }
				gone = gone || slices.ContainsFunc(d.allowed, is) || d.forGood(m)
				if m.position != at {
					lot = "unit " + n.Unit
				}
			}
			if !gone {
				with(r, lot)
			}
		}
	}
}

// forGood reports whether a node, or one of its pods, is blocked for good.
func (d *decision) forGood(r request) bool {
	said := candidate.NodeGate(&r.node, r.c, minimum(d.in, r.node, r.c.Reason), d.in.Now)
	if !r.node.InFlight() {
		said = append(said, candidate.OpenPods(d.in.Rules, d.in.Now).Blockers(&r.node, r.c)...)
	}
	return slices.ContainsFunc(said, func(b candidate.Blocker) bool { return b.ForGood })
}

// openTime sums up, minute by minute, how long a budget decides for a reason and the budgets allow a node.
func openTime(set budget.Set, i, nodes int, reason candidate.Reason, from, to time.Time) (sum time.Duration) {
	for at := from; at.Before(to); {
		next := at.Truncate(time.Minute).Add(time.Minute)
		if next.After(to) {
			next = to
		}
		if n, _ := budget.AllowedByReason(set, at, nodes, reason); n.Nodes > 0 && decidesAt(set, i, reason, at) {
			sum += next.Sub(at)
		}
		at = next
	}
	return sum
}
