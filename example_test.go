package disruptkit_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/budget/lint"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/candidate/kube"
	"github.com/disruptkit/disruptkit/plan"
	"github.com/disruptkit/disruptkit/probe"
	"github.com/disruptkit/disruptkit/probe/breaker"
	"github.com/disruptkit/disruptkit/probe/httpget"
	"github.com/disruptkit/disruptkit/repair"
	"github.com/disruptkit/disruptkit/report"
)

// Five nodes of a pool, two of which have drifted, on a Friday at noon: by day one may be disrupted at once.
func ExampleDecide() {
	budgets, err := budget.Compile([]budget.Budget{
		{Nodes: "50%"},
		{Nodes: "1", Schedule: "0 9 * * mon-fri", Duration: "8h", TimeZone: "Europe/Berlin"},
	})
	if err != nil {
		log.Fatal(err)
	}
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	in := disruptkit.Input{Now: now, Pools: []disruptkit.Pool{{Name: "default", Budgets: budgets}}}
	for _, name := range []string{"a", "b", "c", "d", "e"} {
		in.Nodes = append(in.Nodes, candidate.Node{Name: name, Pool: "default", Phase: candidate.Running})
	}
	in.Nodes[1].Conditions = []candidate.Condition{{Reason: candidate.Drifted, Since: now.Add(-1 * time.Hour)}}
	in.Nodes[3].Conditions = []candidate.Condition{{Reason: candidate.Drifted, Since: now.Add(-2 * time.Hour)}}

	d := disruptkit.Decide(in, candidate.Drifted)
	for _, c := range d.Allowed {
		fmt.Println("drain", c.Node)
	}
	for _, c := range d.Blocked {
		fmt.Println("keep", c.Node)
		for _, b := range c.Blockers {
			fmt.Println("  ", b)
		}
	}
	fmt.Println("sleep for", d.Wait(now, 24*time.Hour))
	// Output:
	// drain d
	// keep b
	//    budget/exhausted: 1 of 5 nodes may be disrupted at once, 1 already allowed: budgets[1] is 1 (0 9 * * mon-fri for 8h, Europe/Berlin) (until 2026-11-20T16:00:00Z)
	// sleep for 4h0m0s
}

// A budget of 0 blocks all drift but on Sunday nights, at the most for 14 days: then a node may also be disrupted on a Friday, one at a time.
func ExampleDecide_deadline() {
	budgets, err := budget.Spec{Drift: budget.Control{
		Deadline: "336h",
		Budgets:  []budget.Budget{{Nodes: "0", Schedule: "0 2 * * sun", Duration: "2h", Outside: true}, {Nodes: "1"}},
	}}.Compile()
	if err != nil {
		log.Fatal(err)
	}
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	in := disruptkit.Input{Now: now, Pools: []disruptkit.Pool{{Name: "default", Budgets: budgets}}}
	for i, name := range []string{"a", "b", "c"} {
		in.Nodes = append(in.Nodes, candidate.Node{
			Name: name, Pool: "default", Phase: candidate.Running,
			Conditions: []candidate.Condition{{Reason: candidate.Drifted, Since: now.AddDate(0, 0, i-15)}},
		})
	}

	d := disruptkit.Decide(in, candidate.Drifted)
	for _, c := range d.Allowed {
		fmt.Println("drain", c.Node, "overdue since", c.Deadline.Format(time.DateOnly))
	}
	for _, c := range d.Blocked {
		fmt.Println("keep", c.Node, "overdue:", c.Overdue, "blocked by:", c.Blockers[0].Code)
	}
	// Output:
	// drain a overdue since 2026-11-19
	// keep b overdue: true blocked by: exhausted
	// keep c overdue: false blocked by: allows-none
}

// Deciding one reason after the other: what is allowed for the first counts against the next.
func ExampleInput_Apply() {
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	in := disruptkit.Input{Now: now, Pools: []disruptkit.Pool{{Name: "default"}}} // the default: 10 %
	for i := range 10 {
		n := candidate.Node{Name: fmt.Sprint("node-", i), Pool: "default", Phase: candidate.Running}
		n.Conditions = []candidate.Condition{{Reason: candidate.Drifted, Since: now}}
		if i > 7 {
			n.Conditions = append(n.Conditions, candidate.Condition{Reason: candidate.Empty, Since: now})
		}
		in.Nodes = append(in.Nodes, n)
	}
	for _, reason := range []candidate.Reason{candidate.Empty, candidate.Drifted} {
		d := disruptkit.Decide(in, reason)
		fmt.Printf("%s: %d of %d may be disrupted\n", reason, len(d.Allowed), len(d.Allowed)+len(d.Blocked))
		in = in.Apply(d)
	}
	// Output:
	// Empty: 1 of 2 may be disrupted
	// Drifted: 0 of 10 may be disrupted
}

