package planner

import (
	"cmp"
	"reflect"
	"slices"
	"time"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/internal/choose"
	"github.com/disruptkit/disruptkit/plan"
	"github.com/disruptkit/disruptkit/schedule"
)

// narrow removes what is not about one pool, or one node. The plan is still of the whole cluster.
func narrow(r plan.Range, c choose.Choice) plan.Range {
	if c.All() {
		return r
	}
	r.Pools = only(r.Pools, func(q plan.PoolRange) bool { return c.HasPool(q.Name) })
	if c.Node != "" {
		r.Pools = nil
		for _, n := range only(r.Nodes, func(n plan.NodeRange) bool { return c.HasNode(n.Pool, n.Name) }) {
			r.Pools = append(r.Pools, plan.PoolRange{Name: n.Pool, Finish: n.Finish})
		}
	}
	r.Draws = make([]plan.Draw, len(r.Draws)) // which of its own nodes is last is not known
	r.Finish = ofPool(r, c.Pool)
	r.Plan = narrowed(r.Plan, c)
	return r
}

// narrowed narrows a plan.
func narrowed(p plan.Plan, c choose.Choice) plan.Plan {
	p.Nodes = only(p.Nodes, func(n plan.Node) bool { return c.HasNode(n.Pool, n.Name) })
	p.Expiring = only(p.Expiring, func(n plan.Node) bool { return c.HasNode(n.Pool, n.Name) })
	p.Pools = only(p.Pools, func(q plan.Pool) bool { return c.HasPool(q.Name) })
	p.Groups = only(p.Groups, func(g plan.Group) bool { return c.HasPool(g.Pool) })
	p.Turns = only(p.Turns, func(t plan.Turn) bool { return c.HasPool(t.Pool) })
	p.Closed = only(p.Closed, func(closed plan.Closing) bool { return c.HasPool(closed.Pool) })
	if c.Node != "" {
		p.Pools, p.Groups = nil, nil
		for _, n := range p.Nodes {
			count := plan.Plan{Nodes: []plan.Node{n}}.Count(far)
			p.Pools = append(p.Pools, plan.Pool{Name: n.Pool, Count: count, Start: n.Start, Finish: n.End(), Clock: clock(n)})
			p.Groups = append(p.Groups, plan.Group{Pool: n.Pool, Zone: n.Zone, Reason: n.Reason, Count: count, Start: n.Start, Finish: n.End()})
		}
	}
	p.Finish = time.Time{}
	for _, q := range p.Pools {
		p.Finish = schedule.Last(p.Finish, q.Finish)
	}
	return p
}

// clock returns how the time of a node is spent: its waits, and then its launch and its drain.
func clock(n plan.Node) []plan.Wait {
	all := only(n.Waits, func(w plan.Wait) bool { return w.For > 0 }) // a node that never goes has one of no length
	if n.Start.IsZero() || n.Outcome != plan.Done {
		return all
	}
	first, second := plan.CodeLaunch, plan.CodeDrain
	between := n.Ready
	if n.Ready.IsZero() || n.Gone.Before(n.Ready) {
		first, second, between = second, first, n.Gone
	}
	for code, length := range map[candidate.Code]time.Duration{first: between.Sub(n.Start), second: n.End().Sub(between)} {
		if length > 0 {
			all = append(all, plan.Wait{Code: code, For: length})
		}
	}
	slices.SortStableFunc(all, func(a, b plan.Wait) int { return cmp.Or(cmp.Compare(b.For, a.For), cmp.Compare(a.Code, b.Code)) })
	return all
}

// helpPool returns those trials that help a pool, and what they do for it.
func helpPool(trials []plan.Trial, pool string) (helpful []plan.Trial) {
	for _, t := range trials {
		for _, p := range t.Comparison.Pools {
			if p.Name == pool && (p.Gain() > 0 || p.Done > 0) {
				helpful = append(helpful, plan.Trial{Change: t.Change, Comparison: plan.Comparison{Compared: p.Compared}})
			}
		}
	}
	return helpful
}

// inZone shows all times of a plan, or of many, in a zone.
func inZone[T any](p T, zone *time.Location) T {
	show(reflect.ValueOf(&p).Elem(), zone)
	return p
}

func show(v reflect.Value, zone *time.Location) {
	if !v.CanInterface() { // it is not exported
		return
	}
	switch at := v.Interface().(type) {
	case time.Time:
		if !at.IsZero() {
			v.Set(reflect.ValueOf(at.In(zone)))
		}
		return
	case []candidate.Blocker, []candidate.Warning, budget.Set: // shared, and without times to show
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			show(v.Field(i), zone)
		}
	case reflect.Slice:
		for i := range v.Len() {
			show(v.Index(i), zone)
		}
	}
}

// only returns those elements of a list that are wanted. The list stays as it is.
func only[T any](list []T, wanted func(T) bool) []T {
	return slices.DeleteFunc(slices.Clone(list), func(t T) bool { return !wanted(t) })
}
