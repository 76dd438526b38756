package karpenter_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/awslabs/operatorpkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/metrics"
	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"

	"github.com/disruptkit/disruptkit/candidate/kube"
	"github.com/disruptkit/disruptkit/cmd/replay"
	"github.com/disruptkit/disruptkit/karpenter"
	"github.com/disruptkit/disruptkit/karpenter/internal/world"
)

// zoneByZone lets two nodes drift at once, one zone after the other.
const zoneByZone = `
budgets:
- {nodes: "2", topologyKey: topology.kubernetes.io/zone, sequential: true, reasons: [Drifted]}
`

// story is a world whose Karpenter is guarded.
type story struct {
	*world.World
	t         *testing.T
	endpoint  *endpoint
	recording *replay.Recorder // of each decision of the guard; nil: there is none
	always    func()           // checks what holds at any time, if it is set
	chance    *rand.Rand
}

// tell begins a story, whose fleet is up and has drifted, of a NodePool with a budget of 3 nodes.
func tell(t *testing.T, change func(*world.Options)) *story {
	t.Helper()
	return record(t, nil, change)
}

// record is tell with a recording.
func record(t *testing.T, to *replay.Recorder, change func(*world.Options)) *story {
	t.Helper()
	s := &story{t: t, endpoint: &endpoint{}, recording: to, chance: rand.New(rand.NewPCG(1, 1))}
	o := world.Options{PodsPerNode: 1, Tick: 10 * time.Second}
	o.NodePool = world.NewPool("default", v1.Budget{Nodes: "3"})
	o.NodePool.Annotations = map[string]string{karpenter.DisruptionAnnotation: zoneByZone}
	o.Guard = s.guard
	if change != nil {
		change(&o)
	}
	w, err := world.New(o)
	if err != nil {
		t.Fatal(err)
	}
	s.World = w
	t.Cleanup(s.end)
	return s
}

func (s *story) guard(ctx context.Context, list []controller.Controller, parts world.Parts) (
	[]controller.Controller, error) {
	s.endpoint.clock = parts.Clock
	c := &karpenter.Cluster{
		Client: parts.Client, State: parts.Cluster, Clock: parts.Clock, Recorder: parts.Recorder,
		CloudProvider: parts.CloudProvider, Prober: s.endpoint, Recording: s.recording,
	}
	karpenter.SetJitters(c, s.chance.Float64) // the same in each run
	return karpenter.Controllers(ctx, c, list), nil
}

// end fails where a controller did, and tells the story of a test that failed.
func (s *story) end() {
	for _, fault := range s.Faults {
		s.t.Error(fault)
	}
	if s.t.Failed() {
		for i, row := range s.Timeline() {
			if i == 0 || len(row.Notes) > 0 {
				s.t.Log(row)
			}
		}
	}
}

func (s *story) drift() {
	s.t.Helper()
	if err := s.Drift("AMIDrift"); err != nil {
		s.t.Fatal(err)
	}
}

func (s *story) until(within time.Duration, what string, is func() bool) {
	s.t.Helper()
	check := func(*world.World) bool {
		if s.always != nil {
			s.always()
		}
		return is()
	}
	if err := s.Run(within, check); err != nil {
		s.t.Fatalf("%s: %v", what, err)
	}
}

func (s *story) rolls(within time.Duration) {
	s.t.Helper()
	s.until(within, "all nodes are new", s.Rolled)
}

func (s *story) lasts(d time.Duration) {
	s.t.Helper()
	if err := s.For(d); err != nil {
		s.t.Fatal(err)
	}
}

// names returns the names of the nodes that are so.
func (s *story) names(is func(world.Node) bool) string {
	var names []string
	for _, n := range s.Nodes() {
		if is(n) {
			names = append(names, n.Name)
		}
	}
	return strings.Join(names, " ")
}

func (s *story) old() string { return s.names(func(n world.Node) bool { return n.Old }) }

// started returns the names of the nodes whose disruption began in a row, or later, in order.
func (s *story) started(from int) (names []string) {
	for _, row := range s.Timeline()[from:] {
		for _, note := range row.Notes {
			if name, is := strings.CutSuffix(note, " disrupted"); is {
				names = append(names, name)
			}
		}
	}
	return names
}

// zones returns in which order zones were begun, one for each stay.
func zones(started []string) string {
	var order []string
	for _, name := range started {
		order = append(order, name[:1])
	}
	return strings.Join(slices.Compact(order), " ")
}

