package karpenter

import (
	"errors"
	"testing"
	"time"

	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/cmd/annotation"
	"github.com/disruptkit/disruptkit/cmd/standing"
)

// status returns the status that a NodePool shows, and its version.
func (g *guarded) status(pool string) (s standing.Status, version string) {
	g.Helper()
	var np v1.NodePool
	if err := g.Client.Get(g.Context(), metaName(pool), &np); err != nil {
		g.Fatal(err)
	}
	return standing.Read(np.Annotations[annotation.Status]), np.ResourceVersion
}

func TestTheStatusOfAPoolIsWrittenWhenItChanges(t *testing.T) {
	g := newGuarded(t, pool("default", DisruptionAnnotation, onePerHour), pool("plain"))
	g.node("default", "a1", 9)
	st := Statuses(g.Cluster).(*statuses)
	keep := func(after time.Duration) (standing.Status, string) {
		t.Helper()
		g.clock.Step(after)
		if err := st.keep(t.Context()); err != nil {
			t.Fatal(err)
		}
		return g.status("default")
	}
	s, first := keep(0)
	if s.By != "guard" || s.Nodes != 1 || s.Phase == "" {
		t.Errorf("%+v", s)
	}
	if _, again := keep(time.Minute); again != first {
		t.Error("it was written though nothing had changed")
	}
	if s, _ := g.status("plain"); s.Phase != "" {
		t.Errorf("a pool without a policy has a status: %+v", s)
	}
	g.inFlight("a1")
	if s, _ := keep(time.Minute); s.InFlight != 1 || s.Phase != standing.Progressing {
		t.Errorf("in flight: %+v", s)
	}
	g.update("default", func(np *v1.NodePool) { delete(np.Annotations, DisruptionAnnotation) })
	if s, _ := keep(time.Minute); s.Phase != "" {
		t.Errorf("without a policy, it stays: %+v", s)
	}
}

// Whatever the order of their writes, the status and the memory do not take each other for somebody else's.
func TestAStatusIsNoConflictForTheMemory(t *testing.T) {
	g := newGuarded(t, pool("default", DisruptionAnnotation, onePerHour))
	g.node("default", "a1", 9)
	st := Statuses(g.Cluster).(*statuses)
	memory := func(node string) map[string]disruptkit.Memory {
		return map[string]disruptkit.Memory{"default": {Starts: []disruptkit.Start{{Node: node, At: now}}}}
	}
	for i, node := range []string{"a1", "a2", "a3"} {
		shot, err := g.snapshot(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if i != 1 { // between the decision and its memory
			g.clock.Step(time.Minute)
			g.another(i)
			if err := st.keep(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		if failed, err := g.store(t.Context(), shot, shot, memory(node), nil); err != nil || len(failed) > 0 {
			t.Fatalf("the memory of %s could not be stored: %v %v", node, failed, err)
		}
	}
	if s, _ := g.status("default"); s.Phase == "" {
		t.Error("the status is gone")
	}
	if said := g.said("default", MemoryNotStoredEvent); len(said) > 0 {
		t.Error(said)
	}
}

// another adds a node, so that the status changes.
func (g *guarded) another(i int) { g.node("default", string(rune('b'+i))+"9", 9) }

// What keeps the status of one NodePool from being written, such as a webhook, says nothing about the next.
func TestAStatusThatCannotBeWrittenKeepsNoOtherFromIt(t *testing.T) {
	g := newGuarded(t, pool("a", DisruptionAnnotation, onePerHour), pool("b", DisruptionAnnotation, onePerHour))
	g.api = func(name string, write func() error) error {
		if name == "a" {
			return errors.New("refused")
		}
		return write()
	}
	if err := Statuses(g.Cluster).(*statuses).keep(t.Context()); err == nil || err.Error() != "writing the status of NodePool a: refused" {
		t.Error(err)
	}
	if s, _ := g.status("b"); s.By != "guard" {
		t.Errorf("%+v", s)
	}
}

// No method replaces a node of a static NodePool for its age, so that it is none that is to go.
func TestNodesOfAStaticNodePoolDoNotExpire(t *testing.T) {
	static := pool("static", ExpireAnnotation, `{after: 720h}`)
	static.Spec.Replicas = new(int64(1))
	g := newGuarded(t, static, pool("other", ExpireAnnotation, `{after: 720h}`))
	g.node("static", "a1", 0, g.old(900*time.Hour))
	g.node("other", "b1", 0, g.old(900*time.Hour))
	if err := Statuses(g.Cluster).(*statuses).keep(t.Context()); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]int{"static": 0, "other": 1} {
		if s, _ := g.status(name); s.ToGo != want || s.Nodes != 1 {
			t.Errorf("%s: %+v", name, s)
		}
	}
}
