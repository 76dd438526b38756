package karpenter

import (
	"github.com/prometheus/client_golang/prometheus"
	"sigs.k8s.io/controller-runtime/pkg/metrics"
)

// memoryFailures counts tries, not pools: a pool whose memory cannot be written is tried again every few minutes.
var memoryFailures = prometheus.NewCounterVec(prometheus.CounterOpts{
	Name: "disruptkit_guard_memory_failures_total",
	Help: "How often the memory of a NodePool, or of a DisruptionPolicy (group/NAME), could not be written. Nothing of it is disrupted until it is.",
}, []string{"nodepool"})

func init() { metrics.Registry.MustRegister(memoryFailures) }
