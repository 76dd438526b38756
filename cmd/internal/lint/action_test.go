package lint

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// The step of action.yml that lints, run as GitHub runs it, with a command that prints its arguments.
func TestTheActionHandsItsInputsOver(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil || runtime.GOOS == "windows" {
		t.Skip("it needs bash")
	}
	text, err := os.ReadFile("../../../action.yml")
	if err != nil {
		t.Fatal(err)
	}
	var action struct {
		Inputs map[string]struct{ Default string }
		Runs   struct {
			Steps []struct {
				Env map[string]string
				Run string
			}
		}
	}
	if err := yaml.Unmarshal(text, &action); err != nil {
		t.Fatal(err)
	}
	step := action.Runs.Steps[len(action.Runs.Steps)-1]
	for _, test := range []struct {
		name   string
		inputs map[string]string
		want   string
		status int
	}{
		{"defaults", map[string]string{"files": "pools/a.yaml"}, "lint -R --engine karpenter --disable  --fail-on error -o github -- pools/a.yaml\n", 0},
		{"patterns and spaces", map[string]string{"files": "pools/**/*.yaml\nb c.yaml"},
			"lint -R --engine karpenter --disable  --fail-on error -o github -- pools/a.yaml pools/deep/d.yaml b c.yaml\n", 0},
		{"a directory", map[string]string{"files": "pools"}, "lint -R --engine karpenter --disable  --fail-on error -o github -- pools\n", 0},
		{"all inputs", map[string]string{"files": "b c.yaml", "engine": "guard", "disable": "rounds-up,no-budgets", "fail-on": "warning", "nodes": "7", "exclude": "templates\nold/*.yaml\n"},
			"lint -R --engine guard --disable rounds-up,no-budgets --fail-on warning --nodes 7 --exclude=templates --exclude=old/*.yaml -o github -- b c.yaml\n", 0},
		{"no command in an input", map[string]string{"files": "b c.yaml", "disable": "$(touch pwned); `touch pwned`"},
			"lint -R --engine karpenter --disable $(touch pwned); `touch pwned` --fail-on error -o github -- b c.yaml\n", 0},
		{"no file", map[string]string{"files": "pools/*.yml"}, "::error title=disruptkit::no file matches: pools/*.yml\n", 2},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			for name, content := range map[string]string{
				"pools/a.yaml": "", "pools/deep/d.yaml": "", "b c.yaml": "",
				"bin/disruptkit/kubectl-disruption": "#!/bin/sh\necho \"$*\"\n",
			} {
				path := filepath.Join(dir, filepath.FromSlash(name))
				if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, []byte(content), 0o755); err != nil {
					t.Fatal(err)
				}
			}
			command := exec.CommandContext(t.Context(), bash, "--noprofile", "--norc", "-eo", "pipefail", "-c", step.Run)
			command.Dir = dir
			command.Env = append(os.Environ(), "RUNNER_TEMP="+filepath.Join(dir, "bin"))
			for name, value := range step.Env {
				input := strings.TrimSuffix(strings.TrimPrefix(value, "${{ inputs."), " }}")
				if _, known := action.Inputs[input]; !known {
					t.Fatalf("%s is no input", value)
				}
				given, isGiven := test.inputs[input]
				if !isGiven {
					given = action.Inputs[input].Default
				}
				command.Env = append(command.Env, name+"="+given)
			}
			out, err := command.Output()
			if command.ProcessState.ExitCode() != test.status || string(out) != test.want {
				t.Errorf("%v: got %q, want %q", err, out, test.want)
			}
			if entries, _ := os.ReadDir(dir); slices.ContainsFunc(entries, func(e os.DirEntry) bool { return e.Name() == "pwned" }) {
				t.Error("an input is run")
			}
		})
	}
}
