package karpenter_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/awslabs/operatorpkg/controller"
	"github.com/awslabs/operatorpkg/status"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"
	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"
	"sigs.k8s.io/karpenter/pkg/cloudprovider/fake"
	"sigs.k8s.io/karpenter/pkg/controllers"
	"sigs.k8s.io/karpenter/pkg/controllers/disruption"
	"sigs.k8s.io/karpenter/pkg/controllers/nodeoverlay"
	"sigs.k8s.io/karpenter/pkg/controllers/state"
	"sigs.k8s.io/karpenter/pkg/events"
	"sigs.k8s.io/karpenter/pkg/operator/options"
	"sigs.k8s.io/karpenter/pkg/state/prediction"

	"github.com/disruptkit/disruptkit/karpenter"
	"github.com/disruptkit/disruptkit/karpenter/internal/world"
)

// What a pass of the disruption controller costs on 1,000 nodes with 10,000 pods that have all drifted, while one node is in flight: plain
// and guarded, by turns, on the same state. SCALE=1 runs it, in a fresh process.
func TestServerScale(t *testing.T) {
	if os.Getenv("SCALE") == "" {
		t.Skip("SCALE is not set: it takes minutes, and shows figures")
	}
	const nodes, podsPerNode, passes = 1000, 10, 10
	server := serverConfig(t)
	kube := must(client.New(server, client.Options{Scheme: scheme.Scheme}))
	began := time.Now()
	pool := world.NewPool("default", v1.Budget{Nodes: "1"})
	pool.Annotations = map[string]string{karpenter.DisruptionAnnotation: one}
	if err := populate(t.Context(), kube, pool, nodes, podsPerNode); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d nodes and %d pods were written in %s", nodes, nodes*podsPerNode, time.Since(began).Round(time.Second))

	var counted requests
	to := rest.CopyConfig(server)
	to.QPS, to.Burst = 200, 300
	to.Wrap(counted.count)
	ctx := options.ToContext(t.Context(), &options.Options{
		DisableClusterStateObservability: true, IgnoreDRARequests: true, CPURequests: 1000,
		PreferencePolicy: options.PreferencePolicyRespect, MinValuesPolicy: options.MinValuesPolicyStrict,
	})
	manager := must(newManager(to, func() context.Context { return ctx }))
	if err := world.Index(ctx, manager); err != nil {
		t.Fatal(err)
	}
	cloud := fake.NewCloudProvider()
	cluster := state.NewCluster(clock.RealClock{}, manager.GetClient(), cloud)
	recorder := events.NewRecorder(manager.GetEventRecorderFor("karpenter")) //lint:ignore SA1019 as Karpenter's operator
	list := controllers.NewControllers(ctx, manager, clock.RealClock{}, manager.GetClient(), recorder, cloud, cloud, cluster,
		nodeoverlay.NewInstanceTypeStore(), prediction.NewStore())
	plain := disrupter(list)
	guarded := disrupter(must(guardAsMain(nil)(ctx, list, world.Parts{
		Client: manager.GetClient(), Cluster: cluster, CloudProvider: cloud, Clock: clock.RealClock{}, Recorder: recorder,
	})))
	// Nobody is to look after the nodes, which have neither instances nor kubelets.
	for _, c := range list {
		if named, is := c.(interface{ Name() string }); is && strings.HasPrefix(named.Name(), "state.") {
			if err := c.Register(ctx, manager); err != nil {
				t.Fatal(err)
			}
		}
	}
	var ended sync.WaitGroup
	ctx, stop := context.WithCancel(ctx)
	defer ended.Wait()
	defer stop()
	ended.Go(func() { _ = manager.Start(ctx) })
	for !manager.GetCache().WaitForCacheSync(ctx) || !cluster.Synced(ctx) {
		time.Sleep(time.Second)
	}
	time.Sleep(5 * time.Second)

	measure := func(name string, c *disruption.Controller) {
		var took []time.Duration
		var before, after runtime.MemStats
		counted.reset()
		runtime.ReadMemStats(&before)
		for range passes {
			start := time.Now()
			if _, err := c.Reconcile(ctx); err != nil {
				t.Fatal(err)
			}
			took = append(took, time.Since(start))
		}
		runtime.ReadMemStats(&after)
		time.Sleep(3 * time.Second) // events are written in the background
		slices.Sort(took)
		t.Logf("%-22s median %8s, longest %8s, %6.1f MB allocated a pass; in %d passes: %v", name, took[passes/2].Round(time.Millisecond),
			took[passes-1].Round(time.Millisecond), float64(after.TotalAlloc-before.TotalAlloc)/passes/1e6, passes, &counted)
	}
	first := time.Now()
	must(guarded.Reconcile(ctx))
	took := time.Since(first)
	for before := int64(-1); counted.events.Load() != before; time.Sleep(15 * time.Second) { // events are written in the background
		before = counted.events.Load()
	}
	t.Logf("the first guarded pass, which starts a node, took %s: %v", took.Round(time.Millisecond), &counted)
	for range 2 {
		measure("plain", plain)
		measure("guarded", guarded)
	}
	if err := kube.Get(ctx, client.ObjectKeyFromObject(pool), pool); err != nil {
		t.Fatal(err)
	}
	t.Logf("the memory is %d bytes: %s", len(pool.Annotations[karpenter.MemoryAnnotation]), pool.Annotations[karpenter.MemoryAnnotation])
	runtime.GC()
	var now runtime.MemStats
	runtime.ReadMemStats(&now)
	t.Logf("heap in use: %d MB", now.HeapInuse>>20)
}

