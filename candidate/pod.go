package candidate

import (
	"time"

	"github.com/disruptkit/disruptkit/internal/wording"
	"github.com/disruptkit/disruptkit/schedule"
)

// A Pod runs on a Node. The zero Pod is active, evictable, Ready, and without annotations.
type Pod struct {
	Namespace, Name string
	Labels          map[string]string // for selectors; fastest if alike pods share one map: see kube.Parser.Share
	Terms           Terms
	NodeSelector    map[string]string // spec.nodeSelector: where it may move; only probe.Pause.Inbound needs it
	Started         time.Time         // status.startTime; zero: not started, so that Terms.Protect applies
	Inactive        bool              // terminal (Succeeded, Failed) or terminating, so it blocks nothing
	Unevictable     bool              // static, or tolerating the karpenter.sh/disrupted taint: no PDB applies
	Unready         bool              // its Ready condition is False, so a PDB with AlwaysAllow allows its eviction
	// Stays is whether it moves to no other node: it is a DaemonSet's or static, or it is terminal or terminating,
	// unless a StatefulSet makes it anew. In Karpenter's dialect, drifted nodes whose pods all stay are first in line.
	// (Karpenter: IsReschedulable.)
	Stays bool
}

// String returns namespace/name, or the name if there is no namespace. It is quoted if it would not read well on one
// line.
func (p Pod) String() string { return wording.Quote(path(p.Namespace, p.Name)) }

func path(namespace, name string) string {
	if namespace == "" {
		return name
	}
	return namespace + "/" + name
}

// Terms are the compiled annotations of a pod that limit its disruption. A million pods have only a handful of
// different Terms, and a kube.Parser compiles each once. The zero Terms limit nothing.
type Terms struct {
	// Window is when the pod may be disrupted: inside its disruption schedules and outside its block schedules. Without
	// schedules it is always open. schedule.InWindow(t.Window, now) is HasActiveDisruptionSchedule of the pod
	// disruption schedule RFC.
	Window schedule.Window
	// Protect is how long after its start the pod is blocked (karpenter.sh/do-not-disrupt). Forever means for good.
	Protect time.Duration
	// Invalid is whether an annotation was invalid and is ignored. Rules.FailClosed blocks such pods instead.
	Invalid bool
}
