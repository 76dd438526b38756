package standing

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/annotation"
	"github.com/disruptkit/disruptkit/probe"
	"github.com/disruptkit/disruptkit/report"
	"github.com/disruptkit/disruptkit/topology"
)

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// cluster is a pool of five nodes, three of which have drifted.
func cluster(budgets ...budget.Budget) disruptkit.Input {
	in := disruptkit.Input{Now: noon}
	set, _ := budget.Compile(budgets)
	in.Pools = []disruptkit.Pool{{Name: "web", Budgets: set}}
	for i := range 5 {
		n := candidate.Node{Name: fmt.Sprintf("n%d", i), Pool: "web", Phase: candidate.Running}
		if i < 3 {
			n.Conditions = []candidate.Condition{{Reason: candidate.Drifted, Since: noon.Add(-time.Hour)}}
		}
		in.Nodes = append(in.Nodes, n)
	}
	return in
}

// of returns the status of the pool, as it follows an earlier one.
func of(in disruptkit.Input, earlier Status) Status {
	s := Of(in, "web", disruptkit.Decide(in, candidate.Drifted))
	s.ObservedGeneration = 7
	return s.With(report.Outlook{}, earlier)
}

func TestAStatusSaysHowTheRollStands(t *testing.T) {
	night := budget.Budget{Nodes: "0", Schedule: "0 8 * * *", Duration: "12h"}
	for _, c := range []struct {
		name   string
		in     func() disruptkit.Input
		phase  Phase
		counts [4]int // nodes, new, in flight, to go
		says   string
	}{
		{"a node may be disrupted", func() disruptkit.Input { return cluster(budget.Budget{Nodes: "1"}) }, Progressing, [4]int{5, 2, 0, 3}, "3 of 5 nodes to go, 0 in flight; 2 held by budget/exhausted"},
		{"one is in flight, and others wait for it", func() disruptkit.Input {
			in := cluster(budget.Budget{Nodes: "1"})
			in.Nodes[0].Leaving = candidate.Draining
			return in
		}, Progressing, [4]int{5, 2, 1, 2}, "2 of 5 nodes to go, 1 in flight; 2 held by budget/exhausted"},
		{"a window is closed until tonight", func() disruptkit.Input { return cluster(night) }, Waiting, [4]int{5, 2, 0, 3}, "; time alone lifts it 2026-11-20T20:00:00Z"},
		{"somebody has paused it", func() disruptkit.Input {
			in := cluster(budget.Budget{Nodes: "1"})
			in.Pauses = []probe.Pause{{By: "alice", Why: "INC-1"}}
			return in
		}, Paused, [4]int{5, 2, 0, 3}, "3 held by probe/paused: paused by alice: INC-1"},
		{"what holds it may lift at any time", func() disruptkit.Input { return cluster(budget.Budget{Nodes: "0"}) }, Progressing, [4]int{5, 2, 0, 3}, "3 held by budget/allows-none"},
		{"a spread waits for its next start", func() disruptkit.Input { return cluster(budget.Budget{Nodes: "2", Spread: "4h"}) },
			Waiting, [4]int{5, 2, 0, 3}, "; time alone lifts it 2026-11-20T13:00:00Z"},
		{"a spread whose next start is blocked is behind", func() disruptkit.Input {
			in := cluster(budget.Budget{Nodes: "2", Spread: "4h"})
			in.Memory = map[string]disruptkit.Memory{in.Pools[0].Name: {Spreads: []disruptkit.Spreading{{Since: noon.Add(-2 * time.Hour)}}}}
			for i := range in.Nodes {
				in.Nodes[i].NominatedUntil = noon.Add(time.Hour)
			}
			return in
		}, Waiting, [4]int{5, 2, 0, 3}, "0 in flight, behind its spread since 2026-11-20T11:00:00Z; 3 held by node/nominated"},
		{"all are new", func() disruptkit.Input {
			in := cluster(budget.Budget{Nodes: "1"})
			in.Nodes = in.Nodes[3:]
			return in
		}, Done, [4]int{2, 2, 0, 0}, "nothing to do: 2 nodes"},
		{"a new node that is not Ready is not done", func() disruptkit.Input {
			in := cluster(budget.Budget{Nodes: "1"})
			in.Nodes = in.Nodes[3:]
			in.Nodes[0].Phase = candidate.NotReady
			return in
		}, Progressing, [4]int{2, 1, 0, 0}, "0 of 2 nodes to go, 0 in flight, 1 not Ready"},
		{"nodes of another pool are none of it", func() disruptkit.Input {
			in := cluster(budget.Budget{Nodes: "1"})
			for i := range 3 {
				in.Nodes[i].Pool = "batch"
			}
			return in
		}, Done, [4]int{2, 2, 0, 0}, "nothing to do: 2 nodes"},
		{"a node that has not joined yet does not count", func() disruptkit.Input {
			in := cluster(budget.Budget{Nodes: "1"})
			in.Nodes[4].Phase = candidate.Launched
			return in
		}, Progressing, [4]int{4, 1, 0, 3}, "3 of 4 nodes to go"},
		{"what can be consolidated has not to go", func() disruptkit.Input {
			in := cluster(budget.Budget{Nodes: "1"})
			for i := range 3 {
				in.Nodes[i].Conditions[0].Reason = candidate.Underutilized
			}
			return in
		}, Done, [4]int{5, 5, 0, 0}, "nothing to do"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := of(c.in(), Status{})
			if counts := [4]int{s.Nodes, s.New, s.InFlight, s.ToGo}; s.Phase != c.phase || counts != c.counts || !strings.Contains(s.Message, c.says) {
				t.Errorf("%s %v %s, want %s %v %s", s.Phase, counts, s.Message, c.phase, c.counts, c.says)
			}
		})
	}
}

