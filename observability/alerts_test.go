package observability

import (
	"os"
	"slices"
	"testing"

	"go.yaml.in/yaml/v3"
)

// rules are what is checked of the file with the alerts. promtool checks the rest of it.
type rules struct {
	Groups []struct {
		Rules []struct {
			Alert, Expr string
			Annotations map[string]string
		}
	}
}

func TestEachAlertAsksForWhatProgramsExportAndHasATest(t *testing.T) {
	text, err := os.ReadFile("alerts.yaml")
	var file rules
	if err == nil {
		err = yaml.Unmarshal(text, &file)
	}
	if err != nil {
		t.Fatal(err)
	}
	tested := tested(t)
	exposed, alerts := exposed(t), 0
	for _, g := range file.Groups {
		for _, r := range g.Rules {
			alerts++
			for _, fault := range Faults(r.Expr, exposed) {
				t.Errorf("%s: %s", r.Alert, fault)
			}
			if !slices.Contains(tested, r.Alert) || r.Annotations["summary"] == "" || r.Annotations["description"] == "" {
				t.Errorf("%s has no test in which it fires, no summary or no description", r.Alert)
			}
		}
	}
	if alerts != 5 {
		t.Errorf("%d alerts", alerts)
	}
}

// tested returns the alerts that fire in a test.
func tested(t *testing.T) (names []string) {
	t.Helper()
	text, err := os.ReadFile("alerts_test.yaml")
	var file struct {
		Tests []struct {
			Rules []struct {
				Alert    string `yaml:"alertname"`
				Expected []any  `yaml:"exp_alerts"`
			} `yaml:"alert_rule_test"`
		}
	}
	if err == nil {
		err = yaml.Unmarshal(text, &file)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range file.Tests {
		for _, r := range test.Rules {
			if len(r.Expected) > 0 {
				names = append(names, r.Alert)
			}
		}
	}
	return names
}
