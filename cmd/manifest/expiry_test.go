package manifest_test

import (
	"testing"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
)

// Karpenter, nodeclaim/expiration.Controller.Reconcile: "expirationTime := nodeClaim.CreationTimestamp.Add(*nodeClaim.Spec.ExpireAfter.Duration)".
func TestWhenANodeExpires(t *testing.T) {
	created := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
	for rule, test := range map[string]struct {
		claim   string
		expires time.Time
		grace   time.Duration
	}{
		"the NodeClaim's own expireAfter, from its creation": {`spec: {expireAfter: 720h}`, created.Add(720 * time.Hour), 0},
		"Never":                    {`spec: {expireAfter: Never}`, time.Time{}, 0},
		"no expireAfter":           {`spec: {}`, time.Time{}, 0},
		"a terminationGracePeriod": {`spec: {terminationGracePeriod: 2h}`, time.Time{}, 2 * time.Hour},
		"one that cannot be read":  {`spec: {expireAfter: soon, terminationGracePeriod: long}`, time.Time{}, 0},
		"both":                     {`spec: {expireAfter: 1h, terminationGracePeriod: 5m}`, created.Add(time.Hour), 5 * time.Minute},
	} {
		t.Run(rule, func(t *testing.T) {
			claim := different(t, nodeClaim, `{metadata: {creationTimestamp: "2026-11-01T00:00:00Z"}}`)
			c := read(t, documents(nodePool, different(t, claim, test.claim), node, pod))
			n := candidate.Node{Name: "node-1"}
			if got := c.Expires(n); !got.Equal(test.expires) {
				t.Errorf("it expires at %s, want %s", got, test.expires)
			}
			if got := c.Grace(n); got != test.grace {
				t.Errorf("its drain takes up to %s, want %s", got, test.grace)
			}
		})
	}
}

// Two Nodes may share a name in a file that was put together. Which of them is meant is not known.
func TestOfNodesThatShareANameTheFirstThatExpiresCounts(t *testing.T) {
	claim := func(name, after string) string {
		return different(t, nodeClaim, `{metadata: {name: `+name+`, creationTimestamp: "2026-11-01T00:00:00Z"}, spec: {expireAfter: `+after+`}}`)
	}
	for _, order := range [][2]string{{"48h", "24h"}, {"24h", "48h"}, {"Never", "24h"}, {"24h", "Never"}} {
		c := read(t, documents(nodePool, claim("a", order[0]), claim("b", order[1]), node, pod))
		if got, want := c.Expires(candidate.Node{Name: "node-1"}), time.Date(2026, 11, 2, 0, 0, 0, 0, time.UTC); !got.Equal(want) {
			t.Errorf("%v: %s, want %s", order, got, want)
		}
	}
}
