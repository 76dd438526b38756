package karpenter_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/awslabs/operatorpkg/controller"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/metrics"
	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"
	"sigs.k8s.io/karpenter/pkg/cloudprovider"

	"github.com/disruptkit/disruptkit/cmd/annotation"
	manifests "github.com/disruptkit/disruptkit/cmd/steward"
	"github.com/disruptkit/disruptkit/karpenter/internal/world"
	"github.com/disruptkit/disruptkit/karpenter/steward"
	"github.com/disruptkit/disruptkit/repair"
)

// The stories of this file have a Karpenter that runs unchanged, and beside it the steward.

// A stewarded is a story with a steward.
type stewarded struct {
	*story
	options steward.Options
	stop    func()
	denied  *atomic.Int64 // what Karpenter wrote on nodes and admission denied
	errors  float64       // of Karpenter's disruption controller, before the story
	watcher *watcher      // of the whole story
}

// stock is Karpenter as its main makes it.
func stock(_ context.Context, list []controller.Controller, _ world.Parts) ([]controller.Controller, error) {
	return list, nil
}

// reconcileErrors returns how often Karpenter's disruption controller has returned an error in this process.
func reconcileErrors(t *testing.T) (n float64) {
	t.Helper()
	families, err := metrics.Registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		if f.GetName() != "controller_runtime_reconcile_errors_total" {
			continue
		}
		for _, m := range f.Metric {
			for _, l := range m.Label {
				if l.GetName() == "controller" && l.GetValue() == "disruption" {
					n += m.Counter.GetValue()
				}
			}
		}
	}
	return n
}

// tellWithSteward begins a story of three zones with a pool that is opted in, whose nodes are all held. By its policy, only so many nodes
// go at once.
func tellWithSteward(t *testing.T, most limits, policy string, change func(*world.Options)) *stewarded {
	t.Helper()
	s := tellBeforeSteward(t, func(o *world.Options) {
		o.NodePool.Annotations = map[string]string{annotation.Disruption: policy, annotation.Steward: "true"}
		if change != nil {
			change(o)
		}
	}, manifests.Hold, manifests.Deny)
	s.lead()
	s.enforced()
	s.may(most)
	return s
}

// tellBeforeSteward begins a story without a steward, of a Karpenter that runs unchanged.
func tellBeforeSteward(t *testing.T, change func(*world.Options), manifests ...[]byte) *stewarded {
	t.Helper()
	s := &stewarded{denied: &atomic.Int64{}, options: steward.Options{Recording: recorded(t)}}
	cfg := serverConfig(t)
	policies(t, cfg, manifests...)
	s.watcher = watch(t, cfg)
	s.story = tellOnServer(t, func(o *world.Options) {
		o.Guard = stock
		o.NodePool = world.NewPool("default", v1.Budget{Nodes: "100%"})
		o.Karpenter = func(c *rest.Config) { c.Wrap(s.listen) }
		change(o)
	})
	s.errors = reconcileErrors(t)
	s.always = s.inLimits
	return s
}

// enforced waits until admission denies the disruption of what is not released.
func (s *stewarded) enforced() {
	s.t.Helper()
	s.until(patience, "all nodes are held, and admission denies what is not released", func() bool {
		var np v1.NodePool
		err := s.Client.Get(s.t.Context(), client.ObjectKey{Name: "default"}, &np)
		return err == nil && np.Annotations[annotation.StewardEnforced] == "true"
	})
}

// listen counts what admission denies.
func (s *stewarded) listen(next http.RoundTripper) http.RoundTripper {
	return roundTripper(func(r *http.Request) (*http.Response, error) {
		response, err := next.RoundTrip(r)
		if err != nil || r.Method != http.MethodPatch || !strings.HasPrefix(r.URL.Path, "/api/v1/nodes/") || response.StatusCode < 400 {
			return response, err
		}
		body, err := io.ReadAll(response.Body)
		if err != nil {
			return nil, err
		}
		_ = response.Body.Close()
		response.Body = io.NopCloser(bytes.NewReader(body))
		if strings.Contains(string(body), "disruptkit-steward-deny") { // a server that starts denies for reasons of its own
			s.denied.Add(1)
		}
		return response, nil
	})
}

