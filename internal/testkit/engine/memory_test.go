package engine_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/dialect"
	"github.com/disruptkit/disruptkit/internal/testkit/fixture"
	"github.com/disruptkit/disruptkit/topology"
)

// What is in annotations today has to be read by all later versions: these texts stay.
func TestTheJSONOfAMemory(t *testing.T) {
	since := time.Date(2026, 11, 20, 10, 20, 0, 0, time.UTC)
	for _, c := range []struct {
		rule, text string
		want       disruptkit.Memory
	}{
		{"nothing to remember", `{}`, disruptkit.Memory{}},
		{"a roll", `{"roll":{"key":"zone","domain":"a"}}`, disruptkit.Memory{Roll: topology.Roll{Key: "zone", Domain: "a"}}},
		{"a roll of the nodes without the label", `{"roll":{"key":"zone","domain":""}}`, disruptkit.Memory{Roll: topology.Roll{Key: "zone"}}},
		{
			"a roll that is idle", `{"roll":{"key":"zone","domain":"a","idleSince":"2026-11-20T10:20:00Z"}}`,
			disruptkit.Memory{Roll: topology.Roll{Key: "zone", Domain: "a", IdleSince: since}},
		},
		{
			"starts, with the paces for whose sake they are kept",
			`{"starts":[{"node":"a","reason":"Drifted","at":"2026-11-20T10:20:00Z","seen":true,"over":true}],"paces":[{"per":"24h","gone":"2026-11-20T10:20:00Z"},{"per":"1h"}]}`,
			disruptkit.Memory{
				Starts: []disruptkit.Start{{Node: "a", Reason: "Drifted", At: since, Seen: true, Over: true}},
				Paces:  []disruptkit.Pace{{Per: "24h", Gone: since}, {Per: "1h"}},
			},
		},
		{
			"slots that soak, or do not yet",
			`{"soak":{"for":"10m","since":"2026-11-20T10:20:00Z","places":[{"node":"a","reason":"Drifted","since":"2026-11-20T10:20:00Z","seen":true},{"node":"b","seen":true}]}}`,
			disruptkit.Memory{Soak: disruptkit.Soaking{For: "10m", Since: since, Slots: []disruptkit.Slot{
				{Node: "a", Reason: "Drifted", Since: since, Seen: true}, {Node: "b", Seen: true},
			}}},
		},
		{"a back-off", `{"backoff":{"level":2,"until":"2026-11-20T10:20:00Z"}}`, disruptkit.Memory{Backoff: disruptkit.Backoff{Level: 2, Until: since}}},
	} {
		t.Run(c.rule, func(t *testing.T) {
			text, err := json.Marshal(c.want)
			if err != nil || string(text) != c.text {
				t.Errorf("written as %s, not %s (%v)", text, c.text, err)
			}
			var got disruptkit.Memory
			if err := json.Unmarshal([]byte(c.text), &got); err != nil || !got.Equal(c.want) {
				t.Errorf("%s is read as %+v (%v)", c.text, got, err)
			}
			newer := c.text[:len(c.text)-1] + `,"other":[1]}`
			if c.text == `{}` {
				newer = `{"other":[1]}`
			}
			if err := json.Unmarshal([]byte(newer), &got); err != nil || !got.Equal(c.want) {
				t.Errorf("%s, of a later version, is read as %+v (%v)", newer, got, err)
			}
		})
	}
}