// One zone at a time. a1, b1 and a2 have drifted in this order. After a1 is replaced, b1 is the oldest; but the roll
// remembers whose turn it is.
func ExampleDecide_oneZoneAtATime() {
	budgets, err := budget.Compile([]budget.Budget{
		{Nodes: "1", TopologyKey: "topology.kubernetes.io/zone", Sequential: true, Reasons: []candidate.Reason{candidate.Drifted}},
	})
	if err != nil {
		log.Fatal(err)
	}
	now := time.Date(2026, 11, 23, 9, 0, 0, 0, time.UTC)
	in := disruptkit.Input{Now: now, Pools: []disruptkit.Pool{{Name: "default", Budgets: budgets}}}
	for i, name := range []string{"a1", "b1", "a2"} {
		in.Nodes = append(in.Nodes, candidate.Node{
			Name: name, Pool: "default", Phase: candidate.Running,
			Labels:     map[string]string{"topology.kubernetes.io/zone": name[:1]},
			Conditions: []candidate.Condition{{Reason: candidate.Drifted, Since: now.Add(time.Duration(i-9) * time.Hour)}},
		})
	}
	for range 3 {
		d := disruptkit.Decide(in, candidate.Drifted)
		in.Memory = d.Memory // to be stored before anything is started
		for _, c := range d.Blocked {
			fmt.Println("keep", c.Node, c.Blockers)
		}
		for _, c := range d.Allowed {
			fmt.Println("replace", c.Node)
			for i := range in.Nodes {
				if in.Nodes[i].Name == c.Node {
					in.Nodes[i].Name, in.Nodes[i].Conditions = c.Node+"-new", nil
				}
			}
		}
	}
	// Output:
	// keep b1 [topology/waits-for-domain: b waits for a (0 in flight, 2 to go)]
	// keep a2 [topology/exhausted: 1 of 2 nodes of a may be disrupted at once, 1 already allowed: budgets[0] is 1 per topology.kubernetes.io/zone, one at a time (Drifted)]
	// replace a1
	// keep b1 [topology/waits-for-domain: b waits for a (0 in flight, 1 to go)]
	// replace a2
	// replace b1
}

// The nodes of a unit are disrupted together or not at all.
func ExampleDecide_units() {
	drifted := []candidate.Condition{{Reason: candidate.Drifted}}
	budgets, _ := budget.Compile([]budget.Budget{{Nodes: "2"}})
	d := disruptkit.Decide(disruptkit.Input{
		Now:   time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC),
		Pools: []disruptkit.Pool{{Name: "gpu", Budgets: budgets}},
		Nodes: []candidate.Node{
			{Name: "gpu-1", Pool: "gpu", Unit: "job-7", Phase: candidate.Running, Conditions: drifted},
			{Name: "gpu-2", Pool: "gpu", Unit: "job-7", Phase: candidate.Running},
			{Name: "gpu-3", Pool: "gpu", Unit: "job-8", Phase: candidate.Running, Conditions: drifted},
			{Name: "gpu-4", Pool: "gpu", Unit: "job-8", Phase: candidate.Running, DoNotDisrupt: true},
		},
	}, "")
	for _, c := range d.Allowed {
		fmt.Println(c.Node, "is disrupted")
	}
	for _, b := range d.Blocked[0].Blockers {
		fmt.Println(d.Blocked[0].Node, "is blocked:", b.Message)
	}
	// Output:
	// gpu-1 is disrupted
	// gpu-2 is disrupted
	// gpu-3 is blocked: its unit has 2 nodes, and 2 of 4 nodes may be disrupted at once, 2 already allowed: budgets[0] is 2
	// gpu-3 is blocked: node gpu-4 of its unit: the node is annotated karpenter.sh/do-not-disrupt: "true"
}

