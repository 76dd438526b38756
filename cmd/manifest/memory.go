package manifest

import (
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/annotation"
)

// readMemory reads the annotation with the pool's memory. Faults in it block nothing.
func (p *nodePool) readMemory(o *object) {
	texts := map[string]string{}
	written := o.root.field("metadata").field("annotations").entry(annotation.Memory).apart()
	if text := written.text(); !written.absent() && len(written.of.faults) == 0 {
		texts[annotation.Memory] = text
	}
	for _, w := range written.of.faults {
		w.Code = candidate.CodeInvalidAnnotation
		p.warnings = append(p.warnings, w)
	}
	var warnings []candidate.Warning
	p.memory, warnings = annotation.ReadMemory(o.String(), texts)
	p.warnings = append(p.warnings, warnings...)
}
