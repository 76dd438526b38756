package manifest

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"regexp"

	"go.yaml.in/yaml/v3"
)

// documents yields every document as JSON, and stops at the first error. JSON documents may follow each other as they
// are; between YAML documents is a line of ---.
func documents(r io.Reader) iter.Seq2[json.RawMessage, error] {
	in := bufio.NewReaderSize(r, 1<<16)
	start, err := in.Peek(1 << 12)
	if mark := []byte("\ufeff"); bytes.HasPrefix(start, mark) {
		_, _ = in.Discard(len(mark))
		start = start[len(mark):]
	}
	switch {
	case err == io.EOF && len(bytes.TrimSpace(start)) == 0:
		return func(func(json.RawMessage, error) bool) {}
	case startsJSON.Match(start): // any other error comes again when it is read
		return documentsOf(json.NewDecoder(in), decodeJSON)
	}
	return documentsOf(yaml.NewDecoder(in), decodeYAML)
}

// startsJSON matches objects and arrays of JSON. {kind: Node} is YAML: in JSON the name would be in quotes.
var startsJSON = regexp.MustCompile(`^\s*[{[][\s{[]*(["}\]]|$)`)

// documentsOf yields what decode returns, up to the end of the input.
func documentsOf[D any](d D, decode func(D) (json.RawMessage, error)) iter.Seq2[json.RawMessage, error] {
	return func(yield func(json.RawMessage, error) bool) {
		for {
			doc, err := decode(d)
			if err == io.EOF || !yield(doc, err) || err != nil {
				return
			}
		}
	}
}

func decodeJSON(d *json.Decoder) (json.RawMessage, error) {
	var doc json.RawMessage
	err := d.Decode(&doc)
	var syntax *json.SyntaxError
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		err = errors.New("the JSON ends in the middle of a document: was it cut off?")
	case errors.As(err, &syntax):
		err = fmt.Errorf("this is no JSON near byte %d: %w", syntax.Offset, err)
	}
	return doc, err
}

func decodeYAML(d *yaml.Decoder) (json.RawMessage, error) {
	var root yaml.Node
	if err := d.Decode(&root); err == io.EOF {
		return nil, err
	} else if err != nil {
		return nil, fmt.Errorf("this is no YAML: %w", err)
	}
	timesAreText(&root)
	var content any
	if err := root.Decode(&content); err != nil {
		return nil, fmt.Errorf("this is no YAML: %w", err)
	}
	return json.Marshal(jsonable(content))
}

// timesAreText makes plain YAML times the text that they are in JSON.
func timesAreText(n *yaml.Node) {
	if n.Kind == yaml.ScalarNode && n.ShortTag() == "!!timestamp" {
		n.Tag = "!!str"
	}
	for _, child := range n.Content {
		timesAreText(child)
	}
}

// jsonable replaces what YAML knows and JSON does not: keys that are no text, and numbers that are none.
func jsonable(content any) any {
	switch content := content.(type) {
	case map[string]any:
		for key, v := range content {
			content[key] = jsonable(v)
		}
	case map[any]any:
		fields := make(map[string]any, len(content))
		for key, v := range content {
			fields[fmt.Sprint(key)] = jsonable(v)
		}
		return fields
	case []any:
		for i, v := range content {
			content[i] = jsonable(v)
		}
	case float64:
		if math.IsInf(content, 0) || math.IsNaN(content) {
			return fmt.Sprint(content)
		}
	}
	return content
}
