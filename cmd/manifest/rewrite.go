package manifest

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/budget/lint"
	"github.com/disruptkit/disruptkit/internal/stray"
)

// A Patch is a change of a file: other text in the place of some. Comments and order are kept.
type Patch struct {
	File       string
	Start, End int // bytes of Before
	Text       string
	Before     []byte // all of the file
}

// After returns the file with the change.
func (p Patch) After() []byte {
	return slices.Concat(p.Before[:p.Start], []byte(p.Text), p.Before[p.End:])
}

// errElsewhere is the error for fixes of budgets that the list of the NodePool does not have.
var errElsewhere = errors.New("it is not about spec.disruption.budgets of the file: write it yourself")

// Rewrite returns how to write fixes into the file that the NodePool is from. It returns an error if the list is not
// written there, or in a way that it cannot change.
func (p NodePool) Rewrite(fixes ...lint.Fix) (Patch, error) {
	ofSpec := func(f Fault) bool { return !strings.HasPrefix(f.Field, "metadata.") }
	if len(p.Faults) > 0 || slices.ContainsFunc(p.Dropped, ofSpec) {
		return Patch{}, errElsewhere
	}
	list := p.Spec.Budgets
	if p.As.Annotated() {
		list = p.Admitted.Budgets
	}
	with := map[int][]budget.Budget{}
	for _, f := range fixes {
		for _, e := range f.Edits {
			if e.At > len(list) || list == nil {
				return Patch{}, errElsewhere
			}
			with[e.At] = append(with[e.At], e.With...)
		}
	}
	d, err := p.in.writable()
	if err != nil {
		return Patch{}, err
	}
	patch, err := d.budgets(strings.TrimPrefix(p.path+".budgets", "."), list, with)
	if err != nil {
		return Patch{}, err
	}
	return patch, p.proves(patch, lint.Apply(list, fixes...))
}

// proves reads the changed file: the NodePool must have the wanted list.
func (p NodePool) proves(patch Patch, want []budget.Budget) error {
	again, err := p.reread(patch)
	if err != nil {
		return err
	}
	got := again.Spec.Budgets
	if p.As.Annotated() {
		got = again.Admitted.Budgets
	}
	if !slices.EqualFunc(got, want, sameBudget) {
		return errUnproven
	}
	return nil
}

var errUnproven = errors.New("it is not written in a way that can be changed: write it yourself")

// reread returns the NodePool as the changed file has it.
func (p NodePool) reread(patch Patch) (NodePool, error) {
	f, err := p.policy.ReadPools(patch.File, bytes.NewReader(patch.After()))
	if err != nil {
		return NodePool{}, err
	}
	i := slices.IndexFunc(f.Pools, func(again NodePool) bool { return again.Name == p.Name && again.Named == p.Named })
	if i < 0 {
		return NodePool{}, errUnproven
	}
	return f.Pools[i], nil
}

func sameBudget(a, b budget.Budget) bool { return a.String() == b.String() }

// A writable is a document of a file that can be changed.
type writable struct {
	text
	root   *yaml.Node
	object []step // where the object is
	file   string
	before []byte // all of the file
	start  int    // where the document begins in it
}

// writable reads the file again.
func (w writing) writable() (d writable, err error) {
	if w.in == nil {
		return d, errElsewhere
	}
	d = writable{text: text{bytes: w.in.in.text[w.in.start:], isJSON: w.in.root == nil}, root: w.in.root, object: stepsOf(w.path), file: w.file}
	if d.before, err = os.ReadFile(w.file); err != nil {
		return d, err
	}
	d.start = len(d.before) - len(bytes.TrimPrefix(d.before, []byte("\ufeff")))
	if len(d.before) != d.start+len(w.in.in.text) {
		return d, errChanged
	}
	d.start += w.in.start
	if d.isJSON { // which is YAML as well
		d.root = &yaml.Node{}
		if yaml.Unmarshal(w.in.json, d.root) != nil {
			return d, errElsewhere
		}
	}
	return d, nil
}

