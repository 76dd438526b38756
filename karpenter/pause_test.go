package karpenter

import (
	"strings"
	"testing"
	"time"

	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"
	"sigs.k8s.io/karpenter/pkg/cloudprovider"
	"sigs.k8s.io/karpenter/pkg/events"
)

// annotate writes an annotation of a pool, or removes it where there is no text, as a user does.
func (g *guarded) annotate(pool, name, text string) {
	g.Helper()
	var np v1.NodePool
	if err := g.Client.Get(g.Context(), metaName(pool), &np); err != nil {
		g.Fatal(err)
	}
	if np.Annotations == nil {
		np.Annotations = map[string]string{}
	}
	np.Annotations[name] = text
	if text == "" {
		delete(np.Annotations, name)
	}
	if err := g.Client.Update(g.Context(), &np); err != nil {
		g.Fatal(err)
	}
}

func TestAPauseBlocksItsPoolUntilItEnds(t *testing.T) {
	for name, c := range map[string]struct {
		text, said, warned string
		ends               time.Duration // 0: only once it is removed
	}{
		"a time": {"2026-11-20T14:00:00Z", "1 node is not disrupted for Drifted: probe/paused: paused by the annotation disruptkit.dev/pause (until 2026-11-20T14:00:00Z)", "", 2 * time.Hour},
		"an object": {"{until: 2026-11-20T13:00:00Z, by: alice, why: INC-1234}", "1 node is not disrupted for Drifted: probe/paused: paused by alice: INC-1234 (until 2026-11-20T13:00:00Z)",
			"", time.Hour},
		"true": {"true", "1 node is not disrupted for Drifted: probe/paused: paused by the annotation disruptkit.dev/pause",
			"metadata.annotations[disruptkit.dev/pause].until: the pause has no end, and applies until somebody removes it: write when it ends", 0},
		"one that cannot be read": {"until: 2h", `1 node is not disrupted for Drifted: budget/invalid-annotation: annotation disruptkit.dev/pause of the NodePool: field "until": "2h" is not valid: write a time such as 2026-11-22T14:00:00Z, or leave it out for no end`,
			`metadata.annotations[disruptkit.dev/pause]: field "until": "2h" is not valid: write a time such as 2026-11-22T14:00:00Z, or leave it out for no end`, 0},
	} {
		t.Run(name, func(t *testing.T) {
			other := pool("other")
			other.Labels = map[string]string{"team": "default"} // which is not that pool
			g := newGuarded(t, pool("default", PauseAnnotation, c.text), other)
			g.node("default", "a1", 5)
			g.node("other", "b1", 3)
			guard := Guard(drift(), g.Cluster)
			if got := g.mustCompute(guard, 1); got != "b1" {
				t.Errorf("started %q", got)
			}
			if said := g.said("default", events.DisruptionBlocked); strings.Join(said, "\n") != c.said {
				t.Errorf("said %q", said)
			}
			if warned := g.said("default", InvalidPolicyEvent); strings.Join(warned, "\n") != c.warned {
				t.Errorf("warned %q", warned)
			}
			if c.ends > 0 {
				g.clock.Step(c.ends - time.Second)
				if got := g.mustCompute(guard, 1); got != "b1" {
					t.Errorf("started %q before the end", got)
				}
				g.clock.Step(time.Second)
			} else {
				g.clock.Step(1000 * time.Hour)
				if got := g.mustCompute(guard, 1); got != "b1" {
					t.Errorf("started %q without an end", got)
				}
				g.annotate("default", PauseAnnotation, "")
			}
			if got := g.mustCompute(guard, 1); got != "a1" {
				t.Errorf("started %q after the end", got)
			}
		})
	}
}

func TestAPauseBlocksRepair(t *testing.T) {
	g := newGuarded(t, pool("default", PauseAnnotation, "{by: alice, reasons: [Unhealthy]}"))
	g.sick("default", "a1", 9, cloudprovider.RebootNode)
	guard := Guard(replacing(v1.DisruptionReasonUnhealthy), g.Cluster)
	if got := g.mustCompute(guard, 9); got != "" {
		t.Errorf("started %q", got)
	}
}
