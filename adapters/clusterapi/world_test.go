package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	fakekubernetes "k8s.io/client-go/kubernetes/fake"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/disruptkit/disruptkit/adapters/internal/cluster"
	"github.com/disruptkit/disruptkit/cmd/annotation"
	"github.com/disruptkit/disruptkit/cmd/poll"
	"github.com/disruptkit/disruptkit/probe/httpget"
)

// A world is a model of Cluster API with a clock of its own, where a day takes a moment: for what the stories on a server would wait for too
// long. A MachineDeployment of six Machines replaces what is deleted. New Machines take their time, or never come.
type world struct {
	*testing.T
	objects client.Client
	nodes   *fakekubernetes.Clientset
	pools   []string
	lasts   func() time.Duration // how long the next Machine takes; negative: it never comes
	repair  time.Duration        // after which a MachineHealthCheck deletes one that has not come; 0: never
	crashes bool                 // every third write of the adapter fails
	stuck   bool                 // no Machine can be deleted
	probes  *poll.Runner

	made    int
	writes  int
	looks   int
	comes   map[string]time.Time
	seen    map[string]bool // Machines that were there
	went    []start
	arrived []time.Time // of new Machines
	failed  []time.Time
	gone    []time.Time
	most    int // so many were not Available at once
	said    string
}

// A start is a Machine that the adapter has deleted.
type start struct {
	name string
	at   time.Time
}

const worldly = "default"

// inWorld describes what becomes of a policy in a world.
func inWorld(t *testing.T, annotations map[string]string, tell func(w *world)) {
	synctest.Test(t, func(t *testing.T) {
		w := &world{T: t, comes: map[string]time.Time{}, seen: map[string]bool{}, nodes: fakekubernetes.NewClientset(), lasts: always(2 * time.Minute)}
		w.objects = fake.NewClientBuilder().WithScheme(newScheme()).WithObjects(&clusterv1.Cluster{ObjectMeta: metav1.ObjectMeta{Namespace: worldly, Name: worldly}}).Build()
		w.add("workers", annotations)
		tell(w)
	})
}

func always(d time.Duration) func() time.Duration { return func() time.Duration { return d } }

// add adds a MachineDeployment, with old Machines.
func (w *world) add(name string, annotations map[string]string) {
	w.pools = append(w.pools, name)
	md := &clusterv1.MachineDeployment{
		ObjectMeta: metav1.ObjectMeta{Namespace: worldly, Name: name, Annotations: annotations, Labels: map[string]string{"team": name}},
		Spec: clusterv1.MachineDeploymentSpec{ClusterName: worldly, Replicas: new(int32(machines)), Rollout: clusterv1.MachineDeploymentRolloutSpec{
			Strategy: clusterv1.MachineDeploymentRolloutStrategy{Type: clusterv1.OnDeleteMachineDeploymentStrategyType},
		}},
	}
	ok(w.T, w.objects.Create(w.Context(), md))
	for range machines {
		m := w.machine(name, "old")
		w.come(m)
	}
	w.outdate()
}

// outdate marks all Machines as outdated.
func (w *world) outdate() {
	for _, m := range w.list() {
		meta.SetStatusCondition(&m.Status.Conditions, metav1.Condition{
			Type: clusterv1.MachineUpToDateCondition, Status: metav1.ConditionFalse, Reason: clusterv1.MachineNotUpToDateReason,
		})
		ok(w.T, w.objects.Update(w.Context(), &m))
	}
}

func (w *world) list() []clusterv1.Machine {
	var list clusterv1.MachineList
	ok(w.T, w.objects.List(w.Context(), &list))
	return list.Items
}

