package karpenter

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"pgregory.net/rapid"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"
	"sigs.k8s.io/karpenter/pkg/cloudprovider"
	"sigs.k8s.io/karpenter/pkg/controllers/disruption"
	"sigs.k8s.io/karpenter/pkg/events"
)

// nodePools is the resource of which an API server's errors speak.
var nodePools = schema.GroupResource{Group: "karpenter.sh", Resource: "nodepools"}

// failures are the ways in which an API server does not write a NodePool. One of them does write it.
var failures = map[string]func(write func() error) error{
	"the guard is not permitted to": func(func() error) error {
		return apierrors.NewForbidden(nodePools, "p", errors.New(`User "karpenter" cannot patch resource`))
	},
	"an admission policy denies it": func(func() error) error {
		return apierrors.NewInvalid(schema.GroupKind{Group: "karpenter.sh", Kind: "NodePool"}, "p", nil)
	},
	"a webhook is down": func(func() error) error {
		return apierrors.NewInternalError(errors.New(`failed calling webhook "w.example.com": connection refused`))
	},
	"somebody else always is faster": func(func() error) error {
		return apierrors.NewConflict(nodePools, "p", errors.New("the object has been modified"))
	},
	"the server takes too long": func(func() error) error { return apierrors.NewTimeoutError("no answer", 1) },
	"the connection takes too long, and the memory is written all the same": func(write func() error) error {
		return errors.Join(context.DeadlineExceeded, write())
	},
	"there is no such NodePool any more": func(func() error) error { return apierrors.NewNotFound(nodePools, "p") },
	"the server has too much to do":      func(func() error) error { return apierrors.NewTooManyRequests("later", 1) },
	"the server is away":                 func(func() error) error { return errors.New("connect: connection refused") },
}

// A pass lets a guarded method choose once, and takes the nodes that start away. Ten seconds later is the next one.
func (g *guarded) pass(guard disruption.Method) (started []string) {
	g.Helper()
	budgets := map[string]int{}
	for _, c := range g.offered {
		budgets[c.NodePool.Name] = 9
	}
	if len(g.offered) > 0 {
		commands, err := guard.ComputeCommands(g.Context(), budgets, g.offered...)
		if err != nil {
			g.Fatal(err)
		}
		for _, command := range commands {
			started = append(started, namesOf(command.Candidates)...)
		}
		g.started(commands)
	}
	g.offered = slices.DeleteFunc(g.offered, func(c *disruption.Candidate) bool { return slices.Contains(started, c.Name()) })
	g.clock.Step(10 * time.Second)
	return started
}

