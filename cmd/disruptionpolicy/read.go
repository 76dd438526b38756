package disruptionpolicy

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/annotation"
	"github.com/disruptkit/disruptkit/internal/jsonobject"
	"github.com/disruptkit/disruptkit/internal/stray"
	"github.com/disruptkit/disruptkit/internal/wording"
)

// codeUnreadable is that of package manifest: what is written cannot be read.
const codeUnreadable candidate.Code = "unreadable"

// The fields of spec.
const (
	selectorField  = "nodePoolSelector"
	allField       = "all"
	budgetsField   = "budgets"
	orderField     = "order"
	oversizedField = "oversized"
	rolloutField   = "rollout"
	topologyField  = "topology"
	pauseField     = "pause"
)

var specFields = []string{selectorField, allField, budgetsField, orderField, oversizedField, rolloutField, topologyField, annotation.ProbesField, annotation.ReadinessField, pauseField}

// A reader is a Policy under construction.
type reader struct {
	Policy
	known budget.Spec
}

// Read reads the DisruptionPolicy with a name from JSON. Known has what its budgets may name: Calendars, with those that are Unread, and Methods
// in addition to Karpenter's; its other fields are not read. Everything is read strictly: a field that is unknown, or there twice, or null, is
// a fault, since somebody may have meant it as a limit.
func Read(name string, object []byte, known budget.Spec) Policy {
	r := &reader{Policy: Policy{Name: name}, known: known}
	var meta struct {
		Metadata struct {
			Annotations map[string]string `json:"annotations"`
		} `json:"metadata"`
	}
	if err := json.Unmarshal(object, &meta); err != nil {
		r.fault("metadata.annotations", "", "they cannot be read: write an object with texts in quotes")
	}
	fields := r.object("", object, "apiVersion", "kind", "metadata", "spec", "status")
	if version := fields["apiVersion"]; version != nil && text(version) != Version {
		r.fault("apiVersion", text(version), "%.100q is unknown: write %s", text(version), Version)
	}
	if kind := fields["kind"]; kind != nil && text(kind) != Kind {
		r.fault("kind", text(kind), "%.100q is another kind: write %s", text(kind), Kind)
	}
	if spec := fields["spec"]; spec != nil {
		r.spec(spec)
	} else {
		r.unclear = true
		r.fault("spec", "", "the policy has no spec: write one with %s, or all: true", selectorField)
	}
	r.annotations(meta.Metadata.Annotations)
	return r.Policy
}

func text(raw json.RawMessage) (text string) {
	_ = json.Unmarshal(raw, &text)
	return text
}

func (r *reader) fault(field, value, format string, args ...any) {
	r.Faults = append(r.Faults, candidate.Warning{
		Code: codeUnreadable, Object: r.Object(), Field: field, Value: value, Message: fmt.Sprintf(format, args...),
	})
}

// object returns the fields of an object. Those that are unknown, null or there twice are faults.
func (r *reader) object(path string, raw json.RawMessage, known ...string) map[string]json.RawMessage {
	fields := map[string]json.RawMessage{}
	err := jsonobject.Fields(raw, func(name string, value json.RawMessage) error {
		switch at := strings.TrimPrefix(path+"."+name, "."); {
		case !slices.Contains(known, name):
			r.unclear = r.unclear || stray.Nearest(name, []string{selectorField, allField, "spec"}) != ""
			r.fault(at, "", "%v", jsonobject.Unknown(name, known...))
		case string(value) == "null":
			r.fault(at, "", "it is null: write a value, or leave it out")
		default:
			fields[name] = value
		}
		return nil
	})
	if err != nil {
		r.unclear = r.unclear || path == "" || path == "spec"
		r.fault(path, "", "%s: %v: write an object with any of %s, each once", wording.JSON(raw, 100), err, strings.Join(known, ", "))
	}
	return fields
}