var errChanged = errors.New("the file has changed meanwhile")

// node returns what a path of the object leads to, or nil.
func (d writable) node(path string) *yaml.Node {
	_, n := follow(d.root, slices.Concat(d.object, stepsOf(path)))
	return n
}

// patch returns the change of some bytes of the document.
func (d writable) patch(at, end int, changed string) (Patch, error) {
	if !bytes.Equal(d.before[d.start+at:d.start+end], d.bytes[at:end]) { // the rest may be blank: see pasted
		return Patch{}, errChanged
	}
	return Patch{File: d.file, Start: d.start + at, End: d.start + end, Text: changed, Before: d.before}, nil
}

// budgets returns how to change the list of budgets at a path of the object.
func (d writable) budgets(path string, list []budget.Budget, with map[int][]budget.Budget) (Patch, error) {
	n := d.node(path)
	if n == nil || n.Kind != yaml.SequenceNode || len(n.Content) != len(list) || n.Anchor != "" {
		return Patch{}, errElsewhere
	}
	at, end, err := d.span(n)
	if err != nil {
		return Patch{}, err
	}
	if n.Style&yaml.FlowStyle == 0 {
		end = d.lineEnd(end)
	}
	changed, err := d.changed(n, list, with)
	if err != nil {
		return Patch{}, err
	}
	return d.patch(at, end, changed)
}

// A text is a document in which lists are changed.
type text struct {
	bytes  []byte
	isJSON bool // names and texts are quoted
}

// changed returns the text of a list of budgets with others in the places of some.
func (t text) changed(n *yaml.Node, list []budget.Budget, with map[int][]budget.Budget) (string, error) {
	at, end, _ := t.span(n)
	flow := n.Style&yaml.FlowStyle != 0
	var items []string
	var gap, tail string // between two items, and after the last
	last := at
	for i, item := range n.Content {
		from, to, err := t.span(item)
		if err != nil || item.Kind != yaml.MappingNode {
			return "", errors.Join(err, errElsewhere)
		}
		if i == 1 {
			gap = string(t.bytes[last:from])
		}
		if !flow {
			from = last // with the - and the comments before it
			to = t.lineEnd(to)
		}
		written, changes := with[i]
		one := string(t.bytes[from:to])
		switch {
		case !changes:
			items = append(items, one)
		case len(written) == 0 && !flow:
			start, _, _ := t.span(item)
			items = append(items, comments(string(t.bytes[from:start])))
		case len(written) > 0:
			if one, err = t.item(item, from, to, list[i], written[0]); err != nil {
				return "", err
			}
			items = append(items, one)
			for _, b := range written[1:] {
				items = append(items, t.added(n, b))
			}
		}
		last = to
	}
	for _, b := range with[len(list)] {
		items = append(items, t.added(n, b))
	}
	if !flow {
		var lines strings.Builder
		for i, one := range items {
			if lines.Len() == 0 && i > 0 {
				one = strings.TrimLeft(one, " ") // the first begins in the middle of a line
			}
			if lines.WriteString(one); one != "" && !strings.HasSuffix(one, "\n") {
				lines.WriteString("\n")
			}
		}
		if !strings.Contains(lines.String(), "- ") {
			return "", errors.New("an empty list has no limit: write that yourself")
		}
		return lines.String(), nil
	}
	lead := ""
	if len(n.Content) > 0 {
		first, _, _ := t.span(n.Content[0])
		lead, tail = string(t.bytes[at+1:first]), string(t.bytes[last:end-1])
		if strings.Contains(lead, "\n") && gap == "" {
			gap = "," + lead
		}
	}
	if gap == "" {
		gap = ", "
	}
	return "[" + lead + strings.Join(items, gap) + tail + "]", nil
}

