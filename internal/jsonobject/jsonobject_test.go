package jsonobject_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/disruptkit/disruptkit/internal/jsonobject"
)

func TestFieldsComeInTheirOrder(t *testing.T) {
	var got []string
	err := jsonobject.Fields([]byte(` {"b": [1, {"b": 2}], "a": null} `), func(name string, value json.RawMessage) error {
		got = append(got, name+" "+string(value))
		return nil
	})
	if diff := cmp.Diff([]string{`b [1, {"b": 2}]`, "a null"}, got); diff != "" || err != nil {
		t.Error(diff, err)
	}
}

func TestNothingIsLost(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"a field that appears twice", `{"a": 1, "b": 2, "a": 3}`, `field "a" appears twice: write it once`},
		{"the same field, written in another way", `{"a": 1, "\u0061": 3}`, `field "a" appears twice`},
		{"a field that is unknown", `{"n": 1}`, `field "n" is unknown: write one of name, b, a`},
		{"one in other case", `{"Name": "x"}`, `field "Name" is unknown: write "name"`},
		{"one in the plural", `{"names": "x"}`, `field "names" is unknown: write "name"`},
		{"one in capitals", `{"NAMES": "x"}`, `field "NAMES" is unknown: write "name"`},
		{"a value of another type", `{"name": 1}`, `field "name": 1 is not valid: write a string`},
		{"a value of several lines", "{\"name\": [\n\t1\n]}", `field "name": [1] is not valid: write a string`},
		{"a list", `[]`, "not an object"},
		{"null", `null`, "not an object"},
		{"nothing", ``, "not an object"},
		{"an object that ends early", `{"a": 1`, "EOF"},
		{"a value that ends early", `{"a": `, `field "a": `},
		{"a key that ends early", `{"a`, "unexpected EOF"},
		{"a second object", `{"a": 1} {"a": 2}`, "something follows the object"},
		{"something else after it", `{"a": 1} or so`, "something follows the object"},
		{"a bracket too many", `{"a": 1}}`, "something follows the object"},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := jsonobject.Fields([]byte(c.text), func(name string, value json.RawMessage) error {
				switch name {
				case "a", "b":
					return nil
				case "name":
					return jsonobject.Set(name, value, new(string), "a string")
				}
				return jsonobject.Unknown(name, "name", "b", "a")
			})
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want %s", err, c.want)
			}
		})
	}
}