// spec reads each field on its own, so that a broken one leaves it clear which pools the policy selects.
func (r *reader) spec(raw json.RawMessage) {
	fields := r.object("spec", raw, specFields...)
	r.scope(fields[allField], fields[selectorField])
	r.budgets(fields[budgetsField], fields[orderField], fields[oversizedField], fields[rolloutField])
	if topology := fields[topologyField]; topology != nil {
		var err error
		if r.Topology, err = annotation.ParseTopology(topology); err != nil {
			r.notAn("topology", topology, "{patience: 15m}", err)
		}
	}
	for _, name := range []string{annotation.ProbesField, annotation.ReadinessField} {
		if written := fields[name]; written != nil {
			r.probes(name, written)
		}
	}
	if fields[annotation.ProbesField] != nil && fields[annotation.ReadinessField] != nil {
		r.fault("spec."+annotation.ReadinessField, "", "it is beside %s, the older name of the same: write one of them", annotation.ProbesField)
	}
	if pause := fields[pauseField]; pause != nil {
		r.readPause(pause)
	}
	for _, name := range specFields {
		if hasNull(fields[name]) {
			r.unclear = r.unclear || name == selectorField
			r.fault("spec."+name, "", "a null in it says nothing: write a value, or leave it out")
		}
	}
}

// notAn adds a fault of a field that is no object, or not a valid one.
func (r *reader) notAn(field string, raw json.RawMessage, example string, err error) {
	if errors.Is(err, jsonobject.ErrNone) {
		err = fmt.Errorf("%s is not an object: write one such as %s", wording.JSON(raw, 100), example)
	}
	r.fault("spec."+field, "", "%s", strings.ReplaceAll(err.Error(), "\n", "; "))
}

// scope reads which pools the policy selects: all, or those with some labels.
func (r *reader) scope(all, selector json.RawMessage) {
	before := len(r.Faults)
	if all != nil {
		if err := json.Unmarshal(all, &r.all); err != nil {
			r.fault("spec.all", "", "%s is not valid: write true, or leave it out", wording.JSON(all, 100))
		}
	}
	if selector != nil {
		r.readSelector(selector)
	}
	switch {
	case len(r.Faults) > before:
	case r.all && r.selector != nil:
		r.fault("spec.all", "true", "all: true and %s contradict each other: write one of them", selectorField)
	case !r.all && r.selector == nil:
		r.fault("spec", "", "it says of no NodePool that it is about it: write %s, or all: true", selectorField)
	}
	r.unclear = r.unclear || len(r.Faults) > before
}

// readSelector reads a label selector, as the API server does.
func (r *reader) readSelector(raw json.RawMessage) {
	s := &candidate.Selector{}
	var labels json.RawMessage
	var terms []json.RawMessage
	err := jsonobject.Decode(raw, []jsonobject.Field{
		{Name: "matchLabels", Target: &labels},
		{Name: "matchExpressions", Target: &terms, Example: `a list, such as [{"key": "team", "operator": "Exists"}]`},
	})
	if labels != nil {
		twice := jsonobject.Fields(labels, func(string, json.RawMessage) error { return nil })
		err = errors.Join(err, cmp.Or(jsonobject.Set("matchLabels", labels, &s.MatchLabels, `an object, such as {"team": "prod"}`), twice))
	}
	for _, term := range terms {
		var q candidate.Requirement
		err = errors.Join(err, jsonobject.Decode(term, []jsonobject.Field{
			{Name: "key", Target: &q.Key, Example: `a string, such as "team"`},
			{Name: "operator", Target: &q.Operator, Example: `"In", "NotIn", "Exists" or "DoesNotExist"`},
			{Name: "values", Target: &q.Values, Example: `a list, such as ["prod"]`},
		}))
		s.MatchExpressions = append(s.MatchExpressions, q)
	}
	if r.selector = s; err != nil {
		r.notAn(selectorField, raw, "{matchLabels: {team: prod}}", err)
	}
	_, err = s.Matches(nil)
	for _, w := range candidate.Warnings(err) {
		r.fault(strings.Replace(w.Field, "spec.selector", "spec."+selectorField, 1), w.Value, "%s", w.Message)
	}
}

