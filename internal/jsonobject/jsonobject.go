// Package jsonobject reads JSON objects so that nothing is lost: encoding/json alone ignores unknown fields, takes the last
// of two of the same name, and one in other case.
package jsonobject

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/disruptkit/disruptkit/internal/quote"
)

// ErrNone says that something is no JSON object.
var ErrNone = errors.New("not an object")

// Fields calls set for each field, in their order. A field that appears twice is an error, and so is whatever follows the
// object.
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

// Set decodes the value of a field. What is of another type is an error that says what to write instead.
func Set(name string, value json.RawMessage, target any, example string) error {
	err := json.Unmarshal(value, target)
	var wrongType *json.UnmarshalTypeError
	switch {
	case errors.As(err, &wrongType):
		return fmt.Errorf("field %q: %s is not valid: write %s", name, quote.JSON(value, 100), example)
	case err != nil:
		return fmt.Errorf("field %q: %w", name, err)
	}
	return nil
}

// Unknown says which field was meant, or which there are.
func Unknown(name string, known ...string) error {
	meant := "one of " + strings.Join(known, ", ")
	for _, k := range known {
		if len(known) == 1 || Alike(name, k) {
			meant = fmt.Sprintf("%q", k)
			break
		}
	}
	return fmt.Errorf("field %.100q is unknown: write %s", name, meant)
}

// Alike reports whether two names are the same, in any case, and in the plural or not.
func Alike(a, b string) bool {
	singular := func(name string) string { return strings.TrimSuffix(strings.ToLower(name), "s") }
	return singular(a) == singular(b)
}
