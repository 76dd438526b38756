package main

import (
	"cmp"
	"context"
	"encoding/json"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/cluster-api/controllers/clustercache"
	"sigs.k8s.io/cluster-api/core/reconcilers/machine"
	"sigs.k8s.io/cluster-api/core/reconcilers/machinedeployment"
	"sigs.k8s.io/cluster-api/core/reconcilers/machinehealthcheck"
	"sigs.k8s.io/cluster-api/core/reconcilers/machineset"
	"sigs.k8s.io/cluster-api/core/setup"
	"sigs.k8s.io/cluster-api/util/index"
	"sigs.k8s.io/cluster-api/util/test/builder"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

// startClusterAPI installs the CRDs of Cluster API on a server, and runs its controllers and the smallest provider of machines that they need.
func startClusterAPI(t *testing.T, config *rest.Config) {
	t.Helper()
	list, said := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "sigs.k8s.io/cluster-api"), &strings.Builder{}
	list.Stderr = said
	out, err := list.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	must(envtest.InstallCRDs(config, envtest.CRDInstallOptions{
		Paths: []string{filepath.Join(strings.TrimSpace(string(out)), "core", "config", "crd", "bases")},
		CRDs: []*apiextensionsv1.CustomResourceDefinition{
			builder.GenericInfrastructureMachineCRD.DeepCopy(), builder.GenericInfrastructureMachineTemplateCRD.DeepCopy(), builder.GenericControlPlaneCRD.DeepCopy(),
		},
	}))
	ctrl.SetLogger(logr.Discard())
	ctx := t.Context()
	mgr := must(ctrl.NewManager(config, ctrl.Options{
		Scheme: testScheme, Metrics: server.Options{BindAddress: "0"},
		Cache: setup.ManagerCacheOptions(testScheme, "test", "", 10*time.Minute), Client: setup.ManagerClientOptions(),
	}))
	ok(t, index.AddDefaultIndexes(ctx, mgr))
	clusters := must(clustercache.SetupWithManager(ctx, mgr, clustercache.Options{
		SecretClient: must(setup.CreateSecretCachingClient(mgr)), Cache: setup.ClusterCacheCacheOptions(),
		Client: setup.ClusterCacheClientOptions("test", 200, 400),
	}, controller.Options{MaxConcurrentReconciles: 2}))
	c, reader, several := mgr.GetClient(), mgr.GetAPIReader(), controller.Options{MaxConcurrentReconciles: 4}
	ok(t, (&machinedeployment.Reconciler{Client: c, APIReader: reader}).SetupWithManager(ctx, mgr, several))
	ok(t, (&machineset.Reconciler{Client: c, APIReader: reader, ClusterCache: clusters}).SetupWithManager(ctx, mgr, several))
	ok(t, (&machine.Reconciler{
		Client: c, APIReader: reader, ClusterCache: clusters, RemoteConditionsGracePeriod: 5 * time.Minute,
	}).SetupWithManager(ctx, mgr, several))
	ok(t, (&machinehealthcheck.Reconciler{Client: c, ClusterCache: clusters}).SetupWithManager(ctx, mgr, several))
	p := &provider{client: must(client.New(config, client.Options{Scheme: testScheme})), seen: map[string]time.Time{}}
	var running sync.WaitGroup
	running.Go(func() {
		if err := mgr.Start(ctx); err != nil {
			t.Error(err)
		}
	})
	running.Go(func() { p.run(ctx, t) })
	t.Cleanup(running.Wait)
}

var testScheme = newScheme()

func newScheme() *runtime.Scheme {
	s := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{clientgoscheme.AddToScheme, clusterv1.AddToScheme, apiextensionsv1.AddToScheme} {
		if err := add(s); err != nil {
			panic(err)
		}
	}
	return s
}

// A provider makes machines: each gets a Node in the zone that has the fewest, and is gone a moment after it is to go.
type provider struct {
	client client.Client
	seen   map[string]time.Time // when a machine was to come, or to go
}

const (
	takes     = 300 * time.Millisecond
	finalizer = "test.disruptkit.dev/machine"
)

func (p *provider) run(ctx context.Context, t *testing.T) {
	for ctx.Err() == nil {
		if err := p.pass(ctx); err != nil && ctx.Err() == nil && !apierrors.IsConflict(err) && !apierrors.IsNotFound(err) {
			t.Logf("the provider: %v", err)
		}
		time.Sleep(100 * time.Millisecond)
	}
}