func TestTwoMemoriesAreEqualIfEachOfTheirFieldsIs(t *testing.T) {
	const at = 1_795_170_000
	m := disruptkit.Memory{
		Roll:    topology.Roll{Key: "zone", Domain: "a", IdleSince: time.Unix(at, 0).UTC()},
		Backoff: disruptkit.Backoff{Level: 1, Until: time.Unix(at, 0).UTC()},
		Starts:  []disruptkit.Start{{Node: "a", Reason: "Drifted", At: time.Unix(at, 0).UTC()}},
		Paces:   []disruptkit.Pace{{Per: "24h", Gone: time.Unix(at, 0).UTC()}},
		Waves:   []disruptkit.Progress{{Method: "Drifted", Revision: "1", Waves: []string{"1"}, Pools: []string{"a"}, Baked: 1, Done: 2, Since: time.Unix(at, 0).UTC()}},
	}
	m.Spreads = []disruptkit.Spreading{{Reasons: []candidate.Reason{"Drifted"}, Revision: "1", Since: time.Unix(at, 0).UTC(), Last: time.Unix(at, 0).UTC()}}
	m.Soak = disruptkit.Soaking{For: "10m", Since: time.Unix(at, 0).UTC(), Slots: []disruptkit.Slot{{Node: "a", Reason: "Drifted", Since: time.Unix(at, 0).UTC()}}}
	elsewhere, berlin := m, time.FixedZone("", 3600)
	elsewhere.Roll.IdleSince, elsewhere.Backoff.Until = time.Unix(at, 0).In(berlin), time.Unix(at, 0).In(berlin)
	elsewhere.Starts = []disruptkit.Start{{Node: "a", Reason: "Drifted", At: time.Unix(at, 0).In(berlin)}}
	elsewhere.Paces = []disruptkit.Pace{{Per: "24h", Gone: time.Unix(at, 0).In(berlin)}}
	elsewhere.Waves = []disruptkit.Progress{{Method: "Drifted", Revision: "1", Waves: []string{"1"}, Pools: []string{"a"}, Baked: 1, Done: 2, Since: time.Unix(at, 0).In(berlin)}}
	elsewhere.Spreads = []disruptkit.Spreading{{Reasons: []candidate.Reason{"Drifted"}, Revision: "1", Since: time.Unix(at, 0).In(berlin), Last: time.Unix(at, 0).In(berlin)}}
	elsewhere.Soak = disruptkit.Soaking{For: "10m", Since: time.Unix(at, 0).In(berlin), Slots: []disruptkit.Slot{{Node: "a", Reason: "Drifted", Since: time.Unix(at, 0).In(berlin)}}}
	if !m.Equal(m) || !m.Equal(elsewhere) {
		t.Error("a memory is not equal to itself, written in another time zone")
	}
	changed := 0
	eachField(t, reflect.ValueOf(&m).Elem(), func(path string) {
		changed++
		if m.Equal(elsewhere) || elsewhere.Equal(m) {
			t.Errorf("memories that differ in %s are taken for equal", path)
		}
	})
	if changed != 29 {
		t.Errorf("changed %d fields", changed)
	}
}

// eachField changes one field after the other, calls with for each, and undoes the change.
func eachField(t *testing.T, v reflect.Value, with func(path string)) {
	t.Helper()
	for i := range v.NumField() {
		field, name := v.Field(i), v.Type().Field(i).Name
		last := reflect.ValueOf(field.Interface())
		switch value := field.Interface().(type) {
		case string:
			field.SetString(value + "x")
		case candidate.Reason:
			field.SetString(string(value) + "x")
		case bool:
			field.SetBool(!value)
		case []disruptkit.Slot:
			eachField(t, field.Index(0), func(path string) { with(name + "[0]." + path) })
			continue
		case []disruptkit.Start:
			eachField(t, field.Index(0), func(path string) { with(name + "[0]." + path) })
			continue
		case []disruptkit.Progress:
			eachField(t, field.Index(0), func(path string) { with(name + "[0]." + path) })
			continue
		case []disruptkit.Spreading:
			eachField(t, field.Index(0), func(path string) { with(name + "[0]." + path) })
			continue
		case []candidate.Reason:
			field.Set(reflect.ValueOf([]candidate.Reason{"Expired"}))
		case []string:
			field.Set(reflect.ValueOf([]string{"2"}))
		case []disruptkit.Pace:
			eachField(t, field.Index(0), func(path string) { with(name + "[0]." + path) })
			continue
		case int:
			field.SetInt(int64(value) + 1)
		case time.Time:
			field.Set(reflect.ValueOf(value.Add(time.Nanosecond)))
		default:
			if field.Kind() != reflect.Struct {
				t.Fatalf("say how to change %s, which is %s", name, field.Type())
			}
			eachField(t, field, func(path string) { with(name + "." + path) })
			continue
		}
		with(name)
		field.Set(last)
	}
}