// A pool that is Done has nothing that uses up its budgets.
func TestNothingOfAPoolThatIsDoneUsesUpItsBudgets(t *testing.T) {
	done := 0
	rapid.Check(t, func(t *rapid.T) {
		in := cluster(budget.Budget{Nodes: rapid.SampledFrom([]string{"0", "1", "50%"}).Draw(t, "budget")})
		in.Nodes = in.Nodes[rapid.IntRange(0, 5).Draw(t, "new"):]
		for i := range in.Nodes {
			in.Nodes[i].Phase = candidate.Phase(rapid.IntRange(0, 9).Draw(t, "phase"))
			in.Nodes[i].Leaving = rapid.SampledFrom([]candidate.Leaving{0, 0, 0, candidate.Draining, candidate.Terminating}).Draw(t, "leaving")
		}
		s := of(in, Status{})
		if s.Nodes != s.New+s.NotReady+s.InFlight+s.ToGo {
			t.Errorf("the numbers do not add up: %+v", s)
		}
		if s.Phase != Done {
			return
		}
		done++
		for _, n := range in.Nodes {
			if n.Disrupting(candidate.Drifted) {
				t.Errorf("%s, and %s uses up budgets: %s", s.Message, n.Name, n.Phase)
			}
		}
	})
	if done == 0 && !testing.Short() {
		t.Error("no pool was done")
	}
}

