package manifest

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/budget/lint"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/annotation"
	"github.com/disruptkit/disruptkit/cmd/disruptionpolicy"
	"github.com/disruptkit/disruptkit/cmd/engine"
	"github.com/disruptkit/disruptkit/internal/stray"
	"github.com/disruptkit/disruptkit/internal/wording"
)

// ErrEmpty is the error for an input without objects.
var ErrEmpty = errors.New("the input is empty: did the command that prints it fail?")

// A File is what a file says about disruption.
type File struct {
	Pools   []NodePool
	Faults  []Fault // of objects that may or may not be NodePools
	Skipped int     // objects of other kinds
	// Unrendered describes what to do about one of them that NodePools come from.
	Unrendered string
	Others     int // documents that are no objects of Kubernetes, such as a values.yaml
	Ignores    []Ignore
	// Policies are the DisruptionPolicies, and where they are written.
	Policies []WrittenPolicy

	name   string
	policy Policy
}

// IsFaulty reports whether anything in the file is wrong.
func (f *File) IsFaulty() bool {
	return len(f.Faults) > 0 || slices.ContainsFunc(f.Pools, func(p NodePool) bool { return len(p.wrong()) > 0 })
}

// A NodePool is what a NodePool says about disruption, and where it is written.
type NodePool struct {
	nodePool
	As     engine.Engine // the engine for which it was read
	Faults []Fault       // if there are any, it allows nothing
	// Dropped has what has no effect, because the API server of Karpenter drops it or the engine does not read it.
	Dropped []Fault
	Hints   []Fault // what is probably meant to be read differently
	// Refused is what Karpenter's API server rejects outside of spec.disruption. Decisions do not depend on it.
	Refused []Fault
	// Rest is the NodePool as if its Faults allowed everything, and as if they allowed nothing, with only Spec, Admitted
	// and Static. It is empty without Faults, or if nothing can be said of the rest.
	Rest    []NodePool
	Named   Place    // where its name is written, unless it has none
	Ignores []Ignore // of its annotation
	// Known is what the NodePool says about itself besides its budgets. Its number of nodes is that of its status, or of its replicas.
	Known lint.Facts

	in        writing // where it is written
	path      string  // of its spec.disruption there
	policy    Policy
	bare      bool // it has no name, and raw is its spec.disruption
	defaulted bool // the API server would write its budgets
}

// Place returns where a field of the Spec is written, such as budgets[0] or drift.disruptAfter. If the field is absent,
// it is the place of the object that would have it.
func (p NodePool) Place(field string) Place {
	for _, name := range []string{annotation.Disruption, annotation.Pause} {
		if strings.HasPrefix(field, name) {
			return p.in.at("metadata.annotations.[" + name + "]")
		}
	}
	return p.in.at(p.path + "." + field)
}

// Annotations returns its annotations. One without a name has none.
func (p NodePool) Annotations() map[string]string { return p.annotations }

// ReadPools reads NodePools from JSON or YAML. It also accepts objects without a kind that have budgets or other fields
// of spec.disruption; it names them after the file. Faults in one object do not affect others. It returns an error if
// the input cannot be read, or is empty.
//
// A NodePool without budgets that the API server has not seen yet (it has no uid) gets those that the server would
// write.
func (p Policy) ReadPools(name string, in io.Reader) (*File, error) {
	text, err := readSource(in)
	if err != nil {
		return nil, err
	}
	text.text = pasted(text.text)
	f := &File{name: name, policy: p, Ignores: ignores(name, text.text)}
	cut, count := cutLists{}, 0
	for doc, broken := range documents(text) {
		count++
		where := fmt.Sprintf("document %d", count)
		switch {
		case broken != nil && broken.error == errCutOff:
			return nil, errCutOff
		case broken != nil:
			f.fault(broken.line, candidate.Warning{Code: CodeUnreadable, Object: where, Message: unreadBecause(text.text, broken.Error())})
		case doc.isNull():
			count--
		case !doc.isObject():
			f.fault(writing{in: doc}.line(""), candidate.Warning{Code: CodeUnreadable, Object: where, Message: unreadBecause(text.text, doc.noObject().Error())})
		default:
			object := doc.json
			if list, found := listOfBudgets(object); found {
				object = list
			}
			visit(object, where, 0, origin{}, filing{f, doc, cut})
		}
	}
	if count == 0 {
		return nil, ErrEmpty
	}
	if err := cut.err(); err != nil {
		return nil, err
	}
	return f, nil
}

// unreadBecause describes what to do about a text that cannot be read.
func unreadBecause(text []byte, message string) string {
	if terraform.Match(text) {
		return looksLikeTerraform
	}
	return message
}

func (f *File) fault(line int, w candidate.Warning) {
	f.Faults = append(f.Faults, Fault{w, Place{f.name, line}})
}

// A filing is a File under construction, with the current document.
type filing struct {
	*File
	in *document
	cutLists
}

func (f filing) readPod(d *jsontext.Decoder, _ string) error {
	f.Skipped++
	return skip(d)
}

func (f filing) add(o *object) {
	_, inside, _ := strings.Cut(o.where, ", ") // the document, if it is a list
	written := writing{f.name, f.in, inside, o.start}
	bare, isBare := findBare(o)
	switch {
	case isBare:
		o.faults = nil // it need not have a kind
		if o.where == "document 1" {
			o.where = f.stem()
		} else {
			o.where = f.stem() + ", " + o.where
		}
		f.addPool(o, bare, written)
	case o.kind == "NodePool" && o.isKnown():
		faultVersion(o, f.policy.As)
		f.addPool(o, o.disruption(), written)
	case o.kind == disruptionpolicy.Kind && o.isKnown():
		f.addPolicy(o, written)
	case inside == "" && isForeign(o):
		f.Others++
	case o.kind == "" || o.isList():
		for _, w := range o.faults {
			if w.Field == "kind" {
				w.Message = "the object has no kind: write kind: NodePool, or budgets alone"
			}
			f.Faults = append(f.Faults, Fault{w, written.at(w.Field)})
		}
	case faultKind(o):
		f.Faults = append(f.Faults, written.faults(o.faults)...)
	default:
		f.Skipped++
		if renders := unrendered[o.kind]; renders != "" {
			f.Unrendered = fmt.Sprintf("%s has yet to be rendered: read what %s prints", o, renders)
		}
	}
}

