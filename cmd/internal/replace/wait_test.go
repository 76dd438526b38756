package replace

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"sigs.k8s.io/yaml"

	"github.com/disruptkit/disruptkit/cmd/internal/command"
)

const (
	both   = `{kind: List, items: [{kind: Node, metadata: {name: a}}, {kind: NodeClaim, metadata: {name: b}}]}`
	one    = `{kind: List, items: [{kind: NodeClaim, metadata: {name: b}}]}`
	others = `{kind: List, items: [{kind: NodeClaim, metadata: {name: b, creationTimestamp: "2026-11-20T10:00:00Z"}}, {kind: Pod, metadata: {name: a}}]}`
)

// A node is gone when the Node and the NodeClaim are, whatever has their names since; what cannot be read is not gone.
func TestTheWaitEndsWhenTheNodesAreGone(t *testing.T) {
	for _, c := range []struct {
		rule   string
		reads  []string // "": it fails
		status int
		says   string
	}{
		{"all nodes are gone", []string{both, one, others}, command.Good, "0 of 2 nodes gone\n1 of 2 nodes gone\n2 of 2 nodes gone\n"},
		{"the cluster cannot be read", []string{both, ""}, command.Hopeless, "0 of 2 nodes gone\n"},
	} {
		var list struct{ Items []*object }
		if err := yaml.Unmarshal([]byte(both), &list); err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		env := command.Environment{Stdout: &out, Cluster: func(string) (io.ReadCloser, error) {
			text := c.reads[0]
			if c.reads = c.reads[1:]; text == "" {
				return nil, errors.New("no connection")
			}
			return io.NopCloser(strings.NewReader(text)), nil
		}}
		o := options{every: time.Millisecond}
		status, err := o.await(t.Context(), env, machines(list.Items))
		if status != c.status || out.String() != c.says || (err != nil) != (status == command.Hopeless) {
			t.Errorf("%s: status %d, %v, %q", c.rule, status, err, out.String())
		}
	}
}
