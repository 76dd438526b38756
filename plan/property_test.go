package plan_test

import (
	"cmp"
	"slices"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/dialect"
	"github.com/disruptkit/disruptkit/internal/testkit"
	"github.com/disruptkit/disruptkit/internal/testkit/generate"
	slow "github.com/disruptkit/disruptkit/internal/testkit/naive"
	"github.com/disruptkit/disruptkit/plan"
	"github.com/disruptkit/disruptkit/schedule"
)

func TestMain(m *testing.M) { testkit.Main(m) }

// model generates models in which all takes a number of minutes or seconds, by the name of the node.
func model(s generate.Source) plan.Model {
	m := plan.Model{
		Pass:       -1,
		Every:      time.Duration(1+s(3)) * 20 * time.Second,
		Reasons:    []candidate.Reason{candidate.Unhealthy, candidate.Empty, candidate.Drifted, candidate.Underutilized, candidate.Expired},
		DrainFirst: s(4) == 3,
		Launch:     takes(s), Drain: takes(s), Recovery: plan.Constant(0),
	}
	if s(3) == 2 {
		m.Recovery = takes(s)
	}
	if s(4) == 3 {
		m.Outages = []schedule.Window{schedule.MustParse("*/20 * * * *", 7*time.Minute, "")}
	}
	return m
}

func takes(s generate.Source) plan.Takes {
	base, spread := time.Duration(s(9))*30*time.Second, time.Duration(s(100))*time.Second
	return func(n candidate.Node, _ time.Time, _ float64) time.Duration {
		return base + spread*time.Duration(len(n.Name)*7+int(n.Name[len(n.Name)-1]))/100
	}
}

// A fate is what becomes of a node.
type fate struct {
	Name  string
	Start time.Duration // -1: it does not start
	Gone  time.Duration
	Late  bool
	Waits map[string]time.Duration
}

// expiring lets some nodes expire, in some models.
func expiring(t *rapid.T, in disruptkit.Input, m *plan.Model) {
	drains(t, in, m)
	if !rapid.Bool().Draw(t, "nodes expire") {
		return
	}
	from, apart := rapid.IntRange(-30, 60).Draw(t, "expiry"), rapid.IntRange(1, 900).Draw(t, "seconds apart")
	m.Expires = func(n candidate.Node) time.Time {
		if len(n.Name)%3 == 2 {
			return time.Time{}
		}
		after := time.Duration(from)*time.Minute + time.Duration(int(n.Name[len(n.Name)-1])%16*apart)*time.Second
		return in.Now.Add(after)
	}
	if rapid.Bool().Draw(t, "grace periods") {
		m.Grace = func(n candidate.Node) time.Duration {
			if !n.HasGracePeriod {
				return 0
			}
			return time.Duration(len(n.Name)) * time.Minute
		}
	}
}

// drains reports of some nodes that pods terminate, or that their drain has not begun, and of some PodDisruptionBudgets that
// they recover.
func drains(t *rapid.T, in disruptkit.Input, m *plan.Model) {
	kind := rapid.IntRange(0, 7).Draw(t, "drains")
	if kind&1 != 0 {
		m.Terminates = func(n candidate.Node) time.Time {
			if len(n.Name)%2 == 0 {
				return time.Time{}
			}
			return in.Now.Add(time.Duration(n.Name[len(n.Name)-1]%8) * 5 * time.Minute)
		}
	}
	if kind&2 != 0 {
		m.Begun = func(n candidate.Node) (since time.Time, begun bool) {
			last := n.Name[len(n.Name)-1]
			if last%3 != 0 {
				since = in.Now.Add(-time.Duration(last%8) * time.Minute)
			}
			return since, last%2 == 0
		}
	}
	if kind&4 != 0 {
		m.Recovers = func(pdb string) (recovers, known bool) { return len(pdb)%2 == 0, len(pdb)%3 != 0 }
	}
}

const hours = 2

// input generates inputs of a time in which none is zero.
func input(t *rapid.T) disruptkit.Input {
	in := rapid.OneOf(testkit.Arbitrary(generate.Input), testkit.Arbitrary(generate.Grouped), testkit.Arbitrary(generate.Ordered)).Draw(t, "input")
	if in.Now.Year() < 2 && !in.Now.IsZero() {
		t.Skip("the year is not one of ours")
	}
	if rapid.IntRange(0, 2).Draw(t, "deadlines") == 2 {
		for i := range in.Nodes {
			for j := range in.Nodes[i].Conditions {
				c := &in.Nodes[i].Conditions[j]
				c.Deadline = in.Now.Add(time.Duration(rapid.IntRange(-30, 90).Draw(t, "deadline")) * time.Minute)
			}
		}
	}
	return in
}