// choose is the example of README.md: an autoscaler that disrupts expensive nodes first.
func choose(now time.Time, nodes []candidate.Node, memory map[string]disruptkit.Memory) (map[string]disruptkit.Memory, time.Duration, error) {
	byCost := func(a, b candidate.Candidate) int { return strings.Compare(a.Node, b.Node) }
	budgets, err := budget.Compile([]budget.Budget{
		{Nodes: "0", Schedule: "0 9 * * mon-fri", Duration: "8h", TimeZone: "Europe/Berlin"},
		{Nodes: "1"},
	})
	s := disruptkit.Open(disruptkit.Input{
		Now:    now,
		Nodes:  nodes, // name, pool, phase and reasons of each; Leaving: candidate.Draining once its drain has begun
		Pools:  []disruptkit.Pool{{Name: "default", Budgets: budgets}},
		Memory: memory, // of the last decision
	}, candidate.Underutilized)
	for _, c := range slices.SortedFunc(s.Candidates(), byCost) {
		if blockers := s.Blockers(c); len(blockers) > 0 {
			fmt.Println("keep", c.Node, blockers)
		} else {
			s.Disrupt(c)
			fmt.Println("drain", c.Node)
		}
	}
	d := s.Close()
	return d.Memory, d.Wait(now, time.Hour), err // store the memory, then drain, then sleep
}

func Example() {
	var nodes []candidate.Node
	for _, name := range []string{"small", "large"} {
		nodes = append(nodes, candidate.Node{
			Name: name, Pool: "default", Phase: candidate.Running,
			Conditions: []candidate.Condition{{Reason: candidate.Underutilized}},
		})
	}
	now := time.Date(2026, 11, 23, 7, 30, 0, 0, time.UTC) // a Monday, 08:30 in Berlin
	var memory map[string]disruptkit.Memory
	for range 2 {
		stored, wait, err := choose(now, nodes, memory)
		fmt.Println("sleep for", wait, err)
		memory, now = stored, now.Add(wait)
		nodes = nodes[:1] // large is gone; while it drained, it was candidate.Draining
	}
	// Output:
	// drain large
	// keep small [budget/exhausted: 1 of 2 nodes may be disrupted at once, 1 already allowed: budgets[1] is 1]
	// sleep for 30m0s <nil>
	// keep small [budget/allows-none: 0 of 1 node may be disrupted now: budgets[0] is 0 (0 9 * * mon-fri for 8h, Europe/Berlin) (until 2026-11-23T16:00:00Z)]
	// sleep for 1h0m0s <nil>
}

// judgePods is the other one.
func judgePods(now time.Time, node candidate.Node, annotations, labels map[string]string, pdbs []candidate.PDB) (disruptkit.Input, []candidate.Warning, error) {
	var parser kube.Parser
	started, pools := now.Add(-time.Hour), []disruptkit.Pool{{Name: "default"}}

	terms, warnings := parser.Terms("ml", "train-0", annotations)
	node.Pods = append(node.Pods, candidate.Pod{Namespace: "ml", Name: "train-0", Labels: labels, Terms: terms, Started: started})
	rules, err := candidate.CompileRules(pdbs, nil)
	in := disruptkit.Input{Now: now, Nodes: []candidate.Node{node}, Pools: pools, Rules: rules}
	return in, warnings, err
}

// A pod with disruption schedules, and a PodDisruptionBudget that is spent.
func Example_pods() {
	now := time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)
	node := candidate.Node{
		Name: "a", Pool: "default", Phase: candidate.Running,
		Conditions: []candidate.Condition{{Reason: candidate.Drifted, Since: now.Add(-time.Hour)}},
	}
	annotations := map[string]string{
		"karpenter.sh/disruption-schedule":          "0 2 * * 6; 0 22 * * 1-5",
		"karpenter.sh/disruption-schedule-duration": "4h; 8h",
		"karpenter.sh/disruption-block-schedule":    "0 0 24 12 *",
		"karpenter.sh/disruption-block-duration":    "72h",
		"karpenter.sh/disruption-schedule-timezone": "Europe/Berlin",
	}
	labels := map[string]string{"app": "train"}
	pdbs := []candidate.PDB{{Namespace: "ml", Name: "train", Selector: &candidate.Selector{MatchLabels: labels}}}
	in, warnings, err := judgePods(now, node, annotations, labels, pdbs)
	fmt.Println(warnings, err)
	for _, b := range disruptkit.Decide(in, candidate.Drifted).Blocked[0].Blockers {
		fmt.Println(b)
	}
	// Output:
	// [] <nil>
	// pod/allows-none: pod ml/train-0 has PDB ml/train, which allows no disruption now
	// pod/outside-schedule: pod ml/train-0 may be disrupted only when its disruption schedule allows it: (0 2 * * 6 for 4h, Europe/Berlin or 0 22 * * 1-5 for 8h, Europe/Berlin) and outside (0 0 24 12 * for 72h, Europe/Berlin) (until 2026-11-20T21:00:00Z)
}

