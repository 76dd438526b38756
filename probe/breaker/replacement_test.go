package breaker_test

import (
	"math"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/testkit"
	"github.com/disruptkit/disruptkit/internal/testkit/generate"
	"github.com/disruptkit/disruptkit/probe/breaker"
)

// launches reads a history: "F30 S-5" is a failure 30 minutes before noon, and a success five minutes after it.
func launches(history string) []breaker.Launch {
	var all []breaker.Launch
	for _, word := range strings.Fields(history) {
		minutes, err := strconv.Atoi(word[1:])
		if err != nil {
			panic(err)
		}
		all = append(all, breaker.Launch{At: ago(minutes), Failed: word[0] == 'F'})
	}
	return all
}

func TestTooManyFailedReplacements(t *testing.T) {
	usual := breaker.Replacement{Failures: 3, Of: 5, CoolDown: time.Hour}
	with := func(change func(b *breaker.Replacement)) breaker.Replacement {
		b := usual
		change(&b)
		return b
	}
	each := with(func(b *breaker.Replacement) { b.Failures, b.Of = 1, 1 })
	allOfThree := with(func(b *breaker.Replacement) { b.Of = 3 })
	forEver := with(func(b *breaker.Replacement) { b.CoolDown = candidate.Forever })
	resetAt := func(minutes int) breaker.Replacement {
		return with(func(b *breaker.Replacement) { b.ResetAt = ago(minutes) })
	}
	for _, c := range []struct {
		name    string
		breaker breaker.Replacement
		history string
		want    string // "" is nothing
	}{
		{"no history", usual, "", ""},
		{"successes alone", usual, "S5 S4 S3 S2 S1", ""},
		{"one failure too few", usual, "F5 F4", ""},
		{"one failure too few among successes", usual, "F5 S4 F3 S2 S1", ""},
		{"exactly as many as it takes", usual, "F5 F4 F3", "12:57: 3 of the last 3 new nodes failed to become Ready"},
		{"with successes between them", usual, "F5 S4 F3 S2 F1", "12:59: 3 of the last 5 new nodes failed to become Ready"},
		{"more than it takes", usual, "F5 F4 F3 F2 F1", "12:59: 5 of the last 5 new nodes failed to become Ready"},
		{"more than are looked at", usual, "F7 F6 F5 F4 F3 F2 F1", "12:59: 5 of the last 5 new nodes failed to become Ready"},
		{"the oldest is no longer among the last", usual, "F6 S5 S4 S3 F2 F1", ""},
		{"the oldest is just among the last", usual, "S6 F5 S4 S3 F2 F1", "12:59: 3 of the last 5 new nodes failed to become Ready"},
		{"among all that there ever were", with(func(b *breaker.Replacement) { b.Of = math.MaxInt }), "F99 S98 F97 F9 S8", "12:51: 3 of the last 4 new nodes failed to become Ready"},
		{"in any order", usual, "F1 S6 S3 F5 F2 S4", "12:59: 3 of the last 5 new nodes failed to become Ready"},
		{"all at the same time", usual, "F1 F1 F1", "12:59: 3 of the last 3 new nodes failed to become Ready"},
		{"of the same time failures are taken for later, to be cautious", allOfThree, "S1 F1 S1 F1 S1 F1", "12:59: 3 of the last 3 new nodes failed to become Ready"},
		{"and so they are in another order", allOfThree, "F1 F1 F1 S1 S1 S1", "12:59: 3 of the last 3 new nodes failed to become Ready"},
		{"a single failure", each, "S3 S2 F1", "12:59: 1 of the last 1 new node failed to become Ready"},
		{"right now", each, "F0", "13:00: 1 of the last 1 new node failed to become Ready"},

		{"a minute before it has cooled down", usual, "F70 F65 F59", "12:01: 3 of the last 3 new nodes failed to become Ready"},
		{"when it has cooled down", usual, "F70 F65 F60", ""},
		{"a single one of them is still warm", usual, "F180 F120 F10", "12:50: 3 of the last 3 new nodes failed to become Ready"},
		{"until a reset, an hour later", forEver, "F180 F120 F60", "until a reset: 3 of the last 3 new nodes failed to become Ready"},
		{"launches of a scale-up that succeed do not end a cool-down", usual, "F9 F8 F7 S3 S2 S1", "12:53: 3 of the last 3 new nodes failed to become Ready"},
		{"nor do many of them", usual, "F9 F8 F7 S6 S6 S6 S6 S6 S6 F1", "12:53: 3 of the last 3 new nodes failed to become Ready"},
		{"until a reset, whatever succeeds", forEver, "F9 F8 F7 S3 S2 S1", "until a reset: 3 of the last 3 new nodes failed to become Ready"},
		{"until a reset, years later", forEver, "F9000000 F9000000 F9000000", "until a reset: 3 of the last 3 new nodes failed to become Ready"},
		{"a cool-down that is almost for ever ends", with(func(b *breaker.Replacement) { b.CoolDown = candidate.Forever - 1 }), "F3 F2 F1", "11:46: 3 of the last 3 new nodes failed to become Ready"},

		{"half open: the next success pushes no failure out yet", usual, "F80 F75 F70 S5", ""},
		{"half open: the next failure stops at once", usual, "F80 F75 F70 F5", "12:55: 4 of the last 4 new nodes failed to become Ready"},
		{"half open: a failure after a success also stops at once", usual, "F80 F75 F70 S9 F5", "12:55: 4 of the last 5 new nodes failed to become Ready"},
		{"half open: two successes, and there are still enough", usual, "F80 F75 F70 S9 S8 F5", "12:55: 3 of the last 5 new nodes failed to become Ready"},
		{"closed again: each of three successes has pushed one out", usual, "F80 F75 F70 S9 S8 S7 F5", ""},
		{"closed again after one success, where all have to fail", allOfThree, "F80 F75 F70 S9 F5", ""},

		{"a success from the future does not count until then", allOfThree, "F3 F2 S-1 F-2", "12:01: 3 of the last 3 new nodes failed to become Ready"},
		{"a failure from the future does", usual, "F3 F2 F-1", "13:01: 3 of the last 3 new nodes failed to become Ready"},
		{"a success right now counts", allOfThree, "F3 F2 S0 F0", ""},

		{"reset before all that", resetAt(10), "F3 F2 F1", "12:59: 3 of the last 3 new nodes failed to become Ready"},
		{"reset after the first of them", resetAt(3), "F4 F2 F1", ""},
		{"reset at the time of the first of them", resetAt(3), "F3 F2 F1", ""},
		{"reset after all that", resetAt(0), "F3 F2 F1", ""},
		{"reset at the time of the last of them", resetAt(0), "F3 F2 F0", ""},
		{"three more after a reset", resetAt(4), "F7 F6 F5 F3 F2 F1", "12:59: 3 of the last 3 new nodes failed to become Ready"},
		{"a reset that is still to come ends it then", resetAt(-1), "F3 F2 F1", "12:01: 3 of the last 3 new nodes failed to become Ready"},
		{"a reset that is still to come, after a failure from the future", resetAt(-5), "F3 F2 F-1", "12:05: 3 of the last 3 new nodes failed to become Ready"},
		{"a reset that is still to come, before a failure from the future", resetAt(-1), "F3 F2 F-5", "12:01: 3 of the last 3 new nodes failed to become Ready"},
		{"a reset that is still to come, before as many failures from the future as it takes", resetAt(-1), "F3 F-5 F-6 F-7", "13:07: 4 of the last 4 new nodes failed to become Ready"},
		{"a reset that comes when it is over anyway", resetAt(-90), "F3 F2 F1", "12:59: 3 of the last 3 new nodes failed to become Ready"},
		{"a reset to come of what would be for ever", with(func(b *breaker.Replacement) { b.CoolDown, b.ResetAt = candidate.Forever, ago(-1) }), "F3 F2 F1", "12:01: 3 of the last 3 new nodes failed to become Ready"},
		{"a failure from the future, behind a reset", resetAt(0), "F-1 F-2 F-3", "13:03: 3 of the last 3 new nodes failed to become Ready"},
		{"a reset ends what would be for ever", with(func(b *breaker.Replacement) { b.CoolDown, b.ResetAt = candidate.Forever, noon }), "F3 F2 F1", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			v := c.breaker.Verdict(launches(c.history), noon)
			if diff := cmp.Diff(c.want, stopped(v, noon)); diff != "" {
				t.Error(diff)
			}
			if !v.Allowed || !v.StaleAt.IsZero() || v.Probe != "replacements" || (v.Code == "failed-replacement") != (c.want != "") || (v.Denied == nil) != (c.want == "") {
				t.Errorf("%+v", v)
			}
		})
	}
}

