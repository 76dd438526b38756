package timetable

import (
	"slices"
	"sort"
	"time"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/schedule"
)

// A block is what is drawn as one: a time of one amount, or several short ones.
type block struct {
	slot
	parts []budget.Segment // those in it, cut to the week, but not to the block; of one amount and at the same paces, unless it is mixed
	mixed bool

	pauses []schedule.Event // of the chart
	names  []string         // of what takes place in it, or pauses it
}

// Where so many spans follow each other that are that short, one block stands for all of them.
var tooShort = []struct {
	limit time.Duration
	least int
}{
	{20 * time.Minute, 6}, // stripes too narrow to see
	{4 * time.Minute, 2},  // less than a pixel each
}

// blocks takes a slot apart, by amounts: that other budgets say the same is no new block.
func blocks(s slot, amounts [][]budget.Segment) []block {
	end := func(i int) time.Time { return amounts[i][len(amounts[i])-1].End }
	first := sort.Search(len(amounts), func(i int) bool { return end(i).After(s.span.from) })
	var blocks []block
	for i := first; i < len(amounts) && amounts[i][0].Start.Before(s.span.to); i++ {
		part := s
		part.span = span{amounts[i][0].Start, end(i)}.cut(s.span)
		part.stretch.from = s.stretch.from + part.span.from.Sub(s.span.from)
		part.stretch.to = s.stretch.from + part.span.to.Sub(s.span.from)
		blocks = append(blocks, block{slot: part, parts: amounts[i]})
	}
	for _, t := range tooShort {
		blocks = merged(blocks, t.limit, t.least)
	}
	return blocks
}

// byAmount divides spans where the amount changes, or the paces do.
func byAmount(spans []budget.Segment) (amounts [][]budget.Segment) {
	for first, i := 0, 1; i <= len(spans); i++ {
		if i == len(spans) || spans[i].Nodes != spans[first].Nodes || spans[i].Paces != spans[first].Paces {
			amounts, first = append(amounts, spans[first:i]), i
		}
	}
	return amounts
}

// merged makes one block of each row of at least so many blocks that are shorter than limit.
func merged(blocks []block, limit time.Duration, least int) []block {
	var out []block
	for len(blocks) > 0 {
		n := 0
		for n < len(blocks) && !blocks[n].mixed && blocks[n].length() < limit {
			n++
		}
		if n < max(least, 1) {
			n = max(n, 1)
			out = append(out, blocks[:n]...)
		} else {
			out = append(out, joined(blocks[:n]))
		}
		blocks = blocks[n:]
	}
	return out
}

// joined makes one block of several that follow each other.
func joined(blocks []block) block {
	one, last := blocks[0], blocks[len(blocks)-1]
	one.span.to, one.stretch.to, one.mixed = last.span.to, last.stretch.to, true
	parts := 0
	for _, b := range blocks {
		parts += len(b.parts)
	}
	one.parts = one.parts[:parts] // they follow each other in the week as well
	return one
}

func (b block) length() time.Duration { return b.stretch.to - b.stretch.from }

// paced reports whether paces hold throughout a block.
func (b block) paced() bool { return !b.mixed && b.parts[0].Paces != 0 }

// unlimited reports whether any of a block is.
func (b block) unlimited() bool {
	return slices.ContainsFunc(b.parts, func(s budget.Segment) bool { return s.Nodes == budget.Unlimited })
}
