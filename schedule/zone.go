package schedule

import (
	"runtime"
	"strings"
	"sync"
	"time"
	"weak"
)

// loadedZones are the time zones in use, as weak pointers by name, so that all windows share them: each takes some kilobytes, and
// there may be a window for each of a million pods. They never change what a Window says.
var loadedZones sync.Map

// loadZone is time.LoadLocation, for a zone that other windows may have.
func loadZone(name string) (*time.Location, error) {
	if known, ok := loadedZones.Load(name); ok {
		if location := known.(weak.Pointer[time.Location]).Value(); location != nil {
			return location, nil
		}
	}
	name = strings.Clone(name) // which may be part of a longer text
	location, err := time.LoadLocation(name)
	if err != nil {
		return nil, err
	}
	loaded := weak.Make(location)
	loadedZones.Store(name, loaded)
	runtime.AddCleanup(location, func(name string) { loadedZones.CompareAndDelete(name, loaded) }, name)
	return location, nil
}
