package manifest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/jsonobject"
	"github.com/disruptkit/disruptkit/internal/wording"
)

// CodeUnreadable is the code of a Warning about an invalid field, and of the Blocker of the node that it belongs to.
const CodeUnreadable candidate.Code = "unreadable"

// A value is a part of an object, with its path. Reading a value as a wrong type gives the zero value, and adds a fault
// to the object. An absent or null value also gives the zero value, but no fault.
type value struct {
	of   *object
	path string // such as status.conditions[2].reason
	json any    // as json.Unmarshal makes it, with json.Number for numbers
}

// fault adds a fault of v to the object, once for each field.
func (v value) fault(what string) {
	for _, w := range v.of.faults {
		if w.Field == v.path {
			return
		}
	}
	v.of.faults = append(v.of.faults, candidate.Warning{
		Code: CodeUnreadable, Object: v.of.String(), Field: v.path, Value: v.raw(), Message: what,
	})
}

// wrong adds the fault that v has a wrong type.
func (v value) wrong(instead string) {
	v.fault(fmt.Sprintf("%s is %s: write %s", v.shown(), typeOf(v.json), instead))
}

// shown returns v for a sentence.
func (v value) shown() string {
	if text, ok := v.json.(string); ok {
		return shortened(strconv.Quote(text))
	}
	return shortened(wording.JSON([]byte(v.raw()), 1000))
}

func typeOf(json any) string {
	switch json.(type) {
	case string:
		return "text"
	case bool:
		return "a boolean"
	case map[string]any:
		return "an object"
	case []any:
		return "a list"
	case nil:
		return "null"
	}
	return "a number"
}

// apart returns v as a part of an object whose faults are not reported.
func (v value) apart() value {
	of := *v.of
	of.faults, v.of = nil, &of
	return v
}

// raw returns v as JSON, but strings without quotes.
func (v value) raw() string {
	if text, ok := v.json.(string); ok {
		return text
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(v.json) // it came from JSON
	return strings.TrimSpace(b.String())
}

// shortened shortens a text for a sentence.
func shortened(text string) string {
	const most = 60
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return text
}

func (v value) absent() bool { return v.json == nil }

// fields returns the fields of an object, or none.
func (v value) fields() map[string]any {
	fields, ok := v.json.(map[string]any)
	if !ok && !v.absent() {
		v.wrong("an object, with fields")
	}
	return fields
}

// names returns the names of the fields of an object, in order.
func (v value) names() []string { return slices.Sorted(maps.Keys(v.fields())) }

// field returns a field of an object. It is absent if v is.
func (v value) field(name string) value {
	path := name
	if v.path != "" {
		path = v.path + "." + name
	}
	return value{v.of, path, v.fields()[name]}
}

// entry returns an entry of a map, such as a label.
func (v value) entry(key string) value {
	return value{v.of, v.path + "[" + key + "]", v.fields()[key]}
}

// each yields the elements of a list.
func (v value) each() iter.Seq2[int, value] {
	list, ok := v.json.([]any)
	if !ok && !v.absent() {
		v.wrong("a list")
	}
	return func(yield func(int, value) bool) {
		for i, element := range list {
			if !yield(i, value{v.of, v.path + "[" + strconv.Itoa(i) + "]", element}) {
				return
			}
		}
	}
}

func (v value) text() string {
	text, ok := v.json.(string)
	if !ok && !v.absent() {
		v.wrong("a quoted string")
	}
	return text
}

// textOf returns the text of a field, as field(name).text() does, but makes no path for a text: a cluster has many Pods.
func (v value) textOf(name string) string {
	if text, ok := v.fields()[name].(string); ok {
		return text
	}
	return v.field(name).text()
}

// texts returns a map of strings, such as labels, without invalid ones. (Null counts as an empty string, as in the
// API.)
func (v value) texts() map[string]string {
	fields := v.fields()
	texts, others := make(map[string]string, len(fields)), false
	for key, json := range fields {
		text, ok := json.(string)
		if others = others || !ok; ok || json == nil {
			texts[key] = text
		}
	}
	if others {
		for _, key := range v.names() {
			v.entry(key).text() // to find faults
		}
	}
	return texts
}

// only reports unknown fields of an object.
func (v value) only(known ...string) {
	for _, name := range v.names() {
		if !slices.Contains(known, name) {
			v.field(name).fault(jsonobject.Unknown(name, known...).Error())
		}
	}
}

func (v value) time() time.Time {
	text := v.text()
	if text == "" && v.json != "" {
		return time.Time{}
	}
	t, err := time.Parse(time.RFC3339, text)
	if err != nil {
		v.fault(fmt.Sprintf("%q is not a time: write one such as 2026-11-20T10:30:00Z", shortened(text)))
	}
	return t
}

func (v value) integer() int64 {
	number, ok := v.json.(json.Number)
	n, err := number.Int64()
	if (!ok || err != nil) && !v.absent() {
		v.wrong("a whole number")
	}
	return n
}
