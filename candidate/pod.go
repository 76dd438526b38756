package candidate

import (
	"fmt"
	"time"

	"github.com/disruptkit/disruptkit/internal/duration"
	"github.com/disruptkit/disruptkit/internal/quote"
	"github.com/disruptkit/disruptkit/schedule"
)

// A Pod runs on a Node. The zero Pod is active, evictable and Ready, and asks for nothing.
type Pod struct {
	Namespace, Name string
	Labels          map[string]string // what selectors see
	LabelSet        LabelSet          // stands for Namespace and Labels where those are left out; see Parser.LabelSet
	Terms           Terms
	Started         time.Time // status.startTime; zero: not yet, so that what Terms.Protect asks for holds
	Inactive        bool      // terminal (Succeeded, Failed) or terminating: it holds nothing back
	Unevictable     bool      // static, or tolerating the karpenter.sh/disrupted taint: no PDB applies
	Unready         bool      // its Ready condition is False: a PDB that says AlwaysAllow lets it go
}

// String returns namespace/name, or the name where there is no namespace; in quotes where it cannot be read in a line.
func (p Pod) String() string { return quote.Text(path(p.namespace(), p.Name)) }

func path(namespace, name string) string {
	if namespace == "" {
		return name
	}
	return namespace + "/" + name
}

// blocker returns one that names the pod.
func (p *Pod) blocker(code, message string) Blocker {
	name := p.String()
	return Blocker{Gate: GatePod, Code: code, Message: "pod " + name + message, Pod: name}
}

// protected returns what holds back a pod that must not be disrupted for a time after its start. (Karpenter:
// IsDoNotDisruptActive.)
func (p *Pod) protected(now time.Time) (b Blocker, protected bool) {
	protect := p.Terms.Protect
	switch {
	case protect == Forever:
		b = p.blocker(CodeDoNotDisrupt, ` is annotated karpenter.sh/do-not-disrupt: "true"`)
		b.ForGood = true
	case p.Started.IsZero():
		b = p.blocker(CodeDoNotDisrupt, fmt.Sprintf(" must not be disrupted for %s after its start (do-not-disrupt), and has not started", duration.Text(protect)))
	case now.Before(p.Started.Add(protect)):
		b = p.blocker(CodeDoNotDisrupt, fmt.Sprintf(" must not be disrupted for %s after its start (do-not-disrupt)", duration.Text(protect)))
		b.Until = p.Started.Add(protect)
	default:
		return b, false
	}
	return b, true
}

// Terms are what a pod's annotations ask for, compiled: a million pods carry a handful of different ones, and a Parser
// reads each once. The zero Terms ask for nothing.
type Terms struct {
	// Window is when the pod may go: inside its disruption schedules and outside its block schedules. Without any it is
	// always open, so that schedule.InWindow(t.Window, now) is HasActiveDisruptionSchedule of the pod disruption schedule
	// RFC.
	Window schedule.Window
	// Protect is for how long after its start the pod may not go (karpenter.sh/do-not-disrupt); Forever is for good.
	Protect time.Duration
	// Invalid says that an annotation was wrong and is ignored; Rules.FailClosed blocks such pods instead.
	Invalid bool
}