// machine makes a Machine that is on its way.
func (w *world) machine(pool, kind string) *clusterv1.Machine {
	w.made++
	m := &clusterv1.Machine{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: worldly, Name: fmt.Sprintf("%s-%s-%02d", pool, kind, w.made), UID: types.UID(fmt.Sprint(w.made)), Finalizers: []string{"test/model"},
			Labels: map[string]string{clusterv1.MachineDeploymentNameLabel: pool, "number": fmt.Sprint(w.made)}, CreationTimestamp: metav1.Now(),
		},
		Spec: clusterv1.MachineSpec{ClusterName: worldly},
	}
	meta.SetStatusCondition(&m.Status.Conditions, metav1.Condition{Type: clusterv1.MachineUpToDateCondition, Status: metav1.ConditionTrue, Reason: "UpToDate"})
	ok(w.T, w.objects.Create(w.Context(), m))
	return m
}

// come makes a Machine Available, with a Node in a zone.
func (w *world) come(m *clusterv1.Machine) {
	meta.SetStatusCondition(&m.Status.Conditions, metav1.Condition{Type: clusterv1.MachineAvailableCondition, Status: metav1.ConditionTrue, Reason: "Available"})
	m.Status.NodeRef.Name, m.Status.FailureDomain = m.Name, string(rune('a'+w.made%3))
	ok(w.T, w.objects.Update(w.Context(), m))
	must(w.nodes.CoreV1().Nodes().Create(w.Context(), &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: m.Name}}, metav1.CreateOptions{}))
}

// elapse is what Cluster API does in the meantime.
func (w *world) elapse() {
	now, there, known := time.Now(), map[string]int{}, map[string]bool{}
	for _, m := range w.list() {
		pool := m.Labels[clusterv1.MachineDeploymentNameLabel]
		comes, isNew := w.comes[m.Name]
		waits := isNew && m.Status.NodeRef.Name == ""
		known[m.Name] = true
		switch {
		case m.DeletionTimestamp != nil: // its finalizer is all that is left
			m.Finalizers = nil
			ok(w.T, w.objects.Update(w.Context(), &m))
			ok(w.T, client.IgnoreNotFound(w.nodes.CoreV1().Nodes().Delete(w.Context(), m.Name, metav1.DeleteOptions{})))
			w.gone = append(w.gone, now)
			continue
		case waits && w.repair > 0 && now.Sub(m.CreationTimestamp.Time) >= w.repair:
			ok(w.T, w.objects.Delete(w.Context(), &m))
			w.failed = append(w.failed, now)
		case waits && comes.After(m.CreationTimestamp.Time) && !now.Before(comes):
			w.come(&m)
			w.arrived = append(w.arrived, now)
		}
		there[pool]++
	}
	if w.looks++; w.looks%3 != 0 { // for a while, one is missing
		return
	}
	for _, pool := range w.pools {
		for ; there[pool] < machines; there[pool]++ {
			m := w.machine(pool, "new")
			w.comes[m.Name] = time.Now().Add(w.lasts())
		}
	}
}

// roller returns an adapter that has just started.
func (w *world) roller() *roller {
	objects := interceptor.NewClient(w.objects.(client.WithWatch), interceptor.Funcs{
		Delete: func(ctx context.Context, c client.WithWatch, o client.Object, options ...client.DeleteOption) error {
			if w.crash() || w.stuck {
				return errors.New("the adapter crashed")
			}
			if err := c.Delete(ctx, o, options...); err != nil {
				return err
			}
			w.went = append(w.went, start{o.GetName(), time.Now()})
			return nil
		},
	})
	r := &roller{
		Store:   cluster.Store{Client: w.nodes, Namespace: worldly, Name: "state"},
		objects: objects, of: types.NamespacedName{Namespace: worldly, Name: worldly}, startup: 10 * time.Minute, probes: w.probes,
		workload: func(context.Context) (kubernetes.Interface, error) { return w.nodes, nil },
		log:      func(format string, args ...any) { w.said += fmt.Sprintf(format, args...) + "\n" },
	}
	if r.probes == nil {
		r.probes = poll.New(nil, nil)
	}
	return r
}

func (w *world) crash() bool {
	w.writes++
	return w.crashes && w.writes%3 == 0
}

