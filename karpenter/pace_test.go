package karpenter

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"

	"github.com/disruptkit/disruptkit"
)

const onePerHour = `budgets: [{nodes: "1", per: 1h}]`

// starts describes what starts the annotation of a pool has.
func (g *guarded) starts(pool string) []string {
	g.Helper()
	var m disruptkit.Memory
	if text := g.memory(pool); text != "" {
		if err := json.Unmarshal([]byte(text), &m); err != nil {
			g.Fatal(err)
		}
	}
	texts := []string{}
	for _, s := range m.Starts {
		text := s.At.Format("15:04 ") + s.Node
		if s.Seen {
			text += " seen"
		}
		texts = append(texts, text)
	}
	return texts
}

// Karpenter drops commands that the guard has allowed: it cannot launch a replacement, or a pod has come that is in the way.
func TestAStartThatKarpenterDidNotMakeIsNotCounted(t *testing.T) {
	g := newGuarded(t, pool("default", DisruptionAnnotation, onePerHour))
	g.node("default", "a1", 9)
	g.node("default", "a2", 8)
	guard := Guard(drift(), g.Cluster)
	for _, want := range []string{"12:00 a1", "12:10 a1", "12:20 a1"} { // Karpenter never marks a1
		if got := g.mustCompute(guard, 9); got != "a1" {
			t.Errorf("started %q", got)
		}
		if diff := cmp.Diff([]string{want}, g.starts("default")); diff != "" {
			t.Error(diff)
		}
		g.clock.Step(10 * time.Minute)
	}
	m := drift()
	g.offered = g.offered[1:] // nor does it offer a1 any more
	if got := g.mustCompute(Guard(m, g.Cluster), 9); got != "a2" {
		t.Errorf("started %q: a1, which did not start, is counted", got)
	}
	if diff := cmp.Diff([]string{"12:30 a2"}, g.starts("default")); diff != "" {
		t.Error(diff)
	}
}

func TestStartsAreRememberedOverARestart(t *testing.T) {
	g := newGuarded(t, pool("default", DisruptionAnnotation, onePerHour))
	g.node("default", "a1", 9)
	g.node("default", "a2", 8)
	if got := g.mustCompute(Guard(drift(), g.Cluster), 9); got != "a1" {
		t.Fatalf("started %q", got)
	}
	g.inFlight("a1")
	g.clock.Step(time.Minute)
	restarted := func() *Cluster {
		return &Cluster{Client: g.Client, State: g.State, Clock: g.clock, Recorder: g.recorder, CloudProvider: g.CloudProvider}
	}
	if got := g.mustCompute(Guard(drift(), restarted()), 9); got != "" {
		t.Errorf("started %q", got)
	}
	if diff := cmp.Diff([]string{"12:00 a1 seen"}, g.starts("default")); diff != "" {
		t.Error(diff)
	}
	g.State.DeleteNode("a1")
	g.State.DeleteNodeClaim("claim-a1")
	g.clock.Step(58 * time.Minute)
	if got := g.mustCompute(Guard(drift(), restarted()), 9); got != "" {
		t.Errorf("started %q at 12:59, and a1, which is gone, at 12:00", got)
	}
	g.clock.Step(time.Minute)
	if got := g.mustCompute(Guard(drift(), restarted()), 9); got != "a2" {
		t.Errorf("started %q an hour later", got)
	}
	if diff := cmp.Diff([]string{"13:00 a2"}, g.starts("default")); diff != "" {
		t.Error(diff)
	}
	var np v1.NodePool
	if err := g.Client.Get(t.Context(), metaName("default"), &np); err != nil || np.Annotations[DisruptionAnnotation] != onePerHour {
		t.Errorf("the budgets are %v, %v", np.Annotations, err)
	}
}
