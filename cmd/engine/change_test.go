package engine_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/cmd/engine"
	"github.com/disruptkit/disruptkit/dialect"
	"github.com/disruptkit/disruptkit/internal/testkit"
	"github.com/disruptkit/disruptkit/internal/testkit/generate"
)

// Until NextChange, the guard and the steward decide the same on the same input, whichever rules of Karpenter's own they add.
func TestNothingChangesBeforeTheNextChange(t *testing.T) {
	for _, name := range []string{"any", "unzoned", "dated", "waiting", "united"} {
		inputs := generate.Inputs[name]
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				in, asked := testkit.Arbitrary(inputs).Draw(t, "input"), testkit.Arbitrary(generate.Asked).Draw(t, "asked")
				in.Dialect, in.Nodes = dialect.Disruptkit, slices.Clone(in.Nodes)
				for i := range in.Nodes { // facts that are dated after now become others as time passes
					n := &in.Nodes[i]
					n.Conditions = slices.Clone(n.Conditions)
					for j := range n.Conditions {
						n.Conditions[j].Since = earlier(n.Conditions[j].Since, in.Now)
					}
					n.ReadySince, n.Created = earlier(n.ReadySince, in.Now), earlier(n.Created, in.Now)
				}
				in.Memory = disruptkit.Decide(in, "").Memory
				karpenters := map[string]budget.Set{}
				for _, p := range in.Pools {
					nodes := rapid.SampledFrom([]string{"1", "3", "20%", "100%"}).Draw(t, "nodes")
					karpenters[p.Name], _ = budget.Spec{Dialect: dialect.Karpenter, Budgets: []budget.Budget{
						{Nodes: nodes}, {Nodes: "0", Schedule: "10 * * * *", Duration: "5m"},
					}}.Compile()
				}
				decide := engine.Guarded
				if rapid.Bool().Draw(t, "steward") {
					decide = engine.Stewarded
				}
				d := decide(in, karpenters, asked)
				before, now, next := state(d), in.Now, d.NextChange
				if now.IsZero() || next.IsZero() {
					next = now.AddDate(1, 0, 0)
				}
				for left := next.Sub(now); left > 0; left /= 16 { // ever closer to the change
					if in.Now = now.Add(next.Sub(now) - left/2 - 1); !in.Now.After(now) {
						continue
					}
					if then := state(decide(in, karpenters, asked)); then != before {
						t.Fatalf("the next change after %v is at %v, but at %v\n%sis\n%s", now, d.NextChange, in.Now, before, then)
					}
				}
			})
		})
	}
}

func earlier(a, b time.Time) time.Time {
	if a.After(b) {
		return b
	}
	return a
}

// state describes what is allowed, and what blocks the others, without times.
func state(d disruptkit.Decision) string {
	var s strings.Builder
	for _, c := range slices.Concat(d.Allowed, d.Blocked) {
		fmt.Fprint(&s, c.Node, " ", c.Reason)
		for _, b := range c.Blockers {
			fmt.Fprint(&s, " ", b.Gate, "/", b.Code)
		}
		s.WriteByte('\n')
	}
	for _, p := range d.Pools {
		fmt.Fprintln(&s, p.Pool, p.Reason, p.Allowance.Nodes)
	}
	return s.String()
}
