package probe

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/wording"
)

// A Denial blocks nodes for a reason. The zero Denial blocks every node. A node whose own reason is unknown, "", is
// blocked by every denial. As with budgets, the denial of a child reason does not block its method: if your reasons
// have no children, deny methods.
type Denial struct {
	Reason candidate.Reason // including its children; "": every reason
	Pools  []PoolSelector   // pools that match any of these; none: every pool. Never modified
	Cause  string           // added to the message, if not ""
	Until  time.Time        // when time alone lifts it, if the verdict is not stale by then; zero: unknown
	// Absent is the number of good answers in a row without this denial. At the success threshold the denial lifts.
	// Exported for programs that store an Observation between two polls.
	Absent int
}

// A PoolSelector selects pools by name, by label (key=value), or by the value of any label. (RFC, option 3:
// nodePools.labels.)
type PoolSelector string

// Selects reports whether the selector matches a pool with these labels.
func (s PoolSelector) Selects(pool string, labels map[string]string) bool {
	if string(s) == pool {
		return true
	}
	for key, value := range labels {
		if string(s) == value || string(s) == key+"="+value {
			return true
		}
	}
	return false
}

// selecting returns the selectors that match a pool. They are about every pool if there are none.
func selecting(selectors []PoolSelector, pool string, labels map[string]string) (matching []PoolSelector, about bool) {
	for _, s := range selectors {
		if s.Selects(pool, labels) {
			matching = append(matching, s)
		}
	}
	return matching, len(matching) > 0 || len(selectors) == 0
}

// blocks is candidate.Reason.Covers, ignoring case and one letter of a child: a misspelt denial must still block.
func (d Denial) blocks(reason candidate.Reason) bool {
	n := len(d.Reason)
	return n == 0 || reason == "" || wording.Misspelt(d.Reason, reason) ||
		len(reason) >= n && strings.EqualFold(string(reason[:n]), string(d.Reason)) &&
			(len(reason) == n || reason[n] == '/')
}

// String returns "Drifted", "Drifted in gpu, team=search", or "everything", followed by the cause, if any.
func (d Denial) String() string {
	text := wording.Quote(cmp.Or(string(d.Reason), "everything"))
	if len(d.Pools) > 0 {
		text += " in " + first(d.Pools, ", ", func(p PoolSelector) string { return wording.Quote(string(p)) })
	}
	if d.Cause != "" {
		text += " (" + d.Cause + ")"
	}
	return text
}

// first lists the first few of all items, and counts the rest.
func first[T any](all []T, between string, text func(T) string) string {
	const few = 5
	var texts []string
	for _, one := range all[:min(few, len(all))] {
		texts = append(texts, text(one))
	}
	list := strings.Join(texts, between)
	if len(all) > few {
		list += fmt.Sprintf(" and %d more", len(all)-few)
	}
	return list
}
