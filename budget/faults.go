package budget

import (
	"errors"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/schedule"
)

// faultsFor are what is wrong with budgets.
type Faults []candidate.Warning

// Err returns all faults as one error, or nil if there is none.
func (faults Faults) Err() error {
	var errs []error
	for _, w := range faults {
		errs = append(errs, w)
	}
	return errors.Join(errs...)
}

// faultsFor returns what is wrong with budgets that allow nothing for a reason at a time.
func (s *Limits) faultsFor(now time.Time, reason candidate.Reason) (faults Faults) {
	for i := range s.Broken {
		if b := &s.Broken[i]; b.Covers(reason) {
			faults = append(faults, b.Faults...)
		}
	}
	for i := range s.AtTimes {
		if b := &s.AtTimes[i]; b.Covers(reason) && schedule.InWindow(b.Window, now) {
			faults = append(faults, b.Faults...)
		}
	}
	return faults
}