func TestAPoolWhoseMemoryCannotBeWrittenLosesItsOwnCommandsOnly(t *testing.T) {
	methods := map[string]func(g *guarded) (m *method, sick cloudprovider.RepairAction){
		"drift":         func(*guarded) (*method, cloudprovider.RepairAction) { return drift(), "" },
		"consolidation": func(*guarded) (*method, cloudprovider.RepairAction) { return consolidation(), "" },
		"emptiness": func(*guarded) (*method, cloudprovider.RepairAction) {
			return &method{reason: v1.DisruptionReasonEmpty, kind: "empty"}, ""
		},
		"drift of all pools at once": func(*guarded) (*method, cloudprovider.RepairAction) {
			m := drift()
			m.choose = func(_ map[string]int, cs []*disruption.Candidate) []disruption.Command { return each(cs) }
			return m, ""
		},
		"repair that replaces": func(g *guarded) (*method, cloudprovider.RepairAction) { return repairing(g), cloudprovider.ReplaceNode },
		"repair that reboots":  func(g *guarded) (*method, cloudprovider.RepairAction) { return repairing(g), cloudprovider.RebootNode },
		"a method of a provider": func(*guarded) (*method, cloudprovider.RepairAction) {
			return &method{reason: "Rebalanced"}, ""
		},
	}
	for failure, answer := range failures {
		for name, of := range methods {
			t.Run(name+"/"+failure, func(t *testing.T) {
				const quick = `budgets: [{nodes: "9", per: 1h}]`
				g := newGuarded(t, pool("aaa", DisruptionAnnotation, quick), pool("aab", DisruptionAnnotation, quick),
					pool("bare"), pool("limited", DisruptionAnnotation, `budgets: [{nodes: "9"}]`), pool("paced", DisruptionAnnotation, quick))
				m, action := of(g)
				for i, name := range []string{"aaa", "aab", "bare", "limited", "paced"} {
					for k := range 2 {
						node := fmt.Sprintf("%c%s", 'a'+k, name)
						switch minutes := 60 - i; {
						case action != "":
							g.sick(name, node, minutes, action, func(n *corev1.Node, _ *v1.NodeClaim) {})
						case m.reason == v1.DisruptionReasonDrifted:
							g.node(name, node, minutes)
						default:
							g.node(name, node, 0)
						}
					}
				}
				denied := 0
				g.api = func(pool string, write func() error) error {
					if pool == "aaa" || pool == "aab" {
						denied++
						return answer(write)
					}
					return write()
				}
				guard := Guard(m, g.Cluster)
				var started []string
				passes := 0
				for ; len(started) < 6 && passes < 12; passes++ {
					started = append(started, g.pass(guard)...)
				}
				slices.Sort(started)
				if got, want := strings.Join(started, " "), "abare alimited apaced bbare blimited bpaced"; got != want {
					t.Fatalf("within %d passes %q started, not %q: asked for %q", passes, got, want, m.asked)
				}
				for range 60 { // ten minutes
					if started := g.pass(guard); len(started) > 0 {
						t.Fatalf("%v started, and their memory is %s", started, g.memory("aaa"))
					}
				}
				for _, name := range []string{"aaa", "aab"} {
					said := strings.Join(g.said(name, MemoryNotStoredEvent), "\n")
					if !strings.HasPrefix(said, "Nodes are not disrupted: the annotation disruptkit.dev/memory cannot be written: ") {
						t.Errorf("said of %s: %q", name, said)
					}
					held := strings.Join(g.said(name, events.DisruptionBlocked), "\n")
					if !strings.Contains(held, "budget/not-stored: the annotation disruptkit.dev/memory cannot be written: ") {
						t.Errorf("said of the nodes of %s: %q", name, held)
					}
				}
				for _, name := range []string{"bare", "limited", "paced"} {
					if said := g.said(name, MemoryNotStoredEvent); len(said) > 0 {
						t.Errorf("said of %s: %q", name, said)
					}
				}
				if failure != "somebody else always is faster" && denied > 16 {
					t.Errorf("%d writes were tried in vain", denied)
				}
				g.api = nil
				for passes = 0; len(started) < 10 && passes < 100; passes++ {
					started = append(started, g.pass(guard)...)
				}
				if len(started) < 10 {
					t.Errorf("once the memory can be written, %v are left after %d passes", namesOf(g.offered), passes)
				}
			})
		}
	}
}

// onePerHourKept is the memory of a pool with the policy onePerHour before any node starts.
const onePerHourKept = `{"paces":[{"per":"1h"}]}`

// Only one pool is tried in vain at a time. It is not the same one each time.
func TestAPoolThatCanBeWrittenAgainDoesNotWaitForOneThatCannot(t *testing.T) {
	for failure, answer := range failures {
		t.Run(failure, func(t *testing.T) {
			pools := []*v1.NodePool{
				pool("aaa", DisruptionAnnotation, onePerHour), pool("mmm", DisruptionAnnotation, onePerHour),
				pool("zzz", DisruptionAnnotation, onePerHour),
			}
			g := newGuarded(t, pools...)
			for i, np := range pools {
				g.node(np.Name, "a-"+np.Name, 60-i)
			}
			writable := false
			g.api = func(pool string, write func() error) error {
				if writable && pool == "mmm" {
					return write()
				}
				return answer(write)
			}
			guard := Guard(drift(), g.Cluster)
			for range 30 {
				if started := g.pass(guard); len(started) > 0 {
					t.Fatalf("%v started", started)
				}
			}
			writable = true
			for range 40 { // a little more than five minutes
				if got := strings.Join(g.pass(guard), " "); got == "a-mmm" {
					return
				} else if got != "" {
					t.Fatalf("%s started", got)
				}
			}
			t.Errorf("a-mmm does not start: %s", g.Cluster.memory.failures["mmm"])
		})
	}
}

