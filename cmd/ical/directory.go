package ical

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/disruptkit/disruptkit/schedule"
)

// A Directory has iCalendar files, each of which is a calendar by its name: holidays.ics is "holidays". A ConfigMap that is mounted is one.
// Other files are no calendars. The nil Directory has none.
type Directory struct {
	path, zone string

	mu   sync.Mutex
	seen string    // what the directory was like
	at   time.Time // when it was read
	last *Calendars
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

const (
	extension = ".ics"
	daily     = 24 * time.Hour
	retried   = time.Minute
)

// At returns the calendars of the directory, with recurring events for a year and a week from a time on. They are the same pointer until
// all is read again: when a file has changed, once a day, and once a minute while anything cannot be read.
func (d *Directory) At(now time.Time) *Calendars {
	if d == nil {
		return &none
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	names, seen, err := d.look()
	lasts := daily
	if d.last != nil && d.last.Err != nil {
		lasts = retried
	}
	if age := now.Sub(d.at); d.last != nil && d.seen == seen && 0 <= age && age < lasts {
		return d.last
	}
	d.seen, d.at, d.last = seen, now, &Calendars{Unread: map[string]error{"": err}, Err: err}
	if err == nil {
		d.last = d.read(names, Options{Zone: d.zone, From: now, To: now.AddDate(1, 0, 7)})
	}
	return d.last
}

var none Calendars

// look returns the names of the calendars, and what reports whether a file has changed.
func (d *Directory) look() (names []string, seen string, err error) {
	all, err := os.ReadDir(d.path)
	if err != nil {
		return nil, err.Error(), err
	}
	for _, f := range all {
		name, is := strings.CutSuffix(f.Name(), extension)
		if !is || name == "" {
			continue
		}
		names = append(names, name)
		stat, err := os.Stat(filepath.Join(d.path, f.Name())) // a ConfigMap has links
		if seen += f.Name(); err != nil {
			seen += err.Error()
			continue
		}
		seen += fmt.Sprint(stat.Size(), stat.ModTime().UnixNano(), stat.Mode())
	}
	return names, seen, nil
}

// read reads files.
func (d *Directory) read(names []string, o Options) *Calendars {
	c := &Calendars{Windows: map[string]schedule.Window{}, Unread: map[string]error{}}
	for _, name := range names {
		path := filepath.Join(d.path, name+extension)
		calendar, err := ReadFile(path, o)
		if err != nil {
			if names := (*fs.PathError)(nil); !errors.As(err, &names) {
				err = fmt.Errorf("%s: %w", path, err)
			}
			c.Unread[name], c.Err = err, errors.Join(c.Err, err)
			continue
		}
		c.Windows[name] = calendar.Window()
		for _, warning := range calendar.Warnings {
			c.Warnings = append(c.Warnings, path+": "+warning)
		}
	}
	return c
}

// ReadFile reads the file with a path; see [Read].
func ReadFile(path string, o Options) (c Calendar, err error) {
	file, err := os.Open(path)
	if err != nil {
		return c, err
	}
	defer file.Close()
	return Read(file, o)
}
