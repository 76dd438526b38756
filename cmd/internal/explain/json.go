package explain

import (
	"io"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/internal/wire"
)

// The types below are the JSON that explain -o json prints, as schema/explain.json describes it. It is stable: fields are only added.
type (
	jsonCodes struct {
		Version string     `json:"version"`
		Codes   []jsonCode `json:"codes"`
	}
	jsonCode struct {
		Code    string `json:"code"`
		Means   string `json:"means"`
		Example string `json:"example"`
		Do      string `json:"do"`
		Pods    string `json:"doForPods"` // where a pod blocks the node
	}
)

func printJSON(w io.Writer, entries []Entry) error {
	j := jsonCodes{Version: "1", Codes: []jsonCode{}}
	for _, e := range entries {
		j.Codes = append(j.Codes, jsonCode{e.Code, e.Means, e.Example, e.Do, Advice(candidate.GatePod, candidate.Code(e.Code))})
	}
	return wire.Print(w, j)
}
