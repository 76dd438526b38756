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
func decodeObject(doc []byte) (object any) {
	decode(doc, func(d *decoder) { object = d.value(nil, unread) })
	return object
}

// saysKind reports whether an object has a kind.
func saysKind(item []byte) (says bool) {
	decode(item, func(d *decoder) {
		if d.PeekKind() != '{' {
			says = true // not an object, which is reported as a fault
			return
		}
		_, _ = d.ReadToken()
		for !says && d.PeekKind() == '"' {
			if says = d.text() == "kind"; !says && d.SkipValue() != nil {
				return
			}
		}
	})
	return says
}

// A decoder decodes valid JSON. Objects of a cluster share many texts, so it keeps some for the next ones.
type decoder struct {
	*jsontext.Decoder
	seed  maphash.Seed
	known [1024]string
}

const longestKnown = 64 // bytes of a text

// decoders are for the next objects: a cluster has a hundred thousand.
var decoders = sync.Pool{New: func() any {
	return &decoder{Decoder: jsontext.NewDecoder(bytes.NewBuffer(nil), lenient...), seed: maphash.MakeSeed()}
}}

func decode(doc []byte, with func(*decoder)) {
	d := decoders.Get().(*decoder)
	d.Reset(bytes.NewBuffer(doc), lenient...)
	with(d)
	d.Reset(bytes.NewBuffer(nil), lenient...) // it keeps no text alive
	decoders.Put(d)
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
		fields := map[string]any{}
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
