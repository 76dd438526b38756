package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/disruptkit/disruptkit/cmd/replay"
)

var mutants = flag.Bool("mutants", false, "build programs that decide wrongly, and judge their answers: some minutes")

// planted are faults of Decide: in a file, one text becomes another.
var planted = []struct{ name, file, text, wrong string }{
	{"a budget lets one node too many go", "gate_budgets.go", "q.Allowance.Remaining(g.taken(q)) > 0 &&", "q.Allowance.Remaining(g.taken(q)) >= 0 &&"},
	{"a pace lets one start too many", "gate_budgets.go", "g.mayStart(q).Nodes > 0", "g.mayStart(q).Nodes >= 0"},
	{"a PDB lets one pod too many go", "candidate/pod_gate.go", "if g.pdbs[u.PDB].left <= 0 {\n\t\t\t\t", "if g.pdbs[u.PDB].left < 0 {\n\t\t\t\t"},
	{"a zone lets one node too many go", "gate_zones.go", "z.taken[i] >= z.room[i] {", "z.taken[i] > z.room[i] {"},
	{"do-not-disrupt protects a pod after its time", "candidate/pod_blocker.go", "now.Before(p.Started.Add(protect))", "!now.Before(p.Started.Add(protect))"},
	{"a pause ends late", "probe/pause.go", "p.Until.IsZero() || now.Before(p.Until)", "p.Until.IsZero() || !now.After(p.Until.Add(3600e9))"},
	{"a back-off holds back for other reasons", "gate_backoff.go", "candidate.Drifted.Covers(reason) ||", "!candidate.Drifted.Covers(reason) ||"},
	{"nodes that drain no longer count", "candidate/node.go", "n.Leaving != Terminating\n", "n.Leaving == Staying\n"},
	{"a roll loses patience early", "topology/options.go", "defaultPatience = 15 * time.Minute", "defaultPatience = 14 * time.Minute"},
	{"the next change is told late", "session.go", "if at.After(c.now) {", "if at.After(c.now.Add(1800e9)) {"},
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

// astray are faults by which decisions leave the model of topology, and the law that finds them.
var astray = []struct{ law, name, file, text, wrong string }{
	{"TURNS", "two zones roll at once", "topology/turn.go", "if other := t.rolling(active); other != nil {", "if other := t.rolling(active); other != nil && t.now.IsZero() {"},
	{"MEMORY", "what terminates rolls no more", "topology/domain.go", "rolling := n.InFlight()", "rolling := n.Leaving != candidate.Terminating && n.InFlight()"},
	{"LIMITS", "a zone lets one node too many go", "gate_zones.go", "z.taken[i] >= z.room[i] {", "z.taken[i] > z.room[i] {"},
	{"LIMITS", "what is in flight takes no place in its zone", "topology/domain.go", "d.InFlight++", "d.InFlight += 0"},
	{"LIMITS", "a budget lets one node too many go", "gate_budgets.go", "q.Allowance.Remaining(g.taken(q)) > 0 &&", "q.Allowance.Remaining(g.taken(q)) >= 0 &&"},
	{"ORDER", "a zone is left that is not done", "topology/turn.go", "if end, held := t.held(*last); held {", "if end, held := t.held(*last); held && last.Rolling > 0 {"},
	{"ORDER", "the zone of the youngest node is next", "topology/domain.go", "\t\treturn c < 0\n", "\t\treturn c > 0\n"},
	{"MEMORY", "a turn is not remembered", "topology/turn.go", "s.Started = Roll{Key: b.Key, Domain: active.Name}", "s.Started = s.Kept"},
}

// What this program decides is in the model of topology. A wrong program would make the same decisions again.
func TestWhatThisProgramDecidesIsInTheModel(t *testing.T) {
	decided, errs, status := ran(bundled, "decide")
	if status != 0 {
		t.Fatal(errs)
	}
	if _, err := replay.Check(strings.NewReader(decided), func(d replay.Divergence) { t.Error(d) }); err != nil {
		t.Error(err)
	}
}

// A program that decides wrongly finds so by the model alone.
func TestTheModelFindsEachPlantedFault(t *testing.T) {
	if !*mutants {
		t.Skip("it builds eight programs: write -mutants")
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range astray {
		t.Run(strings.ReplaceAll(m.name, " ", "-"), func(t *testing.T) {
			overlay := plant(t, root, m.file, m.text, m.wrong)
			out, _ := exec.Command("go", "test", "-overlay", overlay, "-run", "^TestWhatThisProgramDecidesIsInTheModel$", ".").Output()
			all := regexp.MustCompile(`mutants_test.go:\d+: (.*)`).FindAllStringSubmatch(string(out), -1)
			found := 0
			for _, line := range all {
				if !strings.HasSuffix(line[1], ")") {
					t.Errorf("it is decided otherwise the second time: %s", line[1])
				}
				if strings.HasSuffix(line[1], "("+m.law+")") {
					found++
				}
			}
			if found == 0 {
				t.Fatalf("%s does not find it:\n%s", m.law, out)
			}
			t.Logf("%d faults, %d of them by %s, such as %s", len(all), found, m.law, all[0][1])
		})
	}
}

// mutated builds this program with another text in a file.
func mutated(t *testing.T, root, file, text, wrong string) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "program.exe")
	if out, err := exec.Command("go", "build", "-overlay", plant(t, root, file, text, wrong), "-o", program, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return program
}

// plant writes another text in the place of one in a file, and returns the overlay by which go builds with it.
func plant(t *testing.T, root, file, text, wrong string) (overlay string) {
	t.Helper()
	path, dir := filepath.Join(root, filepath.FromSlash(file)), t.TempDir()
	source, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(source), text); n != 1 {
		t.Fatalf("%s has %q %d times, and not once: plant the fault elsewhere", file, text, n)
	}
	with, overlay := filepath.Join(dir, "mutated.go"), filepath.Join(dir, "overlay.json")
	replaced, err := json.Marshal(map[string]any{"Replace": map[string]string{path: with}})
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string][]byte{with: []byte(strings.Replace(string(source), text, wrong, 1)), overlay: replaced} {
		if err := os.WriteFile(name, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return overlay
}