// The NodePool's own wave is ahead of that of a policy.
func TestAStatusSaysWhichWaveTheRollIsIn(t *testing.T) {
	rolls := func(waves ...string) budget.Set {
		set, _ := budget.Spec{Budgets: []budget.Budget{}, Drift: budget.Control{Rollout: &budget.Rollout{Waves: waves, Bake: "1h"}}}.Compile()
		return set
	}
	for _, c := range []struct {
		name, wave, turn, says string
		change                 func(*disruptkit.Input)
	}{
		{"none", `{"wave":0,"of":0}`, "", "3 of 5 nodes to go, 0 in flight; 2 held", func(*disruptkit.Input) {}},
		{"its own", `{"wave":1,"of":3,"bakesUntil":"2026-11-20T13:00:00Z"}`, "", "0 in flight, in wave 1 of 3; 3 held by wave/bakes", func(in *disruptkit.Input) {
			in.Pools[0].Budgets = rolls("2", "4")
		}},
		{"a policy's", `{"policy":"all","wave":1,"of":2}`, "a", "in wave 1 of 2", func(in *disruptkit.Input) {
			in.Groups = []disruptkit.Group{{Name: "others", Budgets: rolls("1")}, {Name: "all", Pools: []string{"web"}, Budgets: rolls("4")}}
			in.Memory = map[string]disruptkit.Memory{in.Groups[1].Key(): {Roll: topology.Roll{Key: "zone", Domain: "a"}}}
		}},
		{"both", `{"wave":1,"of":3,"bakesUntil":"2026-11-20T13:00:00Z"}`, "", "in wave 1 of 3", func(in *disruptkit.Input) {
			in.Pools[0].Budgets = rolls("2", "4")
			in.Groups = []disruptkit.Group{{Name: "all", Pools: []string{"web"}, Budgets: rolls("4")}}
		}},
		{"nothing is left to go", `{"wave":0,"of":0}`, "", "nothing to do", func(in *disruptkit.Input) {
			in.Pools[0].Budgets, in.Nodes = rolls("2"), in.Nodes[3:]
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			in := cluster(budget.Budget{Nodes: "1"})
			c.change(&in)
			s := of(in, Status{})
			wave, _ := json.Marshal(s.Wave)
			if string(wave) != c.wave || s.Turn != c.turn || !strings.Contains(s.Message, c.says) {
				t.Errorf("%s, turn %q, %s; want %s, %q, %s", wave, s.Turn, s.Message, c.wave, c.turn, c.says)
			}
		})
	}
	first, second := Status{Wave: Wave{Wave: 1, Of: 3}}, Status{At: noon, Wave: Wave{Wave: 2, Of: 3}}
	if !second.Due(first) {
		t.Error("another wave is not written")
	}
}

func TestARollIsStuckWhenNothingHasMovedForAnHourThatCouldHave(t *testing.T) {
	held := cluster(budget.Budget{Nodes: "0"})
	first := of(held, Status{})
	at := func(in disruptkit.Input, after time.Duration, earlier Status) Status {
		in.Now = noon.Add(after)
		return of(in, earlier)
	}
	if s := at(held, 59*time.Minute, first); s.Phase != Progressing {
		t.Errorf("after 59m it is %s", s.Phase)
	}
	stuck := at(held, time.Hour, first)
	if stuck.Phase != Stuck || !stuck.Since.Equal(noon.Add(time.Hour)) || !strings.Contains(stuck.Message, "nothing has moved since 2026-11-20T12:00:00Z") {
		t.Errorf("%+v", stuck)
	}
	if s := at(held, 2*time.Hour, stuck); s.Phase != Stuck || !s.Since.Equal(stuck.Since) {
		t.Errorf("it stays stuck: %+v", s)
	}
	moved := cluster(budget.Budget{Nodes: "0"})
	moved.Nodes = moved.Nodes[1:]
	if s := at(moved, 2*time.Hour, stuck); s.Phase != Progressing {
		t.Errorf("a node has gone: %+v", s)
	}
	closed := cluster(budget.Budget{Nodes: "0", Schedule: "0 8 * * *", Duration: "12h"})
	if s := at(closed, 2*time.Hour, of(closed, Status{})); s.Phase != Waiting {
		t.Errorf("a closed window is no reason to worry: %+v", s)
	}
}

// The rules of kstatus, as its README has them: "Reconciling: The controller is currently working on reconciling the latest changes.
// Stalled: The controller has encountered an error during the reconcile process or it has made insufficient progress (timeout)." "The
// absence of any conditions means everything is normal." "If the generation and the observedGeneration of a resource does not match, it
// means there are changes that the controller has not yet seen". The library itself is not used here.
func kstatus(generation int64, s Status) string {
	is := func(kind string) bool {
		for _, c := range s.Conditions {
			if c.Type == kind && c.Status == "True" {
				return true
			}
		}
		return false
	}
	switch {
	case generation != s.ObservedGeneration, is(Reconciling):
		return "InProgress"
	case is(Stalled):
		return "Failed"
	}
	return "Current"
}

