package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

const saturday = "2026-11-28T06:00:00Z"

// What becomes of nodes: those that expire, drains that have begun, and what a grace period kills.
func TestWhatBecomesOfNodesIsSaid(t *testing.T) {
	for _, test := range []struct {
		args, file string
		says       []string
		not        string // "": nothing
	}{
		{"plan", "expires-soon", []string{"1 node expires, whatever budgets say: node-a Sat 28 Nov 10:00, while budgets[0] is 0"}, "No node has to go"},
		{"plan --expire 2026-11-28/2026-11-29", "expires-soon", []string{"EXPIRES NODE POOL THEN 0 GONE Sat 28 Nov 10:00 node-a web budgets[0]"}, "help"},
		{"plan --expire 2026-11-28/2026-11-28T10:00:00Z", "expires-soon", []string{"No node expires from Sat 28 Nov 00:00 to Sat 28 Nov 10:00."}, "node-a"},
		{"plan --expire 2026-11-28T10:00:00Z/2026-11-29", "expires-soon", []string{"node-a"}, ""},
		{"why node-a", "expires-soon", []string{"Expires Sat 10:00 (in 4h00m): no budget is asked."}, "Nothing asks"},
		{"why node-a", "expires-soon", []string{"Change the budget: no window of it opens by itself"}, "Wait for the window"},
		{"decide", "expires-soon", []string{"1 node expires, whatever budgets say: node-a Sat 10:00 (in 4h00m)"}, ""},
		{"status", "expires-soon", []string{"1 node expires, whatever budgets say: node-a Sat 10:00"}, ""},
		{"metrics", "expires-soon", []string{`disruptkit_nodepool_next_expiry_seconds{nodepool="web"} 14400`, `disruptkit_nodepool_nodes_expiring{nodepool="web",within="24h"} 1`}, ""},
		{"plan", "stuck-drain", []string{"2 never", "node-a, never: its drain never ends: pod default/db-0 has PDB default/db",
			"node-b, never:", "used up by node-a (draining since Sat 05:50, held by PDB default/db)"}, "done by"},
		{"status", "stuck-drain", []string{"web: 1 node stuck since Sat 28 Nov 05:50: node-a: its drain never ends", "used up by node-a"}, "NEXT START"},
		{"why node-a", "stuck-drain", []string{"It is being disrupted: draining since Sat 05:50", "Not gone until this changes: its drain never ends: pod default/db-0"}, "blocked"},
		{"why node-b", "stuck-drain", []string{"Used up by node-a (draining since Sat 05:50, held by PDB default/db)."}, ""},
		{"decide", "stuck-drain", []string{"REASON ALLOWED NOW BLOCKED IN FLIGHT Drifted 0 1 1 IN USE"}, "Empty"},
		{"decide -v", "stuck-drain", []string{
			"budget: used up by node-a (draining since Sat 05:50, held by PDB default/db)",
			"node-a web in use: draining since Sat 05:50, held by PDB default/db"}, ""},
		{"decide", "stuck-drain-tgp", []string{"node-a web in use: draining since Sat 05:50, held by PDB default/db until Sat 07:50"}, "budget:"},
		{"decide", "in-flight-window", []string{"in use: draining since Sat 05:55"}, "held by"},
		{"decide", "not-ready", []string{"node-a web in use: not Ready since Sat 03:00"}, "no candidates"},
		{"why web-node-a", "stuck-drain-tgp", []string{"node-a, in NodePool web"}, ""}, // its NodeClaim
		{"status", "not-ready", []string{"1 of 2 nodes up to date in 1 NodePool", "NOT READY STUCK DONE web 2 1 1 1 stuck",
			"web: 1 node stuck since Sat 28 Nov 03:00: node-a: it is not Ready, and uses up budgets"}, "done"},
		{"status", "stuck-drain-tgp", []string{"web: killed when grace periods end: Sat 07:50 on node-a (pod default/db-0 has PDB default/db"}, ""},
		{"status", "drift-despite-pdb", []string{"web: killed when grace periods end: Sat 07:02 on node-a (pod default/db-0 has PDB default/db"}, ""},
		{"plan", "not-ready", []string{"budgets[0] is 1; used up by node-a (not Ready since Sat 03:00). Main risk"}, "…"},
		{"plan", "stuck-drain-tgp", []string{"1 done by Sat 28 Nov 07:50", "Killed when grace periods end: Sat 07:50 on node-a (pod default/db-0"}, "never"},
		{"status", "stuck-drain-tgp", []string{"Sat 07:50"}, "stuck "},
		{"why node-a", "in-flight-window", []string{"draining since Sat 05:55", "they do not stop it", "Expected to be gone by"}, "blocked"},
		{"plan", "terminating-pod", []string{"1 done by Sat 28 Nov 11:50", "Pods that terminate hold up drains: default/j-1 on node-a until Sat 11:50"}, ""},
		{"status", "terminating-pod", []string{"web: pods that terminate hold up drains: default/j-1 on node-a until Sat 11:50"}, ""},
		{"status", "two-causes", []string{"node-a: pod default/job-a is annotated", "; node-b: pod default/job-b is annotated"}, "so for"},
		{"why node-a", "terminating-pod", []string{"Its drain lasts until Sat 11:50 (in 5h50m) or longer"}, ""},
		{"why node-a", "drift-despite-pdb", []string{"It may be disrupted although pod default/db-0 has PDB default/db", "terminationGracePeriod overrides that: what is left on the node 1h after its drain has begun is killed. If that begins now, this is Sat 07:00.", "is killed"}, ""},
		{"decide", "drift-despite-pdb", []string{"It may be disrupted although pod default/db-0 has PDB default/db"}, ""},
		{"plan", "drift-despite-pdb", []string{"Killed when grace periods end: Sat 07:02 on node-a (pod default/db-0"}, ""},
		{"why node-a", "nodepool-tgp-only", []string{"This NodeClaim has no terminationGracePeriod, so drift waits for as long; that of the NodePool, 1h, is for new nodes."}, "if it has one"},
		{"plan", "two-causes", []string{"2 nodes are blocked: pods are annotated do-not-disrupt: default/job-a on node-a, default/job-b on node-b"}, "and 1 more"},
		{"why node-b", "not-ready", []string{"Used up by node-a (not Ready since Sat 03:00)."}, ""},
		{"why node-a", "not-ready", []string{"It is not Ready since Sat 03:00, and uses up budgets."}, ""},
		{"plan", "not-ready", []string{"so that more nodes are disrupted: node-a of pool web is Ready:"}, ""}, // before any budget
		{"why node-a", "cordoned", []string{"It is cordoned", "kubectl delete nodeclaim web-node-a would start its drain, of at most 1h", "It may be disrupted although pod default/db-0"}, ""},
		{"why node-a", "interrupted", []string{"The cloud takes its instance away (taint aws-node-termination-handler/spot-itn): no budget is asked."}, "cordoned"},
		{"decide", "interrupted", []string{"1 node is interrupted by the cloud, whatever budgets say: node-a (taint aws-node-termination-handler/spot-itn)."}, ""},
		{"plan", "interrupted", []string{"1 node is interrupted by the cloud, whatever budgets say: node-a (taint aws-node-termination-handler/spot-itn)."}, ""},
		{"why node-a", "interrupted-draining", []string{"draining since Sat 05:55, interrupted: event SpotInterrupted. Windows"}, "no budget is asked"},
		{"plan", "interrupted-draining", []string{"1 node is interrupted by the cloud, whatever budgets say: node-a (event SpotInterrupted)."}, ""},
		{"plan", "in-flight-window", []string{"1 node to go"}, "interrupted"},
		{"why node-a", "unlimited-now", []string{"No budget is active now: budgets[0] is, from Sun 03:00 (in 21h00m) on."}, ""},
		{"decide", "unlimited-now", []string{"web 1 unlimited 0 unlimited Sun 03:00 (in 21h00m) No budget is active now: budgets[0] is, from Sun 03:00 (in 21h00m) on."}, ""},
		{"status", "interrupted", []string{"web: 1 node is interrupted by the cloud, whatever budgets say: node-a (taint aws-node-termination-handler/spot-itn)"}, ""},
		{"why node-a", "not-ready", []string{"→ Repair node-a, or raise the budget."}, "Wait for"},
		{"why node-b", "not-ready", []string{"→ Repair node-a, or raise the budget."}, "Wait for"},
		// Of several pools and nodes.
		{"plan", "expire-in-two-pools", []string{"5 nodes expire by Mon 30 Nov 08:03, whatever budgets say: batch-1 Sat 28 Nov 07:30, web-1 Sat 28 Nov 10:00, 3 at once Mon 30 Nov 08:03; " +
			"1 of them while budgets[0] of batch is 0, 3 while budgets[1] of web is 0."}, ""},
		{"decide", "expire-in-two-pools", []string{"1 of them while budgets[0] of batch is 0, 3 while budgets[1] of web is 0."}, ""},
		{"status", "expire-in-two-pools", []string{"3 of them while budgets[1] is 0"}, " of web"},
		{"forecast -v", "expire-in-two-pools", []string{"2d6h ← now, 1 expires 1 budgets[0]: 10% Mon 30 Nov 06:00 Mon 30 Nov 18:00 12h ← 3 expire 0 budgets[1]: 0 (0 6 * * mon for 12h, UTC) Mon 30 Nov 18:00"}, ""},
		{"why web-1", "several-hold", []string{"Its pod default/slow may take until Sat 08:00 (in 2h00m) to end, longer than its grace period, which ends Sat 06:30.",
			"Gone Sat 28 Nov 06:30", "default/db-1 has PDB default/db, which allows no disruption now, and so for default/db-2, pod default/job is"}, "Its drain lasts until"},
		{"why web-2", "several-hold", []string{"→ Wait for web-1, or raise the budget."}, "Repair"},
		{"plan", "several-hold", []string{"Sat 06:30 on web-1", "and so for default/db-2", "Sat 07:32 on web-2", "and so for default/db-4"}, ""},
		{"why w3", "two-pools", []string{"→ Repair w1, wait for w2, or raise the budget."}, ""},
		{"decide", "two-pools", []string{"open: No budget is active now: budgets[0] is, from Sun 03:00 (in 21h00m) on.",
			"Allowed, although protected pods are then killed: o1 (such as default/db-0, 1h after its drain begins)."}, ""},
		{"blockers", "stuck-drain", []string{"1 of 2 nodes with a reason to be disrupted, or in flight, is held by pods", "HELD BY"}, "killed"},
		{"blockers", "stuck-drain-tgp", []string{"0 of 1 node", "1 more is held for consolidation at most: for drift, pods only hold up the drain, up to",
			"SINCE DRAIN HELD, OR HELD UP, BY 1 1 Sat 05:00 up to 1h50m, then killed PDB default/db"}, "is held by"},
		{"blockers", "two-pools", []string{"up to 1h, then killed PDB default/db"}, ""},
		{"status", "two-pools", []string{"open: 1 node is interrupted by the cloud, whatever budgets say: o6"}, "web: 1 node is interrupted"},
	} {
		says(t, test.args, test.file, saturday, test.says, test.not)
	}
}

