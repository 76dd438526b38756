package wire

import (
	"time"

	"github.com/disruptkit/disruptkit/cmd/internal/expiring"
)

// An Expiring is a node that expires.
type Expiring struct {
	Node   string     `json:"node"`
	Pool   string     `json:"pool"`
	At     *time.Time `json:"at"`               // now, if it has expired already
	Closed string     `json:"closed,omitempty"` // the budgets that are 0 then
}

// NewExpiring returns a node as JSON.
func NewExpiring(n expiring.Node) Expiring { return Expiring{n.Name, n.Pool, Time(n.At), n.Closed} }
