package manifest

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/budget/admission"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/engine"
	"github.com/disruptkit/disruptkit/dialect"
)

// stockOf returns the notes about a NodePool with a spec.disruption.
func stockOf(t interface{ Fatal(...any) }, disruption string) []string {
	object := map[string]any{
		"apiVersion": "karpenter.sh/v1", "kind": "NodePool", "metadata": map[string]any{"name": "web"}, "spec": map[string]any{"disruption": json.RawMessage(disruption)},
	}
	text, err := json.Marshal(object)
	if err != nil {
		t.Fatal(err)
	}
	file, err := Policy{As: engine.Karpenter}.ReadPools("f", strings.NewReader(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	return file.Pools[0].Stock
}

// patched returns the budgets of a patch, as Karpenter's API server admits them and Karpenter reads them.
func patched(t interface{ Fatal(...any) }, command string) (set budget.Set, text string) {
	_, text, _ = strings.Cut(command, "--type merge -p '")
	text, _, ok := strings.Cut(text, "'")
	var patch struct {
		Spec struct{ Disruption json.RawMessage }
	}
	if err := json.Unmarshal([]byte(text), &patch); err != nil || !ok {
		t.Fatal(command, err)
	}
	spec, dropped, err := admission.Admit(patch.Spec.Disruption)
	if err != nil || len(dropped) > 0 {
		t.Fatal(text, err, dropped)
	}
	spec.Dialect = dialect.Karpenter
	if set, err = spec.Compile(); err != nil {
		t.Fatal(text, err)
	}
	return set, text
}

func TestWhatStockKarpenterCanDoOfADateIsReadyToApply(t *testing.T) {
	dated := func(from, to string) string {
		return fmt.Sprintf(`{"budgets": [{"nodes": "0", "from": %q, "to": %q}]}`, from, to)
	}
	for _, c := range []struct{ name, disruption, want string }{
		{"dates in a zone", `{"budgets": [{"nodes": "20%"}, {"nodes": "0", "from": "2026-11-23", "to": "2026-11-30", "timeZone": "America/New_York"}]}`,
			`NodePool/web: stock Karpenter has no dates. A budget does it, in UTC; to apply it:
  kubectl patch nodepool web --type merge -p '{"spec":{"disruption":{"budgets":[{"nodes":"20%"},{"duration":"192h","nodes":"0","schedule":"0 5 23 11 *"}]}}}'
and to take it back, after 2026-12-01T05:00:00Z and before 2027-11-23 (its schedule comes each year, so do not apply it before 2025-12-02):
  kubectl patch nodepool web --type merge -p '{"spec":{"disruption":{"budgets":[{"nodes":"20%"}]}}}'`},
		{"a pool without other budgets keeps the default", dated("2026-12-23T00:00:00Z", "2026-12-24T01:30:00Z"), `[{"nodes":"10%"},{"duration":"25h30m","nodes":"0","schedule":"0 0 23 12 *"}]`},
		{"seconds are rounded outwards", dated("2026-12-23T00:00:30Z", "2026-12-24T01:29:30Z"), `"duration":"25h30m","nodes":"0","schedule":"0 0 23 12 *"`},
		{"a day", dated("2026-12-24", "2026-12-24"), `[{"nodes":"10%"},{"duration":"24h","nodes":"0","schedule":"0 0 24 12 *"}]`},
		{"without a beginning", `{"budgets": [{"nodes": "0", "to": "2026-12-23"}]}`, `[{"nodes":"10%"},{"nodes":"0"}]`},
		{"for a reason", `{"budgets": [{"nodes": "0", "from": "2026-12-23", "to": "2026-12-24", "reasons": ["Drifted"]}]}`, `"reasons":["Drifted"]`},
		{"for a reason that budgets do not know", `{"budgets": [{"nodes": "0", "from": "2026-12-23", "to": "2026-12-24", "reasons": ["Drifted/AMIDrift"]}]}`, "a budget cannot be for Drifted/AMIDrift"},
		{"of a calendar", `{"budgets": [{"nodes": "0", "calendar": "holidays"}]}`, "has no calendars"},
		{"outside of dates", `{"budgets": [{"nodes": "0", "from": "2026-12-24", "outside": true}]}`, "it has outside"},
		{"a date that is none", `{"budgets": [{"nodes": "0", "from": "Christmas"}]}`, "Christmas"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := strings.Join(stockOf(t, c.disruption), "\n")
			if !strings.Contains(got, c.want) {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
		})
	}
	for name, disruption := range map[string]string{"nothing is asked for": `{"budgets": [{"nodes": "1"}]}`, "no budgets": `{}`} {
		if got := stockOf(t, disruption); len(got) > 0 {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// The first patch freezes the pool for just the minutes of the freeze, and otherwise leaves what the other budgets allow; the second has the other
// budgets alone.
func TestThePatchesFreezeAndThaw(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		from := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(rapid.IntRange(0, 700*24*60).Draw(t, "from")) * time.Minute)
		to := from.Add(time.Duration(rapid.IntRange(1, 60*24*60).Draw(t, "minutes")) * time.Minute)
		own := rapid.SampledFrom([]string{``, `{"nodes": "20%"}`, `{"nodes": "1", "reasons": ["Drifted"]}, {"nodes": "5"}`, `{"nodes": "0", "schedule": "0 9 * * mon-fri", "duration": "8h"}`}).Draw(t, "own")
		dated := fmt.Sprintf(`{"nodes": "0", "from": %q, "to": %q}`, from.Format(time.RFC3339), to.Format(time.RFC3339))
		disruption := `{"budgets": [` + strings.TrimPrefix(own+", "+dated, ", ") + `]}`
		notes := stockOf(t, disruption)
		if len(notes) != 1 {
			t.Fatal(disruption, notes)
		}
		lines := strings.Split(notes[0], "\n")
		frozen, _ := patched(t, lines[1])
		thawed, text := patched(t, lines[3])
		if own == "" {
			own = `{"nodes": "10%"}`
		}
		var want, got any
		if json.Unmarshal([]byte(`{"spec": {"disruption": {"budgets": [`+own+`]}}}`), &want) != nil || json.Unmarshal([]byte(text), &got) != nil || fmt.Sprint(want) != fmt.Sprint(got) {
			t.Fatalf("the second patch has %s, and the pool's own are %s", text, own)
		}
		begin, end := from.Add(-48*time.Hour), to.Add(48*time.Hour)
		reason := rapid.SampledFrom([]candidate.Reason{candidate.Drifted, candidate.Empty, candidate.Underutilized}).Draw(t, "reason")
		nodes := func(set budget.Set) (at func(time.Time) int) {
			segments, err := set.Forecast(begin, end, 50, reason)
			if err != nil {
				t.Fatal(err)
			}
			return func(now time.Time) int {
				for _, s := range segments {
					if s.Contains(now) {
						return s.Nodes
					}
				}
				t.Fatal(now, segments)
				return 0
			}
		}
		a, b := nodes(frozen), nodes(thawed)
		for _, at := range []time.Time{begin, from.Add(-time.Minute), from, from.Add(to.Sub(from) / 2), to.Add(-time.Second), to, end.Add(-time.Second)} {
			want := b(at)
			if !at.Before(from) && at.Before(to) {
				want = 0
			}
			if got := a(at); got != want {
				t.Fatalf("%s to %s: %d at %s, want %d: %s", from, to, got, at, want, lines[1])
			}
		}
	})
}

func TestANameThatTheAPIServerRejectsHasNoPatch(t *testing.T) {
	const pool = `{apiVersion: karpenter.sh/v1, kind: NodePool, metadata: {name: Web_1}, spec: {disruption: {budgets: [{nodes: "0", from: "2026-12-24", to: "2026-12-24"}]}}}`
	file, err := Policy{As: engine.Karpenter}.ReadPools("f", strings.NewReader(pool))
	if err != nil {
		t.Fatal(err)
	}
	const want = "NodePool/Web_1: stock Karpenter has no dates, and nothing like this one: the API server rejects the name of the NodePool"
	if got := strings.Join(file.Pools[0].Stock, "\n"); got != want {
		t.Errorf("got %s", got)
	}
}