func disrupter(list []controller.Controller) *disruption.Controller {
	for _, c := range list {
		if d, is := c.(*disruption.Controller); is {
			return d
		}
	}
	return nil
}

// requests counts what is asked of the server.
type requests struct{ reads, writes, events atomic.Int64 }

func (c *requests) reset() { c.reads.Store(0); c.writes.Store(0); c.events.Store(0) }

func (c *requests) String() string {
	return fmt.Sprintf("%d reads, %d writes, %d events", c.reads.Load(), c.writes.Load(), c.events.Load())
}

func (c *requests) count(next http.RoundTripper) http.RoundTripper {
	return roundTripper(func(r *http.Request) (*http.Response, error) {
		switch {
		case strings.Contains(r.URL.Path, "/events"):
			c.events.Add(1)
		case r.Method != http.MethodGet:
			c.writes.Add(1)
		case r.URL.Query().Get("watch") == "":
			c.reads.Add(1)
		}
		return next.RoundTrip(r)
	})
}

// populate creates a NodePool and a fleet of it that has drifted, in three zones.
func populate(ctx context.Context, kube client.Client, pool *v1.NodePool, nodes, podsPerNode int) error {
	if err := kube.Create(ctx, pool); err != nil {
		return err
	}
	pool.StatusConditions().SetTrue(status.ConditionReady)
	if err := kube.Status().Update(ctx, pool); err != nil {
		return err
	}
	const workers = 16
	var group sync.WaitGroup
	failed := make([]error, workers)
	for w := range workers {
		group.Go(func() {
			for i := w; i < nodes && failed[w] == nil; i += workers {
				failed[w] = populateNode(ctx, kube, pool, i, podsPerNode)
			}
		})
	}
	group.Wait()
	return errors.Join(failed...)
}

func populateNode(ctx context.Context, kube client.Client, pool *v1.NodePool, i, pods int) error {
	name := fmt.Sprintf("%s-%04d", pool.Name, i)
	labels := map[string]string{
		v1.NodePoolLabelKey: pool.Name, corev1.LabelTopologyZone: []string{"test-zone-1", "test-zone-2", "test-zone-3"}[i%3],
		corev1.LabelInstanceTypeStable: "default-instance-type", v1.CapacityTypeLabelKey: v1.CapacityTypeOnDemand,
		corev1.LabelHostname: name, v1.NodeRegisteredLabelKey: "true", v1.NodeInitializedLabelKey: "true",
	}
	has := corev1.ResourceList{
		corev1.ResourceCPU: resource.MustParse("4"), corev1.ResourceMemory: resource.MustParse("4Gi"), corev1.ResourcePods: resource.MustParse("110"),
	}
	claim := &v1.NodeClaim{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: labels, Finalizers: []string{v1.TerminationFinalizer}},
		Spec: v1.NodeClaimSpec{
			NodeClassRef: pool.Spec.Template.Spec.NodeClassRef, ExpireAfter: v1.MustParseNillableDuration(v1.Never),
			Requirements: []v1.NodeSelectorRequirementWithMinValues{},
		},
	}
	if err := kube.Create(ctx, claim); err != nil {
		return err
	}
	claim.Status = v1.NodeClaimStatus{ProviderID: "fake:///" + name, NodeName: name, Capacity: has, Allocatable: has}
	for _, c := range []string{v1.ConditionTypeLaunched, v1.ConditionTypeRegistered, v1.ConditionTypeInitialized, v1.ConditionTypeDrifted} {
		claim.StatusConditions().SetTrue(c)
	}
	if err := kube.Status().Update(ctx, claim); err != nil {
		return err
	}
	node := &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: labels, Finalizers: []string{v1.TerminationFinalizer}},
		Spec:       corev1.NodeSpec{ProviderID: claim.Status.ProviderID},
		Status: corev1.NodeStatus{Capacity: has, Allocatable: has, Conditions: []corev1.NodeCondition{
			{Type: corev1.NodeReady, Status: corev1.ConditionTrue, LastTransitionTime: metav1.Now()},
		}},
	}
	if err := kube.Create(ctx, node); err != nil {
		return err
	}
	for n := range pods {
		pod := &corev1.Pod{
			ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("%s-%d", name, n), Namespace: "default", Labels: map[string]string{"app": "web"}},
			Spec: corev1.PodSpec{NodeName: name, Containers: []corev1.Container{{
				Name: "web", Image: "web",
				Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("300m")}},
			}}},
		}
		if err := kube.Create(ctx, pod); err != nil {
			return err
		}
	}
	return nil
}