// watch is the third: it asks a probe, and decides on what that says.
func watch(ctx context.Context, client *httpget.Client, p httpget.Spec, observation probe.Observation, nodes []candidate.Node, now time.Time) (probe.Observation, disruptkit.Decision) {
	observation = httpget.Observe(p, observation, client.Get(ctx, p, now))
	verdict := probe.ProbeVerdict(p.Probe(), observation, now)
	pool := disruptkit.Pool{Name: "default", Verdicts: []probe.Verdict{verdict}}
	d := disruptkit.Decide(disruptkit.Input{Now: now, Nodes: nodes, Pools: []disruptkit.Pool{pool}}, candidate.Drifted)
	return observation, d
}

// pause is the code of docs/signals.md for a zonal shift.
func pause(in disruptkit.Input, now time.Time) disruptkit.Decision {
	in.Pauses = []probe.Pause{{
		Key: "topology.kubernetes.io/zone", Domains: []string{"us-east-1a"}, // without these: everywhere
		Until: now.Add(2 * time.Hour), By: "alice", Why: "INC-1234",
	}}
	return disruptkit.Decide(in, candidate.Drifted)
}

func Example_pauses() {
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	in := disruptkit.Input{Now: now, Pools: []disruptkit.Pool{{Name: "default"}}, Nodes: []candidate.Node{{
		Name: "a", Pool: "default", Phase: candidate.Running, Labels: map[string]string{"topology.kubernetes.io/zone": "us-east-1a"},
		Conditions: []candidate.Condition{{Reason: candidate.Drifted, Since: now.Add(-time.Hour)}},
	}}}
	fmt.Println(pause(in, now).Blocked[0].Blockers[0])

	in.Nodes[0].Labels = map[string]string{"topology.kubernetes.io/zone": "us-east-1b"}
	in.Nodes[0].Pods = []candidate.Pod{{Name: "web"}}
	in.Pauses = []probe.Pause{{
		Key: "topology.kubernetes.io/zone", Domains: []string{"us-east-1a"}, Inbound: true,
		Until: now.Add(2 * time.Hour), By: "alice", Why: "INC-1234",
	}}
	fmt.Println(disruptkit.Decide(in, candidate.Drifted).Blocked[0].Blockers[0])
	// Output:
	// probe/paused: paused in us-east-1a by alice: INC-1234 (until 2026-11-20T14:00:00Z)
	// probe/paused: paused in us-east-1a by alice: INC-1234; its pods may move there (until 2026-11-20T14:00:00Z)
}

// A real server that is not well, an observation that grows old, and new nodes that fail.
func Example_signals() {
	now := time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)
	nodes := []candidate.Node{{
		Name: "a", Pool: "default", Phase: candidate.Running,
		Conditions: []candidate.Condition{{Reason: candidate.Drifted, Since: now.Add(-time.Hour)}},
	}}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(503) }))
	defer server.Close()
	at := netip.MustParseAddrPort(server.Listener.Addr().String())
	p := httpget.Spec{Name: "health", Host: at.Addr().String(), Port: int(at.Port())}

	observation, d := watch(context.Background(), &httpget.Client{}, p, probe.Observation{}, nodes, now)
	launches := []breaker.Launch{{At: now, Failed: true}, {At: now, Failed: true}, {At: now, Failed: true}, {At: now}, {At: now}}
	replacements := breaker.Replacement{Failures: 3, Of: 5, CoolDown: time.Hour}
	fmt.Println(d.Blocked[0].Blockers[0])
	for _, v := range []probe.Verdict{probe.ProbeVerdict(p.Probe(), observation, now.Add(21*time.Second)), replacements.Verdict(launches, now)} {
		b, _ := v.Blocker(candidate.Drifted, "default", nil, now)
		fmt.Println(b)
	}
	// Output:
	// probe/unhealthy: health: it answered 503, and only 200 to 202 allow disruption
	// probe/stale: health: the last answer is 21s old, and counts only for 21s
	// probe/failed-replacement: replacements: it denies everything (3 of the last 5 new nodes failed to become Ready) (until 2026-11-20T11:00:00Z)
}

