package timetable

import (
	"encoding/xml"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/cmd/internal/picture"
)

// all returns the elements within m for which a function is true, in their order.
func (m mark) all(is func(mark) bool) (found []mark) {
	for _, in := range m.Marks {
		if is(in) {
			found = append(found, in)
		}
		found = append(found, in.all(is)...)
	}
	return found
}

func element(name string) func(mark) bool {
	return func(m mark) bool { return m.XMLName.Local == name }
}

func classed(class string) func(mark) bool {
	return func(m mark) bool { return slices.Contains(strings.Fields(m.Class), class) }
}

// told returns the texts of elements.
func told(marks []mark) (texts []string) {
	for _, m := range marks {
		texts = append(texts, m.Text)
	}
	return texts
}

// A fataler is a test, or one try of a property.
type fataler interface {
	Errorf(string, ...any)
	Fatalf(string, ...any)
}

// checkDrawn compares a picture, or a page, with the layout of its sheets.
func checkDrawn(t fataler, document string, sheets []sheet) {
	var root mark
	if err := xml.Unmarshal([]byte(asXML(document)), &root); err != nil {
		t.Fatalf("%v", err)
	}
	// A chart is what directly holds the names of its reasons.
	drawn := root.all(func(m mark) bool { return slices.ContainsFunc(m.Marks, classed("reasons")) })
	legend := "\n" + strings.Join(told(append(root.all(element("text")), root.all(classed("key"))...)), "\n") + "\n"
	for _, s := range sheets {
		for _, k := range s.keys() {
			if !strings.Contains(legend, "\n"+k.text+"\n") {
				t.Errorf("the legend does not tell %q", k.text)
			}
		}
		for _, c := range s.charts {
			if len(drawn) == 0 {
				t.Fatalf("%s is not drawn", c.title())
			}
			checkChart(t, s, c, drawn[0])
			for _, look := range []string{"closed", "unlimited", "mixed"} {
				drawn := len(drawn[0].all(func(m mark) bool { return m.Fill == "url(#"+look+")" })) > 0
				if drawn && !strings.Contains(legend, "\n"+look+": ") {
					t.Errorf("the legend does not tell what is %s", look)
				}
			}
			drawn = drawn[1:]
		}
	}
	if len(drawn) != 0 {
		t.Errorf("%d charts too many", len(drawn))
	}
}

// checkChart compares what is drawn of a week with its layout: each block and gap is in the column of its day, from and
// to its hour, and what is written on a block is on it.
func checkChart(t fataler, s sheet, c chart, drawn mark) {
	plot := drawn.all(func(m mark) bool {
		return slices.ContainsFunc(m.Marks, classed("block")) || slices.ContainsFunc(m.Marks, classed("thin"))
	})[0]
	const day = 24 * 60.0 // minutes: what is drawn is rounded to less than half of one
	high := height
	if len(byAmount(c.spans)) == 1 {
		high = flat
	}
	var want, got []string
	var days []string
	for i, d := range c.days {
		days = append(days, d.date.Format("Mon 2 Jan"))
		for _, g := range d.gaps {
			want = append(want, fmt.Sprintf("column %d: minutes %.0f to %.0f: gap", i, g.from.Minutes(), g.to.Minutes()))
		}
		for _, b := range d.blocks {
			from, to := b.stretch.from.Minutes(), b.stretch.to.Minutes()
			if pixel := day / high; to-from < pixel {
				from = min(from, day-pixel)
				to = from + pixel
			}
			x := float64(i) + float64(b.lane)/float64(b.lanes)
			want = append(want,
				fmt.Sprintf("column %.1f, 1/%d wide: minutes %.0f to %.0f: %s: %s", x, b.lanes, from, to, s.looks(b), s.tip(b)))
		}
	}
	if diff := cmp.Diff(days, told(drawn.all(classed("day")))); diff != "" {
		t.Errorf("the days of %s (-want +got)\n%s", c.title(), diff)
	}
	for _, m := range plot.Marks {
		from, to := m.Y/high*day, (m.Y+m.Height)/high*day
		x, wide := (m.X-left)/column, m.Width/(column-space)
		switch {
		case m.Class == "gap":
			got = append(got, fmt.Sprintf("column %.0f: minutes %.0f to %.0f: gap", x, from, to))
		case len(m.Marks) == 1 && m.Marks[0].XMLName.Local == "title":
			x = math.Floor(x+0.001) + (x-math.Floor(x+0.001))*column/(column-space)
			got = append(got,
				fmt.Sprintf("column %.1f, 1/%.0f wide: minutes %.0f to %.0f: %s: %s", x, 1/wide, from, to, m.look(), m.Marks[0].Text))
		}
	}
	slices.Sort(want)
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got)\n%s", c.title(), diff)
	}
	checkLabels(t, plot, high)
}

