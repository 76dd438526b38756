package schedule

import (
	"fmt"
	"path"
	"sort"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	_ "time/tzdata" // so that every host knows every zone
)

// A zone is a time zone with the eras of some decades, as searching the rules of a zone is slow.
type zone struct {
	*time.Location
	eras []era               // one after the other
	last atomic.Pointer[era] // of other decades: the last result
}

// An era is a time throughout which the zone's offset is the same: start ≤ t < end.
type era struct{ start, end, offset int64 }

// The bounds of eras that have no start or no end.
const (
	dawn = -1 << 60
	dusk = 1 << 60
)

// A zone keeps the eras of these decades.
var (
	firstKept = time.Date(1990, 1, 1, 0, 0, 0, 0, time.UTC).Unix()
	lastKept  = time.Date(2060, 1, 1, 0, 0, 0, 0, time.UTC).Unix()
)

func (z *zone) era(at int64) era {
	i := sort.Search(len(z.eras), func(i int) bool { return at < z.eras[i].end })
	if i < len(z.eras) && z.eras[i].start <= at {
		return z.eras[i]
	}
	if e := z.last.Load(); e != nil && e.start <= at && at < e.end {
		return *e
	}
	e := eraIn(z.Location, at)
	z.last.Store(&e)
	return e
}

// eraIn returns the era of a time by the rules of a zone.
func eraIn(zone *time.Location, at int64) era {
	t := time.Unix(at, 0).In(zone)
	_, offset := t.Zone()
	start, end := t.ZoneBounds()
	e := era{dawn, dusk, int64(offset)}
	if !start.IsZero() {
		e.start = start.Unix()
	}
	if !end.IsZero() {
		e.end = end.Unix()
		if e.end <= at { // package time ends each year after 365 days if it follows a zone's rule
			e.end += daySeconds
		}
	}
	return e
}

// loadedZones has the time zones in use by name: a million pods with a window each share them.
var loadedZones sync.Map

// parseZone returns nil for UTC.
func parseZone(name string) (*zone, error) {
	switch strings.ToLower(name) {
	case "", "utc":
		return nil, nil
	case "local", "localtime", "posixrules":
		return nil, fmt.Errorf("time zone %q depends on the host: write a tz database name such as "+
			`"Europe/Berlin", or "UTC"`, name)
	}
	if known, ok := loadedZones.Load(name); ok {
		return known.(*zone), nil
	}
	location, err := time.LoadLocation(name)
	variant := strings.HasPrefix(name, "right/") || strings.HasPrefix(name, "posix/") // few hosts have these
	if err != nil || variant || path.Clean(name) != name {                            // ./localtime depends on the host
		return nil, fmt.Errorf("time zone %s is unknown: write a tz database name such as "+
			`"Europe/Berlin", or "UTC"`, quote(name))
	}
	z := &zone{Location: location}
	for at := firstKept; at < lastKept; at = z.eras[len(z.eras)-1].end {
		z.eras = append(z.eras, eraIn(location, at))
	}
	loadedZones.Store(strings.Clone(name), z) // the name may be part of a longer text
	return z, nil
}