// told reports whether an event of an object says so.
func (s *story) told(object, text string) bool {
	return slices.ContainsFunc(s.Events(), func(e world.Event) bool {
		return e.Object == object && strings.Contains(e.Message, text)
	})
}

// inOrder fails unless one zone after the other has been rolled, two nodes at a time.
func (s *story) inOrder() {
	s.t.Helper()
	if zones, nodes := world.Peak(s.Timeline()); zones != 1 || nodes != 2 {
		s.t.Errorf("%d nodes in %d zones were in flight at once, want 2 in 1", nodes, zones)
	}
	if got := zones(s.started(0)); got != "a b c" {
		s.t.Errorf("the zones took turns so: %s; want a b c", got)
	}
}

func TestDriftOfAFleet(t *testing.T) {
	t.Parallel()
	t.Run("without the guard several zones are in flight at once, and with it but no annotations", func(t *testing.T) {
		t.Parallel()
		free := tell(t, func(o *world.Options) { o.Guard = nil })
		free.drift()
		free.rolls(20 * time.Minute)
		if zones, nodes := world.Peak(free.Timeline()); zones != 3 || nodes != 3 {
			t.Errorf("%d nodes in %d zones were in flight at once, want 3 in 3", nodes, zones)
		}
		s := tell(t, func(o *world.Options) { o.NodePool.Annotations = nil })
		s.drift()
		s.rolls(20 * time.Minute)
		if got, want := fmt.Sprint(s.Timeline()), fmt.Sprint(free.Timeline()); got != want {
			t.Errorf("with the guard it went so:\n%s\nwant as without it:\n%s", got, want)
		}
	})
	t.Run("with the guard, zones take turns until all nodes are new", func(t *testing.T) {
		t.Parallel()
		s := tell(t, nil)
		s.drift()
		s.rolls(20 * time.Minute)
		s.inOrder()
		all := func(world.Node) bool { return true }
		if got, want := s.names(all), "a5 a6 a7 a8 b5 b6 b7 b8 c5 c6 c7 c8"; got != want {
			t.Errorf("the fleet is %s, want %s", got, want)
		}
		if !s.told("b1", "waits-for-domain") {
			t.Error("no event says that b1 waits for its zone's turn")
		}
	})
	t.Run("zones take turns in a static NodePool as well", func(t *testing.T) {
		t.Parallel()
		replicas := int64(12)
		s := tell(t, func(o *world.Options) { o.NodePool.Spec.Replicas = &replicas })
		s.drift()
		s.rolls(20 * time.Minute)
		s.inOrder()
		if n := len(s.Nodes()); n != 12 {
			t.Errorf("%d nodes are left, want 12", n)
		}
	})
	t.Run("PodDisruptionBudgets that hold up drains change nothing of the turns", func(t *testing.T) {
		t.Parallel()
		s := tell(t, func(o *world.Options) { o.PodsPerNode, o.PDB = 2, 1 })
		s.drift()
		s.rolls(30 * time.Minute)
		if zones, _ := world.Peak(s.Timeline()); zones != 1 {
			t.Errorf("%d zones were in flight at once, want 1", zones)
		}
	})
}

