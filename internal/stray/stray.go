// Package stray says what is probably meant by a field that NodePools of karpenter.sh/v1 do not have.
//
// Somebody wrote the field for a purpose, often a freeze. So the advice is where or how to write what it was for, and
// never just to delete it.
package stray

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// A Place is an object in a NodePool that has a fixed set of fields.
type Place string

// The places that Known knows.
const (
	Root             Place = ""
	Metadata         Place = "metadata"
	Spec             Place = "spec"
	Disruption       Place = "spec.disruption"
	Budget           Place = "an entry of spec.disruption.budgets"
	Template         Place = "spec.template"
	TemplateMetadata Place = "spec.template.metadata"
	TemplateSpec     Place = "spec.template.spec"
)

// known has the fields of karpenter.sh/v1. (Karpenter: pkg/apis/crds/karpenter.sh_nodepools.yaml; Kubernetes:
// ObjectMeta.)
var known = map[Place][]string{
	Root: {"apiVersion", "kind", "metadata", "spec", "status"},
	Metadata: {
		"annotations", "creationTimestamp", "deletionGracePeriodSeconds", "deletionTimestamp", "finalizers",
		"generateName", "generation", "labels", "managedFields", "name", "namespace", "ownerReferences",
		"resourceVersion", "selfLink", "uid",
	},
	Spec:             {"disruption", "limits", "replicas", "template", "weight"},
	Disruption:       {"budgets", "consolidateAfter", "consolidationPolicy"},
	Budget:           {"duration", "nodes", "reasons", "schedule"},
	Template:         {"metadata", "spec"},
	TemplateMetadata: {"annotations", "labels"},
	TemplateSpec: {
		"expireAfter", "nodeClassRef", "requirements", "startupTaints", "taints", "terminationGracePeriod",
	},
}

// homes are the places whose fields people write elsewhere by mistake.
var homes = []Place{Spec, Disruption, TemplateSpec, Budget}

// Known returns the fields that a place has.
func Known(at Place) []string { return known[at] }

// Message describes what becomes of a field that a place does not have, and what to write instead. The siblings are the
// names of all fields of the object that has the field.
func Message(at Place, name string, siblings []string) string {
	return Foreign(name, advice(at, name, siblings))
}

func advice(at Place, name string, siblings []string) string {
	if field := Nearest(name, known[at]); field != "" {
		return "write " + once(field, siblings)
	}
	if at == Disruption && Nearest(name, []string{"expireAfter"}) != "" {
		return "write it under spec.template.spec, its place since karpenter.sh/v1; " +
			"until then, the default of 720h applies"
	}
	for _, home := range homes {
		if field := Nearest(name, known[home]); field != "" && home != at {
			return fmt.Sprintf("write %s under %s", field, home)
		}
	}
	if at == Budget {
		if field := Nearest(name, slices.Collect(maps.Keys(budgetWords))); field != "" {
			return ofBudgets(budgetWords[field], name, siblings)
		}
	}
	if field := Nearest(name, slices.Collect(maps.Keys(poolWords))); field != "" {
		return poolWords[field]
	}
	return "write " + listed(known[at])
}

// OfDisruption returns what to write instead of a field that a place around spec.disruption does not have, if the field
// is spec.disruption or a field of it that is misspelt or misplaced, or a template in another case. Probes may be
// under spec.template.disruption.
func OfDisruption(at Place, name string) string {
	if at == Spec && name != "template" && strings.EqualFold(name, "template") {
		return "template"
	}
	probes := []string{"disruption", "disruptionProbes", "disruptionReadiness", "httpProbes"}
	switch field := Nearest(name, append(probes, known[Disruption]...)); {
	case field == "" || at == Spec && name == "disruption" || at == Template && name == "disruption":
		return ""
	case field == "disruption":
		return "disruption under spec"
	case field == "httpProbes":
		return field + " under spec.disruption.disruptionReadiness"
	default:
		return field + " under " + string(Disruption)
	}
}

// Beside is what to do if the field that is meant is there as well.
const Beside = ", which is there as well: keep the one that is meant"

// once returns a field's name, and what to do if the field is there as well.
func once(field string, siblings []string) string {
	if slices.Contains(siblings, field) {
		return field + Beside
	}
	return field
}

// budgetWords has, for words that people write into budgets, the field of a budget that they stand for, in
// karpenter.sh/v1, the RFCs or disruptkit. The other fields of these are their own.
var budgetWords = map[string]string{
	"timeZone": "timeZone", "tz": "timeZone", "zone": "timeZone", "location": "timeZone",
	"per": "per", "soak": "soak", "spread": "spread", "guaranteed": "guaranteed", "calendar": "calendar",
	"from": "from", "to": "to", "until": "to", "start": "from", "end": "to",
	"topologyKey": "topologyKey", "sequential": "sequential", "outside": "outside",
	"minAvailable":   "minAvailable",
	"maxUnavailable": "nodes", "max": "nodes", "limit": "nodes", "count": "nodes", "number": "nodes",
	"percentage": "nodes", "percent": "nodes", "value": "nodes",
	"crontab": "schedule", "cron": "schedule", "cronSchedule": "schedule", "window": "schedule",
	"length": "duration", "period": "duration", "hours": "duration", "windowDuration": "duration",
	"action": "reasons", "actions": "reasons", "method": "reasons", "methods": "reasons",
}

// ofBudgets returns advice about a word in a budget that stands for a field.
func ofBudgets(field, name string, siblings []string) string {
	guarded := Guarded("it")
	if field != name {
		guarded = Guarded(field)
	}
	if advice := GuardedBudget(field, guarded, slices.Contains(siblings, "schedule")); advice != "" {
		return advice
	}
	switch field {
	case "minAvailable":
		return "write nodes, which says how many may be disrupted at once, not how many have to stay"
	case "reasons":
		return "write " + once(field, siblings) + `, such as ["Drifted"]`
	}
	return "write " + once(field, siblings)
}

// poolWords has advice about words that spec.disruption has in the RFCs, or that NodePools or Provisioners once had.
var poolWords = map[string]string{
	"defaults":               Guarded("it"),
	"consolidation":          Guarded("it"),
	"drift":                  Guarded("it"),
	"expiration":             Guarded("it"),
	"emptiness":              Guarded("it"),
	"order":                  Guarded("it"),
	"oversized":              Guarded("it"),
	"disruptionProbes":       probesGuarded,
	"disruptionReadiness":    probesGuarded,
	"kubelet":                "write it in the NodeClass, its place since karpenter.sh/v1",
	"ttlSecondsAfterEmpty":   "write consolidateAfter under spec.disruption, with consolidationPolicy: WhenEmpty",
	"ttlSecondsUntilExpired": "write expireAfter under spec.template.spec",
}

const probesGuarded = "the annotation disruptkit.dev/probes supports them, " +
	"where Karpenter runs with disruptkit's guard or steward"

func listed(names []string) string {
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " or " + names[last]
}
