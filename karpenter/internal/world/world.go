package world

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"sync/atomic"
	"time"

	"github.com/awslabs/operatorpkg/controller"
	"github.com/awslabs/operatorpkg/status"
	"github.com/go-logr/logr"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/client-go/rest"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"
	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"
	"sigs.k8s.io/karpenter/pkg/cloudprovider"
	"sigs.k8s.io/karpenter/pkg/controllers"
	"sigs.k8s.io/karpenter/pkg/controllers/node/health"
	"sigs.k8s.io/karpenter/pkg/controllers/nodeoverlay"
	"sigs.k8s.io/karpenter/pkg/controllers/state"
	"sigs.k8s.io/karpenter/pkg/events"
	"sigs.k8s.io/karpenter/pkg/operator/options"
	"sigs.k8s.io/karpenter/pkg/state/prediction"
	"sigs.k8s.io/karpenter/pkg/test/v1alpha1"
)

// Options say what a world begins with. What is zero has a default.
type Options struct {
	// Zones are a, b, c and so on: 3.
	Zones int
	// NodesPerZone is how many nodes each has: 4.
	NodesPerZone int
	// PodsPerNode is how many pods fill a node: 2.
	PodsPerNode int
	// NodePool is where all nodes are from; NewPool makes one.
	NodePool *v1.NodePool
	// Others are more NodePools, each with as many nodes and pods in each zone as the first.
	Others []*v1.NodePool
	// Start is the time at which the fleet is there.
	Start time.Time
	// Tick is how long a step is: 5s.
	Tick time.Duration
	// Boot is how long an instance takes to become a node (20s), and Ready, from then on, until the node is Ready
	// (10s).
	Boot, Ready time.Duration
	// End is how long pods take to end: 5s. EndOn, where it is set, is how long they do on a node.
	End   time.Duration
	EndOn func(node string) time.Duration
	// Grace is how long pods may take to end before they are killed: 30s.
	Grace time.Duration
	// Objects are more API objects, such as DisruptionPolicies.
	Objects []client.Object
	// PDB, where it is set, is how many pods of a zone may be unavailable at once, or with SharedPDB of all zones and
	// NodePools.
	PDB       int
	SharedPDB bool
	// Repair, where it is set, is when the cloud wants nodes repaired, and how: node repair is on.
	Repair []cloudprovider.RepairPolicy
	// PodAnnotations are on all pods.
	PodAnnotations map[string]string
	// Guard may replace controllers, as main does between controllers.NewControllers and WithControllers.
	Guard func(context.Context, []controller.Controller, Parts) ([]controller.Controller, error)
	// Log is where Karpenter logs to.
	Log logr.Logger
	// Server, where it is set, is where the API objects are, with Karpenter's CRDs. Time is real then, whatever Start says, and
	// Karpenter's controllers run in a manager. What another world has left there is deleted.
	Server *rest.Config
	// Karpenter, where it is set, is how Karpenter reaches the server.
	Karpenter func(*rest.Config)
	// LeaderElection lets Karpenter start only once it leads, as its deployment does. It is about a server only.
	LeaderElection bool
}

// Parts are what main has got from Karpenter's operator.
type Parts struct {
	Client        client.Client
	Cluster       *state.Cluster
	CloudProvider cloudprovider.CloudProvider
	Clock         clock.Clock
	Recorder      events.Recorder
}

// World is a cluster that Karpenter runs in.
type World struct {
	Clock  Clock
	Client client.Client
	Cloud  *Cloud
	// Cluster is Karpenter's memory of the cluster.
	Cluster *state.Cluster
	// Faults are the errors that controllers have returned. They try again; there are none in a good story.
	Faults []error

	options  Options
	api      backend
	recorder *recorder
	kubelet  *kubelet
	sched    *scheduler
	workload *workload
	runner   runner
	stop     context.CancelFunc // of Karpenter
	ctx      context.Context    // of Karpenter
	standby  *standby
	timeline []Row
	last     map[string]Node // of the last row
}

// A runner runs Karpenter's controllers.
type runner interface {
	// settle lets them do what they can do at once.
	settle(context.Context) error
	// findDrift lets them see that an instance has drifted.
	findDrift(ctx context.Context, id string) error
	// hold lets them disrupt nothing until release.
	hold(ctx context.Context, pool string) (release func() error, err error)
	// waiting reports whether a controller waits for the time to pass.
	waiting() bool
	// wait returns when they have ended, once their context is done.
	wait()
}