func (p *provider) pass(ctx context.Context) error {
	list := &unstructured.UnstructuredList{}
	list.SetGroupVersionKind(builder.InfrastructureGroupVersion.WithKind(builder.GenericInfrastructureMachineKind + "List"))
	if err := p.client.List(ctx, list); err != nil {
		return err
	}
	zones := map[string]map[string]int{} // by namespace: each is a cluster
	for _, m := range list.Items {
		of := zones[m.GetNamespace()]
		if of == nil {
			of = map[string]int{"a": 0, "b": 0, "c": 0}
			zones[m.GetNamespace()] = of
		}
		if in, _, _ := unstructured.NestedString(m.Object, "status", "failureDomain"); in != "" && m.GetDeletionTimestamp() == nil {
			of[in]++
		}
	}
	for i := range list.Items {
		m := &list.Items[i]
		goes := m.GetDeletionTimestamp() != nil
		provisioned, _, _ := unstructured.NestedBool(m.Object, "status", "initialization", "provisioned")
		id := string(m.GetUID()) + map[bool]string{true: " goes"}[goes]
		if _, seen := p.seen[id]; !seen {
			p.seen[id] = time.Now()
		}
		if !goes && provisioned || time.Since(p.seen[id]) < takes {
			continue
		}
		act := p.launch
		if goes {
			act = p.terminate
		}
		if err := act(ctx, m, zones[m.GetNamespace()]); err != nil {
			return err
		}
	}
	return nil
}

func (p *provider) terminate(ctx context.Context, m *unstructured.Unstructured, _ map[string]int) error {
	m.SetFinalizers(slices.DeleteFunc(m.GetFinalizers(), func(f string) bool { return f == finalizer }))
	return p.client.Update(ctx, m)
}

func (p *provider) launch(ctx context.Context, m *unstructured.Unstructured, zones map[string]int) error {
	if zones["a"]+zones["b"]+zones["c"] >= machines { // the one that it replaces is still there: its zone would have one too many
		return nil
	}
	in := slices.MinFunc([]string{"a", "b", "c"}, func(a, b string) int { return cmp.Or(zones[a]-zones[b], strings.Compare(a, b)) })
	zones[in]++
	id := "test:///" + m.GetName()
	n := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: m.GetName(), Labels: map[string]string{zone: in}}, Spec: corev1.NodeSpec{ProviderID: id}}
	if err := p.client.Create(ctx, n); err == nil {
		n.Status.Conditions = conditionsOfNode(corev1.ConditionTrue)
		if err := p.client.Status().Update(ctx, n); err != nil {
			return err
		}
	} else if !apierrors.IsAlreadyExists(err) {
		return err
	}
	m.SetFinalizers(append(m.GetFinalizers(), finalizer))
	if err := unstructured.SetNestedField(m.Object, id, "spec", "providerID"); err != nil {
		return err
	}
	if err := p.client.Update(ctx, m); err != nil {
		return err
	}
	status := map[string]any{"failureDomain": in, "initialization": map[string]any{"provisioned": true}}
	if err := unstructured.SetNestedMap(m.Object, status, "status"); err != nil {
		return err
	}
	return p.client.Status().Update(ctx, m)
}

func conditionsOfNode(ready corev1.ConditionStatus) (all []corev1.NodeCondition) {
	for _, kind := range []corev1.NodeConditionType{corev1.NodeMemoryPressure, corev1.NodeDiskPressure, corev1.NodePIDPressure} {
		all = append(all, corev1.NodeCondition{Type: kind, Status: corev1.ConditionFalse, LastTransitionTime: metav1.Now()})
	}
	return append(all, corev1.NodeCondition{Type: corev1.NodeReady, Status: ready, LastTransitionTime: metav1.Now()})
}

// kubeconfig writes a config as the file that Cluster API finds in a Secret.
func kubeconfig(config *rest.Config) []byte {
	named := func(key string, value any) []any { return []any{map[string]any{"name": "test", key: value}} }
	return must(json.Marshal(map[string]any{
		"apiVersion": "v1", "kind": "Config", "current-context": "test",
		"clusters": named("cluster", map[string]any{"server": config.Host, "certificate-authority-data": config.CAData}),
		"users":    named("user", map[string]any{"client-certificate-data": config.CertData, "client-key-data": config.KeyData}),
		"contexts": named("context", map[string]any{"cluster": "test", "user": "test"}),
	}))
}

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

func ok(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
