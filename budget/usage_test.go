package budget_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/testkit"
	"github.com/disruptkit/disruptkit/internal/testkit/generate"
	"github.com/disruptkit/disruptkit/schedule"
)

// drawUsers draws why nodes are in flight: also for reasons that nobody knows.
func drawUsers(t *rapid.T) []candidate.Reason {
	reason := rapid.OneOf(testkit.Arbitrary(generate.Reason), testkit.Arbitrary(generate.Reason), testkit.Arbitrary(generate.Reason), rapid.SampledFrom(reasons{"", "repair", "Drift", "Drifted/Other", notReady}))
	return rapid.SliceOfN(reason, 0, 12).Draw(t, "in flight")
}

func drawUsage(t *rapid.T) budget.Usage { return usageOf(drawUsers(t)) }

// notReady stands for a node that is only not Ready, among those in flight.
const notReady = "not Ready"

func usageOf(users []candidate.Reason) (u budget.Usage) {
	for _, user := range users {
		if user == notReady {
			u.NotReady++
		} else {
			u.Add(user, 1)
		}
	}
	return u
}

// inUse is such that "what is left of it is what is left of each budget that decides": of the one of which least is left.
func (s slowSpec) inUse(t *rapid.T, now time.Time, nodes int, reason candidate.Reason, users []candidate.Reason) (n int) {
	if reason.Method() == candidate.Unhealthy { // not Ready is what repair is for
		users = slices.DeleteFunc(slices.Clone(users), func(user candidate.Reason) bool { return user == notReady })
	}
	if !s.specific || reason == "" {
		return len(users)
	}
	limit, left := budget.Unlimited, budget.Unlimited
	for _, i := range s.deciding(t, now, reason) {
		using := 0
		for _, user := range users {
			if s.counts(t, now, i, user) {
				using++
			}
		}
		n := scaled(s.budgets[i].Nodes, nodes)
		limit, left = min(limit, n), min(left, n-using)
	}
	if limit < budget.Unlimited {
		return limit - left
	}
	for _, user := range users {
		if unknown(user) || user == reason || strings.HasPrefix(string(reason), string(user)+"/") {
			n++
		}
	}
	return n
}

func unknown(user candidate.Reason) bool {
	known, err := candidate.ParseReason(string(user))
	return err != nil || known != user
}

// counts reports whether a budget "counts what goes for the reasons for which it decides", "and what goes for an unknown reason. One
// in flight for a method, whose child is unknown, counts for all of its children".
func (s slowSpec) counts(t *rapid.T, now time.Time, i int, user candidate.Reason) bool {
	ofAChild := slices.ContainsFunc(s.budgets[i].Reasons, func(r candidate.Reason) bool {
		r, _ = candidate.ParseReason(string(r))
		return r == user || strings.HasPrefix(string(r), string(user)+"/")
	})
	return unknown(user) || ofAChild || slices.Contains(s.deciding(t, now, user), i)
}

func TestInUseIsWhatTheSameBudgetsDecide(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		_, s, set := drawSpec(t)
		users := drawUsers(t)
		for range 4 {
			now, reason := testkit.Arbitrary(generate.Time).Draw(t, "now"), drawReason(t)
			want := s.inUse(t, now, 100, reason, users)
			if got := set.InUse(now, 100, reason, usageOf(users)); got != want {
				t.Fatalf("%q: %d, want %d", reason, got, want)
			}
		}
	})
}

// Who returns is as if he had never been there.
func TestAUsageFromWhichAllNodesReturnIsEmpty(t *testing.T) {
	var u budget.Usage
	u.Add("Drifted", 2)
	u.Add("Empty", 0)
	u.NotReady++
	u.Add("Drifted", -2)
	u.NotReady--
	if len(u.InFlight) > 0 || u.For("") != 0 {
		t.Error(u)
	}
}

func TestAUsageIsCounted(t *testing.T) {
	var none budget.Usage
	if none.For("") != 0 || (budget.Set{}).InUse(aFriday, 100, "Drifted", none) != 0 {
		t.Error("the zero Usage counts something")
	}
	var few, many budget.Usage
	for _, u := range []*budget.Usage{&few, &many} {
		u.Add("Drifted", 2)
		u.Add("Drifted", 1)
		u.Add("", 4)
	}
	many.Add("Drifted", 5)
	many.Add("Empty", 7)
	set := specific(t, budget.Budget{Nodes: "5", Reasons: reasons{"Drifted"}}, budget.Budget{Nodes: "5"})
	for _, c := range []struct {
		what                   string
		u                      budget.Usage
		total, drifted, others int
	}{{"few", few, 7, 7, 4}, {"many", many, 19, 12, 11}} {
		if got := c.u.For(""); got != c.total {
			t.Errorf("%s: %d in all, want %d", c.what, got, c.total)
		}
		for reason, want := range map[candidate.Reason]int{"Drifted": c.drifted, "Empty": c.others, "": c.total} {
			if got := set.InUse(aFriday, 100, reason, c.u); got != want {
				t.Errorf("%s, %q: %d, want %d", c.what, reason, got, want)
			}
		}
	}
	if got := (budget.Set{}).InUse(aFriday, 100, "Empty", many); got != 19 {
		t.Errorf("where the most restrictive decide, %d of 19 count", got)
	}
}

