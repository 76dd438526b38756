package wire

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/disruptkit/disruptkit/budget"
)

// A field that a Budget gains has to be in the JSON as well.
func TestTheJSONOfABudgetHasAllItsFields(t *testing.T) {
	full := budget.Budget{}
	v := reflect.ValueOf(&full).Elem()
	for i := range v.NumField() {
		switch f := v.Field(i); f.Kind() {
		case reflect.String:
			f.SetString("x")
		case reflect.Bool:
			f.SetBool(true)
		default:
			f.Set(reflect.MakeSlice(f.Type(), 1, 1))
		}
	}
	text, err := json.Marshal(newBudget(full, "budgets[0]", false))
	if err != nil {
		t.Fatal(err)
	}
	var got map[string]any
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	for i := range v.NumField() {
		name, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ",")
		if got[name] == nil {
			t.Errorf("%s is not in %s", name, text)
		}
	}
}

func TestATimeThatJSONCannotShowIsTheLastThatItCan(t *testing.T) {
	year := func(y int) time.Time { return time.Date(y, time.January, 2, 3, 4, 5, 0, time.FixedZone("", 3600)) }
	for _, c := range []struct {
		name string
		time time.Time
		want string
	}{
		{"none", time.Time{}, `null`},
		{"an ordinary one", year(2026), `"2026-01-02T02:04:05Z"`},
		{"in the last year", year(9999), `"9999-01-02T02:04:05Z"`},
		{"after it", year(10000), `"9999-12-31T23:59:59Z"`},
	} {
		if got, err := json.Marshal(Time(c.time)); err != nil || string(got) != c.want {
			t.Errorf("%s: got %s, %v, want %s", c.name, got, err, c.want)
		}
	}
}
