// Package bundled has the cluster that programs show by default.
package bundled

import (
	_ "embed"
	"time"
)

// Cluster has three zones, two NodePools of stock Karpenter and about fifty nodes. It is the output of manifest.Command,
// reduced to the fields that matter. testdata/rfcs.json is the same cluster with what only disruptkit has: budgets of
// zones and of child reasons, and schedules of pods.
//
//go:embed cluster.json
var Cluster []byte

// Now is a Friday morning, in business hours.
var Now = time.Date(2026, 11, 20, 10, 30, 0, 0, time.UTC)
