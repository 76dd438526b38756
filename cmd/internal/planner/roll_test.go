package planner

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/disruptkit/disruptkit/cmd/manifest"
	"github.com/disruptkit/disruptkit/plan"
)

// A roll is what happens to nodes of one pool that drift, with a budget of some nodes, as Karpenter allows them: a replacement is
// launched, is Ready, and its node drains.
type roll struct {
	began time.Time
	nodes []rolled
	end   time.Time
}

type rolled struct{ disrupted, deleted, gone time.Time }

// newRoll draws how long each launch and drain takes: half of the drains up to 4 minutes, one in ten more than 11.
func newRoll(seed uint64, nodes, budget int) (r roll) {
	random := rand.New(rand.NewPCG(seed, 31))
	r.began = time.Date(2026, 11, 23, 10, 0, 0, 0, time.UTC)
	free := make([]time.Time, budget)
	for i := range nodes {
		first := 0
		for j := range free {
			if free[j].Before(free[first]) {
				first = j
			}
		}
		n := rolled{disrupted: r.began.Add(time.Duration(i) * time.Second)}
		if i >= budget {
			n.disrupted = free[first].Truncate(10 * time.Second).Add(10 * time.Second)
		}
		n.deleted = n.disrupted.Add(time.Duration(70+random.IntN(40)) * time.Second)
		n.gone = n.deleted.Add((4 * time.Minute * time.Duration(1000*math.Exp(0.8*random.NormFloat64())) / 1000).Round(time.Second))
		free[first] = n.gone
		r.nodes = append(r.nodes, n)
		if n.gone.After(r.end) {
			r.end = n.gone
		}
	}
	return r
}

func (r roll) at(part float64) time.Time {
	return r.began.Add(time.Duration(part * float64(r.end.Sub(r.began)))).Truncate(time.Second)
}

// passed returns a time if it has come, and otherwise zero.
func passed(at, now time.Time) time.Time {
	if at.After(now) {
		return time.Time{}
	}
	return at
}

// milestones are those of the NodeClaims at a time.
func (r roll) milestones(now time.Time) (all []manifest.Milestones) {
	for i, n := range r.nodes {
		if now.Before(n.gone) {
			all = append(all, manifest.Milestones{
				Claim: fmt.Sprintf("web-%d", i), Node: fmt.Sprintf("node-%d", i), Pool: "web", Created: r.began.Add(-time.Hour), Initialized: r.began.Add(-time.Hour),
				Disrupted: passed(n.disrupted, now), Deleted: passed(n.deleted, now),
			})
		}
		if !now.Before(n.disrupted) {
			m := manifest.Milestones{Claim: fmt.Sprintf("web-%d-new", i), Node: fmt.Sprintf("web-%d-new", i), Pool: "web", Created: n.disrupted}
			if m.Initialized = passed(n.deleted, now); !m.Initialized.IsZero() {
				m.Node = fmt.Sprintf("node-%d-new", i)
			}
			all = append(all, m)
		}
	}
	return all
}