func TestWhatStopsARoll(t *testing.T) {
	t.Parallel()
	// stops fails if any node is disrupted within 5 minutes once what is in flight has ended.
	stops := func(s *story) {
		s.t.Helper()
		s.until(5*time.Minute, "nothing is in flight", func() bool { return len(s.InFlight()) == 0 })
		row := len(s.Timeline())
		s.lasts(5 * time.Minute)
		if started := s.started(row); len(started) > 0 {
			s.t.Errorf("%v were disrupted, want none", started)
		}
	}
	// half runs until the first zone has its first new nodes.
	half := func(s *story) {
		s.t.Helper()
		s.drift()
		s.until(5*time.Minute, "the first nodes are new", func() bool { return !strings.Contains(s.old(), "a2") })
	}
	t.Run("a freeze in local time stops the roll, until it is over", func(t *testing.T) {
		t.Parallel()
		s := tell(t, func(o *world.Options) {
			o.Start = time.Date(2026, time.November, 23, 16, 58, 0, 0, time.UTC)
			o.NodePool.Annotations[karpenter.DisruptionAnnotation] = zoneByZone +
				`- {nodes: "0", schedule: "0 18 * * mon-fri", duration: 10m, timeZone: Europe/Berlin}`
		})
		half(s)
		s.until(2*time.Minute, "it is 18:00 in Berlin", func() bool { return s.Clock.Now().Hour() == 17 })
		stops(s)
		if !s.told("default", "allows-none") {
			t.Error("no event says that a budget blocks the pool")
		}
		s.rolls(time.Hour)
		s.inOrder()
		for _, row := range s.Timeline() {
			begins := strings.Contains(strings.Join(row.Notes, " "), "disrupted")
			if at := row.At.Format("15:04"); begins && at >= "17:00" && at < "17:10" {
				t.Errorf("%v in the freeze", row)
			}
		}
	})
	t.Run("pods that may be disrupted only at night stop the roll, until the evening", func(t *testing.T) {
		t.Parallel()
		s := tell(t, func(o *world.Options) {
			o.Start = time.Date(2026, time.November, 23, 21, 50, 0, 0, time.UTC)
			o.PodAnnotations = map[string]string{
				kube.DisruptionScheduleAnnotation:         "0 22 * * *",
				kube.DisruptionScheduleDurationAnnotation: "8h",
			}
		})
		s.drift()
		s.lasts(9 * time.Minute)
		if started := s.started(0); len(started) > 0 {
			t.Errorf("%v were disrupted in the afternoon", started)
		}
		if !s.told("a1", "outside-schedule") {
			t.Error("no event says that pods block a1")
		}
		s.rolls(30 * time.Minute)
		s.inOrder()
	})
	t.Run("a probe that fails stops the roll, until it succeeds", func(t *testing.T) {
		t.Parallel()
		s := tell(t, func(o *world.Options) {
			o.NodePool.Annotations[karpenter.ProbesAnnotation] = `[{name: slo, host: slo.example.com, port: 80}]`
		})
		half(s)
		s.endpoint.down = true
		stops(s)
		if !s.told("default", "unhealthy") {
			t.Error("no event says that the probe blocks the pool")
		}
		s.endpoint.down = false
		s.rolls(20 * time.Minute)
		s.inOrder()
	})
	t.Run("an annotation that cannot be read stops the roll, until it can", func(t *testing.T) {
		t.Parallel()
		s := tell(t, nil)
		half(s)
		annotate := func(text string) {
			t.Helper()
			err := s.UpdatePool(func(p *v1.NodePool) { p.Annotations[karpenter.DisruptionAnnotation] = text })
			if err != nil {
				t.Fatal(err)
			}
		}
		annotate("budgets: [")
		stops(s)
		annotate(zoneByZone)
		s.rolls(20 * time.Minute)
		s.inOrder()
	})
	t.Run("replacements that never become Ready stop the roll in their zone", func(t *testing.T) {
		t.Parallel()
		s := tell(t, nil)
		s.Break("", true)
		s.drift()
		s.lasts(30 * time.Minute)
		if got, want := zones(s.started(0)), "a"; got != want {
			t.Errorf("zones %s were begun, want %s alone", got, want)
		}
		if got, want := s.old(), "a1 a2 a3 a4 b1 b2 b3 b4 c1 c2 c3 c4"; got != want {
			t.Errorf("old nodes are %s, want %s", got, want)
		}
		waits := 0
		for _, e := range s.Events() {
			if e.Object == "b1" && strings.Contains(e.Message, "waits-for-domain") {
				waits++
			}
		}
		if waits < 1 || waits > 2 {
			t.Errorf("that b1 waits was reported %d times in 30 minutes, want twice at the most", waits)
		}
		s.Break("", false)
		for _, n := range s.Nodes() {
			s.Fail(n.Name, false)
		}
		s.rolls(30 * time.Minute)
		if got := zones(s.started(0)); got != "a b c" {
			t.Errorf("the zones took turns so: %s; want a b c", got)
		}
	})
	t.Run("new nodes that fail after their zone has been rolled keep the roll there", func(t *testing.T) {
		t.Parallel()
		s := tell(t, func(o *world.Options) { o.Tick = 5 * time.Second }) // so that a zone is new before Karpenter looks again
		s.drift()
		s.until(20*time.Minute, "the first zone is new", func() bool { return strings.HasPrefix(s.old(), "b") })
		s.Fail("a5", true)
		s.until(20*time.Minute, "nothing is in flight", func() bool { return len(s.InFlight()) == 0 })
		s.lasts(16 * time.Minute)
		if got, want := s.old(), "b1 b2 b3 b4 c1 c2 c3 c4"; got != want {
			t.Errorf("old nodes are %s, want %s", got, want)
		}
		s.Fail("a5", false)
		s.rolls(20 * time.Minute)
		s.inOrder()
	})
}

