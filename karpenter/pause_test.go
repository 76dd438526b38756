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

func TestAPauseHoldsBackItsPoolUntilItEnds(t *testing.T) {
	for name, c := range map[string]struct {
		text, said, warned string
		ends               time.Duration // 0: only once it is removed
	}{
		"a time": {"2026-11-20T14:00:00Z", "1 node is not disrupted for Drifted: probe/paused: paused by the annotation disruptkit.dev/pause (until 2026-11-20T14:00:00Z)", "", 2 * time.Hour},
		"an object": {"{until: 2026-11-20T13:00:00Z, by: alice, why: INC-1234}", "1 node is not disrupted for Drifted: probe/paused: paused by alice: INC-1234 (until 2026-11-20T13:00:00Z)",
			"", time.Hour},
		"true": {"true", "1 node is not disrupted for Drifted: probe/paused: paused by the annotation disruptkit.dev/pause",
			"metadata.annotations[disruptkit.dev/pause].until: the pause has no end, and applies until somebody removes it: write when it ends", 0},
		"one that cannot be read": {"until: 2h", `1 node is not disrupted for Drifted: budget/invalid-annotation: annotation disruptkit.dev/pause of the NodePool: field "until": "2h" is not valid: write a time such as 2026-11-22T14:00:00Z`,
			`metadata.annotations[disruptkit.dev/pause]: field "until": "2h" is not valid: write a time such as 2026-11-22T14:00:00Z`, 0},
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

func TestAPauseInMidRoll(t *testing.T) {
	for name, c := range map[string]struct {
		pause          string
		inFlight, done string // what starts then, while a1 is in flight and once it is gone
	}{
		"no pause":                       {"false", "a2", "a2"},
		"of the pool freezes the roll":   {"true", "", ""},
		"of its zone lets it go on":      {"{until: 2026-11-20T14:00:00Z, zones: [a]}", "", "b1"},
		"of another zone does not touch": {"{until: 2026-11-20T14:00:00Z, zones: [b]}", "a2", "a2"},
	} {
		t.Run(name, func(t *testing.T) {
			g := newGuarded(t, pool("default", DisruptionAnnotation, strings.Replace(sequential, `"1"`, `"2"`, 1)))
			g.node("default", "a1", 9)
			g.node("default", "a2", 8)
			g.node("default", "b1", 7)
			guard := Guard(drift(), g.Cluster)
			if got := g.mustCompute(guard, 9); got != "a1" {
				t.Fatalf("started %q", got)
			}
			g.inFlight("a1")
			g.annotate("default", PauseAnnotation, c.pause)
			if got := g.mustCompute(guard, 9); got != c.inFlight {
				t.Errorf("started %q while a1 is in flight", got)
			}
			if !strings.Contains(g.memory("default"), `"domain":"a"`) {
				t.Errorf("the roll left its zone: %s", g.memory("default"))
			}
			for n := range g.State.Nodes() {
				if n.Name() == "a1" && !n.MarkedForDeletion() {
					t.Error("a1 is in flight no more")
				}
			}
			g.State.DeleteNode("a1")
			g.State.DeleteNodeClaim("claim-a1")
			if got := g.mustCompute(guard, 9); got != c.done {
				t.Errorf("started %q once a1 is gone", got)
			}
			g.annotate("default", PauseAnnotation, "")
			if got := g.mustCompute(guard, 9); c.done != "b1" && got != "a2" {
				t.Errorf("started %q after the pause", got)
			}
		})
	}
}

func TestAPauseHoldsBackRepair(t *testing.T) {
	g := newGuarded(t, pool("default", PauseAnnotation, "{by: alice, reasons: [Unhealthy]}"))
	g.sick("default", "a1", 9, cloudprovider.RebootNode)
	guard := Guard(replacing(v1.DisruptionReasonUnhealthy), g.Cluster)
	if got := g.mustCompute(guard, 9); got != "" {
		t.Errorf("started %q", got)
	}
}
