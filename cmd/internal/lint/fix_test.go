package lint

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const unfixed = `# of the web team
apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: web}
spec:
  disruption:
    consolidateAfter: 0s
    budgets:
      - nodes: "10%" # base
      # by day
      - schedule: "@daily"
        duration: 24h
        nodes: "5%" # less
`

const fixedDiff = `@@ -8,6 +8,4 @@
     budgets:
       - nodes: "10%" # base
       # by day
-      - schedule: "@daily"
-        duration: 24h
-        nodes: "5%" # less
+      - nodes: "5%" # less
`

// What --fix writes is what --diff shows, and lint is silent about it afterwards. The rest of the file stays.
func TestFixWritesWhatDiffShows(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pools.yaml")
	write := func() {
		if err := os.WriteFile(path, []byte(unfixed), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	read := func() string {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	write()
	diff := linted("", "--diff", path)
	if d := cmp.Diff("--- "+path+"\n+++ "+path+"\n"+fixedDiff, diff.stdout); d != "" || diff.status != 0 || read() != unfixed {
		t.Error(d, diff)
	}
	fixed := linted("", "--fix", path)
	if strings.Contains(fixed.stdout, "never-closes") || fixed.stderr != "note: 1 NodePool changed; what is left:\n" {
		t.Error(fixed)
	}
	want := strings.Replace(unfixed, "schedule: \"@daily\"\n        duration: 24h\n        ", "", 1)
	if d := cmp.Diff(want, read()); d != "" {
		t.Error(d)
	}
	if again := linted("", "--fix", path); read() != want || again.stderr != "" {
		t.Error(again)
	}
	if chosen := linted("", "--fix=never-binds:1", path); chosen.status != 0 || strings.Contains(read(), "10%") {
		t.Error(chosen, read())
	}
	for _, bad := range []string{"--fix=none:1", "--fix=never-binds:0", "--fix=never-binds:x"} {
		if got := linted("", bad, path); got.status != 2 {
			t.Error(bad, got)
		}
	}
}

// Without a file to change, lint says so.
func TestWhatComesFromNoFileIsNotFixed(t *testing.T) {
	got := linted(unfixed, "--fix", "-")
	if !strings.Contains(got.stderr, "note: web: ") || !strings.Contains(got.stdout, "never-closes") {
		t.Error(got)
	}
}