// explain is the fourth: what budgets mean, and what of them hardly is meant.
func explain(disruption []byte, now time.Time) (segments []budget.Segment, errs [3]error) {
	var spec budget.Spec // spec.disruption of a NodePool
	err := json.Unmarshal(disruption, &spec)
	set, broken := spec.Compile()
	for _, f := range lint.Run(set, now, lint.Facts{Nodes: 100}) {
		fmt.Println(f)
	}
	segments, refused := set.Forecast(now, now.AddDate(0, 0, 7), 100, candidate.Drifted)
	return segments, [3]error{err, broken, refused}
}

// The per-method controls of docs/budgets.md.
func Example_budgets() {
	now := time.Date(2026, 11, 23, 0, 0, 0, 0, time.UTC) // a Monday
	segments, errs := explain([]byte(`{"budgets": [{"nodes": "1"}, {"nodes": "5", "reasons": ["Drifted"]}]}`), now)
	fmt.Println(len(segments), errs)

	segments, errs = explain([]byte(methods), now)
	fmt.Println(len(segments), errs)
	// Output:
	// warning never-binds: budgets[1] is 5 (Drifted), and it makes no difference in the coming year: budgets[0] is 1, and never more → the tightest budget wins: delete budgets[1]
	// info not-ready-blocks: Drifted, Empty and Underutilized are stopped by a single node that is not Ready, since that counts as in use: budgets[0] is 1 → that is safe, but only repair (Unhealthy) replaces the node itself
	// 1 [<nil> <nil> <nil>]
	// info not-ready-blocks: Drifted is stopped by a single node that is not Ready, since that counts as in use: drift.budgets[0] is 1 (Drifted) → that is safe, but only repair (Unhealthy) replaces the node itself
	// 1 [<nil> <nil> <nil>]
}

// methods is the JSON of docs/budgets.md.
const methods = `{"defaults":      {"budgets": [{"nodes": "10%"}]},
 "drift":         {"disruptAfter": "1h", "budgets": [{"nodes": "1"},
                   {"reason": "AMIDrift", "nodes": "5", "schedule": "0 2 * * sat", "duration": "4h"}]},
 "consolidation": {"disruptAfter": "30m"},
 "expiration":    {"disruptAfter": "Never"}}`

// mend is one more: it decides whether a node is repaired.
func mend(node candidate.Node, health repair.Node, pools []disruptkit.Pool, now time.Time) (repair.Result, disruptkit.Decision, error) {
	policies, err := repair.Compile([]repair.Policy{
		{ConditionType: "AcceleratorReady", ConditionStatus: "False", ReasonRegex: "XID48", TolerationDuration: 10 * time.Minute, Priority: 50, Action: repair.Reboot},
		{ConditionType: "Ready", ConditionStatus: "False", TolerationDuration: 30 * time.Minute, Action: repair.Replace}, // and whatever no other matches
	})
	result := repair.Resolve(policies, health, now) // of one node: its conditions, and its last reboots
	if condition, ok := result.Condition(); ok {
		node.Conditions = append(node.Conditions, condition)
	}
	in := disruptkit.Input{Now: now, Nodes: []candidate.Node{node}, Pools: pools}
	d := disruptkit.Decide(in, candidate.Unhealthy)
	return result, d, err
}

// A GPU that fails at noon, five minutes later and ten.
func Example_repair() {
	noon := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	health := repair.Node{Conditions: []repair.Condition{{Type: "AcceleratorReady", Status: "False", Reason: "NvidiaXID48Error", LastTransitionTime: noon}}}
	for _, after := range []time.Duration{5 * time.Minute, 10 * time.Minute} {
		result, d, err := mend(candidate.Node{Name: "a", Pool: "default", Phase: candidate.Running}, health, []disruptkit.Pool{{Name: "default"}}, noon.Add(after))
		fmt.Printf("%q %v\n", result.Action, err)
		for _, c := range d.Allowed {
			fmt.Println(c.Node, "is disrupted for", c.Reason)
		}
		for _, c := range d.Blocked {
			fmt.Println(c.Blockers[0])
		}
	}
	// Output:
	// "" <nil>
	// node/tolerated: Unhealthy/AcceleratorReady is still tolerated (until 2026-11-20T12:10:00Z)
	// "RebootNode" <nil>
	// a is disrupted for Unhealthy/AcceleratorReady
}

