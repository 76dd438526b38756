package manifest

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/wording"
)

// refused returns what Karpenter's API server rejects of a NodePool outside of spec.disruption. Decisions do not read it: a NodePool that
// comes from a server has none of it. (Karpenter: pkg/apis/crds/karpenter.sh_nodepools.yaml.)
func refused(o *object) (all []candidate.Warning) {
	type rule struct {
		of    value
		wants func(v value) string // what to write instead; "": it is fine
	}
	spec := o.root.apart().field("spec")
	template, limits, weight := spec.field("template").field("spec"), spec.field("limits"), spec.field("weight")
	class := template.field("nodeClassRef")
	rules := []rule{
		{template.field("expireAfter"), lasting(true)},
		{template.field("terminationGracePeriod"), lasting(false)},
		{weight, between(1, 100)},
		{spec.field("replicas"), between(0, math.MaxInt64)},
		{class, complete},
		{class.field("group"), unversioned},
		{limits, byName},
	}
	names := slices.DeleteFunc(limits.names(), func(name string) bool { return limits.field(name).absent() })
	for _, name := range names {
		rules = append(rules, rule{limits.field(name), quantity})
	}
	for _, r := range rules {
		if instead := r.wants(r.of); !r.of.absent() && instead != "" {
			all = append(all, r.of.refused(r.of.shown()+" is rejected: write "+instead))
		}
	}
	if spec.field("replicas").absent() {
		return all
	}
	if !weight.absent() {
		all = append(all, weight.refused("a NodePool with replicas has no weight: delete one of them"))
	}
	if others := slices.DeleteFunc(names, func(name string) bool { return name == "nodes" }); len(others) > 0 {
		all = append(all, limits.field(others[0]).refused("a NodePool with replicas has no limits but nodes: delete "+strings.Join(others, ", ")))
	}
	return all
}

// incomplete returns hints about required fields that a template lacks, while it has others. Pages show excerpts.
func incomplete(o *object) (hints []candidate.Warning) {
	template := o.root.apart().field("spec").field("template").field("spec")
	class, requirements := template.field("nodeClassRef"), template.field("requirements")
	if class.absent() == requirements.absent() {
		return nil
	}
	missing := class
	if requirements.absent() {
		missing = requirements
	}
	return append(hints, missing.refused(missing.path+" is absent: unless this is an excerpt, Karpenter's API server rejects the NodePool"))
}

var lastingPattern = regexp.MustCompile(`^([0-9]+(s|m|h))+$`)

// lasting checks durations such as 720h, or Never where that is one.
func lasting(orNever bool) func(value) string {
	return func(v value) string {
		text, isText := v.json.(string)
		switch {
		case isText && (lastingPattern.MatchString(text) || orNever && text == never):
			return ""
		case orNever:
			return cmp.Or(wording.MeantDuration(text), "a duration in hours, minutes and seconds, such as 720h, or Never")
		case text == never:
			return "a duration such as 48h, or leave it out: then a drain may last for ever"
		}
		return cmp.Or(wording.MeantDuration(text), "a duration in hours, minutes and seconds, such as 48h")
	}
}

// between checks whole numbers.
func between(least, most int) func(value) string {
	return func(v value) string {
		number, _ := v.json.(json.Number)
		n, err := strconv.Atoi(string(number))
		switch {
		case err == nil && least <= n && n <= most:
			return ""
		case most == math.MaxInt64:
			return fmt.Sprintf("a number, %d or more, or leave it out", least)
		}
		return fmt.Sprintf("a number from %d to %d, or leave it out", least, most)
	}
}

// complete checks that a nodeClassRef has all that it needs.
func complete(class value) string {
	for _, name := range []string{"group", "kind", "name"} {
		if class.textOf(name) == "" {
			return "group, kind and name"
		}
	}
	return ""
}

// unversioned checks a group, which people write as an apiVersion.
func unversioned(v value) string {
	text, _ := v.json.(string)
	if group, _, versioned := strings.Cut(text, "/"); versioned {
		return cmp.Or(group, "a group") + ", without a version"
	}
	return ""
}

func byName(v value) string {
	if v.fields() == nil {
		return "quantities by their names, such as cpu: 1000"
	}
	return ""
}

var quantityPattern = regexp.MustCompile(`^[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([KMGTPE]i|[numkMGTPE]|[eE][+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+))?$`)

// quantity checks quantities of Kubernetes.
func quantity(v value) string {
	text, isText := v.json.(string)
	number, _ := v.json.(json.Number)
	if _, err := strconv.ParseInt(string(number), 10, 64); isText && quantityPattern.MatchString(text) || err == nil {
		return ""
	}
	return "a quantity such as 1000 or 500Gi"
}

func (v value) refused(message string) candidate.Warning {
	return candidate.Warning{Code: candidate.CodeRejected, Object: v.of.String(), Field: v.path, Value: v.raw(), Message: message}
}

// CodeDefaultNodes is the code of a Warning about a budget with a schedule and without nodes. It is not a fault.
const CodeDefaultNodes candidate.Code = "default-nodes"

// withoutNodes returns hints about budgets that have a schedule and no nodes, which counts as 10%.
func withoutNodes(disruption value) (hints []candidate.Warning) {
	list := disruption.apart().field("budgets")
	for i, item := range list.each() {
		fields := item.fields()
		if fields["schedule"] == nil || fields["nodes"] != nil || fields["maxUnavailable"] != nil {
			continue
		}
		hints = append(hints, candidate.Warning{Code: CodeDefaultNodes, Object: disruption.of.String(), Field: item.path,
			Message: fmt.Sprintf(`budgets[%d] has a schedule and no nodes, which means 10%%: write "nodes": "10%%", or "0" for a freeze`, i)})
	}
	return hints
}