func TestAPlanIsWhatComesOfDecidingAtEachStep(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := input(t)
		m := testkit.Arbitrary(model).Draw(t, "model")
		if rapid.IntRange(0, 3).Draw(t, "dialect") == 3 {
			in.Dialect = dialect.Karpenter
		}
		expiring(t, in, &m)
		in = plan.Steady(in)
		w := newNaive(in, m)
		w.run(int(hours * time.Hour / m.Every))
		p := plan.Run(in, plan.Options{Model: m, Horizon: hours * time.Hour})
		var want, got []fate
		for _, l := range w.lives {
			if l.before && l.node.Pool == "" || !l.before && !asked(l.node, m) { // not the plan's
				continue
			}
			f := fate{Name: l.node.Name, Start: -1, Waits: l.waits}
			if !l.start.IsZero() && !l.stuck {
				f.Start, f.Gone = l.start.Sub(in.Now), l.gone.Sub(in.Now)
			} else {
				f.Waits = nil
			}
			f.Late = late(l, in, m)
			want = append(want, f)
		}
		for _, n := range p.Nodes {
			f := fate{Name: n.Name, Start: -1, Late: n.Late && (n.Outcome == plan.Done || !n.Deadline.After(p.Horizon))}
			if n.Outcome == plan.Done {
				f.Gone, f.Waits = n.Gone.Sub(in.Now), map[string]time.Duration{}
				f.Start = 0
				if !n.Start.IsZero() {
					f.Start = n.Start.Sub(in.Now)
				}
				sum := time.Duration(0)
				for _, w := range n.Waits {
					f.Waits[string(w.Gate)+"/"+string(w.Code)] += w.For
					sum += w.For
				}
				recovered := n.Start.Equal(n.Expires) && slices.ContainsFunc(in.Nodes, func(o candidate.Node) bool { return o.Name == n.Name && o.Rebooting })
				if sum != f.Start && !(recovered && len(n.Waits) == 0) { // Ready before the first decision, and then it expires
					t.Errorf("%s waits for %s, and starts after %s", n.Name, sum, f.Start)
				}
			}
			got = append(got, f)
		}
		if diff := gocmp.Diff(byName(want), byName(got)); diff != "" {
			t.Errorf("(-step by step +plan)\n%s\nthe plan:\n%s", diff, told(p))
		}
	})
}

// late reports whether a node is not gone by the first deadline of a reason that it is asked for.
func late(l *life, in disruptkit.Input, m plan.Model) bool {
	if l.before || in.Dialect == dialect.Karpenter {
		return false
	}
	var first time.Time
	for _, c := range l.node.Conditions {
		covers := func(r candidate.Reason) bool { return r.Covers(c.Reason) }
		c.Deadline = slow.Deadline(in, l.node, c)
		if c.HasDeadline() && slices.ContainsFunc(m.Reasons, covers) && (first.IsZero() || c.Deadline.Before(first)) {
			first = c.Deadline
		}
	}
	end := l.gone
	if l.start.IsZero() || l.stuck {
		end = in.Now.Add(hours*time.Hour + 1)
	}
	return !first.IsZero() && end.After(first)
}

// byName distinguishes nodes that share a name by their results. A decision does not determine which of them waits or is late.
func byName(fates []fate) map[string][]fate {
	all := map[string][]fate{}
	for _, f := range fates {
		list := append(all[f.Name], f)
		slices.SortFunc(list, func(a, b fate) int { return cmp.Or(cmp.Compare(a.Gone, b.Gone), cmp.Compare(a.Start, b.Start)) })
		all[f.Name] = list
	}
	for _, list := range all {
		for i := range list {
			if len(list) > 1 {
				list[i].Waits, list[i].Late = nil, false
			}
		}
	}
	return all
}

func asked(n candidate.Node, m plan.Model) bool {
	for _, r := range m.Reasons {
		for _, c := range n.Conditions {
			if r.Covers(c.Reason) {
				return true
			}
		}
	}
	return false
}

func TestTheClockOfEachPoolAddsUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := input(t)
		p := plan.Run(in, plan.Options{Model: testkit.Arbitrary(model).Draw(t, "model"), Horizon: hours * time.Hour})
		for _, pool := range p.Pools {
			var sum, want time.Duration
			for _, w := range pool.Clock {
				sum += w.For
			}
			if !pool.Finish.IsZero() {
				want = pool.Finish.Sub(p.From)
			}
			if pool.ToGo > 0 {
				want = max(want, hours*time.Hour)
			}
			if sum != want {
				t.Errorf("%s: the clock adds up to %s, want %s: %+v", pool.Name, sum, want, pool)
			}
		}
	})
}

func TestTheInputIsNotChanged(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := testkit.Arbitrary(generate.Input).Draw(t, "input")
		nodes, pools := cloneNodes(in), len(in.Pools)
		plan.Run(in, plan.Options{Horizon: time.Hour})
		if diff := gocmp.Diff(nodes, cloneNodes(in)); diff != "" || len(in.Pools) != pools {
			t.Error(diff)
		}
	})
}

// cloneNodes returns what a plan could change.
func cloneNodes(in disruptkit.Input) []string {
	var texts []string
	for _, n := range in.Nodes {
		texts = append(texts, n.Name, n.Pool, string(n.DisruptedFor), n.ReadySince.String())
		for _, c := range n.Conditions {
			texts = append(texts, string(c.Reason))
		}
		for _, p := range n.Pods {
			texts = append(texts, p.String(), p.Started.String())
		}
		if n.Leaving == candidate.Draining {
			texts = append(texts, "deleting")
		}
	}
	return texts
}
