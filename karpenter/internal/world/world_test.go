package world

import (
	"context"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/client"
	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"
)

// start returns a world whose fleet is up.
func start(t *testing.T, o Options) *World {
	t.Helper()
	w, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if t.Failed() {
			for _, row := range w.Timeline() {
				t.Log(row)
			}
		}
		for _, fault := range w.Faults {
			t.Error(fault)
		}
	})
	return w
}

// names returns the names of the nodes that are so.
func names(w *World, is func(Node) bool) string {
	var names []string
	for _, n := range w.Nodes() {
		if is(n) {
			names = append(names, n.Name)
		}
	}
	return strings.Join(names, " ")
}

// claim returns the NodeClaim of an instance.
func claim(t *testing.T, w *World, id string) *v1.NodeClaim {
	t.Helper()
	var claims v1.NodeClaimList
	if err := w.Client.List(t.Context(), &claims); err != nil {
		t.Fatal(err)
	}
	at := slices.IndexFunc(claims.Items, func(c v1.NodeClaim) bool { return c.Status.ProviderID == id })
	if at < 0 {
		t.Fatalf("%s has no NodeClaim", id)
	}
	return &claims.Items[at]
}

// A starting client lets a node begin while nodes are read: objects and marks are not read at once.
type starting struct {
	client.Client
	begin func()
}

func (s starting) List(ctx context.Context, list client.ObjectList, o ...client.ListOption) error {
	err := s.Client.List(ctx, list, o...)
	s.begin()
	return err
}

func TestANodeThatBeginsAfterAnotherWasReadIsNotInFlightBesideIt(t *testing.T) {
	t.Parallel()
	w := start(t, Options{})
	if err := w.Client.Delete(t.Context(), claim(t, w, "fake:///a/a1")); err != nil {
		t.Fatal(err)
	}
	w.Client = starting{w.Client, func() { w.Cluster.MarkForDeletion("fake:///b/b1") }}
	for _, want := range []string{"a1", "a1 b1"} {
		if got := names(w, func(n Node) bool { return n.InFlight }); got != want {
			t.Errorf("%s are in flight, want %s", got, want)
		}
	}
}

func TestANodeWhoseInstanceTerminatesIsInFlightAndUsesUpNoBudget(t *testing.T) {
	t.Parallel()
	rows := []Row{
		{Zones: map[string]Count{"a": {InFlight: 2}}},
		{Zones: map[string]Count{"a": {InFlight: 3, Ending: 1}, "b": {InFlight: 1, Ending: 1}}},
	}
	if zones, nodes := Peak(rows); zones != 2 || nodes != 2 {
		t.Errorf("at most %d zones and %d nodes, want 2 and 2", zones, nodes)
	}
	w := start(t, Options{})
	ends := claim(t, w, "fake:///a/a1")
	ends.StatusConditions().SetTrue(v1.ConditionTypeInstanceTerminating)
	if err := w.Client.Status().Update(t.Context(), ends); err != nil {
		t.Fatal(err)
	}
	if err := w.Client.Delete(t.Context(), ends); err != nil {
		t.Fatal(err)
	}
	if got, want := w.count(w.Nodes())["a"], (Count{InFlight: 1, Ending: 1, New: 3}); got != want {
		t.Errorf("zone a has %+v, want %+v", got, want)
	}
}
