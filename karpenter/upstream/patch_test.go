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

// A tree is Karpenter as go.mod has it, with a patch.
type tree struct {
	*testing.T
	dir string
}

// patched returns a tree with a patch.
func patched(t *testing.T, patch string) tree {
	t.Helper()
	if os.Getenv("UPSTREAM") == "" {
		t.Skip("it compiles Karpenter anew, which takes minutes: set UPSTREAM=1")
	}
	k := tree{t, filepath.Join(t.TempDir(), "karpenter")}
	if err := os.CopyFS(k.dir, os.DirFS(k.run(".", "go", "list", "-m", "-f", "{{.Dir}}", "sigs.k8s.io/karpenter"))); err != nil {
		t.Fatal(err)
	}
	k.run(k.dir, "patch", "-p1", "-i", must(filepath.Abs(patch)))
	return k
}

// run returns what a command says that succeeds in a directory.
func (k tree) run(dir, name string, args ...string) string {
	k.Helper()
	out, err := k.try(dir, name, args...)
	if err != nil {
		k.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return out
}

func (k tree) try(dir, name string, args ...string) (string, error) {
	c := exec.CommandContext(k.Context(), name, args...)
	c.Dir = dir
	out, err := c.CombinedOutput()
	return strings.TrimSpace(string(out)), err
}

// use lets commands build our modules with the tree instead of Karpenter.
func (k tree) use() {
	k.Helper()
	work := filepath.Join(filepath.Dir(k.dir), "go.work")
	library := must(filepath.Abs("../.."))
	text := regexp.MustCompile(`(\s)\.\.`).ReplaceAllString(string(must(os.ReadFile("../go.work"))), "${1}"+library)
	text = strings.NewReplacer("\t./", "\t"+library+"/karpenter/", "\t.\n", "\t"+library+"/karpenter\n").Replace(text)
	if err := os.WriteFile(work, []byte(text+"\nreplace sigs.k8s.io/karpenter => ./karpenter\n"), 0o644); err != nil {
		k.Fatal(err)
	}
	k.Setenv("GOWORK", work)
}

// test runs a test of this package with the tree. It is behind a build tag of its own.
func (k tree) test(tag, name string) {
	k.Helper()
	k.use()
	out := k.run(".", "go", "test", "-vet=off", "-tags", tag, "-run", "^"+name+"$", "-v", ".")
	if !strings.Contains(out, "--- PASS: "+name) {
		k.Errorf("nothing was tested:\n%s", out)
	}
}

// With the patch, a provider guards Karpenter by an option of NewControllers.
func TestTheUpstreamPatchGuardsKarpenter(t *testing.T) {
	patched(t, "disruption-methods.patch").test("upstream", "TestZonesTakeTurns")
}
