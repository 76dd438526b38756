package breaker_test

import (
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

// downs reads when nodes began to go down: "30 -5" is 30 minutes before noon, and five minutes after it.
func downs(history string) []time.Time {
	var all []time.Time
	for _, word := range strings.Fields(history) {
		minutes, err := strconv.Atoi(word)
		if err != nil {
			panic(err)
		}
		all = append(all, ago(minutes))
	}
	return all
}

func TestTooManyNodesGoDown(t *testing.T) {
	usual := breaker.ScaleDown{MoreThan: 3, Within: 10 * time.Minute, CoolDown: 30 * time.Minute}
	with := func(change func(b *breaker.ScaleDown)) breaker.ScaleDown {
		b := usual
		change(&b)
		return b
	}
	none := with(func(b *breaker.ScaleDown) { b.MoreThan = 0 })
	uncooled := with(func(b *breaker.ScaleDown) { b.CoolDown = 0 })
	short := with(func(b *breaker.ScaleDown) { b.CoolDown = 2 * time.Minute })
	forEver := with(func(b *breaker.ScaleDown) { b.CoolDown = candidate.Forever })
	resetAt := func(minutes int) breaker.ScaleDown {
		return with(func(b *breaker.ScaleDown) { b.ResetAt = ago(minutes) })
	}
	for _, c := range []struct {
		name    string
		breaker breaker.ScaleDown
		history string
		want    string // "" is nothing
	}{
		{"no history", usual, "", ""},
		{"as many as may", usual, "4 3 2", ""},
		{"one too many", usual, "4 3 2 1", "12:29: 4 nodes went down within 10m, and 3 may"},
		{"far too many", usual, "9 8 7 6 5 4 3 2 1", "12:29: 9 nodes went down within 10m, and 3 may"},
		{"those that go down together are counted, no others", usual, "50 40 20 13 12 5 4 3", "12:27: 4 nodes went down within 10m, and 3 may"},
		{"all at once", usual, "5 5 5 5", "12:25: 4 nodes went down within 10m, and 3 may"},
		{"in any order", usual, "2 4 1 3", "12:29: 4 nodes went down within 10m, and 3 may"},
		{"right now", usual, "0 0 0 0", "12:30: 4 nodes went down within 10m, and 3 may"},
		{"just within", usual, "19 15 12 10", "12:20: 4 nodes went down within 10m, and 3 may"},
		{"exactly as long as they are counted for", usual, "20 15 12 10", ""},
		{"as many as may, again and again", usual, "55 54 53 43 42 41 31 30 29 5 4 3", ""},
		{"not one may", none, "5", "12:25: 1 node went down within 10m, and 0 may"},
		{"not one may, and none does", none, "", ""},

		{"a minute before it has cooled down", usual, "38 37 36 29", "12:01: 4 nodes went down within 10m, and 3 may"},
		{"when it has cooled down", usual, "39 38 37 30", ""},
		{"a few more afterwards do not prolong it", usual, "28 27 26 25 5 4", "12:05: 4 nodes went down within 10m, and 3 may"},
		{"those of before do not prolong it", usual, "59 58 57 28 27 26 25", "12:05: 4 nodes went down within 10m, and 3 may"},
		{"too many again do", usual, "28 27 26 25 4 3 2 1", "12:29: 4 nodes went down within 10m, and 3 may"},
		{"without a cool-down until the oldest of them is long enough ago", uncooled, "4 3 2 1", "12:06: 4 nodes went down within 10m, and 3 may"},
		{"of more than it takes, the oldest that keeps them too many", uncooled, "6 5 4 3 2 1", "12:06: 6 nodes went down within 10m, and 3 may"},
		{"without a cool-down, when it is", uncooled, "10 3 2 1", ""},
		{"without a cool-down, a minute before", uncooled, "9 3 2 1", "12:01: 4 nodes went down within 10m, and 3 may"},
		{"a cool-down that ends before that", short, "4 3 2 1", "12:06: 4 nodes went down within 10m, and 3 may"},
		{"a cool-down that ends after that", short, "9 8 7 0", "12:02: 4 nodes went down within 10m, and 3 may"},
		{"until a reset, an hour later", forEver, "64 63 62 61", "until a reset: 4 nodes went down within 10m, and 3 may"},
		{"until a reset, though few went down since", forEver, "64 63 62 61 3", "until a reset: 4 nodes went down within 10m, and 3 may"},

		{"from the future", usual, "3 2 1 -1", "12:31: 4 nodes went down within 10m, and 3 may"},
		{"all from the future", usual, "-1 -2 -3 -4", "12:34: 4 nodes went down within 10m, and 3 may"},

		{"reset before all that", resetAt(5), "4 3 2 1", "12:29: 4 nodes went down within 10m, and 3 may"},
		{"reset at the time of the first", resetAt(4), "4 3 2 1", ""},
		{"reset after all that", resetAt(0), "4 3 2 1", ""},
		{"reset at the time of the last", resetAt(0), "3 2 1 0", ""},
		{"reset, and too many again", resetAt(5), "9 8 7 6 4 3 2 1", "12:29: 4 nodes went down within 10m, and 3 may"},
		{"a reset that is still to come ends it then", resetAt(-1), "4 3 2 1", "12:01: 4 nodes went down within 10m, and 3 may"},
		{"a reset that is still to come ends it, though the last node goes down after that", resetAt(-1), "4 3 2 -2", "12:01: 4 nodes went down within 10m, and 3 may"},
		{"a reset that is still to come does not end it where too many go down after that", resetAt(-1), "4 -2 -3 -4 -5", "12:35: 5 nodes went down within 10m, and 3 may"},
		{"a reset ends what would be for ever", with(func(b *breaker.ScaleDown) { b.CoolDown, b.ResetAt = candidate.Forever, noon }), "4 3 2 1", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			v := c.breaker.Verdict(downs(c.history), noon)
			if diff := cmp.Diff(c.want, stopped(v, noon)); diff != "" {
				t.Error(diff)
			}
			if !v.Allowed || !v.StaleAt.IsZero() || v.Probe != "scale-down" || (v.Code == "scale-down") != (c.want != "") || (v.Denied == nil) != (c.want == "") {
				t.Errorf("%+v", v)
			}
		})
	}
}

