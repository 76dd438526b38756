package main

import (
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// k9s is a file of plugins, as its JSON schema describes it (derailed/k9s, internal/config/json/schemas/plugins.json).
type k9s struct {
	Plugins map[string]struct {
		ShortCut    string   `yaml:"shortCut"`
		Description string   `yaml:"description"`
		Scopes      []string `yaml:"scopes"`
		Command     string   `yaml:"command"`
		Background  bool     `yaml:"background"`
		Args        []string `yaml:"args"`
	} `yaml:"plugins"`
}

// k9s itself is not in the test: what it would run is.
func TestThePluginsOfK9sAnswer(t *testing.T) {
	calls := recording(t)
	file, err := os.Open("../observability/k9s/plugins.yaml")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var of k9s
	decoder := yaml.NewDecoder(file)
	decoder.KnownFields(true)
	if err := decoder.Decode(&of); err != nil {
		t.Fatal(err)
	}
	if got := slices.Sorted(maps.Keys(of.Plugins)); !slices.Equal(got, []string{"disruption-status", "disruption-why"}) {
		t.Fatalf("the plugins are %v", got)
	}
	resources := map[string]struct{ name, says string }{
		"nodes":     {"ip-10-0-36-243", ", in NodePool batch"},
		"nodepools": {"batch", "batch: "},
	}
	shortCuts := map[string]bool{}
	for name, p := range of.Plugins {
		if p.ShortCut == "" || shortCuts[p.ShortCut] || p.Description == "" || p.Command != "bash" || len(p.Args) != 2 || p.Args[0] != "-c" || p.Background {
			t.Errorf("%s: %+v", name, p)
			continue
		}
		shortCuts[p.ShortCut] = true
		for _, scope := range p.Scopes {
			with := strings.NewReplacer("$NAME", resources[scope].name, "$CONTEXT", "prod-us") // as k9s replaces its variables, in the text
			typed, piped := strings.CutSuffix(with.Replace(p.Args[1]), " 2>&1 | less")
			words, ours := strings.CutPrefix(typed, "kubectl disruption ")
			if !piped || !ours || strings.Contains(words, "$") {
				t.Errorf("%s runs %q", name, p.Args[1])
				continue
			}
			got := ran(t, strings.Fields(strings.ReplaceAll(words, "'", ""))...)
			if got.status == 2 || resources[scope].says == "" || !strings.Contains(got.stdout, resources[scope].says) {
				t.Errorf("%s for %s: %+v", name, scope, got)
			}
			if asked := calls(); !slices.ContainsFunc(asked, func(line string) bool { return strings.HasPrefix(line, "--context prod-us get ") }) {
				t.Errorf("%s asks another cluster: %v", name, asked)
			}
		}
	}
}