// run lets an adapter that restarts every time look at it twice a minute.
func (w *world) run(lasts time.Duration) {
	for end := time.Now().Add(lasts); time.Now().Before(end); time.Sleep(30 * time.Second) {
		w.said = ""
		if _, err := w.roller().pass(w.Context()); err != nil && !w.crashes && !w.stuck && !apierrors.IsConflict(err) {
			w.Fatal(err)
		}
		away := machines * len(w.pools)
		for _, m := range w.list() {
			if m.DeletionTimestamp == nil && meta.IsStatusConditionTrue(m.Status.Conditions, clusterv1.MachineAvailableCondition) {
				away--
			}
		}
		w.most = max(w.most, away)
		w.elapse()
	}
}

// names returns the Machines that the adapter has deleted.
func (w *world) names() (names []string) {
	for _, s := range w.went {
		names = append(names, s.name)
	}
	return names
}

// replaced checks that all old Machines went once, no more than so many at once.
func (w *world) replaced(most int) {
	w.Helper()
	names := slices.Compact(slices.Sorted(slices.Values(w.names())))
	if len(w.went) != machines*len(w.pools) || len(names) != len(w.went) || w.most > most {
		w.Errorf("%v went, %d at once (the budget is %d):\n%s", w.went, w.most, most, w.said)
	}
}

// Whatever new Machines do, and wherever the adapter crashes, no more are away at once than the budget allows. Once one has failed, no
// other one is disrupted until one has come.
func TestNoMoreThanTheBudgetAndNoneAfterAFailure(t *testing.T) {
	for seed := range uint64(12) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			r := rand.New(rand.NewPCG(seed, 0))
			budget := 1 + r.IntN(4)
			inWorld(t, disruption(fmt.Sprintf(`budgets: [{nodes: "%d"}]`, budget)), func(w *world) {
				w.crashes, w.repair = r.IntN(2) == 0, time.Duration(5+r.IntN(12))*time.Minute
				fails := r.Float64() / 2
				w.lasts = func() time.Duration {
					if r.Float64() < fails {
						return -1
					}
					return time.Duration(1+r.IntN(8)) * time.Minute
				}
				for hours := 0; hours < 48 && len(w.went) < machines; hours++ {
					w.run(time.Hour)
				}
				w.replaced(budget)
				for _, s := range w.went {
					var last time.Time // failure before it
					for _, at := range w.failed {
						if at.Before(s.at) {
							last = at
						}
					}
					if !last.IsZero() && !slices.ContainsFunc(w.arrived, func(at time.Time) bool { return !at.Before(last) && at.Before(s.at) }) {
						t.Errorf("%s went at %s, one had failed at %s, and none had come since", s.name, s.at, last)
					}
				}
			})
		})
	}
}

func TestAFailedMachineHoldsTheNextOne(t *testing.T) {
	const paced = `budgets: [{nodes: "100%"}, {nodes: "1", per: 5m}]`
	t.Run("for as long as it does not come, though the budget allows more", func(t *testing.T) {
		inWorld(t, disruption(paced), func(w *world) {
			w.lasts = always(-1)
			w.run(10 * time.Minute) // two are disrupted, before the first one is late
			w.run(6 * time.Hour)
			if len(w.went) > 3 || !strings.Contains(w.said, "backed-off") {
				t.Errorf("%v went:\n%s", w.went, w.said)
			}
		})
	})
	t.Run("until the next one has come", func(t *testing.T) {
		inWorld(t, disruption(paced), func(w *world) {
			next := -time.Minute
			w.lasts, w.repair = func() time.Duration { return next }, 10*time.Minute
			w.run(15 * time.Minute)
			next = time.Minute
			w.run(2 * time.Hour)
			w.replaced(machines)
		})
	})
	t.Run("and where its template is older already, it is disrupted first of all, since nothing runs on it", func(t *testing.T) {
		inWorld(t, disruption(`budgets: [{nodes: "1"}]`), func(w *world) {
			w.lasts = always(-1)
			w.run(time.Hour)
			w.outdate() // with a template that is right
			w.lasts = always(time.Minute)
			w.run(2 * time.Hour)
			if w.most > 1 || len(w.went) != machines+1 || !strings.HasPrefix(w.went[1].name, "workers-new") {
				t.Errorf("%v went, %d at once:\n%s", w.went, w.most, w.said)
			}
		})
	})
}

