package manifest

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// faultRepeated reports duplicate fields in the JSON of an object: the last one would win, and may limit less. (YAML
// with duplicate fields is invalid.)
func (v value) faultRepeated(raw json.RawMessage) {
	d := json.NewDecoder(bytes.NewReader(raw))
	start, _ := d.Token()
	switch start {
	case json.Delim('{'):
		v.faultRepeatedFields(d)
	case json.Delim('['):
		for i := 0; d.More(); i++ {
			value{v.of, fmt.Sprintf("%s[%d]", v.path, i), nil}.faultRepeated(next(d))
		}
	}
}

func (v value) faultRepeatedFields(d *json.Decoder) {
	seen := map[string]bool{}
	for d.More() {
		key, _ := d.Token()
		name, _ := key.(string)
		if seen[name] {
			v.fault(fmt.Sprintf("field %q appears twice: write it once", shortened(name)))
		}
		seen[name] = true
		value{v.of, v.path, nil}.field(name).faultRepeated(next(d))
	}
}

// next returns the next value of valid JSON.
func next(d *json.Decoder) (raw json.RawMessage) {
	_ = d.Decode(&raw)
	return raw
}
