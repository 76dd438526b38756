package schedule_test

import (
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/disruptkit/disruptkit/internal/testkit"
	"github.com/disruptkit/disruptkit/internal/testkit/generate"
	"github.com/disruptkit/disruptkit/schedule"
)

func TestMain(m *testing.M) { testkit.Main(m) }

func TestOutsideIsTheExactNegation(t *testing.T) {
	check(t, func(t *rapid.T) {
		w := testkit.Arbitrary(generate.AnyWindow).Draw(t, "window")
		now := testkit.Arbitrary(generate.Time).Draw(t, "now")
		outside := w.Outside()
		if schedule.InWindow(w, now) == schedule.InWindow(outside, now) {
			t.Fatalf("%v and its outside are both %t at %v", w, schedule.InWindow(w, now), now)
		}
		open, span := w.State(now)
		if o, s := outside.State(now); o == open || s != span {
			t.Fatalf("%v at %v: %t %v, outside %t %v", w, now, open, span, o, s)
		}
		again := outside.Outside()
		if o, s := again.State(now); o != open || s != span || again.String() != w.String() {
			t.Fatalf("%v at %v: %t %v, outside of outside is %v: %t %v", w, now, open, span, again, o, s)
		}
	})
}

func TestUnionIsTheDisjunctionInAnyOrder(t *testing.T) {
	t.Parallel()
	check(t, func(t *rapid.T) {
		parts := rapid.SliceOfN(testkit.Arbitrary(generate.AnyWindow), 0, 4).Draw(t, "parts")
		before := fmt.Sprint(parts)
		union := schedule.Union(parts...)
		shuffled := schedule.Union(rapid.Permutation(parts).Draw(t, "shuffled")...)
		nested := schedule.Union(schedule.Union(parts[:len(parts)/2]...), schedule.Union(parts[len(parts)/2:]...), union)
		for range 4 {
			now := testkit.Arbitrary(generate.Time).Draw(t, "now")
			want := false
			for _, part := range parts {
				want = want || schedule.InWindow(part, now)
			}
			open, span := union.State(now)
			if open != want || schedule.InWindow(union, now) != want {
				t.Fatalf("%v at %v: State %t, InWindow %t, the parts %t", union, now, open, schedule.InWindow(union, now), want)
			}
			for _, other := range []schedule.Window{shuffled, nested} {
				if o, s := other.State(now); o != open || s != span {
					t.Fatalf("at %v: %v %t %v, %v %t %v", now, union, open, span, other, o, s)
				}
			}
		}
		if fmt.Sprint(parts) != before {
			t.Fatalf("Union has changed its parts: %v, before %v", parts, before)
		}
	})
}

func TestTheZeroWindowIsAlwaysOpenAndTheEmptyUnionNever(t *testing.T) {
	check(t, func(t *rapid.T) {
		now := testkit.Arbitrary(generate.Time).Draw(t, "now")
		to := now.Add(testkit.Arbitrary(generate.Duration).Draw(t, "length"))
		for _, w := range []schedule.Window{{}, schedule.Union(schedule.MustParse("@daily", 1, ""), schedule.Window{})} {
			if open, until := w.Until(now); !open || !until.IsZero() {
				t.Fatalf("%v.Until(%v) = %t %v", w, now, open, until)
			}
			if open, span := w.State(now); !open || span != (schedule.Span{}) {
				t.Fatalf("%v.State(%v) = %t %v", w, now, open, span)
			}
			for _, from := range []time.Time{now, now.AddDate(-5000, 0, 0)} {
				spans := 0
				for span := range w.Spans(from, to) {
					if spans++; spans > 1 || span != (schedule.Span{Start: from, End: to}) {
						t.Fatalf("%v.Spans(%v, %v): %v", w, from, to, span)
					}
				}
			}
		}
		if open, span := schedule.Union().State(now); open || span != (schedule.Span{}) {
			t.Fatalf("Union().State(%v) = %t %v", now, open, span)
		}
		for span := range schedule.Union().Spans(now, to) {
			t.Fatalf("Union().Spans(%v, %v): %v", now, to, span)
		}
	})
}

