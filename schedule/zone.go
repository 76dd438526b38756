package schedule

import (
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"weak"
)

// A zone is a time zone that remembers its eras: to search the rules of a zone takes much longer than anything else
// that a recurrence does.
type zone struct {
	*time.Location
	eras [erasKept]atomic.Pointer[[2]era] // by the time that was asked for; at most two eras each
}

// The eras of some 60 years are kept. Times that are as far apart share a place.
const (
	erasKept = 512
	eraPlace = 44 * daySeconds // how much time has one place: less than lies between two usual changes
)

// era returns the era of a time, which is that of eraIn or one that reaches a day further.
func (z *zone) era(at int64) era {
	place := &z.eras[uint64(floorDiv(at, eraPlace))%erasKept]
	known := place.Load()
	if known != nil {
		for _, e := range known {
			if e.start <= at && at < e.end {
				return e
			}
		}
	}
	latest := [2]era{eraIn(z.Location, at)}
	if known != nil {
		latest[1] = known[0]
	}
	place.Store(&latest)
	return latest[0]
}

// loadedZones holds the time zones in use by name, as weak pointers. A zone takes some kilobytes, and each of a million
// pods may have a window: they share zones. The cache never changes what a Window says.
var loadedZones sync.Map

// loadZone is time.LoadLocation with a cache.
func loadZone(name string) (*zone, error) {
	if known, ok := loadedZones.Load(name); ok {
		if loaded := known.(weak.Pointer[zone]).Value(); loaded != nil {
			return loaded, nil
		}
	}
	name = strings.Clone(name) // the name may be part of a longer text, which the cache must not keep alive
	location, err := time.LoadLocation(name)
	if err != nil {
		return nil, err
	}
	loaded := &zone{Location: location}
	known := weak.Make(loaded)
	loadedZones.Store(name, known)
	runtime.AddCleanup(loaded, func(name string) { loadedZones.CompareAndDelete(name, known) }, name)
	return loaded, nil
}
