package decide

import (
	_ "embed"
	"time"
)

// bundled is the cluster that is shown without -f: three zones, two NodePools, some fifty nodes. It is what
// manifest.Command prints, shortened to the fields that matter.
//
//go:embed cluster.json
var bundled []byte

// bundledNow is a Friday morning, in business hours.
var bundledNow = time.Date(2026, 11, 20, 10, 30, 0, 0, time.UTC)
