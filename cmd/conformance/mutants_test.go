package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

var mutants = flag.Bool("mutants", false, "build programs that decide wrongly, and judge their answers: some minutes")

// planted are faults of Decide: in a file, one text becomes another.
var planted = []struct{ name, file, text, wrong string }{
	{"a budget lets one node too many go", "internal/gate/budgets/now.go", "q.Allowance.Remaining(g.taken(q)) <= 0", "q.Allowance.Remaining(g.taken(q)) < 0"},
	{"a pace lets one start too many", "internal/gate/budgets/now.go", "may.Nodes <= 0,", "may.Nodes < 0,"},
	{"a PDB lets one pod too many go", "internal/evict/gate.go", "if g.pdbs[u.PDB].left <= 0 {\n\t\t\t\t", "if g.pdbs[u.PDB].left < 0 {\n\t\t\t\t"},
	{"a zone lets one node too many go", "internal/gate/zones/zoning.go", "if taken < z.room[domain] {", "if taken <= z.room[domain] {"},
	{"do-not-disrupt protects a pod after its time", "internal/evict/pod.go", "now.Before(p.Started.Add(protect))", "!now.Before(p.Started.Add(protect))"},
	{"a pause ends late", "probe/pause.go", "p.Until.IsZero() || now.Before(p.Until)", "p.Until.IsZero() || !now.After(p.Until.Add(3600e9))"},
	{"a back-off holds back for other reasons", "internal/gate/backoff/now.go", "candidate.Drifted.Covers(reason) ||", "!candidate.Drifted.Covers(reason) ||"},
	{"nodes that drain no longer count", "candidate/node.go", "n.Leaving != Terminating\n", "n.Leaving == Staying\n"},
	{"a roll loses patience early", "topology/options.go", "defaultPatience = 15 * time.Minute", "defaultPatience = 14 * time.Minute"},
	{"the next change is told late", "internal/later/reading.go", "if at.After(l.row.Now) {", "if at.After(l.row.Now.Add(1800e9)) {"},
}

func TestTheJudgeFindsEachPlantedFault(t *testing.T) {
	if !*mutants {
		t.Skip("it builds ten programs: write -mutants")
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	cases := bundledCases(t)
	for _, m := range planted {
		t.Run(strings.ReplaceAll(m.name, " ", "-"), func(t *testing.T) {
			program := mutated(t, root, m.file, m.text, m.wrong)
			answer := exec.Command(program, "answer")
			answer.Stdin = bytes.NewReader(cases)
			answers, err := answer.Output()
			if err != nil {
				t.Fatal(err)
			}
			var out, errs bytes.Buffer
			if status := run([]string{"check"}, bytes.NewReader(answers), &out, &errs); status != 1 {
				t.Fatalf("the status is %d: %s%s", status, &out, &errs)
			}
			lines := strings.Split(strings.TrimSpace(out.String()), "\n")
			t.Logf("%s\nsuch as %s", lines[len(lines)-1], lines[0])
		})
	}
}

// mutated builds this program with another text in a file.
func mutated(t *testing.T, root, file, text, wrong string) string {
	t.Helper()
	path, dir := filepath.Join(root, filepath.FromSlash(file)), t.TempDir()
	source, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(source), text); n != 1 {
		t.Fatalf("%s has %q %d times, and not once: plant the fault elsewhere", file, text, n)
	}
	with := filepath.Join(dir, "mutated.go")
	overlay, err := json.Marshal(map[string]any{"Replace": map[string]string{path: with}})
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string][]byte{with: []byte(strings.Replace(string(source), text, wrong, 1)), filepath.Join(dir, "overlay.json"): overlay} {
		if err := os.WriteFile(name, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	program := filepath.Join(dir, "program.exe")
	if out, err := exec.Command("go", "build", "-overlay", filepath.Join(dir, "overlay.json"), "-o", program, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return program
}