// compiled compiles a spec that may be broken.
func setOf(spec budget.Spec) budget.Set {
	set, _ := spec.Compile()
	return set
}

// At each step of a pool's life its policy may be another one, broken, or away, and it may be read in another dialect. Nodes that start
// are gone at the next step, or are there again under their name. No decision lets more start than the full history would. A clock that
// goes back does not bring back starts that a later clock has called over: the memory has forgotten them by then.
func TestNoDecisionLetsMoreStartThanTheFullHistoryWould(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		longest := budget.Budget{Nodes: rapid.SampledFrom([]string{"1", "2", "4"}).Draw(t, "n"), Per: "3h"}
		in := disruptkit.Input{Now: fixture.Noon, Nodes: fixture.Fleet(0, 12), Pools: []disruptkit.Pool{{Name: "default"}}}
		var history []disruptkit.Start
		away, latest := in.Now, in.Now
		for step := range 25 {
			var list []budget.Budget
			if rapid.Bool().Draw(t, "shorter") {
				list = append(list, budget.Budget{Nodes: fmt.Sprint(rapid.IntRange(1, 3).Draw(t, "k")), Per: rapid.SampledFrom([]string{"20m", "1h", "2h"}).Draw(t, "per")})
			}
			// the longest is away, or broken, for less than it is long
			kind := rapid.IntRange(0, 11).Draw(t, "input")
			due := step == 0 || !in.Now.Before(away.Add(140*time.Minute))
			if due || rapid.Bool().Draw(t, "longest") {
				list = append(list, longest)
				if due || kind > 3 {
					away = in.Now
				}
			}
			switch rapid.IntRange(0, 9).Draw(t, "broken") {
			case 0:
				list = append(list, budget.Budget{Nodes: "one"})
			case 1:
				for i := range list {
					list[i].Calendar = "missing"
				}
			case 2:
				list = slices.Repeat(append(list, budget.Budget{Nodes: "9"}), 51)
			}
			list = append([]budget.Budget{{Nodes: "5"}}, list...)
			now := in
			now.Pools = []disruptkit.Pool{{Name: "default", Budgets: setOf(budget.Spec{Budgets: list})}}
			switch {
			case due: // the decision sees the pace
			case kind == 0:
				now.Pools = nil
			case kind == 1:
				now.Pools = append(now.Pools, disruptkit.Pool{Name: "default"})
			case kind == 2:
				now.Now = time.Time{}
			case kind == 3:
				now.Dialect = dialect.Karpenter
			case kind == 4:
				now.Now = now.Now.Add(-time.Duration(rapid.IntRange(0, 50).Draw(t, "back")) * time.Minute)
			}
			d := disruptkit.Decide(now, candidate.Drifted)
			in.Memory = d.Memory
			full := now
			over := func(s disruptkit.Start) bool { return !s.At.Add(3 * time.Hour).After(latest) }
			full.Memory = map[string]disruptkit.Memory{"default": {Starts: slices.DeleteFunc(slices.Clone(history), over), Paces: []disruptkit.Pace{{Per: "8784h"}}}}
			if most := len(disruptkit.Decide(full, candidate.Drifted).Allowed); len(d.Allowed) > most {
				t.Fatalf("%d nodes may start at %v, and %d by the full history %v; remembered: %v", len(d.Allowed), now.Now, most, history, now.Memory)
			}
			if now.Now.After(latest) {
				latest = now.Now
			}
			in.Nodes = slices.Clone(in.Nodes)
			for _, c := range d.Allowed {
				i := slices.IndexFunc(in.Nodes, func(n candidate.Node) bool { return n.Name == c.Node })
				if rapid.IntRange(0, 4).Draw(t, "stays") == 0 {
					continue
				}
				history = append(history, disruptkit.Start{Node: fmt.Sprint("started-", len(history)), Reason: c.Reason, At: now.Now, Seen: true})
				n := &in.Nodes[i]
				if rapid.Bool().Draw(t, "renamed") {
					n.Name = fmt.Sprintf("new-%d", len(history))
				}
				n.ReadySince = now.Now.Add(time.Second)
				n.Conditions = []candidate.Condition{{Reason: candidate.Drifted, Since: now.Now.Add(time.Second)}}
			}
			in.Now = in.Now.Add(time.Duration(rapid.IntRange(1, 40).Draw(t, "minutes")) * time.Minute)
		}
	})
}