// A method may choose a node in place of an older one, with which it shares a PodDisruptionBudget. Only then its memory
// is to be written, and so nobody finds out before that this fails.
func TestANodeThatIsChosenInPlaceOfAnotherIsNotShownUntilTheNextTry(t *testing.T) {
	g := newGuarded(t, pool("aaa", DisruptionAnnotation, onePerHour, MemoryAnnotation, onePerHourKept), pool("bbb"), pool("ccc"))
	g.node("bbb", "b1", 9)
	g.node("aaa", "a1", 5)
	g.node("ccc", "c1", 1)
	g.pod("one", "a1", nil)
	g.pod("two", "b1", nil)
	g.shared(1)
	g.refuse(apierrors.NewForbidden(nodePools, "aaa", errors.New("no")), "aaa")
	m := drift()
	m.choose = func(_ map[string]int, cs []*disruption.Candidate) []disruption.Command {
		for _, name := range []string{"a1", "c1"} {
			if i := slices.Index(namesOf(cs), name); i >= 0 {
				return each(cs[i : i+1])
			}
		}
		return nil
	}
	guard := Guard(m, g.Cluster)
	var started []string
	for range 3 {
		started = append(started, g.mustCompute(guard, 9))
		g.clock.Step(5 * time.Second)
	}
	if diff := strings.Join(started, ","); diff != ",c1→1," {
		t.Errorf("started %q", started)
	}
}

func TestTheNextTryToWriteAMemory(t *testing.T) {
	conflict := apierrors.NewConflict(nodePools, "default", errors.New("modified"))
	forbidden := apierrors.NewForbidden(nodePools, "default", errors.New("no"))
	for name, c := range map[string]struct {
		err  error
		want string // when it is written, in seconds
	}{
		"is later each time, for ten minutes": {forbidden, "0 10 30 70 150 310 610 910"},
		"is soon after a conflict":            {conflict, "0 10 20 30 40 50 60 70 80"},
	} {
		t.Run(name, func(t *testing.T) {
			g := newGuarded(t, pool("default", DisruptionAnnotation, onePerHour))
			g.node("default", "a1", 9)
			var tried []string
			g.api = func(string, func() error) error {
				tried = append(tried, fmt.Sprint(g.clock.Since(now).Seconds()))
				return c.err
			}
			guard := Guard(drift(), g.Cluster)
			for len(tried) < len(strings.Fields(c.want)) {
				g.mustCompute(guard, 1)
				g.clock.Step(time.Second)
			}
			if got := strings.Join(tried, " "); got != c.want {
				t.Errorf("it was tried at %s, not at %s", got, c.want)
			}
			want := fmt.Sprintf("Nodes are not disrupted: the annotation disruptkit.dev/memory cannot be written: %v; next try at 2026-11-20T12:00:10Z", c.err)
			if said := g.said("default", MemoryNotStoredEvent); said[0] != want {
				t.Errorf("said %q, not %q", said[0], want)
			}
		})
	}
}

func TestAFailureIsThatOfOneNodePoolNotOfItsName(t *testing.T) {
	g := newGuarded(t, pool("default", DisruptionAnnotation, onePerHour))
	g.node("default", "a1", 9)
	g.refuse(apierrors.NewNotFound(nodePools, "default"))
	guard := Guard(drift(), g.Cluster)
	if got := g.mustCompute(guard, 1); got != "" {
		t.Fatalf("started %q", got)
	}
	again := pool("default", DisruptionAnnotation, onePerHour)
	again.UID = "another"
	if err := errors.Join(g.Client.Delete(t.Context(), pool("default")), g.Client.Create(t.Context(), again)); err != nil {
		t.Fatal(err)
	}
	g.api = nil
	if got := g.mustCompute(guard, 1); got != "a1" {
		t.Errorf("started %q of the NodePool that was created again", got)
	}
}

func TestAGuardThatIsToEndBlamesNoPool(t *testing.T) {
	g := newGuarded(t, pool("default", DisruptionAnnotation, onePerHour))
	g.node("default", "a1", 9)
	ctx, end := context.WithCancel(t.Context())
	g.api = func(string, func() error) error {
		end()
		return ctx.Err()
	}
	commands, err := Guard(drift(), g.Cluster).ComputeCommands(ctx, map[string]int{"default": 1}, g.offered...)
	if len(commands) > 0 || !errors.Is(err, context.Canceled) || len(g.said("default", MemoryNotStoredEvent)) > 0 {
		t.Errorf("started %q, error %v", describe(commands), err)
	}
}