func TestKstatusUnderstandsTheConditions(t *testing.T) {
	held := cluster(budget.Budget{Nodes: "0"})
	late := cluster(budget.Budget{Nodes: "0"})
	late.Now = noon.Add(time.Hour)
	done := cluster()
	done.Nodes = done.Nodes[3:]
	paused := cluster()
	paused.Pauses = []probe.Pause{{}}
	for _, c := range []struct {
		phase      Phase
		status     Status
		generation int64
		want       string
	}{
		{Progressing, of(held, Status{}), 7, "InProgress"},
		{Waiting, of(cluster(budget.Budget{Nodes: "0", Schedule: "0 8 * * *", Duration: "12h"}), Status{}), 7, "InProgress"},
		{Paused, of(paused, Status{}), 7, "InProgress"},
		{Stuck, of(late, of(held, Status{})), 7, "Failed"},
		{Done, of(done, Status{}), 7, "Current"},
		{Done, of(done, Status{}), 8, "InProgress"}, // the NodePool has changed since
	} {
		if got := kstatus(c.generation, c.status); got != c.want || c.status.Phase != c.phase {
			t.Errorf("%s of generation 7, seen at %d: %s, %s", c.status.Phase, c.generation, got, c.want)
		}
	}
}

func TestWhatIsWrittenIsReadAndWhatNobodyCanReadIsNoStatus(t *testing.T) {
	late := noon.Add(3 * time.Hour)
	s := of(cluster(budget.Budget{Nodes: "1"}), Status{}).With(report.Outlook{Early: noon, Middle: noon, Late: late, Planned: noon}, Status{})
	text, err := s.Text()
	if again, _ := Read(text).Text(); err != nil || again != text {
		t.Errorf("%v\n%s\n%s", err, text, again)
	}
	for _, broken := range []string{"", "no", `{"nodes":"many"}`, "null", "[]"} {
		if got := Read(broken); got.Phase != "" || got.Nodes != 0 {
			t.Errorf("%s: %+v", broken, got)
		}
	}
	if w := annotation.Read("web", map[string]string{annotation.Status: text}).Warnings; len(w) > 0 {
		t.Errorf("the annotation is unknown: %v", w)
	}
}

func TestAfterARestartTheFirstPlanIsStillTheFirst(t *testing.T) {
	in := cluster(budget.Budget{Nodes: "1"})
	o := report.Outlook{Middle: noon.Add(time.Hour), Planned: noon.Add(time.Hour)}
	before := of(in, Status{}).With(o, Status{})
	o = report.Outlook{Middle: noon.Add(3 * time.Hour), Planned: noon.Add(3 * time.Hour)}
	if after := of(in, before).With(o, before); !after.ETA.Planned.Equal(noon.Add(time.Hour)) || !after.ETA.Middle.Equal(noon.Add(3*time.Hour)) {
		t.Errorf("%+v", after.ETA)
	}
}

// However often it is looked at, a status is written at most once in 30 s, but for changes of its phase and generation.
func TestWritesAreFew(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var last, written Status
		var at time.Time
		for step := range rapid.IntRange(1, 200).Draw(t, "steps") {
			in := cluster(budget.Budget{Nodes: "1"})
			in.Now = noon.Add(time.Duration(step) * time.Second)
			in.Nodes = in.Nodes[rapid.IntRange(0, 4).Draw(t, "gone"):]
			if rapid.IntRange(0, 9).Draw(t, "flight") == 0 {
				in.Nodes[0].Leaving = candidate.Draining
			}
			s := of(in, written)
			if due := s.Due(written); due {
				if s.Phase == written.Phase && s.ObservedGeneration == written.ObservedGeneration && s.At.Sub(at) < betweenCounts {
					t.Fatalf("written %s after the last", s.At.Sub(at))
				}
				written, at = s, s.At
			}
			last = s
		}
		if last.Phase != written.Phase {
			t.Fatalf("it is %s, and %s is written", last.Phase, written.Phase)
		}
	})
}