// Where it is unclear which paces hold, or what the time is, the memory stays as it is.
func TestADecisionWithoutATimeOrAPolicyLeavesStartsAsTheyAre(t *testing.T) {
	for name, change := range map[string]func(in *disruptkit.Input){
		"no time":                 func(in *disruptkit.Input) { in.Now = time.Time{} },
		"the pool is there twice": func(in *disruptkit.Input) { in.Pools = []disruptkit.Pool{{Name: "default"}, in.Pools[0]} },
	} {
		t.Run(name, func(t *testing.T) {
			in := pacedBy(t, 3, twoPerHour)
			in.Memory = disruptkit.Decide(in, candidate.Drifted).Memory
			in.Nodes, in.Now = in.Nodes[2:], in.Now.Add(2*time.Hour)
			change(&in)
			if got := disruptkit.Decide(in, candidate.Drifted).Memory["default"]; !got.Equal(in.Memory["default"]) {
				t.Errorf("%+v, and was %+v", got, in.Memory["default"])
			}
		})
	}
}

// Whatever starts while no pace counts it, the memory stays small.
func TestTheMemoryKeepsTheLastThousandStartsThatNoPaceCounts(t *testing.T) {
	in := pacedBy(t, 0, budget.Budget{Nodes: "9%"})
	m := disruptkit.Memory{Paces: []disruptkit.Pace{{Per: "24h"}}}
	for i := range 3_000 {
		m.Starts = append(m.Starts, disruptkit.Start{Node: fmt.Sprint("gone-", i), Reason: "Empty", At: in.Now.Add(time.Duration(i-3_000) * time.Second), Seen: true})
	}
	in.Memory = map[string]disruptkit.Memory{"default": m}
	got := disruptkit.Decide(in, candidate.Drifted).Memory["default"].Starts
	if len(got) != 1_000 || got[0].Node != "gone-2000" || got[999].Node != "gone-2999" {
		t.Errorf("%d starts", len(got))
	}
	in.Pools[0].Budgets = setOf(budget.Spec{Budgets: []budget.Budget{{Nodes: "1", Per: "24h"}}})
	if got := disruptkit.Decide(in, candidate.Drifted).Memory["default"].Starts; len(got) != 3_000 {
		t.Errorf("%d starts, all of which count", len(got))
	}
}

// A new node may have the name of the one that started. A caller that knows no times must not lose the start by that.
func TestAnUnknownTimeDoesNotUndoAStart(t *testing.T) {
	for name, b := range map[string]budget.Budget{"a pace": {Nodes: "1", Per: "1h"}, "a soak": {Nodes: "1", Soak: "1h"}} {
		for since, want := range map[time.Time]string{{}: "", fixture.Noon.Add(10 * time.Minute): "", fixture.Noon.Add(-time.Hour): "a-1"} {
			t.Run(fmt.Sprintf("%s, since %s", name, since.Format("15:04")), func(t *testing.T) {
				in := disruptkit.Input{
					Now: fixture.Noon, Nodes: fixture.Fleet(0, 2), Pools: []disruptkit.Pool{fixture.Pool(t, budget.Budget{Nodes: "100%"}, b)},
					Memory: map[string]disruptkit.Memory{"default": {Soak: disruptkit.Soaking{For: "1h", Since: fixture.Noon.Add(-24 * time.Hour)}}},
				}
				if first := disruptkit.Decide(in, candidate.Drifted); fmt.Sprint(fixture.Allowed(first)) != "[a-1]" {
					t.Fatal(fixture.Allowed(first))
				} else {
					in.Memory = first.Memory
				}
				in.Now = in.Now.Add(20 * time.Minute)
				for i := range in.Nodes { // a-1 may be a new node, and nobody has seen the old one drain
					in.Nodes[i].ReadySince, in.Nodes[i].Conditions[0].Since = time.Time{}, since
				}
				got := fixture.Allowed(disruptkit.Decide(in, candidate.Drifted))
				if fmt.Sprint(got) != fmt.Sprint(strings.Fields(want)) {
					t.Errorf("%v are allowed, want [%s]", got, want)
				}
			})
		}
	}
}

