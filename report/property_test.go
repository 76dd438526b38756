package report_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/testkit"
	"github.com/disruptkit/disruptkit/internal/testkit/generate"
	"github.com/disruptkit/disruptkit/report"
	"github.com/disruptkit/disruptkit/schedule"
)

// compiled compares compiled values, which no test may look into, by what they were compiled from.
var compiled = cmp.Options{
	cmp.Comparer(func(a, b budget.Set) bool {
		return cmp.Equal(a.Budgets(), b.Budgets()) && a.MostSpecific() == b.MostSpecific()
	}),
	cmp.Comparer(func(a, b candidate.Rules) bool {
		pdbs, schedules := a.Written()
		others, other := b.Written()
		return cmp.Equal(pdbs, others) && cmp.Equal(schedules, other)
	}),
	cmp.Comparer(func(a, b schedule.Window) bool { return a == b }),
}

// uniquelyNamed draws an input whose nodes have names of their own, as those of Kubernetes do.
func uniquelyNamed(t *rapid.T) disruptkit.Input {
	in := testkit.Arbitrary(generate.Input).Draw(t, "in")
	for i := range in.Nodes {
		in.Nodes[i].Name = fmt.Sprintf("node-%02d", i)
	}
	return in
}

// later returns the input after some time, in which nodes have begun to go, were kept, or are gone, and pools have
// other budgets.
func later(t *rapid.T, in disruptkit.Input) disruptkit.Input {
	in.Now = in.Now.Add(time.Duration(rapid.IntRange(1, 600).Draw(t, "minutes")) * time.Minute)
	in.Nodes, in.Pools = slices.Clone(in.Nodes), slices.Clone(in.Pools)
	kept := in.Nodes[:0]
	for _, n := range in.Nodes {
		switch rapid.IntRange(0, 5).Draw(t, "becomes") {
		case 0:
			n.Leaving, n.DisruptedFor = candidate.Draining, testkit.Arbitrary(generate.Reason).Draw(t, "for")
		case 1:
			n.Leaving = candidate.Staying
		case 2:
			continue
		}
		kept = append(kept, n)
	}
	in.Nodes = kept
	for i := range in.Pools {
		if rapid.Bool().Draw(t, "other budgets") {
			in.Pools[i].Budgets, _ = budget.Compile(testkit.Arbitrary(generate.Budgets).Draw(t, "budgets"))
		}
	}
	return in
}

func drawAsked(t *rapid.T) []candidate.Reason {
	return rapid.SliceOfN(rapid.OneOf(testkit.Arbitrary(generate.Reason), rapid.Just(candidate.Reason(""))), 0, 3).Draw(t, "asked")
}

func shuffled(t *rapid.T, in disruptkit.Input) disruptkit.Input {
	in.Nodes = rapid.Permutation(in.Nodes).Draw(t, "nodes")
	in.Pools = rapid.Permutation(in.Pools).Draw(t, "pools")
	return in
}

// told returns all of a report, in lines. (JSON knows no years before 0.)
func told(r report.Report) string {
	return strings.ReplaceAll(fmt.Sprintf("%+v", r), "} {", "}\n{")
}

func TestAReportDependsOnNeitherTheOrderOfTheInputNorOnChance(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := uniquelyNamed(t)
		asked := drawAsked(t)
		first := summarized(report.Report{}, in, asked...)
		next := later(t, in)
		want := told(summarized(first, next, asked...))
		if diff := cmp.Diff(want, told(summarized(first, next, asked...))); diff != "" {
			t.Fatalf("the second time it was another (-first +second)\n%s", diff)
		}
		other := summarized(summarized(report.Report{}, shuffled(t, in), asked...), shuffled(t, next), asked...)
		if diff := cmp.Diff(want, told(other)); diff != "" {
			t.Fatalf("in another order it was another (-want +got)\n%s", diff)
		}
	})
}

