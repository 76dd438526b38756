// Package jsonobject reads JSON objects without losing anything. encoding/json by itself ignores unknown fields, takes
// the last of several fields with the same name, and ignores case.
package jsonobject

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/disruptkit/disruptkit/internal/wording"
)

// ErrNone is the error for something that is not a JSON object.
var ErrNone = errors.New("not an object")

// Fields calls set for each field in order. A duplicate field is an error, and so is anything after the object.
func Fields(data []byte, set func(name string, value json.RawMessage) error) error {
	seen := map[string]bool{}
	d := json.NewDecoder(bytes.NewReader(data))
	if start, err := d.Token(); err != nil || start != json.Delim('{') {
		return ErrNone
	}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return err
		}
		name, _ := key.(string)
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return fmt.Errorf("field %.100q: %w", name, err)
		}
		if seen[name] {
			return fmt.Errorf("field %.100q appears twice: write it once", name)
		}
		seen[name] = true
		if err := set(name, value); err != nil {
			return err
		}
	}
	if _, err := d.Token(); err != nil { // the end of the object
		return err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("something follows the object")
	}
	return nil
}

// IsNull reports whether a value is null.
func IsNull(value json.RawMessage) bool { return string(bytes.TrimSpace(value)) == "null" }

// Invalid is the error of a type for a value that it cannot take: what messages show of the value.
type Invalid string

func (i Invalid) Error() string { return string(i) + " is not valid" }

// Set decodes the value of a field. If the type is wrong, or the value is not valid, the error says what to write
// instead.
func Set(name string, value json.RawMessage, target any, example string) error {
	err := json.Unmarshal(value, target)
	var wrongType *json.UnmarshalTypeError
	invalid, is := err.(Invalid) // of the value itself
	switch {
	case is:
		return fmt.Errorf("field %q: %w: write %s", name, invalid, example)
	case errors.As(err, &wrongType):
		return fmt.Errorf("field %q: %w: write %s", name, Invalid(wording.JSON(value, 100)), example)
	case err != nil:
		return fmt.Errorf("field %q: %w", name, err)
	}
	return nil
}

// A Field is a field of an object that Decode decodes.
type Field struct {
	Name    string
	Target  any    // where its value goes
	Example string // what to write if the value has another type
}

// Decode decodes the fields of an object. The unlisted ones are accepted as well, but errors do not suggest them. All
// others are unknown, which is an error.
func Decode(data []byte, fields []Field, unlisted ...Field) error {
	return Fields(data, func(name string, value json.RawMessage) error {
		var known []string
		for _, f := range fields {
			known = append(known, f.Name)
		}
		for _, f := range append(fields[:len(fields):len(fields)], unlisted...) {
			if f.Name == name {
				return Set(name, value, f.Target, f.Example)
			}
		}
		return Unknown(name, known...)
	})
}

// Unknown is the error for an unknown field. It suggests the field that is one letter from it, or lists all. It shows
// no more of the name than what can be public.
func Unknown(name string, known ...string) error {
	name = wording.PublicName(name)
	near := slices.DeleteFunc(slices.Clone(known), func(k string) bool {
		return len(known) > 1 && !wording.Near(name, k)
	})
	if len(near) == 1 {
		return fmt.Errorf("field %.100q is unknown: write %q", name, near[0])
	}
	return fmt.Errorf("field %.100q is unknown: write one of %s", name, strings.Join(known, ", "))
}