// What the guard or the steward writes is no policy: a NodePool with a status alone is one without annotations.
func TestAStatusLimitsNothing(t *testing.T) {
	if annotation.Limits(annotation.Status) {
		t.Error("it is taken for a limit")
	}
	s := of(cluster(budget.Budget{Nodes: "1"}), Status{})
	text, err := s.Text()
	p := annotation.Read("web", map[string]string{annotation.Status: text})
	if err != nil || p.Written || len(p.Blockers)+len(p.Warnings)+len(p.Pauses)+len(p.Probes) > 0 {
		t.Errorf("%v %+v", err, p)
	}
}

func TestAnETAIsWrittenAgainWhenItHasMovedByATenthOfWhatIsLeft(t *testing.T) {
	in := cluster(budget.Budget{Nodes: "1"})
	by := func(after, finish time.Duration, earlier Status) Status {
		in.Now = noon.Add(after)
		return of(in, earlier).With(report.Outlook{Middle: noon.Add(finish)}, earlier)
	}
	first := by(0, 10*time.Hour, Status{})
	for _, c := range []struct {
		name          string
		after, finish time.Duration
		want          bool
	}{
		{"soon after, whatever it is", 4 * time.Minute, 20 * time.Hour, false},
		{"the same", 10 * time.Minute, 10 * time.Hour, false},
		{"half an hour of ten", 10 * time.Minute, 10*time.Hour + 30*time.Minute, false},
		{"two hours of ten", 10 * time.Minute, 12 * time.Hour, true},
		{"earlier by as much", 10 * time.Minute, 8 * time.Hour, true},
	} {
		if got := by(c.after, c.finish, first).Due(first); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}

// People may change an annotation. What they leave of it is no reason to say that a phase began in the year 1.
func TestAPhaseWithAnUnknownBeginningBeginsNow(t *testing.T) {
	for _, text := range []string{`{"phase": "Progressing"}`, `{"phase": "Progressing", "conditions": [{"type": "Reconciling", "status": "True"}]}`, `{}`, `null`} {
		s := of(cluster(budget.Budget{Nodes: "1"}), Read(text))
		if !s.Since.Equal(noon) || !s.Moved.Equal(noon) {
			t.Errorf("%s: since %v, moved %v", text, s.Since, s.Moved)
		}
		for _, c := range s.Conditions {
			if !c.LastTransitionTime.Equal(noon) {
				t.Errorf("%s: %+v", text, c)
			}
		}
	}
}

// In Kubernetes, a condition has its time from when its status changed. Its reason may change meanwhile.
func TestAConditionKeepsItsTimeWhileItsStatusIsTheSame(t *testing.T) {
	open, closed := budget.Budget{Nodes: "1"}, budget.Budget{Nodes: "0", Schedule: "0 8 * * *", Duration: "12h"}
	var s Status
	for _, step := range []struct {
		after               time.Duration
		budget              budget.Budget
		phase               Phase
		reconciling, stalls time.Duration // since when
	}{
		{0, open, Progressing, 0, 0},
		{10 * time.Minute, closed, Waiting, 0, 0},
		{20 * time.Minute, open, Progressing, 0, 0},
		{80 * time.Minute, open, Stuck, 80 * time.Minute, 80 * time.Minute},
		{90 * time.Minute, closed, Waiting, 90 * time.Minute, 90 * time.Minute},
	} {
		in := cluster(step.budget)
		in.Now = noon.Add(step.after)
		s = of(in, s)
		if s.Phase != step.phase || !s.Conditions[0].LastTransitionTime.Equal(noon.Add(step.reconciling)) ||
			!s.Conditions[1].LastTransitionTime.Equal(noon.Add(step.stalls)) {
			t.Errorf("after %v: %s, %+v", step.after, s.Phase, s.Conditions)
		}
	}
}

// Nothing could move while a window was closed, so nothing is stuck when it opens.
func TestARollIsStuckOnlyAfterAnHourInWhichItCouldMove(t *testing.T) {
	open, closed := budget.Budget{Nodes: "1"}, budget.Budget{Nodes: "0", Schedule: "0 8 * * *", Duration: "12h"}
	var s Status
	for _, step := range []struct {
		after  time.Duration
		budget budget.Budget
		phase  Phase
	}{
		{0, closed, Waiting},
		{2 * time.Hour, open, Progressing},
		{179 * time.Minute, open, Progressing},
		{180 * time.Minute, open, Stuck},
		{181 * time.Minute, open, Stuck},
		{182 * time.Minute, closed, Waiting},
		{183 * time.Minute, open, Progressing},
	} {
		in := cluster(step.budget)
		in.Now = noon.Add(step.after)
		if s = of(in, s); s.Phase != step.phase {
			t.Errorf("after %v: %s, want %s", step.after, s.Phase, step.phase)
		}
	}
}

// What is in flight is not to go any more, and what may be disrupted for one of its reasons is not blocked for another.
func TestTheCauseIsOfNodesThatAreBlocked(t *testing.T) {
	flying := cluster(budget.Budget{Nodes: "2"})
	flying.Nodes[0].Leaving, flying.Nodes[1].Leaving = candidate.Draining, candidate.Draining
	alone := cluster(budget.Budget{Nodes: "2"})
	alone.Nodes = alone.Nodes[:1]
	alone.Nodes[0].Leaving = candidate.Draining
	ailing := cluster(budget.Budget{Nodes: "0", Reasons: []candidate.Reason{candidate.Unhealthy}})
	ailing.Nodes[0].Conditions = append(ailing.Nodes[0].Conditions, candidate.Condition{Reason: candidate.Unhealthy, Since: noon.Add(-time.Hour)})
	for _, c := range []struct {
		name, says string
		in         disruptkit.Input
	}{
		{"two are in flight", "1 of 5 nodes to go, 2 in flight; 1 held by budget/exhausted: ", flying},
		{"the last one is in flight", "0 of 1 node to go, 1 in flight", alone},
		{"one may be disrupted for drift, not for repair", "3 of 5 nodes to go, 0 in flight", ailing},
	} {
		s := Of(c.in, "web", disruptkit.Decide(c.in, candidate.Unhealthy), disruptkit.Decide(c.in, candidate.Drifted)).With(report.Outlook{}, Status{})
		if exact := !strings.HasSuffix(c.says, ": "); !strings.HasPrefix(s.Message, c.says) || exact && s.Message != c.says {
			t.Errorf("%s: got %s, want %s", c.name, s.Message, c.says)
		}
	}
}

// JSON has no year 10000, in which the year 9999 ends in New York. The time is then the last one that JSON has.
func TestAPauseThatEndsAfterAllTimesOfJSONIsAStatusLikeOthers(t *testing.T) {
	in := cluster()
	in.Pauses = annotation.Read("web", map[string]string{annotation.Pause: "9999-12-31T23:59:59-05:00"}).Pauses
	in.Pools[0].Labels = map[string]string{annotation.PoolLabel: "web"}
	s := of(in, Status{})
	if text, err := s.Text(); err != nil || s.Phase != Paused || !strings.Contains(text, `"until":"9999-12-31T23:59:59Z"`) {
		t.Errorf("%s, %v: %s", s.Phase, err, text)
	}
}

// However few nodes that holds, people are to hear of it first.
func TestWhatCannotBeWrittenIsTheCause(t *testing.T) {
	in := cluster(budget.Budget{Nodes: "0"})
	if s := of(in, Status{}); s.Cause.Code == NotStored || s.Cause.Nodes != 3 {
		t.Errorf("%+v", s.Cause)
	}
	in.Nodes[0].Blockers = []candidate.Blocker{{Gate: candidate.GateBudget, Code: NotStored, Message: "forbidden"}}
	if s := of(in, Status{}); s.Cause.Code != NotStored || s.Cause.Nodes != 1 || !strings.Contains(s.Message, "forbidden") {
		t.Errorf("%+v", s.Cause)
	}
}
