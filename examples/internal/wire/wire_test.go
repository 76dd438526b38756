package wire

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/disruptkit/disruptkit/budget"
)

// A field that a Budget gains has to be in the JSON, too.
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
	text, err := json.Marshal(NewBudget(full, "budgets[0]", false))
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
