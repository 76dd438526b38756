package candidate_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/candidate/drain"
	"github.com/disruptkit/disruptkit/candidate/kube"
	"github.com/disruptkit/disruptkit/internal/testkit/fixture"
	"github.com/disruptkit/disruptkit/schedule"
)

// readTerms returns the terms of annotations, and warnings about them.
func readTerms(annotations map[string]string) (candidate.Terms, []candidate.Warning) {
	var parser kube.Parser
	return parser.Terms("shop", "web-0", annotations)
}

// closedNow are the terms of a pod that may go from 02:00 to 06:00, and openNow of one that may from 11:00 to 14:00.
func closedNow() candidate.Terms {
	return candidate.Terms{Window: schedule.MustParse("0 2 * * *", 4*time.Hour, "")}
}

func openNow() candidate.Terms {
	return candidate.Terms{Window: schedule.MustParse("0 11 * * *", 3*time.Hour, "")}
}

func TestThePodGate(t *testing.T) {
	const (
		forGood = `pod/do-not-disrupt: pod shop/web-0 is annotated karpenter.sh/do-not-disrupt: "true", for good`
		shut    = "pod/outside-schedule: pod shop/web-0 may be disrupted only when its disruption schedule allows it: 0 2 * * * for 4h, UTC"
		outside = shut + " (until 2026-11-21T02:00:00Z)"
		nightly = "pod/outside-schedule: pod shop/web-0 may be disrupted only when PodDisruptionSchedule nightly allows it: 0 1 * * * for 1h, UTC (until 2026-11-21T01:00:00Z)"
		none    = "pod/allows-none: pod shop/web-0 has PDB shop/web, which allows no disruption now"
		two     = "pod/several-pdbs: pod shop/web-0 has 2 PDBs, and eviction refuses pods with more than one: shop/web, shop/web-too, for good"
		invalid = "pod/invalid-annotation: pod shop/web-0 has invalid annotations, which by policy block it"
	)
	// Everything that can block a pod does, if it counts.
	busy := func(p *candidate.Pod) { p.Terms = closedNow(); p.Terms.Protect = candidate.Forever }
	twoPDBs := []candidate.PDB{webPDB(0), {Namespace: "shop", Name: "web-too", Selector: selectsWeb(), DisruptionsAllowed: 1}}
	oneSchedule := []candidate.PodSchedule{{Name: "nightly", Selector: selectsWeb(), Schedule: "0 1 * * *"}}
	type pod = candidate.Pod
	type node = candidate.Node
	for _, c := range []struct {
		name       string
		pod        func(*pod)
		node       func(*node)
		reason     candidate.Reason // Underutilized if it is ""
		bounded    bool
		pdbs       []candidate.PDB
		schedules  []candidate.PodSchedule
		failClosed bool
		want       []string
		until      string // when what is open now closes
	}{
		{name: "a pod without terms blocks nothing"},
		{name: "a node without pods passes", node: func(n *node) { n.Pods = nil }, pdbs: twoPDBs, schedules: oneSchedule, failClosed: true},

		// Which pods count for what.
		{name: "no reason hides another", pod: busy, pdbs: twoPDBs, schedules: oneSchedule,
			want: []string{two, none, forGood, nightly, shut}},
		{name: "Only terminal and terminating pods never block (Karpenter: !IsActive(pod) || …)",
			pod:  func(p *pod) { busy(p); p.Inactive = true; p.Terms.Invalid = true },
			pdbs: twoPDBs, schedules: oneSchedule, failClosed: true},
		{name: "Static pods and pods that tolerate the disruption taint are exempt from PDBs, not from do-not-disrupt, nor from schedules",
			pod: func(p *pod) { busy(p); p.Unevictable = true }, pdbs: twoPDBs, schedules: oneSchedule, want: []string{forGood, nightly, shut}},
		{name: "This means that we will allow Mirror Pods and DaemonSets to block disruption using this annotation (Karpenter, ValidatePodsDisruptable)",
			pod: func(p *pod) { p.Unevictable, p.Terms.Protect = true, candidate.Forever }, want: []string{forGood}},
		{name: "pods that are not Ready are protected like any other",
			pod: func(p *pod) { busy(p); p.Unready = true }, want: []string{forGood, shut}},

		// do-not-disrupt.
		{name: `do-not-disrupt: "true" blocks for good`, pod: func(p *pod) { p.Terms.Protect = candidate.Forever }, want: []string{forGood}},
		{name: "also a pod that has not started", pod: func(p *pod) { p.Terms.Protect, p.Started = candidate.Forever, time.Time{} }, want: []string{forGood}},
		{name: "a positive Go duration blocks until start time + duration",
			pod:  func(p *pod) { p.Terms.Protect, p.Started = 4*time.Hour, fixture.Noon.Add(-time.Hour) },
			want: []string{"pod/do-not-disrupt: pod shop/web-0 must not be disrupted for 4h after its start (do-not-disrupt) (until 2026-11-20T15:00:00Z)"}},
		{name: "for its last nanosecond",
			pod:  func(p *pod) { p.Terms.Protect, p.Started = time.Hour, fixture.Noon.Add(-time.Hour+1) },
			want: []string{"pod/do-not-disrupt: pod shop/web-0 must not be disrupted for 1h after its start (do-not-disrupt) (until 2026-11-20T12:00:00Z)"}},
		{name: "and then no longer (isActive := podAge < duration)",
			pod: func(p *pod) { p.Terms.Protect, p.Started = time.Hour, fixture.Noon.Add(-time.Hour) }},
		{name: "no start time: If we can't determine start time, fail safe",
			pod:  func(p *pod) { p.Terms.Protect, p.Started = time.Minute, time.Time{} },
			want: []string{"pod/do-not-disrupt: pod shop/web-0 must not be disrupted for 1m after its start (do-not-disrupt), and has not started"}},
		{name: "a start in the future is protected from then on, and until then",
			pod:  func(p *pod) { p.Terms.Protect, p.Started = 30*time.Minute, fixture.Noon.Add(time.Hour) },
			want: []string{"pod/do-not-disrupt: pod shop/web-0 must not be disrupted for 30m after its start (do-not-disrupt) (until 2026-11-20T13:30:00Z)"}},
		{name: "even a nanosecond is a duration",
			pod:  func(p *pod) { p.Terms.Protect, p.Started = 1, time.Time{} },
			want: []string{"pod/do-not-disrupt: pod shop/web-0 must not be disrupted for 1ns after its start (do-not-disrupt), and has not started"}},
		{name: "terms that protect for a negative time block: it is unclear what was meant", pod: func(p *pod) { p.Terms.Protect, p.Started = -time.Hour, time.Time{} },
			want: []string{"pod/negative: pod shop/web-0: Terms.Protect -1h0m0s is negative: write 0 for none"}},
		{name: `karpenter.sh/do-not-disrupt: "true" takes precedence over any schedule (RFC, "do-not-disrupt Annotation")`,
			pod: func(p *pod) { p.Terms = openNow(); p.Terms.Protect = candidate.Forever }, want: []string{forGood}, until: "2026-11-20T14:00:00Z"},
		{name: "If both are set, do-not-disrupt wins (pod is never disrupted), and both are reported, without a time", pod: busy, want: []string{forGood, shut}},

		// Schedules.
		{name: "inside its window a pod is free until that closes", pod: func(p *pod) { p.Terms = openNow() }, until: "2026-11-20T14:00:00Z"},
		{name: "outside its window it may not until that opens", pod: func(p *pod) { p.Terms = closedNow() }, want: []string{outside}},
		{name: "of windows that are open the first that closes counts", pod: func(p *pod) { p.Terms = openNow() }, until: "2026-11-20T13:00:00Z",
			schedules: []candidate.PodSchedule{
				{Name: "late", Selector: &candidate.Selector{}, Schedule: "0 12 * * *", Duration: "9h"},
				{Name: "fixture.Noon", Selector: &candidate.Selector{}, Schedule: "0 12 * * *"}}},
		{name: "a window that never closes ends nothing", pod: func(p *pod) { p.Terms.Window = schedule.MustParse("@hourly", time.Hour, "") }},
		{name: "one that never opens has no time at which it does", pod: func(p *pod) { p.Terms.Window = schedule.Union() },
			want: []string{"pod/outside-schedule: pod shop/web-0 may be disrupted only when its disruption schedule allows it: never"}},

		// Invalid annotations.
		{name: "invalid annotations are ignored (fail-open)", pod: func(p *pod) { p.Terms.Invalid = true }},
		{name: "A policy switch makes them block", pod: func(p *pod) { p.Terms.Invalid = true }, failClosed: true, want: []string{invalid}},
		{name: "and next to what is valid", pod: func(p *pod) { busy(p); p.Terms.Invalid = true }, failClosed: true, want: []string{invalid, forGood, shut}},
		{name: "it concerns no pods with valid ones", pod: func(p *pod) { p.Terms = openNow() }, failClosed: true, until: "2026-11-20T14:00:00Z"},

		// PDBs. (RFC, "PodDisruptionBudget Interaction")
		{name: "A pod must satisfy BOTH its disruption schedule AND any applicable PDBs to be disrupted: it does",
			pod: func(p *pod) { p.Terms = openNow() }, pdbs: []candidate.PDB{webPDB(1)}, until: "2026-11-20T14:00:00Z"},
		{name: "BOTH …: the schedule says no", pod: func(p *pod) { p.Terms = closedNow() }, pdbs: []candidate.PDB{webPDB(1)}, want: []string{outside}},
		{name: "If a pod has an active disruption window but the PDB blocks eviction, the pod is not disrupted",
			pod: func(p *pod) { p.Terms = openNow() }, pdbs: []candidate.PDB{webPDB(0)}, want: []string{none}, until: "2026-11-20T14:00:00Z"},
		{name: "This provides defense-in-depth: both block, and both are named",
			pod: func(p *pod) { p.Terms = closedNow() }, pdbs: []candidate.PDB{webPDB(0)}, want: []string{none, outside}},

		// Termination grace period.
		{name: "for eventual reasons (drift) a node with one set stays a candidate whatever its pods say, schedules included",
			pod: busy, pdbs: twoPDBs, schedules: oneSchedule, failClosed: true, reason: candidate.Drifted, node: func(n *node) { n.HasGracePeriod = true }},
		{name: "for children of drift as well", pod: busy, pdbs: twoPDBs, reason: "Drifted/AMIDrift", node: func(n *node) { n.HasGracePeriod = true }},
		{name: "and nothing that is open ends it", pod: func(p *pod) { p.Terms = openNow() }, reason: candidate.Drifted, node: func(n *node) { n.HasGracePeriod = true }},
		{name: "drift alone is not enough", pod: busy, reason: candidate.Drifted, want: []string{forGood, shut}},
		{name: "nor is a grace period: Empty is graceful", pod: busy, reason: candidate.Empty, node: func(n *node) { n.HasGracePeriod = true }, want: []string{forGood, shut}},
		{name: "Underutilized is graceful", pod: busy, reason: candidate.Underutilized, node: func(n *node) { n.HasGracePeriod = true }, want: []string{forGood, shut}},
		{name: "for repair as well: a broken node is not stranded", pod: busy, pdbs: twoPDBs, schedules: oneSchedule, failClosed: true, reason: candidate.Unhealthy,
			node: func(n *node) { n.HasGracePeriod = true }},
		{name: "for the repair of one condition as well", pod: busy, pdbs: twoPDBs, reason: "Unhealthy/Ready", node: func(n *node) { n.HasGracePeriod = true }},
		{name: "repair requires a termination grace period to bypass blocking pods (Karpenter, Repair.ShouldDisrupt)",
			pod: busy, reason: "Unhealthy/Ready", want: []string{forGood, shut}},
		{name: "or the bound of a policy", pod: busy, pdbs: twoPDBs, schedules: oneSchedule, failClosed: true, reason: "Unhealthy/Ready", bounded: true},
		{name: "a bound is for repair", pod: busy, reason: candidate.Drifted, bounded: true, want: []string{forGood, shut}},
		{name: "a reason that nobody knows is graceful", pod: busy, reason: "Drift", node: func(n *node) { n.HasGracePeriod = true }, want: []string{forGood, shut}},

		// Deadline. (RFC, "TerminationGracePeriod Interaction")
		{name: "the deadline ends what would hold for good or longer, and leaves what ends earlier",
			pod: busy, pdbs: twoPDBs, schedules: oneSchedule, node: func(n *node) { n.Deadline = fixture.When(t, "2026-11-21T01:30:00Z") },
			want: []string{
				strings.Replace(two, ", for good", " (until 2026-11-21T01:30:00Z)", 1), none + " (until 2026-11-21T01:30:00Z)",
				strings.Replace(forGood, ", for good", " (until 2026-11-21T01:30:00Z)", 1), nightly, strings.Replace(outside, "02:00", "01:30", 1)}},
		{name: "up to its last nanosecond", pod: func(p *pod) { p.Terms = closedNow() }, node: func(n *node) { n.Deadline = fixture.Noon.Add(1) },
			want: []string{strings.Replace(outside, "2026-11-21T02:00", "2026-11-20T12:00", 1)}},
		{name: "Pods are forcefully evicted regardless of their disruption schedule, at the deadline",
			pod: busy, pdbs: twoPDBs, schedules: oneSchedule, failClosed: true, node: func(n *node) { n.Deadline = fixture.Noon }},
		{name: "Node TGP reached -> Force eviction -> Ignore pod schedules, ever after",
			pod: func(p *pod) { p.Terms = closedNow() }, node: func(n *node) { n.Deadline = fixture.Noon.Add(-1000 * time.Hour) }},
		{name: "This maintains the cluster administrator's ability to enforce maximum node lifetimes",
			pod: busy, pdbs: twoPDBs, reason: candidate.Expired, node: func(n *node) { n.Deadline = fixture.Noon.Add(-1) }},
		{name: "The disruption schedule is a best-effort preference, not a guarantee: it closes before the deadline, or it does not matter",
			pod: func(p *pod) { p.Terms = openNow() }, node: func(n *node) { n.Deadline = fixture.When(t, "2026-11-20T14:00:01Z") }, until: "2026-11-20T14:00:00Z"},
		{name: "what closes at the deadline does not matter", pod: func(p *pod) { p.Terms = openNow() }, node: func(n *node) { n.Deadline = fixture.When(t, "2026-11-20T14:00:00Z") }},
		{name: "what closes behind it does not", pod: func(p *pod) { p.Terms = openNow() }, node: func(n *node) { n.Deadline = fixture.When(t, "2026-11-20T13:00:00Z") }},
	} {
		t.Run(c.name, func(t *testing.T) {
			rules, err := candidate.CompileRules(c.pdbs, c.schedules)
			if err != nil {
				t.Fatal(err)
			}
			rules.FailClosed = c.failClosed
			p := webPod()
			if c.pod != nil {
				c.pod(&p)
			}
			n := candidate.Node{Name: "a", Pods: []candidate.Pod{p}}
			if c.node != nil {
				c.node(&n)
			}
			if !n.Deadline.IsZero() {
				n.Leaving = candidate.Draining
			}
			if c.reason == "" {
				c.reason = candidate.Underutilized
			}
			condition := candidate.Condition{Reason: c.reason}
			if c.bounded {
				condition.Bound = new(time.Duration)
			}
			v := fixture.Open(rules, fixture.Noon).Judge(&n, condition)
			if diff := cmp.Diff(c.want, fixture.Said(v.Blockers)); diff != "" {
				t.Error(diff)
			}
			var until time.Time
			if c.until != "" {
				until = fixture.When(t, c.until)
			}
			if !v.Until.Equal(until) {
				t.Errorf("until %s, want %q", v.Until, c.until)
			}
			waived := !n.Deadline.IsZero() && !fixture.Noon.Before(n.Deadline) || n.HasGracePeriod && slices.Contains([]candidate.Reason{"Drifted", "Unhealthy"}, c.reason.Method()) ||
				c.bounded && c.reason.Method() == candidate.Unhealthy
			if v.Waived != waived {
				t.Errorf("waived is %t", v.Waived)
			}
			for _, b := range v.Blockers {
				if b.Gate != candidate.GatePod {
					t.Errorf("%s is of another gate", b)
				}
			}
		})
	}
}

