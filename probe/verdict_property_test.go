package probe_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/testkit"
	"github.com/disruptkit/disruptkit/internal/testkit/generate"
	"github.com/disruptkit/disruptkit/probe"
)

// askedFor is every reason and every pool that a verdict is asked about in properties.
func askedFor(ask func(reason candidate.Reason, pool string, labels map[string]string)) {
	for _, reason := range []candidate.Reason{"", "Drifted", "Drifted/AMIDrift", "Drifted/SubnetDrift", "Empty", "Empty/Buffer", "Underutilized", "Expired", "somebody's own"} {
		ask(reason, "gpu", nil)
		ask(reason, "web", map[string]string{"team": "search", "zone": "a"})
		ask(reason, "search", map[string]string{"team": ""})
	}
}

func TestAVerdictAllowsOnlyIfEveryConditionHolds(t *testing.T) {
	codes := []string{"invalid-probe", "not-observed", "no-answer", "unhealthy", "invalid-answer", "stale", "from-the-future", "denied"}
	rapid.Check(t, func(t *rapid.T) {
		spec := testkit.Arbitrary(generate.Probe).Draw(t, "probe")
		o := testkit.Arbitrary(generate.Observation(spec, noon)).Draw(t, "observation")
		if rapid.IntRange(0, 5).Draw(t, "broken") == 0 {
			spec = testkit.Arbitrary(generate.BrokenProbe).Draw(t, "broken probe")
		}
		p := spec.Probe()
		now := noon.Add(rapid.SampledFrom([]time.Duration{-1, 0, 0, 0, 1, p.MaxAge - 1, p.MaxAge}).Draw(t, "after"))
		v := probe.ProbeVerdict(p, o, now)

		observed := !o.At.IsZero()
		fresh := observed && !now.Before(o.At) && now.Sub(o.At) < p.MaxAge
		every := spec.Validate() == nil && fresh && o.Healthy
		if v.Allowed != every {
			t.Fatalf("valid %v, observed %t, fresh %t, healthy %t: %s", spec.Validate(), observed, fresh, o.Healthy, v)
		}
		askedFor(func(reason candidate.Reason, pool string, labels map[string]string) {
			denied := slices.ContainsFunc(o.Denied, func(d probe.Denial) bool { return concerns(d, reason, pool, labels) })
			b, blocked := v.Blocker(reason, pool, labels, now)
			if blocked != (!every || denied) {
				t.Fatalf("%q of %s: blocked %t, every %t, denied %t", reason, pool, blocked, every, denied)
			}
			if !blocked {
				if b != (candidate.Blocker{}) {
					t.Fatalf("it does not block with %+v", b)
				}
				return
			}
			if b.Gate != candidate.GateProbe || !slices.Contains(codes, string(b.Code)) || !strings.HasPrefix(b.Message, p.Name+": ") || len(b.Message) < len(p.Name)+5 {
				t.Fatalf("%q of %s is blocked by %+v", reason, pool, b)
			}
			if !b.Until.IsZero() || b.ForGood {
				t.Fatalf("nobody knows when an answer changes, but it blocks by %+v", b)
			}
			if (b.Code == candidate.CodeDenied) != every {
				t.Fatalf("%q of %s is blocked by %+v, and every condition holds: %t", reason, pool, b, every)
			}
		})
	})
}

// allowsNoMore checks that a verdict blocks whatever another blocks.
func allowsNoMore(t *rapid.T, less, more probe.Verdict, now time.Time) {
	askedFor(func(reason candidate.Reason, pool string, labels map[string]string) {
		b, blocked := less.Blocker(reason, pool, labels, now)
		if _, still := more.Blocker(reason, pool, labels, now); blocked && !still {
			t.Fatalf("%q of %s was blocked by %s, and is allowed with %s", reason, pool, b, more)
		}
	})
}

func TestAShorterMaximumAgeNeverAllowsMore(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		spec := testkit.Arbitrary(generate.Probe).Draw(t, "probe")
		o := testkit.Arbitrary(generate.Observation(spec, noon)).Draw(t, "observation")
		p := spec.Probe()
		shorter := p
		shorter.MaxAge = time.Duration(rapid.Int64Range(1, int64(p.MaxAge)).Draw(t, "maximum age"))
		now := noon.Add(time.Duration(rapid.IntRange(0, 70_000).Draw(t, "milliseconds")) * time.Millisecond)
		allowsNoMore(t, probe.ProbeVerdict(p, o, now), probe.ProbeVerdict(shorter, o, now), now)
	})
}

// said is all that a verdict says at a time.
func said(v probe.Verdict, now time.Time) []string {
	var all []string
	askedFor(func(reason candidate.Reason, pool string, labels map[string]string) {
		b, blocked := v.Blocker(reason, pool, labels, now)
		all = append(all, fmt.Sprintf("%q of %s: %t %+v", reason, pool, blocked, b))
	})
	return all
}

func TestNothingChangesBeforeTheNextChange(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := testkit.Arbitrary(generate.Verdict(noon)).Draw(t, "verdict")
		now := noon.Add(time.Duration(rapid.IntRange(-60, 330).Draw(t, "minutes")) * time.Minute)
		next := v.NextChange(now)
		end := next
		if next.IsZero() {
			end = now.AddDate(100, 0, 0)
		}
		if !end.After(now) {
			t.Fatalf("it is %v, and the next change was at %v", now, next)
		}
		wait := time.Duration(rapid.Int64Range(0, int64(end.Sub(now))-1).Draw(t, "wait"))
		for _, later := range []time.Time{end.Add(-1), now.Add(wait)} {
			if diff := cmp.Diff(said(v, now), said(v, later)); diff != "" {
				t.Fatalf("the next change is at %v, and at %v: %s", next, later, diff)
			}
		}
		if next.IsZero() {
			return
		}
		ends := slices.ContainsFunc(v.Denied, func(d probe.Denial) bool { return d.Until.Equal(next) })
		if !v.StaleAt.Equal(next) && !v.From.Equal(next) && !ends {
			t.Fatalf("at %v nothing ends", next)
		}
		if concernsAll := v.StaleAt.Equal(next) && v.Allowed; concernsAll && slices.Equal(said(v, now), said(v, next)) {
			t.Fatalf("it goes stale at %v, and says the same", next)
		}
	})
}

// TestBlockersEndExactly looks just before, and at, the time up to which a denial holds.
func TestBlockersEndExactly(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := testkit.Arbitrary(generate.Verdict(noon)).Draw(t, "verdict")
		v.From, v.StaleAt = time.Time{}, time.Time{} // all is blocked then, whatever the denials
		askedFor(func(reason candidate.Reason, pool string, labels map[string]string) {
			b, blocked := v.Blocker(reason, pool, labels, noon)
			if !blocked {
				return
			}
			if b.Until.IsZero() {
				if _, still := v.Blocker(reason, pool, labels, noon.AddDate(100, 0, 0)); !still {
					t.Fatalf("%s does not say that it ends", b)
				}
				return
			}
			if _, still := v.Blocker(reason, pool, labels, b.Until.Add(-1)); !still {
				t.Fatalf("%s ends before", b)
			}
			if after, still := v.Blocker(reason, pool, labels, b.Until); still {
				t.Fatalf("%s does not end: %s", b, after)
			}
		})
	})
}