// across is the code of docs/groups.md.
func across(in disruptkit.Input) (disruptkit.Decision, error) {
	prod, err := budget.Compile([]budget.Budget{
		{Nodes: "3"},
		{Nodes: "100%", TopologyKey: "topology.kubernetes.io/zone", Sequential: true},
	})
	in.Groups = []disruptkit.Group{{Name: "prod", Pools: []string{"web", "batch", "spot"}, Budgets: prod}}
	return disruptkit.Decide(in, candidate.Drifted), err
}

// Three pools of four drifted nodes in two zones.
func Example_groups() {
	in := disruptkit.Input{Now: time.Date(2026, 11, 23, 9, 0, 0, 0, time.UTC)}
	for _, pool := range []string{"web", "batch", "spot"} {
		in.Pools = append(in.Pools, disruptkit.Pool{Name: pool})
		for i := range 4 {
			in.Nodes = append(in.Nodes, candidate.Node{
				Name: fmt.Sprint(pool, i), Pool: pool, Phase: candidate.Running,
				Labels:     map[string]string{"topology.kubernetes.io/zone": string(rune('a' + i%2))},
				Conditions: []candidate.Condition{{Reason: candidate.Drifted, Since: in.Now.Add(-time.Hour)}},
			})
		}
	}
	d, err := across(in)
	for _, c := range d.Allowed {
		fmt.Println(c.Node)
	}
	for _, b := range d.Blocked[0].Blockers {
		fmt.Println(d.Blocked[0].Node, b)
	}
	fmt.Println(err)
	// Output:
	// batch0
	// spot0
	// web0
	// batch1 budget/exhausted: 1 of 4 nodes may be disrupted at once, 1 already allowed: budgets[0] is 10%
	// batch1 budget/exhausted: group prod: 3 of 12 nodes may be disrupted at once, 3 already allowed: budgets[0] is 3
	// batch1 topology/waits-for-domain: group prod: b waits for a (0 in flight, 6 to go)
	// <nil>
}

// watchReports is the fifth: what operators watch.
func watchReports(last report.Report, in disruptkit.Input) (report.Report, []byte, error) {
	empty := disruptkit.Decide(in, candidate.Empty)
	drifted := disruptkit.Decide(in.Apply(empty), candidate.Drifted) // without Apply, both would spend the same budget
	// The previous report goes in.
	last = report.Summarize(last, in, empty, drifted)
	status, err := json.Marshal(last.Pools[0])
	return last, status, err
}

// Ten nodes, one of them in flight.
func Example_reports() {
	in := disruptkit.Input{Now: time.Date(2026, 11, 23, 0, 0, 0, 0, time.UTC), Pools: []disruptkit.Pool{{Name: "default"}}}
	for i := range 10 {
		in.Nodes = append(in.Nodes, candidate.Node{Name: fmt.Sprint(i), Pool: "default", Phase: candidate.Running})
	}
	in.Nodes[0].Leaving = candidate.Draining
	_, status, err := watchReports(report.Report{}, in)
	fmt.Println(string(status), err)
	// Output:
	// {"disruption":{"activeBudgets":[{"nodes":"1","remainingBudget":"0"}],"totalDisruptedNodes":"0"},"resources":{"nodes":10}} <nil>
}

// whenDone is the code of docs/plan.md for plans.
func whenDone(in disruptkit.Input, larger budget.Set) {
	o := plan.Options{Model: plan.Model{Drain: plan.Constant(25 * time.Minute)}}
	today := plan.Run(in, o)
	for _, n := range today.Nodes {
		fmt.Println(n.Name, n.Outcome, n.Start, n.Gone, n.Waits, n.Blockers)
	}
	in.Pools = []disruptkit.Pool{{Name: "default", Budgets: larger}}
	fmt.Println(plan.Compare(today, plan.Run(in, o)))
}

