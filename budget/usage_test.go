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
// that goes for a method, of which nobody knows for which child, counts for all of its children".
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
	if none.For("") != 0 || none.Clone().For("") != 0 || (budget.Set{}).InUse(aFriday, 100, "Drifted", none) != 0 {
		t.Error("the zero Usage counts something")
	}
	var u budget.Usage
	u.Add("Drifted", 2)
	u.Add("Drifted", 1)
	u.Add("", 4)
	own := u.Clone()
	own.Add("Drifted", 5)
	own.Add("Empty", 7)
	set := specific(t, budget.Budget{Nodes: "5", Reasons: reasons{"Drifted"}}, budget.Budget{Nodes: "5"})
	for _, c := range []struct {
		what                   string
		u                      budget.Usage
		total, drifted, others int
	}{{"what was cloned", u, 7, 7, 4}, {"the clone", own, 19, 12, 11}} {
		if got := c.u.For(""); got != c.total {
			t.Errorf("%s: %d in all, want %d", c.what, got, c.total)
		}
		for reason, want := range map[candidate.Reason]int{"Drifted": c.drifted, "Empty": c.others, "": c.total} {
			if got := set.InUse(aFriday, 100, reason, c.u); got != want {
				t.Errorf("%s, %q: %d, want %d", c.what, reason, got, want)
			}
		}
	}
	if got := (budget.Set{}).InUse(aFriday, 100, "Empty", own); got != 19 {
		t.Errorf("where the most restrictive decide, %d of 19 count", got)
	}
}

// Karpenter v1.15: "Repair must not count merely-unhealthy nodes" (NodePoolStatsFromNodes).
func TestNodesThatAreNotReadyUseUpAllButWhatRepairsThem(t *testing.T) {
	var u budget.Usage
	u.NotReady += 3
	u.Add("Drifted", 2)
	u.Add("", 1)
	five, repair := budget.Budget{Nodes: "5"}, budget.Budget{Nodes: "4", Reasons: reasons{"Unhealthy"}}
	restrictive, err := budget.Compile([]budget.Budget{five, repair})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name   string
		set    budget.Set
		reason candidate.Reason
		want   int
	}{
		{"in flight or not Ready", restrictive, "Drifted", 6},
		{"for repair, in flight", restrictive, "Unhealthy", 3},
		{"also for the repair of one condition", restrictive, "Unhealthy/Ready", 3},
		{"for any reason, all", restrictive, "", 6},
		{"where the most specific decide: of its own budget, and unknown", specific(t, five, repair), "Unhealthy", 1},
		{"others count them beside their own", specific(t, five, repair), "Drifted", 6},
		{"repair that shares a budget counts what goes for that", specific(t, five), "Unhealthy", 3},
		{"where nothing decides, they count for others", specific(t, repair), "Empty", 4},
		{"and not for repair", specific(t, budget.Budget{Nodes: "4", Reasons: reasons{"Drifted"}}), "Unhealthy", 1},
	} {
		got := c.set.InUse(aFriday, 100, c.reason, u)
		if got != c.want {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
		allowance, _ := budget.AllowedByReason(c.set, aFriday, 100, c.reason)
		if room, _ := c.set.Room(aFriday, 100, c.reason, u); room != (allowance.Remaining(c.want) > 0) {
			t.Errorf("%s: room is %t, for %d of %d", c.name, room, c.want, allowance.Nodes)
		}
	}
}

