package manifest_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/pflag"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/engine"
	"github.com/disruptkit/disruptkit/cmd/manifest"
)

// approachA is from the disruption-controls-by-method RFC, with durations: "Consolidation and Drift actions have specific
// budgets of 10 nodes each, while all other actions share a common budget of 5 nodes."
const approachA = `[
	{schedule: "* * * * *", duration: 1m, action: Consolidation, nodes: 10},
	{schedule: "* * * * *", duration: 1m, action: Drift, nodes: 10},
	{schedule: "* * * * *", duration: 1m, nodes: 5}]`

func budgeted(t *testing.T, budgets string) string {
	t.Helper()
	return different(t, nodePool, `spec: {disruption: {budgets: `+budgets+`}}`)
}

func TestProgramsSayWithOneFlagWhichBudgetsDecide(t *testing.T) {
	for args, want := range map[string]map[candidate.Reason]int{
		"":                {candidate.Drifted: 5, candidate.Underutilized: 5, candidate.Empty: 5},
		"--most-specific": {candidate.Drifted: 10, candidate.Underutilized: 10, candidate.Empty: 5},
	} {
		var policy manifest.Policy
		flags := pflag.NewFlagSet("", pflag.ContinueOnError)
		policy.PoolFlags(flags)
		policy.As = engine.Disruptkit
		if err := flags.Parse(strings.Fields(args)); err != nil {
			t.Fatal(err)
		}
		cluster, err := policy.Read(strings.NewReader(budgeted(t, approachA)))
		if err != nil {
			t.Fatal(err)
		}
		file, err := policy.ReadPools("x", strings.NewReader(budgeted(t, approachA)+"\n---\nbudgets: "+approachA))
		if err != nil {
			t.Fatal(err)
		}
		sets := map[string]budget.Set{"Read": cluster.Pools[0].Budgets}
		for _, p := range file.Pools {
			sets["ReadPools "+p.Name], _ = p.Spec.Compile()
		}
		if len(sets) != 3 {
			t.Fatalf("got %v", sets)
		}
		for by, set := range sets {
			got := map[candidate.Reason]int{}
			for reason := range want {
				allowance, err := budget.AllowedByReason(set, now.Add(time.Second), 100, reason)
				if err != nil {
					t.Fatal(err)
				}
				got[reason] = allowance.Nodes
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s %s: (-want +got)\n%s", by, args, diff)
			}
		}
	}
}

func TestPodsWithInvalidAnnotationsBlockTheirNodeWhereTheFlagSaysSo(t *testing.T) {
	input := documents(nodePool, drifted(t), node, different(t, pod, `metadata: {annotations: {karpenter.sh/do-not-disrupt: sometimes}}`), pdb)
	for args, goes := range map[string]bool{"": true, "--fail-closed": false} {
		var policy manifest.Policy
		flags := pflag.NewFlagSet("", pflag.ContinueOnError)
		policy.Flags(flags)
		policy.As = engine.Disruptkit
		if err := flags.Parse(strings.Fields(args)); err != nil {
			t.Fatal(err)
		}
		c, err := policy.Read(strings.NewReader(input))
		if err != nil {
			t.Fatal(err)
		}
		if d := disruptkit.Decide(c.Input(now), ""); (len(d.Allowed) > 0) != goes {
			t.Errorf("%q: allowed %v, blocked %v", args, d.Allowed, d.Blocked)
		}
	}
}

// "for lists that only make sense one way a hint"
func TestAListInTheWordsOfTheProposalGetsAHint(t *testing.T) {
	const (
		fields = "NodePool/general: spec.disruption.budgets: action, method and reason come from a proposal where the most specific budgets " +
			"decide, and here the most restrictive do: write --most-specific for the proposal's way, or write reasons"
	)
	for _, test := range []struct {
		rule, budgets string
		want          []string
	}{
		{"the RFC's list", approachA, []string{fields}},
		{"fields of the RFC in a list that makes sense both ways", `[{nodes: 1, method: Drift}, {nodes: 5}]`, []string{fields}},
		{"a reason alone", `[{nodes: 1, reason: Drifted}]`, []string{fields}},

		{"what never decides, which lint finds", `[{nodes: 1}, {nodes: 5, reasons: [Drifted]}]`, nil},
		{"null is no field", `[{nodes: 1, action: null}]`, nil},
		{"nor is the RFC's empty text", `[{nodes: 1, action: ""}]`, nil},
		{"the default list", `null`, nil},
	} {
		t.Run(test.rule, func(t *testing.T) {
			pool := budgeted(t, test.budgets)
			c := read(t, documents(pool, drifted(t), node, pod, pdb))
			d := disruptkit.Decide(c.Input(now), "")
			if diff := cmp.Diff(test.want, texts(c.Warnings(d))); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			for _, w := range c.Warnings() {
				if w.Code != manifest.CodeMostSpecific {
					t.Errorf("%s: code %q", w.Message, w.Code)
				}
			}
			bare := "budgets: " + test.budgets
			for _, h := range readPools(t, bare).Pools[0].Hints {
				if h.Object != "pools" {
					t.Errorf("of budgets alone: %v", h)
				}
			}
			var hints []string
			for _, f := range readPools(t, pool).Pools[0].Hints {
				hints = append(hints, f.Warning.Error())
			}
			if diff := cmp.Diff(test.want, hints); diff != "" {
				t.Errorf("ReadPools: (-want +got)\n%s", diff)
			}
			for _, told := range []string{pool, different(t, pool, `spec: {disruption: {drift: {disruptAfter: 1h}}}`)} { // a control implies it
				specific := manifest.Policy{MostSpecific: told == pool}
				c, err := specific.Read(strings.NewReader(told))
				if err != nil || len(c.Warnings()) > 0 {
					t.Errorf("most specific as it is: %v, %q", err, texts(c.Warnings()))
				}
			}
		})
	}
}
