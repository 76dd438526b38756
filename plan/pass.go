package plan

import "time"

// PassOf returns how long a pass of Karpenter takes that starts a drifted node, by the number of nodes of the cluster,
// for Model.Pass if nothing is measured. It is a second, since Karpenter disrupts nothing until the cloud has accepted
// the launch, and looks each second; and 1.5 milliseconds for each node, as measured with ten pods a node
// (docs/plan.md). Clouds that take longer to accept a launch, and nodes with more pods, make it longer. (Karpenter:
// Cluster.Synced, Controller.Reconcile.)
func PassOf(nodes int) time.Duration {
	return time.Second + time.Duration(max(nodes, 0))*passPerNode
}

const passPerNode = 1500 * time.Microsecond
