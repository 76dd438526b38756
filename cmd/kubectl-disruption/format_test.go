package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/disruptkit/disruptkit/cmd/internal/command"
	"github.com/disruptkit/disruptkit/cmd/internal/kube"
)

// -o has only formats that a command prints: any other is an error that names them, and no two print the same.
func TestEachFormatIsOneThatTheCommandHas(t *testing.T) {
	ofDemo := map[string][]string{
		"decide": {"--demo"}, "why": {"--demo", "44-26."}, "forecast": {"--demo"}, "plan": {"--demo", "--try=false"}, "metrics": {"--demo"}, "status": {"--demo", "--runs", "1"},
		"lint": {"../internal/bundled/cluster.json"}, "explain": {"exhausted"},
	}
	for _, c := range newRoot(&command.Environment{}, kube.Cluster{Flags: &kube.Flags{}}).Commands() {
		name := c.Name()
		if c.Flags().Lookup("output") == nil {
			continue
		}
		if ofDemo[name] == nil {
			t.Errorf("%s has formats, and this test no arguments for it", name)
			continue
		}
		completed, _, _ := strings.Cut(ran(t, "__completeNoDesc", name, "-o", "").stdout, ":")
		formats := strings.Fields(completed)
		if len(formats) < 2 {
			t.Errorf("%s has no formats but %q", name, completed)
		}
		for _, unknown := range append([]string{"", "yaml", "tex", "table", "wide", "html"}, formats[0]+","+formats[1]) {
			if slices.Contains(formats, unknown) {
				continue
			}
			got := ran(t, append([]string{name, "-o", unknown}, ofDemo[name]...)...)
			if got.status != command.Hopeless || got.stdout != "" || slices.ContainsFunc(formats, func(f string) bool { return !strings.Contains(got.stderr, f) }) {
				t.Errorf("%s -o %q: exit status %d\n%s%s", name, unknown, got.status, got.stdout, got.stderr)
			}
		}
		printed := map[string]string{}
		for _, format := range formats {
			got := ran(t, append([]string{name, "-o", format}, ofDemo[name]...)...)
			if got.status == command.Hopeless {
				t.Errorf("%s -o %s: %s", name, format, got.stderr)
			}
			if same := printed[got.stdout]; same != "" && !(name == "decide" && same == "table" && format == "text") {
				t.Errorf("%s prints the same for %s and %s", name, same, format)
			}
			printed[got.stdout] = format
		}
	}
}
