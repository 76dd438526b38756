package budget

import (
	"fmt"
	"slices"
	"strings"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/limit"
)

// orders are the values of Spec.Order, by limit.Order.
var orders = []string{"oldest", "newest", "cheapest", "rank"}

// order returns who goes first. If nobody knows who was meant, nobody goes: a budget that is broken as a whole says so.
func (spec Spec) order() (_ limit.Order, broken []limit.Budget) {
	if spec.Order == "" {
		return limit.OldestFirst, nil
	}
	if i := slices.Index(orders, spec.Order); i >= 0 {
		return limit.Order(i), nil
	}
	fault := candidate.Warning{
		Code: candidate.CodeInvalidBudget, Field: spec.Addition.place("order"), Value: spec.Order,
		Message: fmt.Sprintf("order %.100q is unknown: write one of %s; until then, no node may go", spec.Order,
			strings.Join(orders, ", ")),
	}
	return limit.OldestFirst, []limit.Budget{{Index: -1, Faults: []candidate.Warning{fault}}}
}
