package ical

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/disruptkit/disruptkit/schedule"
)

// A Directory has iCalendar files, each of which is a calendar by its name: holidays.ics is "holidays". A ConfigMap that is mounted is one.
// Other files are no calendars. The nil Directory has none.
type Directory struct {
	path, zone string

	mu    sync.Mutex
	files map[string]file // by their names, without the extension
	last  *Calendars
}

// NewDirectory returns the directory with a path. Zone is the Options.Zone of all its files.
func NewDirectory(path, zone string) *Directory { return &Directory{path: path, zone: zone} }

// Calendars are those of a Directory at some time. They never change.
type Calendars struct {
	// Windows are the calendars by their names: the value of budget.Spec.Calendars. What cannot be read is not among them, so that budgets
	// which name it allow nothing.
	Windows map[string]schedule.Window
	// Unread reports why others cannot be read, and names their files: the value of budget.Spec.Unread.
	Unread map[string]error
	// Err is all of Unread.
	Err error
	// Warnings are those of all files: see Calendar.Warnings.
	Warnings []string
}

// A file is what was read of it.
type file struct {
	stat     string // reports whether it has changed since
	at       time.Time
	window   schedule.Window
	warnings []string
	err      error
}

const (
	extension = ".ics"
	daily     = 24 * time.Hour
	retried   = time.Minute
)

// At returns the calendars of the directory, with recurring events for a year and a week from a time on. They are the same pointer until
// anything is read again: a file that has changed, each file once a day, and what cannot be read once a minute.
func (d *Directory) At(now time.Time) *Calendars {
	if d == nil {
		return &none
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	stats, err := d.look()
	if err != nil {
		if d.last == nil || d.files != nil || d.last.Err.Error() != err.Error() {
			d.files, d.last = nil, &Calendars{Unread: map[string]error{"": err}, Err: err}
		}
		return d.last
	}
	files, isNew := make(map[string]file, len(stats)), d.files == nil || len(stats) != len(d.files)
	for name, stat := range stats {
		was, known := d.files[name]
		lasts := daily
		if was.err != nil {
			lasts = retried
		}
		if age := now.Sub(was.at); !known || was.stat != stat || age < 0 || age >= lasts {
			was, isNew = file{stat: stat, at: now}, true
			was.read(filepath.Join(d.path, name+extension), Options{Zone: d.zone, From: now, To: now.AddDate(1, 0, 7)})
		}
		files[name] = was
	}
	if d.files = files; isNew {
		d.last = join(files)
	}
	return d.last
}

var none Calendars

// join returns the calendars of files.
func join(files map[string]file) *Calendars {
	c := &Calendars{Windows: make(map[string]schedule.Window, len(files)), Unread: map[string]error{}}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if f := files[name]; f.err == nil {
			c.Windows[name], c.Warnings = f.window, append(c.Warnings, f.warnings...)
		} else {
			c.Unread[name], c.Err = f.err, errors.Join(c.Err, f.err)
		}
	}
	return c
}

// look returns what reports whether a file has changed, by the names of the calendars.
func (d *Directory) look() (map[string]string, error) {
	all, err := os.ReadDir(d.path)
	if err != nil {
		return nil, err
	}
	stats := map[string]string{}
	for _, f := range all {
		name, is := strings.CutSuffix(f.Name(), extension)
		if !is || name == "" {
			continue
		}
		stat, err := os.Stat(filepath.Join(d.path, f.Name())) // a ConfigMap has links
		if err != nil {
			stats[name] = err.Error()
			continue
		}
		stats[name] = fmt.Sprint(stat.Size(), stat.ModTime().UnixNano(), stat.Mode())
	}
	return stats, nil
}

// read reads a file.
func (f *file) read(path string, o Options) {
	opened, err := os.Open(path)
	if f.err = err; err != nil {
		return
	}
	defer opened.Close()
	c, err := Read(opened, o)
	if err != nil {
		f.err = fmt.Errorf("%s: %w", path, err)
		return
	}
	f.window = c.Window()
	for _, warning := range c.Warnings {
		f.warnings = append(f.warnings, path+": "+warning)
	}
}