// looks returns how a block has to look, and is told in the legend; shades are those of the scale.
func (s sheet) looks(b block) string {
	switch nodes := b.parts[0].Nodes; {
	case b.mixed:
		return "mixed"
	case nodes == 0:
		return "closed"
	case nodes == budget.Unlimited:
		return "unlimited"
	default:
		return fmt.Sprintf("s%d", s.scale.shade(nodes))
	}
}

// look returns the class that a block was drawn for.
func (m mark) look() string {
	if class, patterned := strings.CutPrefix(m.Fill, "url(#"); patterned {
		return strings.TrimSuffix(class, ")")
	}
	_, more, _ := strings.Cut(m.Class, " ")
	return map[string]string{"slit": "unlimited"}[more] + strings.TrimPrefix(more, "slit")
}

// checkLabels checks that what is written on a block is on a block of that look, and no wider than it.
func checkLabels(t fataler, plot mark, high float64) {
	for _, label := range plot.all(classed("halo")) {
		fields := strings.Fields(label.Class)
		look := strings.TrimPrefix(fields[len(fields)-1], "on-")
		size := 12.0
		if fields[0] == "when" {
			size = 10
		}
		on := func(m mark) bool {
			return len(m.Marks) == 1 && m.look() == look && m.Y < label.Y && label.Y <= m.Y+m.Height+0.01 &&
				m.X <= label.X-picture.TextWidth(label.Text, size)/2 && label.X+picture.TextWidth(label.Text, size)/2 <= m.X+m.Width
		}
		if !slices.ContainsFunc(plot.Marks, on) {
			t.Errorf("%q at %.1f %.1f is not on a block that is %s", label.Text, label.X, label.Y, look)
		}
	}
	for _, text := range plot.all(element("text")) {
		if text.Y < 0 || text.Y > high+4.1 || text.X < margin || text.X > right {
			t.Errorf("%q is outside of the chart", text.Text)
		}
	}
}

func TestAPictureAndAPageShowEachBlockInItsPlace(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		set, err := budget.Compile(lists(t))
		if err != nil {
			t.Fatal(err)
		}
		start, p := firstDays(t), Pool{Name: "p", Nodes: rapid.IntRange(0, 120).Draw(t, "nodes"), Budgets: set}
		for _, r := range methods {
			p.Weeks = append(p.Weeks, forecast(t, set, start, p.Nodes, r))
		}
		sheets, err := lay([]Pool{p})
		if err != nil {
			t.Fatal(err)
		}
		var svg, html strings.Builder
		if err := SVG(&svg, []Pool{p}); err != nil {
			t.Fatal(err)
		}
		if err := HTML(&html, []Pool{p}); err != nil {
			t.Fatal(err)
		}
		checkDrawn(t, svg.String(), sheets)
		checkDrawn(t, html.String(), sheets)
	})
}

