package manifest

import (
	"bytes"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"go.yaml.in/yaml/v3"
)

// line returns the number of the line with a part of the object. Path leads to a field or an element, such as spec.disruption.budgets[1]. If it
// does not exist, line returns the line of its last existing part.
func (w writing) line(path string) int {
	d := w.in
	if d.root == nil {
		return d.in.line(d.start + w.start + jsonOffset(d.json[w.start:], stepsOf(path)))
	}
	line, _ := follow(d.root, append(stepsOf(w.path), stepsOf(path)...))
	return min(line+d.in.line(d.start)-1, d.in.line(len(d.in.text))) // in YAML, a lone carriage return also ends a line
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
func (w writing) written(path string) string {
	if w.in.root == nil {
		return ""
	}
	if _, n := follow(w.in.root, append(stepsOf(w.path), stepsOf(path)...)); n != nil && n.Kind == yaml.ScalarNode {
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
func jsonOffset(text []byte, steps []step) (at int) {
	d := decoderOf(text)
	for _, s := range steps {
		kind := d.PeekKind()
		switch {
		case kind == '[' && (s.name == itemsField || s.name == "budgets"): // a list alone
			continue
		case kind != '{' && kind != '[':
			return at
		}
		_, _ = d.ReadToken()
		found := false
		for i := 0; !found && d.PeekKind() != kind+2 && d.PeekKind() != 0; i++ { // ] comes two after [
			begins := len(text) - len(bytes.TrimLeft(text[d.InputOffset():], ", \t\r\n"))
			if found = i == s.index; kind == '{' {
				name, _ := d.ReadToken()
				found, begins = s.index < 0 && name.String() == s.name, int(d.InputOffset())-1
			}
			if found {
				at = begins
			} else if skip(d) != nil {
				return at
			}
		}
		if !found {
			return at
		}
	}
	return at
}

// pathOf returns a pointer as a path, without its first steps.
func pathOf(p jsontext.Pointer, without int) (path string) {
	for _, token := range slices.Collect(p.Tokens())[without:] {
		if _, err := strconv.Atoi(token); err == nil {
			path += "[" + token + "]"
		} else {
			path += "." + token
		}
	}
	return strings.TrimPrefix(path, ".")
}
