package lint

import (
	"io"
	"slices"
	"time"

	"github.com/disruptkit/disruptkit/budget/lint"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/internal/wire"
	"github.com/disruptkit/disruptkit/cmd/manifest"
)

// The types below are the JSON that -o json prints, as schema/lint.json describes it. It is stable: fields are only added.
type (
	jsonAnswer struct {
		Version  string        `json:"version"` // of this format
		As       string        `json:"as"`      // the engine that this is for: karpenter, guard, steward or disruptkit
		Pools    int           `json:"pools"`
		Disabled int           `json:"disabled"`
		Ignored  int           `json:"ignored"` // by comments and annotations
		Findings []jsonFinding `json:"findings"`
		Failed   *string       `json:"failed"` // what could not be read or done; null: all was
	}
	jsonFinding struct {
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
		Fixes    []jsonFix         `json:"fixes"` // --fix=code:1 takes the first
	}
	jsonFix struct {
		Text    string `json:"text"`
		Obvious bool   `json:"obvious"` // --fix takes it unasked
	}
	jsonPlace struct {
		File string `json:"file"`
		Line int    `json:"line"`
	}
)

// format is the version of the JSON.
const format = "1"

func printJSON(w io.Writer, a answer) error {
	j := jsonAnswer{
		Version: format, As: a.as.String(), Pools: a.Pools, Disabled: a.disabled, Ignored: a.Ignored, Findings: []jsonFinding{},
	}
	if a.failed != nil {
		j.Failed = orNull(a.failed.Error())
	}
	for _, f := range a.Findings {
		j.Findings = append(j.Findings, jsonFinding{
			Code: f.Code, Severity: f.Severity, Pool: orNull(f.Pool), Budgets: slices.AppendSeq([]int{}, f.Budgets.All()),
			Reason: orNull(f.Reason), Message: f.Message, Advice: orNull(f.Advice),
			From: wire.Time(f.Span.Start), To: wire.Time(f.Span.End),
			Places: wire.Each(f.Places, func(p manifest.Place) jsonPlace { return jsonPlace(p) }),
			Fixes:  wire.Each(f.Fixes, func(x lint.Fix) jsonFix { return jsonFix{x.Text, x.Obvious} }),
		})
	}
	return wire.Print(w, j)
}

func orNull[T ~string](text T) *T {
	if text == "" {
		return nil
	}
	return &text
}