func TestConsolidationOfAFleet(t *testing.T) {
	t.Parallel()
	consolidates := func(t *testing.T) *story {
		s := tell(t, func(o *world.Options) {
			o.NodePool.Spec.Disruption.ConsolidateAfter = v1.MustParseNillableDuration("30s")
			o.NodePool.Annotations[karpenter.ProbesAnnotation] = `[{name: slo, host: slo.example.com, port: 80}]`
		})
		if err := s.Scale("b", 3); err != nil {
			t.Fatal(err)
		}
		return s
	}
	t.Run("what the guard allows is consolidated", func(t *testing.T) {
		t.Parallel()
		s := consolidates(t)
		s.until(5*time.Minute, "a node of b is gone", func() bool { return len(s.Nodes()) == 11 })
	})
	t.Run("a probe that fails while Karpenter waits before it validates keeps the node", func(t *testing.T) {
		t.Parallel()
		s := consolidates(t)
		s.until(5*time.Minute, "Karpenter waits", s.Waiting)
		s.endpoint.down = true
		s.lasts(5 * time.Minute)
		if started := s.started(0); len(started) > 0 {
			t.Errorf("%v were disrupted, want none", started)
		}
		s.endpoint.down = false
		s.until(5*time.Minute, "a node of b is gone", func() bool { return len(s.Nodes()) == 11 })
	})
}

// Karpenter waits for 15 seconds before it consolidates. Somebody else writes the NodePool meanwhile.
func TestAPaceAndABusyWriter(t *testing.T) {
	t.Parallel()
	s := tell(t, func(o *world.Options) {
		o.Tick = 5 * time.Second
		o.NodePool.Spec.Disruption.ConsolidateAfter = v1.MustParseNillableDuration("30s")
		o.NodePool.Annotations[karpenter.DisruptionAnnotation] = `budgets: [{nodes: "1", per: 1h}]`
	})
	writes := 0
	s.always = func() {
		writes++
		if err := s.UpdatePool(func(p *v1.NodePool) { p.Annotations["example.com/writes"] = fmt.Sprint(writes) }); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Scale("b", 3); err != nil {
		t.Fatal(err)
	}
	s.until(3*time.Minute, "a node of b is gone", func() bool { return len(s.Nodes()) == 11 })
}

// Of consolidation that finds nothing to do, and whose method for empty nodes no budget allows: Karpenter computes it once, and then
// only when the cluster has changed, and guarded no more often. No other test runs meanwhile: all share the metric.
func TestTheGuardMakesKarpenterComputeNoMore(t *testing.T) {
	simulations := func() (n uint64) {
		for _, family := range must(metrics.Registry.Gather()) {
			if family.GetName() != "karpenter_scheduler_scheduling_duration_seconds" {
				continue
			}
			for _, m := range family.GetMetric() {
				for _, l := range m.GetLabel() {
					if l.GetValue() == "disruption" {
						n += m.GetHistogram().GetSampleCount()
					}
				}
			}
		}
		return n
	}
	count := func(guard bool) uint64 {
		s := tell(t, func(o *world.Options) {
			o.Zones, o.NodesPerZone = 1, 3
			o.NodePool = world.NewPool("default", v1.Budget{Nodes: "0", Reasons: []v1.DisruptionReason{v1.DisruptionReasonEmpty}}, v1.Budget{Nodes: "100%"})
			o.NodePool.Spec.Disruption.ConsolidateAfter = v1.MustParseNillableDuration("30s")
			if !guard {
				o.Guard = nil
			}
		})
		before := simulations()
		if err := s.Scale("a", 2); err != nil {
			t.Fatal(err)
		}
		s.lasts(4 * time.Minute)
		if len(s.Nodes()) != 3 {
			t.Fatalf("%d nodes are left", len(s.Nodes()))
		}
		return simulations() - before
	}
	plain, guarded := count(false), count(true)
	t.Logf("simulations in four minutes: %d, guarded %d", plain, guarded)
	if guarded != plain || plain == 0 {
		t.Errorf("Karpenter simulates %d times, and guarded %d", plain, guarded)
	}
}