// New returns a world in which the fleet is up, and nothing has drifted.
func New(o Options) (*World, error) {
	o = o.withDefaults()
	zones := make([]string, o.Zones)
	for i := range zones {
		zones[i] = string(rune('a' + i))
	}
	// The fleet comes up before the start.
	const early = 10 * time.Minute
	w := &World{options: o}
	if o.Server != nil {
		api, err := newServer(o.Server)
		if err != nil {
			return nil, err
		}
		if err := api.clear(context.Background()); err != nil {
			return nil, err
		}
		w.Clock, w.api = realClock{parked: &atomic.Int64{}}, api
	} else {
		clock := newClock(o.Start.Add(-early))
		w.Clock, w.api = clock, newAPI(clock)
	}
	w.Client, w.Cloud = w.api, newCloud(w.Clock, zones, o.Repair)
	w.recorder = newRecorder(w.Clock)
	w.kubelet = &kubelet{
		api: w.api, cloud: w.Cloud, clock: w.Clock, boot: o.Boot, ready: o.Ready, end: o.EndOn, joined: map[string]bool{},
	}
	w.sched = &scheduler{api: w.api, clock: w.Clock}
	w.workload = &workload{api: w.api}
	if err := w.populate(zones); err != nil {
		return nil, err
	}
	if err := w.Restart(); err != nil {
		return nil, err
	}
	if err := w.Run(early, func(w *World) bool { return w.complete() == nil }); err != nil {
		w.End()
		return nil, errors.Join(append(w.Faults, w.complete(), err)...)
	}
	if clock, is := w.Clock.(*fakeClock); is {
		clock.SetTime(o.Start)
	}
	w.timeline = nil
	return w, nil
}

func (o Options) withDefaults() Options {
	defaults := func(n *int, to int) {
		if *n == 0 {
			*n = to
		}
	}
	lasts := func(d *time.Duration, to time.Duration) {
		if *d == 0 {
			*d = to
		}
	}
	defaults(&o.Zones, 3)
	defaults(&o.NodesPerZone, 4)
	defaults(&o.PodsPerNode, 2)
	lasts(&o.Tick, 5*time.Second)
	lasts(&o.Boot, 20*time.Second)
	lasts(&o.Ready, 10*time.Second)
	lasts(&o.End, 5*time.Second)
	lasts(&o.Grace, 30*time.Second)
	if o.Start.IsZero() {
		o.Start = time.Date(2026, time.November, 23, 10, 0, 0, 0, time.UTC)
	}
	if end := o.End; o.EndOn == nil {
		o.EndOn = func(string) time.Duration { return end }
	}
	if o.NodePool == nil {
		o.NodePool = NewPool("default", v1.Budget{Nodes: "10%"})
	}
	if o.Log.IsZero() {
		o.Log = logr.Discard()
	}
	return o
}

// NewPool returns a NodePool that neither consolidates nor expires nodes.
func NewPool(name string, budgets ...v1.Budget) *v1.NodePool {
	return &v1.NodePool{
		ObjectMeta: metav1.ObjectMeta{Name: name, Generation: 1},
		Spec: v1.NodePoolSpec{
			Disruption: v1.Disruption{
				Budgets: budgets, ConsolidationPolicy: v1.ConsolidationPolicyWhenEmptyOrUnderutilized,
				ConsolidateAfter: v1.MustParseNillableDuration(v1.Never),
			},
			Template: v1.NodeClaimTemplate{Spec: v1.NodeClaimTemplateSpec{
				ExpireAfter: v1.MustParseNillableDuration(v1.Never),
				NodeClassRef: &v1.NodeClassReference{
					Group: "karpenter.test.sh", Kind: "TestNodeClass", Name: "default",
				},
				Requirements: []v1.NodeSelectorRequirementWithMinValues{},
			}},
		},
	}
}

