package karpenter_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/awslabs/operatorpkg/controller"
	"github.com/go-logr/logr"
	"github.com/go-logr/logr/funcr"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/config"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/karpenter/pkg/apis"
	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"
	"sigs.k8s.io/karpenter/pkg/cloudprovider"
	"sigs.k8s.io/karpenter/pkg/test/v1alpha1"

	"github.com/disruptkit/disruptkit/candidate/kube"
	"github.com/disruptkit/disruptkit/cmd/replay"
	"github.com/disruptkit/disruptkit/karpenter"
	"github.com/disruptkit/disruptkit/karpenter/internal/world"
)

// The stories in this file play on a real API server: watches and caches, conflicts, evictions, validation, and time are real. They are
// skipped where there is none: go -C apiserver run . check gets one.

// servers are a kube-apiserver and an etcd, the same ones for all stories of this file.
var servers struct {
	sync.Mutex
	*envtest.Environment
	err error
}

func TestMain(m *testing.M) {
	code := m.Run()
	if servers.Environment != nil {
		err := errors.Join(servers.Stop(), os.RemoveAll(servers.ControlPlane.GetAPIServer().CertDir))
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
	}
	os.Exit(code)
}

// newManager returns a manager that serves no metrics. A name may be taken: other tests of the process have controllers of the same names.
func newManager(to *rest.Config, base func() context.Context) (manager.Manager, error) {
	return manager.New(to, manager.Options{
		Scheme: scheme.Scheme, Logger: karpenterLog(), Metrics: metricsserver.Options{BindAddress: "0"}, BaseContext: base,
		Controller: config.Controller{SkipNameValidation: new(true)},
	})
}

// serverConfig returns a server that has Karpenter's CRDs.
func serverConfig(t *testing.T) *rest.Config {
	t.Helper()
	if os.Getenv("KUBEBUILDER_ASSETS") == "" {
		t.Skip("KUBEBUILDER_ASSETS is not set: go -C apiserver run . check builds an API server, and runs this on it")
	}
	servers.Lock()
	defer servers.Unlock()
	if servers.Environment == nil && servers.err == nil {
		e := &envtest.Environment{
			CRDs:                     append(apis.CRDs, v1alpha1.CRDs...),
			ControlPlaneStartTimeout: 3 * time.Minute, ControlPlaneStopTimeout: time.Minute,
		}
		server := e.ControlPlane.GetAPIServer()
		server.CertDir = must(os.MkdirTemp("", "apiserver")) // of its own, so that the server can be restarted
		// The controller that takes the taint of nodes that are not Ready away again does not run.
		server.Configure().Append("disable-admission-plugins", "TaintNodesByCondition")
		log.SetLogger(karpenterLog())
		servers.Environment = e
		_, servers.err = e.Start()
	}
	if servers.err != nil {
		t.Fatal(servers.err)
	}
	return servers.Config
}