// A command for nodes of several pools, one of which cannot be written.
func TestACommandForNodesOfSeveralPools(t *testing.T) {
	replace := func(_ map[string]int, cs []*disruption.Candidate) []disruption.Command {
		return []disruption.Command{{Candidates: cs, Replacements: each(cs)[0].Replacements}}
	}
	remove := func(_ map[string]int, cs []*disruption.Candidate) []disruption.Command { return one(cs) }
	for name, c := range map[string]struct {
		choose      func(map[string]int, []*disruption.Candidate) []disruption.Command
		first, then string
	}{
		"one that replaces them is dropped":          {replace, "", "b1→1"},
		"one that deletes them is for the other one": {remove, "b1", "b1"},
	} {
		t.Run(name, func(t *testing.T) {
			g := newGuarded(t, pool("aaa", DisruptionAnnotation, onePerHour), pool("bbb", DisruptionAnnotation, onePerHour))
			g.node("aaa", "a1", 0)
			g.node("bbb", "b1", 0)
			g.refuse(apierrors.NewForbidden(nodePools, "aaa", errors.New("no")), "aaa")
			m := consolidation()
			m.choose = c.choose
			guard := Guard(m, g.Cluster)
			if got := g.mustCompute(guard, 9); got != c.first {
				t.Errorf("started %q, not %q", got, c.first)
			}
			if got := g.mustCompute(guard, 9); got != c.then {
				t.Errorf("then %q started, not %q", got, c.then)
			}
		})
	}
}

// Somebody writes the NodePool just before the guard stores its memory there: nothing starts, and the next pass decides anew.
func TestAMemoryIsNotStoredOverAVersionThatWasNotRead(t *testing.T) {
	g := newGuarded(t, pool("default", DisruptionAnnotation, onePerHour))
	g.node("default", "a1", 60)
	g.api = func(_ string, write func() error) error {
		g.api = nil
		g.update("default", func(np *v1.NodePool) { np.Labels = map[string]string{"by": "somebody"} })
		return write()
	}
	guard := Guard(drift(), g.Cluster)
	for pass, want := range []string{"", "a1"} {
		if got := strings.Join(g.pass(guard), " "); got != want {
			t.Errorf("pass %d starts %q, not %q", pass+1, got, want)
		}
	}
}

// Consolidation takes 15 seconds, in which others write the NodePool.
func TestWhoWritesANodePoolWhileAMethodWaits(t *testing.T) {
	label := func(g *guarded) {
		g.update("default", func(np *v1.NodePool) { np.Labels = map[string]string{"at": g.clock.Now().Format("150405")} })
	}
	const other = `{"starts":[{"node":"elsewhere","at":"2026-11-20T11:50:00Z"}]}`
	for name, c := range map[string]struct {
		meanwhile   func(*guarded)
		first, then string
		starts      string // in the memory of the pool
	}{
		"nobody":                       {func(*guarded) {}, "a1", "", "12:00 a1"},
		"somebody, and not the memory": {label, "a1", "", "12:00 a1"},
		"somebody who changes the memory": {
			func(g *guarded) { g.annotate("default", MemoryAnnotation, other) }, "", "", "11:50 elsewhere",
		},
		"somebody who changes the policy": {
			func(g *guarded) { g.annotate("default", DisruptionAnnotation, `budgets: [{nodes: "0"}]`) }, "", "", "",
		},
		"somebody who changes the policy for another that allows it": {
			func(g *guarded) { g.annotate("default", DisruptionAnnotation, `budgets: [{nodes: "3", per: 2h}]`) }, "a1", "a2", "12:00 a1",
		},
	} {
		t.Run(name, func(t *testing.T) {
			g := newGuarded(t, pool("default", DisruptionAnnotation, onePerHour))
			g.node("default", "a1", 0)
			g.node("default", "a2", 0)
			m := consolidation()
			m.choose = func(_ map[string]int, cs []*disruption.Candidate) []disruption.Command {
				for range 5 {
					g.clock.Step(3 * time.Second)
					c.meanwhile(g)
				}
				return one(cs[:1])
			}
			guard := Guard(m, g.Cluster)
			if got := g.mustCompute(guard, 9); got != c.first {
				t.Errorf("started %q, not %q", got, c.first)
			}
			if got := strings.Join(g.starts("default"), " "); got != c.starts {
				t.Errorf("the starts are %q, not %q", got, c.starts)
			}
			if c.first != "" {
				g.inFlight(c.first)
			}
			g.clock.Step(30 * time.Second)
			if got := g.mustCompute(guard, 9); got != c.then {
				t.Errorf("then %q started, not %q", got, c.then)
			}
		})
	}
}

