package command

import (
	"fmt"
	"strings"

	"github.com/spf13/pflag"
)

// A Choice is a value that a flag may have.
type Choice[T any] struct {
	Name  string
	Value T
}

// Is describes what a name means.
func Is[T any](name string, value T) Choice[T] { return Choice[T]{name, value} }

// OneOf adds a flag that has one of some values, in any case; the first is the default. The names of the
// values replace %s in the usage.
func OneOf[T any](flags *pflag.FlagSet, to *T, name, shorthand, usage string, choices ...Choice[T]) {
	one := &oneOf[T]{to, choices, choices[0].Name}
	*to = choices[0].Value
	flags.VarP(one, name, shorthand, fmt.Sprintf(usage, one.list()))
}

// A oneOf is the value of a flag.
type oneOf[T any] struct {
	to      *T
	choices []Choice[T]
	chosen  string
}

func (o *oneOf[T]) String() string { return o.chosen }

func (o *oneOf[T]) Type() string { return "name" }

func (o *oneOf[T]) Set(text string) error {
	for _, c := range o.choices {
		if strings.EqualFold(c.Name, text) {
			*o.to, o.chosen = c.Value, c.Name
			return nil
		}
	}
	return fmt.Errorf("%q is unknown: write %s", text, o.list())
}

// Completions are the values that the flag may have.
func (o *oneOf[T]) Completions() (names []string) {
	for _, c := range o.choices {
		names = append(names, c.Name)
	}
	return names
}

// list returns "text, json or html".
func (o *oneOf[T]) list() string {
	names := o.Completions()
	last := len(names) - 1
	if last == 0 {
		return names[0]
	}
	return strings.Join(names[:last], ", ") + " or " + names[last]
}
