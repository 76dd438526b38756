package manifest

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

func documentsOfYAML(in *source) iter.Seq2[*document, *brokenDocument] {
	return func(yield func(*document, *brokenDocument) bool) {
		for start, text := range stretches(in.text) {
			d := yaml.NewDecoder(bytes.NewReader(text))
			for {
				raw, root, err := decodeYAML(d)
				if err == io.EOF {
					break
				}
				if err != nil {
					if !yield(nil, brokenYAML(in, start, text, err)) {
						return
					}
					break
				}
				if !yield(&document{json: raw, in: in, start: start, root: root}, nil) {
					return
				}
			}
		}
	}
}

// stretches yields the documents of a YAML text with their offsets. A line that begins with --- starts a document and
// belongs to it; a line that begins with ... ends one. Comments and directives (%YAML 1.2) belong to the document that
// follows.
func stretches(text []byte) iter.Seq2[int, []byte] {
	return func(yield func(int, []byte) bool) {
		start, content := 0, false
		for at, end := 0, 0; at < len(text); at = end {
			end = len(text)
			if i := bytes.IndexByte(text[at:], '\n'); i >= 0 {
				end = at + i + 1
			}
			line, split := text[at:end], -1
			switch trimmed := bytes.TrimSpace(line); {
			case isMark(line, "---") && content:
				split = at
			case isMark(line, "---"):
				content = true
			case isMark(line, "..."):
				split, content = end, false
			case len(trimmed) > 0 && line[0] != '%' && trimmed[0] != '#':
				content = true
			}
			if split >= 0 {
				if !yield(start, text[start:split]) {
					return
				}
				start = split
			}
		}
		yield(start, text[start:])
	}
}

// isMark reports whether a line begins with a mark: --- or ....
func isMark(line []byte, mark string) bool {
	rest, found := bytes.CutPrefix(line, []byte(mark))
	return found && (len(rest) == 0 || bytes.IndexByte([]byte(" \t\r\n"), rest[0]) >= 0)
}

func decodeYAML(d *yaml.Decoder) (json.RawMessage, *yaml.Node, error) {
	var root yaml.Node
	if err := d.Decode(&root); err != nil {
		return nil, nil, err
	}
	timesAreText(&root)
	var content any
	if err := root.Decode(&content); err != nil {
		return nil, nil, err
	}
	raw, err := json.Marshal(jsonable(content))
	return raw, &root, err
}

// brokenYAML describes the error with line numbers of the source. Mostly it is a tab, which people cannot see.
func brokenYAML(in *source, start int, text []byte, err error) *brokenDocument {
	message := strings.TrimPrefix(strings.TrimPrefix(err.Error(), "yaml: "), "unmarshal errors:\n  ")
	before, last, first := in.line(start)-1, bytes.Count(bytes.TrimRight(text, "\r\n"), []byte("\n"))+1, 0
	message = yamlLine.ReplaceAllStringFunc(message, func(match string) string {
		n, _ := strconv.Atoi(digits.FindString(match))
		if fromZero.MatchString(message) {
			n++
		}
		n = min(n, last)
		first = cmp.Or(first, n)
		return digits.ReplaceAllString(match, strconv.Itoa(before+n))
	})
	if tab := tabNear(text, first); tab > 0 && aboutTabs.MatchString(message) {
		err := fmt.Errorf("not valid YAML: line %d is indented with a tab: write spaces there", before+tab)
		return &brokenDocument{err, before + tab}
	}
	if line, plain := unquoted(text, first); line > 0 && aboutQuotes.MatchString(message) {
		err := fmt.Errorf("not valid YAML: line %d: YAML reserves %q at the beginning of a value: quote it: '%s'",
			before+line, plain[:1], strings.ReplaceAll(plain, "'", "''"))
		return &brokenDocument{err, before + line}
	}
	if IsTemplate(text) {
		message += "; " + renderFirst
	}
	return &brokenDocument{errors.New("not valid YAML: " + message), before + max(1, first)}
}

// Errors of package yaml. It counts lines from the start of its text: errors of the scanner from 1, those of the parser
// from 0.
var (
	yamlLine    = regexp.MustCompile(`(?m)^ *line \d+: | at line \d+$`)
	fromZero    = regexp.MustCompile(`^line \d+: did not find expected (<|node content|key|'-' indicator|',' or)`)
	digits      = regexp.MustCompile(`\d+`)
	aboutQuotes = regexp.MustCompile(`cannot start any token|did not find expected alphabetic or numeric character`)
	aboutTabs   = regexp.MustCompile(`tab character|cannot start any token`)
)

// tabNear returns the number of the line, from 1, that is indented with a tab and causes an error of package yaml, or
// 0. The error names that line or an earlier one.
func tabNear(text []byte, line int) int {
	for i, l := range bytes.SplitAfter(text, []byte("\n")) {
		indent := l[:len(l)-len(bytes.TrimLeft(l, " \t"))]
		if n := i + 1; line-1 <= n && n <= line+2 && bytes.IndexByte(indent, '\t') >= 0 {
			return n
		}
	}
	return 0
}

// timesAreText turns YAML times into strings, as in JSON.
func timesAreText(n *yaml.Node) {
	if n.Kind == yaml.ScalarNode && n.ShortTag() == "!!timestamp" {
		n.Tag = "!!str"
	}
	for _, child := range n.Content {
		timesAreText(child)
	}
}

// jsonable replaces what JSON does not have: keys that are not strings, and numbers that are not finite.
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
