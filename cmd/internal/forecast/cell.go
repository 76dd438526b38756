package forecast

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/disruptkit/disruptkit/budget"
)

// A cell is an hour of a day: the least and the most that is allowed in it. The zero cell is an hour that is not shown.
type cell struct {
	known       bool
	least, most int
}

func (c *cell) add(nodes int) {
	if !c.known {
		*c = cell{true, nodes, nodes}
	}
	c.least, c.most = min(c.least, nodes), max(c.most, nodes)
}

// A kind is what is to be seen of a cell at a glance.
type kind int

const (
	outside kind = iota // of the forecast, or an hour that the clocks leave out
	closed
	limited
	unlimited
	partlyClosed
	changing // between numbers
)

func (c cell) kind() kind {
	switch {
	case !c.known:
		return outside
	case c.most == 0:
		return closed
	case c.least == 0:
		return partlyClosed
	case c.least == budget.Unlimited:
		return unlimited
	case c.least < c.most:
		return changing
	}
	return limited
}

// text returns what a cell says, in so many columns. The first is a space, or a mark.
func (c cell) text(width int) string {
	text := ""
	switch c.kind() {
	case closed:
		return strings.Repeat("▒", width)
	case partlyClosed:
		text = "▒" + brief(c.most)
	case changing:
		text = "~" + brief(c.least)
	case limited, unlimited:
		text = brief(c.least)
	}
	return strings.Repeat(" ", width-utf8.RuneCountInString(text)) + text
}

// legend describes what cells of a kind mean.
func (k kind) legend() string {
	return map[kind]string{
		closed:       "▒▒▒ no node may be disrupted",
		partlyClosed: "▒5 none for a part of the hour, at most 5 in the rest",
		limited:      "5 nodes that may be disrupted at once",
		changing:     "~5 more for a part of the hour",
		unlimited:    "∞ no limit",
	}[k]
}

// brief returns a number in at most four columns.
func brief(nodes int) string {
	switch {
	case nodes == budget.Unlimited:
		return "∞"
	case nodes < 10_000:
		return strconv.Itoa(nodes)
	case nodes < 1_000_000:
		return strconv.Itoa(nodes/1_000) + "k"
	}
	return strconv.Itoa(nodes/1_000_000) + "M"
}