// says checks what a command says of a file at a time, and something that it does not say.
func says(t *testing.T, command, file, now string, want []string, not string) {
	t.Helper()
	args := append(strings.Fields(command), "--engine", "karpenter", "--now", now, "-f", filepath.Join("testdata", "nodes", file+".json"))
	got := strings.Join(strings.Fields(ran(t, args...).stdout), " ")
	for _, says := range want {
		if !strings.Contains(got, says) {
			t.Errorf("%s of %s does not say %q:\n%.3000s", command, file, says, got)
		}
	}
	if not != "" && strings.Contains(got, not) {
		t.Errorf("%s of %s says %q:\n%.3000s", command, file, not, got)
	}
}

// Ends of grace periods, expiries and deletion times that are over are said as they are, whatever time it is now.
func TestATimeThatIsOverIsSaidToBeOver(t *testing.T) {
	for _, test := range []struct{ args, file, at, says, not string }{
		{"why node-a", "stuck-drain-tgp", "07:49", "Gone Sat 28 Nov 07:50, when its grace period ends", "ended"},
		{"why node-a", "stuck-drain-tgp", "07:50", "Its grace period ended Sat 07:50, and it is still there.", "Expected to be gone"},
		{"why node-a", "stuck-drain-tgp", "09:00", "Its grace period ended Sat 07:50 (1h10m ago), and it is still there. → Look at its conditions, finalizers and events: kubectl describe nodeclaim web-node-a", "Expected to be gone"},
		{"plan", "stuck-drain-tgp", "09:00", "Still there, so when they are gone is a guess: node-a, web: its grace period ended Sat 07:50 (1h10m ago), and it is still there", "Killed"},
		{"status", "stuck-drain-tgp", "09:00", "node-a: its grace period ended Sat 07:50 (1h10m ago), and it is still there", "takes longer"},
		{"why node-a", "expires-soon", "12:30", "Has expired Sat 10:00 (2h30m ago): no budget is asked. If it drifted", "Until then"},
		{"plan", "expires-soon", "12:30", "1 node has expired, whatever budgets say: node-a Sat 28 Nov 10:00 (2h30m ago), while budgets[0] is 0", "at Sat 28 Nov 12:30,"},
		{"plan", "expires-soon", "12:30", "Sat 28 Nov 10:00 (2h30m ago) node-a web budgets[0] Sat 28 Nov 12:33", ""},
		{"status", "expires-soon", "12:30", "1 node has expired, whatever budgets say: node-a Sat 10:00 (2h30m ago), while budgets[0] is 0", "node-a Sat 12:30"},
		{"decide", "expires-soon", "12:30", "1 node has expired, whatever budgets say: node-a Sat 10:00 (2h30m ago), while budgets[0] is 0", "node-a Sat 12:30"},
		{"decide", "expires-soon", "13:30", "node-a Sat 10:00 (3h30m ago)", ""},
		{"why node-a", "terminating-pod", "11:49", "Its drain lasts until Sat 11:50 (in 1m) or longer: pod default/j-1 terminates until then.", "still there"},
		{"why node-a", "terminating-pod", "12:30", "Its pod default/j-1 was to be gone by Sat 11:50 (40m ago), and it is still there.", "until then"},
	} {
		says(t, test.args, test.file, "2026-11-28T"+test.at+":00Z", []string{test.says}, test.not)
	}
}

