package manifest_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/disruptkit/disruptkit/cmd/manifest"
)

func TestADirectoryStandsForItsFiles(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"b.yaml", "a.yml", "c.JSON", "d.txt", ".e.yaml", "README.md", "deep/e.yaml", "deep/er/f.json", "no/manifest.txt"} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
	for _, test := range []struct {
		name      string
		recursive bool
		want      string
	}{
		{".", false, ".e.yaml a.yml b.yaml c.JSON"},
		{".", true, ".e.yaml a.yml b.yaml c.JSON deep/e.yaml deep/er/f.json"},
		{"deep", false, "deep/e.yaml"},
		{"./deep/", true, "deep/e.yaml deep/er/f.json"},
		{"d.txt", true, "d.txt"},
		{"-", true, "-"},
		{"gone.yaml", false, "gone.yaml"},
	} {
		got, err := manifest.Files(test.name, test.recursive)
		if want := strings.Fields(filepath.FromSlash(test.want)); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s, %t: %q, %v", test.name, test.recursive, got, err)
		}
	}
	if got, err := manifest.Files(dir, true); err != nil || len(got) != 6 || got[1] != filepath.Join(dir, "a.yml") {
		t.Errorf("%q, %v", got, err)
	}
	for name, want := range map[string]string{"no": "name another directory", "deep/er/../../no": "name another directory"} {
		if _, err := manifest.Files(name, false); err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := os.Rename("deep", filepath.Join("no", "deep")); err != nil {
		t.Fatal(err)
	}
	if _, err := manifest.Files("no", false); err == nil || !strings.HasSuffix(err.Error(), "no has no file *.yaml, *.yml or *.json: write -R to read the directories in it as well") {
		t.Error(err)
	}
}
