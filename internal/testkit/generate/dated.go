package generate

import (
	"fmt"
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
)

// Dated generates inputs in which most nodes have a deadline that has come or soon will, and little but windows,
// paces, back-offs and turns of zones blocks them.
func Dated(s Source) disruptkit.Input {
	return dated(s, func(s Source, now time.Time) budget.Budget {
		return pick(s, closing, closing, few, turning)(s, now)
	})
}

// DatedUnzoned generates the same, without budgets for single zones.
func DatedUnzoned(s Source) disruptkit.Input {
	return dated(s, func(s Source, now time.Time) budget.Budget { return pick(s, closing, closing, few)(s, now) })
}

func dated(s Source, one func(Source, time.Time) budget.Budget) disruptkit.Input {
	in := disruptkit.Input{Now: Now(s), Memory: map[string]disruptkit.Memory{}}
	in.Pools = several(s, 1, 2, func(s Source) disruptkit.Pool {
		set, _ := Spec(several(s, 1, 4, func(s Source) budget.Budget { return one(s, in.Now) }))(s).Compile()
		return disruptkit.Pool{Budgets: set, Topology: Options(s), RepairBacksOff: s.Bool()}
	})
	for i := range in.Pools {
		in.Pools[i].Name = fmt.Sprintf("pool-%d", i)
		if m := memory(s, in.Now); !m.Equal(disruptkit.Memory{}) {
			in.Memory[in.Pools[i].Name] = m
		}
	}
	if s.seldom() {
		in.Pauses = Pauses(in.Now)(s)
	}
	in.Rules = Rules(s)
	in.Nodes = several(s, 1, 12, func(s Source) candidate.Node {
		const run = candidate.Running
		n := candidate.Node{
			Pool: fmt.Sprintf("pool-%d", s(len(in.Pools))), Phase: pick(s, run, run, run, run, run, candidate.NotReady),
			Labels:         map[string]string{"zone": pick(s, "a", "a", "b", "b", "c"), "rack": pick(s, "1", "2")},
			Cost:           float64(s(2)),
			HasGracePeriod: s.Bool(),
		}
		if s.seldom() {
			n.Leaving, n.DisruptedFor = candidate.Draining, Reason(s)
		}
		if s.seldom() {
			n.Pods = Pods(in.Now)(s)
		}
		n.Conditions = several(s, 1, 2, func(s Source) candidate.Condition {
			c := condition(s, in.Now)
			c.Deadline = time.Time{}
			if s(5) > 0 {
				c.Deadline = in.Now.Add(time.Duration(s.Between(-4, 8)) * 20 * time.Minute)
				c.Since = c.Deadline.Add(-time.Duration(s.Between(0, 30)) * time.Hour)
			}
			return c
		})
		return n
	})
	for i := range in.Nodes {
		in.Nodes[i].Name = fmt.Sprintf("node-%02d", i)
	}
	return in
}

// closing generates budgets that allow nothing for some hours of the day.
func closing(s Source, now time.Time) budget.Budget {
	b := budget.Budget{
		Nodes: "0", Reasons: pick(s, nil, nil, []candidate.Reason{"Drifted"}, []candidate.Reason{Reason(s)}),
	}
	return daily(s, now, b)
}

// few generates budgets that allow few nodes, at once or within some time, now or at other times.
func few(s Source, now time.Time) budget.Budget {
	b := budget.Budget{
		Nodes:   pick(s, "1", "1", "2", "3", "20%"),
		Reasons: pick(s, nil, nil, []candidate.Reason{"Drifted"}, []candidate.Reason{Reason(s)}),
	}
	if s(3) == 2 {
		b.Per = pick(s, "20m", "1h", "5h")
	}
	if s.Bool() {
		b = daily(s, now, b)
	}
	return b
}

// turning generates budgets for single zones, most of which are sequential.
func turning(s Source, now time.Time) budget.Budget {
	b := ZoneBudget(s)
	b.Schedule, b.Duration, b.Outside = "", "", false
	if s.Bool() {
		b = daily(s, now, b)
	}
	return b
}

// daily makes a budget one for some hours of the day, which begin or end near a time.
func daily(s Source, now time.Time, b budget.Budget) budget.Budget {
	at := now.UTC().Add(time.Duration(s.Between(-6, 6)) * 30 * time.Minute)
	b.Schedule, b.Duration = fmt.Sprintf("%d %d * * *", at.Minute(), at.Hour()), fmt.Sprintf("%dh", s.Between(1, 9))
	b.Outside = s.seldom()
	return b
}