// comments returns the lines of a text that are comments.
func comments(text string) string {
	var kept []string
	for line := range strings.Lines(text) {
		if strings.HasPrefix(strings.TrimSpace(line), "#") {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, "")
}

// item returns the text of a budget of the list, from one byte to another, with the fields of another budget.
func (t text) item(n *yaml.Node, from, to int, is, want budget.Budget) (string, error) {
	flow := n.Style&yaml.FlowStyle != 0
	had, wanted := stray.BudgetFields(is), stray.BudgetFields(want)
	var b strings.Builder
	start, end, _ := t.span(n)
	if flow {
		b.Write(t.bytes[from : start+1])
	} else {
		b.Write(t.bytes[from:start])
	}
	indent := strings.Repeat(" ", max(0, n.Column-1))
	written := 0
	put := func(one string) {
		switch {
		case written > 0 && flow:
			b.WriteString(", ")
		case written > 0:
			b.WriteString(indent)
		}
		b.WriteString(one)
		written++
	}
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		first, _, err := t.span(key)
		if err != nil {
			return "", err
		}
		at, until, err := t.span(value)
		if err != nil {
			return "", err
		}
		seen[key.Value] = true
		last := until
		if !flow {
			last = t.lineEnd(until)
			if i+2 < len(n.Content) {
				next, _, _ := t.span(n.Content[i+2])
				last = t.lineStart(next)
			}
		}
		text := string(t.bytes[first:last])
		switch now := wanted[key.Value]; {
		case now == had[key.Value]:
		case now == "":
			if _, rest, more := strings.Cut(text, "\n"); more && !flow && comments(rest) != "" {
				return "", errors.New("a comment stands at what is to be deleted: write it yourself")
			}
			continue
		default:
			text = string(t.bytes[first:at]) + t.value(now, value) + string(t.bytes[until:last])
		}
		if !flow && !strings.HasSuffix(text, "\n") {
			text += "\n"
		}
		put(text)
	}
	for _, name := range stray.BudgetFieldNames {
		switch {
		case had[name] != wanted[name] && !seen[name] && had[name] != "":
			return "", errElsewhere // it is written by another name
		case wanted[name] != "" && had[name] == "" && !seen[name] && flow:
			put(t.field(name, wanted[name]))
		case wanted[name] != "" && had[name] == "" && !seen[name]:
			put(t.field(name, wanted[name]) + "\n")
		}
	}
	if written == 0 {
		return "", errElsewhere
	}
	if flow {
		b.Write(t.bytes[end-1 : to])
	}
	return b.String(), nil
}

// added returns the text of another budget, in the style of the last one of a list.
func (t text) added(list *yaml.Node, b budget.Budget) string {
	fields := stray.BudgetFields(b)
	var texts []string
	for _, name := range stray.BudgetFieldNames {
		if fields[name] != "" {
			texts = append(texts, t.field(name, fields[name]))
		}
	}
	flow := "{" + strings.Join(texts, ", ") + "}"
	if list.Style&yaml.FlowStyle != 0 {
		return flow
	}
	indent := strings.Repeat(" ", max(0, list.Column-1))
	if last := list.Content[len(list.Content)-1]; last.Style&yaml.FlowStyle != 0 {
		return indent + "- " + flow + "\n"
	}
	return indent + "- " + strings.Join(texts, "\n"+indent+"  ") + "\n"
}

func (t text) field(name, value string) string {
	if t.isJSON {
		return fmt.Sprintf("%q: %s", name, value)
	}
	return name + ": " + plain(name, value)
}

// plain returns a JSON value as people write it in YAML: without quotes where none are needed.
func plain(name, value string) string {
	switch name {
	case "nodes", "schedule", "from", "to":
		return value
	}
	return strings.ReplaceAll(value, `"`, "")
}

