package manifest

import (
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/budget/lint"
	"github.com/disruptkit/disruptkit/candidate"
)

// Correct returns how to write what values were meant to be into the file that the NodePool is from: each Warning is about one of them. It returns an
// error if one is not obvious, or is as wrong then.
func (p NodePool) Correct(typos []candidate.Warning) (Patch, error) {
	d, err := p.in.writable()
	if err != nil {
		return Patch{}, err
	}
	var changes []change
	for _, w := range typos {
		n, meant := d.node(p.full(w.Field)), lint.Meant(w)
		if n == nil || n.Kind != yaml.ScalarNode || meant == "" {
			return Patch{}, errElsewhere
		}
		start, end, err := d.span(n)
		if err != nil {
			return Patch{}, err
		}
		changes = append(changes, change{start, end, inFlow(&yaml.Node{Kind: n.Kind, Tag: "!!str", Style: d.style(meant, n), Value: meant})})
	}
	patch, err := d.patch(changes...)
	if err != nil {
		return Patch{}, err
	}
	return patch, p.corrects(patch, typos)
}

// corrects reads the changed file: none of the values may be wrong there, and nothing else that was not.
func (p NodePool) corrects(patch Patch, typos []candidate.Warning) error {
	again, err := p.reread(patch)
	if err != nil {
		return err
	}
	wrong := again.wrong()
	for _, f := range again.Refused {
		wrong = append(wrong, f.Field)
	}
	for _, w := range typos {
		if slices.Contains(wrong, p.full(w.Field)) {
			return errUnproven
		}
	}
	for _, f := range again.Faults {
		if !slices.Contains(p.wrong(), p.full(f.Field)) {
			return errUnproven
		}
	}
	return nil
}

// wrong returns the fields that cannot be read, or that are invalid.
func (p NodePool) wrong() (fields []string) {
	for _, f := range p.Faults {
		fields = append(fields, p.full(f.Field))
	}
	for _, spec := range []budget.Spec{p.Spec, p.Admitted} {
		set, _ := spec.Compile()
		for _, w := range set.Warnings() {
			fields = append(fields, p.full(w.Field))
		}
	}
	return fields
}

// full returns the path of a field of spec.disruption in the object.
func (p NodePool) full(field string) string {
	if ofDisruption.MatchString(field) && p.path != "" {
		return p.path + "." + field
	}
	return field
}
