package forecast

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/engine"
	"github.com/disruptkit/disruptkit/cmd/internal/wire"
)

// A difference is where engines first allow another number of nodes, with the same objects.
type difference struct {
	reasons []candidate.Reason
	from    time.Time
	allowed map[engine.Engine]budget.Segment
	numbers string // "Karpenter v1.15: 3, guard: 0 (disruptkit.dev/disruption budgets[0])"
}

// differences returns where the engines differ for the reasons of a pool.
func (p *pool) differences(o options, in input, i int) (all []difference) {
	others := map[engine.Engine]*pool{o.policy.As: p}
	for e, read := range in.others {
		if i >= len(read) {
			return nil // somebody reads other pools in the same objects: the fault is reported
		}
		o := o
		o.reasons = p.reasons
		other, err := forecastOf(o, read[i], p.nodes)
		if err != nil {
			return nil
		}
		others[e] = other
	}
	for _, reason := range p.reasons {
		d, differ := differenceOf(o.policy.As, others, reason)
		if !differ {
			continue
		}
		same := slices.IndexFunc(all, func(a difference) bool { return a.numbers == d.numbers && a.from.Equal(d.from) })
		if same < 0 {
			same, all = len(all), append(all, d)
		}
		all[same].reasons = append(all[same].reasons, reason)
	}
	return all
}

// differenceOf returns when engines first differ.
func differenceOf(own engine.Engine, pools map[engine.Engine]*pool, reason candidate.Reason) (d difference, differ bool) {
	position := map[engine.Engine]int{}
	for {
		d = difference{allowed: map[engine.Engine]budget.Segment{}}
		var next time.Time
		for e, p := range pools {
			s := p.timelines[reason][position[e]]
			d.allowed[e] = s
			if s.Start.After(d.from) {
				d.from = s.Start
			}
			if next.IsZero() || s.End.Before(next) {
				next = s.End
			}
		}
		d.numbers, differ = engine.Numbers(own, func(e engine.Engine) (n, why string) { return pools[e].says(reason, d.allowed[e]) })
		if differ {
			return d, true
		}
		for e, p := range pools {
			if p.timelines[reason][position[e]].End.Equal(next) {
				position[e]++
			}
			if position[e] == len(p.timelines[reason]) {
				return d, false
			}
		}
	}
}

// says returns how many nodes are disrupted at a time, and because of what.
func (p *pool) says(reason candidate.Reason, s budget.Segment) (n, why string) {
	if p.rejected() {
		return "the API server rejects it", ""
	}
	if why := p.never(reason); why != "" {
		return "0", why
	}
	places := p.whoPaused(reason, s.Span)
	for i := range s.Binding.All() {
		places = append(places, p.where(i))
	}
	n = amount(s.Nodes)
	if s.Paces != 0 {
		n += " at a pace"
		for i := range s.Paces.All() {
			places = append(places, p.where(i))
		}
	}
	return n, strings.Join(places, ", ")
}

// text returns a sentence.
func (d difference) text(zone *time.Location) string {
	return fmt.Sprintf("%s, from %s: %s", group{reasons: d.reasons}.names(), onClock(d.from.In(zone), "Mon 02 Jan 15:04"), d.numbers)
}

func (d difference) json(zone *time.Location) jsonDifference {
	j := jsonDifference{Reasons: d.reasons, From: d.from.In(zone), Allowed: map[string]*int{}, Message: d.text(zone)}
	for e, s := range d.allowed {
		j.Allowed[e.String()] = wire.Number(s.Nodes)
	}
	return j
}
