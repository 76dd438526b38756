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

// A diff has no line twice, and three lines around each change.
func TestADiffHasOnlyTheLinesThatChange(t *testing.T) {
	budgets := `      - {nodes: "5%", schedule: "@daily", duration: 24h}
`
	for name, c := range map[string]struct{ between, want string }{
		"one hunk": {`      - {nodes: "1", reasons: [Unhealthy]}
`, `@@ -6,6 +6,6 @@
   disruption:
     consolidateAfter: 0s
     budgets:
-      - {nodes: "5%", schedule: "@daily", duration: 24h}
+      - {nodes: "5%"}
       - {nodes: "1", reasons: [Unhealthy]}
-      - {nodes: "5%", schedule: "@daily", duration: 24h}
+      - {nodes: "5%"}
`},
		"one hunk, where the lines around meet": {strings.Repeat("      - {nodes: \"1\", reasons: [Unhealthy]}\n", 6), `@@ -6,11 +6,11 @@
   disruption:
     consolidateAfter: 0s
     budgets:
-      - {nodes: "5%", schedule: "@daily", duration: 24h}
+      - {nodes: "5%"}
       - {nodes: "1", reasons: [Unhealthy]}
       - {nodes: "1", reasons: [Unhealthy]}
       - {nodes: "1", reasons: [Unhealthy]}
       - {nodes: "1", reasons: [Unhealthy]}
       - {nodes: "1", reasons: [Unhealthy]}
       - {nodes: "1", reasons: [Unhealthy]}
-      - {nodes: "5%", schedule: "@daily", duration: 24h}
+      - {nodes: "5%"}
`},
		"two hunks": {strings.Repeat("      - {nodes: \"1\", reasons: [Unhealthy]}\n", 7), `@@ -6,7 +6,7 @@
   disruption:
     consolidateAfter: 0s
     budgets:
-      - {nodes: "5%", schedule: "@daily", duration: 24h}
+      - {nodes: "5%"}
       - {nodes: "1", reasons: [Unhealthy]}
       - {nodes: "1", reasons: [Unhealthy]}
       - {nodes: "1", reasons: [Unhealthy]}
@@ -14,4 +14,4 @@
       - {nodes: "1", reasons: [Unhealthy]}
       - {nodes: "1", reasons: [Unhealthy]}
       - {nodes: "1", reasons: [Unhealthy]}
-      - {nodes: "5%", schedule: "@daily", duration: 24h}
+      - {nodes: "5%"}
`},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "pools.yaml")
			head := unfixed[:strings.Index(unfixed, "      - nodes")]
			if err := os.WriteFile(path, []byte(head+budgets+c.between+budgets), 0o600); err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff("--- "+path+"\n+++ "+path+"\n"+c.want, linted("", "--diff", path).stdout); d != "" {
				t.Error(d)
			}
		})
	}
}

// Without a file to change, lint says so.
func TestWhatComesFromNoFileIsNotFixed(t *testing.T) {
	got := linted(unfixed, "--fix", "-")
	if !strings.Contains(got.stderr, "note: web: ") || !strings.Contains(got.stdout, "never-closes") {
		t.Error(got)
	}
}

// A list that people paste is changed where it stands, and what is around it stays. Lint is silent about it then.
func TestFixChangesWhatPeoplePaste(t *testing.T) {
	const night, day = `"schedule": "0 22 * * *", "duration": "8h"`, `"schedule": "0 6 * * *", "duration": "16h"`
	for was, is := range map[string]string{
		`[{"nodes": "10%"}, {"nodes": "20%", ` + night + `}]`:                                                                             `[{"nodes": "10%", ` + day + `}, {"nodes": "20%", ` + night + `}]`,
		"[\n  {\"nodes\": \"10%\"},\n  {\"nodes\": \"20%\", " + night + "}\n]\n":                                                          "[\n  {\"nodes\": \"10%\", " + day + "},\n  {\"nodes\": \"20%\", " + night + "}\n]\n",
		"- nodes: 10% # all\n# nights\n- {nodes: 20%, " + night + "}\n":                                                                   "- nodes: 10% # all\n  schedule: \"0 6 * * *\"\n  duration: 16h\n# nights\n- {nodes: 20%, " + night + "}\n",
		"# Pools\n\n```yaml\nbudgets:\n- {nodes: 10%}\n- {nodes: 20%, " + night + "}\n```\nMore.\n":                                       "# Pools\n\n```yaml\nbudgets:\n- {nodes: 10%, schedule: \"0 6 * * *\", duration: 16h}\n- {nodes: 20%, " + night + "}\n```\nMore.\n",
		"resource \"x\" \"y\" {\n  yaml_body = <<-YAML\n    budgets:\n    - {nodes: 10%}\n    - {nodes: 20%, " + night + "}\n  YAML\n}\n": "resource \"x\" \"y\" {\n  yaml_body = <<-YAML\n    budgets:\n    - {nodes: 10%, schedule: \"0 6 * * *\", duration: 16h}\n    - {nodes: 20%, " + night + "}\n  YAML\n}\n",
	} {
		path := filepath.Join(t.TempDir(), "pool.yaml")
		if err := os.WriteFile(path, []byte(was), 0o600); err != nil {
			t.Fatal(err)
		}
		got := linted("", "--fix=never-binds:1", path)
		if text, _ := os.ReadFile(path); string(text) != is || !strings.Contains(got.stdout, "no findings") {
			t.Errorf("%q became %q, want %q: %v", was, text, is, got)
		}
	}
}

