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

// readProbes reads the disruptionProbes, at either place. Nobody has asked them yet: their verdicts let nothing go.
// That holds for a broken one, too, and a warning says what is wrong.
func (p *nodePool) readProbes(o *object) {
	spec := o.root.field("spec")
	pool, _ := json.Marshal(map[string]any{"spec": spec.json}) // it came out of JSON
	probes, _ := probe.ParseNodePool(pool)                     // each says what is wrong with it
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
		if read.Broken == "" || places == 0 && len(o.faults) > 0 { // what is on the way to them is named already
			continue
		}
		path := at.path
		if isList && places == 1 {
			path = fmt.Sprintf("%s[%d]", path, i)
		}
		message := strings.TrimPrefix(read.Broken, probesField+": ")
		p.warnings = append(p.warnings, candidate.Warning{ // without the Value: headers may be secret
			Code: candidate.CodeInvalidProbe, Object: o.String(), Field: path, Message: message,
		})
	}
}

// setProbes sets the probes of the pool. Nobody has asked them.
func (p *nodePool) setProbes(o *object, probes []probe.Probe) {
	p.probes = probes
	for _, read := range probes {
		p.Verdicts = append(p.Verdicts, probe.ProbeVerdict(read, probe.Observation{}, time.Time{})) // whatever the time
	}
}
