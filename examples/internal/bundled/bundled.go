// Package bundled is the cluster that programs show which are not given another.
package bundled

import (
	_ "embed"
	"time"
)

// Cluster has three zones, two NodePools and some fifty nodes. It is what manifest.Command prints, shortened to the fields that matter.
//
//go:embed cluster.json
var Cluster []byte

// Now is a Friday morning, in business hours.
var Now = time.Date(2026, 11, 20, 10, 30, 0, 0, time.UTC)
