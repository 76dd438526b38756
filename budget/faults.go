package budget

import (
	"errors"

	"github.com/disruptkit/disruptkit/candidate"
)

// Faults are what is wrong with budgets.
type Faults []candidate.Warning

// Err returns all faults as one error, or nil if there is none.
func (faults Faults) Err() error {
	var errs []error
	for _, w := range faults {
		errs = append(errs, w)
	}
	return errors.Join(errs...)
}
