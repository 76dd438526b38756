package manifest

import (
	"bytes"
	"encoding/json"
	"iter"

	"github.com/go-json-experiment/json/jsontext"
)

// lenient makes a decoder accept what encoding/json accepts.
var lenient = []jsontext.Options{jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)}

func decoderOf(text []byte) *jsontext.Decoder {
	return jsontext.NewDecoder(bytes.NewBuffer(text), lenient...)
}

// skip skips the next value. Reading it is faster than SkipValue, which reads each token, but keeps it in memory.
func skip(d *jsontext.Decoder) error {
	_, err := d.ReadValue()
	return err
}

// unread has large fields in kubectl's output that are never read, and are dropped.
var unread = map[string]map[string]bool{
	"metadata": {"managedFields": true},
	"status":   {"images": true}, // of Nodes
}

// decodeObject decodes valid JSON as encoding/json does into an any, with json.Number for numbers, without what is unread.
func decodeObject(doc []byte) any { return decode(decoderOf(doc), nil, unread) }

func decode(d *jsontext.Decoder, skip map[string]bool, within map[string]map[string]bool) any {
	token, err := d.ReadToken()
	if err != nil {
		return nil
	}
	switch token.Kind() {
	case '"':
		return token.String()
	case '0':
		return json.Number(token.String())
	case 't', 'f':
		return token.Bool()
	case '[':
		list := []any{}
		for d.PeekKind() != ']' && d.PeekKind() != 0 {
			list = append(list, decode(d, nil, nil))
		}
		_, _ = d.ReadToken()
		return list
	case '{':
		fields := map[string]any{}
		for name := range fieldsOf(d) {
			if skip[name] {
				_ = d.SkipValue()
				continue
			}
			fields[name] = decode(d, within[name], nil)
		}
		_, _ = d.ReadToken()
		return fields
	}
	return nil
}

// fieldsOf yields the names of an object that has begun. Its values are read in between. It ends where reading fails.
func fieldsOf(d *jsontext.Decoder) iter.Seq[string] {
	return func(yield func(string) bool) {
		for d.PeekKind() == '"' {
			if name, err := d.ReadToken(); err != nil || !yield(name.String()) {
				return
			}
		}
	}
}