func TestAnInvalidReplacementBreakerAllowsNothing(t *testing.T) {
	for _, c := range []struct {
		name    string
		breaker breaker.Replacement
		fields  string // of all faults
		says    []string
	}{
		{"the zero value", breaker.Replacement{}, "failures coolDown", []string{"0 never stop", "write 1 or more", "0s", "write a time such as 1h, or Forever"}},
		{"no failures", breaker.Replacement{Of: 5, CoolDown: time.Hour}, "failures", []string{"0 ", "write 1 or more"}},
		{"fewer than no failures", breaker.Replacement{Failures: -1, CoolDown: time.Hour}, "failures", []string{"-1 ", "write 1 or more"}},
		{"fewer launches than failures", breaker.Replacement{Failures: 3, Of: 2, CoolDown: time.Hour}, "of", []string{"is less than failures", "write 3 or more"}},
		{"a negative cool-down", breaker.Replacement{Failures: 3, Of: 3, CoolDown: -time.Minute}, "coolDown", []string{"-1m ", "write a time such as 1h"}},
		{"a reason that nobody knows", breaker.Replacement{Failures: 1, Of: 1, CoolDown: 1, Reasons: []candidate.Reason{"scale-up"}}, "reasons", []string{`"scale-up" is unknown`, "write Drifted"}},
		{"a reason in small letters", breaker.Replacement{Failures: 1, Of: 1, CoolDown: 1, Reasons: []candidate.Reason{"Empty", "drifted"}}, "reasons", []string{`"drifted" is unknown`, "write Drifted"}},
		{"a reason in another spelling", breaker.Replacement{Failures: 1, Of: 1, CoolDown: 1, Reasons: []candidate.Reason{"Drift"}}, "reasons", []string{`"Drift" is another spelling of Drifted`, "write Drifted"}},
		{"a child in another spelling", breaker.Replacement{Failures: 1, Of: 1, CoolDown: 1, Reasons: []candidate.Reason{"Drifted:AMIDrift"}}, "reasons", []string{"write Drifted/AMIDrift"}},
		{"all at once", breaker.Replacement{Failures: -1, Of: -2, CoolDown: -1, Reasons: []candidate.Reason{"x", "Empty", "Drift"}},
			"reasons reasons failures of coolDown", []string{`"x"`, `"Drift"`, "-1 ", "-2 is less than failures", "-1ns "}},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := c.breaker.Validate()
			checkBroken(t, err, c.breaker.Verdict(nil, noon), "replacements", c.fields, c.says)
		})
	}
	for _, b := range []breaker.Replacement{
		{Failures: 1, Of: 1, CoolDown: 1},
		{Failures: 3, Of: 5, CoolDown: candidate.Forever, Reasons: []candidate.Reason{"", "Drifted", "Empty/Buffer"}},
	} {
		if err := b.Validate(); err != nil {
			t.Errorf("%+v: %v", b, err)
		}
	}
	v := breaker.Replacement{Name: "bad image"}.Verdict(nil, noon)
	if v.Probe != "bad image" {
		t.Errorf("it is called %s", v.Probe)
	}
}

