package disruptkit_test

import (
	"encoding/json"
	"reflect"
	"testing"
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
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
				Starts: []budget.Start{{Node: "a", Reason: "Drifted", At: since, Seen: true, Over: true}},
				Paces:  []budget.Pace{{Per: "24h", Gone: since}, {Per: "1h"}},
			},
		},
		{
			"places that soak, or do not yet",
			`{"soak":{"for":"10m","since":"2026-11-20T10:20:00Z","places":[{"node":"a","reason":"Drifted","since":"2026-11-20T10:20:00Z","seen":true},{"node":"b","seen":true}]}}`,
			disruptkit.Memory{Soak: budget.Soaking{For: "10m", Since: since, Places: []budget.Place{
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
		Starts:  []budget.Start{{Node: "a", Reason: "Drifted", At: time.Unix(at, 0).UTC()}},
		Paces:   []budget.Pace{{Per: "24h", Gone: time.Unix(at, 0).UTC()}},
		Waves:   []budget.Progress{{Method: "Drifted", Revision: "1", Waves: []string{"1"}, Pools: []string{"a"}, Baked: 1, Done: 2, Since: time.Unix(at, 0).UTC()}},
	}
	m.Soak = budget.Soaking{For: "10m", Since: time.Unix(at, 0).UTC(), Places: []budget.Place{{Node: "a", Reason: "Drifted", Since: time.Unix(at, 0).UTC()}}}
	elsewhere, berlin := m, time.FixedZone("", 3600)
	elsewhere.Roll.IdleSince, elsewhere.Backoff.Until = time.Unix(at, 0).In(berlin), time.Unix(at, 0).In(berlin)
	elsewhere.Starts = []budget.Start{{Node: "a", Reason: "Drifted", At: time.Unix(at, 0).In(berlin)}}
	elsewhere.Paces = []budget.Pace{{Per: "24h", Gone: time.Unix(at, 0).In(berlin)}}
	elsewhere.Waves = []budget.Progress{{Method: "Drifted", Revision: "1", Waves: []string{"1"}, Pools: []string{"a"}, Baked: 1, Done: 2, Since: time.Unix(at, 0).In(berlin)}}
	elsewhere.Soak = budget.Soaking{For: "10m", Since: time.Unix(at, 0).In(berlin), Places: []budget.Place{{Node: "a", Reason: "Drifted", Since: time.Unix(at, 0).In(berlin)}}}
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
	if changed != 25 {
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
		case []budget.Place:
			eachField(t, field.Index(0), func(path string) { with(name + "[0]." + path) })
			continue
		case []budget.Start:
			eachField(t, field.Index(0), func(path string) { with(name + "[0]." + path) })
			continue
		case []budget.Progress:
			eachField(t, field.Index(0), func(path string) { with(name + "[0]." + path) })
			continue
		case []string:
			field.Set(reflect.ValueOf([]string{"2"}))
		case []budget.Pace:
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