// At no time before Regroups does anything else use up what there is for a reason; it is a time at which a budget changes.
func TestUntilItRegroupsTheSameReasonsShare(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		_, s, set := drawSpec(t)
		now, users := testkit.Arbitrary(generate.Time).Draw(t, "now"), drawUsers(t)
		reason := drawReason(t)
		end := set.Regroups(now, reason)
		for range 4 {
			at := s.drawBetween(t, now, end)
			before, then := s.inUse(t, now, 100, reason, users), s.inUse(t, at, 100, reason, users)
			if before != then {
				t.Fatalf("%q: %d are in use at %v, %d at %v, before it regroups at %v", reason, before, now, then, at, end)
			}
		}
		if end.IsZero() {
			return
		}
		changes := slices.ContainsFunc(s.budgets, func(b budget.Budget) bool {
			return s.changes(b, end.Add(-1)).Equal(end)
		})
		if !end.After(now) || !changes {
			t.Fatalf("nothing changes at %v", end)
		}
	})
}

// drawBetween draws a time before the end, or where there is none, one of the next years: often one at which a budget changes.
func (s slowSpec) drawBetween(t *rapid.T, from, end time.Time) time.Time {
	if end.IsZero() {
		end = s.horizon(from)
	}
	span := int64(end.Sub(from))
	after := []*rapid.Generator[int64]{rapid.Just(span - 1), rapid.Int64Range(0, span-1), rapid.Int64Range(0, min(span-1, int64(72*time.Hour)))}
	for _, b := range s.budgets {
		if next := s.changes(b, from); !next.IsZero() && next.Before(end) {
			after = append(after, rapid.Just(int64(next.Sub(from))))
		}
	}
	return from.Add(time.Duration(rapid.OneOf(after...).Draw(t, "after")))
}

// horizon returns a time up to which budgets become active or inactive some hundred times at the most: so far does any search look.
func (s slowSpec) horizon(from time.Time) time.Time {
	end := from.AddDate(5, 0, 0)
	for _, b := range s.budgets {
		n, w := 0, s.window(b)
		for span := range w.Spans(from, end) {
			if n++; n > 300/len(s.budgets) {
				end = span.Start
				break
			}
		}
	}
	return end
}

// window returns when the schedule of a budget is open, or one that always is, if it has none.
func (s slowSpec) window(b budget.Budget) schedule.Window {
	d, err := time.ParseDuration(b.Duration)
	if b.From != "" || b.To != "" {
		w, _ := schedule.ParseDates(b.From, b.To, b.TimeZone)
		return w
	}
	if b.Schedule == "" || err != nil {
		return schedule.Window{}
	}
	w, _ := schedule.Parse(b.Schedule, d, b.TimeZone)
	return w
}

// changes returns when a budget next becomes active or inactive, as package schedule has it.
func (s slowSpec) changes(b budget.Budget, from time.Time) time.Time {
	_, next := s.window(b).Until(from)
	return next
}

// While nothing limits drift, nothing of it counts; once a budget does, a child in flight does.
func TestAPlaceThatAChildInFlightTakesLaterIsForeseen(t *testing.T) {
	set := specific(t, budget.Budget{Nodes: "1", Reasons: reasons{"Drifted"}, Schedule: "0 16 * * *", Duration: "3h"})
	var u budget.Usage
	u.Add("Drifted/SubnetDrift", 1)
	four := time.Date(2026, 11, 20, 16, 0, 0, 0, time.UTC)
	if room, end := set.Room(aFriday, 100, "Drifted", u); !room || !end.Equal(four) {
		t.Errorf("%t until %v", room, end)
	}
	if at := set.Regroups(aFriday, "Drifted"); !at.Equal(four) {
		t.Errorf("it regroups at %v", at)
	}
}

// Where budgets change too often to look ahead, room lasts up to a time that is too early, and not for good.
func TestRoomIsNotForGoodWhereBudgetsChangeTooOften(t *testing.T) {
	now := time.Date(1990, 1, 1, 0, 0, 0, 0, time.UTC)
	ends := time.Date(2026, 11, 2, 0, 0, 0, 0, time.UTC)
	for name, spec := range map[string]budget.Spec{
		"the most restrictive": {Budgets: []budget.Budget{
			{Nodes: "3", Schedule: "*/2 * * * *", Duration: "1m"}, {Nodes: "4"}, {Nodes: "0", From: "2026-11-02", To: "2026-11-03"},
		}},
		"the most specific": {Budgets: []budget.Budget{{Nodes: "0", Schedule: "* * * * *", Duration: "1m"}}, Drift: budget.Control{Budgets: []budget.Budget{
			{Nodes: "4"}, {Nodes: "0", From: "2026-11-02", To: "2026-11-03"}, {Nodes: "9", Schedule: "*/2 * * * *", Duration: "1m"},
		}}},
	} {
		set, err := spec.Compile()
		if err != nil {
			t.Fatal(err)
		}
		for _, u := range []budget.Usage{{}, {InFlight: map[candidate.Reason]int{"": 1, "Drifted/SubnetDrift": 1}}} {
			room, end := set.Room(now, 100, candidate.Drifted, u)
			if !room || end.IsZero() || end.After(ends) {
				t.Errorf("%s: with %v in flight, room is %t up to %v, and the last budget opens at %v", name, u.InFlight, room, end, ends)
			}
		}
	}
}
