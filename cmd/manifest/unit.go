package manifest

import (
	"cmp"

	"github.com/disruptkit/disruptkit/cmd/annotation"
)

// readUnitLabel reads the annotation alone, for an engine that reads none of the guard's.
func (p *nodePool) readUnitLabel(o *object) {
	text := o.root.field("metadata").field("annotations").field(annotation.UnitLabel)
	if text.absent() {
		return
	}
	key, err := annotation.ReadUnitLabel(text.text())
	if p.unitLabel = key; err != nil {
		text.fault(err.Error())
	}
}

// unite sets the units of the nodes.
func (c *Cluster) unite() {
	keys := map[string]string{}
	for name, p := range c.pools {
		if p.unitLabel != "" {
			keys[name] = p.unitLabel
		}
	}
	facts := make([]annotation.Facts, len(c.states))
	for i, s := range c.states {
		t := s.standing()
		facts[i] = annotation.Facts{Annotations: s.metadata().annotations, Began: cmp.Or(t.Disrupted, t.Deleted)}
	}
	c.faults = append(c.faults, annotation.Unite(c.Nodes, keys, facts)...)
}