// A decision in Karpenter's dialect in between, for a comparison, loses nothing that the next one needs.
func TestKarpentersDialectKeepsWhatItDoesNotRead(t *testing.T) {
	at := fixture.Noon.Add(-time.Hour)
	memory := disruptkit.Memory{
		Roll: topology.Roll{Key: fixture.Zone, Domain: "a"}, Backoff: disruptkit.Backoff{Level: 1, Until: fixture.Noon.Add(5 * time.Minute)},
		Waves:   []disruptkit.Progress{{Method: candidate.Drifted, Waves: []string{"1", "100%"}, Baked: 1}},
		Spreads: []disruptkit.Spreading{{Since: at}},
	}
	in := disruptkit.Input{
		Now: fixture.Noon, Nodes: fixture.Fleet(0, 2), Pools: []disruptkit.Pool{fixture.Pool(t, budget.Budget{Nodes: "1"})},
		Dialect: dialect.Karpenter, Memory: map[string]disruptkit.Memory{"default": memory},
	}
	if got := disruptkit.Decide(in, candidate.Drifted).Memory["default"]; !got.Equal(memory) {
		t.Errorf("it keeps %+v, want %+v", got, memory)
	}
}

func TestAStartWithoutATimeCountsAsNow(t *testing.T) {
	in := pacedBy(t, 3, budget.Budget{Nodes: "1", Per: "1h"})
	in.Memory = map[string]disruptkit.Memory{"default": {Starts: []disruptkit.Start{{Node: "gone", Reason: "Drifted"}}}}
	d := disruptkit.Decide(in, candidate.Drifted)
	const want = `NodePool/default: memory.starts[0].at: the start of node "gone" has no time, and counts as now: write when it started, such as 2026-11-20T12:00:00Z`
	if len(d.Allowed) != 0 || len(d.Warnings) != 1 || d.Warnings[0].Error() != want || !d.Memory["default"].Starts[0].At.Equal(in.Now) {
		t.Errorf("%v; %v; %v", d.Allowed, d.Warnings, d.Memory)
	}
}

// A roll in a domain that nobody has is over, with a budget that orders domains or without.
func TestARollInADomainWithoutNodesIsForgotten(t *testing.T) {
	for _, c := range []struct {
		name   string
		budget budget.Budget
		change func(in *disruptkit.Input)
		kept   bool
	}{
		{"no budget orders zones", budget.Budget{Nodes: "1"}, nil, false},
		{"one does, later", fixture.During(budget.Budget{Nodes: "1", TopologyKey: fixture.Zone, Sequential: true}, "0 18 * * *", "1h"), nil, false},
		{"a node is in the zone", budget.Budget{Nodes: "1"}, func(in *disruptkit.Input) { in.Nodes[1].Labels = map[string]string{fixture.Zone: "ghost"} }, true},
		{"the pool has no nodes, which may have gone unread", budget.Budget{Nodes: "1"}, func(in *disruptkit.Input) { in.Nodes = nil }, true},
		{"there is no time", budget.Budget{Nodes: "1"}, func(in *disruptkit.Input) { in.Now = time.Time{} }, true},
		{
			"a roll by another label goes on in a zone of that name", budget.Budget{Nodes: "1", TopologyKey: "rack", Sequential: true},
			func(in *disruptkit.Input) {
				for i := range in.Nodes {
					in.Nodes[i].Labels = map[string]string{"rack": "ghost"}
				}
			}, true,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			in := pacedBy(t, 3, c.budget)
			in.Memory = fixture.Rolling("ghost", "")
			if c.change != nil {
				c.change(&in)
			}
			if got := disruptkit.Decide(in, candidate.Drifted).Memory["default"].Roll; got != (topology.Roll{}) != c.kept {
				t.Errorf("%+v", got)
			}
		})
	}
}
