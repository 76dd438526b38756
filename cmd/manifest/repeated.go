package manifest

import (
	"encoding/json"
	"fmt"
	"maps"

	"github.com/go-json-experiment/json/jsontext"
)

// faultRepeated reports duplicate fields in the JSON of an object: the last one would win, and may limit less. (YAML
// with duplicate fields is invalid.)
func (o *object) faultRepeated(raw json.RawMessage) {
	d := decoderOf(raw)
	seen := map[jsontext.Pointer]bool{}
	for {
		if _, err := d.ReadToken(); err != nil {
			return
		}
		if kind, n := d.StackIndex(d.StackDepth()); kind != '{' || n%2 == 0 { // it is no name
			continue
		}
		field := d.StackPointer()
		if seen[field] {
			value{o, pathOf(field.Parent(), 0), ""}.fault(fmt.Sprintf("field %q appears twice: write it once", shortened(field.LastToken())))
			maps.DeleteFunc(seen, func(other jsontext.Pointer, _ bool) bool { return field.Contains(other) }) // the last one has fields of its own
		}
		seen[field] = true
	}
}
