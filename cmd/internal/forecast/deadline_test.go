package forecast

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/dialect"
	"github.com/disruptkit/disruptkit/probe"
)

// What is said of overdue nodes is so: that some may be disrupted, or that none may, in the whole of the forecast. A deadline excuses them from the times and
// the paces of our budgets, and from nothing else: not from a pause, from what is broken, or from Karpenter's own budgets.
func TestWhatIsSaidOfOverdueNodesIsSo(t *testing.T) {
	from := time.Date(2026, 11, 23, 0, 0, 0, 0, time.UTC)
	day := func(n int) time.Time { return from.AddDate(0, 0, n) }
	texts := map[time.Time]string{day(2): "2026-11-25T00:00:00Z", day(9): "2026-12-02T00:00:00Z"}
	rapid.Check(t, func(t *rapid.T) {
		karpenters := rapid.SampledFrom([]budget.Budget{{Nodes: "2"}, {Nodes: "0"}, {Nodes: "0", Schedule: "0 9 * * *", Duration: "1h"}}).Draw(t, "Karpenter's own budget")
		ours := rapid.SampledFrom([]budget.Budget{{Nodes: "3"}, {Nodes: "0"}, {Nodes: "0", Schedule: "0 9 * * mon", Duration: "8h"}, {Nodes: "x"}}).Draw(t, "budget of the annotation")
		deadline := rapid.SampledFrom([]string{"", "72h"}).Draw(t, "deadline")
		engine := rapid.SampledFrom([]string{"guard", "steward"}).Draw(t, "engine")
		var pauses []probe.Pause
		pause := ""
		broken := rapid.IntRange(0, 4).Draw(t, "broken") == 0
		if broken {
			pause = "disruptkit.dev/pause: '{message: x}', "
		} else if rapid.Bool().Draw(t, "paused") {
			p := probe.Pause{By: "alice", From: rapid.SampledFrom([]time.Time{{}, day(2)}).Draw(t, "from"), Until: rapid.SampledFrom([]time.Time{{}, day(9)}).Draw(t, "until")}
			pauses, pause = append(pauses, p), "{by: alice"
			if !p.From.IsZero() {
				pause += `, from: "` + texts[p.From] + `"`
			}
			if !p.Until.IsZero() {
				pause += `, until: "` + texts[p.Until] + `"`
			}
			pause = "disruptkit.dev/pause: '" + pause + "}', "
		}
		drift := ""
		if deadline != "" {
			drift = ", drift: {deadline: " + deadline + "}"
		}
		out := forecasted(fmt.Sprintf("apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {name: p, annotations: {disruptkit.dev/steward: 'true', %sdisruptkit.dev/disruption: '{budgets: [%s]%s}'}}\n"+
			"spec: {disruption: {consolidateAfter: 0s, budgets: [%s]}}\n", pause, asYAML(ours), drift, asYAML(karpenters)),
			"--engine", engine, "--from", "2026-11-23", "--to", "2026-11-30", "--nodes", "10", "--reason", "Drifted", "-")

		set, _ := budget.Spec{Budgets: []budget.Budget{karpenters, ours}, Drift: budget.Control{Deadline: deadline}}.Compile()
		theirs, err := budget.Spec{Budgets: []budget.Budget{karpenters}, Dialect: dialect.Karpenter}.Compile()
		if err != nil {
			t.Fatal(err)
		}
		goes := false
		for at := from; at.Before(day(7)); at = at.Add(30 * time.Minute) {
			d := disruptkit.Decide(disruptkit.Input{Now: at, Pauses: pauses, Pools: []disruptkit.Pool{{Name: "p", Budgets: set}}, Nodes: []candidate.Node{{
				Name: "n", Pool: "p", Phase: candidate.Running, Conditions: []candidate.Condition{{Reason: candidate.Drifted, Since: at.AddDate(0, 0, -30)}},
			}}}, candidate.Drifted)
			allowed, err := budget.AllowedByReason(theirs, at, 10, candidate.Drifted)
			goes = goes || !broken && len(d.Allowed) > 0 && allowed.Nodes > 0 && err == nil
		}
		text := unwrapped(out.stdout)
		for said, want := range map[string]bool{
			"no node may be disrupted before it is overdue": true, "from then on nothing waits": true,
			"no node may be disrupted at any time": false, "blocked even then": false,
		} {
			if strings.Contains(text, said) && goes != want {
				t.Fatalf("an overdue node goes within the forecast: %v; %q is said in\n%s%s", goes, said, out.stdout, out.stderr)
			}
		}
		if deadline != "" && !strings.Contains(text, "from then on nothing waits") && !strings.Contains(text, "blocked even then") && !strings.Contains(text, "never, since") {
			t.Fatalf("nothing is said of overdue nodes in\n%s%s", out.stdout, out.stderr)
		}
	})
}

// asYAML returns a budget as YAML.
func asYAML(b budget.Budget) string {
	text := `{nodes: "` + b.Nodes + `"`
	if b.Schedule != "" {
		text += `, schedule: "` + b.Schedule + `", duration: ` + b.Duration
	}
	return text + "}"
}
