package shared

import (
	"context"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/disruptkit/disruptkit/cmd/ical"
)

// Calendars are those that were read last.
type Calendars struct{ *ical.Calendars }

// Read reads the calendars of a directory, and reports whether they are new. It logs what cannot be read each time that it was tried: nothing
// else fails for that. It also logs what other programs may read otherwise.
func (c *Calendars) Read(ctx context.Context, d *ical.Directory, now time.Time) (isNew bool) {
	read := d.At(now)
	if read == c.Calendars {
		return false
	}
	if c.Calendars = read; read.Err != nil {
		log.FromContext(ctx).Error(read.Err, "some calendars cannot be read: budgets that name them allow nothing")
	}
	for _, warning := range read.Warnings {
		log.FromContext(ctx).Info("other programs may read a calendar otherwise", "calendar", warning)
	}
	return true
}
