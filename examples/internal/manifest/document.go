package manifest

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"
)

// A source is an input. Its lines are counted only where there is something to say of them, and once.
type source struct {
	text    []byte
	counted int // the bytes before which the lines are counted
	lines   int
}

func readSource(in io.Reader) (*source, error) {
	text, err := io.ReadAll(in)
	return newSource(bytes.TrimPrefix(text, []byte("\ufeff"))), err // a byte order mark
}

func newSource(text []byte) *source { return &source{text: text} }

// line returns the number of the line that a byte is on, from 1.
func (s *source) line(offset int) int {
	offset = min(offset, len(s.text))
	if offset < s.counted {
		return 1 + bytes.Count(s.text[:offset], []byte("\n"))
	}
	s.lines += bytes.Count(s.text[s.counted:offset], []byte("\n"))
	s.counted = offset
	return 1 + s.lines
}

// A document is one of a source, as JSON.
type document struct {
	json    json.RawMessage
	in      *source
	start   int            // where the text begins that it stands in
	root    *yaml.Node     // of one that is written in YAML
	objects map[string]int // where those of one that is written in JSON begin, by their place in it; nil as long as nobody asks
}

// A brokenDocument is one that cannot be read.
type brokenDocument struct {
	error
	line int
}

// documents yields every document. JSON documents may follow each other as they are; between YAML documents is a line of
// ---. Those after a broken one are yielded, too, unless they are JSON, where nobody knows where they begin.
func documents(in *source) iter.Seq2[*document, *brokenDocument] {
	switch {
	case len(bytes.TrimSpace(in.text)) == 0:
		return func(func(*document, *brokenDocument) bool) {}
	case startsJSON.Match(in.text[:min(len(in.text), 1<<12)]):
		return documentsOfJSON(in)
	}
	return documentsOfYAML(in)
}

// startsJSON matches objects and arrays of JSON. {kind: Node} is YAML: in JSON the name would be in quotes.
var startsJSON = regexp.MustCompile(`^\s*[{[][\s{[]*(["}\]]|$)`)

func documentsOfJSON(in *source) iter.Seq2[*document, *brokenDocument] {
	return func(yield func(*document, *brokenDocument) bool) {
		for d := json.NewDecoder(bytes.NewReader(in.text)); ; {
			var raw json.RawMessage
			err := d.Decode(&raw)
			switch {
			case err == io.EOF:
				return
			case err != nil:
				yield(nil, brokenJSON(in, err))
				return
			case !yield(&document{json: raw, in: in, start: int(d.InputOffset()) - len(raw)}, nil):
				return
			}
		}
	}
}

func brokenJSON(in *source, err error) *brokenDocument {
	var syntax *json.SyntaxError
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		err = errors.New("the JSON ends in the middle of a document: was it cut off?")
		return &brokenDocument{err, in.line(len(in.text))}
	case errors.As(err, &syntax):
		err = fmt.Errorf("not valid JSON near byte %d: %w", syntax.Offset, err)
		return &brokenDocument{err, in.line(int(syntax.Offset) - 1)}
	}
	return &brokenDocument{err, 1}
}

// isNull reports whether there is nothing in it, as between two lines of ---.
func (d *document) isNull() bool { return string(d.json) == "null" }

func (d *document) isObject() bool { return d.json[0] == '{' || d.json[0] == '[' }

// noObject says what is there instead of one.
func (d *document) noObject() error {
	text := strings.Join(strings.Fields(cmp.Or(textOf(d.json), string(d.json))), " ")
	return fmt.Errorf("%q is not a Kubernetes object: was it printed without -o json?", shortened(text))
}
