package replay

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"slices"

	"github.com/disruptkit/disruptkit/cmd/internal/trace"
	"github.com/disruptkit/disruptkit/internal/record"
)

// Check reads cases, makes each decision again, and reports each divergence, messages included. It also follows them through the model of
// topology, and reports what no decision may be, whoever makes it again: two zones in flight, more than a budget, a turn that is left early.
// It returns how many cases there were. A line that is no case, or that has no decision, is an error that says which. The lines after it are
// checked all the same, as the beginning of another recording, until ten lines are no case.
func Check(r io.Reader, report func(Divergence)) (cases int, err error) {
	const mostUnread = 10
	var steps trace.Trace
	var unread []error
	for c, err := range read(r) {
		switch {
		case err != nil:
		case len(c.Decision) == 0:
			err = c.fault(errors.New("it has no decision to compare with"))
		default:
			if !c.recorded() { // it stands alone
				steps = trace.Trace{}
			}
			err = c.fault(c.check(&steps, func(d Divergence) {
				d.Line = c.line
				report(d)
			}))
		}
		if err == nil {
			cases++
			continue
		}
		steps = trace.Trace{}
		if unread = append(unread, err); len(unread) == mostUnread {
			unread = append(unread, errors.New("the rest was not read"))
			break
		}
	}
	if cases == 0 && unread == nil {
		return 0, errors.New("there is no case in it: each line is to be one")
	}
	return cases, errors.Join(unread...)
}

// A numbered is a case, and the line that it is on.
type numbered struct {
	Case
	line int
}

// fault adds the line to an error; nil stays nil.
func (c numbered) fault(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("line %d: %w", c.line, err)
}

// read returns the cases of a text, and why a line is none.
func read(r io.Reader) iter.Seq2[numbered, error] {
	return func(yield func(numbered, error) bool) {
		for l, err := range lines(r) {
			c := numbered{line: l.number}
			if err == nil {
				c.Case, err = Read(l.text)
				err = c.fault(err)
			}
			if !yield(c, err) {
				return
			}
		}
	}
}

func (c Case) check(steps *trace.Trace, report func(Divergence)) error {
	in, err := record.Unmarshal(c.Input)
	if err != nil {
		return err
	}
	got, err := c.decide(in)
	if err != nil {
		return err
	}
	if err := c.compare(got, true, report); err != nil {
		return err
	}
	d, err := readDecision(c.Decision)
	if err != nil {
		return err
	}
	for _, f := range steps.Follow(in, d) {
		report(Divergence{Case: c.Name, Where: f.Where, Got: f.Got, Want: f.Want})
	}
	return nil
}

func (c Case) compare(got json.RawMessage, messages bool, report func(Divergence)) error {
	found, err := Differences(c.Decision, got, messages)
	for _, d := range found {
		d.Case = c.Name
		report(d)
	}
	return err
}

// Judge compares the answers of a program with the decisions of cases, and reports each divergence. Answers may come in any order; one that
// is missing or comes twice, and one to no case, are divergences as well. Messages are not compared. It returns how many cases were answered
// as they should be.
func Judge(cases, answers io.Reader, report func(Divergence)) (good, all int, err error) {
	given := map[string]Answer{}
	for l, err := range lines(answers) {
		if err != nil {
			return 0, 0, fmt.Errorf("answers: %w", err)
		}
		var a Answer
		if err := json.Unmarshal(l.text, &a); err != nil {
			return 0, 0, fmt.Errorf("answers: line %d: %w: write one such as {\"name\": \"…\", \"decision\": {…}}", l.number, err)
		}
		if _, twice := given[a.Name]; twice {
			report(Divergence{Case: a.Name, Where: "the answer", Want: "one", Got: "there twice"})
		}
		given[a.Name] = a
	}
	for c, err := range read(cases) {
		if err != nil {
			return good, all, err
		}
		all++
		right, err := c.judge(given, report)
		if err != nil {
			return good, all, fmt.Errorf("%s: %w", c.Name, err)
		}
		if right {
			good++
		}
		delete(given, c.Name)
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		report(Divergence{Case: name, Where: "the answer", Want: "none, since there is no such case", Got: "there"})
	}
	return good, all, nil
}

// judge compares the answer to a case.
func (c Case) judge(given map[string]Answer, report func(Divergence)) (right bool, err error) {
	a, answered := given[c.Name]
	switch {
	case !answered:
		report(Divergence{Case: c.Name, Where: "the answer", Want: "a decision", Got: "missing"})
		return false, nil
	case a.Error != "" || len(a.Decision) == 0:
		report(Divergence{Case: c.Name, Where: "the answer", Want: "a decision", Got: "the error " + text(a.Error)})
		return false, nil
	}
	right = true
	err = c.compare(a.Decision, false, func(d Divergence) {
		right = false
		report(d)
	})
	return right, err
}

// Each calls f for each case of a text.
func Each(cases io.Reader, f func(Case) error) error {
	for c, err := range read(cases) {
		if err == nil {
			err = c.fault(f(c.Case))
		}
		if err != nil {
			return err
		}
	}
	return nil
}
