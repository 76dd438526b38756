package pause

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/annotation"
	"github.com/disruptkit/disruptkit/cmd/engine"
	"github.com/disruptkit/disruptkit/cmd/manifest"
	"github.com/disruptkit/disruptkit/dialect"
)

// A pause blocks all nodes from its beginning to its end, and resume leaves the NodePool as it was: exactly, or with what
// somebody has changed meanwhile.
func TestAPauseHoldsAndLeavesNothingBehind(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawPool(t)
		before := written(t, p)
		s := stop{From: time.Unix(rapid.Int64Range(1.7e9, 2e9).Draw(t, "now"), 0).UTC(), Why: rapid.SampledFrom([]string{"", "INC-1 'quoted'"}).Draw(t, "why")}
		if rapid.Bool().Draw(t, "ends") {
			s.Until = s.From.Add(time.Duration(rapid.IntRange(1, 500*86400).Draw(t, "lasts")) * time.Second)
		}
		as := rapid.SampledFrom([]engine.Engine{engine.Karpenter, engine.Guard, engine.Steward}).Draw(t, "engine")
		paused := p
		for range rapid.IntRange(1, 2).Draw(t, "pauses") {
			c, err := paused.pause(as, s)
			if err != nil {
				t.Fatal(err)
			}
			paused = applied(t, paused, c)
		}
		end := s.Until
		if end.IsZero() {
			end = s.From.AddDate(3, 0, 0)
		}
		if !holds(t, as, paused, s.From, end) {
			t.Errorf("from %s to %s it does not hold: %s", s.From, end, written(t, paused))
		}
		if dropped := withoutEffect(t, as, paused); len(dropped) > len(withoutEffect(t, as, p)) {
			t.Errorf("it is said to have no effect: %v", dropped)
		}
		var own any
		if rapid.Bool().Draw(t, "somebody adds a budget meanwhile") {
			own = map[string]any{"nodes": "0"}
			paused.Spec.Disruption.Budgets = append([]any{own}, paused.Spec.Disruption.Budgets...)
			p.Spec.Disruption.Budgets = append([]any{own}, p.Spec.Disruption.Budgets...)
			before = written(t, p)
		}
		if diff := cmp.Diff(before, written(t, applied(t, paused, paused.resume()))); diff != "" {
			t.Error(diff)
		}
	})
}

// holds reports whether a NodePool allows no node from one time to another.
func holds(t *rapid.T, as engine.Engine, p pool, from, to time.Time) bool {
	if as != engine.Karpenter {
		pauses := annotation.Read("web", p.Metadata.Annotations).Pauses
		return len(pauses) == 1 && (pauses[0].Until.IsZero() || !pauses[0].Until.Before(to))
	}
	text, _ := json.Marshal(map[string]any{"budgets": p.Spec.Disruption.Budgets})
	var spec budget.Spec
	if err := json.Unmarshal(text, &spec); err != nil {
		t.Fatal(err)
	}
	set, err := spec.Compile()
	if err != nil {
		t.Fatal(err)
	}
	segments, err := set.In(dialect.Karpenter).Forecast(from, to, 100, candidate.Drifted)
	return err == nil && !slices.ContainsFunc(segments, func(s budget.Segment) bool { return s.Nodes != 0 })
}

// withoutEffect returns what has no effect in a NodePool, as lint and plan say.
func withoutEffect(t *rapid.T, as engine.Engine, p pool) []manifest.Fault {
	text, _ := json.Marshal(map[string]any{"apiVersion": "karpenter.sh/v1", "kind": "NodePool",
		"metadata": map[string]any{"name": "web", "annotations": p.Metadata.Annotations},
		"spec":     map[string]any{"disruption": map[string]any{"budgets": p.Spec.Disruption.Budgets}}})
	read, err := manifest.Policy{As: as}.ReadPools("paused.json", bytes.NewReader(text))
	if err != nil || len(read.Pools) != 1 {
		t.Fatal(err, read.Pools)
	}
	return read.Pools[0].Dropped
}

func drawPool(t *rapid.T) (p pool) {
	p.Kind, p.Metadata.Name = "NodePool", "web"
	p.Metadata.Annotations = map[string]string{"other": "stays"}
	for range rapid.IntRange(0, 3).Draw(t, "budgets") {
		p.Spec.Disruption.Budgets = append(p.Spec.Disruption.Budgets, rapid.SampledFrom([]any{
			map[string]any{"nodes": "0"}, map[string]any{"nodes": "10%"},
			map[string]any{"nodes": "0", "schedule": "0 9 * * mon-fri", "duration": "8h", "reasons": []any{"Drifted"}},
		}).Draw(t, "budget"))
	}
	return p
}

// applied returns a NodePool with the merge patch of a change.
func applied(t *rapid.T, p pool, c change) pool {
	if c.patch == "" {
		return p
	}
	var patch struct {
		Metadata struct{ Annotations map[string]*string }
		Spec     *struct{ Disruption struct{ Budgets []any } }
	}
	if err := json.Unmarshal([]byte(c.patch), &patch); err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for name, value := range p.Metadata.Annotations {
		all[name] = value
	}
	for name, value := range patch.Metadata.Annotations {
		if delete(all, name); value != nil {
			all[name] = *value
		}
	}
	p.Metadata.Annotations = all
	if patch.Spec != nil {
		p.Spec.Disruption.Budgets = patch.Spec.Disruption.Budgets
	}
	return p
}

func written(t *rapid.T, p pool) string {
	text, err := json.MarshalIndent(p, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// Schedules have no seconds, so a pause of stock Karpenter lasts up to the end of a minute, and says so.
func TestAPauseOfStockKarpenterNamesTheMinuteInWhichItsBudgetEnds(t *testing.T) {
	from := time.Date(2026, 11, 20, 14, 46, 32, 0, time.UTC)
	for until, want := range map[time.Time]string{
		from.Add(2 * time.Hour):                         `pauses until 2026-11-20T16:47:00Z: adds the budget {"duration":"2h1m","nodes":"0","schedule":"46 14 20 11 *"}`,
		time.Date(2026, 11, 20, 16, 46, 0, 0, time.UTC): `pauses until 2026-11-20T16:46:00Z: adds the budget {"duration":"2h","nodes":"0","schedule":"46 14 20 11 *"}`,
	} {
		c, err := pool{}.pause(engine.Karpenter, stop{From: from, Until: until})
		if err != nil || !strings.HasPrefix(c.says, want) {
			t.Errorf("%v: %s, want %s", err, c.says, want)
		}
	}
	if c, err := (pool{}).pause(engine.Guard, stop{From: from, Until: from.Add(2 * time.Hour)}); err != nil || !strings.HasPrefix(c.says, "pauses until 2026-11-20T16:46:32Z: ") {
		t.Errorf("%v: %s", err, c.says)
	}
}
