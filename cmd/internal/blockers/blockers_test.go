package blockers

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/disruptkit/disruptkit/cmd/golden"
	"github.com/disruptkit/disruptkit/cmd/internal/command"
)

func blocked(args ...string) (stdout, stderr string, status int) {
	var out, failed bytes.Buffer
	status = command.Run(context.Background(), command.Environment{Stdin: strings.NewReader(""), Stdout: &out, Stderr: &failed}, Command, args)
	return out.String(), failed.String(), status
}

func TestBlockersOfTheExample(t *testing.T) {
	text, _, _ := blocked()
	golden.Check(t, "demo.txt", text)
	json, _, _ := blocked("-o", "json", "--by", "owner")
	golden.Check(t, "owners.json", json)
	if _, stderr, status := blocked("--by", "team"); status != command.Hopeless || !strings.Contains(stderr, `--by "team" is unknown: write blocker, owner, namespace, or label=KEY`) {
		t.Errorf("status %d: %s", status, stderr)
	}
}
