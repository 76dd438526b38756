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

// The names of probes, in the two versions of the RFC.
const (
	probesField    = "disruptionProbes"
	readinessField = "disruptionReadiness"
)

func isProbes(name string) bool { return name == probesField || name == readinessField }

// readProbes reads the probes under either name and in either place. They have not run yet, so their verdicts allow nothing.
// For an invalid probe there is also a warning.
func (p *nodePool) readProbes(o *object) {
	spec := o.root.field("spec")
	pool, _ := json.Marshal(map[string]any{"spec": spec.json}) // it came out of JSON
	probes, _ := annotation.ParseNodePoolProbes(pool)          // invalid probes say what is wrong
	p.setProbes(probes)
	lists := probeLists(spec)
	for i, read := range p.probes {
		if read.Broken == "" || len(lists) == 0 && len(o.faults) > 0 { // faults along the path are already reported
			continue
		}
		path, message := spec.path, read.Broken
		if len(lists) > 0 {
			list := lists[len(lists)-1]
			path = list.path
			_, isList := list.json.([]any)
			if isList && len(lists) == 1 && !strings.HasSuffix(path, readinessField) {
				path = fmt.Sprintf("%s[%d]", path, i)
			}
			message = strings.TrimPrefix(message, list.path[strings.LastIndex(list.path, ".")+1:]+": ")
		}
		p.warnings = append(p.warnings, candidate.Warning{ // without Value, since headers may be secret
			Code: candidate.CodeInvalidProbe, Object: o.String(), Field: path, Message: message,
		})
	}
}

// probeLists returns the fields of a NodePool's spec that hold probes, or are meant to, those under spec.disruption last.
func probeLists(spec value) (lists []value) {
	for _, parent := range []value{spec.field("template").field("disruption"), spec.field("disruption")} {
		if list := parent.field(probesField); !list.absent() {
			lists = append(lists, list)
		}
		if readiness := parent.field(readinessField); !readiness.absent() {
			if object, _ := readiness.json.(map[string]any); object["httpProbes"] != nil {
				readiness = readiness.field("httpProbes")
			}
			lists = append(lists, readiness)
		}
	}
	return lists
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