// objects are what kubectl prints at a time.
func (r roll) objects(now time.Time, budget int) string {
	var s strings.Builder
	fmt.Fprintf(&s, `{"kind": "List", "apiVersion": "v1", "items": [
{"apiVersion": "karpenter.sh/v1", "kind": "NodePool", "metadata": {"name": "web"}, "spec": {"disruption": {"consolidateAfter": "Never", "consolidationPolicy": "WhenEmpty", "budgets": [{"nodes": "%d"}]}}},
{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "other", "namespace": "shop"}, "spec": {}, "status": {"phase": "Pending"}},
{"apiVersion": "policy/v1", "kind": "PodDisruptionBudgetList", "items": []}`, budget)
	for _, m := range r.milestones(now) {
		drifted := "True"
		if strings.HasSuffix(m.Claim, "-new") {
			drifted = "False"
		}
		condition := func(kind, reason string, since time.Time) string {
			if since.IsZero() {
				return ""
			}
			return fmt.Sprintf(`, {"type": %q, "status": "True", "reason": %q, "lastTransitionTime": %q}`, kind, reason, since.Format(time.RFC3339))
		}
		deleted, taints := "", ""
		if !m.Deleted.IsZero() {
			deleted = fmt.Sprintf(`, "deletionTimestamp": %q`, m.Deleted.Format(time.RFC3339))
		}
		if !m.Disrupted.IsZero() {
			taints = `{"key": "karpenter.sh/disrupted", "effect": "NoSchedule"}`
		}
		fmt.Fprintf(&s, `,
{"apiVersion": "karpenter.sh/v1", "kind": "NodeClaim", "metadata": {"name": %q, "labels": {"karpenter.sh/nodepool": "web"}, "creationTimestamp": %q%s},
"status": {"providerID": %q, "conditions": [{"type": "Drifted", "status": %q, "reason": "Drifted", "lastTransitionTime": %q}%s%s]}}`,
			m.Claim, m.Created.Format(time.RFC3339), deleted, m.Claim, drifted, r.began.Format(time.RFC3339),
			condition("Initialized", "Initialized", m.Initialized), condition("DisruptionReason", "Drifted", m.Disrupted))
		if !m.Initialized.IsZero() {
			fmt.Fprintf(&s, `,
{"apiVersion": "v1", "kind": "Node", "metadata": {"name": %q, "labels": {"karpenter.sh/nodepool": "web", "karpenter.sh/registered": "true", "karpenter.sh/initialized": "true"}},
"spec": {"providerID": %q, "taints": [%s]}, "status": {"conditions": [{"type": "Ready", "status": "True"}]}},
{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": %q, "namespace": "shop", "ownerReferences": [{"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "shop", "uid": "1", "controller": true}]},
"spec": {"nodeName": %q}, "status": {"phase": "Running"}}`, m.Node, m.Claim, taints, "on-"+m.Node, m.Node) // Karpenter replaces no drifted node without pods
		}
	}
	return s.String() + "]}"
}

// foreseen follows a roll with a snapshot each 30 seconds, and returns when it is expected to be done at some parts of it.
func (r roll) foreseen(t *testing.T, budget int, parts []float64, args ...string) (all []plan.Spread) {
	t.Helper()
	o, err := parseOptions(append([]string{"-f", "x", "--runs", "50", "--engine", "karpenter"}, args...))
	if err != nil {
		t.Fatal(err)
	}
	var m *measured
	now := r.began
	for _, part := range parts {
		for ; now.Before(r.at(part)); now = now.Add(30 * time.Second) {
			m.see(r.milestones(now), now)
		}
		cluster, err := manifest.Policy{}.Read(strings.NewReader(r.objects(r.at(part), budget)))
		if err != nil {
			t.Fatal(err)
		}
		o.At = r.at(part)
		in := o.input(cluster)
		if m == nil {
			m = newMeasured(in.Nodes, in.Now)
		}
		foreseen := o.sample(snapshot{cluster, in, o.planOptions(cluster)}, m)
		if warnings := cluster.Warnings(); len(warnings) > 0 {
			t.Fatal(warnings)
		}
		all = append(all, foreseen.Finish)
	}
	return all
}

// What the drains of a roll show narrows when it is expected to be done, whatever the default is: of 8 rolls, the range of 8 in 10
// runs has the end of about as many at each quarter, and becomes narrower.
func TestTheRangeNarrowsWhileARollGoesOn(t *testing.T) {
	const rolls, nodes, budget = 8, 45, 3
	parts := []float64{0, 0.25, 0.5, 0.75}
	within, width := make([]int, len(parts)), make([]time.Duration, len(parts))
	narrower := 0
	for seed := range uint64(rolls) {
		r := newRoll(seed, nodes, budget)
		all := r.foreseen(t, budget, parts)
		for i, s := range all {
			if !r.end.Before(s.Early.Add(-time.Minute)) && !r.end.After(s.Late.Add(time.Minute)) {
				within[i]++
			}
			width[i] += s.Late.Sub(s.Early) / rolls
		}
		if all[3].Late.Sub(all[3].Early) < all[1].Late.Sub(all[1].Early) {
			narrower++
		}
	}
	t.Logf("within at each quarter %v, width %v, narrower %d", within, width, narrower)
	for i := 1; i < len(parts); i++ {
		if within[i] < rolls*7/10 {
			t.Errorf("at %.0f %%, the end of %d of %d rolls is within", 100*parts[i], within[i], rolls)
		}
		if i > 1 && width[i] >= width[i-1] {
			t.Errorf("at %.0f %%, the range is %s wide, and was %s", 100*parts[i], width[i], width[i-1])
		}
	}
	if narrower < rolls*2/3 {
		t.Errorf("the range of %d of %d rolls is narrower in the end", narrower, rolls)
	}
	if within[0] > rolls/4 {
		t.Errorf("the default foresees the end of %d of %d rolls: nothing is learned", within[0], rolls)
	}
}
