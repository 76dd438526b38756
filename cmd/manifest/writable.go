package manifest

import (
	"bytes"
	"cmp"
	"errors"
	"os"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// A writable is a document of a file that can be changed. JSON is YAML as well.
type writable struct {
	bytes  []byte // of the document, and what follows
	isJSON bool   // names and texts are quoted
	root   *yaml.Node
	object []step // where the object is
	file   string
	before []byte // all of the file
	start  int    // where the document begins in it
}

var (
	errChanged = errors.New("the file has changed meanwhile")
	errComment = errors.New("a comment stands at what is to be changed: write it yourself")
)

// writable reads the file again.
func (w writing) writable() (d writable, err error) {
	if w.in == nil {
		return d, errElsewhere
	}
	d = writable{bytes: w.in.in.text[w.in.start:], isJSON: w.in.root == nil, root: &yaml.Node{}, object: stepsOf(w.path), file: w.file}
	if d.isJSON {
		d.bytes = d.bytes[:len(w.in.json)]
	}
	if d.before, err = os.ReadFile(w.file); err != nil {
		return d, err
	}
	d.start = len(d.before) - len(bytes.TrimPrefix(d.before, []byte("\ufeff")))
	if len(d.before) != d.start+len(w.in.in.text) {
		return d, errChanged
	}
	d.start += w.in.start
	if yaml.NewDecoder(bytes.NewReader(d.bytes)).Decode(d.root) != nil { // it is changed
		return d, errElsewhere
	}
	return d, nil
}

// node returns what a path of the object leads to, or nil.
func (d writable) node(path string) *yaml.Node {
	_, n := follow(d.root, slices.Concat(d.object, stepsOf(path)))
	return n
}

// A change is other text in the place of some bytes of a document.
type change struct {
	start, end int
	text       string
}

// patch returns changes of the document as one. Several may be the same.
func (d writable) patch(changes ...change) (Patch, error) {
	slices.SortFunc(changes, func(a, b change) int { return cmp.Or(a.start-b.start, a.end-b.end) })
	changes = slices.Compact(changes)
	if len(changes) == 0 {
		return Patch{}, errElsewhere
	}
	first := changes[0].start
	last := first
	var text strings.Builder
	for _, c := range changes {
		text.Write(d.bytes[last:c.start])
		text.WriteString(c.text)
		last = c.end
	}
	p := Patch{File: d.file, Start: d.start + first, End: d.start + last, Text: text.String(), Before: d.before}
	if bytes.Contains(d.before, []byte("\r\n")) {
		p.Text = strings.NewReplacer("\r\n", "\r\n", "\n", "\r\n").Replace(p.Text)
	}
	if !bytes.Equal(d.before[p.Start:p.End], d.bytes[first:last]) { // the rest may be blank: see pasted
		return Patch{}, errChanged
	}
	return p, nil
}

// style returns how to write a text, or a list, in the place of another one: in quotes where those are, or where people expect them.
func (d writable) style(text string, was *yaml.Node) yaml.Style {
	if was.Style == 0 && (d.isJSON || strings.ContainsAny(text, "*@% ")) {
		return yaml.DoubleQuotedStyle
	}
	return was.Style
}

// offset returns the byte at which a node begins. Columns count characters.
func (d writable) offset(n *yaml.Node) int {
	rest := d.bytes
	for range n.Line - 1 {
		_, rest, _ = bytes.Cut(rest, []byte("\n"))
	}
	before := []rune(string(rest[:min(len(rest), 4*n.Column)]))
	return len(d.bytes) - len(rest) + len(string(before[:min(len(before), n.Column-1)]))
}

// span returns where a scalar begins and ends, or a list or an object in brackets.
func (d writable) span(n *yaml.Node) (start, end int, err error) {
	start = d.offset(n)
	closing := ""
	switch {
	case n.Anchor != "" || n.Style&(yaml.TaggedStyle|yaml.LiteralStyle|yaml.FoldedStyle) != 0:
		return 0, 0, errElsewhere
	case n.Style&yaml.DoubleQuotedStyle != 0:
		closing = `"`
	case n.Style&yaml.SingleQuotedStyle != 0:
		closing = "'"
	case n.Kind == yaml.ScalarNode && bytes.HasPrefix(d.bytes[start:], []byte(n.Value)):
		return start, start + len(n.Value), nil
	case n.Style&yaml.FlowStyle != 0:
		closing = map[yaml.Kind]string{yaml.SequenceNode: "]", yaml.MappingNode: "}"}[n.Kind]
	}
	for end = start; closing != "" && end < len(d.bytes); end++ {
		var again yaml.Node // the first part that is complete
		if d.bytes[end] == closing[0] && yaml.Unmarshal(d.bytes[start:end+1], &again) == nil && again.Content[0].Value == n.Value {
			return start, end + 1, nil
		}
	}
	return 0, 0, errElsewhere
}

// lines returns where the lines of an element of a list begin and end: from its - to the next line that is not indented further. Blank lines
// and comments after it are not its own.
func (d writable) lines(item *yaml.Node) (start, end int, err error) {
	start = bytes.LastIndexByte(d.bytes[:d.offset(item)], '\n') + 1
	indent := indentOf(d.bytes[start:])
	if !bytes.HasPrefix(d.bytes[start:], []byte(indent+"-")) {
		return 0, 0, errElsewhere
	}
	at := start
	for line := range bytes.Lines(d.bytes[start:]) {
		blank := len(bytes.TrimSpace(line)) == 0
		if at > start && !blank && len(indentOf(line)) <= len(indent) {
			break
		}
		if at += len(line); !blank {
			end = at
		}
	}
	return start, end, nil
}

func indentOf(line []byte) string { return string(line[:len(line)-len(bytes.TrimLeft(line, " "))]) }

// remarks returns the lines of a text that are comments.
func remarks(text string) (kept string) {
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); strings.HasPrefix(line, "#") {
			kept += line + "\n"
		}
	}
	return kept
}

// inFlow returns the text of a node within brackets.
func inFlow(n *yaml.Node) string {
	n.LineComment = ""
	text := encoded(&yaml.Node{Kind: yaml.SequenceNode, Style: yaml.FlowStyle, Content: []*yaml.Node{n}}, false)
	return strings.TrimSuffix(strings.TrimPrefix(text, "["), "]\n")
}

// inBlock returns the lines of an object as an element of a list, in the place of those that it was.
func inBlock(n *yaml.Node, indent string, was []byte) (text string) {
	compact := false
	for i := 1; i < len(n.Content); i += 2 {
		compact = compact || n.Content[i].Kind == yaml.SequenceNode && n.Content[i].Column == n.Content[i-1].Column
	}
	leaveAround(n, was)
	for line := range strings.Lines(encoded(&yaml.Node{Kind: yaml.SequenceNode, Content: []*yaml.Node{n}}, compact)) {
		text += indent + line
	}
	return text
}

// leaveAround takes comments off a node that are not in its text: they stay where they are.
func leaveAround(n *yaml.Node, text []byte) {
	for _, comment := range []*string{&n.HeadComment, &n.FootComment} {
		if first, _, _ := strings.Cut(*comment, "\n"); !bytes.Contains(text, []byte(first)) {
			*comment = ""
		}
	}
	for _, child := range n.Content {
		leaveAround(child, text)
	}
}

// encoded returns a node as YAML. Compact lists are not indented.
func encoded(n *yaml.Node, compact bool) string {
	var text strings.Builder
	e := yaml.NewEncoder(&text)
	if e.SetIndent(2); compact {
		e.CompactSeqIndent()
	}
	_ = e.Encode(n) // whoever changes a file reads it again
	return text.String()
}
