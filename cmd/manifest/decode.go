package manifest

import (
	"bytes"
	"encoding/json"
	"iter"

	jsonv2 "github.com/go-json-experiment/json"
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

// decodeObject decodes valid JSON as encoding/json does into an any, with json.Number for numbers.
func decodeObject(doc []byte) (object any) {
	_ = jsonv2.Unmarshal(doc, &object, append(lenient, asWritten)...)
	return object
}

// asWritten keeps numbers as they are written.
var asWritten = jsonv2.WithUnmarshalers(jsonv2.UnmarshalFromFunc(func(d *jsontext.Decoder, to *any) error {
	if d.PeekKind() != '0' {
		return jsonv2.SkipFunc
	}
	number, err := d.ReadToken()
	*to = json.Number(number.String())
	return err
}))

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
