package explain

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/disruptkit/disruptkit/cmd/golden"
	"github.com/disruptkit/disruptkit/cmd/internal/command"
)

func explained(args ...string) (stdout, stderr string, status int) {
	var out, failed bytes.Buffer
	status = command.Run(context.Background(), command.Environment{Stdin: strings.NewReader(""), Stdout: &out, Stderr: &failed}, Command, args)
	return out.String(), failed.String(), status
}

func TestJSONOfCodes(t *testing.T) {
	stdout, stderr, status := explained("pod/exhausted", "-o", "json", "never-fires")
	if status != command.Good || stderr != "" {
		t.Errorf("status %d: %s", status, stderr)
	}
	golden.Check(t, "codes.json", stdout)

	all, _, _ := explained("-o", "json")
	var decoded jsonCodes
	if err := json.Unmarshal([]byte(all), &decoded); err != nil || len(decoded.Codes) != len(All()) {
		t.Errorf("%v, %d codes", err, len(decoded.Codes))
	}
	for _, c := range decoded.Codes {
		if c.Code == "" || c.Means == "" || c.Example == "" || c.Do == "" || c.Pods == "" {
			t.Errorf("%+v", c)
		}
	}
}

func TestWhatExplainRefuses(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"-o", "yaml"}, `-o "yaml" is unknown: write text or json`},
		{[]string{"-x"}, "write explain --help to see the flags"},
		{[]string{"nope", "-o", "json"}, `there is no code "nope"`},
		{[]string{""}, "there is no code"},
	} {
		if _, stderr, status := explained(c.args...); status != command.Hopeless || !strings.Contains(stderr, c.want) {
			t.Errorf("%q: status %d, %s", c.args, status, stderr)
		}
	}
	if stdout, stderr, status := explained("--help"); status != command.Good || stderr != "" || !strings.Contains(stdout, "--output format") {
		t.Errorf("%d %s %s", status, stdout, stderr)
	}
}
