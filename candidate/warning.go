package candidate

import (
	"errors"
	"time"

	"github.com/disruptkit/disruptkit/internal/mistake"
	"github.com/disruptkit/disruptkit/internal/wording"
)

// A Warning is a fault in the configuration. It names the place, the value and a correction. It is also an
// error, so that a function that compiles can return all faults at once.
type Warning struct {
	Code    Code   // stable, for programs
	Object  string // kind/name, or kind/namespace/name; "" if only the caller knows
	Field   string // such as budgets[1].schedule, or an annotation
	Value   string // as written
	Message string // for people; it quotes the value
}

// Error returns "object: field: message". Names that would not read well on one line are quoted.
func (w Warning) Error() string {
	text := w.Message
	if w.Field != "" {
		text = wording.Quote(w.Field) + ": " + text
	}
	if w.Object != "" {
		text = wording.Quote(w.Object) + ": " + text
	}
	return text
}

// Err joins Warnings to one error, or nil if there are none.
func Err(warnings []Warning) error {
	var errs []error
	for _, w := range warnings {
		errs = append(errs, w)
	}
	return errors.Join(errs...)
}

// Warnings returns the Warnings that an error joins, such as the error of a function that compiles; others have none.
func Warnings(err error) (all []Warning) {
	var joined interface{ Unwrap() []error }
	if !errors.As(err, &joined) {
		return nil
	}
	for _, err := range joined.Unwrap() {
		var w Warning
		if errors.As(err, &w) {
			all = append(all, w)
		}
	}
	return all
}

// NoTime returns a Warning if the time of a decision is zero, that is, not set. Then every node is blocked.
func NoTime(now time.Time) (w Warning, missing bool) {
	return Warning{Code: mistake.CodeNoTime, Field: "now",
		Message: "the time of the decision is missing: set it to the current time"}, now.IsZero()
}
