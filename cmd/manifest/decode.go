package manifest

import (
	"bytes"
	"encoding/json"
	"hash/maphash"
	"sync"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// unread has large fields in kubectl's output that are never read, and are dropped.
var unread = map[string]map[string]bool{
	"metadata": {"managedFields": true},
	"spec":     {"containers": true, "initContainers": true, "ephemeralContainers": true, "volumes": true},
	"status":   {"containerStatuses": true, "initContainerStatuses": true, "ephemeralContainerStatuses": true, "images": true},
}

// decodeObject decodes valid JSON as encoding/json does into an any, with json.Number for numbers, without what is unread.
func decodeObject(doc []byte) any {
	d := decoderOf(doc)
	defer d.close()
	return d.value(nil, unread)
}

// saysKind reports whether an object has a kind.
func saysKind(item []byte) bool {
	d := decoderOf(item)
	defer d.close()
	if d.PeekKind() != '{' {
		return true // not an object, which is reported as a fault
	}
	_, _ = d.ReadToken()
	for d.PeekKind() == '"' {
		if d.text() == "kind" {
			return true
		}
		if d.SkipValue() != nil {
			return false
		}
	}
	return false
}

// A decoder decodes valid JSON. A cluster has a hundred thousand objects, most of them Pods that are alike: so a decoder
// keeps texts and the maps of objects for the next ones.
type decoder struct {
	*jsontext.Decoder
	seed  maphash.Seed
	known [1024]string
	given []map[string]any // of the object that is decoded
	spare []map[string]any // for the next ones
}

const longestKnown = 64 // bytes of a text

// decoders have nothing of an object that is still in use.
var decoders = sync.Pool{New: func() any {
	return &decoder{Decoder: jsontext.NewDecoder(bytes.NewBuffer(nil), lenient...), seed: maphash.MakeSeed()}
}}

func decoderOf(doc []byte) *decoder {
	d := decoders.Get().(*decoder)
	d.Reset(bytes.NewBuffer(doc), lenient...)
	return d
}

// close ends the work on an object, whose maps are its own.
func (d *decoder) close() {
	d.Reset(bytes.NewBuffer(nil), lenient...) // it keeps no text alive
	clear(d.given)
	d.given = d.given[:0]
	decoders.Put(d)
}

// reuse closes the decoder of an object that nobody needs any more.
func (d *decoder) reuse() {
	for _, fields := range d.given {
		clear(fields)
	}
	d.spare = append(d.spare, d.given...)
	d.close()
}

// fields returns an empty map.
func (d *decoder) fields() (fields map[string]any) {
	if last := len(d.spare) - 1; last >= 0 {
		fields, d.spare = d.spare[last], d.spare[:last]
	} else {
		fields = map[string]any{}
	}
	d.given = append(d.given, fields)
	return fields
}

// text returns the next value, a text.
func (d *decoder) text() string {
	raw, err := d.ReadValue()
	if err != nil || len(raw) < 2 {
		return ""
	}
	switch plain := raw[1 : len(raw)-1]; {
	case bytes.IndexByte(plain, '\\') >= 0 || !utf8.Valid(plain):
		unquoted, _ := jsontext.AppendUnquote(nil, raw) // with replacements of what is no UTF-8
		return string(unquoted)
	case len(plain) > longestKnown:
		return string(plain)
	default:
		known := &d.known[maphash.Bytes(d.seed, plain)%uint64(len(d.known))]
		if *known != string(plain) {
			*known = string(plain)
		}
		return *known
	}
}

func (d *decoder) value(skip map[string]bool, within map[string]map[string]bool) any {
	if d.PeekKind() == '"' {
		return d.text()
	}
	token, err := d.ReadToken()
	if err != nil {
		return nil
	}
	switch token.Kind() {
	case '0':
		return json.Number(token.String())
	case 't', 'f':
		return token.Bool()
	case '[':
		list := []any{}
		for d.PeekKind() != ']' && d.PeekKind() != 0 {
			list = append(list, d.value(nil, nil))
		}
		_, _ = d.ReadToken()
		return list
	case '{':
		fields := d.fields()
		for d.PeekKind() == '"' {
			name := d.text()
			if skip[name] {
				_ = d.SkipValue()
				continue
			}
			fields[name] = d.value(within[name], nil)
		}
		_, _ = d.ReadToken()
		return fields
	}
	return nil
}
