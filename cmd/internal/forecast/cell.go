package forecast

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/disruptkit/disruptkit/budget"
)

// A cell is an hour of a day: the least and the most that is allowed in it. The zero cell is an hour that is not shown: it is outside of the
// forecast, or the clocks leave it out.
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

// legend explains what cells show.
const legend = "▒▒▒ no node may be disrupted   5 nodes at once   ~5 fewer for a part of the hour   ∞ no limit"

// text returns some columns. The first is a space, or a mark.
func (c cell) text(width int) string {
	text := ""
	switch {
	case !c.known:
	case c.most == 0:
		return strings.Repeat("▒", width)
	case c.least < c.most:
		text = "~" + brief(c.most)
	default:
		text = brief(c.most)
	}
	return strings.Repeat(" ", width-utf8.RuneCountInString(text)) + text
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