func TestAReportChangesNeitherTheInputNorThePreviousReport(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := testkit.Arbitrary(generate.Input).Draw(t, "in")
		previous := summarized(report.Report{}, in, drawAsked(t)...)
		next := later(t, in)
		var ds []disruptkit.Decision
		for _, reason := range drawAsked(t) {
			ds = append(ds, disruptkit.Decide(next, reason))
		}
		before, beforeText, decided := copied(next), told(previous), fmt.Sprintf("%+v", ds)
		report.Summarize(previous, next, ds...)
		if diff := cmp.Diff(before, next, compiled); diff != "" {
			t.Fatalf("the input (-before +after)\n%s", diff)
		}
		if diff := cmp.Diff(beforeText, told(previous)); diff != "" {
			t.Fatalf("the previous report (-before +after)\n%s", diff)
		}
		if diff := cmp.Diff(decided, fmt.Sprintf("%+v", ds)); diff != "" {
			t.Fatalf("the decisions (-before +after)\n%s", diff)
		}
	})
}

// copied copies what of an input a report could write to.
func copied(in disruptkit.Input) disruptkit.Input {
	in.Pools, in.Nodes = slices.Clone(in.Pools), slices.Clone(in.Nodes)
	for i := range in.Nodes {
		n := &in.Nodes[i]
		n.Conditions, n.Blockers, n.Pods = slices.Clone(n.Conditions), slices.Clone(n.Blockers), slices.Clone(n.Pods)
	}
	return in
}

// counters returns the counters of all pools by their labels, and the totals of their statuses.
func counters(r report.Report) map[string]float64 {
	all := map[string]float64{}
	for _, m := range r.Metrics {
		for _, s := range m.Samples {
			if m.Counter {
				all[fmt.Sprint(m.Name, s.Labels)] = s.Value
			}
		}
	}
	for _, p := range r.Pools {
		all[p.Pool] = float64(p.TotalDisrupted)
	}
	return all
}

func TestCountersNeverFallAndCountWhoBeginsToGo(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := uniquelyNamed(t)
		r := summarized(report.Report{}, in, drawAsked(t)...)
		for range 4 {
			next := later(t, in)
			before := counters(r)
			was := map[string]bool{}
			for _, n := range in.Nodes {
				was[n.Name] = n.InFlight()
			}
			r, in = summarized(r, next, drawAsked(t)...), next
			for key, value := range before {
				if now, there := counters(r)[key]; !there || now < value {
					t.Fatalf("%s fell from %v to %v", key, value, now)
				}
			}
			for _, p := range r.Pools {
				begin, last := 0, 0.0
				for _, n := range in.Nodes {
					if n.Pool == p.Pool && n.InFlight() && !was[n.Name] {
						begin++
					}
				}
				for key, value := range counters(r) {
					if strings.HasPrefix(key, fmt.Sprintf("%s[{nodepool %s}", report.MetricDisruptedNodes, p.Pool)) {
						last += value
					}
				}
				if float64(p.TotalDisrupted) != before[p.Pool]+float64(begin) || last != float64(p.TotalDisrupted) {
					t.Fatalf("%s: %v before, %d begin to go; now the status says %d, the counters %v", p.Pool, before[p.Pool], begin, p.TotalDisrupted, last)
				}
				if began := p.LastDisruptionTime.Equal(in.Now); began != (begin > 0) {
					t.Fatalf("%s: %d begin to go at %v, and the last time is %v", p.Pool, begin, in.Now, p.LastDisruptionTime)
				}
			}
		}
	})
}

