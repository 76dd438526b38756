package candidate

import "fmt"

// parseKarpenter reads annotations as Karpenter does: only do-not-disrupt. Invalid values are ignored, whatever the
// policy. (Karpenter: IsDoNotDisruptActive.)
func parseKarpenter(keys []string, annotations map[string]string) (p parsed) {
	for _, key := range keys {
		value := annotations[key]
		w := Warning{
			Code: CodeNoEffect, Field: key, Value: value,
			Message: fmt.Sprintf("%.100q has no effect in Karpenter, which knows no disruption schedules of pods",
				value),
		}
		if key == DoNotDisruptAnnotation {
			var wrong string
			if p.terms.Protect, wrong = parseDoNotDisrupt(value); wrong == "" {
				continue
			}
			w.Code, w.Message = CodeInvalidAnnotation, fmt.Sprintf("%.100q %s", value, wrong)
		}
		p.warnings = append(p.warnings, w)
	}
	return p
}

// karpenterWarnings returns a warning for everything that has no effect in Karpenter, or stops it.
func (r Rules) karpenterWarnings() (all []Warning) {
	for _, w := range r.get().warnings {
		if w.Code != CodeInvalidSchedule {
			all = append(all, w)
		}
	}
	for _, s := range r.get().schedules {
		all = append(all, Warning{Code: CodeNoEffect, Object: s.object(),
			Message: "Karpenter has no PodDisruptionSchedules, so it blocks nothing"})
	}
	return all
}