// value returns a JSON value in the style of the one in whose place it comes.
func (t text) value(now string, was *yaml.Node) string {
	switch {
	case t.isJSON:
		return now
	case was.Kind == yaml.SequenceNode && was.Style&yaml.FlowStyle == 0:
		indent := "\n" + strings.Repeat(" ", max(0, was.Column-1)) + "- "
		return "- " + strings.ReplaceAll(plain("", strings.Trim(now, "[]")), ", ", indent)
	case was.Kind == yaml.SequenceNode:
		return plain("", now)
	case was.Style&yaml.SingleQuotedStyle != 0:
		return "'" + strings.Trim(now, `"`) + "'"
	case was.Style&yaml.DoubleQuotedStyle != 0:
		return now
	case strings.ContainsAny(now, "*@% ") || strings.Trim(now, `"0123456789`) == "":
		return now
	}
	return strings.Trim(now, `"`)
}

// span returns where a node begins and ends.
func (t text) span(n *yaml.Node) (start, end int, err error) {
	start = t.offset(n.Line, n.Column)
	switch {
	case n.Kind == yaml.AliasNode || n.Anchor != "" || n.Style&(yaml.TaggedStyle|yaml.LiteralStyle|yaml.FoldedStyle) != 0:
		return 0, 0, errElsewhere
	case n.Kind == yaml.ScalarNode && n.Style&yaml.DoubleQuotedStyle != 0:
		end = quotedEnd(t.bytes, start, '"')
	case n.Kind == yaml.ScalarNode && n.Style&yaml.SingleQuotedStyle != 0:
		end = quotedEnd(t.bytes, start, '\'')
	case n.Kind == yaml.ScalarNode:
		end = start + len(n.Value)
		if end > len(t.bytes) || string(t.bytes[start:end]) != n.Value {
			return 0, 0, errElsewhere
		}
	case n.Style&yaml.FlowStyle != 0:
		end = t.bracketEnd(start)
	case len(n.Content) > 0:
		if _, end, err = t.span(n.Content[len(n.Content)-1]); err != nil {
			return 0, 0, err
		}
	}
	if end < start {
		return 0, 0, errElsewhere
	}
	return start, end, nil
}

// offset returns the byte at a line and column, from 1. Columns count characters.
func (t text) offset(line, column int) int {
	at := 0
	for range line - 1 {
		at += bytes.IndexByte(t.bytes[at:], '\n') + 1
	}
	for range column - 1 {
		if at < len(t.bytes) {
			at += len(string([]rune(string(t.bytes[at:min(len(t.bytes), at+4)]))[:1]))
		}
	}
	return at
}

// lineEnd returns where the line after a byte begins.
func (t text) lineEnd(at int) int {
	if i := bytes.IndexByte(t.bytes[at:], '\n'); i >= 0 {
		return at + i + 1
	}
	return len(t.bytes)
}

func (t text) lineStart(at int) int { return bytes.LastIndexByte(t.bytes[:at], '\n') + 1 }

// quotedEnd returns where a quoted text ends, or -1.
func quotedEnd(text []byte, start int, quote byte) int {
	for i := start + 1; i < len(text); i++ {
		switch {
		case text[i] == '\\' && quote == '"':
			i++
		case text[i] == quote && quote == '\'' && i+1 < len(text) && text[i+1] == quote:
			i++
		case text[i] == quote:
			return i + 1
		}
	}
	return -1
}

// bracketEnd returns where a list or an object in brackets ends, or -1.
func (t text) bracketEnd(start int) int {
	depth := 0
	for i := start; i < len(t.bytes); i++ {
		switch c := t.bytes[i]; c {
		case '[', '{':
			depth++
		case ']', '}':
			if depth--; depth == 0 {
				return i + 1
			}
		case '"', '\'':
			if !bytes.ContainsRune([]byte(" \t\n[{,:"), rune(t.bytes[i-1])) {
				continue // within a plain text
			}
			if i = quotedEnd(t.bytes, i, c) - 1; i < 0 {
				return -1
			}
		case '#':
			return -1 // comments have no place when such a list is written anew
		}
	}
	return -1
}