// What is stored as started counts, and goes, whichever would be disrupted first by now.
func TestWhatIsStoredAsStartedCounts(t *testing.T) {
	inWorld(t, disruption(`budgets: [{nodes: "1"}]`), func(w *world) {
		w.stuck = true
		w.run(time.Minute)
		state := must(w.roller().Load(w.Context()))
		for _, m := range w.list() {
			if _, stored := state.Nodes[m.Name]; !stored {
				m.Annotations = map[string]string{clusterv1.DeleteMachineAnnotation: ""}
				ok(t, w.objects.Update(w.Context(), &m))
			}
		}
		w.stuck = false
		w.run(time.Hour)
		w.replaced(1)
		if strings.Contains(w.said, "warning") {
			t.Errorf("it warns of what nobody has written:\n%s", w.said)
		}
		if _, stored := state.Nodes[w.went[0].name]; len(state.Nodes) != 1 || !stored {
			t.Errorf("%v was stored, and %s went first", state.Nodes, w.went[0].name)
		}
	})
}

func TestWavesBakeOnceTheirMachinesHaveCome(t *testing.T) {
	inWorld(t, disruption(`{budgets: [{nodes: "3"}], drift: {rollout: {waves: ["1", "50%"], bake: 1h, from: {matchLabels: {number: "4"}}}}}`), func(w *world) {
		w.run(10 * time.Hour)
		w.replaced(3)
		if w.went[0].name != "workers-old-04" || w.went[1].at.Sub(w.arrived[0]) < time.Hour || w.went[3].at.Sub(w.arrived[2]) < time.Hour ||
			w.went[2].at != w.went[1].at {
			t.Errorf("%v went, and new ones came at %v", w.went, w.arrived)
		}
	})
}

func TestAPaceCountsStarts(t *testing.T) {
	inWorld(t, disruption(`budgets: [{nodes: "2"}, {nodes: "1", per: 1h}]`), func(w *world) {
		w.crashes = true
		w.run(8 * time.Hour)
		w.replaced(2)
		for i := range w.went[1:] {
			if pause := w.went[i+1].at.Sub(w.went[i].at); pause < 59*time.Minute { // what is stored counts, and it goes a pass later where that crashes
				t.Errorf("one goes %s after the other", pause)
			}
		}
	})
}

// The place of a Machine soaks from when its replacement is Available, though Cluster API does not say which one that is.
func TestASoakBeginsWhenTheReplacementHasCome(t *testing.T) {
	inWorld(t, disruption(`budgets: [{nodes: "1", soak: 20m}]`), func(w *world) {
		w.lasts = always(9 * time.Minute)
		w.run(8 * time.Hour)
		w.replaced(1)
		for i := range w.went[1:] {
			if soaked := w.went[i+1].at.Sub(w.arrived[i]); soaked < 20*time.Minute || soaked > 21*time.Minute {
				t.Errorf("one goes %s after the last one has come", soaked)
			}
		}
	})
}

func TestAProbeThatDeniesHoldsAndOneThatAllowsDoesNot(t *testing.T) {
	annotations := disruption(`budgets: [{nodes: "1"}]`)
	annotations[annotation.Probes] = `[{name: load, host: probe.example.com, port: 443, periodSeconds: 10}]`
	inWorld(t, annotations, func(w *world) {
		ctx, stop := context.WithCancel(w.Context())
		defer stop()
		answers := &answers{}
		w.probes = poll.New(answers, nil)
		go w.probes.Run(ctx)
		w.run(time.Hour)
		if len(w.went) > 0 {
			t.Fatalf("%v went", w.went)
		}
		answers.allow.Store(true)
		w.run(2 * time.Hour)
		w.replaced(1)
		stop()
		synctest.Wait()
	})
}

// answers answers probes.
type answers struct{ allow atomic.Bool }

