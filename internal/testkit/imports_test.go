package testkit_test

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// floors are the packages that a decision needs, from the lowest one up. A package imports those of lower floors only.
var floors = [][]string{
	{"dialect", "internal/memory", "internal/mistake", "internal/wording"},
	{"internal/jsonobject", "schedule"},
	{"candidate"},
	{"budget"},
	{"probe", "topology"},
	{""},
}

func TestImportsRunOneWay(t *testing.T) {
	const module = "github.com/disruptkit/disruptkit"
	floor := map[string]int{}
	for i, packages := range floors {
		for _, p := range packages {
			floor[p] = i
		}
	}
	list, err := exec.Command("go", "list", "-deps", "-f", `{{.ImportPath}}{{range .Imports}} {{.}}{{end}}`, "../..").Output()
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for line := range strings.Lines(string(list)) {
		path, imports, _ := strings.Cut(strings.TrimSpace(line), " ")
		name, ours := strings.CutPrefix(path, module)
		if !ours {
			continue
		}
		name = strings.TrimPrefix(name, "/")
		at, known := floor[name]
		if found = append(found, name); !known {
			t.Errorf("a decision needs package %s, which has no floor", name)
		}
		for _, imported := range strings.Fields(imports) {
			below, ours := strings.CutPrefix(imported, module)
			if on, known := floor[strings.TrimPrefix(below, "/")]; ours && known && on >= at {
				t.Errorf("package %q imports %s, which is not below it", name, imported)
			}
		}
	}
	if want := len(slices.Concat(floors...)); len(found) != want || want > 12 {
		t.Errorf("a decision needs %d packages, %d of them have a floor, and 12 are the most: %q", len(found), want, found)
	}
}