// Only what is in flight has a deadline: on other nodes nobody waits for the end of one.
func TestADeadlineIsThatOfANodeInFlight(t *testing.T) {
	const outside = "pod/outside-schedule: pod shop/web-0 may be disrupted only when its disruption schedule allows it: 0 2 * * * for 4h, UTC (until 2026-11-21T02:00:00Z)"
	p := webPod()
	p.Terms = closedNow()
	for _, c := range []struct {
		name     string
		node     candidate.Node
		deadline time.Duration // from now on
		want     []string
	}{
		{"not in flight, passed", candidate.Node{}, -time.Hour, []string{outside}},
		{"not in flight, to come", candidate.Node{}, time.Hour, []string{outside}},
		{"marked for deletion, passed", candidate.Node{Leaving: candidate.Draining}, 0, nil},
		{"marked for deletion, to come", candidate.Node{Leaving: candidate.Draining}, time.Hour, []string{strings.Replace(outside, "2026-11-21T02", "2026-11-20T13", 1)}},
		{"instance terminating, passed", candidate.Node{Leaving: candidate.Terminating}, 0, nil},
		{"instance terminating, to come", candidate.Node{Leaving: candidate.Terminating}, time.Hour, []string{strings.Replace(outside, "2026-11-21T02", "2026-11-20T13", 1)}},
	} {
		c.node.Deadline, c.node.Pods = fixture.Noon.Add(c.deadline), []candidate.Pod{p}
		v := fixture.Open(candidate.Rules{}, fixture.Noon).Judge(&c.node, candidate.Condition{})
		if diff := cmp.Diff(c.want, fixture.Said(v.Blockers)); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
}

func TestADisruptionScheduleIsAbbreviated(t *testing.T) {
	terms, warnings := readTerms(map[string]string{kube.DisruptionScheduleAnnotation: strings.Repeat("0 2 * * *;", 50)})
	if warnings != nil {
		t.Error(warnings)
	}
	p := webPod()
	p.Terms = terms
	const start = "pod shop/web-0 may be disrupted only when its disruption schedule allows it: 0 2 * * * for 1h, UTC or 0 2 * * *"
	told := func(message string) {
		t.Helper()
		if !strings.HasPrefix(message, start) || !strings.HasSuffix(message, "…") || len(message) > 300 {
			t.Errorf("%d bytes say: %s", len(message), message)
		}
	}
	told(drain.Gate(candidate.Rules{}, candidate.Node{}, p, fixture.Noon)[0].Message)
	p.Terms.Window = schedule.MustParse("0 2 1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31 1,2,3,4,5,6,7,8,9,10,11,12 *", time.Hour, "")
	if got := drain.Gate(candidate.Rules{}, candidate.Node{}, p, fixture.Noon)[0].Message; strings.Contains(got, "…") {
		t.Errorf("what is short enough is cut: %s", got)
	}
}

// A verdict stays as it was, however many nodes are judged after it.
func TestVerdictsOfOneGateDoNotDisturbEachOther(t *testing.T) {
	rules, err := candidate.CompileRules([]candidate.PDB{webPDB(0)}, []candidate.PodSchedule{{Name: "nightly", Selector: selectsWeb(), Schedule: "0 1 * * *"}})
	if err != nil {
		t.Fatal(err)
	}
	gate := fixture.Open(rules, fixture.Noon)
	var verdicts []fixture.Verdict
	var wants []string
	for i := range 1500 { // more than fit into one array
		p := webPod()
		p.Name = fmt.Sprint("web-", i)
		p.Terms = []candidate.Terms{openNow(), closedNow(), {Protect: candidate.Forever}}[i%3]
		node := candidate.Node{Pods: []candidate.Pod{p, {Namespace: "ml", Name: "x"}}[i%2:]}
		verdicts = append(verdicts, gate.Judge(&node, candidate.Condition{}))
		wants = append(wants, strings.Join(fixture.Said(fixture.Open(rules, fixture.Noon).Judge(&node, candidate.Condition{}).Blockers), "\n"))
	}
	for i, v := range verdicts {
		if got := strings.Join(fixture.Said(v.Blockers), "\n"); got != wants[i] {
			t.Fatalf("of node %d\n%s\nis now\n%s", i, wants[i], got)
		}
		_ = append(v.Blockers, candidate.Blocker{}) // it is the caller's, up to its end
	}
}
