package breaker_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/testkit"
	"github.com/disruptkit/disruptkit/internal/testkit/generate"
	"github.com/disruptkit/disruptkit/probe"
	"github.com/disruptkit/disruptkit/probe/breaker"
)

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// ago returns a time so many minutes before noon.
func ago(minutes int) time.Time { return noon.Add(-time.Duration(minutes) * time.Minute) }

// stopped describes what a breaker stops at noon: "", or the end, or "until a reset", and the cause.
func stopped(v probe.Verdict, now time.Time) string {
	b, blocked := v.Blocker(candidate.Drifted, "gpu", nil, now)
	switch _, cause, _ := strings.Cut(b.Message, "("); {
	case !blocked:
		return ""
	case b.Until.IsZero():
		return "until a reset: " + strings.TrimSuffix(cause, ")")
	default:
		return b.Until.Format("15:04") + ": " + strings.TrimSuffix(cause, ")")
	}
}

// checkBroken checks that an error is of these fields, and says all that, and that the verdict therefore allows nothing.
func checkBroken(t *testing.T, err error, v probe.Verdict, name, fields string, says []string) {
	t.Helper()
	var got []string
	for line := range strings.Lines(fmt.Sprint(err)) {
		field, _, _ := strings.Cut(line, ":")
		got = append(got, field)
	}
	if diff := cmp.Diff(strings.Fields(fields), got); diff != "" {
		t.Fatal(diff)
	}
	for _, s := range says {
		if !strings.Contains(err.Error(), s) {
			t.Errorf("%s does not say %s", err, s)
		}
	}
	b, blocked := v.Blocker("Drifted", "gpu", nil, noon)
	if v.Allowed || v.Code != "invalid-probe" || v.Probe != name || !blocked || b.Code != "invalid-probe" || !b.Until.IsZero() {
		t.Errorf("it says %+v", v)
	}
	if want := strings.ReplaceAll(err.Error(), "\n", "; "); !strings.Contains(b.Message, want) || strings.Contains(b.Message, "\n") {
		t.Errorf("it says %s, want in it %s", b.Message, want)
	}
}

// trips reports whether a verdict of a breaker stops anything, and when that ends.
func trips(v probe.Verdict) (end time.Time, stops bool) {
	if len(v.Denied) == 0 {
		return time.Time{}, false
	}
	return v.Denied[0].Until, true
}

// neverMore checks that a breaker stops for as long with more history as with less.
func neverMore(t *rapid.T, less, more probe.Verdict) {
	end, stops := trips(less)
	later, still := trips(more)
	if stops && !still || stops && !later.IsZero() && (end.IsZero() || later.Before(end)) {
		t.Fatalf("before it stops %t until %v, then %t until %v", stops, end, still, later)
	}
}

// exactEnd checks that a breaker stops up to the end that it names, which does not change, and lifts at that end; if it names
// none, it never does. The history stays the same, and all of it is at whole minutes.
func exactEnd(t *rapid.T, now time.Time, verdict func(now time.Time) probe.Verdict) {
	v := verdict(now)
	end, stops := trips(v)
	if next := v.NextChange(now); !next.Equal(end) {
		t.Fatalf("it stops %t until %v, but changes at %v", stops, end, next)
	}
	if !stops {
		return
	}
	if end.IsZero() {
		if again, still := trips(verdict(now.AddDate(1000, 0, 0))); !still || !again.IsZero() {
			t.Fatalf("after a thousand years it stops %t until %v", still, again)
		}
		return
	}
	if !end.After(now) {
		t.Fatalf("it stops until %v, which has been", end)
	}
	for at := now; at.Before(end); at = at.Add(time.Minute) {
		for _, at := range []time.Time{at, at.Add(time.Minute - 1)} {
			if again, still := trips(verdict(at)); !still || !again.Equal(end) {
				t.Fatalf("at %v, before the end %v, it stops %t until %v", at, end, still, again)
			}
		}
	}
	if again, still := trips(verdict(end)); still {
		t.Fatalf("at the end %v it stops until %v", end, again)
	}
}

// A kind of breaker, B, has a history of entries, E.
type kind[B, E any] struct {
	breakers  func(time.Time) func(generate.Source) B
	histories func(time.Time) func(generate.Source) []E
	verdict   func(B, []E, time.Time) probe.Verdict
	naive     func(B, []E, time.Time) bool // whether it stops, with what is known at a time
	at        func(E) time.Time
	reset     func(B, time.Time) B
}

