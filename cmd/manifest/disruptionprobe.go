package manifest

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/probe"
)

const probesField = "disruptionProbes"

// readProbes reads the disruptionProbes in either place. They have not run yet, so their verdicts let nothing go. For
// an invalid probe there is also a warning.
func (p *nodePool) readProbes(o *object) {
	spec := o.root.field("spec")
	pool, _ := json.Marshal(map[string]any{"spec": spec.json}) // it came out of JSON
	probes, _ := probe.ParseNodePool(pool)                     // invalid probes say what is wrong
	p.setProbes(o, probes)
	at, places := spec, 0
	for _, list := range []value{spec.field("template").field("disruption").field(probesField), spec.field("disruption").field(probesField)} {
		if !list.absent() {
			at = list
			places++
		}
	}
	_, isList := at.json.([]any)
	for i, read := range p.probes {
		if read.Broken == "" || places == 0 && len(o.faults) > 0 { // faults along the path are already reported
			continue
		}
		path := at.path
		if isList && places == 1 {
			path = fmt.Sprintf("%s[%d]", path, i)
		}
		message := strings.TrimPrefix(read.Broken, probesField+": ")
		p.warnings = append(p.warnings, candidate.Warning{ // without Value, since headers may be secret
			Code: candidate.CodeInvalidProbe, Object: o.String(), Field: path, Message: message,
		})
	}
}

// setProbes sets the probes of the pool, which have not run yet.
func (p *nodePool) setProbes(o *object, probes []probe.Probe) {
	p.probes = probes
	for _, read := range probes {
		p.Verdicts = append(p.Verdicts, probe.ProbeVerdict(read, probe.Observation{}, time.Time{})) // whatever the time
	}
}
