package manifest

import (
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/annotation"
)

// readMemory reads the annotations with the pool's memory. Faults in them block nothing.
func (p *nodePool) readMemory(o *object) {
	apart := *o // faults of the memory are not faults of the pool
	apart.faults = nil
	annotations := o.root.field("metadata").field("annotations")
	texts := map[string]string{}
	for _, name := range []string{annotation.Memory, annotation.Roll} {
		annotation := annotations.entry(name)
		annotation.of = &apart
		if annotation.absent() {
			continue
		}
		p.memoryIn = append(p.memoryIn, name)
		if text := annotation.text(); len(apart.faults) == 0 {
			texts[name] = text
		}
	}
	for i := range apart.faults {
		apart.faults[i].Code = candidate.CodeInvalidAnnotation
	}
	var warnings []candidate.Warning
	p.memory, warnings = annotation.ReadMemory(o.String(), texts)
	p.warnings = append(append(p.warnings, apart.faults...), warnings...)
}
