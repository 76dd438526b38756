package schedule

import (
	"runtime"
	"strings"
	"sync"
	"time"
	"weak"
)

// loadedZones holds the time zones in use by name, as weak pointers. A zone takes some kilobytes, and each of a million
// pods may have a window: they share zones. The cache never changes what a Window says.
var loadedZones sync.Map

// loadZone is time.LoadLocation with a cache.
func loadZone(name string) (*time.Location, error) {
	if known, ok := loadedZones.Load(name); ok {
		if location := known.(weak.Pointer[time.Location]).Value(); location != nil {
			return location, nil
		}
	}
	name = strings.Clone(name) // the name may be part of a longer text, which the cache must not keep alive
	location, err := time.LoadLocation(name)
	if err != nil {
		return nil, err
	}
	loaded := weak.Make(location)
	loadedZones.Store(name, loaded)
	runtime.AddCleanup(location, func(name string) { loadedZones.CompareAndDelete(name, loaded) }, name)
	return location, nil
}