// tooManyFailed reports naively whether too many launches failed: at one of the failures, so many of the last few up to then had
// failed, and since then the breaker has not cooled down.
func tooManyFailed(b breaker.Replacement, known []breaker.Launch, now time.Time) bool {
	for _, f := range known {
		if !f.Failed || b.CoolDown != candidate.Forever && now.Sub(f.At) >= b.CoolDown {
			continue
		}
		// before counts those that are later than a launch, but not than f; of the same time, failures are later.
		failures := 0
		for i, l := range known {
			later := 0
			for j, other := range known {
				after := other.At.After(l.At) || other.At.Equal(l.At) && (other.Failed && !l.Failed || other.Failed == l.Failed && j > i)
				if after && !other.At.After(f.At) {
					later++
				}
			}
			forgotten := func(l breaker.Launch) bool {
				return !b.ResetAt.IsZero() && !b.ResetAt.After(now) && !l.At.After(b.ResetAt)
			}
			if l.Failed && !l.At.After(f.At) && later < b.Of && !forgotten(l) && !forgotten(f) {
				failures++
			}
		}
		if failures >= b.Failures {
			return true
		}
	}
	return false
}

func TestAnotherFailureNeverAllowsMore(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b, history := testkit.Arbitrary(generate.ReplacementBreaker(noon)).Draw(t, "breaker"), testkit.Arbitrary(generate.Launches(noon)).Draw(t, "launches")
		more := append([]breaker.Launch{{At: ago(rapid.IntRange(-3, 60).Draw(t, "minutes")), Failed: true}}, history...)
		neverMore(t, b.Verdict(history, noon), b.Verdict(more, noon))
	})
}

func TestAReplacementBreakerKeepsTheLawsOfBreakers(t *testing.T) {
	kind[breaker.Replacement, breaker.Launch]{
		generate.ReplacementBreaker, generate.Launches, breaker.Replacement.Verdict, tooManyFailed,
		func(l breaker.Launch) time.Time { return l.At },
		func(b breaker.Replacement, at time.Time) breaker.Replacement { b.ResetAt = at; return b },
	}.checkLaws(t)
}
