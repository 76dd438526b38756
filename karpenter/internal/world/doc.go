// Package world is a Kubernetes cluster in memory and in fake time, with Karpenter running in it.
//
// Karpenter's own controllers are the real ones, as controllers.NewControllers returns them: disruption and its queue,
// provisioning, cluster state and what feeds it, the lifecycle, drift, expiration and termination of nodes, evictions.
// The cloud is Karpenter's fake one. Stand-ins are what a cluster has besides Karpenter: the API server, the manager
// that runs controllers, the kubelet, the scheduler, ReplicaSets and PodDisruptionBudgets.
//
// The same options tell the same story, but for what Karpenter does in parallel, or in the order of a map: which NodeClaim
// gets which name, in which order events come, and which nodes of a static NodePool it takes first.
package world
