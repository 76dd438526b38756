package manifest

import (
	"bytes"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// A podReader reads the fields that are needed of a Pod in one pass: Pods are nearly all of a cluster. Whatever is not as usual,
// it reads as a [value], which reports the fault. It has the fields of the last Pod.
type podReader struct {
	*jsontext.Decoder
	object object
	depth  int // of its place in the input

	name, namespace     string
	labels, annotations map[string]string
	deleting            bool
	deletionTimestamp   time.Time
	owners              []owner

	nodeName           string
	nodeSelector       map[string]string
	tolerations        []toleration
	priority           int64
	gracePeriodSeconds int64

	phase      string
	startTime  time.Time
	conditions []podCondition
}

type podCondition struct{ kind, status string }

// read reads the next value, a Pod.
func (r *podReader) read(d *jsontext.Decoder, where string) error {
	*r = podReader{
		Decoder: d, object: object{origin: origin{"v1", "Pod"}, where: where}, depth: d.StackDepth(),
		gracePeriodSeconds: int64(usualGrace.Seconds()),
		owners:             r.owners[:0], tolerations: r.tolerations[:0], conditions: r.conditions[:0],
	}
	err := r.fields(func(field []byte) error {
		switch string(field) {
		case "metadata":
			return r.fields(r.metadata)
		case "spec":
			return r.fields(r.spec)
		case "status":
			return r.fields(r.status)
		}
		return skip(d)
	})
	r.object.identify(r.namespace, r.name, value{&r.object, "metadata.name", nil})
	return err
}

func (r *podReader) metadata(field []byte) error {
	switch string(field) {
	case "name":
		return r.text(&r.name)
	case "namespace":
		return r.text(&r.namespace)
	case "labels":
		return r.texts(&r.labels)
	case "annotations":
		return r.texts(&r.annotations)
	case "deletionTimestamp":
		r.deleting = r.PeekKind() != 'n'
		return scalar(r, &r.deletionTimestamp, parseTime, value.time)
	case "ownerReferences":
		return listOf(r, &r.owners, func(field []byte, o *owner) error {
			switch string(field) {
			case "apiVersion":
				return r.text(&o.apiVersion)
			case "kind":
				return r.text(&o.kind)
			case "name":
				return r.text(&o.name)
			}
			return skip(r.Decoder)
		})
	}
	return skip(r.Decoder)
}

func (r *podReader) spec(field []byte) error {
	switch string(field) {
	case "nodeName":
		return r.text(&r.nodeName)
	case "nodeSelector":
		return r.texts(&r.nodeSelector)
	case "priority":
		return scalar(r, &r.priority, parseInteger, value.integer)
	case "terminationGracePeriodSeconds":
		return scalar(r, &r.gracePeriodSeconds, parseInteger, value.integer)
	case "tolerations":
		return listOf(r, &r.tolerations, func(field []byte, t *toleration) error {
			switch string(field) {
			case "key":
				return r.text(&t.key)
			case "operator":
				return r.text(&t.operator)
			case "value":
				return r.text(&t.value)
			case "effect":
				return r.text(&t.effect)
			}
			return skip(r.Decoder)
		})
	}
	return skip(r.Decoder)
}

func (r *podReader) status(field []byte) error {
	switch string(field) {
	case "phase":
		return r.text(&r.phase)
	case "startTime":
		return scalar(r, &r.startTime, parseTime, value.time)
	case "conditions":
		return listOf(r, &r.conditions, func(field []byte, c *podCondition) error {
			switch string(field) {
			case "type":
				return r.text(&c.kind)
			case "status":
				return r.text(&c.status)
			}
			return skip(r.Decoder)
		})
	}
	return skip(r.Decoder)
}

// fields reads an object, field by field.
func (r *podReader) fields(read func(field []byte) error) error {
	if r.PeekKind() != '{' {
		return r.odd(func(v value) { v.fields() })
	}
	_, _ = r.ReadToken()
	for r.PeekKind() == '"' {
		name, err := r.ReadValue() // unlike a token's String, it is no copy
		if err == nil {
			err = read(meant(name))
		}
		if err != nil {
			return err
		}
	}
	_, err := r.ReadToken()
	return err
}

// meant returns the name that a valid JSON text is, without its quotes and escapes.
func meant(text jsontext.Value) []byte {
	if bytes.IndexByte(text, '\\') < 0 && utf8.Valid(text) {
		return text[1 : len(text)-1]
	}
	unquoted, _ := jsontext.AppendUnquote(nil, text) // with U+FFFD for what is not UTF-8
	return unquoted
}

// listOf reads a list of objects, field by field.
func listOf[T any](r *podReader, to *[]T, read func(field []byte, to *T) error) error {
	if r.PeekKind() != '[' {
		return r.odd(func(v value) { v.each() })
	}
	_, _ = r.ReadToken()
	*to = (*to)[:0]
	for r.PeekKind() != ']' {
		var element T
		if err := r.fields(func(field []byte) error { return read(field, &element) }); err != nil {
			return err
		}
		*to = append(*to, element)
	}
	_, err := r.ReadToken()
	return err
}

func (r *podReader) text(to *string) error {
	if r.PeekKind() != '"' {
		return r.odd(func(v value) { v.text() })
	}
	token, err := r.ReadToken()
	*to = token.String()
	return err
}

func parseTime(raw string) (time.Time, error) { return time.Parse(`"`+time.RFC3339+`"`, raw) }
func parseInteger(raw string) (int64, error)  { return strconv.ParseInt(raw, 10, 64) }

// scalar reads what can be parsed at once, or else as a value. Null changes nothing.
func scalar[T any](r *podReader, to *T, parse func(string) (T, error), read func(value) T) error {
	raw, err := r.ReadValue()
	if err != nil || raw.Kind() == 'n' {
		return err
	}
	if *to, err = parse(string(raw)); err != nil {
		*to = read(r.value(raw))
	}
	return nil
}

// texts reads a map of strings, as [value.texts] does.
func (r *podReader) texts(to *map[string]string) error {
	if r.PeekKind() == '{' {
		*to = map[string]string{}
	}
	return r.fields(func(field []byte) error {
		name := string(field)
		if r.PeekKind() == '"' {
			token, err := r.ReadToken()
			(*to)[name] = token.String()
			return err
		}
		return r.odd(func(entry value) {
			if of, found := strings.CutSuffix(entry.path, "."+name); found {
				entry.path = of + "[" + name + "]"
			}
			if entry.text(); entry.absent() {
				(*to)[name] = ""
			}
		})
	})
}

// odd reads the next value, which is not as usual: it is null, or a fault.
func (r *podReader) odd(read func(value)) error {
	raw, err := r.ReadValue()
	if err == nil {
		read(r.value(raw))
	}
	return err
}

// value returns the value that was read last.
func (r *podReader) value(raw jsontext.Value) value {
	return value{&r.object, pathOf(r.StackPointer(), r.depth), decodeObject(raw)}
}
