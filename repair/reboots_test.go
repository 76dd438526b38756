package repair_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/disruptkit/disruptkit/repair"
)

func TestRebootsThatDidNotHelp(t *testing.T) {
	for _, c := range []struct {
		name string
		at   []int // minutes before noon
		want bool
	}{
		{"none", nil, false},
		{"one", []int{5}, false},
		{"two", []int{60, 5}, true},
		{"in any order", []int{5, 60}, true},
		{"in any order, with one that is old", []int{5, 60, 48 * 60}, true},
		{"in any order, with one that just is", []int{5, 24 * 60}, false},
		{"two at once", []int{5, 5}, true},
		{"three", []int{90, 60, 5}, true},
		{"one of two is a minute less than a day ago", []int{24*60 - 1, 5}, true},
		{"one of two is a day ago", []int{24 * 60, 5}, false},
		{"both are a day ago", []int{24 * 60, 24 * 60}, false},
		{"one is from the future", []int{5, -5}, true},
		{"two of three are old", []int{48 * 60, 25 * 60, 5}, false},
		{"one of three is old", []int{48 * 60, 60, 5}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			n := rebooted(repair.Node{}, c.at...)
			if got := n.Reboots.Exhausted(noon); got != c.want {
				t.Errorf("%t", got)
			}
			written := repair.Reboots{} // as somebody else might have written it
			for _, m := range c.at {
				written.At = append(written.At, ago(m))
			}
			if got := written.Exhausted(noon); got != c.want {
				t.Errorf("unsorted: %t", got)
			}
		})
	}
}

func TestAddChangesNothingElse(t *testing.T) {
	base := repair.Reboots{At: make([]time.Time, 1, 4)}
	base.At[0] = ago(60)
	one := base.Add(ago(5))
	base.Add(ago(90))
	if diff := cmp.Diff(repair.Reboots{At: []time.Time{ago(60), ago(5)}}, one); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(repair.Reboots{At: []time.Time{ago(60)}}, base); diff != "" {
		t.Error(diff)
	}
}

// TestRebootsCount compares with one who counts, of all reboots that ever were, those of the last 24 hours.
func TestRebootsCount(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var kept repair.Reboots
		var all []time.Time
		now := noon
		for range rapid.IntRange(1, 30).Draw(t, "steps") {
			now = now.Add(time.Duration(rapid.IntRange(0, 13).Draw(t, "hours")) * time.Hour)
			recent := 0
			for _, at := range all {
				if now.Sub(at) < 24*time.Hour {
					recent++
				}
			}
			if got := kept.Exhausted(now); got != (recent >= 2) {
				t.Fatalf("%t at %v, with %v", got, now, all)
			}
			if len(kept.At) > 2 {
				t.Fatalf("%v grows", kept)
			}
			if rapid.Bool().Draw(t, "reboots") {
				all = append(all, now)
				kept = kept.Add(now)
			}
		}
	})
}

func TestRebootsAreKeptAsJSON(t *testing.T) {
	for _, c := range []struct {
		reboots repair.Reboots
		want    string
	}{
		{repair.Reboots{}, `{}`},
		{repair.Reboots{}.Add(ago(60)).Add(ago(5)), `{"at":["2026-11-20T11:00:00Z","2026-11-20T11:55:00Z"]}`},
	} {
		text, err := json.Marshal(c.reboots)
		if err != nil || string(text) != c.want {
			t.Errorf("%s: %v", text, err)
		}
		var again repair.Reboots
		if err := json.Unmarshal([]byte(c.want), &again); err != nil {
			t.Error(err)
		}
		if diff := cmp.Diff(c.reboots, again); diff != "" {
			t.Error(diff)
		}
	}
}
