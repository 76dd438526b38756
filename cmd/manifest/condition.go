package manifest

import (
	"fmt"
	"slices"
	"time"
)

// A condition is an entry of status.conditions: whether something holds, why, and since when.
type condition struct {
	kind   string
	status value // True, False or Unknown
	reason value
	since  time.Time
}

// conditions reads the conditions of the given types.
func (o *object) conditions(kinds ...string) conditions {
	var found conditions
	for _, entry := range o.root.field("status").field("conditions").each() {
		kind := entry.textOf("type")
		if !slices.Contains(kinds, kind) {
			continue
		}
		c := condition{kind, entry.field("status"), entry.field("reason"), entry.field("lastTransitionTime").time()}
		c.reason.text()
		faultStatus(c.status)
		found = append(found, c)
	}
	return found
}

// conditionStatuses are the valid ones; "" is none.
var conditionStatuses = []string{"", "True", "False", "Unknown"}

func faultStatus(v value) {
	if status := v.text(); !slices.Contains(conditionStatuses, status) {
		v.fault(fmt.Sprintf("%q is unknown: write True, False or Unknown", shortened(status)))
	}
}

type conditions []condition

// of returns the first condition of a type. If there is none, the result is neither True nor False.
func (cs conditions) of(kind string) condition {
	for _, c := range cs {
		if c.kind == kind {
			return c
		}
	}
	return condition{}
}

func (c condition) isTrue() bool  { return c.status.json == "True" }
func (c condition) isFalse() bool { return c.status.json == "False" }
