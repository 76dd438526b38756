package record

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/disruptkit/disruptkit/internal/testkit"
	"github.com/disruptkit/disruptkit/internal/testkit/generate"
	"github.com/disruptkit/disruptkit/schedule"
)

func TestAWindowComesBackFromItsJSON(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := testkit.Arbitrary(generate.AnyWindow).Draw(t, "window")
		text, err := json.Marshal(window(w))
		if err != nil {
			t.Skip("JSON has no years after 9999: ", err)
		}
		var read window
		if err := json.Unmarshal(text, &read); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		again := schedule.Window(read)
		if again.String() != w.String() {
			t.Fatalf("%s is %v, and was %v", text, again, w)
		}
		now := testkit.Arbitrary(generate.Time).Draw(t, "now")
		open, span := w.State(now)
		if o, s := again.State(now); o != open || s != span {
			t.Fatalf("%s at %v: %t %v, want %t %v", text, now, o, s, open, span)
		}
	})
}

func TestTheJSONOfWindows(t *testing.T) {
	noon := time.Date(2026, time.December, 24, 12, 0, 0, 0, time.UTC)
	nightly := schedule.MustParse("0  2 * * *", 4*time.Hour, "Europe/Berlin")
	for _, row := range []struct {
		name, json string
		window     schedule.Window
	}{
		{"always", `{}`, schedule.Window{}},
		{"never", `{"any":[]}`, schedule.Union()},
		{"a schedule", `{"schedule":"0 2 * * *","duration":"4h","timeZone":"Europe/Berlin"}`, nightly},
		{"outside", `{"outside":{"schedule":"0 2 * * *","duration":"4h","timeZone":"Europe/Berlin"}}`, nightly.Outside()},
		{"a name has bounds of its own", `{"dates":[{"start":"2026-12-24T12:00:00Z"},{"name":"eve","start":"2026-12-24T12:00:00Z","end":"2026-12-24T13:00:00Z"}]}`,
			schedule.Events(schedule.Event{Name: "eve", Span: schedule.Span{Start: noon, End: noon.Add(time.Hour)}}, schedule.Event{Span: schedule.Span{Start: noon}})},
	} {
		if got, err := json.Marshal(window(row.window)); string(got) != row.json || err != nil {
			t.Errorf("%s: %s, %v, want %s", row.name, got, err, row.json)
		}
	}
}

func TestAWindowWhoseJSONIsWrongIsNeverOpen(t *testing.T) {
	for _, row := range []struct{ json, says string }{
		{`{"schedule":"0 25 * * *","duration":"8h"}`, "25"},
		{`{"schedule":"0 2 * * *"}`, `duration "" of the window is none: write one such as 8h`},
		{`{"duration":"8h"}`, "write five fields"},
		{`{"shedule":"0 2 * * *"}`, `unknown field "shedule"`},
		{`{"any":[],"outside":{}}`, "write one of schedule, dates, any and outside"},
		{"{\n\t\"any\": [],\n\t\"outside\": {}\n}", `the window {"any":[],"outside":{}} is of several kinds`},
		{`{"outside":{"schedule":"x","duration":"1h"}}`, "one field"},
		{`7`, "write one such as"},
	} {
		var w window
		err := json.Unmarshal([]byte(row.json), &w)
		if err == nil || !strings.Contains(err.Error(), row.says) {
			t.Errorf("%s: %v, want %q", row.json, err, row.says)
		}
		if schedule.InWindow(schedule.Window(w), time.Now()) {
			t.Errorf("%s is open", row.json)
		}
	}
}
