package record

import (
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/schedule"
)

// A node is a candidate.Node.
type node struct {
	Name           string            `json:"name"`
	Pool           string            `json:"pool,omitzero"`
	Labels         map[string]string `json:"labels,omitzero"`
	Conditions     []condition       `json:"conditions,omitzero"`
	Pods           []pod             `json:"pods,omitzero"`
	PodsUnknown    bool              `json:"podsUnknown,omitzero"`
	Phase          phase             `json:"phase,omitzero"`
	Leaving        leaving           `json:"leaving,omitzero"`
	Maintenance    maintenance       `json:"maintenance,omitzero"`
	Rebooting      bool              `json:"rebooting,omitzero"`
	DoNotDisrupt   bool              `json:"doNotDisrupt,omitzero"`
	DoNotRepair    bool              `json:"doNotRepair,omitzero"`
	HasGracePeriod bool              `json:"hasGracePeriod,omitzero"`
	Created        time.Time         `json:"created,omitzero"`
	NominatedUntil time.Time         `json:"nominatedUntil,omitzero"`
	Blockers       []blocker         `json:"blockers,omitzero"`
	Replaces       string            `json:"replaces,omitzero"`
	ReadySince     time.Time         `json:"readySince,omitzero"`
	DisruptedFor   candidate.Reason  `json:"disruptedFor,omitzero"`
	Deadline       time.Time         `json:"deadline,omitzero"`
	Cost           float64           `json:"cost,omitzero"`
	Rank           int               `json:"rank,omitzero"`
	Unit           string            `json:"unit,omitzero"`
}

func newNode(n *candidate.Node) node {
	j := node{
		n.Name, n.Pool, n.Labels, each(n.Conditions, newCondition), nil, n.PodsUnknown,
		phase(n.Phase), leaving(n.Leaving), maintenance{n.Maintenance.Condition, n.Maintenance.Since.UTC()},
		n.Rebooting, n.DoNotDisrupt, n.DoNotRepair, n.HasGracePeriod,
		n.Created.UTC(), n.NominatedUntil.UTC(), each(n.Blockers, newBlocker), n.Replaces, n.ReadySince.UTC(),
		n.DisruptedFor, n.Deadline.UTC(), n.Cost, n.Rank, n.Unit,
	}
	for i := range n.Pods {
		j.Pods = append(j.Pods, newPod(&n.Pods[i]))
	}
	return j
}

func (j node) node() candidate.Node {
	return candidate.Node{
		Name: j.Name, Pool: j.Pool, Labels: j.Labels,
		Conditions: each(j.Conditions, condition.condition), Pods: each(j.Pods, pod.pod), PodsUnknown: j.PodsUnknown,
		Phase: candidate.Phase(j.Phase), Leaving: candidate.Leaving(j.Leaving), Rebooting: j.Rebooting,
		Maintenance:  candidate.Maintenance{Condition: j.Maintenance.Condition, Since: j.Maintenance.Since},
		DoNotDisrupt: j.DoNotDisrupt, DoNotRepair: j.DoNotRepair, HasGracePeriod: j.HasGracePeriod,
		Created: j.Created, NominatedUntil: j.NominatedUntil, Blockers: each(j.Blockers, blocker.blocker),
		Replaces: j.Replaces, ReadySince: j.ReadySince, DisruptedFor: j.DisruptedFor, Deadline: j.Deadline,
		Cost: j.Cost, Rank: j.Rank, Unit: j.Unit,
	}
}

// phase is a candidate.Phase. It is left out where it is unknown.
type phase candidate.Phase

var phases = names[phase]{"phase", []string{"", "Launched", "Registered", "Running", "NotReady"}}

func (p phase) MarshalText() ([]byte, error)     { return phases.text(p) }
func (p *phase) UnmarshalText(text []byte) error { return phases.read(text, p) }

// leaving is a candidate.Leaving. It is left out of nodes that stay.
type leaving candidate.Leaving

var leavings = names[leaving]{"leaving", []string{"", "Draining", "Terminating"}}

func (l leaving) MarshalText() ([]byte, error)     { return leavings.text(l) }
func (l *leaving) UnmarshalText(text []byte) error { return leavings.read(text, l) }

// A maintenance is a candidate.Maintenance.
type maintenance struct {
	Condition string    `json:"condition"`
	Since     time.Time `json:"since,omitzero"`
}

// A condition is a candidate.Condition.
type condition struct {
	Reason   candidate.Reason `json:"reason"`
	Since    time.Time        `json:"since,omitzero"`
	Deadline time.Time        `json:"deadline,omitzero"`
	Urgency  time.Time        `json:"urgency,omitzero"`
	Because  string           `json:"because,omitzero"`
	Bound    *span            `json:"bound,omitzero"`
}

func newCondition(c candidate.Condition) condition {
	return condition{c.Reason, c.Since.UTC(), c.Deadline.UTC(), c.Urgency.UTC(), c.Because, (*span)(c.Bound)}
}

func (j condition) condition() candidate.Condition {
	return candidate.Condition{
		Reason: j.Reason, Since: j.Since, Deadline: j.Deadline, Urgency: j.Urgency, Because: j.Because,
		Bound: (*time.Duration)(j.Bound),
	}
}

// A pod is a candidate.Pod.
type pod struct {
	Namespace   string            `json:"namespace,omitzero"`
	Name        string            `json:"name"`
	Labels      map[string]string `json:"labels,omitzero"`
	Selector    map[string]string `json:"nodeSelector,omitzero"`
	Started     time.Time         `json:"started,omitzero"`
	Inactive    bool              `json:"inactive,omitzero"`
	Unevictable bool              `json:"unevictable,omitzero"`
	Unready     bool              `json:"unready,omitzero"`
	Stays       bool              `json:"stays,omitzero"`
	Window      window            `json:"window,omitzero"`
	Protect     span              `json:"protect,omitzero"`
	Invalid     bool              `json:"invalid,omitzero"`
}

func newPod(p *candidate.Pod) pod {
	return pod{
		p.Namespace, p.Name, p.Labels, p.NodeSelector, p.Started.UTC(), p.Inactive, p.Unevictable, p.Unready, p.Stays,
		window(p.Terms.Window), span(p.Terms.Protect), p.Terms.Invalid,
	}
}

func (j pod) pod() candidate.Pod {
	return candidate.Pod{
		Namespace: j.Namespace, Name: j.Name, Labels: j.Labels, NodeSelector: j.Selector, Started: j.Started,
		Inactive: j.Inactive, Unevictable: j.Unevictable, Unready: j.Unready, Stays: j.Stays,
		Terms: candidate.Terms{
			Window: schedule.Window(j.Window), Protect: time.Duration(j.Protect), Invalid: j.Invalid,
		},
	}
}