// Several choices are taken one after the other, however they are written, and what cannot be taken is said.
func TestChoicesAreTakenOneAfterTheOther(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pool.yaml")
	typo := nodePool("{nodes: \"0\", schedule: \"0 0 * * sat-sun\", duration: 24h} # weekends\n{nodes: 10%}\n{nodes: 20%, schedule: \"0 22 * * *\", duration: 8h}")
	corrected := strings.Replace(typo, "sat-sun", "sat,sun", 1)
	chosen := strings.Replace(corrected, "{nodes: 10%}", `{nodes: 10%, schedule: "0 6 * * *", duration: 16h}`, 1)
	for _, c := range []struct{ args, want, says string }{
		{"--fix=never-binds:1", typo, "note: no finding has the fix never-binds:1\n"},
		{"--diff --fix --fix=never-binds:1", typo, "note: this is obvious"},
		{"--fix=never-binds:1,invalid:1", corrected, "note: no finding has the fix never-binds:1\nnote: 1 NodePool changed"},
		{"--fix=invalid:1,never-binds:1", chosen, "note: 1 NodePool changed; what is left:\n"},
		{"--fix --fix=never-binds:1", chosen, "note: 1 NodePool changed; what is left:\n"},
		{"--fix=obvious,never-binds:2", strings.Replace(corrected, "    - {nodes: 20%, schedule: \"0 22 * * *\", duration: 8h}\n", "", 1), ""},
		{"--fix=obvious,never-binds:3", corrected, "no finding has the fix never-binds:3\n"},
		{"--fix=invalid:1 --fix=never-binds:1 --fix=never-binds:1", chosen, "no finding has the fix never-binds:1\n"},
	} {
		if err := os.WriteFile(path, []byte(typo), 0o600); err != nil {
			t.Fatal(err)
		}
		got := linted("", append(strings.Fields(c.args), path)...)
		if text, _ := os.ReadFile(path); string(text) != c.want || !strings.Contains(got.stderr, c.says) {
			t.Errorf("%s: %s\n%v", c.args, text, got)
		}
	}
}

// What waits for a typo to be corrected is taken as well, whatever else is read, and nothing is said twice.
func TestFixesThatWaitForOthersAreTakenAsWell(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pool.yaml")
	write := func() {
		if err := os.WriteFile(path, []byte(nodePool("{nodes: \"0\", schedule: \"0 0 * * sat-sun\", duration: 24h}\n{nodes: \"5\", schedule: \"0 22 * * *\", duration: 48h}")), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write()
	if got := linted("", "--diff", path); !strings.Contains(got.stdout, "sat,sun") || !strings.Contains(got.stderr, "note: this is obvious; what follows depends on it\n") {
		t.Error(got)
	}
	got := linted("x: 1\n---\n"+nodePool(`{nodes: "10%"}`), "--fix", path, "-")
	want := nodePool("{nodes: \"0\", schedule: \"0 0 * * sat,sun\", duration: 24h}\n{nodes: \"5\"}")
	if text, _ := os.ReadFile(path); string(text) != want || got.status != 0 || !strings.Contains(got.stdout, "2 NodePools") {
		t.Errorf("%s\n%+v", text, got)
	}
	if strings.Count(got.stderr, "skipped") != 1 { // though it looks again and again
		t.Error(got.stderr)
	}
}

// A typo with one reading is also written out outside of the budgets. The API server's defaults, and what has no reading, stay.
func TestFixCorrectsWhatIsBesideBudgets(t *testing.T) {
	for was, is := range map[string]string{
		"expireAfter: 30d": "expireAfter: 720h", "expireAfter: \"P14D\" # two weeks": "expireAfter: \"336h\" # two weeks", "expireAfter: 720": "expireAfter: 720",
		"expireAfter: Never\n      terminationGracePeriod: '1.5h'": "expireAfter: Never\n      terminationGracePeriod: '1h30m'",
		"consolidateAfter: 1d": "consolidateAfter: 24h", "consolidateAfter: soon": "consolidateAfter: soon",
		"consolidationPolicy: WhenUnderutilized": "consolidationPolicy: WhenEmptyOrUnderutilized", "consolidationPolicy: whenEmpty": "consolidationPolicy: WhenEmpty",
		"consolidationPolicy: Always": "consolidationPolicy: Always",
	} {
		name := strings.SplitAfter(was, ":")[0]
		full := map[string]string{"expireAfter:": "expireAfter: Never", "consolidateAfter:": "consolidateAfter: 1m", "consolidationPolicy:": "consolidationPolicy: WhenEmptyOrUnderutilized"}[name]
		for _, e := range []string{"karpenter", "guard", "steward", "disruptkit"} {
			if e == "disruptkit" && (name == "expireAfter:" || strings.Contains(was, "WhenUnderutilized")) {
				continue // an autoscaler of one's own does not read it, or knows it
			}
			path := filepath.Join(t.TempDir(), "pool.yaml")
			if err := os.WriteFile(path, []byte(nodePool("{nodes: 10%}", full, was)), 0o600); err != nil {
				t.Fatal(err)
			}
			got := linted("", "--engine", e, "--fix", path)
			if text, _ := os.ReadFile(path); string(text) != nodePool("{nodes: 10%}", full, is) || strings.Contains(got.stdout, "error") != (was == is) {
				t.Errorf("%s: %q became %s, want %q: %v", e, was, text, is, got)
			}
		}
	}
}