// What is advised is true of the node, its NodePool and the nodes that it waits for.
func TestAdviceIsTrueOfTheNode(t *testing.T) {
	for _, test := range []struct{ node, file, says, not string }{
		{"node-a", "nodepool-tgp-only", "so drift waits for as long; that of the NodePool, 1h, is for new nodes.", "Only a change"},
		{"node-a", "two-causes", "so drift waits for as long.", "that of the NodePool"},
		{"node-a", "two-causes", "A change of configuration lifts it, or the end of the pod.", "Only a change"},
		{"node-b", "stuck-drain", "→ node-a does not leave by itself: kubectl disruption why node-a says what to do. Or raise the budget.", "Wait for these nodes"},
		{"node-a", "stuck-drain", "Not gone until this changes: its drain never ends: pod default/db-0 has PDB default/db, which allows no disruption now. → Let the PodDisruptionBudget allow a disruption", "drift waits"},
	} {
		says(t, "why "+test.node, test.file, saturday, []string{test.says}, test.not)
	}
}

// answers are what commands say of one cluster.
type answers struct {
	decide struct {
		Expiring  []expiry
		Decisions []struct {
			Reason  string
			Allowed []struct{ Node string }
			Pools   []struct{ Disrupting int }
		}
	}
	plan struct {
		Plan struct {
			Finish          *time.Time
			Range           *struct{ Pools []struct{ Middle *time.Time } }
			Nodes, Expiring []struct {
				Name, Outcome string
				InFlight      bool
				Start, Gone   *time.Time
				Expires       *time.Time
			}
		}
	}
	status struct {
		NodePools []struct {
			State    string
			Expiring []expiry
			Stuck    []struct{ Nodes []string }
			Next     *struct{} `json:"nextStart"`
			Finish   *struct{ Middle *time.Time }
		}
	}
}

