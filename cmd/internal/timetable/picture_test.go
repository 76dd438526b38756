package timetable

import (
	"encoding/xml"
	"strings"
	"testing"
	"time"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
)

// A mark is an element of the picture.
type mark struct {
	XMLName xml.Name
	Class   string  `xml:"class,attr"`
	Fill    string  `xml:"fill,attr"`
	X       float64 `xml:"x,attr"`
	Y       float64 `xml:"y,attr"`
	Width   float64 `xml:"width,attr"`
	Height  float64 `xml:"height,attr"`
	Text    string  `xml:",chardata"`
	Marks   []mark  `xml:",any"`
}

// marks returns what is drawn of one day at x 0.
func marks(t *testing.T, list []budget.Budget, monday time.Time, day int) (blocks []mark, texts map[string]mark) {
	t.Helper()
	sheets, err := lay([]Pool{pool(t, "p", list, 40, monday, candidate.Drifted)})
	if err != nil {
		t.Fatal(err)
	}
	of := sheets[0].charts[0].days[day]
	d := &drawing{height: height}
	d.WriteString("<g>")
	d.day(sheets[0], of, 0)
	d.labels(sheets[0], of, 0)
	d.WriteString("</g>")
	var all mark
	if err := xml.Unmarshal([]byte(d.String()), &all); err != nil {
		t.Fatal(err)
	}
	texts = map[string]mark{}
	for _, m := range all.Marks {
		if m.XMLName.Local == "text" {
			texts[m.Text] = m
		} else if strings.HasPrefix(m.Class, "block") || strings.HasPrefix(m.Class, "thin") {
			blocks = append(blocks, m)
		}
	}
	return blocks, texts
}

func TestAMinuteIsAPixelHighAlsoAtTheEndOfADay(t *testing.T) {
	blocks, texts := marks(t, []budget.Budget{
		{Nodes: "0", Schedule: "0 9 * * *", Duration: "1m"}, {Nodes: "2", Schedule: "59 23 * * *", Duration: "1m"},
	}, advent, 2)
	pixels := 0
	for _, b := range blocks {
		if b.Y < 0 || b.Y+b.Height > height || b.X < 0 || b.X+b.Width > column {
			t.Errorf("a block is outside of its column: %+v", b)
		}
		if b.Height == 1 {
			pixels++
		}
	}
	if pixels != 2 {
		t.Errorf("%d blocks are a pixel high", pixels)
	}
	for _, want := range []string{"09:00–09:01 closed", "23:59–24:00 2 of 40"} {
		if _, ok := texts[want]; !ok {
			t.Errorf("no text %q", want)
		}
	}
}