// kubeconfig returns a file by which programs reach the servers.
func kubeconfig(t *testing.T) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "kubeconfig")
	if err := os.WriteFile(file, servers.KubeConfig, 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// tellOnServer begins a story on a real API server, in real time: of three zones with two nodes each. Whatever happens, nodes drift only
// where it is the turn of their zone, as the server has it.
func tellOnServer(t *testing.T, change func(*world.Options)) *story {
	t.Helper()
	config := serverConfig(t)
	began := time.Now()
	recording := recorded(t)
	s := tell(t, func(o *world.Options) {
		o.Server = config
		o.NodesPerZone, o.PodsPerNode = 2, 1
		o.Tick, o.Boot, o.Ready, o.End = 500*time.Millisecond, time.Second, time.Second, time.Second
		o.Guard = guardAsMain(recording)
		o.Log = karpenterLog()
		if change != nil {
			change(o)
		}
	})
	s.always = s.inTurn
	t.Cleanup(func() { // before the servers stop
		s.World.End()
		t.Logf("took %s", time.Since(began).Round(time.Second))
	})
	return s
}

// inTurn fails if a node of the first NodePool drifts whose zone's turn it is not on the server.
func (s *story) inTurn() {
	s.t.Helper()
	before, known := s.turn()
	if !known {
		return
	}
	nodes := s.Nodes()
	after, known := s.turn() // nodes and turns are not read at once
	if !known {
		return
	}
	for _, n := range nodes {
		if n.Pool == "default" && n.InFlight && n.For == string(v1.DisruptionReasonDrifted) && n.Zone != before && n.Zone != after {
			s.t.Errorf("%s is disrupted for drift, and on the server it is the turn of zone %q", n.Name, after)
			s.always = nil // once is enough
		}
	}
}

// turn returns the zone whose turn it is, as the server has it: "" for none. It is not known while the server cannot be asked, or there
// is no NodePool.
func (s *story) turn() (zone string, known bool) {
	var pool v1.NodePool
	if err := s.Client.Get(s.t.Context(), client.ObjectKey{Name: "default"}, &pool); err != nil {
		return "", false
	}
	var memory struct{ Roll struct{ Domain string } }
	if text := pool.Annotations[karpenter.MemoryAnnotation]; text != "" && json.Unmarshal([]byte(text), &memory) != nil {
		return "", true
	}
	return memory.Roll.Domain, true
}

// karpenterLog is where Karpenter logs to: nowhere, unless KARPENTER_LOG is set.
func karpenterLog() logr.Logger {
	if os.Getenv("KARPENTER_LOG") == "" {
		return logr.Discard()
	}
	return funcr.New(func(_, line string) { fmt.Fprintln(os.Stderr, line) }, funcr.Options{LogTimestamp: true})
}

// guardAsMain does what the main of a provider does. Decisions are recorded, if there is a recording.
func guardAsMain(recording *replay.Recorder) func(context.Context, []controller.Controller, world.Parts) ([]controller.Controller, error) {
	return func(ctx context.Context, list []controller.Controller, parts world.Parts) ([]controller.Controller, error) {
		return karpenter.Controllers(ctx, &karpenter.Cluster{
			Client: parts.Client, State: parts.Cluster, Clock: parts.Clock, Recorder: parts.Recorder, CloudProvider: parts.CloudProvider,
			Recording: recording,
		}, list), nil
	}
}

// oneByOne fails unless no two zones were in flight at once, and each was begun once, whichever came first: here a zone may become
// eligible before another.
func (s *story) oneByOne() {
	s.t.Helper()
	if n, _ := world.Peak(s.Timeline()); n != 1 {
		s.t.Errorf("%d zones were in flight at once, want 1", n)
	}
	if turns := strings.Fields(zones(s.started(0))); len(turns) != 3 {
		s.t.Errorf("the zones took turns so: %v; want each once", turns)
	}
}

// stays fails if a node is disrupted within a time, once what is in flight has ended.
func (s *story) stays(d time.Duration) {
	s.t.Helper()
	s.until(5*time.Minute, "nothing is in flight", func() bool { return len(s.InFlight()) == 0 })
	row := len(s.Timeline())
	s.lasts(d)
	if started := s.started(row); len(started) > 0 {
		s.t.Errorf("%v were disrupted, want none", started)
	}
}

// one lets one node of a zone drift at once.
const one = `
budgets:
- {nodes: "1", topologyKey: topology.kubernetes.io/zone, sequential: true, reasons: [Drifted]}
`

const patience = 10 * time.Minute // with a busy machine

func TestServerZonesTakeTurns(t *testing.T) {
	s := tellOnServer(t, func(o *world.Options) { o.NodesPerZone, o.PodsPerNode, o.PDB = 4, 2, 1 })
	s.drift()
	s.rolls(2 * patience)
	s.oneByOne()
	if _, nodes := world.Peak(s.Timeline()); nodes > 2 {
		t.Errorf("%d nodes were in flight at once, want 2", nodes)
	}
	if !s.told("b1", "waits-for-domain") && !s.told("c1", "waits-for-domain") {
		t.Error("no event says that a node waits for its zone's turn")
	}
}

func TestServerRestartInARoll(t *testing.T) {
	s := tellOnServer(t, func(o *world.Options) { o.NodePool.Annotations[karpenter.DisruptionAnnotation] = one })
	s.drift()
	restarted := map[string]bool{}
	s.until(2*patience, "all nodes are new", func() bool {
		if old := strings.Fields(s.old()); len(old)%2 == 1 && !restarted[old[0]] {
			restarted[old[0]] = true
			if err := s.Restart(); err != nil {
				t.Fatal(err)
			}
		}
		return s.Rolled()
	})
	if len(restarted) != 3 {
		t.Errorf("Karpenter was restarted before %v, want three restarts", restarted)
	}
	s.oneByOne()
}

func TestServerFreeze(t *testing.T) {
	s := tellOnServer(t, func(o *world.Options) { o.NodePool.Annotations[karpenter.DisruptionAnnotation] = one })
	s.drift()
	s.inZones(1)
	// From this minute on, for a minute at least.
	berlin := must(time.LoadLocation("Europe/Berlin"))
	from, length := time.Now().Truncate(time.Minute).In(berlin), 2*time.Minute
	err := s.UpdatePool(func(p *v1.NodePool) {
		p.Annotations[karpenter.DisruptionAnnotation] = one + fmt.Sprintf(
			`- {nodes: "0", schedule: "%d %d * * *", duration: %dm, timeZone: Europe/Berlin}`, from.Minute(), from.Hour(), int(length.Minutes()))
	})
	if err != nil {
		t.Fatal(err)
	}
	ends := from.Add(length)
	told := func() bool { return s.told("default", "allows-none") }
	s.until(patience, "an event says that a budget blocks the pool", func() bool { return told() || s.Clock.Now().After(ends) })
	row := len(s.Timeline())
	s.rolls(2 * patience)
	s.oneByOne()
	for _, row := range s.Timeline()[row:] {
		if begins(row) && row.At.Before(ends) {
			t.Errorf("%v in the freeze, which ends at %s", row, ends.UTC().Format(time.TimeOnly))
		}
	}
	if !told() {
		t.Error("no event says that a budget blocks the pool")
	}
}

// begins reports whether the disruption of a node begins in a row.
func begins(row world.Row) bool { return strings.Contains(strings.Join(row.Notes, " "), "disrupted") }

func TestServerPodsThatMayGoLater(t *testing.T) {
	schedule := func(at time.Time) map[string]string {
		at = at.UTC()
		return map[string]string{
			kube.DisruptionScheduleAnnotation:         fmt.Sprintf("%d %d * * *", at.Minute(), at.Hour()),
			kube.DisruptionScheduleDurationAnnotation: "1h",
		}
	}
	s := tellOnServer(t, func(o *world.Options) { o.PodAnnotations = schedule(time.Now().Add(12 * time.Hour)) })
	s.drift()
	s.until(patience, "an event says that the pods of a1 may not be disrupted now", func() bool {
		return s.told("a1", "outside-schedule") || len(s.started(0)) > 0 // that fails below
	})
	s.stays(15 * time.Second)
	from := time.Now().Add(75 * time.Second).Truncate(time.Minute)
	if err := s.UpdatePods(func(p *corev1.Pod) { maps.Copy(p.Annotations, schedule(from)) }); err != nil {
		t.Fatal(err)
	}
	s.rolls(patience)
	s.oneByOne()
	for _, row := range s.Timeline() {
		if begins(row) && row.At.Before(from) {
			t.Errorf("%v before %s", row, from.Format(time.TimeOnly))
		}
	}
}

// sloProbe returns a probe, as an annotation has it, and whether it is to deny.
func sloProbe(t *testing.T) (annotation string, down *atomic.Bool) {
	down = &atomic.Bool{}
	slo := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if down.Load() {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	}))
	t.Cleanup(slo.Close)
	host, port, _ := net.SplitHostPort(slo.Listener.Addr().String())
	return fmt.Sprintf(`[{name: slo, host: %q, port: %s, path: /, periodSeconds: 1, failureThreshold: 1, successThreshold: 1}]`, host, port), down
}