func Example_plan() {
	now := time.Date(2026, 11, 23, 7, 30, 0, 0, time.UTC)
	one, _ := budget.Compile([]budget.Budget{{Nodes: "1"}})
	two, _ := budget.Compile([]budget.Budget{{Nodes: "2"}})
	in := disruptkit.Input{Now: now, Pools: []disruptkit.Pool{{Name: "default", Budgets: one}}}
	for _, name := range []string{"a", "b"} {
		in.Nodes = append(in.Nodes, candidate.Node{
			Name: name, Pool: "default", Phase: candidate.Running,
			Conditions: []candidate.Condition{{Reason: candidate.Drifted, Since: now.Add(-time.Hour)}},
		})
	}
	whenDone(in, two)
	// Output:
	// a done 2026-11-23 07:30:00 +0000 UTC 2026-11-23 07:57:00 +0000 UTC [] []
	// b done 2026-11-23 07:57:00 +0000 UTC 2026-11-23 08:24:00 +0000 UTC [budgets are used up (budget/exhausted): budgets[0]: 1] []
	// done on Mon 23 Nov 2026 07:57 UTC instead of Mon 23 Nov 2026 08:24 UTC, 27m earlier
}

// pages returns README.md and the pages in docs, one after the other.
func pages(t *testing.T) string {
	t.Helper()
	names, err := filepath.Glob("docs/*.md")
	if err != nil || len(names) == 0 {
		t.Fatal(names, err)
	}
	var all strings.Builder
	for _, name := range append([]string{"README.md"}, names...) {
		page, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(page)
	}
	return all.String()
}

func ExampleBackoff() {
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	memory := disruptkit.Memory{}
	memory.Backoff = memory.Backoff.Fail(now, 0.25) // a launch has failed; a random number spreads pools that fail together
	text, err := json.Marshal(memory)               // to be stored
	fmt.Println(string(text), err)

	memory.Backoff = memory.Backoff.Fail(now.Add(time.Second), 0.5) // so has the next, of the same attempt
	fmt.Println(memory.Backoff.Level, memory.Backoff.Until.Format(time.TimeOnly))
	memory.Backoff = memory.Backoff.Fail(now.Add(time.Minute), 0.5) // and one after the wait
	fmt.Println(memory.Backoff.Level, memory.Backoff.Until.Format(time.TimeOnly))
	memory.Backoff = disruptkit.Backoff{}
	fmt.Println(memory.Equal(disruptkit.Memory{}))
	// Output:
	// {"backoff":{"level":1,"until":"2026-11-20T12:00:37.5Z"}} <nil>
	// 1 12:00:37
	// 2 12:02:30
	// true
}

// A replacement of a pool without a memory has failed: Decision.Memory is never nil.
func ExampleBackoff_firstFailure() {
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	d := disruptkit.Decide(disruptkit.Input{Now: now, Pools: []disruptkit.Pool{{Name: "default"}}}, candidate.Drifted)
	m := d.Memory["default"]
	m.Backoff = m.Backoff.Fail(now, 1)
	d.Memory["default"] = m // to be stored
	fmt.Println(d.Memory["default"].Backoff.Until.Format("15:04"))
	// Output:
	// 12:01
}

// The code that README.md and the pages in docs show is the code that runs above, and so is what it prints.
func TestTheExamplesOfTheREADMERun(t *testing.T) {
	readme := pages(t)
	file, err := os.ReadFile("example_test.go")
	if err != nil {
		t.Fatal(err)
	}
	source := string(file)
	blocks := strings.Split(readme, "```go\n")[1:]
	for _, block := range blocks {
		block, _, _ = strings.Cut(block, "```")
		indented := "\t" + strings.ReplaceAll(strings.TrimSpace(block), "\n", "\n\t")
		if !strings.Contains(source, indented) {
			t.Errorf("this is not in example_test.go:\n%s", block)
		}
	}
	printed := 0
	for line := range strings.Lines(readme) {
		text := strings.TrimPrefix(line, "    ")
		if text != line && (strings.HasPrefix(text, "drain ") || strings.HasPrefix(text, "keep ") || strings.HasPrefix(text, "pod/") || strings.HasPrefix(text, "probe/") || strings.HasPrefix(text, "node/") || strings.HasPrefix(text, "{")) {
			printed++
			if !strings.Contains(source, "\t// "+strings.TrimSpace(text)) {
				t.Errorf("this is not printed by example_test.go: %s", text)
			}
		}
	}
	if !strings.Contains(readme, "```json\n"+methods+"\n```") {
		t.Errorf("no page shows %s", methods)
	}
	if len(blocks) != 8 || printed != 12 {
		t.Errorf("%d blocks of code and %d lines of what it prints are found", len(blocks), printed)
	}
}
