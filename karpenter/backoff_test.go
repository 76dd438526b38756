package karpenter

import (
	"errors"
	"strings"
	"testing"
	"time"

	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"
	"sigs.k8s.io/karpenter/pkg/cloudprovider"
	"sigs.k8s.io/karpenter/pkg/controllers/disruption"
	"sigs.k8s.io/karpenter/pkg/events"
)

// SetJitters sets the jitter of the back-offs of a story.
func SetJitters(c *Cluster, jitters func() float64) { c.jitters = jitters }

// A replacing method replaces the first node that it is shown. Karpenter calls the replacement new.
func replacing(reason v1.DisruptionReason) *method {
	m := &method{reason: reason}
	m.choose = func(_ map[string]int, cs []*disruption.Candidate) []disruption.Command {
		commands := each(cs[:1])
		commands[0].Replacements[0].Name = "claim-new"
		return commands
	}
	return m
}

func TestAPoolWhoseReplacementsFailWaits(t *testing.T) {
	const (
		annotated = `budgets: [{nodes: "5"}]`
		first     = `{"backoff":{"level":1,"until":"2026-11-20T12:01:00Z"}}`
	)
	unmark := func(g *guarded) { g.State.UnmarkForDeletion("fake://a1") }
	for name, c := range map[string]struct {
		annotations []string
		reason      v1.DisruptionReason
		meanwhile   func(g *guarded) // after the command was started
		memory      string
		waits       bool
	}{
		"a command that Karpenter gives up": {
			[]string{DisruptionAnnotation, annotated}, v1.DisruptionReasonDrifted,
			func(g *guarded) { g.State.MarkForDeletion("fake://a1"); unmark(g) }, first, true,
		},
		"a replacement that cannot be launched": {
			[]string{DisruptionAnnotation, annotated}, v1.DisruptionReasonDrifted, func(*guarded) {}, first, true,
		},
		"a command that is under way is none that has failed": {
			[]string{DisruptionAnnotation, annotated}, v1.DisruptionReasonDrifted, func(g *guarded) { g.State.MarkForDeletion("fake://a1") }, "", false,
		},
		"nor is one whose node is gone": {
			[]string{DisruptionAnnotation, annotated}, v1.DisruptionReasonDrifted,
			func(g *guarded) { g.State.DeleteNode("a1"); g.State.DeleteNodeClaim("claim-a1") }, "", false,
		},
		"nor is one whose replacement is up": {
			[]string{DisruptionAnnotation, annotated}, v1.DisruptionReasonDrifted,
			func(g *guarded) { g.node("default", "new", 0); g.offered = g.offered[:len(g.offered)-1] }, "", false,
		},
		"a pool that nobody has annotated waits for nothing": {
			nil, v1.DisruptionReasonDrifted, unmark, "", false,
		},
		"repair does not wait": {
			[]string{DisruptionAnnotation, annotated}, v1.DisruptionReasonUnhealthy, unmark, first, false,
		},
		"unless it is to": {
			[]string{RepairAnnotation, `{backOff: true}`}, v1.DisruptionReasonUnhealthy, unmark, first, true,
		},
		"consolidation is not counted": {
			[]string{DisruptionAnnotation, annotated}, v1.DisruptionReasonUnderutilized, unmark, "", false,
		},
	} {
		t.Run(name, func(t *testing.T) {
			g := newGuarded(t, pool("default", c.annotations...))
			g.jitters = func() float64 { return 1 }
			if c.reason == v1.DisruptionReasonUnhealthy {
				g.sick("default", "a1", 9, cloudprovider.ReplaceNode)
				g.sick("default", "b1", 5, cloudprovider.ReplaceNode)
			} else {
				g.node("default", "a1", 9)
				g.node("default", "b1", 5)
			}
			m := replacing(c.reason)
			guard := Guard(m, g.Cluster)
			if got := g.mustCompute(guard, 5); got != "a1→1" || g.memory("default") != "" {
				t.Fatalf("started %q; the memory is %s", got, g.memory("default"))
			}
			c.meanwhile(g)
			m.asked = nil
			if g.mustCompute(guard, 5); (len(m.asked) == 0) != c.waits || g.memory("default") != c.memory {
				t.Errorf("asked for %q; the memory is %s", m.asked, g.memory("default"))
			}
			if said := strings.Join(g.said("default", events.DisruptionBlocked), "\n"); strings.Contains(said, "backoff/backed-off") != c.waits {
				t.Errorf("said: %s", said)
			}
		})
	}
}

func TestBackOffGrowsAndEnds(t *testing.T) {
	g := newGuarded(t, pool("default", DisruptionAnnotation, `budgets: [{nodes: "5"}]`))
	g.jitters = func() float64 { return 1 }
	g.node("default", "a1", 9)
	m := replacing(v1.DisruptionReasonDrifted)
	guard := Guard(m, g.Cluster)
	var tries []string
	for range 20 { // none comes up
		if got := g.mustCompute(guard, 5); got != "" {
			tries = append(tries, g.clock.Now().Format("15:04"))
		}
		g.clock.Step(time.Minute)
	}
	// Each failure is seen a minute after the try: then the pool waits for 1, 2, 4, and 8 minutes.
	if got, want := strings.Join(tries, " "), "12:00 12:02 12:05 12:10 12:19"; got != want {
		t.Errorf("tried at %s, not at %s", got, want)
	}
	g.node("default", "new", 0)
	g.offered = g.offered[:1]
	if g.mustCompute(guard, 5); g.memory("default") != "" {
		t.Errorf("a replacement is up; the memory is %s", g.memory("default"))
	}
}

// What could not be stored is not forgotten.
func TestAFailureIsCountedOnceItIsStored(t *testing.T) {
	g := newGuarded(t, pool("default", DisruptionAnnotation, `budgets: [{nodes: "5"}]`))
	g.node("default", "a1", 9)
	guard := Guard(replacing(v1.DisruptionReasonDrifted), g.Cluster)
	g.mustCompute(guard, 5)
	g.refuse(errors.New("not now"))
	for range 3 {
		if got := g.mustCompute(guard, 5); got != "" || g.memory("default") != "" {
			t.Fatalf("started %q; the memory is %s", got, g.memory("default"))
		}
		g.clock.Step(firstRetry)
	}
	g.api = nil
	if g.mustCompute(guard, 5); !strings.Contains(g.memory("default"), `"level":1`) {
		t.Errorf("the memory is %s", g.memory("default"))
	}
}
