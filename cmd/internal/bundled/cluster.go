// Package bundled has the cluster that programs show by default.
package bundled

import (
	_ "embed"
	"time"
)

// Cluster has three zones, two NodePools and about fifty nodes. It is the output of manifest.Command, reduced to the
// fields that matter.
//
//go:embed cluster.json
var Cluster []byte

// Now is a Friday morning, in business hours.
var Now = time.Date(2026, 11, 20, 10, 30, 0, 0, time.UTC)
