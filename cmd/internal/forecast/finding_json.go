package forecast

import (
	"time"

	"github.com/disruptkit/disruptkit/budget/lint"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/internal/wire"
	"github.com/disruptkit/disruptkit/cmd/manifest"
)

// A JSONFinding is a finding in the JSON of lint and forecast. It is stable: fields are only added.
type JSONFinding struct {
	Code     string            `json:"code"`
	Severity lint.Severity     `json:"severity"`
	Pool     *string           `json:"pool"`    // null where it cannot be read what it is
	Budgets  []int             `json:"budgets"` // positions in spec.disruption.budgets
	Reason   *candidate.Reason `json:"reason"`  // null is several, or none
	Message  string            `json:"message"`
	Advice   *string           `json:"advice"`
	From     *time.Time        `json:"from"` // when it is so; null is unbounded
	To       *time.Time        `json:"to"`
	Places   []jsonPlace       `json:"places"`
	Fixes    []jsonFix         `json:"fixes"` // lint --fix=code:1 takes the first
}

type jsonFix struct {
	Text    string `json:"text"`
	Obvious bool   `json:"obvious"` // --fix takes it unasked
}

type jsonPlace struct {
	File string `json:"file"`
	Line int    `json:"line"`
}

// JSON returns the finding for programs.
func (f Finding) JSON() JSONFinding {
	return JSONFinding{
		Code: f.Code, Severity: f.Severity, Pool: orNull(f.Pool), Budgets: positions(f.Budgets),
		Reason: orNull(f.Reason), Message: f.Message, Advice: orNull(f.Advice),
		From: wire.Time(f.Span.Start), To: wire.Time(f.Span.End),
		Places: wire.Each(f.Places, func(p manifest.Place) jsonPlace { return jsonPlace(p) }),
		Fixes:  wire.Each(f.Fixes, func(x lint.Fix) jsonFix { return jsonFix{x.Text, x.Obvious} }),
	}
}

func orNull[T ~string](text T) *T {
	if text == "" {
		return nil
	}
	return &text
}
