package manifest

import (
	"bytes"
	"cmp"
	"errors"
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

// budgets returns how to change the list of budgets at a path of the object. Only budgets that change are written anew.
func (d writable) budgets(path string, list []budget.Budget, with map[int][]budget.Budget) (Patch, error) {
	n := d.node(path)
	if n == nil || n.Kind != yaml.SequenceNode || len(n.Content) != len(list) || n.Anchor != "" {
		return Patch{}, errElsewhere
	}
	made := d.like(n)
	changed := map[int][]*yaml.Node{}
	for at, written := range with {
		changed[at] = nil // none is left of it
		for i, b := range written {
			item := made(b)
			if at < len(list) && i == 0 {
				item = n.Content[at]
				if err := d.edit(item, list[at], b); err != nil {
					return Patch{}, err
				}
			}
			changed[at] = append(changed[at], item)
		}
	}
	if n.Style&yaml.FlowStyle != 0 {
		return d.flow(n, changed)
	}
	return d.block(n, changed)
}

// edit gives a budget, as it is written, the fields of another one.
func (d writable) edit(item *yaml.Node, is, want budget.Budget) error {
	if item.Kind != yaml.MappingNode || item.Anchor != "" {
		return errElsewhere
	}
	had, wanted := stray.BudgetFields(is), stray.BudgetFields(want)
	for _, name := range stray.BudgetFieldNames {
		if had[name] == wanted[name] {
			continue
		}
		at := 0
		for at < len(item.Content) && item.Content[at].Value != name {
			at += 2
		}
		switch missing := at == len(item.Content); {
		case missing && had[name] != "":
			return errElsewhere // it is written by another name
		case missing:
			item.Content = append(item.Content, d.field(name, wanted[name])...)
		case wanted[name] == "":
			item.Content = slices.Delete(item.Content, at, at+2)
		default:
			was, now := item.Content[at+1], d.field(name, wanted[name])[1]
			if now.Kind == was.Kind {
				now.Style = d.style(now.Value, was)
			}
			now.LineComment = was.LineComment
			item.Content[at+1] = now
		}
	}
	if len(item.Content) == 0 {
		return errElsewhere
	}
	return nil
}

// like returns what makes more budgets, in the style of the last one of a list, or of an empty list.
func (d writable) like(list *yaml.Node) func(budget.Budget) *yaml.Node {
	style := list.Style & yaml.FlowStyle
	if last := len(list.Content) - 1; last >= 0 {
		style |= list.Content[last].Style & yaml.FlowStyle
	}
	return func(b budget.Budget) *yaml.Node {
		n, fields := &yaml.Node{Kind: yaml.MappingNode, Style: style}, stray.BudgetFields(b)
		for _, name := range stray.BudgetFieldNames {
			if fields[name] != "" {
				n.Content = append(n.Content, d.field(name, fields[name])...)
			}
		}
		return n
	}
}

// field returns a name and a JSON value, as people write them: in YAML, few texts are in quotes.
func (d writable) field(name, value string) []*yaml.Node {
	var object yaml.Node
	_ = yaml.Unmarshal([]byte(`{"`+name+`": `+value+`}`), &object) // which is YAML
	pair := object.Content[0].Content
	if d.isJSON {
		return pair
	}
	pair[0].Style = 0
	if !slices.Contains([]string{"nodes", "schedule", "from", "to"}, name) {
		pair[1].Style &= yaml.FlowStyle
		for _, element := range pair[1].Content {
			element.Style = 0
		}
	}
	return pair
}

// flow changes a list in brackets.
func (d writable) flow(n *yaml.Node, changed map[int][]*yaml.Node) (Patch, error) {
	at, end, err := d.span(n)
	if err != nil || bytes.Contains(d.bytes[at:end], []byte("#")) {
		return Patch{}, cmp.Or(err, errComment)
	}
	var items []string
	lead, gap, last := "", ", ", at+1
	for i := range len(n.Content) + 1 {
		now, changes := changed[i]
		if i < len(n.Content) {
			from, to, err := d.span(n.Content[i])
			if err != nil {
				return Patch{}, err
			}
			switch between := string(d.bytes[last:from]); i {
			case 0:
				lead = between
				gap = "," + cmp.Or(lead, " ")
			case 1:
				gap = between
			}
			if last = to; !changes {
				items = append(items, string(d.bytes[from:to]))
			}
		}
		for _, item := range now {
			items = append(items, inFlow(item))
		}
	}
	text := "[" + lead + strings.Join(items, gap) + string(d.bytes[last:end])
	return d.patch(change{at, end, text})
}

// block changes a list whose budgets have lines of their own.
func (d writable) block(n *yaml.Node, changed map[int][]*yaml.Node) (Patch, error) {
	var changes []change
	left := len(n.Content)
	for i, now := range changed {
		start, end, err := d.lines(n.Content[min(i, len(n.Content)-1)])
		if err != nil {
			return Patch{}, err
		}
		indent, was, text := indentOf(d.bytes[start:]), d.bytes[start:end], ""
		if left += len(now) - 1; i == len(n.Content) {
			start, was, left = end, nil, left+1
			if _, changes := changed[i-1]; !changes && !bytes.HasSuffix(d.bytes[:end], []byte("\n")) {
				text = "\n"
			}
		}
		for _, item := range now {
			text += inBlock(item, indent, was)
		}
		if len(now) > 0 && remarks(text) != remarks(string(was)) {
			return Patch{}, errComment
		}
		changes = append(changes, change{start, end, text})
	}
	if left == 0 {
		return Patch{}, errors.New("an empty list has no limit: write that yourself")
	}
	return d.patch(changes...)
}