func (a *answers) Get(_ context.Context, _ httpget.Spec, now time.Time) httpget.Response {
	return httpget.Response{At: now, Status: map[bool]int{true: 200, false: 503}[a.allow.Load()]}
}

// A policy of several MachineDeployments holds over all of them, and counts what those have in flight that are not opted in.
func TestAPolicyHoldsOverSeveralMachineDeployments(t *testing.T) {
	all := disruption(`budgets: [{nodes: "100%"}]`)
	t.Run("one Machine of both at a time", func(t *testing.T) {
		inWorld(t, all, func(w *world) {
			w.add("others", all)
			w.policy(`{"all": true, "budgets": [{"nodes": "1"}]}`)
			w.run(4 * time.Hour)
			w.replaced(1)
		})
	})
	t.Run("one MachineDeployment after the other", func(t *testing.T) {
		inWorld(t, all, func(w *world) {
			w.add("others", all)
			w.policy(`{"nodePoolSelector": {"matchExpressions": [{"key": "team", "operator": "Exists"}]},
				"budgets": [{"nodes": "100%", "topologyKey": "karpenter.sh/nodepool", "sequential": true}]}`)
			w.run(4 * time.Hour)
			w.replaced(machines)
			first, _, _ := strings.Cut(w.went[0].name, "-")
			for i, s := range w.went {
				if strings.HasPrefix(s.name, first) != (i < machines) {
					t.Fatalf("%v went", w.went)
				}
			}
		})
	})
	t.Run("what others have in flight counts", func(t *testing.T) {
		inWorld(t, all, func(w *world) {
			w.add("others", nil)
			w.policy(`{"all": true, "budgets": [{"nodes": "1"}]}`)
			away := w.list()[0]
			away.Status.Conditions = nil
			ok(t, w.objects.Update(w.Context(), &away))
			if pool := away.Labels[clusterv1.MachineDeploymentNameLabel]; pool != "others" {
				t.Fatalf("%s is of %s", away.Name, pool)
			}
			w.run(time.Hour)
			if len(w.went) > 0 {
				t.Errorf("%v went", w.went)
			}
		})
	})
	for name, spec := range map[string]string{
		"with a pause":                 `{"all": true, "pause": {"by": "alice"}}`,
		"with a field that is wrong":   `{"all": true, "budget": []}`,
		"with a probe without answers": `{"all": true, "disruptionProbes": [{"host": "probe.example.com", "port": 443}]}`,
	} {
		t.Run(name+", nothing is disrupted", func(t *testing.T) {
			inWorld(t, all, func(w *world) {
				w.policy(spec)
				w.run(time.Hour)
				if len(w.went) > 0 || !strings.Contains(w.said, "waits") {
					t.Errorf("%v went:\n%s", w.went, w.said)
				}
			})
		})
	}
}

func (w *world) policy(spec string) {
	p := &unstructured.Unstructured{}
	ok(w.T, p.UnmarshalJSON([]byte(`{"apiVersion": "disruptkit.dev/v1alpha1", "kind": "DisruptionPolicy", "metadata": {"name": "p"}, "spec": `+spec+`}`)))
	ok(w.T, w.objects.Create(w.Context(), p))
}

// People look where they have written: on MachineDeployments, or policies, and not on NodePools.
func TestFaultsSayWhereTheyAre(t *testing.T) {
	for name, c := range map[string]struct{ annotation, value, want string }{
		"of a policy":                     {annotation.Disruption, "budgets: [{nodes: many}]", "MachineDeployment/workers"},
		"of an annotation without a name": {"disruptkit.dev/disruptions", "", "of the MachineDeployment: it is unknown"},
		"of a pause":                      {annotation.Pause, "{zones: [nowhere], by: alice}", "MachineDeployment/workers: metadata.annotations[disruptkit.dev/pause]"},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, map[string]string{c.annotation: c.value}, func(w *world) {
				w.run(time.Minute)
				if !strings.Contains(w.said, c.want) || strings.Contains(w.said, "NodePool") {
					t.Errorf("it says\n%s", w.said)
				}
			})
		})
	}
}
