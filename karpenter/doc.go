// Package karpenter runs disruptkit inside Karpenter v1.15, without a fork.
//
// A provider's main passes its controllers through [Controllers], which puts a [Guard] around each method of the disruption
// controller:
//
//	candidates ──▶ guard ──▶ method ──▶ guard ──▶ commands
//	               those that may go    those that still may be disrupted,
//	                                    once the memory is stored
//
// The guard decides from Karpenter's own API, which [ToPolicy], [ToNode], [ToPod] and [ToPDB] convert, and from what
// that API cannot express yet: annotations of NodePools (see [DisruptionAnnotation]) and disruption schedules of pods.
// It only tightens what Karpenter allows. It publishes events with the blockers of a node.
package karpenter
