package budget_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/budget/admission"
	"github.com/disruptkit/disruptkit/dialect"
)

func TestASoakThatIsNoneSaysWhatToWrite(t *testing.T) {
	for _, c := range []struct{ name, written, want string }{
		{"no time", `{"nodes": "1", "soak": "0h"}`, `budgets[0].soak: soak "0h" is zero: write how long a slot is in use after its node is gone, such as 10m, or leave it out`},
		{"no time without a unit", `{"nodes": "1", "soak": "0"}`, `budgets[0].soak: soak "0" is zero: write how long a slot is in use after its node is gone, such as 10m, or leave it out`},
		{"a negative time", `{"nodes": "1", "soak": "-10m"}`, `budgets[0].soak: soak "-10m" is negative: write how long a slot is in use after its node is gone, such as 10m`},
		{"seconds", `{"nodes": "1", "soak": "90s"}`, `budgets[0].soak: soak "90s" is not in whole hours and minutes: write one such as 10m, 1h or 1h30m`},
		{"words", `{"nodes": "1", "soak": "a while"}`, `budgets[0].soak: soak "a while" is not in whole hours and minutes: write one such as 10m, 1h or 1h30m`},
		{"a year", `{"nodes": "1", "soak": "8784h"}`, `budgets[0].soak: soak "8784h" is longer than 30 days: write at most 720h`},
		{"more than fits", `{"nodes": "1", "soak": "99999999999h"}`, `budgets[0].soak: soak "99999999999h" is longer than 30 days: write at most 720h`},
		{"in zones", `{"nodes": "1", "soak": "10m", "topologyKey": "zone"}`, `budgets[0].soak: soak "10m" applies to the whole pool, and topologyKey to single zones, where nodes that are gone do not count: write a second budget with soak, without topologyKey`},
		{"of a pace", `{"nodes": "1", "soak": "10m", "per": "1h"}`, `budgets[0].soak: soak "10m" is for nodes at once, and per "1h" for starts: write two budgets, one with soak and one with per`},
		{"of no node", `{"nodes": "0%", "soak": "10m"}`, `budgets[0].nodes: nodes "0%" with soak 10m allows no node: leave soak out if nothing should be disrupted`},
		{"a number", `{"nodes": "1", "soak": 10}`, `field "soak": 10 is not valid: write a string, such as "10m"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			var spec budget.Spec
			err := json.Unmarshal([]byte(`{"budgets": [`+c.written+`]}`), &spec)
			if err == nil {
				var set budget.Set
				if set, err = spec.Compile(); err != nil {
					if a, _ := budget.AllowedByReason(set, aMonday, 10, "Drifted"); a.Nodes != 0 {
						t.Errorf("it allows %d", a.Nodes)
					}
				}
			}
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %s", err, c.want)
			}
		})
	}
}

func TestASoakIsReadAndWritten(t *testing.T) {
	const text = `{"nodes":"1","soak":"30m"}`
	var b budget.Budget
	if err := json.Unmarshal([]byte(text), &b); err != nil || b.Soak != "30m" || b.String() != "1, soak 30m" {
		t.Error(b, err)
	}
	if again, _ := json.Marshal(b); string(again) != text {
		t.Errorf("%s", again)
	}
	for _, soak := range []string{"1m", "720h", "1h30m"} {
		set, err := budget.Compile([]budget.Budget{{Nodes: "1", Soak: soak}})
		if err != nil || len(set.Pacing()) == 0 {
			t.Error(soak, err)
		}
	}
	karpenter, _ := budget.Spec{Budgets: []budget.Budget{b}, Dialect: dialect.Karpenter}.Compile()
	if len(karpenter.Pacing()) > 0 || len(admission.Warnings(karpenter)) != 1 || admission.Warnings(karpenter)[0].Field != "budgets[0].soak" {
		t.Error(admission.Warnings(karpenter))
	}
}
