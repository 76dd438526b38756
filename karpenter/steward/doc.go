// Package steward makes a Karpenter that runs unchanged follow disruptkit.
//
// It holds all nodes of the NodePools that are opted in, by Karpenter's own annotations, and releases those that may be disrupted, for a while:
//
//	held ──release──▶ released ──Karpenter disrupts it──▶ gone
//	  ▲                  │
//	  └────taken back────┘  unused, or it may go no more
//
// [Decide] is the pure core: it turns a [Snapshot] of the cluster into a [Plan], which says what to store first and what to
// write on nodes then. [Steward] does that on an API server.
package steward
