package limit

import (
	"cmp"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
)

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
