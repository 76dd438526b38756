// Package record has a disruptkit.Input as JSON: everything that a decision depends on, so that it can be made again
// somewhere else, by another version, or by another program. cmd/schema/case.json describes it. Times are RFC 3339 in
// UTC, durations such as 1h30m, and what is empty is left out.
package record

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/dialect"
)

// input is the JSON of a disruptkit.Input.
type input struct {
	Now      time.Time                    `json:"now,omitzero"`
	Dialect  dialect.Dialect              `json:"dialect,omitzero"`
	Pools    []pool                       `json:"pools,omitzero"`
	Groups   []group                      `json:"groups,omitzero"`
	Nodes    []node                       `json:"nodes,omitzero"`
	Rules    rules                        `json:"rules,omitzero"`
	Verdicts []verdict                    `json:"verdicts,omitzero"`
	Pauses   []pause                      `json:"pauses,omitzero"`
	Memory   map[string]disruptkit.Memory `json:"memory,omitzero"`
}

// Marshal returns the JSON of an input, on one line. It is an error if JSON cannot express a time, which happens before
// the year 0 and after 9999, and if the caller has gates of its own.
func Marshal(in disruptkit.Input) ([]byte, error) {
	if len(in.Gates) > 0 {
		return nil, errors.New("Input.Gates are functions, which cannot be recorded: leave them out of what you record")
	}
	j := input{
		Now: in.Now.UTC(), Dialect: in.Dialect, Rules: newRules(in.Rules),
		Verdicts: each(in.Verdicts, newVerdict), Pauses: each(in.Pauses, newPause),
		Pools: each(in.Pools, newPool), Groups: each(in.Groups, newGroup), Memory: in.Memory,
	}
	for i := range in.Nodes {
		j.Nodes = append(j.Nodes, newNode(&in.Nodes[i]))
	}
	return Line(j)
}

// Line returns the JSON of a value on one line, with <, > and & as they are.
func Line(value any) ([]byte, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(value)
	return bytes.TrimSuffix(out.Bytes(), []byte("\n")), err
}

// Unmarshal returns the input of a JSON. Unknown fields are errors: what blocks nodes could be lost.
// What is wrong with a budget or a rule is none: it is part of the input, and decisions warn of it.
func Unmarshal(data []byte) (disruptkit.Input, error) {
	var j input
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&j); err != nil {
		return disruptkit.Input{}, fmt.Errorf("the input of a decision: %w", err)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return disruptkit.Input{}, errors.New("the input of a decision is followed by something: write one object")
	}
	if j.Dialect != dialect.Disruptkit && j.Dialect != dialect.Karpenter {
		return disruptkit.Input{}, fmt.Errorf("dialect %.100q is unknown: write karpenter, or leave it out",
			string(j.Dialect))
	}
	return disruptkit.Input{
		Now: j.Now, Dialect: j.Dialect, Rules: j.Rules.rules(),
		Verdicts: each(j.Verdicts, verdict.verdict), Pauses: each(j.Pauses, pause.pause),
		Pools: each(j.Pools, pool.pool), Groups: each(j.Groups, group.group), Nodes: each(j.Nodes, node.node),
		Memory: j.Memory,
	}, nil
}

// each returns what f makes of each element, and nil for an empty list.
func each[A, B any](list []A, f func(A) B) []B {
	var made []B
	for _, a := range list {
		made = append(made, f(a))
	}
	return made
}

// A span is a time.Duration: such as 1h30m, or "forever".
type span time.Duration

const forever = "forever"

func (s span) MarshalText() ([]byte, error) {
	if time.Duration(s) == candidate.Forever {
		return []byte(forever), nil
	}
	return []byte(time.Duration(s).String()), nil
}

func (s *span) UnmarshalText(text []byte) error {
	d, err := time.ParseDuration(string(text))
	switch {
	case string(text) == forever:
		d = candidate.Forever
	case err != nil:
		return fmt.Errorf("duration %q is none: write one such as 1h30m, or %s", text, forever)
	}
	*s = span(d)
	return nil
}
