package observability

import (
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"go.yaml.in/yaml/v3"
)

// exposed returns the labels of each metric that the programs print. Tests beside the programs write these files, and
// fail if they are old.
func exposed(t *testing.T) map[string][]string {
	t.Helper()
	all := map[string][]string{}
	for _, path := range []string{"testdata/metrics.txt", "testdata/guard.txt", "testdata/steward.txt"} {
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		parser := expfmt.NewTextParser(model.UTF8Validation)
		families, err := parser.TextToMetricFamilies(f)
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		for name, family := range families {
			all[name] = append(all[name], "") // it is there, though it may have no label
			for _, m := range family.Metric {
				for _, l := range m.Label {
					all[name] = append(all[name], l.GetName())
				}
			}
		}
	}
	return all
}

var (
	metric  = regexp.MustCompile(`\b((?:karpenter|disruptkit)_\w+)(?:\{([^}]*)\})?`)
	matcher = regexp.MustCompile(`(\w+) *(?:=~|!~|!=|=)`)
	by      = regexp.MustCompile(`\bby *\(([^)]*)\)`)
	legend  = regexp.MustCompile(`\{\{ *(\w+) *\}\}`)
)

// faults returns what a query asks for that no program exports. Whether it is PromQL at all, promtool says: see the
// step alerts of .ci/run.
func faults(query, legends string, exposed map[string][]string) (all []string) {
	var has []string // the labels of its metrics
	for _, m := range metric.FindAllStringSubmatch(query, -1) {
		labels, there := exposed[m[1]]
		if !there {
			all = append(all, "no program exports "+m[1])
		}
		for _, l := range matcher.FindAllStringSubmatch(m[2], -1) {
			if !slices.Contains(labels, l[1]) {
				all = append(all, m[1]+" has no label "+l[1])
			}
		}
		has = append(has, labels...)
	}
	if len(has) == 0 && len(all) == 0 {
		all = append(all, "it asks for no metric")
	}
	if grouped := by.FindStringSubmatch(query); grouped != nil {
		kept := strings.Split(strings.ReplaceAll(grouped[1], " ", ""), ",")
		for _, l := range kept {
			if !slices.Contains(has, l) {
				all = append(all, "no metric has the label "+l)
			}
		}
		has = kept
	}
	for _, l := range legend.FindAllStringSubmatch(legends, -1) {
		if !slices.Contains(has, l[1]) {
			all = append(all, "the legend names "+l[1]+", which no series has")
		}
	}
	return all
}

func TestEachAlertAsksForWhatProgramsExportAndFiresInATest(t *testing.T) {
	var alerts struct {
		Groups []struct {
			Rules []struct {
				Alert, Expr string
				Annotations map[string]string
			}
		}
	}
	var tests struct {
		Tests []struct {
			Rules []struct {
				Alert    string `yaml:"alertname"`
				Expected []any  `yaml:"exp_alerts"`
			} `yaml:"alert_rule_test"`
		}
	}
	read(t, "alerts.yaml", &alerts)
	read(t, "alerts_test.yaml", &tests)
	fires := map[string]bool{}
	for _, test := range tests.Tests {
		for _, r := range test.Rules {
			fires[r.Alert] = fires[r.Alert] || len(r.Expected) > 0
		}
	}
	exposed := exposed(t)
	for _, g := range alerts.Groups {
		for _, r := range g.Rules {
			for _, fault := range faults(r.Expr, "", exposed) {
				t.Errorf("%s: %s", r.Alert, fault)
			}
			if !fires[r.Alert] || r.Annotations["summary"] == "" || r.Annotations["description"] == "" {
				t.Errorf("%s has no test in which it fires, no summary or no description", r.Alert)
			}
		}
	}
}

func TestEachPanelOfTheDashboardAsksForWhatProgramsExport(t *testing.T) {
	var dashboard struct {
		Panels []struct {
			Title, Description string
			Targets            []struct{ Expr, LegendFormat string }
		}
		Templating struct {
			List []struct{ Name, Type, Definition string }
		}
	}
	read(t, "dashboard.json", &dashboard)
	exposed := exposed(t)
	variables := regexp.MustCompile(`\$(\w+)`)
	known := map[string]bool{}
	for _, v := range dashboard.Templating.List {
		known[v.Name] = true
		values := regexp.MustCompile(`^label_values\((\w+), (\w+)\)$`).FindStringSubmatch(v.Definition)
		if v.Type == "query" && (values == nil || !slices.Contains(exposed[values[1]], values[2])) {
			t.Errorf("variable %s: no program exports %s", v.Name, v.Definition)
		}
	}
	for _, p := range dashboard.Panels {
		if len(p.Targets) == 0 || p.Title == "" || p.Description == "" {
			t.Errorf("panel %q has no query, no title or no description", p.Title)
		}
		for _, target := range p.Targets {
			for _, v := range variables.FindAllStringSubmatch(target.Expr, -1) {
				if !known[v[1]] {
					t.Errorf("%s: no variable $%s", p.Title, v[1])
				}
			}
			for _, fault := range faults(target.Expr, target.LegendFormat, exposed) {
				t.Errorf("%s: %s", p.Title, fault)
			}
		}
	}
}

// read decodes a file, JSON or YAML. Names in it are those of the fields, in lower case, or for JSON in any.
func read(t *testing.T, path string, into any) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err == nil && strings.HasSuffix(path, ".json") {
		err = json.Unmarshal(text, into)
	} else if err == nil {
		err = yaml.Unmarshal(text, into)
	}
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
}
