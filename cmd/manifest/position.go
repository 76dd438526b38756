package manifest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// line returns the line number of a part of a document. Object is the path of an object, such as "items[3]", or "" for
// the document itself. Path leads from there to a field or an element, such as spec.disruption.budgets[1]. If the path
// does not exist, line returns the line of its last existing part.
func (d *document) line(object, path string) int {
	steps := stepsOf(path)
	if d.root != nil {
		line, _ := follow(d.root, append(stepsOf(object), steps...))
		line += d.in.line(d.start) - 1
		return min(line, d.in.line(len(d.in.text))) // in YAML, a lone carriage return also ends a line
	}
	if d.objects == nil {
		d.objects = map[string]int{}
		d.index(d.json, 0, "")
	}
	start := d.objects[object]
	if len(steps) > 0 && steps[0].name == "budgets" && d.json[start] == '[' { // a list alone
		steps = steps[1:]
	}
	return d.in.line(d.start + start + jsonOffset(d.json[start:], steps))
}

// index records where the objects of a JSON text begin, without decoding them.
func (d *document) index(text json.RawMessage, start int, object string) {
	d.objects[object] = start
	if !mayBeList(text) {
		return
	}
	decoder := decoderOf(text)
	if token, _ := decoder.ReadToken(); token.Kind() == '{' {
		for name := ""; name != itemsField; {
			if name != "" && decoder.SkipValue() != nil {
				return
			}
			field, err := decoder.ReadToken()
			if err != nil || field.Kind() != '"' {
				return
			}
			name = field.String()
		}
		if decoder.PeekKind() != '[' {
			return
		}
		_, _ = decoder.ReadToken()
	}
	for i := 0; decoder.PeekKind() != ']'; i++ {
		item, err := decoder.ReadValue()
		if err != nil {
			return
		}
		at := int(decoder.InputOffset()) - len(item)
		d.index(json.RawMessage(item), start+at, strings.TrimPrefix(fmt.Sprintf("%s, items[%d]", object, i), ", "))
	}
}

// mayBeList reports whether a JSON text may be a list of objects: it is an array, or has items.
func mayBeList(text []byte) bool {
	return text[0] == '[' || text[0] == '{' && (bytes.Contains(text, []byte(`"items"`)) || bytes.Contains(text, []byte(`\u`)))
}

// A step leads from an object to a field, or from a list to an element. The field "items" of a list is that list.
type step struct {
	name  string
	index int // of an element; else -1
}

const itemsField = "items"

var stepPattern = regexp.MustCompile(`\[(\d+)\]|\[([^\]]*)\]|[^.\[\]]+`)

func stepsOf(path string) (steps []step) {
	for _, match := range stepPattern.FindAllStringSubmatch(path, -1) {
		s := step{name: match[0], index: -1}
		if match[1] != "" {
			s.index, _ = strconv.Atoi(match[1])
		} else if match[2] != "" {
			s.name = match[2]
		}
		steps = append(steps, s)
	}
	return steps
}

// written returns a scalar as it is written in a YAML document, such as 010 for the number 8, or "" if there is none.
func (d *document) written(object, path string) string {
	if d.root == nil {
		return ""
	}
	if _, n := follow(d.root, append(stepsOf(object), stepsOf(path)...)); n != nil && n.Kind == yaml.ScalarNode {
		return n.Value
	}
	return ""
}

// follow returns what a path leads to, and its line, from 1. If the path does not exist, the node is nil, and the line
// is that of the last part that exists.
func follow(n *yaml.Node, steps []step) (int, *yaml.Node) {
	line := max(1, n.Line)
	for n != nil {
		switch {
		case n.Kind == yaml.DocumentNode && len(n.Content) > 0:
			n = n.Content[0]
			line = max(line, n.Line)
			continue
		case n.Kind == yaml.AliasNode:
			n = n.Alias
			continue
		case len(steps) == 0:
			return line, n
		}
		at, next := descend(n, steps[0])
		if next == nil {
			return line, nil
		}
		line, n, steps = at, next, steps[1:]
	}
	return line, nil
}

// descend returns the target of a step and its line; for a field, that of its key. Next is nil if there is none.
func descend(n *yaml.Node, s step) (line int, next *yaml.Node) {
	switch {
	case n.Kind == yaml.SequenceNode && (s.name == itemsField || s.name == "budgets"): // a list alone
		return n.Line, n
	case n.Kind == yaml.SequenceNode && 0 <= s.index && s.index < len(n.Content):
		return n.Content[s.index].Line, n.Content[s.index]
	case n.Kind != yaml.MappingNode || s.index >= 0:
		return 0, nil
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if key := n.Content[i]; key.Value == s.name {
			return key.Line, n.Content[i+1]
		}
	}
	return 0, nil
}

// jsonOffset returns the offset of the target of a path in a JSON text.
func jsonOffset(text []byte, steps []step) int {
	d := json.NewDecoder(bytes.NewReader(text))
	at := 0
	for _, s := range steps {
		start, err := d.Token()
		found := -1
		switch {
		case err != nil:
		case start == json.Delim('{') && s.index < 0:
			found = findField(d, s.name)
		case start == json.Delim('[') && s.index >= 0:
			found = findElement(d, text, s.index)
		}
		if found < 0 {
			return at
		}
		at = found
	}
	return at
}

// findField reads up to the value of a field, and returns where the name ends, or -1.
func findField(d *json.Decoder, name string) int {
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return -1
		}
		if key == name {
			return int(d.InputOffset()) - 1
		}
		next(d)
	}
	return -1
}

// findElement reads up to an element of a list, and returns where that begins, or -1.
func findElement(d *json.Decoder, text []byte, index int) int {
	for i := 0; d.More(); i++ {
		if i == index {
			return elementOffset(d, text)
		}
		next(d)
	}
	return -1
}

// elementOffset returns where the next element of a list begins.
func elementOffset(d *json.Decoder, text []byte) int {
	at := int(d.InputOffset())
	return at + len(text[at:]) - len(bytes.TrimLeft(text[at:], ", \t\r\n"))
}
