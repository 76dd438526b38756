package decide

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/engine"
	"github.com/disruptkit/disruptkit/cmd/manifest"
	"github.com/disruptkit/disruptkit/topology"
)

func decode(t *testing.T, text string, into any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), into); err != nil {
		t.Fatalf("%v:\n%s", err, text)
	}
}

// One value of each kind, in the order in which it is printed: "stable for jq".
func TestJSON(t *testing.T) {
	berlin := time.FixedZone("", 3600)
	at := time.Date(2026, 11, 20, 18, 0, 0, 0, berlin)
	drift := candidate.Reason("Drifted/AMIDrift")
	set, _ := budget.Compile([]budget.Budget{{Nodes: "2", Reasons: []candidate.Reason{"Drifted"}, Calendar: "holidays"}, {}}) // nobody knows the calendar
	a := answer{
		differs: []difference{
			{reason: candidate.Drifted, pool: "p", allowed: map[engine.Engine]int{engine.Karpenter: 3, engine.Guard: 1, engine.Disruptkit: 0}, numbers: "3 and 1"},
			{reason: candidate.Empty, pool: "p"},
		},
		cluster: &manifest.Cluster{},
		in:      disruptkit.Input{Now: time.Date(2026, 11, 20, 10, 30, 0, 500e6, time.UTC), Pools: []disruptkit.Pool{{Name: "p", Budgets: set}}},
		missing: []manifest.Missing{{Kind: "Pod", Message: "none"}},
		decisions: []disruptkit.Decision{{
			Reason: candidate.Drifted,
			Pools: []disruptkit.PoolDecision{
				{Pool: "p", Reason: drift, Nodes: 9, Disrupting: 2, Allowance: budget.Allowance{Nodes: 3, Binding: 0b101}, Remaining: 1, Until: at, Topology: []topology.Selection{
					{Budget: 3, Rule: "r", Key: "zone", Sequential: true, Chosen: true, GivesWay: at, Domains: []topology.Domain{
						{Name: "", Nodes: 1, Allowed: 2, Remaining: 3, InFlight: 4, Rolling: 5, ToGo: 6, Free: 7, Unready: 8, OldestFree: "a"},
						{Name: "x"},
					}},
					{Budget: 4, Key: "rack", Active: "not chosen"},
				}},
				{Pool: "q", Reason: candidate.Drifted, Allowance: budget.Allowance{Nodes: budget.Unlimited}, Remaining: budget.Unlimited, Blockers: []candidate.Blocker{
					{Gate: candidate.GateProbe, Code: candidate.CodeDenied, Message: "no", Until: at, Source: &candidate.Source{Probe: "health"}},
				}},
			},
			Allowed: []candidate.Candidate{{Node: "a", Pool: "p", Reason: drift, Since: at, Until: at}},
			Blocked: []candidate.Candidate{{Node: "b", Pool: "p", Reason: drift, Since: at, Blockers: []candidate.Blocker{
				{Gate: candidate.GateBudget, Code: candidate.CodeExhausted, Message: "a < b", Until: at, Source: &candidate.Source{Budgets: []int{0, 2}}},
				{Gate: candidate.GateTopology, Code: candidate.CodeWaitsForDomain, Message: "waits", Source: &candidate.Source{Budgets: []int{1}, Key: "zone", Domain: "b"}},
				{Gate: candidate.GateTopology, Code: candidate.CodeExhausted, Message: "full", Source: &candidate.Source{Budgets: []int{1}, Key: "zone", Domain: "b"}},
				{Gate: candidate.GateProbe, Code: candidate.CodePaused, Message: "paused", Source: &candidate.Source{By: "alice"}},
				{Gate: candidate.GatePod, Code: candidate.CodeAllowsNone, Message: "pod x/y", Pod: "x/y", Source: &candidate.Source{PDBs: []string{"x/z"}}},
				{Gate: candidate.GatePod, Code: candidate.CodeOutsideSchedule, Message: "pod x/y", Pod: "x/y", Source: &candidate.Source{PodSchedule: "nights"}},
				{Gate: candidate.GatePod, Code: candidate.CodeDoNotDisrupt, Message: "pod x/y stays", ForGood: true},
			}}},
			Memory: map[string]disruptkit.Memory{
				"q": {Roll: topology.Roll{Key: "zone", Domain: "x"}},
				"p": {Roll: topology.Roll{Key: "zone", IdleSince: at}},
				"r": {},
			},
			NextChange: at,
		}},
		warnings: []candidate.Warning{{Code: "c", Object: "o", Field: "f", Value: "v", Message: "m"}},
	}
	const want = `{"version":"2","as":"disruptkit","now":"2026-11-20T10:30:00.5Z","missing":[{"kind":"Pod","message":"none","suspected":false}],` +
		`"nodePools":[{"name":"p","budgets":[{"place":"budgets[0]","text":"2 (Drifted; calendar holidays)","broken":true,"nodes":"2","reasons":["Drifted"],"calendar":"holidays"},` +
		`{"place":"budgets[1]","text":"10%","broken":false,"nodes":"10%","reasons":[]}]}],` +
		`"decisions":[{"reason":"Drifted","pools":[` +
		`{"name":"p","reason":"Drifted/AMIDrift","nodes":9,"disrupting":2,"allowed":3,"remaining":1,"binding":[0,2],"until":"2026-11-20T17:00:00Z","topology":[` +
		`{"budget":3,"key":"zone","sequential":true,"active":"","givesWay":"2026-11-20T17:00:00Z","domains":[` +
		`{"name":"","nodes":1,"allowed":2,"remaining":3,"inFlight":4,"rolling":5,"toGo":6,"free":7,"unready":8},` +
		`{"name":"x","nodes":0,"allowed":0,"remaining":0,"inFlight":0,"rolling":0,"toGo":0,"free":0,"unready":0}]},` +
		`{"budget":4,"key":"rack","sequential":false,"active":null,"givesWay":null,"domains":[]}],"blockers":[]},` +
		`{"name":"q","reason":"Drifted","nodes":0,"disrupting":0,"allowed":null,"remaining":null,"binding":[],"until":null,"topology":[],` +
		`"blockers":[{"gate":"probe","code":"denied","message":"no","pod":null,"until":"2026-11-20T17:00:00Z","forGood":false,"source":{"probe":"health"}}]}],` +
		`"allowed":[{"node":"a","pool":"p","reason":"Drifted/AMIDrift","since":"2026-11-20T17:00:00Z","until":"2026-11-20T17:00:00Z"}],` +
		`"blocked":[{"node":"b","pool":"p","reason":"Drifted/AMIDrift","since":"2026-11-20T17:00:00Z","blockers":[` +
		`{"gate":"budget","code":"exhausted","message":"a < b","pod":null,"until":"2026-11-20T17:00:00Z","forGood":false,"source":{"budgets":[0,2]}},` +
		`{"gate":"topology","code":"waits-for-domain","message":"waits","pod":null,"until":null,"forGood":false,` +
		`"source":{"budgets":[1],"topologyKey":"zone","domain":"b","waitsFor":""}},` +
		`{"gate":"topology","code":"exhausted","message":"full","pod":null,"until":null,"forGood":false,` +
		`"source":{"budgets":[1],"topologyKey":"zone","domain":"b"}},` +
		`{"gate":"probe","code":"paused","message":"paused","pod":null,"until":null,"forGood":false,"source":{"pause":{"by":"alice","why":""}}},` +
		`{"gate":"pod","code":"allows-none","message":"pod x/y","pod":"x/y","until":null,"forGood":false,"source":{"podDisruptionBudgets":["x/z"]}},` +
		`{"gate":"pod","code":"outside-schedule","message":"pod x/y","pod":"x/y","until":null,"forGood":false,` +
		`"source":{"podDisruptionSchedule":"nights"}},` +
		`{"gate":"pod","code":"do-not-disrupt","message":"pod x/y stays","pod":null,"until":null,"forGood":true,"source":null}],"notBefore":"2026-11-20T17:00:00Z"}],` +
		`"nextChange":"2026-11-20T17:00:00Z",` +
		`"differs":[{"pool":"p","allowed":{"disruptkit":0,"guard":1,"karpenter":3},"message":"p: 3 and 1"}],` +
		`"rolls":{"p":{"key":"zone","domain":"","idleSince":"2026-11-20T17:00:00Z"},"q":{"key":"zone","domain":"x","idleSince":null}},` +
		`"memory":{"p":{"roll":{"key":"zone","domain":"","idleSince":"2026-11-20T17:00:00Z"}},"q":{"roll":{"key":"zone","domain":"x"}},"r":{}}}],` +
		`"warnings":[{"code":"c","object":"o","field":"f","value":"v","message":"m"}]}`
	var got strings.Builder
	if err := printJSON(&got, a); err != nil {
		t.Fatal(err)
	}
	oneLine := strings.NewReplacer("\n", "", "  ", "", `": `, `":`).Replace(got.String())
	if diff := cmp.Diff(want, oneLine); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}
