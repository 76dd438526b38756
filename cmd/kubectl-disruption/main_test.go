package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// A result is what a run leaves behind.
type result struct {
	stdout, stderr string
	status         int
}

func ran(t *testing.T, args ...string) result {
	t.Helper()
	var stdout, stderr bytes.Buffer
	status := run(t.Context(), args, strings.NewReader(""), &stdout, &stderr)
	return result{stdout.String(), stderr.String(), status}
}

// fakeKubectl lets a script be kubectl.
func fakeKubectl(t *testing.T, script string) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("kubectl is a shell script here")
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "kubectl"), []byte("#!/bin/sh\n"+noPolicies+script), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
}

// noPolicies answers as a cluster without the CustomResourceDefinition of DisruptionPolicies.
const noPolicies = `case "$*" in
*"get --raw /apis/disruptkit.dev/v1alpha1") [ -n "$POLICIES" ] && exec sh -c "$POLICIES"
  echo "Error from server (NotFound): the server could not find the requested resource" >&2; exit 1 ;;
esac
`

const answering = `case "$*" in
"config current-context") echo prod-eu ;;
"--context prod-eu get "*" --all-namespaces --output json") cat "$OBJECTS" ;;
*) echo "unexpected: $*" >&2; exit 1 ;;
esac
`

func objects(t *testing.T, file string) {
	t.Helper()
	path, err := filepath.Abs(filepath.FromSlash(file))
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("OBJECTS", path)
}

func TestWithoutAFileTheClusterOfTheCurrentContextIsAsked(t *testing.T) {
	fakeKubectl(t, answering)
	objects(t, "../internal/bundled/cluster.json")
	for command, want := range map[string]string{
		"decide":   "asking the cluster of context prod-eu for nodepools, nodeclaims, nodes, pods, poddisruptionbudgets",
		"forecast": "asking the cluster of context prod-eu for nodepools, nodeclaims, nodes\n",
		"metrics":  "asking the cluster of context prod-eu for nodepools, nodeclaims",
	} {
		got := ran(t, command)
		if got.status == 2 || !strings.Contains(got.stderr, want) || !strings.Contains(got.stdout, "general") {
			t.Errorf("%s: status %d, %.300q, %.300q", command, got.status, got.stderr, got.stdout)
		}
	}
}

func TestAContextThatIsNotThereIsAnErrorThatSaysWhatToDo(t *testing.T) {
	fakeKubectl(t, "echo 'error: current-context is not set' >&2; exit 1\n")
	got := ran(t, "decide")
	want := "kubectl disruption decide: kubectl config current-context: error: current-context is not set\nto read what kubectl printed elsewhere, write -f FILE\n"
	if got.status != 2 || got.stderr != want {
		t.Errorf("%+v", got)
	}
}

func TestKubectlThatPrintsNothingIsAnError(t *testing.T) {
	fakeKubectl(t, `[ "$1" = config ] && { echo prod-eu; exit; }
echo 'error: You must be logged in to the server (Unauthorized)' >&2; exit 1
`)
	got := ran(t, "decide")
	if got.status != 2 || !strings.Contains(got.stderr, "Unauthorized") || !strings.Contains(got.stderr, "kubectl get: exit status 1") {
		t.Errorf("%+v", got)
	}
}

func TestUnderTheNameThatKubectlLooksForItCompletes(t *testing.T) {
	for _, row := range []struct{ args, want []string }{
		{[]string{"/bin/kubectl-disruption", "why", "a"}, []string{"why", "a"}},
		{[]string{"/bin/kubectl_complete-disruption", "why", ""}, []string{"__completeNoDesc", "why", ""}},
		{[]string{"kubectl_complete-disruption.exe", "w"}, []string{"__completeNoDesc", "w"}},
	} {
		if got := arguments(row.args); !slices.Equal(got, row.want) {
			t.Errorf("%q: %q, want %q", row.args, got, row.want)
		}
	}
}

type brokenPipe struct{}

func (brokenPipe) Write([]byte) (int, error) { return 0, errors.New("broken pipe") }

func TestOutputThatCannotBeWrittenIsExitStatus2(t *testing.T) {
	for command, formats := range map[string]string{
		"decide --demo": "text json", "explain": "text json", "forecast --demo": "text json svg", "plan --demo --try=false": "text json svg",
	} {
		for _, format := range strings.Fields(formats) {
			var stderr bytes.Buffer
			status := run(t.Context(), append(strings.Fields(command), "-o", format), strings.NewReader(""), brokenPipe{}, &stderr)
			if status != 2 || !strings.HasSuffix(stderr.String(), ": broken pipe\n") {
				t.Errorf("%s -o %s: exit status %d, stderr:\n%s", command, format, status, &stderr)
			}
		}
	}
}