func TestConditionsSayWhoMayBeDisrupted(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := testkit.Arbitrary(generate.Input).Draw(t, "in")
		asked := drawAsked(t)
		allowed, blocked := map[string]bool{}, map[string][]candidate.Blocker{}
		dated, overdue := map[string]bool{}, map[string]bool{}
		for _, reason := range asked {
			d := disruptkit.Decide(in, reason)
			for _, c := range slices.Concat(d.Allowed, d.Blocked) {
				dated[c.Node] = dated[c.Node] || !c.Deadline.IsZero()
				overdue[c.Node] = overdue[c.Node] || c.Overdue
			}
			for _, c := range d.Allowed {
				allowed[c.Node] = true
			}
			for _, c := range d.Blocked {
				blocked[c.Node] = append(blocked[c.Node], c.Blockers...)
			}
		}
		inFlight := map[string]bool{}
		for _, n := range in.Nodes {
			inFlight[n.Name] = inFlight[n.Name] || n.InFlight()
		}
		seen := map[string]bool{}
		for _, n := range summarized(report.Report{}, in, asked...).Nodes {
			seen[n.Node] = true
			concerned := allowed[n.Node] || len(blocked[n.Node]) > 0
			if !concerned && (!n.InFlight || len(n.Conditions) > 0) {
				t.Fatalf("nobody wants %+v gone", n)
			}
			types := map[string]bool{}
			for _, c := range n.Conditions {
				if types[c.Type] {
					t.Fatalf("%s: two conditions are %s", n.Node, c.Type)
				}
				types[c.Type] = true
				want := allowed[n.Node]
				if c.Type == report.ConditionBudgetRestricted {
					want = !allowed[n.Node] && !n.InFlight && slices.ContainsFunc(blocked[n.Node], isBudget)
				}
				if c.Type == report.ConditionOverdue {
					want = overdue[n.Node]
				}
				if c.Status != want || !c.LastTransitionTime.Equal(in.Now) || c.Reason == "" || c.Message == "" {
					t.Fatalf("%s is %+v; allowed: %v, blocked: %v", n.Node, c, allowed[n.Node], blocked[n.Node])
				}
			}
			if want := dated[n.Node] && !n.InFlight; types[report.ConditionOverdue] != want {
				t.Fatalf("%s has a deadline: %t, but %+v", n.Node, want, n.Conditions)
			}
			if concerned && (!types[report.ConditionAllowed] || !types[report.ConditionBudgetRestricted]) {
				t.Fatalf("%s lacks a condition: %+v", n.Node, n.Conditions)
			}
		}
		for _, n := range in.Nodes {
			if want := allowed[n.Name] || len(blocked[n.Name]) > 0 || inFlight[n.Name]; want != seen[n.Name] {
				t.Fatalf("%s is in the report: %v, want %v", n.Name, seen[n.Name], want)
			}
		}
	})
}

// isBudget reports whether a blocker is what an operator has written into budgets.
func isBudget(b candidate.Blocker) bool {
	switch b.Gate {
	case "budget":
		return true
	case "topology":
		return b.Code == "exhausted" || b.Code == "allows-none"
	}
	return false
}

func TestActiveBudgetsAreThoseThatAreWritten(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := testkit.Arbitrary(generate.Input).Draw(t, "in")
		want := map[string]float64{}
		for _, p := range in.Pools {
			for i, b := range p.Budgets.Budgets() {
				if p.Budgets.Broken().Has(i) {
					return // what a broken one is for is nobody's to say
				}
				active := 0.0
				if isActive(b, in.Now) {
					active = 1
				}
				reasons := b.Reasons
				if len(reasons) == 0 {
					reasons = []candidate.Reason{""}
				}
				for _, r := range reasons {
					method, child, _ := strings.Cut(string(r), "/")
					want[p.Name+" "+dash(method)+" "+dash(child)] += active
				}
			}
		}
		got := map[string]float64{}
		for _, m := range report.Summarize(report.Report{}, in).Metrics {
			for _, s := range m.Samples {
				if m.Name == report.MetricActiveBudgets {
					got[s.Labels[0].Value+" "+dash(s.Labels[1].Value)+" "+dash(s.Labels[2].Value)] = s.Value
				}
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("active budgets (-want +got)\n%s", diff)
		}
	})
}

func dash(label string) string {
	if label == "" {
		return "-"
	}
	return label
}

