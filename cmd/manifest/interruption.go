package manifest

import (
	"fmt"
	"slices"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/wording"
)

// interruptionTaints are what node termination handlers put on a node whose instance the cloud takes away soon.
var interruptionTaints = []string{
	"aws-node-termination-handler/asg-lifecycle-termination",
	"aws-node-termination-handler/scheduled-maintenance",
	"aws-node-termination-handler/spot-itn",
	"cloud.google.com/impending-node-termination",
}

// interruptions are the reasons of the events in which Karpenter says the same. (Karpenter's providers: interruption
// controller. A SpotRebalanceRecommendation takes nothing away.)
var interruptions = []string{"SpotInterrupted", "TerminatingOnInterruption", "InstanceStopping", "InstanceTerminating"}

// interruption reports why the cloud takes away a machine: "taint aws-node-termination-handler/spot-itn" or "event
// SpotInterrupted"; "": nothing says that it does.
func (c *Cluster) interruption(s state) string {
	if s.node != nil && s.node.interrupted != "" {
		return "taint " + s.node.interrupted
	}
	if said, ok := c.from.interrupted.of(s); ok {
		return "event " + said.Reason
	}
	return ""
}

// mostInterrupted is how many nodes are named.
const mostInterrupted = 5

// Interrupted reports which nodes the cloud takes away, whatever budgets say: "2 nodes are interrupted by the cloud,
// whatever budgets say: node-a (taint …), node-b (event SpotInterrupted)"; "": none.
func (c *Cluster) Interrupted(nodes []candidate.Node) string {
	var named []string
	for _, n := range nodes {
		if why := c.standings[n.Name].Interrupted; why != "" {
			named = append(named, wording.Quote(n.Name)+" ("+why+")")
		}
	}
	if len(named) == 0 {
		return ""
	}
	slices.Sort(named)
	verb := "is"
	if len(named) > 1 {
		verb = "are"
	}
	return fmt.Sprintf("%s %s interrupted by the cloud, whatever budgets say: %s",
		wording.Count(len(named), "node"), verb, wording.Some(named, mostInterrupted))
}