// policies creates admission policies for the time of a test.
func policies(t *testing.T, cfg *rest.Config, manifests ...[]byte) {
	t.Helper()
	kube := must(client.New(cfg, client.Options{Scheme: scheme.Scheme}))
	for _, m := range manifests {
		for _, o := range must(world.Objects(m)) {
			if err := kube.Create(t.Context(), o); err != nil && !apierrors.IsAlreadyExists(err) {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = kube.Delete(context.Background(), o) })
		}
	}
}

// lead starts a steward in a manager of its own.
func (s *stewarded) lead(change ...func(*rest.Config)) {
	s.t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	to := rest.CopyConfig(servers.Config)
	to.QPS, to.Burst = 200, 300
	for _, f := range change {
		f(to)
	}
	m, err := newManager(to, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	if err := steward.Add(m, s.options); err != nil {
		s.t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- m.Start(ctx) }()
	s.stop = func() {
		stop()
		if err := <-ended; err != nil {
			s.t.Error(err)
		}
		s.stop = func() {}
	}
	s.t.Cleanup(func() { s.stop() })
}

// counted ends the watch, and says what was denied and what failed.
func (s *stewarded) counted() (denied int64, failed float64) {
	s.t.Helper()
	s.lasts(settled)
	s.inLimits()
	denied, failed = s.denied.Load(), reconcileErrors(s.t)-s.errors
	s.t.Logf("at most %d nodes were in flight or released; admission has denied %d writes of Karpenter; its disruption controller has failed %v times",
		s.watcher.peak, denied, failed)
	return denied, failed
}

// quiet fails if admission has denied anything that Karpenter wanted, or its disruption controller has failed.
func (s *stewarded) quiet() {
	s.t.Helper()
	if denied, failed := s.counted(); denied > 0 || failed > 0 {
		s.t.Error("Karpenter was denied something while the steward was up")
	}
}

// mark returns the mark of a node.
func (s *stewarded) mark(name string) (annotation.Mark, *corev1.Node) {
	var n corev1.Node
	if err := s.Client.Get(s.t.Context(), client.ObjectKey{Name: name}, &n); err != nil {
		return annotation.Mark{}, nil
	}
	return annotation.ReadMark(n.Annotations), &n
}

const twoOfAZone = `budgets: [{nodes: "2", topologyKey: topology.kubernetes.io/zone, sequential: true}]`

func TestServerStewardRollsZoneByZone(t *testing.T) {
	s := tellWithSteward(t, ofOneZone(2), twoOfAZone, func(o *world.Options) { o.NodesPerZone = 4 })
	s.drift()
	since := s.driftedSince()
	s.rolls(2 * patience)
	s.oneByOne()
	s.quiet()
	s.oldestFirst(since, 2)
}

// driftedSince waits until all nodes have drifted, and returns since when each has.
func (s *stewarded) driftedSince() map[string]time.Time {
	s.t.Helper()
	since := map[string]time.Time{}
	s.until(patience, "all nodes have drifted", func() bool {
		var claims v1.NodeClaimList
		if err := s.Client.List(s.t.Context(), &claims); err != nil {
			return false
		}
		for _, c := range claims.Items {
			if d := c.StatusConditions().Get(v1.ConditionTypeDrifted); d.IsTrue() && c.Status.NodeName != "" {
				since[c.Status.NodeName] = d.LastTransitionTime.Time
			}
		}
		return len(since) == len(claims.Items)
	})
	return since
}

// oldestFirst fails if the nodes of a zone were released in another order than that of Decide: the one that has drifted for longest first, and of
// those that have equally long the first by name. So many are released at once, in any order.
func (s *stewarded) oldestFirst(since map[string]time.Time, atOnce int) {
	s.t.Helper()
	s.watcher.check(time.Now())
	s.watcher.mu.Lock()
	defer s.watcher.mu.Unlock()
	got := map[byte][]string{}
	for _, name := range s.watcher.order {
		if _, old := since[name]; old {
			got[name[0]] = append(got[name[0]], name)
		}
	}
	for zone, names := range got {
		want := slices.Clone(names)
		slices.SortFunc(want, func(a, b string) int { return cmp.Or(since[a].Compare(since[b]), strings.Compare(a, b)) })
		for i, name := range names {
			if at := slices.Index(want, name); at-i >= atOnce || i-at >= atOnce {
				s.t.Errorf("zone %c: released in the order %v, want %v: %v", zone, names, want, since)
			}
		}
	}
	if len(got) != 3 {
		s.t.Errorf("nodes of %d zones were released, want 3: %v", len(got), s.watcher.order)
	}
}

func TestServerStewardHoldsAllThatDrifts(t *testing.T) {
	s := tellWithSteward(t, ofOneZone(0), twoOfAZone, nil)
	pause(s, "true")
	s.drift()
	s.stays(time.Minute)
	s.stop() // what is held stays held
	s.stays(time.Minute)
	s.quiet()
}

// pause pauses the NodePool, or ends the pause.
func pause(s *stewarded, text string) {
	s.t.Helper()
	s.annotatePool(annotation.Pause, text)
}

// annotatePool annotates the NodePool as somebody with kubectl does; "" takes the annotation away.
func (s *stewarded) annotatePool(name, text string) {
	s.t.Helper()
	err := s.UpdatePool(func(p *v1.NodePool) {
		if p.Annotations[name] = text; text == "" {
			delete(p.Annotations, name)
		}
	})
	if err != nil {
		s.t.Fatal(err)
	}
}

func TestServerStewardFreezeInARoll(t *testing.T) {
	s := tellWithSteward(t, ofOneZone(1), one, nil)
	s.drift()
	s.inZones(1)
	s.annotatePool(annotation.Disruption, one+`- {nodes: "0"}`)
	s.until(patience, "nothing is released", func() bool { return s.released() == "" })
	s.stays(45 * time.Second)
	s.annotatePool(annotation.Disruption, one)
	s.rolls(2 * patience)
	s.oneByOne()
	s.quiet()
}

// released returns the names of the nodes that Karpenter may take and has not.
func (s *stewarded) released() string {
	var nodes corev1.NodeList
	if err := s.Client.List(s.t.Context(), &nodes); err != nil {
		return "unknown"
	}
	var names []string
	for i := range nodes.Items {
		n := &nodes.Items[i]
		if m := annotation.ReadMark(n.Annotations); m.Until.After(time.Now()) && m.Disrupt == annotation.None {
			names = append(names, n.Name)
		}
	}
	return strings.Join(names, " ")
}

// What Karpenter does not take is held again, before admission denies it. When it comes back, it finds nodes held, and takes what is
// released then.
func TestServerStewardTakesBackWhatIsNotUsed(t *testing.T) {
	s := tellWithSteward(t, ofOneZone(2), twoOfAZone, nil)
	s.Crash()
	for _, n := range []string{"a1", "a2"} {
		s.makeDrift(n)
	}
	s.until(patience, "both nodes are released", func() bool { return s.released() == "a1 a2" })
	began := time.Now()
	s.until(patience, "both are held again", func() bool { return s.released() == "" })
	if took := time.Since(began); took < time.Minute || took > 90*time.Second {
		t.Errorf("releases that nobody used were taken back after %s", took)
	}
	if m, _ := s.mark("a1"); m.Disrupt != annotation.Ours || m.Until.Before(time.Now().Add(5*time.Second)) {
		t.Fatalf("a node is held again as %+v: its release should end a little later", m)
	}
	if err := s.Restart(); err != nil {
		t.Fatal(err)
	}
	s.until(2*patience, "both nodes are new", func() bool { return !strings.Contains(s.names(func(world.Node) bool { return true }), "a1") })
	s.quiet()
}

// makeDrift marks the NodeClaim of a node as drifted, while Karpenter does not.
func (s *stewarded) makeDrift(name string) {
	s.t.Helper()
	_, n := s.mark(name)
	var claims v1.NodeClaimList
	if err := s.Client.List(s.t.Context(), &claims); err != nil {
		s.t.Fatal(err)
	}
	for i := range claims.Items {
		c := &claims.Items[i]
		if c.Status.ProviderID != n.Spec.ProviderID {
			continue
		}
		was := c.DeepCopy()
		c.StatusConditions().SetTrueWithReason(v1.ConditionTypeDrifted, "AMIDrift", "")
		if err := s.Client.Status().Patch(s.t.Context(), c, client.MergeFrom(was)); err != nil {
			s.t.Fatal(err)
		}
		c.Annotations["karpenter.sh/nodepool-hash"] = "another"
		if err := s.Client.Patch(s.t.Context(), c, client.MergeFrom(was)); err != nil {
			s.t.Fatal(err)
		}
	}
}

// The steward dies in mid-roll, again and again; each next one sees all that it watches five seconds late.
func TestServerStewardDies(t *testing.T) {
	s := tellWithSteward(t, ofOneZone(2), twoOfAZone, func(o *world.Options) { o.NodesPerZone = 3 })
	s.drift()
	deaths, last := 0, time.Now()
	s.until(3*patience, "all nodes are new", func() bool {
		if deaths < 5 && time.Since(last) > 15*time.Second && len(s.InFlight()) > 0 {
			s.stop()
			deaths, last = deaths+1, time.Now()
			s.lead(late(5 * time.Second))
		}
		return s.Rolled()
	})
	if deaths < 3 {
		t.Errorf("the steward died %d times: too few to show anything", deaths)
	}
	s.oneByOne()
	s.quiet()
}

// late lets a steward see all that it watches so much later.
func late(by time.Duration) func(*rest.Config) {
	var lag atomic.Int64
	lag.Store(int64(by))
	return func(c *rest.Config) {
		c.Wrap(func(next http.RoundTripper) http.RoundTripper {
			return roundTripper(func(r *http.Request) (*http.Response, error) {
				response, err := next.RoundTrip(r)
				if err == nil && r.URL.Query().Get("watch") != "" {
					response.Body = delay(response.Body, &lag)
				}
				return response, err
			})
		})
	}
}

func TestServerStewardAndPeople(t *testing.T) {
	s := tellWithSteward(t, ofOneZone(2), twoOfAZone, nil)
	pause(s, "true")
	s.drift()
	annotateNode := func(name string, annotations map[string]any) {
		t.Helper()
		patch := must(json.Marshal(map[string]any{"metadata": map[string]any{"annotations": annotations}}))
		_, n := s.mark(name)
		if err := s.Client.Patch(t.Context(), n, client.RawPatch(types.MergePatchType, patch)); err != nil {
			t.Fatal(err)
		}
	}
	annotateNode("a1", map[string]any{v1.DoNotDisruptAnnotationKey: nil})
	if m, _ := s.mark("a1"); m.Disrupt != annotation.Ours {
		t.Errorf("a hold that somebody takes away is not back at once: %+v", m)
	}
	annotateNode("a2", map[string]any{annotation.Held: nil}) // the hold is theirs now
	pause(s, "")
	s.until(3*patience, "all other nodes are new", func() bool { return s.old() == "a2" && len(s.InFlight()) == 0 })
	if m, _ := s.mark("a2"); m.Disrupt != annotation.Theirs {
		t.Errorf("somebody's own hold was touched: %+v", m)
	}
	annotateNode("a2", map[string]any{v1.DoNotDisruptAnnotationKey: nil})
	s.rolls(patience)
	s.quiet()
}

// A pool begins to are opted in in mid-roll, and leaves again in mid-roll.
func TestServerStewardComesAndGoes(t *testing.T) {
	s := tellWithSteward(t, ofOneZone(2), twoOfAZone, func(o *world.Options) { o.NodesPerZone = 4 })
	s.drift()
	s.inZones(1)
	s.may(noLimits) // without the steward, zones take no turns
	s.annotatePool(annotation.Steward, "")
	s.until(patience, "nothing of the steward's is left", func() bool { return !s.marked() })
	s.until(patience, "Karpenter goes on alone", func() bool { return len(s.InFlight()) > 1 })
	s.annotatePool(annotation.Steward, "true")
	s.enforced()
	s.rolls(2 * patience)
	s.quiet()
}

// marked reports whether any node or the NodePool has something of the steward's.
func (s *stewarded) marked() bool {
	var np v1.NodePool
	if err := s.Client.Get(s.t.Context(), client.ObjectKey{Name: "default"}, &np); err != nil {
		return true
	}
	return np.Annotations[annotation.StewardEnforced]+np.Annotations[annotation.Releases]+s.markedNodes() != ""
}

// markedNodes returns the names of the annotations of nodes that are the steward's.
func (s *stewarded) markedNodes() (left string) {
	var nodes corev1.NodeList
	if err := s.Client.List(s.t.Context(), &nodes); err != nil {
		return "unknown"
	}
	for i := range nodes.Items {
		for name := range nodes.Items[i].Annotations {
			if strings.HasPrefix(name, "disruptkit.dev/") || name == v1.DoNotDisruptAnnotationKey || name == v1.DoNotRepairAnnotationKey {
				left += name + " "
			}
		}
	}
	return left
}

// A broken node waits for its repair as a budget says, and nothing of Karpenter's fails meanwhile.
func TestServerStewardRepair(t *testing.T) {
	s := tellWithSteward(t, ofOneZone(1), `budgets: [{nodes: "0", reasons: [Unhealthy]}]`, func(o *world.Options) {
		o.Repair = []cloudprovider.RepairPolicy{{
			ConditionType: "Ready", ConditionStatus: "False", TolerationDuration: 5 * time.Second, TerminationGracePeriod: new(time.Second),
			Action: cloudprovider.ReplaceNode,
		}}
	})
	s.stop()
	s.options.Repair = must(repair.Compile([]repair.Policy{{
		ConditionType: "Ready", ConditionStatus: "False", TolerationDuration: 5 * time.Second, TerminationGracePeriod: new(time.Second), Action: repair.Replace,
	}}))
	s.lead()
	s.Sicken("b1", "Hung", false)
	s.lasts(45 * time.Second)
	if all := s.names(func(world.Node) bool { return true }); !strings.Contains(all, "b1") {
		t.Fatalf("b1 was replaced while a budget was 0: %s", all)
	}
	s.quiet()
	s.annotatePool(annotation.Disruption, `budgets: [{nodes: "1", reasons: [Unhealthy]}]`)
	s.until(patience, "b1 is new", func() bool { return !strings.Contains(s.names(func(world.Node) bool { return true }), "b1") })
	s.quiet()
}

// Somebody deletes the admission policies in mid-roll: the steward's annotations alone hold nodes then.
func TestServerStewardWithoutPolicies(t *testing.T) {
	s := tellWithSteward(t, ofOneZone(2), twoOfAZone, nil)
	s.drift()
	s.inZones(1)
	for _, m := range [][]byte{manifests.Deny, manifests.Hold} {
		for _, o := range must(world.Objects(m)) {
			if err := s.Client.Delete(t.Context(), o); err != nil {
				t.Fatal(err)
			}
		}
	}
	s.rolls(2 * patience)
	s.oneByOne()
	s.quiet()
}