// checkLaws checks what holds for breakers of every kind.
func (k kind[B, E]) checkLaws(t *testing.T) {
	law := func(name string, check func(t *rapid.T, b B, history []E)) {
		t.Run(name, rapid.MakeCheck(func(t *rapid.T) {
			check(t, testkit.Arbitrary(k.breakers(noon)).Draw(t, "breaker"), testkit.Arbitrary(k.histories(noon)).Draw(t, "history"))
		}))
	}
	law("it stops when a naive replay does", func(t *rapid.T, b B, history []E) {
		for minute := -61; minute < 65; minute++ { // all that happens, happens at whole minutes
			now := ago(-minute)
			var known []E
			for _, e := range history {
				if !k.at(e).After(now) {
					known = append(known, e)
				}
			}
			if _, stops := trips(k.verdict(b, known, now)); stops != k.naive(b, known, now) {
				t.Fatalf("at %s, of %v: it stops %t", now.Format("15:04"), known, stops)
			}
		}
	})
	law("the order of its history never matters", func(t *rapid.T, b B, history []E) {
		before := fmt.Sprint(history)
		want := k.verdict(b, history, noon)
		if fmt.Sprint(history) != before {
			t.Fatalf("%s becomes %v", before, history)
		}
		if diff := cmp.Diff(want, k.verdict(b, rapid.Permutation(history).Draw(t, "shuffled"), noon)); diff != "" {
			t.Fatal(diff)
		}
	})
	law("it lifts exactly at the end that it names", func(t *rapid.T, b B, history []E) {
		now := ago(-rapid.IntRange(-60, 5).Draw(t, "later")) // some of the history and a reset may still be to come
		exactEnd(t, now, func(now time.Time) probe.Verdict { return k.verdict(b, history, now) })
	})
	law("a reset lifts it", func(t *rapid.T, b B, history []E) {
		at := ago(-3)
		if end, stops := trips(k.verdict(k.reset(b, at), history, at)); stops {
			t.Fatalf("it stops until %v", end)
		}
	})
	law("an entry without a time stops everything", func(t *rapid.T, b B, history []E) {
		var untimed E
		v := k.verdict(b, append(history, untimed), noon)
		if v.Allowed || v.Code != "invalid-probe" || !strings.Contains(v.Cause, "has no time") {
			t.Fatalf("%+v", v)
		}
	})
}

func TestABreakerStopsItsReasons(t *testing.T) {
	replacements := breaker.Replacement{Name: "runaway", Failures: 1, Of: 1, CoolDown: time.Hour}
	scaleDown := breaker.ScaleDown{Name: "runaway", Within: time.Hour}
	for code, of := range map[candidate.Code]func(reasons ...candidate.Reason) probe.Verdict{
		"failed-replacement": func(reasons ...candidate.Reason) probe.Verdict {
			replacements.Reasons = reasons
			return replacements.Verdict(launches("F5"), noon)
		},
		"scale-down": func(reasons ...candidate.Reason) probe.Verdict {
			scaleDown.Reasons = reasons
			return scaleDown.Verdict(downs("5"), noon)
		},
	} {
		v := of("Drifted/AMIDrift", "Underutilized", "Empty")
		for reason, want := range map[candidate.Reason]bool{
			"Drifted/AMIDrift": true, "Drifted": false, "Underutilized": true, "Empty/Buffer": true, "Expired": false,
			"": true,
		} {
			got, blocked := v.Blocker(reason, "gpu", nil, noon)
			if blocked != want {
				t.Errorf("%s: %q is stopped: %t", code, reason, blocked)
			}
			named := strings.HasPrefix(got.Message, "runaway: it denies ")
			if blocked && (got.Code != code || got.Gate != "probe" || !named || !got.Until.Equal(ago(-55))) {
				t.Errorf("%s: %q is stopped by %s", code, reason, got)
			}
		}
		for _, v := range []probe.Verdict{of(), of([]candidate.Reason{}...), of("")} {
			for _, r := range append(candidate.Methods(), "Drifted/AMIDrift", "somebody's own", "") {
				if _, blocked := v.Blocker(r, "gpu", nil, noon); !blocked {
					t.Errorf("%s: without reasons, or with an empty one, %q is not stopped", code, r)
				}
			}
		}
	}
}
