package observability

import (
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// A dashboard is what is checked and drawn of one.
type dashboard struct {
	Title      string
	Panels     []panel
	Templating struct {
		List []struct {
			Name, Type string
			Definition string
			AllValue   string
		}
	}
}

// A panel is what one asks for, and how it looks.
type panel struct {
	ID                       int
	Type, Title, Description string
	GridPos                  struct{ X, Y, W, H int }
	FieldConfig              struct {
		Defaults struct {
			Unit, NoValue string
			Decimals      *int
			Min           *float64
			Thresholds    struct {
				Steps []struct {
					Color string
					Value *float64 // nil: from the least on
				}
			}
			Custom struct {
				FillOpacity float64
				AxisSoftMax float64
				Stacking    struct{ Mode string }
			}
		}
		Overrides []any
	}
	Options struct{ ColorMode, TextMode string }
	Targets []struct {
		Expr, LegendFormat string
		Instant            bool
	}
}

func read(t *testing.T) (d dashboard) {
	t.Helper()
	text, err := os.ReadFile("dashboard.json")
	if err == nil {
		err = json.Unmarshal(text, &d)
	}
	if err != nil {
		t.Fatal(err)
	}
	return d
}

var (
	variable = regexp.MustCompile(`\$\{?([a-zA-Z_]+)\}?`)
	legend   = regexp.MustCompile(`\{\{ *([a-zA-Z_]+) *\}\}`)
)

func TestEachQueryOfTheDashboardAsksForWhatProgramsExport(t *testing.T) {
	d, exposed := read(t), exposed(t)
	known := map[string]bool{}
	for _, v := range d.Templating.List {
		known[v.Name] = true
	}
	for _, p := range d.Panels {
		if len(p.Targets) == 0 || p.Title == "" || p.Description == "" {
			t.Errorf("panel %d %q: it has no query, no title or no description", p.ID, p.Title)
		}
		for _, target := range p.Targets {
			for _, v := range variable.FindAllStringSubmatch(target.Expr, -1) {
				if !known[v[1]] {
					t.Errorf("%s: no variable $%s", p.Title, v[1])
				}
			}
			query := variable.ReplaceAllString(target.Expr, "x")
			for _, fault := range Faults(query, exposed) {
				t.Errorf("%s: %s: %s", p.Title, target.Expr, fault)
			}
			for _, l := range legend.FindAllStringSubmatch(target.LegendFormat, -1) {
				if !strings.Contains(query, "by (") && len(missingIn(query, l[1], exposed)) > 0 || strings.Contains(query, "by (") && !grouped(query, l[1]) {
					t.Errorf("%s: the legend names %s, which %s does not have", p.Title, l[1], target.Expr)
				}
			}
		}
	}
	for _, v := range d.Templating.List {
		if v.Type != "query" {
			continue
		}
		m := regexp.MustCompile(`^label_values\((\w+), (\w+)\)$`).FindStringSubmatch(v.Definition)
		if m == nil || !exposed[m[1]][m[2]] {
			t.Errorf("variable %s: %s: no program exports that", v.Name, v.Definition)
		}
	}
}

// missingIn returns whether no metric of a query has a label.
func missingIn(query, label string, exposed map[string]map[string]bool) []string {
	return Faults("sum by ("+label+") ("+query+")", exposed)
}

// grouped reports whether a query keeps a label.
func grouped(query, label string) bool {
	m := regexp.MustCompile(`by \(([^)]*)\)`).FindStringSubmatch(query)
	return m != nil && slices.Contains(strings.Split(strings.ReplaceAll(m[1], " ", ""), ","), label)
}

func TestPanelsDoNotOverlapAndHaveNumbersOfTheirOwn(t *testing.T) {
	d := read(t)
	for i, a := range d.Panels {
		if g := a.GridPos; g.W <= 0 || g.H <= 0 || g.X < 0 || g.X+g.W > 24 {
			t.Errorf("%s does not fit into 24 columns: %+v", a.Title, g)
		}
		for _, b := range d.Panels[:i] {
			g, h := a.GridPos, b.GridPos
			if a.ID == b.ID || g.X < h.X+h.W && h.X < g.X+g.W && g.Y < h.Y+h.H && h.Y < g.Y+g.H {
				t.Errorf("%s and %s are in one place, or have one number", a.Title, b.Title)
			}
		}
	}
}

func TestAQueryThatAsksForWhatIsNotThereIsAFault(t *testing.T) {
	exposed := map[string]map[string]bool{"a": {"x": true}, "b": {"x": true, "y": true}}
	for query, want := range map[string]string{
		`a{x="1"}`: "", `sum by (x) (rate(b[5m]))`: "", `a and on (x) b`: "",
		`c`: `no program exports "c"`, `a{y="1"}`: "a has no label y", `sum by (y) (a)`: "a has no label y", `b and on (y) a`: "a has no label y",
		`rate(c[5m]) > 0`: `no program exports "c"`, `sum(a`: "unclosed left parenthesis",
	} {
		got := strings.Join(Faults(query, exposed), "; ")
		if got != want && !(want != "" && strings.Contains(got, want)) {
			t.Errorf("%s: %q, want %q", query, got, want)
		}
	}
}