// samples returns what metrics have to say, by what decide says.
func (a answers) samples() []string {
	all := []string{fmt.Sprintf(`disruptkit_nodepool_nodes_expiring{nodepool="web",within="7d"} %d`, len(a.decide.Expiring))}
	if len(a.decide.Expiring) > 0 {
		left := max(a.decide.Expiring[0].At.Sub(begins), 0)
		all = append(all, fmt.Sprintf(`disruptkit_nodepool_next_expiry_seconds{nodepool="web"} %v`, left.Seconds()))
	}
	for _, d := range a.decide.Decisions {
		all = append(all, fmt.Sprintf(`karpenter_nodepools_nodes_consuming_budgets{nodepool="web",reason="%s"} %d`,
			strings.ToLower(d.Reason), d.Pools[0].Disrupting))
	}
	return all
}

type expiry struct {
	Node string
	At   time.Time
}

// Commands agree on one cluster at one time:
//   - decide and status name the same nodes that expire within a week, and plan has each of them at that time, unless it
//     starts before; why says the same time;
//   - metrics count the nodes that decide names as expiring, and the seconds until the first of them, and the nodes that
//     decide counts as in use;
//   - a drain that never ends in plan is stuck in status, and why never expects the node to be gone;
//   - a pool that status says is stuck has no next start, and no node of it is gone in plan;
//   - why and plan expect the same start of a node that is blocked, if it does not depend on chance;
//   - status and plan expect the pool to be done at the same time, in half of all runs, with what is measured in its roll;
//   - a node that decide allows is not one that plan never starts;
//   - a pool that status says is done has nothing that decide counts as in use.
func TestCommandsAgreeOnWhatBecomesOfNodes(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		file := filepath.Join(dir, "cluster.json")
		names := write(t, file)
		var a answers
		ask := func(into any, args ...string) {
			var stdout, stderr strings.Builder
			run(t.Context(), append(args, "--engine", "karpenter", "--now", saturday, "-f", file, "-o", "json"), strings.NewReader(""), &stdout, &stderr)
			if err := json.Unmarshal([]byte(stdout.String()), into); err != nil {
				t.Fatalf("%v: %s %s", err, stdout.String(), stderr.String())
			}
		}
		ask(&a.decide, "decide")
		ask(&a.plan, "plan", "--try=false", "--reason", "Drifted")
		ask(&a.status, "status")
		var metrics, stderr strings.Builder
		run(t.Context(), []string{"metrics", "--engine", "karpenter", "--now", saturday, "-f", file}, strings.NewReader(""), &metrics, &stderr)
		for _, sample := range a.samples() {
			if !strings.Contains(metrics.String(), "\n"+sample+"\n") {
				t.Errorf("metrics do not say %s, as decide does: %s %s", sample, metrics.String(), stderr.String())
			}
		}
		if got, want := fmt.Sprint(a.status.NodePools[0].Expiring), fmt.Sprint(a.decide.Expiring); got != want {
			t.Errorf("status: %s expire, decide: %s", got, want)
		}
		finish, sure := a.plan.Plan.Finish, a.plan.Plan.Range == nil
		if !sure {
			finish = a.plan.Plan.Range.Pools[0].Middle
		}
		if of := a.status.NodePools[0].Finish; of != nil && finish != nil && !of.Middle.Equal(*finish) {
			t.Errorf("the roll is done at %v in status, and at %v in plan", of.Middle, finish)
		}
		never := map[string]bool{}
		for _, s := range a.status.NodePools[0].Stuck {
			for _, name := range s.Nodes {
				never[name] = true
			}
		}
		if p := a.status.NodePools[0]; p.State == "stuck" && p.Next != nil {
			t.Error("status: stuck, and has a next start")
		}
		for _, e := range a.decide.Expiring {
			found := false
			for _, n := range slices.Concat(a.plan.Plan.Nodes, a.plan.Plan.Expiring) {
				found = found || n.Name == e.Node && n.Start != nil && !n.Start.After(e.At)
			}
			if !found {
				t.Errorf("%s expires at %s, and plan does not start it by then: %+v", e.Node, e.At, a.plan.Plan)
			}
		}
		for _, name := range names {
			var why struct {
				Expires  *time.Time
				Expected *struct {
					Outcome string
					Start   *time.Time
				}
				Reasons []struct{ Allowed bool }
			}
			ask(&why, "why", name)
			if i := slices.IndexFunc(a.decide.Expiring, func(e expiry) bool { return e.Node == name }); i >= 0 && (why.Expires == nil || !why.Expires.Equal(a.decide.Expiring[i].At)) {
				t.Errorf("%s expires at %v, why: %v", name, a.decide.Expiring[i].At, why.Expires)
			}
			for _, n := range a.plan.Plan.Nodes {
				switch {
				case n.Name != name:
				case n.InFlight && n.Outcome == "never" && !never[name]:
					t.Errorf("%s is never gone in plan, and not stuck in status", name)
				case n.InFlight && n.Outcome == "never" && (why.Expected == nil || why.Expected.Outcome != "never"):
					t.Errorf("%s is never gone in plan, why: %+v", name, why.Expected)
				case sure && !n.InFlight && why.Expected != nil && fmt.Sprint(why.Expected.Start) != fmt.Sprint(n.Start) && (n.Start == nil || why.Expected.Start == nil || !n.Start.Equal(*why.Expected.Start)):
					t.Errorf("%s: plan starts it at %v, why expects %v", name, n.Start, why.Expected.Start)
				}
			}
		}
		for _, d := range a.decide.Decisions {
			if a.status.NodePools[0].State == "done" && d.Pools[0].Disrupting > 0 {
				t.Error("status: done, and a node is in use")
			}
			for _, c := range d.Allowed {
				for _, n := range a.plan.Plan.Nodes {
					if n.Name == c.Node && n.Outcome == "never" && n.Start == nil {
						t.Errorf("%s may be disrupted now, and never starts in plan", c.Node)
					}
				}
			}
		}
	})
}

