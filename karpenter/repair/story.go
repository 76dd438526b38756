package main

import (
	"errors"
	"slices"
	"time"

	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"
	"sigs.k8s.io/karpenter/pkg/cloudprovider"

	"github.com/disruptkit/disruptkit/karpenter"
	"github.com/disruptkit/disruptkit/karpenter/internal/sidebyside"
	"github.com/disruptkit/disruptkit/karpenter/internal/world"
)

// The fleet, its NodePool, and what that is annotated with.
const (
	zones        = 3
	nodesPerZone = 4
	drifting     = "3" // nodes at once
	repairing    = "1"
	policy       = `budgets:
- nodes: "2"
  topologyKey: topology.kubernetes.io/zone
  sequential: true
  reasons: [Drifted]
`
)

// hung is why the nodes with the bad kubelet are not Ready.
const hung = "KubeletHung"

// policies are those of the cloud: a kubelet that hangs is rebooted after a minute, any other node that is not Ready is replaced after
// half an hour. Pods have two minutes to leave.
var policies = []cloudprovider.RepairPolicy{
	{
		ConditionType: "Ready", ConditionStatus: "False", ReasonRegex: "^" + hung + "$", TolerationDuration: time.Minute,
		TerminationGracePeriod: new(2 * time.Minute), Priority: 10, Action: cloudprovider.RebootNode,
	},
	{
		ConditionType: "Ready", ConditionStatus: "False", TolerationDuration: 30 * time.Minute, Action: cloudprovider.ReplaceNode,
	},
}

// A chapter is what happens at a time, whatever Karpenter does.
type chapter struct {
	after   time.Duration
	title   string
	happens func(*world.World) error
}

func sicken(stubborn bool, names ...string) func(*world.World) error {
	return func(w *world.World) error {
		for _, name := range names {
			w.Sicken(name, hung, stubborn)
		}
		return nil
	}
}

// chapters are the story. A third of the fleet breaks: b4, c3, c4 and b3, three of them at once, which are not too many of twelve.
var chapters = []chapter{
	{0, "all nodes have drifted; do-not-repair is written on c4", func(w *world.World) error {
		if err := w.AnnotateNode("c4", v1.DoNotRepairAnnotationKey, "true"); err != nil {
			return err
		}
		return w.Drift("AMIDrift")
	}},
	{time.Minute, "the kubelets of b4 and c4 hang", sicken(false, "b4", "c4")},
	{90 * time.Second, "the kubelet of c3 hangs, and will again after each reboot", sicken(true, "c3")},
	{5 * time.Minute, "the kubelet of b3 hangs: a third of the fleet by now", sicken(false, "b3")},
	{calm, "the kubelets of six new nodes hang at once", func(w *world.World) error {
		for _, n := range w.Nodes()[:6] {
			w.Sicken(n.Name, hung, false)
		}
		return nil
	}},
	{calm + 5*time.Minute, "the six kubelets recover by themselves", func(w *world.World) error {
		for _, n := range w.Nodes() {
			w.Heal(n.Name)
		}
		return nil
	}},
}

const (
	calm = 20 * time.Minute // when all nodes are new
	ends = calm + 6*time.Minute
)

// A frame is what the fleet looks like at a time.
type frame struct {
	after time.Duration
	nodes []world.Node
}

// A story is what became of a fleet.
type story struct {
	frames []frame
	rows   []world.Row
	start  time.Time
	events []world.Event
}

// tell tells the story.
func tell(guarded bool) (story, error) {
	pool := world.NewPool("default",
		v1.Budget{Nodes: drifting, Reasons: []v1.DisruptionReason{v1.DisruptionReasonDrifted, v1.DisruptionReasonEmpty, v1.DisruptionReasonUnderutilized}},
		v1.Budget{Nodes: repairing, Reasons: []v1.DisruptionReason{v1.DisruptionReasonUnhealthy}})
	pool.Annotations = map[string]string{karpenter.DisruptionAnnotation: policy}
	o := world.Options{
		Zones: zones, NodesPerZone: nodesPerZone, NodePool: pool, Repair: policies,
		Boot: time.Minute, Ready: 30 * time.Second, Tick: 10 * time.Second,
	}
	if guarded {
		o.Guard = sidebyside.Guard
	}
	w, err := world.New(o)
	if err != nil {
		return story{}, err
	}
	s := story{start: w.Clock.Now()}
	left := chapters
	err = w.Run(2*ends, func(w *world.World) bool {
		after := w.Clock.Now().Sub(s.start)
		for ; len(left) > 0 && after >= left[0].after && err == nil; left = left[1:] {
			if left[0].after == calm && !w.Rolled() {
				err = errors.New("the fleet is not calm")
			}
			if err == nil {
				err = left[0].happens(w)
			}
		}
		s.frames = append(s.frames, frame{after, w.Nodes()})
		return err != nil || after >= ends
	})
	s.rows, s.events = w.Timeline(), w.Events()
	return s, errors.Join(append(w.Faults, err)...)
}

// at returns what the fleet looks like at a time after the start.
func (s story) at(after time.Duration) []world.Node {
	i := slices.IndexFunc(s.frames, func(f frame) bool { return f.after > after })
	if i <= 0 {
		return s.frames[len(s.frames)-1].nodes
	}
	return s.frames[i-1].nodes
}
