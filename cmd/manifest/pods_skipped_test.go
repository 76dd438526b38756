package manifest_test

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/internal/bundled"
	"github.com/disruptkit/disruptkit/cmd/manifest"
)

// Which nodes there are, how they are, and when they expire, is the same without Pods.
func TestNodesAreTheSameWithoutPods(t *testing.T) {
	type node struct {
		Name, Pool string
		Phase      candidate.Phase
		Leaving    candidate.Leaving
		Expires    string
	}
	nodes := func(p manifest.Policy) (all []node, pods int) {
		c, err := p.Read(bytes.NewReader(bundled.Cluster))
		if err != nil || len(c.Missing()) > 0 {
			t.Fatal(err, c.Missing())
		}
		for _, n := range c.Input(bundled.Now).Nodes {
			all, pods = append(all, node{n.Name, n.Pool, n.Phase, n.Leaving, c.Expires(n).String()}), pods+len(n.Pods)
		}
		return all, pods
	}
	whole, some := nodes(manifest.Policy{})
	without, none := nodes(manifest.Policy{WithoutPods: true})
	if diff := cmp.Diff(whole, without); diff != "" || some == 0 || none != 0 {
		t.Errorf("%d and %d pods (-with +without)\n%s", some, none, diff)
	}
}