// Whatever the API server refuses, and whatever a method chooses: what a node needs to be remembered is stored before it
// starts, in the memory of its pool.
func TestWhatStartsIsStoredFirst(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		const both = "budgets:\n- {nodes: \"2\", per: 1h}\n- {nodes: \"2\", topologyKey: topology.kubernetes.io/zone, sequential: true}\n"
		policies := map[string]string{}
		var pools []*v1.NodePool
		for _, name := range []string{"p", "q", "r", "s"} {
			policies[name] = rapid.SampledFrom([]string{onePerHour, sequential, both, ""}).Draw(r, "policy")
			np := pool(name)
			if policies[name] != "" {
				np.Annotations[DisruptionAnnotation] = policies[name]
			}
			pools = append(pools, np)
		}
		g := newGuarded(t, pools...)
		poolOf := map[string]string{}
		for i := range rapid.IntRange(1, 12).Draw(r, "nodes") {
			name := fmt.Sprintf("%s%d", rapid.SampledFrom([]string{"a", "b", "c"}).Draw(r, "zone"), i)
			poolOf[name] = rapid.SampledFrom([]string{"p", "q", "r", "s"}).Draw(r, "pool")
			g.node(poolOf[name], name, rapid.IntRange(1, 60).Draw(r, "minutes"))
		}
		refused := map[string]bool{}
		g.api = func(pool string, write func() error) error {
			if refused[pool] {
				return failures[rapid.SampledFrom(sortedKeys(failures)).Draw(r, "failure")](write)
			}
			return write()
		}
		m := drift()
		if rapid.Bool().Draw(r, "all at once") {
			m.choose = func(_ map[string]int, cs []*disruption.Candidate) []disruption.Command { return each(cs) }
		}
		guard := Guard(m, g.Cluster)
		for range rapid.IntRange(1, 8).Draw(r, "passes") {
			for name := range policies {
				refused[name] = rapid.Bool().Draw(r, "refused")
			}
			for _, node := range g.pass(guard) {
				pool := poolOf[node]
				if policy := policies[pool]; policy == onePerHour || policy == both {
					stored := slices.ContainsFunc(g.starts(pool), func(s string) bool { return strings.HasSuffix(s, " "+node) })
					if !stored {
						r.Fatalf("%s of %s started, and the memory is %s", node, pool, g.memory(pool))
					}
				}
				if policy := policies[pool]; policy == sequential || policy == both {
					if !strings.Contains(g.memory(pool), fmt.Sprintf(`"domain":%q`, node[:1])) {
						r.Fatalf("%s of %s started, and the memory is %s", node, pool, g.memory(pool))
					}
				}
			}
		}
	})
}

// To the other pools, one that cannot be written is as one that is paused, but for the pass in which that is found out.
func TestAPoolThatCannotBeWrittenIsToOthersAsOneThatIsPaused(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		names := []string{"p", "q", "r", "s"}
		failing := map[string]bool{}
		policies := map[string]string{}
		for _, name := range names {
			failing[name] = rapid.Bool().Draw(r, "failing")
			policies[name] = rapid.SampledFrom([]string{`budgets: [{nodes: "9", per: 1h}]`, sequential, ""}).Draw(r, "policy")
		}
		type node struct {
			pool, name string
			minutes    int
		}
		var nodes []node
		for i := range rapid.IntRange(1, 10).Draw(r, "nodes") {
			zone := rapid.SampledFrom([]string{"a", "b"}).Draw(r, "zone")
			nodes = append(nodes, node{rapid.SampledFrom(names).Draw(r, "pool"), fmt.Sprintf("%s%d", zone, i), 60 - i})
		}
		run := func(pause bool) (others []string) {
			var pools []*v1.NodePool
			poolOf := map[string]string{}
			for _, name := range names {
				np := pool(name)
				if policies[name] != "" {
					np.Annotations[DisruptionAnnotation] = policies[name]
				}
				if pause && failing[name] && policies[name] != "" {
					np.Annotations[PauseAnnotation] = "true"
				}
				pools = append(pools, np)
			}
			g := newGuarded(t, pools...)
			for _, n := range nodes {
				g.node(n.pool, n.name, n.minutes)
				poolOf[n.name] = n.pool
			}
			g.api = func(pool string, write func() error) error {
				if failing[pool] && !pause {
					return apierrors.NewForbidden(nodePools, pool, errors.New("no"))
				}
				return write()
			}
			guard := Guard(drift(), g.Cluster)
			for range len(nodes) + len(names) {
				for _, name := range g.pass(guard) {
					if failing[poolOf[name]] && policies[poolOf[name]] != "" {
						r.Fatalf("%s of %s started", name, poolOf[name])
					}
					others = append(others, name)
				}
			}
			return others
		}
		if got, want := run(false), run(true); !slices.Equal(got, want) {
			r.Fatalf("%v started, and with the pools paused %v", got, want)
		}
	})
}

