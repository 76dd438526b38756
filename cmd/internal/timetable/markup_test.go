package timetable

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/schedule"
)

// parsed returns the names of all elements, and all text.
func parsed(t interface{ Fatalf(string, ...any) }, document string) (elements map[string]int, text string) {
	var out strings.Builder
	elements = map[string]int{}
	decoder := xml.NewDecoder(strings.NewReader(document))
	decoder.Entity, decoder.Strict = nil, true
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			return elements, out.String()
		}
		if err != nil {
			t.Fatalf("%v", err)
		}
		switch token := token.(type) {
		case xml.StartElement:
			elements[token.Name.Local]++
		case xml.CharData:
			out.Write(token)
		}
	}
}

func TestWhateverANameIsTheMarkupIsTheSame(t *testing.T) {
	plain := svg(t, hostile(t, "name", "Drifted", "text"))
	wantSVG, _ := parsed(t, plain)
	texts := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"", `<>&"'`, "</title></svg><script>", "]]>", "\x00\x01\x1b[31m\x7f\u0085",
		"\xff\xfe", "a\r\nb\tc", "\u202etxt", "&#0;", strings.Repeat("W", 5000), "名前"}))
	rapid.Check(t, func(r *rapid.T) {
		name, reason, text := texts.Draw(r, "name"), texts.Draw(r, "reason"), texts.Draw(r, "text")
		svg := svg(t, hostile(t, name, candidate.Reason(reason), text))
		gotSVG, _ := parsed(r, svg)
		if diff := cmp.Diff(wantSVG, gotSVG); diff != "" {
			r.Fatalf("the elements of the SVG (-want +got)\n%s", diff)
		}
		if len(svg) > 40_000 {
			r.Fatalf("%d bytes", len(svg))
		}
	})
}

// hostile has the same text in all places to which a text can come.
func hostile(t testing.TB, name string, reason candidate.Reason, text string) Pool {
	t.Helper()
	set, _ := budget.Compile([]budget.Budget{{Nodes: "x" + text, Schedule: text + "x", Duration: "1h" + text}})
	start := time.Date(2026, 11, 23, 0, 0, 0, 0, time.FixedZone("Z"+strings.ToValidUTF8(text, ""), 3600))
	week := schedule.Span{Start: start, End: start.AddDate(0, 0, Days)}
	closed := budget.Segment{Span: week, Allowance: budget.Allowance{Binding: 1}}
	return Pool{Name: name, Note: "n" + text, Start: start, Nodes: 3, Budgets: set,
		Weeks: []Week{{reason, []budget.Segment{closed}, []schedule.Event{{Name: "p" + text, Span: week}}}}}
}

func TestWhatChangesEachMinuteStaysSmall(t *testing.T) {
	for _, list := range [][]budget.Budget{
		{{Nodes: "0", Schedule: "*/2 * * * *", Duration: "1m"}},
		{{Nodes: "0", Schedule: "*/10 * * * *", Duration: "1m"}},
		{{Nodes: "0", Schedule: "0,21,42 * * * *", Duration: "1m"}},
		{{Nodes: "0", Schedule: "*/25 * * * *", Duration: "4m"}, {Nodes: "1", Schedule: "5,30 * * * *", Duration: "4m"}},
	} {
		svg := svg(t, pool(t, "p", budget.Spec{Budgets: list}, 40, advent, candidate.Drifted))
		if len(svg) > 400_000 {
			t.Errorf("%v: %d bytes", list, len(svg))
		}
	}
}

func TestNothingIsLoaded(t *testing.T) {
	svg := svg(t, team(t))
	elements, _ := parsed(t, svg)
	for _, name := range []string{"script", "link", "image", "img", "iframe", "use", "foreignObject"} {
		if elements[name] > 0 {
			t.Errorf("there is an element %s", name)
		}
	}
	rest := strings.ReplaceAll(svg, `xmlns="http://www.w3.org/2000/svg"`, "")
	for _, text := range []string{"://", "@import", "@font-face", " href", " src", "url(h"} {
		if strings.Contains(rest, text) {
			t.Errorf("there is %q", text)
		}
	}
}
