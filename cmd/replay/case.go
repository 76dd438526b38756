// Package replay has decisions as lines of JSON: what was asked, everything that the answer depends on, and the answer. A program records
// its decisions with a Recorder. Check makes them again, and names each divergence. The same lines are the cases with which programs in
// other languages show that they decide as disruptkit does. cmd/schema/case.json describes a line.
package replay

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/record"
)

// version is that of the format. Fields are only added within a version.
const version = "2"

// A Case is one line.
type Case struct {
	Version  string           `json:"version"`
	Name     string           `json:"name"`
	Reason   candidate.Reason `json:"reason"`
	Session  bool             `json:"session,omitempty"` // the caller chose: what is allowed, one after the other
	Input    json.RawMessage  `json:"input"`
	Decision json.RawMessage  `json:"decision,omitempty"` // absent: it is asked for
}

// New returns the case of a decision. An error says what JSON cannot express.
func New(name string, in disruptkit.Input, d disruptkit.Decision) (Case, error) {
	input, err := record.Marshal(in)
	if err != nil {
		return Case{}, err
	}
	decision, err := record.Line(newDecision(d))
	return Case{Version: version, Name: name, Reason: d.Reason, Input: input, Decision: decision}, err
}

// Read reads a line. What it has no name for is an error: something could be lost that blocks nodes.
func Read(line []byte) (c Case, err error) {
	decoder := json.NewDecoder(bytes.NewReader(line))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&c); err != nil {
		return c, fmt.Errorf("it is no case: %w", err)
	}
	switch _, err := decoder.Token(); {
	case !errors.Is(err, io.EOF):
		return c, errors.New("a case is followed by something: write one on each line")
	case c.Version != version:
		return c, fmt.Errorf("version %q is not known here: this program reads version %q", c.Version, version)
	case len(c.Input) == 0:
		return c, errors.New("it has no input: write one, which may be {}")
	}
	return c, nil
}

// Decide makes the decision of a case. Of a session, it disrupts what the case allows.
func (c Case) Decide() (json.RawMessage, error) {
	in, err := record.Unmarshal(c.Input)
	if err != nil {
		return nil, err
	}
	return c.decide(in)
}

func (c Case) decide(in disruptkit.Input) (json.RawMessage, error) {
	if !c.Session {
		return record.Line(newDecision(disruptkit.Decide(in, c.Reason)))
	}
	chosen, err := readDecision(c.Decision)
	if err != nil {
		return nil, err
	}
	s := disruptkit.Open(in, c.Reason)
	for _, one := range chosen.Allowed {
		s.Disrupt(one)
	}
	return record.Line(newDecision(s.Close()))
}

// An Answer is what a program prints for a case: the decision, or why there is none.
type Answer struct {
	Name     string          `json:"name"`
	Decision json.RawMessage `json:"decision,omitempty"`
	Error    string          `json:"error,omitempty"`
}

// Answer answers a line. It is the JSON interface of disruptkit for other languages.
func (c Case) Answer() Answer {
	decision, err := c.Decide()
	if err != nil {
		return Answer{Name: c.Name, Error: err.Error()}
	}
	return Answer{Name: c.Name, Decision: decision}
}

// Print writes a case or an answer as a line.
func Print[L Case | Answer](w io.Writer, l L) error {
	text, err := record.Line(l)
	if err != nil {
		return err
	}
	_, err = w.Write(append(text, '\n'))
	return err
}