func TestTheMemoryOfAPolicyThatIsGoneGoes(t *testing.T) {
	const rolling = `{"roll":{"key":"topology.kubernetes.io/zone","domain":"a"},"backoff":{"level":3,"until":"2026-11-20T12:09:00Z"}}`
	for name, c := range map[string]struct {
		annotations []string
		gone        bool
	}{
		"without any other annotation":           {[]string{MemoryAnnotation, rolling}, true},
		"with annotations of others":             {[]string{MemoryAnnotation, rolling, "example.com/x", "y"}, true},
		"one that cannot be read":                {[]string{MemoryAnnotation, "{"}, true},
		"but not while there is another policy":  {[]string{MemoryAnnotation, rolling, DisruptionAnnotation, sequential}, false},
		"nor while there is only a pause":        {[]string{MemoryAnnotation, rolling, PauseAnnotation, "true"}, false},
		"nor while the policy cannot be read":    {[]string{MemoryAnnotation, rolling, DisruptionAnnotation, "budgets: ["}, false},
		"nor while nobody knows what is written": {[]string{MemoryAnnotation, rolling, "disruptkit.dev/typo", "1"}, false},
	} {
		for _, offered := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s, with candidates: %t", name, offered), func(t *testing.T) {
				g := newGuarded(t, pool("default", c.annotations...), pool("other"))
				g.node("other", "b1", 1)
				want := "b1"
				if offered {
					g.node("default", "a1", 9)
					if c.gone {
						want = "a1" // the back-off goes as well
					}
				}
				g.refuse(apierrors.NewForbidden(nodePools, "default", errors.New("no")))
				guard := Guard(drift(), g.Cluster)
				for range 9 { // that it cannot be removed stops nothing
					if got := g.mustCompute(guard, 9); got != want {
						t.Errorf("started %q, not %q", got, want)
					}
					g.clock.Step(time.Second)
				}
				if c.gone && g.patches != 1 {
					t.Errorf("%d writes were tried within ten seconds", g.patches)
				}
				said := strings.Join(g.said("default", MemoryNotStoredEvent), "\n")
				if strings.HasPrefix(said, "A memory without a policy stays: the annotation disruptkit.dev/memory cannot be written: ") != c.gone {
					t.Errorf("said %q", said)
				}
				g.api = nil
				g.clock.Step(time.Second)
				g.mustCompute(guard, 9)
				var np v1.NodePool
				if err := g.Client.Get(t.Context(), metaName("default"), &np); err != nil {
					t.Fatal(err)
				}
				if _, memory := np.Annotations[MemoryAnnotation]; memory == c.gone {
					t.Errorf("the annotations are %v", np.Annotations)
				}
				if slices.Contains(c.annotations, "example.com/x") && np.Annotations["example.com/x"] != "y" {
					t.Errorf("the annotations are %v", np.Annotations)
				}
			})
		}
	}
}

