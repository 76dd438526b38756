package planner

import (
	"reflect"
	"slices"
	"time"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/plan"
	"github.com/disruptkit/disruptkit/schedule"
)

// narrow removes what is not about one pool. The plan is still of the whole cluster.
func narrow(r plan.Range, pool string) plan.Range {
	if pool == "" {
		return r
	}
	r.Draws = make([]plan.Draw, len(r.Draws)) // which of its own nodes is last is not known
	r.Finish = ofPool(r, pool)
	p := &r.Plan
	p.Nodes = only(p.Nodes, func(n plan.Node) bool { return n.Pool == pool })
	p.Expiring = only(p.Expiring, func(n plan.Node) bool { return n.Pool == pool })
	p.Pools = only(p.Pools, func(q plan.Pool) bool { return q.Name == pool })
	p.Groups = only(p.Groups, func(g plan.Group) bool { return g.Pool == pool })
	p.Turns = only(p.Turns, func(t plan.Turn) bool { return t.Pool == pool })
	p.Closed = only(p.Closed, func(c plan.Closing) bool { return c.Pool == pool })
	p.Finish = time.Time{}
	for _, q := range p.Pools {
		p.Finish = schedule.Last(p.Finish, q.Finish)
	}
	r.Pools = only(r.Pools, func(q plan.PoolRange) bool { return q.Name == pool })
	return r
}

// helpPool returns those trials that help a pool, and what they do for it.
func helpPool(trials []plan.Trial, pool string) (helpful []plan.Trial) {
	for _, t := range trials {
		if t.Comparison = forPool(t.Comparison, pool); t.Comparison.Gain() > 0 || t.Comparison.Done > 0 {
			helpful = append(helpful, t)
		}
	}
	return helpful
}

// forPool returns what a change does for a pool.
func forPool(c plan.Comparison, pool string) plan.Comparison {
	for _, p := range c.Pools {
		if p.Name == pool {
			return plan.Comparison{Compared: p.Compared}
		}
	}
	return plan.Comparison{}
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
