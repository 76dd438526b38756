package decide

import (
	"encoding/json"
	"fmt"
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

// The shape that the program promises. A leaf is the type of the value; what follows | is allowed, too. The field * is any
// number of fields. One with ? after its name may be missing.
const shape = `{
	"version": "text",
	"as": "text",
	"now": "time",
	"missing": [{"kind": "text", "message": "text", "suspected": "boolean"}],
	"nodePools": [{"name": "text", "budgets": [` + budgetShape + `]}],
	"decisions": [{
		"reason": "text",
		"pools": [{"name": "text", "reason": "text", "nodes": "number", "disrupting": "number", "allowed": "number|null",
			"remaining": "number|null", "binding": ["number"], "until": "time|null", "blockers": [` + blocker + `], "topology": [
				{"budget": "number", "key": "text", "sequential": "boolean", "active": "text|null", "givesWay": "time|null",
				"domains": [{"name": "text", "nodes": "number", "allowed": "number", "remaining": "number", "inFlight": "number",
					"rolling": "number", "toGo": "number", "free": "number", "unready": "number"}]}]}],
		"allowed": [{"node": "text", "pool": "text", "reason": "text", "since": "time|null", "until": "time|null",
			"repair?": ` + howRepaired + `, "said?": ` + whatSaid + `}],
		"blocked": [{"node": "text", "pool": "text", "reason": "text", "since": "time|null",
			"blockers": [` + blocker + `], "notBefore": "time|null", "repair?": ` + howRepaired + `, "said?": ` + whatSaid + `}],
		"nextChange": "time|null", "caveat?": "text",
		"differs": [{"pool": "text", "allowed": {"*": "number"}, "message": "text"}],
		"rolls": {"*": {"key": "text", "domain": "text", "idleSince": "time|null"}},
		"memory": {"*": {"roll": {"key": "text", "domain": "text", "idleSince?": "time"}}}
	}],
	"warnings": [{"code": "text", "object": "text", "field": "text", "value": "text", "message": "text"}]
}`

const blocker = `{"gate": "text", "code": "text", "message": "text", "pod": "text|null", "until": "time|null", "forGood": "boolean", 
	"source": ` + source + `}`

const source = `{"|null": true, "podDisruptionBudgets?": ["text"], "podDisruptionSchedule?": "text", "budgets?": ["number"], "topologyKey?": "text", "domain?": "text",
	"waitsFor?": "text", "probe?": "text", "pause?": {"by": "text", "why": "text"}}`

const budgetShape = `{"place": "text", "text": "text", "broken": "boolean", "nodes": "text", "reasons": ["text"], "per?": "text", "schedule?": "text",
	"duration?": "text", "from?": "text", "to?": "text", "calendar?": "text", "timeZone?": "text", "outside?": "boolean", "topologyKey?": "text",
	"sequential?": "boolean"}`

const whatSaid = `{"reason": "text", "message": "text", "at": "time|null"}`

const howRepaired = `{"condition": "text", "status": "text", "because": "text", "action": "text", "drain": "text|null", "urgency": "time|null"}`

func TestJSONHasTheShapeThatIsPromised(t *testing.T) {
	for rule, got := range map[string]result{
		"the bundled cluster": decided("", "-o", "json"),
		"a broken cluster":    decided("", "-o", "json", "-f", "testdata/broken.yaml"),
		"no zone's turn":      decided(zonal(oneZone, "", "a1"), "-o", "json", "-f", "-"),
		"a zone that is held": decided(zonal(oneZone, rollInA, "a1* a2~"), "-o", "json", "-f", "-"),
		"no limit":            decided(`{"kind":"NodePool","metadata":{"name":"p"}}`, "-o", "json", "-f", "-"),
		"repair":              decided("", "-o", "json", "--repair", "repair-policies.yaml"),
		"probes":              decided("", "-o", "json", "-f", "testdata/probes.yaml"),
		"nothing at all":      decided(`{"kind":"NodeList","items":[]}`, "-o", "json", "-f", "-"),
	} {
		t.Run(rule, func(t *testing.T) {
			var want, have any
			decode(t, shape, &want)
			decode(t, got.stdout, &have)
			wantShape(t, "", want, have)
		})
	}
}

func decode(t *testing.T, text string, into any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), into); err != nil {
		t.Fatalf("%v:\n%s", err, text)
	}
}

func wantShape(t *testing.T, path string, want, got any) {
	t.Helper()
	switch want := want.(type) {
	case map[string]any:
		if want["|null"] == true && got == nil {
			return
		}
		fields, ok := got.(map[string]any)
		if !ok {
			t.Errorf("%s is %v, not an object", path, got)
		}
		if any, ok := want["*"]; ok {
			for name, field := range fields {
				wantShape(t, path+"."+name, any, field)
			}
			return
		}
		for name := range fields {
			if want[name] == nil && want[name+"?"] == nil {
				t.Errorf("%s.%s is not promised", path, name)
			}
		}
		for name, shape := range want {
			name, optional := strings.CutSuffix(name, "?")
			if name == "|null" {
				continue
			}
			if field, ok := fields[name]; ok {
				wantShape(t, path+"."+name, shape, field)
			} else if !optional {
				t.Errorf("%s.%s is not there", path, name)
			}
		}
	case []any:
		list, ok := got.([]any)
		if !ok {
			t.Errorf("%s is %v, not a list", path, got)
		}
		for i, element := range list {
			wantShape(t, fmt.Sprintf("%s[%d]", path, i), want[0], element)
		}
	case string:
		if !strings.Contains("|"+want+"|", "|"+leaf(got)+"|") && !(want == "text" && leaf(got) == "time") {
			t.Errorf("%s is %v, not %s", path, got, want)
		}
	}
}

// leaf names the type of a value that is neither an object nor a list.
func leaf(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case float64:
		return "number"
	case bool:
		return "boolean"
	case string:
		if _, err := time.Parse(time.RFC3339, v); err == nil {
			return "time"
		}
		return "text"
	}
	return fmt.Sprintf("%T", v)
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