// A cache shows the NodePools late. What the guard has written since is what it goes on from, and writes over.
func TestACacheThatLagsIsNoConflict(t *testing.T) {
	g := newGuarded(t, pool("default", DisruptionAnnotation, `budgets: [{nodes: "2", per: 1h}]`))
	for i := range 3 {
		g.node("default", fmt.Sprintf("a%d", i), 9-i)
	}
	late := g.pools()
	g.Client = interceptor.NewClient(g.Client.(client.WithWatch), interceptor.Funcs{
		List: func(ctx context.Context, c client.WithWatch, list client.ObjectList, opts ...client.ListOption) error {
			if pools, is := list.(*v1.NodePoolList); is && late != nil {
				late.DeepCopyInto(pools)
				return nil
			}
			return c.List(ctx, list, opts...)
		},
	})
	guard := Guard(drift(), g.Cluster)
	for i, want := range []string{"a0", "", ""} {
		if got := g.mustCompute(guard, 9); got != want {
			t.Errorf("pass %d: started %q, not %q; said %q", i, got, want, g.said("default", MemoryNotStoredEvent))
		}
		if i == 0 {
			g.inFlight("a0")
			g.annotate("default", DisruptionAnnotation, onePerHour)
			late = nil
			late = g.pools() // with the start of a0, but not with what follows
		}
		g.clock.Step(time.Minute)
	}
	if diff := strings.Join(g.starts("default"), " "); diff != "12:00 a0 seen" || g.patches != 2 {
		t.Errorf("%d patches; the starts are %s", g.patches, diff)
	}
	if said := g.said("default", MemoryNotStoredEvent); len(said) > 0 {
		t.Errorf("said %q", said)
	}
}

// pools returns all NodePools, as the API server has them.
func (g *guarded) pools() *v1.NodePoolList {
	g.Helper()
	var list v1.NodePoolList
	if err := g.Client.List(g.Context(), &list); err != nil {
		g.Fatal(err)
	}
	return &list
}

// Between the two looks at the cluster, the launch of another pool fails. That is counted in the next decision.
func TestALaunchThatEndsWhileAMethodWaitsIsCountedLater(t *testing.T) {
	g := newGuarded(t, pool("p", DisruptionAnnotation, `budgets: [{nodes: "5"}]`), pool("q"))
	g.jitters = func() float64 { return 1 }
	g.node("p", "a1", 9)
	g.node("p", "a2", 1)
	g.node("q", "b1", 5)
	if got := g.mustCompute(Guard(replacing(v1.DisruptionReasonDrifted), g.Cluster), 5); got != "a1→1" {
		t.Fatalf("started %q", got)
	}
	g.inFlight("a1")
	m := drift()
	m.choose = func(_ map[string]int, cs []*disruption.Candidate) []disruption.Command {
		g.State.UnmarkForDeletion("fake://a1")
		return one(slices.DeleteFunc(cs, func(c *disruption.Candidate) bool { return c.Name() != "b1" }))
	}
	guard := Guard(m, g.Cluster)
	for range 2 {
		g.mustCompute(guard, 5)
	}
	if !strings.Contains(g.memory("p"), `"level":1`) {
		t.Errorf("the memory is %s", g.memory("p"))
	}
}

func TestReservationsAreGivenBackWhereNothingCanBeReadOrStored(t *testing.T) {
	for name, fail := range map[string]func(g *guarded, end func()){
		"the cluster cannot be read again": func(g *guarded, _ func()) {
			g.Client = interceptor.NewClient(g.Client.(client.WithWatch), interceptor.Funcs{
				List: func(context.Context, client.WithWatch, client.ObjectList, ...client.ListOption) error {
					return errors.New("no answer")
				},
			})
		},
		"the guard is to end": func(g *guarded, end func()) {
			g.api = func(string, func() error) error { end(); return context.Canceled }
		},
	} {
		t.Run(name, func(t *testing.T) {
			np := pool("default", DisruptionAnnotation, onePerHour)
			np.Spec.Replicas = new(int64(1))
			g := newGuarded(t, np)
			g.node("default", "a1", 2)
			ctx, end := context.WithCancel(t.Context())
			defer end()
			m := drift()
			m.choose = func(_ map[string]int, cs []*disruption.Candidate) []disruption.Command {
				g.State.NodePoolState.ReserveNodeCount("default", 4, 1)
				fail(g, end)
				return each(cs)
			}
			commands, err := Guard(m, g.Cluster).ComputeCommands(ctx, map[string]int{"default": 1}, g.offered...)
			if len(commands) > 0 || err == nil {
				t.Errorf("started %q, error %v", describe(commands), err)
			}
			if left := g.State.NodePoolState.ReserveNodeCount("default", 4, 9); left != 3 {
				t.Errorf("%d nodes are left of a limit of 4, with 1 running and none started", left)
			}
		})
	}
}