// unrendered are kinds of objects that NodePools are made from, and what prints these.
var unrendered = map[string]string{
	"HelmRelease": "helm template", "HelmChart": "helm template", "Application": "argocd app manifests",
	"ApplicationSet": "argocd app manifests", "Kustomization": "kubectl kustomize",
}

func (f *File) addPool(o *object, disruption value, in writing) {
	read := readNodePool(o, disruption, f.policy)
	faults := slices.Concat(o.faults, read.annotated)
	p := NodePool{
		nodePool: *read, As: f.policy.As, Faults: in.faults(faults), Dropped: in.faults(read.dropped), Hints: in.faults(read.hints),
		policy: f.policy, in: in, path: disruption.path, bare: o.isBare(),
	}
	p.Hints = append(p.Hints, in.faults(withoutNodes(disruption))...)
	if p.bare {
		p.raw, _ = json.Marshal(disruption.json) // it came from JSON
	} else {
		f.readAround(&p, o)
	}
	f.fillIn(&p, o, disruption)
	if age := p.Known.ExpireAfter; age > 0 && p.Expires.After >= age {
		p.Dropped = append(p.Dropped, in.faults([]candidate.Warning{{Code: candidate.CodeNoEffect, Object: o.String(),
			Field: "metadata.annotations[" + annotation.Expire + "]",
			Message: fmt.Sprintf("no node becomes as old as %s (after): nodes expire after %s (expireAfter), and ask no budget: write a lower after, "+
				"or a later expireAfter", wording.Duration(p.Expires.After), wording.Duration(age))}})...)
	}
	if len(faults) > 0 {
		p.Rest = f.rest(o, disruption, faults)
	}
	if len(p.Rest) > 0 { // the object is rejected as a whole, and has no consolidationPolicy of its own
		p.Known.Never = p.Rest[0].Known.Never
	}
	f.Pools = append(f.Pools, p)
}

// readAround reads what a NodePool says around its spec.disruption.
func (f *File) readAround(p *NodePool, o *object) {
	p.Named, p.Ignores, p.Known = p.in.at("metadata.name"), ignored(o, p.in), known(o, f.policy.As)
	p.Known.Probed = len(p.probes) > 0
	if f.policy.As != engine.Disruptkit {
		p.Refused = slices.DeleteFunc(p.in.faults(refused(o)), func(f Fault) bool { return o.isFaulty(f.Field) })
		p.Hints = append(p.Hints, p.in.faults(incomplete(o))...)
	}
	p.Dropped = append(p.Dropped, p.in.faults(f.policy.unopted(o))...)
}

// fillIn sets what the API server would fill in, and what a fixed number of nodes means.
func (f *File) fillIn(p *NodePool, o *object, disruption value) {
	if _, written := disruption.fields()["budgets"]; f.policy.As == engine.Disruptkit && !written && o.root.field("metadata").field("uid").absent() {
		p.Spec.Budgets, p.defaulted = nil, true
	}
	if p.Static {
		p.Spec.ConsolidateAfter, p.Admitted.ConsolidateAfter = never, never
	}
	p.Known.Never = neverFor(p.Admitted, false)
	if p.Static && f.policy.As == engine.Guard {
		p.Expires = annotation.Expiration{} // it replaces no node of a static NodePool for its age
	}
	p.Known.AsksToExpire = p.Expires.After > 0
	if deadline := p.Expires.Deadline; deadline > 0 && deadline < p.Known.ExpireAfter {
		p.Known.ExpireAfter = 0 // nodes are overdue before that
	}
}

// stem returns the name of the file without directory and extension.
func (f *File) stem() string {
	base := filepath.Base(f.name)
	return cmp.Or(strings.TrimSuffix(base, filepath.Ext(base)), base)
}

// isForeign reports whether an object is none of Kubernetes, and has nothing at its root that may have been meant for
// one, or for a policy.
func isForeign(o *object) bool {
	fields, isObject := o.root.json.(map[string]any)
	known := slices.Concat(stray.Known(stray.Root), []string{"disruption", "items"}, stray.Known(stray.Disruption))
	return isObject && o.kind == "" && !slices.ContainsFunc(slices.Collect(maps.Keys(fields)), func(name string) bool {
		return stray.Nearest(name, known) != ""
	})
}

// findBare returns the spec.disruption of an object without kind and name.
func findBare(o *object) (disruption value, found bool) {
	root, ok := o.root.json.(map[string]any)
	if !ok || o.kind != "" {
		return value{}, false
	}
	for _, name := range []string{"apiVersion", "kind", "metadata"} {
		if _, there := root[name]; there {
			return value{}, false
		}
	}
	at := o.root
	for _, name := range []string{"spec", "disruption"} {
		if fields, _ := at.json.(map[string]any); fields[name] != nil {
			at = at.field(name)
			found = name == "disruption"
		}
	}
	if found {
		return at, true
	}
	for name := range root {
		if (value{of: &object{}}).decodesAs(name, new(budget.Spec)) { // as null
			return o.root, true
		}
	}
	return value{}, false
}