// The cluster stays as it is, and a day passes, hour by hour: windows open and close where what is allowed for a node
// crosses 0, a budget is exceeded where more goes for it than it allows, and nothing else happens.
func TestEventsOfADayAreWhereTheAllowanceCrossesZero(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := testkit.Arbitrary(generate.Input).Draw(t, "in")
		asked := []candidate.Reason{candidate.Drifted, candidate.Empty}
		var r report.Report
		closed, exceeded := map[string]bool{}, map[string]bool{}
		for hour := range 25 {
			r = summarized(r, in, asked...)
			var want []string
			for _, p := range r.Pools {
				set := in.Pools[slices.IndexFunc(in.Pools, func(in disruptkit.Pool) bool { return in.Name == p.Pool })].Budgets
				for _, r := range p.Reasons {
					ofOne, _ := budget.AllowedByReason(set, in.Now, 1, r.Reason)
					key := fmt.Sprint(p.Pool, " ", r.Reason)
					if was, known := closed[key]; known && was && ofOne.Nodes > 0 {
						want = append(want, "EnteringDisruptionWindow "+key)
					} else if known && !was && ofOne.Nodes == 0 {
						want = append(want, "ExitingDisruptionWindow "+key)
					}
					closed[key] = ofOne.Nodes == 0
				}
				for i, b := range set.Budgets() {
					key, over := fmt.Sprint(p.Pool, " ", i), naiveExceeded(in, p, set, i, b)
					if over && !exceeded[key] {
						want = append(want, "BudgetExceeded "+p.Pool+" ")
					}
					exceeded[key] = over
				}
			}
			var got []string
			for _, e := range r.Events {
				got = append(got, fmt.Sprintf("%s %s %s", e.Name, e.Pool, e.Reason))
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Fatalf("events after %d hours (-want +got)\n%s", hour, diff)
			}
			in.Now = in.Now.Add(time.Hour)
		}
	})
}

// naiveExceeded reports whether more of a pool's nodes are missing because of a budget than it allows: not Ready, or in
// flight for a reason for which the budget decides, or for an unknown one.
func naiveExceeded(in disruptkit.Input, p report.PoolStatus, set budget.Set, i int, b budget.Budget) bool {
	broken := set.Broken().Has(i)
	if b.TopologyKey != "" && !broken || !broken && !isActive(b, in.Now) {
		return false
	}
	allowed := 0
	if !broken {
		alone, err := budget.Compile([]budget.Budget{{Nodes: b.Nodes}})
		if err != nil {
			panic(err)
		}
		allowance, _ := budget.AllowedByReason(alone, in.Now, p.Nodes, "")
		allowed = allowance.Nodes
	}
	about, own := candidate.Reason(""), 0
	if len(b.Reasons) > 0 && !slices.ContainsFunc(b.Reasons, func(r candidate.Reason) bool { return r.Method() != candidate.Unhealthy }) {
		about = candidate.Unhealthy // which nodes that are not Ready wait for
	}
	for _, n := range in.Nodes {
		why := n.DisruptedFor
		limits := why == "" || len(b.Reasons) == 0 || slices.ContainsFunc(b.Reasons, func(r candidate.Reason) bool {
			_, err := candidate.ParseReason(string(r))
			return err != nil || r.Covers(why) // nobody knows what was meant
		})
		if set.MostSpecific() && !broken && why != "" {
			limits = set.Deciding(in.Now, why).Has(i)
		}
		if n.Pool == p.Pool && n.Disrupting(about) && (!n.Ready() || n.Rebooting || limits) {
			own++
		}
	}
	return own > allowed
}

// isActive reports whether a budget that is not broken is active.
func isActive(b budget.Budget, now time.Time) bool {
	if b.From != "" || b.To != "" {
		zone, err := time.LoadLocation(b.TimeZone)
		if err != nil {
			panic(err)
		}
		shown := now.In(zone).Format(time.DateOnly)
		return ((b.From == "" || b.From <= shown) && (b.To == "" || shown <= b.To)) != b.Outside
	}
	if b.Schedule == "" {
		return true
	}
	d, err := time.ParseDuration(b.Duration)
	if err != nil {
		panic(err)
	}
	return schedule.InWindow(schedule.MustParse(b.Schedule, d, b.TimeZone), now) != b.Outside
}