// write writes a random cluster of one NodePool, and returns the names of its nodes.
func write(t *rapid.T, file string) (names []string) {
	now, _ := time.Parse(time.RFC3339, saturday)
	one := func(name string, of ...string) string { return rapid.SampledFrom(of).Draw(t, name) }
	at := func(d time.Duration) string { return now.Add(d).Format(time.RFC3339) }
	items := []string{fmt.Sprintf(`{"apiVersion": "karpenter.sh/v1", "kind": "NodePool", "metadata": {"name": "web"}, "spec": {"disruption": {"budgets": [%s]}}}`,
		one("budget", `{"nodes": "0"}`, `{"nodes": "1"}`, `{"nodes": "50%"}`, `{"nodes": "2"}, {"nodes": "0", "schedule": "0 0 * * *", "duration": "8h"}`))}
	allowed := one("PDB", "0", "1")
	items = append(items, fmt.Sprintf(`{"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": {"name": "db", "namespace": "default"},
		"spec": {"selector": {"matchLabels": {"app": "db"}}}, "status": {"disruptionsAllowed": %s, "expectedPods": 2, "desiredHealthy": %s}}`,
		allowed, map[string]string{"0": one("desired", "1", "2"), "1": "1"}[allowed]))
	for i := range rapid.IntRange(1, 5).Draw(t, "nodes") {
		name := fmt.Sprint("node-", i)
		names = append(names, name)
		claim, spec := "", `"nodeClassRef": {}`
		life := one("life", "stays", "drains", "drains and is old", "is old")
		if strings.HasPrefix(life, "drains") {
			claim = `, "deletionTimestamp": "` + at(-time.Duration(rapid.IntRange(1, 200).Draw(t, "minutes"))*time.Minute) + `"`
		}
		if strings.HasSuffix(life, "old") {
			spec += fmt.Sprintf(`, "expireAfter": "%dh"`, rapid.IntRange(2, 300).Draw(t, "hours"))
		}
		if grace := one("grace", "", "", "1h", "5h"); grace != "" {
			spec += `, "terminationGracePeriod": "` + grace + `"`
		}
		drifted := one("drifted", "True", "False")
		items = append(items, fmt.Sprintf(`{"apiVersion": "karpenter.sh/v1", "kind": "NodeClaim", "metadata": {"name": "web-%s", "labels": {"karpenter.sh/nodepool": "web"},
			"creationTimestamp": "2026-11-28T04:00:00Z"%s}, "spec": {%s}, "status": {"nodeName": "%s", "providerID": "p-%s", "conditions": [
			{"type": "Initialized", "status": "True", "lastTransitionTime": "2026-11-28T04:10:00Z"}, {"type": "Drifted", "status": "%s", "lastTransitionTime": "2026-11-28T05:00:00Z"}]}}`,
			name, claim, spec, name, name, drifted))
		items = append(items, fmt.Sprintf(`{"apiVersion": "v1", "kind": "Node", "metadata": {"name": "%s", "labels": {"karpenter.sh/nodepool": "web", "karpenter.sh/registered": "true",
			"karpenter.sh/initialized": "true"}}, "spec": {"providerID": "p-%s"}, "status": {"conditions": [{"type": "Ready", "status": "%s", "lastTransitionTime": "2026-11-28T04:10:00Z"}]}}`,
			name, name, one("ready", "True", "True", "True", "False")))
		meta := map[string]string{"plain": "", "protected": `, "annotations": {"karpenter.sh/do-not-disrupt": "true"}`, "terminates": `, "deletionTimestamp": "` + at(3*time.Hour) + `"`}
		items = append(items, fmt.Sprintf(`{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "pod-%d", "namespace": "default", "labels": {"app": "%s"}%s},
			"spec": {"nodeName": "%s"}, "status": {"phase": "Running", "startTime": "2026-11-28T04:20:00Z", "conditions": [{"type": "Ready", "status": "True"}]}}`,
			i, one("app", "db", "other"), meta[one("pod", "plain", "plain", "protected", "terminates")], name))
	}
	text := `{"apiVersion": "v1", "kind": "List", "items": [` + strings.Join(items, ",\n") + `]}`
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return names
}
