package explain

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/disruptkit/disruptkit/cmd/internal/command"
)

func explained(args ...string) (stdout, stderr string, status int) {
	var out, failed bytes.Buffer
	status = command.Run(context.Background(), command.Environment{Stdin: strings.NewReader(""), Stdout: &out, Stderr: &failed}, Command, args)
	return out.String(), failed.String(), status
}

func TestEachCodeIsExplainedWithAnExampleAndWhatToDo(t *testing.T) {
	stdout, stderr, status := explained("pod/exhausted", "never-fires")
	if status != command.Good || stderr != "" || strings.Count(stdout, "\n  Example: ") != 2 || strings.Count(stdout, "\n  What to do: ") != 2 {
		t.Errorf("status %d: %s%s", status, stderr, stdout)
	}
	all, _, _ := explained()
	for _, e := range All() {
		if e.Code == "" || e.Means == "" || e.Example == "" || e.Do == "" || !strings.Contains("\n"+all, "\n"+e.Code+" ") {
			t.Errorf("%+v", e)
		}
	}
}

func TestWhatExplainRefuses(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"-x"}, "write explain --help to see the flags"},
		{[]string{"exhausted", "nope"}, `there is no code "nope"`},
		{[]string{""}, "there is no code"},
	} {
		if _, stderr, status := explained(c.args...); status != command.Hopeless || !strings.Contains(stderr, c.want) {
			t.Errorf("%q: status %d, %s", c.args, status, stderr)
		}
	}
	if stdout, stderr, status := explained("--help"); status != command.Good || stderr != "" || !strings.Contains(stdout, "CODE...") {
		t.Errorf("%d %s %s", status, stdout, stderr)
	}
}
