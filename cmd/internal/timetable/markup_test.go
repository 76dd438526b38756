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
	"github.com/disruptkit/disruptkit/budget/lint"
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
	plain := drawn(t, hostile(t, "name", "Drifted", "text"))
	wantSVG, _ := parsed(t, plain)
	texts := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"", `<>&"'`, "</title></svg><script>", "]]>", "\x00\x01\x1b[31m\x7f\u0085",
		"\xff\xfe", "a\r\nb\tc", "\u202etxt", "&#0;", strings.Repeat("W", 5000), "名前"}))
	rapid.Check(t, func(r *rapid.T) {
		name, reason, text := texts.Draw(r, "name"), texts.Draw(r, "reason"), texts.Draw(r, "text")
		svg := drawn(t, hostile(t, name, candidate.Reason(reason), text))
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
	zone := time.FixedZone("Z"+strings.ToValidUTF8(text, ""), 3600)
	monday := time.Date(2026, 11, 23, 0, 0, 0, 0, zone)
	closed := budget.Segment{Allowance: budget.Allowance{Binding: 1}} // for ever
	return Pool{Name: name, Nodes: 3, Budgets: set, Weeks: []Week{{reason, monday, []budget.Segment{closed}, nil}},
		Findings: []lint.Finding{{Code: "c" + text, Severity: lint.Severity("s" + text), Message: text, Advice: "a" + text,
			Reason: "r" + reason, Budgets: 5, Span: schedule.Span{Start: monday}}}}
}

func TestNotes(t *testing.T) {
	set, err := budget.Spec{ConsolidationPolicy: "WhenEmpty"}.Compile()
	if err != nil {
		t.Fatal(err)
	}
	p := pool(t, "p", nil, 0, advent, candidate.Underutilized, candidate.Expired)
	p.Budgets = set
	svg := drawn(t, p)
	for _, want := range []string{
		"Whatever the budgets allow, no node is disrupted for Underutilized: a policy of the pool is Never.",
		"Karpenter consults no budget before it expires a node; this is for autoscalers that do.",
		"Of 0 nodes, a percentage is 0.",
	} {
		if !strings.Contains(svg, want) {
			t.Error("it does not have", want)
		}
	}
}

func TestWhatChangesEachMinuteStaysSmall(t *testing.T) {
	for _, list := range [][]budget.Budget{
		{{Nodes: "0", Schedule: "*/2 * * * *", Duration: "1m"}},
		{{Nodes: "0", Schedule: "*/10 * * * *", Duration: "1m"}},
		{{Nodes: "0", Schedule: "0,21,42 * * * *", Duration: "1m"}},
		{{Nodes: "0", Schedule: "*/25 * * * *", Duration: "4m"}, {Nodes: "1", Schedule: "5,30 * * * *", Duration: "4m"}},
	} {
		svg := drawn(t, pool(t, "p", list, 40, advent, candidate.Drifted))
		if len(svg) > 400_000 {
			t.Errorf("%v: %d bytes", list, len(svg))
		}
	}
}

func TestNothingIsLoaded(t *testing.T) {
	svg := drawn(t, pool(t, "p", minuteWise, 40, advent, methods...))
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
