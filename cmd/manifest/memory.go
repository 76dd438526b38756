package manifest

import (
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/annotation"
)

// readMemory reads the annotation with the pool's memory. Faults in it block nothing.
func (p *nodePool) readMemory(o *object) {
	apart := *o // faults of the memory are not faults of the pool
	apart.faults = nil
	texts := map[string]string{}
	written := o.root.field("metadata").field("annotations").entry(annotation.Memory)
	if written.of = &apart; !written.absent() {
		if text := written.text(); len(apart.faults) == 0 {
			texts[annotation.Memory] = text
		}
	}
	for i := range apart.faults {
		apart.faults[i].Code = candidate.CodeInvalidAnnotation
	}
	var warnings []candidate.Warning
	p.memory, warnings = annotation.ReadMemory(o.String(), texts)
	p.warnings = append(append(p.warnings, apart.faults...), warnings...)
}