func TestServerProbe(t *testing.T) {
	probe, down := sloProbe(t)
	s := tellOnServer(t, func(o *world.Options) { o.NodePool.Annotations[karpenter.ProbesAnnotation] = probe })
	s.drift()
	s.until(patience, "a node is disrupted", func() bool { return len(s.started(0)) > 0 })
	down.Store(true)
	s.lasts(3 * time.Second) // the probe is asked
	s.stays(25 * time.Second)
	if !s.told("default", "unhealthy") {
		t.Error("no event says that the probe blocks the pool")
	}
	down.Store(false)
	s.rolls(patience)
	s.oneByOne()
}

func TestServerAnnotationEditedByHand(t *testing.T) {
	s := tellOnServer(t, nil)
	s.drift()
	s.until(patience, "a node is disrupted", func() bool { return len(s.started(0)) > 0 })
	annotate := func(key, text string) {
		t.Helper()
		if err := s.UpdatePool(func(p *v1.NodePool) { p.Annotations[key] = text }); err != nil {
			t.Fatal(err)
		}
	}
	annotate(karpenter.DisruptionAnnotation, "budgets: [")
	s.stays(25 * time.Second)
	annotate(karpenter.DisruptionAnnotation, zoneByZone)
	annotate(karpenter.MemoryAnnotation, "{not json")
	s.rolls(patience)
	if n, _ := world.Peak(s.Timeline()); n != 1 {
		t.Errorf("%d zones were in flight at once, want 1", n)
	}
}