func TestPicturesAndPagesSayWhatIsSpecialAboutAWeek(t *testing.T) {
	for _, c := range []struct {
		name  string
		pool  Pool
		texts map[string]int // how often each is written in the picture, and within the figures of the page
	}{
		{"reasons that a budget names have a chart of their own",
			pool(t, "business-hours", businessHours, 100, advent, methods...),
			map[string]int{"Drifted": 1, "Empty, Underutilized": 1,
				"closed for 80h, 10 of 100 for 88h": 1, "10 of 100 for 168h": 1, "closed": 10}},
		{"where nothing changes all week the chart is flat",
			pool(t, "always", []budget.Budget{{Nodes: "10%"}}, 100, advent, methods...),
			map[string]int{"10 of 100": 7, "00:00": 1, "24:00": 1, "12:00": 0}},
		{"time that the clock leaves out is empty, and says so",
			pool(t, "spring", nightsInBerlin, 30, inBerlin(t, 2027, 3, 22), methods...),
			map[string]int{"skipped by the clock": 1, "until 03:30": 6, "04:30–22:00": 1, "from 22:00": 7}},
		{"time that comes twice is in halves",
			pool(t, "fall", nightsInBerlin, 30, inBerlin(t, 2026, 10, 19), methods...),
			map[string]int{"closed": 15, "until 03:30": 6, "from 22:00": 7, "skipped by the clock": 0}},
		{"what changes each minute is mixed, and what is low has a tag",
			pool(t, "minute-wise", minuteWise, 40, advent, methods...),
			map[string]int{"mixed": 7, "closed to unlimited": 7, "09:00–16:59": 7, "20:00–20:10 5 of 40": 21}},
		{"what holds at some times alone is unlimited at others",
			pool(t, "monday-night", mondayNight, 100, advent, methods...),
			map[string]int{"35 of 100": 8, "01:00–05:00": 1, "from 05:00": 1, "unlimited": 8}},
		{"events, pauses and paces are named where they are", team(t),
			map[string]int{"Release review": 2, "Launch & demo": 2, "paused by alice:": 2, "INC-1234": 2,
				"Black Friday": 2, "2 start per 1h": 4}},
	} {
		t.Run(c.name, func(t *testing.T) {
			sheets, err := lay([]Pool{c.pool})
			if err != nil {
				t.Fatal(err)
			}
			svg, html := drawn(t, c.pool)
			for _, document := range []string{svg, html} {
				checkDrawn(t, document, sheets)
				var root mark
				if err := xml.Unmarshal([]byte(asXML(document)), &root); err != nil {
					t.Fatal(err)
				}
				texts := told(root.all(element("text")))
				for text, want := range c.texts {
					got := 0
					for _, other := range texts {
						if other == text {
							got++
						}
					}
					if got != want {
						t.Errorf("%q is there %d times, not %d", text, got, want)
					}
				}
			}
			for _, s := range sheets {
				for _, note := range s.notes() {
					if !strings.Contains(svg, ">"+note+"<") || !strings.Contains(html, ">"+note+"<") {
						t.Errorf("it is not noted that %s", note)
					}
				}
				checkLists(t, html, s)
			}
		})
	}
}

// checkLists checks that a page lists the spans of each chart, for those who do not see the picture, and the budgets of
// the pool.
func checkLists(t *testing.T, html string, s sheet) {
	t.Helper()
	var root mark
	if err := xml.Unmarshal([]byte(asXML(html)), &root); err != nil {
		t.Fatal(err)
	}
	lists := root.all(element("details"))
	if len(lists) != len(s.charts) {
		t.Fatalf("%d lists of %d charts", len(lists), len(s.charts))
	}
	for i, c := range s.charts {
		var want []string
		for _, p := range c.spans[:min(len(c.spans), mostListed)] {
			want = append(want, s.told(p, c.pauses))
		}
		if more := len(c.spans) - mostListed; more > 0 {
			want = append(want, fmt.Sprintf("and %d more", more))
		}
		if diff := cmp.Diff(want, told(lists[i].all(element("li")))); diff != "" {
			t.Errorf("the list of %s (-want +got)\n%s", c.title(), diff)
		}
	}
	var want []string
	for _, b := range s.pool.Budgets.Budgets() {
		want = append(want, b.String())
	}
	var got []string
	for _, row := range root.all(element("tr"))[1:] {
		got = append(got, row.all(element("code"))[1].Text)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the budgets (-want +got)\n%s", diff)
	}
}
