package manifest

import (
	"encoding/json"
	"iter"
	"slices"
	"strings"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/budget/admission"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/annotation"
	"github.com/disruptkit/disruptkit/cmd/engine"
	"github.com/disruptkit/disruptkit/internal/stray"
)

// readAdmitted reads spec.disruption as Karpenter's API server stores it. What the server rejects is a fault, since it
// is then unknown what is in force. What it drops is only a warning.
func readAdmitted(v value) (spec budget.Spec, dropped []candidate.Warning) {
	raw, _ := json.Marshal(v.json) // it came from JSON
	spec, dropped, err := admission.Admit(raw)
	for _, w := range candidate.Warnings(err) {
		v.of.faults = append(v.of.faults, v.own(w))
	}
	for i := range dropped {
		dropped[i] = v.own(dropped[i])
	}
	return spec, dropped
}

// guarded makes advice for the guard or the steward be about the engine, if that is one of them.
func (p Policy) guarded(dropped []candidate.Warning) []candidate.Warning {
	for i := range dropped {
		if w := &dropped[i]; p.As.Annotated() {
			w.Message = strings.ReplaceAll(w.Message, stray.WhereGuarded, ", and the "+p.As.String()+" reads it")
		}
	}
	return dropped
}

// CodeRequiredBefore is the code of a Warning about a missing field that older versions of Karpenter require. It is not
// a fault.
const CodeRequiredBefore candidate.Code = "required-before"

// requiredBefore returns hints about missing fields that Karpenter v1.15 fills in, but older versions require.
func requiredBefore(disruption value) (hints []candidate.Warning) {
	if fields := disruption.fields(); fields != nil && !disruption.of.isBare() && fields["consolidateAfter"] == nil {
		hints = append(hints, disruption.own(candidate.Warning{
			Code: CodeRequiredBefore, Field: "consolidateAfter",
			Message: "consolidateAfter is absent: Karpenter v1.15 takes 0s for it, and up to v1.14 the API server rejects the NodePool: write it",
		}))
	}
	return hints
}

// own turns a warning about a part of v into one about the object.
func (v value) own(w candidate.Warning) candidate.Warning {
	switch {
	case w.Field == "":
		w.Field = v.path
	case v.path != "":
		w.Field = v.path + "." + w.Field
	}
	w.Object = v.of.String()
	return w
}

// strayFields returns warnings about fields around spec.disruption that karpenter.sh/v1 does not have there, such as a
// misplaced expireAfter.
func strayFields(o *object) (dropped []candidate.Warning) {
	for at, part := range around(o) {
		names := part.names()
		for _, name := range names {
			if !slices.Contains(stray.Known(at), name) {
				dropped = append(dropped, part.own(candidate.Warning{
					Code: candidate.CodeNoEffect, Field: name, Message: stray.Message(at, name, names),
				}))
			}
		}
	}
	return dropped
}

// around yields the parts of a NodePool around spec.disruption.
func around(o *object) iter.Seq2[stray.Place, value] {
	return func(yield func(stray.Place, value) bool) {
		if o.isBare() {
			return
		}
		spec := o.root.field("spec")
		template := spec.field("template")
		_ = yield(stray.Root, o.root) &&
			yield(stray.Metadata, o.root.field("metadata")) &&
			yield(stray.Spec, spec) &&
			yield(stray.Template, template) &&
			yield(stray.TemplateMetadata, template.field("metadata")) &&
			yield(stray.TemplateSpec, template.field("spec"))
	}
}

// readPolicy reads what a NodePool says about disruption, for the engine of the policy.
func (p *nodePool) readPolicy(o *object, disruption value, policy Policy) {
	if policy.As == engine.Disruptkit {
		faultStray(o)
		p.Spec = readDisruption(disruption)
		p.Spec.MostSpecific, p.Spec.Calendars = policy.MostSpecific, policy.Calendars
		p.dropped = policy.unread(o, annotation.UnitLabel)
		p.readMemory(o)
		p.readProbes(o)
		p.readUnitLabel(o)
		return
	}
	p.Spec, p.dropped = readAdmitted(disruption)
	p.dropped = policy.guarded(append(p.dropped, strayFields(o)...))
	p.Admitted, p.hints = p.Spec, requiredBefore(disruption)
	if policy.As == engine.Karpenter {
		p.dropped = append(p.dropped, policy.unread(o)...)
		if !o.isBare() {
			p.Stock = inStock(p.Name, o, policy.Now)
		}
		return
	}
	annotations := o.root.field("metadata").field("annotations").texts()
	said := annotation.Read(p.Name, annotations)
	p.Spec = said.Under(p.Admitted.Budgets)
	p.Spec.Calendars = policy.Calendars
	p.Topology, p.RepairBacksOff, p.Pool.Blockers, p.memory = said.Topology, said.RepairBacksOff, said.Blockers, said.Memory
	p.Pauses, p.written, p.Expires, p.unitLabel = said.Pauses, said.Written, said.Expiration, said.UnitLabel
	p.setProbes(said.Probes)
	for _, w := range said.Warnings {
		w.Object = o.String()
		p.warnings = append(p.warnings, w)
		if annotation.HoldsBack(w) {
			p.annotated = append(p.annotated, w)
		}
	}
	p.warnings = append(p.warnings, policy.unopted(o)...)
}

// unopted returns a warning about a NodePool that the steward leaves to Karpenter.
func (p Policy) unopted(o *object) []candidate.Warning {
	value := o.root.field("metadata").field("annotations").texts()[annotation.Steward]
	if p.As != engine.Steward || value == "true" {
		return nil
	}
	return []candidate.Warning{{
		Code: candidate.CodeNoEffect, Object: o.String(), Field: "metadata.annotations[" + annotation.Steward + "]", Value: value,
		Message: "it is not opted in, so the steward leaves its nodes to Karpenter alone; what is said here is so once the annotation is true",
	}}
}