func TestWithinIsCountedToTheNanosecond(t *testing.T) {
	b := breaker.ScaleDown{MoreThan: 1, Within: 10 * time.Minute}
	for apart, want := range map[time.Duration]string{
		10*time.Minute - 1: "2 nodes went down within 10m, and 1 may", 10 * time.Minute: "",
	} {
		v := b.Verdict([]time.Time{noon.Add(-apart), noon}, noon)
		if got := stopped(v, noon); !strings.HasSuffix(got, want) || (got == "") != (want == "") {
			t.Errorf("%s apart: %s", apart, got)
		}
	}
}

func TestAnInvalidScaleDownBreakerAllowsNothing(t *testing.T) {
	for _, c := range []struct {
		name    string
		breaker breaker.ScaleDown
		fields  string // of all faults
		says    []string
	}{
		{"the zero value", breaker.ScaleDown{}, "within", []string{"0s", "write a time such as 10m"}},
		{"fewer than no nodes", breaker.ScaleDown{MoreThan: -1, Within: 1}, "moreThan", []string{"-1 ", "write 0 or more"}},
		{"within less than no time", breaker.ScaleDown{Within: -time.Minute}, "within", []string{"-1m", "write a time such as 10m"}},
		{"a negative cool-down", breaker.ScaleDown{Within: 1, CoolDown: -1}, "coolDown", []string{"-1ns ", "write a time such as 1h, or 0 for none"}},
		{"a reason that nobody knows", breaker.ScaleDown{Within: 1, Reasons: []candidate.Reason{"consolidation"}}, "reasons", []string{`"consolidation" is unknown`, "write Underutilized"}},
		{"a reason in another spelling", breaker.ScaleDown{Within: 1, Reasons: []candidate.Reason{"Consolidation"}}, "reasons", []string{`"Consolidation" is another spelling of Underutilized`, "write Underutilized"}},
		{"all at once", breaker.ScaleDown{MoreThan: -1, Within: -1, CoolDown: -1, Reasons: []candidate.Reason{"x"}}, "reasons moreThan within coolDown", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := c.breaker.Validate()
			checkBroken(t, err, c.breaker.Verdict(nil, noon), "scale-down", c.fields, c.says)
		})
	}
	for _, b := range []breaker.ScaleDown{
		{Within: 1}, {MoreThan: 1 << 62, Within: candidate.Forever, CoolDown: candidate.Forever, Reasons: []candidate.Reason{"", "Empty"}},
	} {
		if err := b.Validate(); err != nil {
			t.Errorf("%+v: %v", b, err)
		}
		if v := b.Verdict(nil, noon); !v.Allowed || v.Denied != nil {
			t.Errorf("where nothing went down it says %s", v)
		}
	}
	if v := (breaker.ScaleDown{Name: "runaway"}).Verdict(nil, noon); v.Probe != "runaway" {
		t.Errorf("it is called %s", v.Probe)
	}
}

// tooMany reports naively whether too many nodes went down: more than MoreThan within the last while, or so once, when another
// node went down, and since then the breaker has not cooled down.
func tooMany(b breaker.ScaleDown, down []time.Time, now time.Time) bool {
	within := func(end time.Time) bool {
		nodes := 0
		for _, t := range down {
			forgotten := !b.ResetAt.IsZero() && !b.ResetAt.After(now) && !t.After(b.ResetAt)
			if !t.After(end) && end.Sub(t) < b.Within && !forgotten {
				nodes++
			}
		}
		return nodes > b.MoreThan
	}
	if within(now) {
		return true
	}
	for _, t := range down {
		forgotten := !b.ResetAt.IsZero() && !b.ResetAt.After(now) && !t.After(b.ResetAt)
		if !t.After(now) && !forgotten && within(t) && (b.CoolDown == candidate.Forever || now.Sub(t) < b.CoolDown) {
			return true
		}
	}
	return false
}

func TestAnotherNodeThatGoesDownNeverAllowsMore(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b, history := testkit.Arbitrary(generate.ScaleDownBreaker(noon)).Draw(t, "breaker"), testkit.Arbitrary(generate.Downs(noon)).Draw(t, "downs")
		more := append([]time.Time{ago(rapid.IntRange(-3, 60).Draw(t, "minutes"))}, history...)
		neverMore(t, b.Verdict(history, noon), b.Verdict(more, noon))
		fewer := b
		fewer.MoreThan = max(0, b.MoreThan-1)
		neverMore(t, b.Verdict(history, noon), fewer.Verdict(history, noon))
		longer := b
		longer.Within += time.Minute
		neverMore(t, b.Verdict(history, noon), longer.Verdict(history, noon))
	})
}

func TestAScaleDownBreakerKeepsTheLawsOfBreakers(t *testing.T) {
	kind[breaker.ScaleDown, time.Time]{
		generate.ScaleDownBreaker, generate.Downs, breaker.ScaleDown.Verdict, tooMany,
		func(down time.Time) time.Time { return down },
		func(b breaker.ScaleDown, at time.Time) breaker.ScaleDown { b.ResetAt = at; return b },
	}.checkLaws(t)
}
