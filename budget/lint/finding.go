package lint

import (
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/schedule"
)

// A Severity says how bad a Finding is.
type Severity string

// The severities.
const (
	SeverityError   Severity = "error"   // something is broken: it allows nothing, or never has an effect
	SeverityWarning Severity = "warning" // probably unintended
	SeverityInfo    Severity = "info"    // works as written, but may surprise people
)

// A Finding is one probable mistake in a list of budgets.
type Finding struct {
	Code     string // stable, for programs
	Severity Severity
	Budgets  budget.Indexes   // the budgets concerned: positions in budget.Set.Budgets
	Subject  budget.Indexes   // of Budgets: those that the advice is to change or delete; none: it may be any of them
	Reason   candidate.Reason // the reason concerned; "" means several, or none
	Span     schedule.Span    // when it applies, or first applies; a zero bound is unbounded
	Message  string           // the fault, for people
	Advice   string           // the correction
	Fixes    []Fix            // what Advice says, if that is a change of the list
}

// equal reports whether findings without fixes are equal.
func (f Finding) equal(other Finding) bool {
	return f.Code == other.Code && f.Severity == other.Severity && f.Budgets == other.Budgets && f.Span == other.Span &&
		f.Message == other.Message && f.Advice == other.Advice
}

// String returns "severity code: message → advice".
func (f Finding) String() string {
	text := string(f.Severity) + " " + f.Code + ": " + f.Message
	if f.Advice != "" {
		text += " → " + f.Advice
	}
	return text
}
