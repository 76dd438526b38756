package manifest_test

import (
	"strings"
	"testing"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/engine"
	"github.com/disruptkit/disruptkit/cmd/manifest"
)

// Two nodes of a NodePool that is opted in: held by the steward, and by somebody else.
const stewarded = `
apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: p, annotations: {disruptkit.dev/steward: "true"}}
spec: {disruption: {budgets: [{nodes: 100%}]}}
---
apiVersion: karpenter.sh/v1
kind: NodeClaim
metadata: {name: ours, labels: {karpenter.sh/nodepool: p}}
status: {nodeName: ours, conditions: [{type: Drifted, status: "True", lastTransitionTime: "2026-11-20T09:00:00Z"}]}
---
apiVersion: karpenter.sh/v1
kind: NodeClaim
metadata: {name: theirs, labels: {karpenter.sh/nodepool: p}}
status: {nodeName: theirs, conditions: [{type: Drifted, status: "True", lastTransitionTime: "2026-11-20T09:00:00Z"}]}
---
apiVersion: v1
kind: Node
metadata:
  name: ours
  labels: {karpenter.sh/nodepool: p, karpenter.sh/registered: "true", karpenter.sh/initialized: "true"}
  annotations: {karpenter.sh/do-not-disrupt: "true", disruptkit.dev/held: "Drifted: probe/paused"}
status: {conditions: [{type: Ready, status: "True"}]}
---
apiVersion: v1
kind: Node
metadata:
  name: theirs
  labels: {karpenter.sh/nodepool: p, karpenter.sh/registered: "true", karpenter.sh/initialized: "true"}
  annotations: {karpenter.sh/do-not-disrupt: "true"}
status: {conditions: [{type: Ready, status: "True"}]}
`

// The steward releases what it holds, and nothing else; for everybody else do-not-disrupt is what it says.
func TestOnlyTheStewardReleasesWhatItHolds(t *testing.T) {
	for as, want := range map[engine.Engine]string{engine.Steward: "ours", engine.Guard: "", engine.Karpenter: "", engine.Disruptkit: ""} {
		c, err := manifest.Policy{As: as, Whole: true}.Read(strings.NewReader(stewarded))
		if err != nil {
			t.Fatal(err)
		}
		d := c.Decide(c.Input(time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)), candidate.Drifted)
		var goes []string
		for _, a := range d.Allowed {
			goes = append(goes, a.Node)
		}
		if got := strings.Join(goes, " "); got != want {
			t.Errorf("%s: %q may be disrupted, want %q: %v", as, got, want, d.Blocked)
		}
	}
}

// Of a NodePool that takes no part the steward says so; its own annotations limit nothing, and no other engine warns of them.
func TestANodePoolIsOptedInOrAMessageSaysThatItIsNot(t *testing.T) {
	for text, want := range map[string]map[engine.Engine]bool{
		stewarded: {},
		strings.Replace(stewarded, `"true"}}`, `"yes"}}`, 1): {engine.Steward: true},
	} {
		for _, as := range engine.All {
			c, err := manifest.Policy{As: as, Whole: true}.Read(strings.NewReader(text))
			if err != nil {
				t.Fatal(err)
			}
			said := false
			for _, w := range c.Warnings() {
				said = said || strings.Contains(w.Field, "disruptkit.dev/steward")
			}
			if said != want[as] {
				t.Errorf("%s: warned is %v: %v", as, said, c.Warnings())
			}
		}
	}
}
