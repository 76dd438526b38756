package budget

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
)

// orders are the values of Spec.Order, by Order.
var orders = []string{"oldest", "newest", "cheapest", "rank"}

// order returns who goes first. If nobody knows who was meant, nobody goes: a budget that is broken as a whole says so.
func (spec Spec) order() (_ Order, broken []Limit) {
	if spec.Order == "" {
		return OldestFirst, nil
	}
	if i := slices.Index(orders, spec.Order); i >= 0 {
		return Order(i), nil
	}
	fault := candidate.Warning{
		Code: candidate.CodeInvalidBudget, Field: spec.Addition.place("order"), Value: spec.Order,
		Message: fmt.Sprintf("order %.100q is unknown: write one of %s; until then, no node may go", spec.Order,
			strings.Join(orders, ", ")),
	}
	return OldestFirst, []Limit{{Index: -1, Faults: []candidate.Warning{fault}}}
}

// An Order is who goes first of the nodes of a pool or a group.
type Order uint8

// The orders. Nodes that are equal in them keep the order that they have without it.
const (
	OldestFirst   Order = iota // since when the reason holds
	NewestFirst                // likewise
	CheapestFirst              // candidate.Node.Cost
	LowestRank                 // candidate.Node.Rank
)

// Compare compares two nodes that have a reason each, and since when it holds.
func (o Order) Compare(a, b *candidate.Node, since, other time.Time) int {
	switch o {
	case NewestFirst:
		return other.Compare(since)
	case CheapestFirst:
		return cmp.Compare(a.Cost, b.Cost)
	case LowestRank:
		return cmp.Compare(a.Rank, b.Rank)
	}
	return since.Compare(other)
}

// Tells reports whether a node has what the order goes by: a cost or a rank of 0 is as good as none.
func (o Order) Tells(n *candidate.Node) bool {
	return o < CheapestFirst || o == CheapestFirst && n.Cost != 0 || o == LowestRank && n.Rank != 0
}
