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
	ours := spec.field("disruption").field(probesField)
	theirs := spec.field("template").field("disruption").field(probesField)
	type fields = map[string]any
	pool, _ := json.Marshal(fields{"spec": fields{ // it came out of JSON
		"disruption": fields{probesField: ours.json},
		"template":   fields{"disruption": fields{probesField: theirs.json}},
	}})
	p.probes, _ = probe.ParseNodePool(pool) // each says what is wrong with it
	at := ours
	if ours.absent() {
		at = theirs
	}
	_, isList := at.json.([]any)
	isList = isList && (ours.absent() || theirs.absent())
	for i, read := range p.probes {
		p.Verdicts = append(p.Verdicts, probe.ProbeVerdict(read, probe.Observation{}, time.Time{})) // whatever the time
		if read.Broken == "" {
			continue
		}
		path := at.path
		if isList {
			path = fmt.Sprintf("%s[%d]", path, i)
		}
		message := strings.ReplaceAll(strings.TrimPrefix(read.Broken, probesField+": "), "\n", "; ")
		p.warnings = append(p.warnings, candidate.Warning{ // without the Value: headers may be secret
			Code: candidate.CodeInvalidProbe, Object: o.String(), Field: path, Message: message,
		})
	}
}
