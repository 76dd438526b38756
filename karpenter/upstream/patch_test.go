// Package upstream_test tries what the guard would need of Karpenter, as patches.
package upstream_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// The patch is for Karpenter as go.mod has it. With it, a provider guards Karpenter by an option of NewControllers.
func TestTheUpstreamPatchGuardsKarpenter(t *testing.T) {
	if testing.Short() {
		t.Skip("it compiles Karpenter's controllers anew")
	}
	run := func(dir, name string, args ...string) string {
		t.Helper()
		c := exec.Command(name, args...)
		c.Dir = dir
		out, err := c.CombinedOutput()
		if err != nil {
			t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
		}
		return strings.TrimSpace(string(out))
	}
	tree := filepath.Join(t.TempDir(), "karpenter")
	if err := os.CopyFS(tree, os.DirFS(run(".", "go", "list", "-m", "-f", "{{.Dir}}", "sigs.k8s.io/karpenter"))); err != nil {
		t.Fatal(err)
	}
	run(tree, "patch", "-p1", "-i", must(filepath.Abs("disruption-methods.patch")))

	work := filepath.Join(filepath.Dir(tree), "go.work")
	library := must(filepath.Abs("../.."))
	text := regexp.MustCompile(`(\s)\.\.`).ReplaceAllString(string(must(os.ReadFile("../go.work"))), "${1}"+library)
	text = strings.NewReplacer("\t./", "\t"+library+"/karpenter/", "\t.\n", "\t"+library+"/karpenter\n").Replace(text)
	if err := os.WriteFile(work, []byte(text+"\nreplace sigs.k8s.io/karpenter => ./karpenter\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Setenv("GOWORK", work)
	out := run(".", "go", "test", "-tags", "upstream", "-run", "^TestZonesTakeTurns$", "-v", ".")
	if !strings.Contains(out, "--- PASS: TestZonesTakeTurns") {
		t.Errorf("nothing was tested:\n%s", out)
	}
}