// budgets reads the list of budgets, the order, what holds of large units, and the waves, which are for drift and expiration. Without a list,
// there is no limit.
func (r *reader) budgets(raw, order, oversized, rollout json.RawMessage) {
	var entries []json.RawMessage
	if raw != nil && json.Unmarshal(raw, &entries) != nil {
		r.fault("spec."+budgetsField, "", `%s is not a list: write one such as [{nodes: "3"}]`, wording.JSON(raw, 100))
	}
	list := []budget.Budget{} // nil would be a default of 10 %
	for i, entry := range entries {
		var b budget.Budget
		if err := b.UnmarshalJSON(entry); err != nil {
			r.fault(fmt.Sprintf("spec.budgets[%d]", i), "", "%s", strings.TrimPrefix(err.Error(), "budget: "))
			b = budget.Budget{Nodes: "0"}
		}
		list = append(list, b)
	}
	spec := budget.Spec{Budgets: list, Calendars: r.known.Calendars, Unread: r.known.Unread, Methods: r.known.Methods}
	word := func(field string, raw json.RawMessage, to *string, example string) {
		if raw == nil {
			return
		}
		if err := jsonobject.Set(field, raw, to, example); err != nil {
			r.fault("spec."+field, "", "%s", err)
		} else if *to == "" {
			r.fault("spec."+field, "", `"" is empty: leave the field out for its default`)
		}
	}
	word(orderField, order, &spec.Order, `a string, such as "newest"`)
	word(oversizedField, oversized, &spec.Oversized, `the string "alone"`)
	if rollout != nil {
		spec.Defaults.Rollout = &budget.Rollout{}
		if err := json.Unmarshal(rollout, spec.Defaults.Rollout); err != nil {
			r.fault("spec."+rolloutField, "", "%s", strings.TrimPrefix(err.Error(), "rollout: "))
			spec.Defaults.Rollout = nil
		}
	}
	set, err := spec.Compile()
	if r.Budgets = set; err == nil {
		return
	}
	for _, w := range candidate.Warnings(err) {
		r.fault("spec."+strings.TrimPrefix(w.Field, "defaults."), w.Value, "%s", w.Message)
	}
}

// probes reads a list of disruptionProbes, or the object disruptionReadiness.
func (r *reader) probes(name string, raw json.RawMessage) {
	probes, err := annotation.ParseField(name, raw)
	if err != nil {
		r.fault("spec."+name, "", "%s", strings.ReplaceAll(err.Error(), "\n", "; "))
	}
	r.Probes = append(r.Probes, probes...)
}

// readPause reads the pause of all pools that the policy selects.
func (r *reader) readPause(raw json.RawMessage) {
	p, err := annotation.ParsePause(raw)
	if err != nil {
		r.notAn(pauseField, raw, "{until: 2026-11-22T14:00:00Z, by: alice, why: INC-1234}", err)
		return
	}
	_, faults := p.Enforced(r.known.Methods...)
	for _, w := range faults {
		r.fault("spec.pause."+w.Field, w.Value, "%s", w.Message)
	}
	if p.By == "" {
		p.By = r.Object()
	}
	r.pause = &p
}

// annotations reads the memory. Others of disruptkit belong to NodePools.
func (r *reader) annotations(all map[string]string) {
	m, warnings := annotation.ReadMemory(r.Object(), all)
	r.Memory, r.Warnings = m, append(r.Warnings, warnings...)
	for _, name := range annotation.Names(all) {
		if annotation.Limits(name) {
			r.fault("metadata.annotations["+name+"]", all[name], "it is an annotation of NodePools: write it as a field of spec, or leave it out")
		}
	}
}

// hasNull reports whether there is a null in a value.
func hasNull(raw json.RawMessage) bool {
	for d := json.NewDecoder(bytes.NewReader(raw)); ; {
		if token, err := d.Token(); token == nil {
			return err == nil
		}
	}
}
