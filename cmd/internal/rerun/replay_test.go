package rerun

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/internal/command"
	"github.com/disruptkit/disruptkit/cmd/replay"
)

// recorded returns the recording of two decisions, on one node each.
func recorded(t *testing.T) string {
	t.Helper()
	var to bytes.Buffer
	r := replay.NewRecorder(&to, func(err error) { t.Error(err) })
	now := time.Date(2026, time.November, 20, 12, 0, 0, 0, time.UTC)
	for _, name := range []string{"a", "b"} {
		r.Decide(disruptkit.Input{Now: now, Pools: []disruptkit.Pool{{Name: "web"}}, Nodes: []candidate.Node{{
			Name: name, Pool: "web", Phase: candidate.Running, Conditions: []candidate.Condition{{Reason: candidate.Drifted, Since: now}},
		}}}, candidate.Drifted)
	}
	return to.String()
}

func TestReplaySaysWhatDiffers(t *testing.T) {
	good := recorded(t)
	bad := strings.Replace(good, `"allowed":[{"node":"b"`, `"allowed":[{"node":"c"`, 1)
	dir := t.TempDir()
	for name, text := range map[string]string{"good": good, "bad": bad, "half": good[:len(good)-20]} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
	for _, row := range []struct {
		args, stdin    string
		stdout, stderr string
		status         int
	}{
		{"good", "", "2 decisions: none differs, none is wrong\n", "", command.Good},
		{"good good", "", "4 decisions: none differs, none is wrong\n", "", command.Good},
		{"-", good, "2 decisions: none differs, none is wrong\n", "", command.Good},
		{"good bad", "", "line 2: decision 2: allowed[0].node is \"b\", want \"c\"\n1 of 4 decisions differ, or are wrong\n", "", command.Faulty},
		{"half", "", "1 decision: none differs, none is wrong\n", "replay: half: line 2: it is no case: unexpected EOF\n", command.Hopeless},
		{"none half bad", "", "line 2: decision 2: allowed[0].node is \"b\", want \"c\"\n1 of 3 decisions differ, or are wrong\n",
			"replay: open none: no such file or directory\nhalf: line 2: it is no case: unexpected EOF\n", command.Hopeless},
		{"none", "", "", "replay: open none: no such file or directory\n", command.Hopeless},
		{"-", "", "", "replay: -: there is no case in it: each line is to be one\n", command.Hopeless},
		{"", "", "", "replay: which recording? Write a file, or - for standard input\n", command.Hopeless},
	} {
		var stdout, stderr bytes.Buffer
		env := command.Environment{Stdin: strings.NewReader(row.stdin), Stdout: &stdout, Stderr: &stderr}
		status := command.Run(t.Context(), env, Command, strings.Fields(row.args))
		if status != row.status || stdout.String() != row.stdout || stderr.String() != row.stderr {
			t.Errorf("replay %s: status %d\n%s%s, want %d\n%s%s", row.args, status, &stdout, &stderr, row.status, row.stdout, row.stderr)
		}
	}
}