func TestPartsThatNeverChangeDoNotHideTheNextChange(t *testing.T) {
	parse := schedule.MustParse
	always := schedule.Union(parse("*/2 * * * *", time.Minute, ""), parse("1/2 * * * *", time.Minute, ""))
	blocked := schedule.Union(parse("0 22 * * *", 8*time.Hour, ""), parse("0 12 * * sat", time.Hour, ""))
	w := schedule.Union(always.Outside(), blocked).Outside() // inside the one and outside the other
	for _, c := range []struct {
		at         string
		open       bool
		start, end string
	}{
		{"2026-11-20T12:00:00Z", true, "2026-11-20T06:00:00Z", "2026-11-20T22:00:00Z"},
		{"2026-11-20T23:00:00Z", false, "2026-11-20T22:00:00Z", "2026-11-21T06:00:00Z"},
		{"2026-11-21T13:00:00Z", true, "2026-11-21T13:00:00Z", "2026-11-21T22:00:00Z"},
	} {
		open, span := w.State(parseTime(t, c.at))
		if want := (schedule.Span{Start: parseTime(t, c.start), End: parseTime(t, c.end)}); open != c.open || span != want {
			t.Errorf("%s: %t %v, want %t %v", c.at, open, span, c.open, want)
		}
	}
}

// "a union … counts as unchanging once it has stayed as it is for 40 years; a union also after looking at 20,000 spans of its parts."
// What a union of such windows is open for is known, but would take a search without end in others.
func TestUnionsThatDoNotChangeForLongCountAsUnchanging(t *testing.T) {
	parse := schedule.MustParse
	leap := parse("0 0 29 2 *", 1461*24*time.Hour, "") // 1904 to 2100
	may := schedule.Union(parse("*/2 * * 5 *", time.Minute, ""), parse("1/2 * * 5 *", time.Minute, ""))
	five := schedule.Union()
	for first := range 5 {
		five = schedule.Union(five, parse(fmt.Sprintf("%d-59/5 * * 5 *", first), time.Minute, ""))
	}
	for _, c := range []struct {
		name  string
		w     schedule.Window
		at    string
		start string
		end   string
	}{
		{"for 40 years in both directions", schedule.Union(leap, parse("@daily", time.Hour, "")), "2000-01-01T00:00:00Z", "", ""},
		{"for 40 years in one direction", schedule.Union(leap, parse("@daily", time.Hour, "")), "2090-01-01T00:00:00Z", "", "2100-03-01T01:00:00Z"},
		{"for 40 years in the other direction", schedule.Union(leap, parse("@daily", time.Hour, "")), "1910-01-01T00:00:00Z", "1904-02-29T00:00:00Z", ""},
		{"for 20,000 spans of two parts in both directions", may, "2026-05-16T00:00:00Z", "", ""},
		{"for 20,000 spans of two parts in one direction", may, "2026-05-30T00:00:00Z", "", "2026-06-01T00:00:00Z"},
		{"for 20,000 spans of two parts in the other direction", may, "2026-05-02T00:00:00Z", "2026-05-01T00:00:00Z", ""},
		{"fewer than 20,000 spans of five parts", five, "2026-05-30T00:00:00Z", "", "2026-06-01T00:00:00Z"},
		{"for 20,000 spans of five parts", five, "2026-05-28T00:00:00Z", "", ""},
		{"in the first years of all", schedule.Union(parse("@daily", 24*time.Hour, ""), leap), "0010-01-01T00:00:00Z", "", ""},
		{"where there are no years", schedule.Union(leap, leap.Outside()), "0001-01-01T00:00:00Z", "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			open, span := c.w.State(parseTime(t, c.at))
			if want := (schedule.Span{Start: parseTime(t, c.start), End: parseTime(t, c.end)}); !open || span != want {
				t.Errorf("%v.State(%s) = %t %v, want true %v", c.w, c.at, open, span, want)
			}
		})
	}
}

// What a union remembers of a search in vain changes no answer.
func TestAUnionAnswersTheSameHoweverOftenItIsAsked(t *testing.T) {
	check(t, func(t *rapid.T) {
		var parts []schedule.Window
		for i := range rapid.IntRange(2, 12).Draw(t, "parts") {
			text := fmt.Sprintf("%d %d * * *", rapid.IntRange(0, 59).Draw(t, "minute"), 2*i)
			if rapid.IntRange(0, 9).Draw(t, "seldom") == 0 {
				text = fmt.Sprintf("0 %d 1 %d *", 2*i, 1+i)
			}
			length := time.Duration(rapid.IntRange(1, 40).Draw(t, "half hours")) * 30 * time.Minute
			parts = append(parts, schedule.MustParse(text, length, ""))
		}
		asked := schedule.Union(parts...)
		now := testkit.Arbitrary(generate.Time).Draw(t, "now")
		for range 4 {
			open, until := asked.Until(now)
			wantOpen, want := schedule.Union(parts...).Until(now)
			if open != wantOpen || !until.Equal(want) {
				t.Fatalf("at %v: %t until %v, asked for the first time %t until %v", now, open, until, wantOpen, want)
			}
			now = now.Add(time.Duration(rapid.IntRange(-10, 5000).Draw(t, "hours")) * time.Hour / 10)
		}
	})
}