// populate creates the API objects that users do.
func (w *World) populate(zones []string) error {
	class := &v1alpha1.TestNodeClass{ObjectMeta: metav1.ObjectMeta{Name: "default"}}
	class.StatusConditions(status.WithClock(w.Clock)).SetTrue(status.ConditionReady)
	objects := []client.Object{
		class, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}},
	}
	for _, pool := range w.pools() {
		objects = append(objects, pool.DeepCopy())
	}
	for _, o := range w.options.Objects {
		objects = append(objects, o.DeepCopyObject().(client.Object))
	}
	for _, zone := range zones {
		labels := map[string]string{"app": "web-" + zone}
		objects = append(objects, w.replicas(zone, labels))
		for _, pool := range w.options.Others {
			objects = append(objects, w.replicasOf(pool.Name, zone))
		}
		if w.options.SharedPDB {
			labels = everyPod
		}
		if w.options.PDB > 0 && (!w.options.SharedPDB || zone == zones[0]) {
			most := intstr.FromInt32(int32(w.options.PDB))
			objects = append(objects, &policyv1.PodDisruptionBudget{
				ObjectMeta: metav1.ObjectMeta{Name: "web-" + zone, Namespace: namespace},
				Spec: policyv1.PodDisruptionBudgetSpec{
					MaxUnavailable: &most, Selector: &metav1.LabelSelector{MatchLabels: labels},
				},
			})
		}
	}
	for _, o := range objects {
		if err := w.api.populate(context.Background(), o); err != nil {
			return err
		}
	}
	return nil
}

// pools returns all NodePools as the world begins with them.
func (w *World) pools() []*v1.NodePool {
	return append([]*v1.NodePool{w.options.NodePool}, w.options.Others...)
}

// everyPod is a label of all pods.
var everyPod = map[string]string{"tier": "web"}

// replicasOf returns a ReplicaSet whose pods fill the nodes of another NodePool in a zone.
func (w *World) replicasOf(pool, zone string) *appsv1.ReplicaSet {
	name := pool + "-" + zone
	set := w.replicas(zone, map[string]string{"app": name})
	set.Name = name
	set.Spec.Template.Spec.NodeSelector[v1.NodePoolLabelKey] = pool
	return set
}

// replicas returns a ReplicaSet whose pods fill the nodes of a zone.
func (w *World) replicas(zone string, labels map[string]string) *appsv1.ReplicaSet {
	replicas := int32(w.options.NodesPerZone * w.options.PodsPerNode)
	cpu := resource.NewMilliQuantity(int64(3600/w.options.PodsPerNode), resource.DecimalSI)
	grace := int64(w.options.Grace.Seconds())
	podLabels := maps.Clone(everyPod)
	maps.Copy(podLabels, labels)
	nodes := map[string]string{corev1.LabelTopologyZone: zone}
	if len(w.options.Others) > 0 {
		nodes[v1.NodePoolLabelKey] = w.options.NodePool.Name
	}
	return &appsv1.ReplicaSet{
		ObjectMeta: metav1.ObjectMeta{Name: "web-" + zone, Namespace: namespace},
		Spec: appsv1.ReplicaSetSpec{
			Replicas: &replicas, Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: podLabels, Annotations: w.options.PodAnnotations},
				Spec: corev1.PodSpec{
					NodeSelector:                  nodes,
					TerminationGracePeriodSeconds: &grace,
					Containers: []corev1.Container{{
						Name: "web", Image: "web",
						Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceCPU: *cpu}},
					}},
				},
			},
		},
	}
}

// complete describes what of the fleet has not come up.
func (w *World) complete() error {
	var pods corev1.PodList
	if err := w.Client.List(context.Background(), &pods, client.MatchingFields{"spec.nodeName": ""}); err != nil {
		return err
	}
	if n := len(pods.Items); n > 0 {
		return fmt.Errorf("%d pods are pending", n)
	}
	counts := w.count(w.Nodes())
	for _, zone := range w.Cloud.zones {
		if n, want := counts[zone].New, w.options.NodesPerZone*len(w.pools()); n != want {
			return fmt.Errorf("zone %s has %d of %d nodes", zone, n, want)
		}
	}
	return nil
}

// Crash lets Karpenter end in the middle of what it does. Restart starts it again.
func (w *World) Crash() { w.stop() }

// End ends Karpenter.
func (w *World) End() {
	if w.stop != nil {
		w.stop()
		w.runner.wait()
		w.stop = nil
	}
	if w.standby != nil {
		w.standby.stop()
		w.standby.wait()
		w.standby = nil
	}
}

