// Package karpenter runs disruptkit inside Karpenter v1.15, without a fork.
//
// A provider's main passes its controllers through [Controllers], which puts a [Guard] around each method of the disruption
// controller:
//
//	candidates ──▶ guard ──▶ method ──▶ guard ──▶ commands
//	               those that may go    those that still may,
//	                                    once the memory is stored
//
// The guard decides by what Karpenter's own API says, taken over by [ToPolicy], [ToNode], [ToPod] and [ToPDB], and by what
// that cannot say yet: annotations of NodePools (see [DisruptionAnnotation]) and the disruption schedules of pods. It only
// ever tightens what Karpenter allows, and publishes events that say why a node stays.
package karpenter
