package world

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
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

func drift(t *testing.T, w *World) {
	t.Helper()
	if err := w.Drift("AMIDrift"); err != nil {
		t.Fatal(err)
	}
}

func run(t *testing.T, w *World, within time.Duration, until func(*World) bool) {
	t.Helper()
	if err := w.Run(within, until); err != nil {
		t.Fatal(err)
	}
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

func all(Node) bool      { return true }
func old(n Node) bool    { return n.Old }
func some(w *World) bool { return names(w, func(n Node) bool { return !n.Old && n.Ready }) != "" }

func TestRoll(t *testing.T) {
	t.Parallel()
	t.Run("Karpenter replaces a fleet that has drifted, in several zones at once", func(t *testing.T) {
		t.Parallel()
		w := start(t, Options{NodePool: NewPool("default", v1.Budget{Nodes: "3"})})
		if got, want := names(w, all), "a1 a2 a3 a4 b1 b2 b3 b4 c1 c2 c3 c4"; got != want {
			t.Fatalf("the fleet is %s, want %s", got, want)
		}
		drift(t, w)
		run(t, w, 10*time.Minute, (*World).Rolled)
		if got, want := names(w, all), "a5 a6 a7 a8 b5 b6 b7 b8 c5 c6 c7 c8"; got != want {
			t.Errorf("the fleet is %s, want %s", got, want)
		}
		if zones, nodes := Peak(w.Timeline()); nodes != 3 || zones != 3 {
			t.Errorf("%d nodes in %d zones were in flight at once, want 3 in 3", nodes, zones)
		}
	})
	t.Run("nothing has drifted unless Drift says so", func(t *testing.T) {
		t.Parallel()
		w := start(t, Options{NodePool: NewPool("default", v1.Budget{Nodes: "3"})})
		if err := w.For(5 * time.Minute); err != nil {
			t.Fatal(err)
		}
		if _, nodes := Peak(w.Timeline()); nodes != 0 || names(w, old) != "" {
			t.Errorf("%d nodes were in flight, %s are old", nodes, names(w, old))
		}
	})
	t.Run("the same options tell the same story", func(t *testing.T) {
		t.Parallel()
		var stories [2][]string
		for i := range stories {
			w := start(t, Options{NodePool: NewPool("default", v1.Budget{Nodes: "3"}), PDB: 1})
			drift(t, w)
			run(t, w, 15*time.Minute, (*World).Rolled)
			for _, row := range w.Timeline() {
				stories[i] = append(stories[i], row.String())
			}
		}
		if diff := cmp.Diff(stories[0], stories[1]); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("what is deleted is deleted in fake time", func(t *testing.T) {
		t.Parallel()
		w := start(t, Options{NodePool: NewPool("default", v1.Budget{Nodes: "1"})})
		drift(t, w)
		run(t, w, 5*time.Minute, func(w *World) bool {
			var claims v1.NodeClaimList
			if err := w.Client.List(t.Context(), &claims); err != nil {
				t.Fatal(err)
			}
			for _, c := range claims.Items {
				if c.DeletionTimestamp != nil {
					if !c.DeletionTimestamp.Time.Equal(w.Clock.Now()) {
						t.Errorf("%s was deleted at %s, want %s", c.Name, c.DeletionTimestamp, w.Clock.Now())
					}
					return true
				}
			}
			return false
		})
	})
	t.Run("a template that changes makes nodes drift", func(t *testing.T) {
		t.Parallel()
		w := start(t, Options{NodePool: NewPool("default", v1.Budget{Nodes: "4"})})
		if err := w.For(20 * time.Second); err != nil {
			t.Fatal(err)
		}
		err := w.UpdatePool(func(p *v1.NodePool) { p.Spec.Template.Labels = map[string]string{"team": "web"} })
		if err != nil {
			t.Fatal(err)
		}
		run(t, w, 30*time.Second, func(w *World) bool { return len(w.InFlight()) > 0 })
		run(t, w, 10*time.Minute, func(w *World) bool { return names(w, all) == "a5 a6 a7 a8 b5 b6 b7 b8 c5 c6 c7 c8" })
	})
	t.Run("a NodePool of replicas is replaced, too", func(t *testing.T) {
		t.Parallel()
		replicas := int64(12)
		pool := NewPool("static", v1.Budget{Nodes: "3"})
		pool.Spec.Replicas = &replicas
		w := start(t, Options{NodePool: pool})
		drift(t, w)
		run(t, w, 15*time.Minute, (*World).Rolled)
		if n := len(w.Nodes()); n != 12 {
			t.Errorf("%d nodes are left, want 12", n)
		}
	})
	t.Run("a budget of 0 holds the roll, until it is raised", func(t *testing.T) {
		t.Parallel()
		w := start(t, Options{NodePool: NewPool("default", v1.Budget{Nodes: "0"})})
		drift(t, w)
		if err := w.For(5 * time.Minute); err != nil {
			t.Fatal(err)
		}
		if _, nodes := Peak(w.Timeline()); nodes != 0 {
			t.Fatalf("%d nodes were in flight, want none", nodes)
		}
		if err := w.UpdatePool(func(p *v1.NodePool) { p.Spec.Disruption.Budgets[0].Nodes = "4" }); err != nil {
			t.Fatal(err)
		}
		run(t, w, 10*time.Minute, (*World).Rolled)
	})
}

func TestRestart(t *testing.T) {
	t.Parallel()
	w := start(t, Options{NodePool: NewPool("default", v1.Budget{Nodes: "2"})})
	drift(t, w)
	run(t, w, 10*time.Minute, func(w *World) bool { return some(w) && len(w.InFlight()) > 0 })
	before := w.Cluster
	if err := w.Restart(); err != nil {
		t.Fatal(err)
	}
	if w.Cluster == before || w.Cluster.HasSynced() {
		t.Error("Karpenter remembers")
	}
	run(t, w, 15*time.Minute, (*World).Rolled)
}

func TestPods(t *testing.T) {
	t.Parallel()
	t.Run("PodDisruptionBudgets slow drains down", func(t *testing.T) {
		t.Parallel()
		w := start(t, Options{NodePool: NewPool("default", v1.Budget{Nodes: "2"}), PDB: 1})
		drift(t, w)
		run(t, w, 15*time.Minute, func(w *World) bool {
			var pods corev1.PodList
			if err := w.Client.List(t.Context(), &pods); err != nil {
				t.Fatal(err)
			}
			healthy := map[string]int{}
			for _, p := range pods.Items {
				if p.Spec.NodeName != "" && p.DeletionTimestamp == nil {
					healthy[p.Labels["app"]]++
				}
			}
			for app, n := range healthy {
				if n < 7 {
					t.Errorf("%s: %d pods of %s are healthy, want at least 7 of 8", w.Clock.Now(), n, app)
				}
			}
			return w.Rolled()
		})
	})
	t.Run("only pods that come and go are pod events", func(t *testing.T) {
		t.Parallel()
		w := start(t, Options{})
		events := func() map[string]time.Time {
			var claims v1.NodeClaimList
			if err := w.Client.List(t.Context(), &claims); err != nil {
				t.Fatal(err)
			}
			at := map[string]time.Time{}
			for _, c := range claims.Items {
				at[c.Name] = c.Status.LastPodEventTime.Time
			}
			return at
		}
		before := events()
		note := map[string]string{"note": "changed"}
		if err := w.UpdatePods(func(p *corev1.Pod) { p.Annotations = note }); err != nil {
			t.Fatal(err)
		}
		if err := w.For(time.Minute); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(before, events()); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("do-not-disrupt keeps a node", func(t *testing.T) {
		t.Parallel()
		w := start(t, Options{NodePool: NewPool("default", v1.Budget{Nodes: "4"})})
		err := w.UpdatePods(func(p *corev1.Pod) {
			if p.Spec.NodeName == "b2" {
				p.Annotations = map[string]string{v1.DoNotDisruptAnnotationKey: "true"}
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		drift(t, w)
		run(t, w, 10*time.Minute, func(w *World) bool { return names(w, old) == "b2" && len(w.InFlight()) == 0 })
		if err := w.For(2 * time.Minute); err != nil {
			t.Fatal(err)
		}
		if got := names(w, old); got != "b2" {
			t.Errorf("old nodes are %q, want b2", got)
		}
	})
}

func TestBreak(t *testing.T) {
	t.Parallel()
	w := start(t, Options{NodePool: NewPool("default", v1.Budget{Nodes: "2"})})
	w.Break("", true)
	drift(t, w)
	if err := w.For(8 * time.Minute); err != nil {
		t.Fatal(err)
	}
	if got, want := names(w, old), "a1 a2 a3 a4 b1 b2 b3 b4 c1 c2 c3 c4"; got != want {
		t.Errorf("old nodes are %s, want %s: nothing may end before its replacement is ready", got, want)
	}
	w.Break("", false)
	for _, n := range w.Nodes() {
		w.Fail(n.Name, false)
	}
	run(t, w, 15*time.Minute, (*World).Rolled)
}

func TestConsolidation(t *testing.T) {
	t.Parallel()
	pool := NewPool("default", v1.Budget{Nodes: "1"})
	pool.Spec.Disruption.ConsolidateAfter = v1.MustParseNillableDuration("30s")
	w := start(t, Options{NodePool: pool})
	if err := w.Scale("b", 6); err != nil {
		t.Fatal(err)
	}
	run(t, w, 5*time.Minute, func(w *World) bool { return len(w.Nodes()) == 11 && len(w.InFlight()) == 0 })
	if i := slices.IndexFunc(w.Timeline(), func(r Row) bool { return r.Zones["b"].InFlight > 0 }); i < 0 {
		t.Error("no node of b was in flight")
	} else if after := w.Timeline()[i].At.Sub(w.Timeline()[0].At); after < 45*time.Second {
		t.Errorf("the node went after %s, before consolidateAfter and the validation of Karpenter were over", after)
	}
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
