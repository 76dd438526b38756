package manifest

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/annotation"
	"github.com/disruptkit/disruptkit/probe"
	"github.com/disruptkit/disruptkit/probe/httpget"
)

// readProbes reads the probes under either name and in either place. They have not run yet, so their verdicts allow nothing.
// For an invalid probe there is also a warning.
func (p *nodePool) readProbes(o *object) {
	first := ""
	spec := o.root.field("spec")
	for _, parent := range []value{spec.field("disruption"), spec.field("template").field("disruption")} {
		for _, name := range []string{annotation.ProbesField, annotation.ReadinessField} {
			switch written := parent.field(name); {
			case written.absent():
			case first != "":
				written.fault(fmt.Sprintf("%s is there as well, and it is unclear which applies: write one of them, under spec.disruption", first))
			default:
				first = written.path
				raw, _ := json.Marshal(written.json)          // it came out of JSON
				probes, _ := annotation.ParseField(name, raw) // invalid probes say what is wrong
				p.setProbes(probes)
				p.warnProbes(written)
			}
		}
	}
}

// warnProbes adds a warning for each invalid probe of a field.
func (p *nodePool) warnProbes(list value) {
	if object, _ := list.json.(map[string]any); strings.HasSuffix(list.path, annotation.ReadinessField) && object["httpProbes"] != nil {
		list = list.field("httpProbes")
	}
	for i, read := range p.probes {
		path := list.path
		if _, isList := list.json.([]any); isList && !strings.HasSuffix(path, annotation.ReadinessField) {
			path = fmt.Sprintf("%s[%d]", path, i)
		}
		if read.Broken != "" {
			p.warnings = append(p.warnings, candidate.Warning{ // without Value, since headers may be secret
				Code: candidate.CodeInvalidProbe, Object: list.of.String(), Field: path,
				Message: strings.TrimPrefix(read.Broken, list.path[strings.LastIndex(list.path, ".")+1:]+": "),
			})
		}
	}
}

// setProbes sets the probes of the pool, which have not run yet.
func (p *nodePool) setProbes(probes []httpget.Spec) {
	p.probes = probes
	for _, read := range probes {
		p.Verdicts = append(p.Verdicts, unasked(read))
	}
}

// unasked returns the verdict of a probe that has not run: whatever the time, it allows nothing.
func unasked(p httpget.Spec) probe.Verdict {
	return probe.ProbeVerdict(p.Probe(), probe.Observation{}, time.Time{})
}