// Restart ends Karpenter and starts it anew: it forgets all, the API objects and the cloud stay.
func (w *World) Restart() error {
	w.End()
	w.ctx, w.stop = w.context()
	if w.options.Server != nil {
		o, err := w.operate(w.ctx)
		if err != nil {
			return err
		}
		w.runner, w.Cluster = o, o.cluster
		return nil
	}
	list, cluster, err := w.controllers(w.ctx, nil, w.Client, w.recorder)
	if err != nil {
		return err
	}
	w.Cluster = cluster
	w.runner, err = newManager(w.api.(*api), w.Clock.(*fakeClock), list, w.react, func(err error) { w.Faults = append(w.Faults, err) })
	return err
}

// context returns a context that has the options of a Karpenter.
func (w *World) context() (context.Context, context.CancelFunc) {
	ctx := log.IntoContext(context.Background(), w.options.Log)
	return context.WithCancel(options.ToContext(ctx, &options.Options{
		DisableClusterStateObservability: true, IgnoreDRARequests: true, CPURequests: 1000,
		PreferencePolicy: options.PreferencePolicyRespect, MinValuesPolicy: options.MinValuesPolicyStrict,
		BatchMaxDuration: 10 * time.Second,
		FeatureGates:     options.FeatureGates{StaticCapacity: true, ReservedCapacity: true, NodeRepair: len(w.options.Repair) > 0},
	}))
}

// controllers returns Karpenter's controllers, as its main makes them, and the cluster state that goes with them.
func (w *World) controllers(ctx context.Context, m ctrl.Manager, kube client.Client, recorder events.Recorder) (
	[]controller.Controller, *state.Cluster, error) {
	matcher, err := health.NewRepairPolicyMatcher(ctx, w.Cloud)
	if err != nil {
		return nil, nil, err
	}
	cluster := state.NewCluster(w.Clock, kube, w.Cloud, state.WithRepairPolicyMatcher(matcher))
	list := controllers.NewControllers(ctx, m, w.Clock, kube, recorder, w.Cloud, w.Cloud, cluster,
		nodeoverlay.NewInstanceTypeStore(), prediction.NewStore())
	if w.options.Guard == nil {
		return list, cluster, nil
	}
	list, err = w.options.Guard(ctx, list, Parts{
		Client: kube, Cluster: cluster, CloudProvider: w.Cloud, Clock: w.Clock, Recorder: recorder,
	})
	return list, cluster, err
}

// Step lets a little time pass: the cluster moves, then Karpenter does all that it can do at once.
func (w *World) Step() error {
	w.Clock.Step(w.options.Tick)
	ctx := context.Background() // the cluster moves on, also where Karpenter has crashed
	for _, run := range []func(context.Context) error{w.kubelet.run, w.react} {
		if err := run(ctx); err != nil && !w.api.transient(err) {
			return err
		}
	}
	if err := w.runner.settle(w.ctx); err != nil && !w.api.transient(err) {
		return err
	}
	w.record()
	return nil
}

// react lets the controllers of a cluster do what is due: as they watch what they act on, they do it at once.
func (w *World) react(ctx context.Context) error {
	if err := w.workload.run(ctx); err != nil {
		return err
	}
	return w.sched.run(ctx)
}

// Run steps until something is so, and is an error if it is not within a time.
func (w *World) Run(within time.Duration, until func(*World) bool) error {
	for end := w.Clock.Now().Add(within); w.Clock.Now().Before(end); {
		if until(w) {
			return nil
		}
		if err := w.Step(); err != nil {
			return err
		}
	}
	if until(w) {
		return nil
	}
	return fmt.Errorf("not so within %s", within)
}

// For runs the world for a time.
func (w *World) For(d time.Duration) error {
	for end := w.Clock.Now().Add(d); w.Clock.Now().Before(end); {
		if err := w.Step(); err != nil {
			return err
		}
	}
	return nil
}

// Waiting reports whether a controller waits for the time to pass, as consolidation does before it validates.
func (w *World) Waiting() bool { return w.runner.waiting() }

// Events returns what controllers have told, the oldest first.
func (w *World) Events() []Event { return w.recorder.events() }

// Zones returns the names of the zones.
func (w *World) Zones() []string { return w.Cloud.zones }