// A new node of the first zone stops to be Ready: that may be the new image, and no other zone is to get it.
func TestServerBadReplacements(t *testing.T) {
	s := tellOnServer(t, nil)
	s.drift()
	sick := ""
	s.until(patience, "a zone has a new node", func() bool {
		for _, n := range s.Nodes() {
			if !n.Old && n.Ready {
				sick = n.Name
			}
		}
		return sick != ""
	})
	s.Fail(sick, true)
	s.until(patience, "the zone has no old nodes", func() bool { return len(s.InFlight()) == 0 && !strings.Contains(s.old(), sick[:1]) })
	s.stays(45 * time.Second)
	s.Fail(sick, false)
	s.rolls(patience)
	s.oneByOne()
}

// Repair goes on in all zones while one is rolled: zones take turns for drift alone, also where their budget names no reasons.
func TestServerRepair(t *testing.T) {
	s := tellOnServer(t, func(o *world.Options) {
		o.NodePool.Annotations[karpenter.DisruptionAnnotation] = `budgets: [{nodes: "2", topologyKey: topology.kubernetes.io/zone, sequential: true}]`
		o.NodePool.Spec.Disruption.Budgets = []v1.Budget{
			{Nodes: "3", Reasons: []v1.DisruptionReason{v1.DisruptionReasonDrifted, v1.DisruptionReasonEmpty, v1.DisruptionReasonUnderutilized}},
			{Nodes: "1", Reasons: []v1.DisruptionReason{v1.DisruptionReasonUnhealthy}},
		}
		o.Repair = []cloudprovider.RepairPolicy{
			{
				ConditionType: "Ready", ConditionStatus: "False", ReasonRegex: "^Hung$", TolerationDuration: 5 * time.Second,
				TerminationGracePeriod: new(30 * time.Second), Priority: 10, Action: cloudprovider.RebootNode,
			},
			{ConditionType: "Ready", ConditionStatus: "False", TolerationDuration: time.Hour, Action: cloudprovider.ReplaceNode},
		}
	})
	s.drift()
	s.until(patience, "a node is disrupted", func() bool { return len(s.started(0)) > 0 })
	sick := "c2"
	if s.started(0)[0][:1] == "c" {
		sick = "b2"
	}
	s.Sicken(sick, "Hung", false)
	rebooted := func() bool { return strings.Contains(fmt.Sprint(s.Timeline()), sick+" rebooted") }
	s.until(patience, sick+" is rebooted or new", func() bool { return rebooted() || !strings.Contains(s.old(), sick) })
	switch zone, _ := s.turn(); {
	case !rebooted():
		t.Errorf("%s was replaced, and not rebooted while another zone was rolled", sick)
	case zone == sick[:1]:
		t.Errorf("%s was rebooted only when it was the turn of its zone", sick)
	}
	s.rolls(patience)
}

// A window blocks consolidation. Soon after it has ended, Karpenter consolidates.
func TestServerConsolidation(t *testing.T) {
	s := tellOnServer(t, func(o *world.Options) {
		o.NodePool.Spec.Disruption.ConsolidateAfter = v1.MustParseNillableDuration("5s")
	})
	from := time.Now().UTC().Truncate(time.Minute)
	ends := from.Add(2 * time.Minute)
	err := s.UpdatePool(func(p *v1.NodePool) {
		p.Annotations[karpenter.DisruptionAnnotation] = fmt.Sprintf(
			`budgets: [{nodes: "0", reasons: [Empty, Underutilized], schedule: "%d %d * * *", duration: 2m}]`, from.Minute(), from.Hour())
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Scale("b", 1); err != nil {
		t.Fatal(err)
	}
	told := func() bool { return s.told("default", "allows-none") }
	s.until(patience, "an event says that a budget blocks the pool", func() bool { return told() || s.Clock.Now().After(ends) })
	s.until(time.Until(ends)+3*time.Minute, "a node of b is gone soon after the window", func() bool { return len(s.Nodes()) == 5 })
	for _, row := range s.Timeline() {
		if begins(row) && row.At.Before(ends) {
			t.Errorf("%v in the window, which ends at %s", row, ends.Format(time.TimeOnly))
		}
	}
	if !told() {
		t.Error("no event says that a budget blocks the pool")
	}
}
