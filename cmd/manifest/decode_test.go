package manifest

import (
	"bytes"
	"encoding/json"
	"reflect"
	"testing"

	"pgregory.net/rapid"
)

// What encoding/json makes of a text is the slow and obvious way.
func TestAnObjectIsDecodedAsByEncodingJSON(t *testing.T) {
	text := rapid.OneOf(
		rapid.SampledFrom([]string{"", "kind", "Node", `a"b\c`, "é\u2028", "a\x00\xff", `<&>`, "\U0001F600", "\ufffd"}),
		rapid.String(), rapid.StringN(60, 70, -1))
	var value *rapid.Generator[any]
	value = rapid.Custom(func(t *rapid.T) any {
		switch rapid.IntRange(0, 9).Draw(t, "what") {
		case 0:
			return rapid.MapOfN(text, rapid.Deferred(func() *rapid.Generator[any] { return value }), 0, 3).Draw(t, "fields")
		case 1:
			return rapid.SliceOfN(rapid.Deferred(func() *rapid.Generator[any] { return value }), 0, 3).Draw(t, "list")
		case 2:
			return rapid.Float64Range(-1e30, 1e30).Draw(t, "number")
		case 3:
			return rapid.Bool().Draw(t, "boolean")
		case 4:
			return nil
		}
		return text.Draw(t, "text")
	})
	rapid.Check(t, func(t *rapid.T) {
		doc, err := json.Marshal(rapid.MapOfN(text, value, 0, 5).Draw(t, "object"))
		if err != nil {
			t.Fatal(err)
		}
		if rapid.Bool().Draw(t, "indented") {
			var b bytes.Buffer
			_ = json.Indent(&b, doc, "", "\t")
			doc = b.Bytes()
		}
		if rapid.Bool().Draw(t, "not UTF-8") {
			doc = bytes.ReplaceAll(doc, []byte("k"), []byte("\xff"))
		}
		if !json.Valid(doc) {
			return
		}
		var want any
		d := json.NewDecoder(bytes.NewReader(doc))
		d.UseNumber()
		if err := d.Decode(&want); err != nil {
			t.Fatal(err)
		}
		if got := decodeObject(doc); !reflect.DeepEqual(got, want) {
			t.Fatalf("%q: got %#v, want %#v", doc, got, want)
		}
	})
}
