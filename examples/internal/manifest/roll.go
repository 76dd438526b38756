package manifest

import (
	"encoding/json"
	"fmt"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/topology"
)

// RollAnnotation is where a NodePool says whose turn it is, if it rolls one zone at a time: a topology.Roll as JSON.
const RollAnnotation = "disruptkit.dev/roll"

const exampleRoll = `{"key":"topology.kubernetes.io/zone","domain":"us-west-2a"}`

// readRoll reads the annotation. What is wrong with it holds nothing back: without a roll the order of the zones may
// suffer, but no limit is exceeded.
func readRoll(o *object) (topology.Roll, []candidate.Warning) {
	apart := *o // its faults are not the pool's
	apart.faults = nil
	annotations := o.root.field("metadata").field("annotations")
	roll := rollOf(value{&apart, annotations.path + "[" + RollAnnotation + "]", annotations.fields()[RollAnnotation]})
	for i := range apart.faults {
		apart.faults[i].Code = candidate.CodeInvalidAnnotation
	}
	return roll, apart.faults
}

// rollOf returns the zero Roll where the annotation is broken. A field too many does not break it.
func rollOf(annotation value) topology.Roll {
	if annotation.absent() {
		return topology.Roll{}
	}
	var content any
	text, _ := annotation.json.(string)
	_ = json.Unmarshal([]byte(text), &content)
	fields, ok := content.(map[string]any)
	if !ok {
		annotation.fault(fmt.Sprintf("%q is no roll: write text such as '%s'", shortened(annotation.raw()), exampleRoll))
		return topology.Roll{}
	}
	v := value{annotation.of, annotation.path, fields}
	roll := topology.Roll{
		Key:       v.required("key", `the label of the budget, such as "topology.kubernetes.io/zone"`),
		Domain:    v.required("domain", `the zone whose turn it is, such as "us-west-2a"`),
		IdleSince: v.field("idleSince").time(),
	}
	if len(v.of.faults) > 0 {
		return topology.Roll{}
	}
	for _, name := range sortedKeys(fields) {
		switch name {
		case "key", "domain", "idleSince":
		default:
			v.field(name).fault(fmt.Sprintf("%q is ignored: a roll has only key, domain and idleSince", shortened(v.field(name).raw())))
		}
	}
	return roll
}

// required reads a text that has to be there, empty or not.
func (v value) required(name, what string) string {
	field := v.field(name)
	if field.absent() {
		field.fault(fmt.Sprintf("%q lacks this: write %s", shortened(v.raw()), what))
	}
	return field.text()
}
