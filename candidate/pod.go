package candidate

import (
	"time"

	"github.com/disruptkit/disruptkit/schedule"
)

// A Pod runs on a Node. The zero Pod is active, evictable and Ready, and asks for nothing.
type Pod struct {
	Namespace, Name string
	Labels          map[string]string // what selectors see
	Terms           Terms
	Started         time.Time // status.startTime; zero: not yet, so that what Terms protect is protected
	Inactive        bool      // terminal (Succeeded, Failed) or terminating: it holds nothing back
	Unevictable     bool      // static, or tolerating the karpenter.sh/disrupted taint: no PDB applies
	Unready         bool      // its Ready condition is False: a PDB that says AlwaysAllow lets it go
}

// String returns namespace/name, or the name where there is no namespace.
func (p Pod) String() string { return path(p.Namespace, p.Name) }

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