// Karpenter's default, and any list without the RFC: whatever is in flight uses up everything.
func TestWhoUsesUpWhat(t *testing.T) {
	window := func(b budget.Budget) budget.Budget { b.Schedule, b.Duration = "0 12 * * *", "2h"; return b }
	before := func(b budget.Budget) budget.Budget { b.Schedule, b.Duration = "0 10 * * *", "2h"; return b }
	all, drift, ami := budget.Budget{Nodes: "5"}, budget.Budget{Nodes: "5", Reasons: reasons{"Drifted"}}, budget.Budget{Nodes: "5", Reasons: reasons{"Drifted/AMIDrift"}}
	both := budget.Budget{Nodes: "5", Reasons: reasons{"Drifted/AMIDrift", "Empty"}}
	for _, c := range []struct {
		name         string
		budgets      []budget.Budget
		reason, user candidate.Reason
		counts       bool
	}{
		{"the remaining reasons share", []budget.Budget{all, drift}, "Empty", "Expired", true},
		{"a method with a budget of its own does not share", []budget.Budget{all, drift}, "Empty", "Drifted", false},
		{"the others do not share with it", []budget.Budget{all, drift}, "Drifted", "Empty", false},
		{"as long as it is active", []budget.Budget{all, before(drift)}, "Drifted", "Empty", true},
		{"from when it is active on", []budget.Budget{all, window(drift)}, "Drifted", "Empty", false},
		{"two budgets, one of which is the same", []budget.Budget{drift, both}, "Drifted/AMIDrift", "Empty", true},
		{"the same, the other way round", []budget.Budget{drift, both}, "Empty", "Drifted/AMIDrift", true},
		{"two budgets, none of which is the same", []budget.Budget{drift, both}, "Empty", "Drifted/SubnetDrift", false},
		{"a method in flight counts for a child with a budget of its own", []budget.Budget{drift, ami}, "Drifted/AMIDrift", "Drifted", true},
		{"a child with a budget of its own does not count for its method", []budget.Budget{drift, ami}, "Drifted", "Drifted/AMIDrift", false},
		{"nor for its siblings", []budget.Budget{drift, ami}, "Drifted/SubnetDrift", "Drifted/AMIDrift", false},
		{"a child without one counts for its method", []budget.Budget{drift, ami}, "Drifted", "Drifted/SubnetDrift", true},
		{"the unknown counts for a child", []budget.Budget{drift, ami}, "Drifted/AMIDrift", "", true},
		{"a spelling that is none of the API's is unknown", []budget.Budget{drift, ami}, "Empty", "Drift", true},
		{"where nothing decides, nothing is shared", []budget.Budget{drift}, "Empty", "Expired", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			var u budget.Usage
			u.Add(c.user, 3)
			want := 0
			if c.counts {
				want = 3
			}
			if got := specific(t, c.budgets...).InUse(aFriday, 100, c.reason, u); got != want {
				t.Errorf("%d of 3 count", got)
			}
			if got := (budget.Set{}).InUse(aFriday, 100, c.reason, u); got != 3 {
				t.Errorf("where the most restrictive decide, %d of 3 count", got)
			}
		})
	}
}

func TestWhenReasonsBeginToShareIsForeseen(t *testing.T) {
	for _, c := range []struct {
		name    string
		budgets []budget.Budget
		want    string // the hour; "" is never
	}{
		{"budgets for all, always", []budget.Budget{{Nodes: "5"}}, ""},
		{"a budget for drift that becomes inactive", []budget.Budget{{Nodes: "5"}, {Nodes: "5", Reasons: reasons{"Drifted"}, Schedule: "0 11 * * *", Duration: "3h"}}, "14"},
		{"budgets of methods that share nothing", []budget.Budget{{Nodes: "5", Reasons: reasons{"Drifted"}, Schedule: "0 16 * * *", Duration: "3h"},
			{Nodes: "5", Reasons: reasons{"Empty"}, Schedule: "0 15 * * *", Duration: "3h"}}, "16"},
		{"the first of several that change", []budget.Budget{{Nodes: "5"}, {Nodes: "5", Reasons: reasons{"Drifted"}, Schedule: "0 16 * * *", Duration: "3h"},
			{Nodes: "5", Reasons: reasons{"Empty"}, Schedule: "0 15 * * *", Duration: "3h"}}, "15"},
		{"a budget for drift, always", []budget.Budget{{Nodes: "5"}, {Nodes: "5", Reasons: reasons{"Drifted"}}}, ""},
		{"a budget for all that becomes active, where none was", []budget.Budget{{Nodes: "5", Schedule: "0 17 * * *", Duration: "3h"}}, "17"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := ""
			if at := specific(t, c.budgets...).Regroups(aFriday, "Drifted"); !at.IsZero() {
				got = at.Format("15")
			}
			if got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
			for _, reason := range []candidate.Reason{"", "Drifted"} {
				now := aFriday
				if reason != "" {
					now = time.Time{}
				}
				if at := specific(t, c.budgets...).Regroups(now, reason); !at.IsZero() {
					t.Errorf("for %q at %v: %v", reason, now, at)
				}
			}
			restrictive, err := budget.Compile(c.budgets)
			if err != nil {
				t.Fatal(err)
			}
			if at := restrictive.Regroups(aFriday, "Drifted"); !at.IsZero() {
				t.Errorf("where the most restrictive decide: %v", at)
			}
		})
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
