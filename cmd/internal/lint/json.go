package lint

import (
	"io"

	"github.com/disruptkit/disruptkit/cmd/internal/forecast"
	"github.com/disruptkit/disruptkit/cmd/internal/wire"
)

// A jsonAnswer is the JSON that -o json prints, as schema/lint.json describes it. It is stable: fields are only added.
type jsonAnswer struct {
	Version  string                 `json:"version"` // of this format
	As       string                 `json:"as"`      // the engine that this is for: karpenter, guard, steward or disruptkit
	Pools    int                    `json:"pools"`
	Disabled int                    `json:"disabled"`
	Ignored  int                    `json:"ignored"` // by comments and annotations
	Findings []forecast.JSONFinding `json:"findings"`
	Failed   *string                `json:"failed"` // what could not be read or done; null: all was
}

func printJSON(w io.Writer, a answer) error {
	j := jsonAnswer{
		Version: "1", As: a.as.String(), Pools: a.Pools, Disabled: a.disabled, Ignored: a.Ignored,
		Findings: wire.Each(a.Findings, forecast.Finding.JSON),
	}
	if a.failed != nil {
		j.Failed = new(a.failed.Error())
	}
	return wire.Print(w, j)
}
