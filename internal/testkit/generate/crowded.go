package generate

import (
	"fmt"
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/testkit/fixture"
	"github.com/disruptkit/disruptkit/probe"
	"github.com/disruptkit/disruptkit/schedule"
)

// Crowded generates fleets in which candidates get in each other's way. There are few places and few times: all that
// begins or ends does so at a full quarter of an hour of the next three hours, so that much of it happens at once.
// Only back-offs end after ten minutes, and some deadlines are before that. A node has up to three reasons. It may be
// in flight or not Ready, may wait for a nomination or for the window of a pod, and may become overdue.
func Crowded(s Source) disruptkit.Input {
	in := disruptkit.Input{Now: fixture.Noon, Memory: map[string]disruptkit.Memory{}}
	in.Rules, _ = candidate.CompileRules([]candidate.PDB{
		{Namespace: "shop", Name: "web", DisruptionsAllowed: 1 + s(2), Selector: selects("web")},
		{Namespace: "shop", Name: "db", DisruptionsAllowed: 1, Selector: selects("db"), AlwaysAllow: true},
	}, nil)
	for i := range 1 + s(2) {
		p := disruptkit.Pool{Name: fmt.Sprint("pool-", i)}
		spec := budget.Spec{MostSpecific: s(4) == 3}
		for range 1 + s(4) {
			spec.Budgets = append(spec.Budgets, tight(s))
		}
		p.Budgets, _ = spec.Compile()
		in.Pools = append(in.Pools, p)
		m := disruptkit.Memory{}
		if s(4) == 3 {
			m.Backoff = disruptkit.Backoff{Level: 1, Until: quarter(s)}
		}
		for range s(3) {
			m.Starts = append(m.Starts, disruptkit.Start{
				Node: fmt.Sprint("gone-", s(9)), Reason: urge(s), Seen: true,
				At: fixture.Noon.Add(-time.Duration(s(5)) * 15 * time.Minute),
			})
		}
		if !m.Equal(disruptkit.Memory{}) {
			in.Memory[p.Name] = m
		}
	}
	if s(6) == 5 {
		in.Pauses = []probe.Pause{{Reasons: []candidate.Reason{urge(s)}, From: quarter(s), Until: quarter(s)}}
	}
	if s(6) == 5 {
		in.Verdicts = []probe.Verdict{{Probe: "health", Allowed: true, StaleAt: quarter(s)}}
	}
	for i := range 2 + s(9) {
		in.Nodes = append(in.Nodes, eager(s, fmt.Sprintf("node-%02d", i), fmt.Sprint("pool-", s(len(in.Pools)))))
	}
	return in
}

// quarter generates one of the next full quarters of an hour.
func quarter(s Source) time.Time {
	return fixture.Noon.Add(time.Duration(1+s(12)) * 15 * time.Minute)
}

func urge(s Source) candidate.Reason {
	return pick(s, candidate.Drifted, candidate.Drifted, candidate.Underutilized, candidate.Empty, "Drifted/AMIDrift")
}

// tight generates budgets that allow few nodes or start, or none for a while. Some are for single zones.
func tight(s Source) budget.Budget {
	b := budget.Budget{Nodes: []string{"1", "2", "0", "0", "3"}[s(5)]}
	if s(3) > 0 {
		b.Reasons = []candidate.Reason{urge(s)}
	}
	switch s(6) {
	case 4:
		b.Nodes, b.Per = []string{"1", "2"}[s(2)], []string{"15m", "30m", "1h"}[s(3)]
	case 5:
		b.Nodes, b.TopologyKey, b.Sequential = pick(s, "1", "2"), pick(s, "zone", "zone", "rack"), s.Bool()
	}
	if b.Nodes == "0" || s(3) == 2 {
		at := fixture.Noon.Add(time.Duration(s(16)-8) * 15 * time.Minute)
		b.Schedule, b.Duration = fmt.Sprintf("%d %d * * *", at.Minute(), at.Hour()), fmt.Sprintf("%dm", (1+s(10))*15)
	}
	return b
}

// eager generates a candidate.
func eager(s Source, name, pool string) candidate.Node {
	const run = candidate.Running
	n := candidate.Node{
		Name: name, Pool: pool, Phase: pick(s, run, run, run, run, run, candidate.NotReady), HasGracePeriod: s(4) == 3,
		Labels: map[string]string{"zone": []string{"a", "a", "b"}[s(3)], "rack": []string{"1", "2"}[s(2)]},
	}
	if s(9) == 8 {
		n.Labels = nil
	}
	for i := range []int{1, 1, 1, 2, 3}[s(5)] {
		c := candidate.Condition{Reason: urge(s), Since: fixture.Noon.Add(-time.Duration(1+s(40)) * time.Hour)}
		if s(4) == 3 {
			c.Deadline = []time.Time{quarter(s).Add(-30 * time.Minute), fixture.Noon.Add(5 * time.Minute)}[s(2)]
		}
		if i == 0 || c.Reason != n.Conditions[0].Reason {
			n.Conditions = append(n.Conditions, c)
		}
	}
	switch s(14) {
	case 10: // repaired: if it was never initialized, no budget counts it
		n.Phase = []candidate.Phase{candidate.Registered, candidate.NotReady}[s(2)]
		n.Conditions[0].Reason = candidate.Unhealthy
	case 11: // its window closes
		at := quarter(s).Add(-3 * time.Hour)
		n.Pods = []candidate.Pod{{Namespace: "shop", Name: "job-" + name, Terms: candidate.Terms{
			Window: quartersFrom(at, 1+s(20)),
		}}}
	case 12:
		for _, app := range []string{"web", "db"} {
			labels := map[string]string{"app": app}
			n.Pods = append(n.Pods, candidate.Pod{Namespace: "shop", Name: app + "-" + name, Labels: labels})
		}
	case 5, 6:
		n.NominatedUntil = quarter(s)
	case 7:
		n.Leaving, n.DisruptedFor = candidate.Draining, urge(s)
	case 8:
		at := quarter(s)
		n.Pods = []candidate.Pod{{Namespace: "shop", Name: "job-" + name, Terms: candidate.Terms{
			Window: quartersFrom(at, 1+s(12)),
		}}}
	case 9, 13:
		n.Pods = []candidate.Pod{{Namespace: "shop", Name: "web-" + name, Labels: map[string]string{"app": "web"}}}
		if s.Bool() { // its PDB no longer matters once it is overdue
			n.HasGracePeriod, n.Conditions[0].Deadline = true, quarter(s)
		}
	}
	return n
}

// selects returns a selector of the pods of an app.
func selects(app string) *candidate.Selector {
	return &candidate.Selector{MatchLabels: map[string]string{"app": app}}
}

// quartersFrom returns a window that opens each day at a time, for so many quarters of an hour.
func quartersFrom(at time.Time, quarters int) schedule.Window {
	cron := fmt.Sprintf("%d %d * * *", at.Minute(), at.Hour())
	return schedule.MustParse(cron, time.Duration(quarters)*15*time.Minute, "")
}
