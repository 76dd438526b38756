package manifest

import (
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/engine"
)

// rest returns a NodePool with faults as if what cannot be read allowed everything, and as if it allowed nothing. What
// is true of both is true of the NodePool, whatever was meant. It returns nothing if that cannot be said, such as for a
// list of budgets that is no list.
func (f *File) rest(o *object, disruption value, faults []candidate.Warning) (both []NodePool) {
	for _, nodes := range []string{"100%", "0"} {
		fields, ok := f.mended(disruption, faults, nodes)
		if !ok {
			return nil
		}
		root, spec := map[string]any{}, map[string]any{}
		if o.kind != "" {
			maps.Copy(root, o.root.fields())
			maps.Copy(spec, o.root.field("spec").fields())
		}
		spec["disruption"], root["spec"] = fields, spec
		mended := &object{origin: origin{o.apiVersion, "NodePool"}, name: o.name, where: o.where}
		mended.root = value{of: mended, json: root}
		read := readNodePool(mended, mended.disruption(), f.policy)
		isFaulty := func(w candidate.Warning) bool { return strings.HasPrefix(w.Field, "spec.disruption") }
		if slices.ContainsFunc(mended.faults, isFaulty) {
			return nil
		}
		p := NodePool{nodePool: *read}
		f.fillIn(&p, o, disruption)
		both = append(both, p)
	}
	return both
}

// mended returns the fields of spec.disruption with something else in the place of each fault: budgets of a number of
// nodes, and what allows as little for the others. It returns false for faults that may concern anything else.
func (f *File) mended(disruption value, faults []candidate.Warning, nodes string) (fields map[string]any, ok bool) {
	written, _ := disruption.json.(map[string]any)
	fields = maps.Clone(written)
	list, _ := fields["budgets"].([]any)
	list = slices.Clone(list)
	for _, w := range faults {
		path := strings.TrimPrefix(strings.TrimPrefix(w.Field, disruption.path), ".")
		inside := disruption.path == "" || strings.HasPrefix(w.Field, disruption.path+".")
		match := ofBudget.FindStringSubmatch(path)
		switch {
		case inside && match != nil:
			i, err := strconv.Atoi(match[1])
			if err != nil || i >= len(list) {
				return nil, false
			}
			list[i] = map[string]any{"nodes": nodes}
		case inside && (path == "consolidateAfter" || path == "consolidationPolicy"):
			delete(fields, path)
			if nodes == "0" {
				fields[path] = map[string]string{"consolidateAfter": never, "consolidationPolicy": whenEmpty}[path]
			}
		case f.policy.As == engine.Disruptkit || !elsewhere.MatchString(w.Field):
			return nil, false
		}
	}
	if list != nil {
		fields["budgets"] = list
	}
	return fields, fields != nil
}

var (
	ofBudget  = regexp.MustCompile(`^budgets\[(\d+)\]`)
	elsewhere = regexp.MustCompile(`^(apiVersion$|spec\.(template|limits|replicas|weight)\b|metadata\.[^a])`) // no annotation
)
