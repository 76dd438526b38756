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

// A source is an input. It counts lines only when a message needs a line number, and only once.
type source struct {
	text    []byte
	counted int // the lines before this byte are counted
	lines   int
}

func readSource(in io.Reader) (*source, error) {
	text, err := io.ReadAll(in)
	return newSource(bytes.TrimPrefix(text, []byte("\ufeff"))), err // a byte order mark
}

func newSource(text []byte) *source { return &source{text: text} }

// line returns the number of the line with a byte, from 1.
func (s *source) line(offset int) int {
	offset = min(offset, len(s.text))
	if offset < s.counted {
		return 1 + bytes.Count(s.text[:offset], []byte("\n"))
	}
	s.lines += bytes.Count(s.text[s.counted:offset], []byte("\n"))
	s.counted = offset
	return 1 + s.lines
}

// A document is a document of a source, as JSON.
type document struct {
	json  json.RawMessage
	in    *source
	start int        // where its text begins
	root  *yaml.Node // if it is YAML
}

// A brokenDocument is a document that cannot be read.
type brokenDocument struct {
	error
	line int
}

// documents yields all documents. JSON documents may follow each other directly; YAML documents are separated by lines
// with ---. After an invalid YAML document it continues with the next one. After invalid JSON it stops, since it cannot
// know where the next document begins.
func documents(in *source) iter.Seq2[*document, *brokenDocument] {
	message := messageOfKubectl(in)
	switch {
	case len(bytes.TrimSpace(in.text)) == 0:
		return func(func(*document, *brokenDocument) bool) {}
	case message != nil:
		return func(yield func(*document, *brokenDocument) bool) { yield(nil, message) }
	case isJSON(in.text):
		return documentsOfJSON(in)
	}
	return documentsOfYAML(in)
}

// isJSON reports whether a text begins with an object or an array of JSON. {kind: Node} is YAML: in JSON, the name would
// be quoted.
func isJSON(text []byte) bool { return startsJSON.Match(text[:min(len(text), mostStart)]) }

// mostStart is how many bytes of a text are looked at.
const mostStart = 1 << 12

var startsJSON = regexp.MustCompile(`^\s*[{[][\s{[]*(["}\]]|$)`)

func documentsOfJSON(in *source) iter.Seq2[*document, *brokenDocument] {
	return func(yield func(*document, *brokenDocument) bool) {
		if json.Valid(in.text) { // one document, which needs no copy: it may be large
			text := bytes.TrimSpace(in.text)
			yield(&document{json: json.RawMessage(text), in: in, start: bytes.IndexAny(in.text, "{[")}, nil)
			return
		}
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

// errCutOff is the error of JSON that is incomplete, as opposed to wrong.
var errCutOff = errors.New("the JSON ends in the middle of a document: was it cut off?")

func brokenJSON(in *source, err error) *brokenDocument {
	var syntax *json.SyntaxError
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return &brokenDocument{errCutOff, in.line(len(in.text))}
	case errors.As(err, &syntax):
		err = fmt.Errorf("not valid JSON near byte %d: %w", syntax.Offset, err)
		return &brokenDocument{err, in.line(int(syntax.Offset) - 1)}
	}
	return &brokenDocument{err, 1}
}

// isNull reports whether a document is empty, as between two lines with ---.
func (d *document) isNull() bool { return isNull(d.json) }

func (d *document) isObject() bool { return d.json[0] == '{' || d.json[0] == '[' }

// visit visits the objects of a document that follows some others, and returns how many documents that makes. Null is none.
func (d *document) visit(others int, to visitor) (count int, err error) {
	switch {
	case d.isNull():
		return others, nil
	case !d.isObject():
		return others, d.noObject()
	}
	visit(d.json, fmt.Sprintf("document %d", others+1), 0, origin{}, to)
	return others + 1, nil
}

// noObject is the error for a document that is not an object. It says what the document is instead.
func (d *document) noObject() error {
	text := strings.Join(strings.Fields(cmp.Or(textOf(d.json), string(d.json))), " ")
	return fmt.Errorf("%q is not a Kubernetes object: was it printed without -o json?", shortened(text))
}
