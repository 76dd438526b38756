package main

import (
	"cmp"
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

// Whatever plan says of a node's end agrees with a simulation of evictions that takes the starts of drifted nodes from
// the plan, and nothing else. With -rapid.checks=2000 it is tried with 2,000 clusters.
func TestEachNodeEndsWhenItsPodsAreEvicted(t *testing.T) {
	file := filepath.Join(t.TempDir(), "cluster.json")
	rapid.Check(t, func(t *rapid.T) {
		engine := rapid.SampledFrom([]string{"karpenter", "guard", "steward", "disruptkit"}).Draw(t, "engine")
		w := drawWorld(t, engine)
		if err := os.WriteFile(file, []byte(w.manifests()), 0o600); err != nil {
			t.Fatal(err)
		}
		args := []string{
			"plan", "--engine", engine, "--now", saturday, "-f", file, "-o", "json", "--runs", "1", "--try=false",
			"--reason", "Drifted", "--horizon", simulated.String(), "--drain", "3m", "--launch", "2m", "--eviction", "30s",
		}
		if engine != "disruptkit" {
			args = append(args, "--pass", step.String())
		}
		var stdout, stderr strings.Builder
		run(t.Context(), args, strings.NewReader(""), &stdout, &stderr)
		var got struct {
			Plan struct{ Nodes, Expiring []foreseen }
		}
		if err := json.Unmarshal([]byte(stdout.String()), &got); err != nil {
			t.Fatalf("%s %s", stdout.String(), stderr.String())
		}
		starts, ends := map[string]time.Time{}, map[string]time.Time{}
		for _, n := range slices.Concat(got.Plan.Nodes, got.Plan.Expiring) {
			ends[n.Name] = n.Gone
			if n.Reason == "Drifted" && !n.InFlight {
				starts[n.Name] = n.Start
			}
		}
		w.simulate(starts)
		for _, n := range w.nodes {
			if got, slack := ends[n.name], w.slack(n); got.IsZero() != n.gone.IsZero() || got.Sub(n.gone).Abs() > slack {
				t.Errorf("%s is gone at %s in the plan, and at %s in the simulation, give or take %s: %s", n.name, clock(got), clock(n.gone), slack, n)
			}
		}
		if t.Failed() {
			t.Logf("engine %s, PDBs %+v", engine, w.pdbs)
			for _, n := range w.nodes {
				t.Logf("%s: plan %s, starts %s", n, clock(ends[n.name]), clock(starts[n.name]))
			}
		}
	})
}

type foreseen struct {
	Name, Reason string
	InFlight     bool
	Start, Gone  time.Time
}

const (
	step      = 10 * time.Second
	simulated = 8 * time.Hour
	launching = 2 * time.Minute
	draining  = 3 * time.Minute
	ending    = 30 * time.Second // how long a pod may take to end
	moving    = 30 * time.Second // from the eviction of a pod until its successor is Ready
)

// begins is when each simulation does.
var begins, _ = time.Parse(time.RFC3339, saturday)

func clock(at time.Time) string {
	if at.IsZero() {
		return "never"
	}
	return at.Format("02 15:04:05")
}

// A world is nodes, pods and PodDisruptionBudgets. It knows nothing of them but what anybody knows who has read
// Kubernetes' and Karpenter's documentation.
type world struct {
	expires, vacates bool // it is a Karpenter: it expires nodes, and launches nothing for nodes without pods
	nodes            []*machine
	pdbs             []*pdb
	moving           []move
}

type pdb struct {
	app               string
	allowed           int
	expected, desired int
	contended         bool // pods of several nodes have waited for it
}

type machine struct {
	name         string
	drifted      bool
	expires      time.Time     // zero: never
	grace        time.Duration // 0: without limit
	disrupted    bool          // it has been chosen before the simulation
	deleted      time.Time     // before the simulation, or when its drain begins
	start, ready time.Time
	deadline     time.Time // when its grace period ends
	spared       bool      // its replacement is launched when its first pod is evicted
	evicted      time.Time // when the last of its pods was
	gone         time.Time
	pods         []*pod
}

func (m *machine) String() string {
	text := fmt.Sprintf("%s drifted=%v expires=%s grace=%s chosen=%v deleted=%s", m.name, m.drifted, clock(m.expires), m.grace, m.disrupted, clock(m.deleted))
	for _, p := range m.pods {
		text += fmt.Sprintf(" [%s until %s, terminates %s, evicted %v]", p.app, clock(p.protected), clock(p.terminates), p.evicted)
	}
	return text
}

type pod struct {
	app        string
	protected  time.Time // it must not be disrupted before; zero: it may be
	terminates time.Time // when it is gone, if it terminates; zero: it does not
	evicted    bool
}

// A move is of a pod that has been evicted, up to the time at which its successor is Ready.
type move struct {
	of         *machine
	app        string
	begin, end time.Time
}

// ever is later than each simulation.
var ever = begins.Add(1000 * time.Hour)

// simulate lets time pass, step by step. Nodes that have not ended by its end never do.
func (w *world) simulate(starts map[string]time.Time) {
	for now := begins; now.Before(begins.Add(2 * simulated)); now = now.Add(step) {
		for _, m := range w.nodes {
			w.choose(m, starts[m.name], now)
		}
		going := slices.DeleteFunc(slices.Clone(w.nodes), func(m *machine) bool { return m.deleted.IsZero() || !m.gone.IsZero() })
		slices.SortStableFunc(going, func(a, b *machine) int { return cmp.Or(a.deleted.Compare(b.deleted), a.start.Compare(b.start)) })
		for _, m := range going {
			w.drain(m, now)
		}
	}
}

// choose lets a node start, or begins its drain, if it is time.
func (w *world) choose(m *machine, start, now time.Time) {
	begin := func() { // its drain
		m.deleted = now
		if m.grace > 0 {
			m.deadline = now.Add(m.grace)
		}
	}
	switch expired := w.expires && !m.expires.IsZero() && !m.expires.After(now); {
	case !m.deleted.IsZero():
	case expired && m.start.IsZero() && !m.disrupted:
		m.start, m.ready, m.spared = now, now.Add(launching), w.vacates && w.spares(m, now)
		begin()
	case expired:
		begin()
	case m.disrupted && !now.Before(begins.Add(launching)):
		begin()
	case !m.disrupted && m.start.IsZero() && start.Equal(now):
		m.start, m.ready = now, now.Add(launching)
		if w.vacates && !slices.ContainsFunc(m.pods, func(p *pod) bool { return p.terminates.IsZero() }) {
			m.ready = now
			begin()
		} else if m.spared = w.vacates && w.spares(m, now); m.spared {
			begin()
		}
	case !m.start.IsZero() && !now.Before(m.ready):
		begin()
	}
}

// drain evicts what may be evicted. The node is gone a drain later, and when its pods that terminate are, or when its
// grace period has ended.
func (w *world) drain(m *machine, now time.Time) {
	if m.evicted.IsZero() {
		m.evicted = now
		if m.nearlyDone() {
			m.evicted = m.deleted
		}
		if !m.deadline.IsZero() && !m.deadline.After(begins) {
			m.gone = now.Add(draining)
			return
		}
	}
	left, killed := false, !m.deadline.IsZero() && !now.Before(m.deadline.Add(-ending))
	for _, p := range m.pods {
		allowed := p.terminates.IsZero() && !p.evicted && w.allows(m, p, now) // a pod that is killed is also one less
		switch {
		case !p.terminates.IsZero(), p.evicted:
		case killed || !p.protected.After(now) && allowed:
			w.evict(m, p, now)
			m.evicted = now
		default:
			left = true
		}
	}
	over := !left && !now.Before(m.evicted.Add(draining))
	for _, p := range m.pods {
		over = over && !p.terminates.After(now)
	}
	if over || !m.deadline.IsZero() && !now.Before(m.deadline) {
		m.gone = now
	}
}

// nearlyDone reports whether all pods of a node have been evicted before the simulation, and it is not overdue.
func (m *machine) nearlyDone() bool {
	end := m.deleted.Add(draining)
	for _, p := range m.pods {
		if p.terminates.IsZero() {
			return false
		}
		if p.terminates.After(end) {
			end = p.terminates
		}
	}
	return end.After(begins)
}

// spares reports whether each pod of a node is one for which Karpenter launches nothing before it is evicted.
func (w *world) spares(m *machine, now time.Time) bool {
	return !slices.ContainsFunc(m.pods, func(p *pod) bool {
		several := 0
		for _, b := range w.pdbs {
			if b.app == p.app {
				several++
			}
		}
		return p.terminates.IsZero() && several < 2 && !p.protected.After(now)
	})
}

func (w *world) evict(m *machine, p *pod, now time.Time) {
	if m.spared {
		m.spared, m.ready = false, now.Add(launching)
	}
	p.evicted = true
	end := now.Add(moving)
	if m.ready.After(end) {
		end = m.ready
	}
	w.moving = append(w.moving, move{m, p.app, now, end})
}

// allows reports whether the API server evicts a pod.
func (w *world) allows(of *machine, p *pod, now time.Time) bool {
	its := slices.DeleteFunc(slices.Clone(w.pdbs), func(b *pdb) bool { return b.app != p.app })
	if len(its) == 0 {
		return true
	}
	if len(its) > 1 { // the API server refuses
		return false
	}
	b := its[0]
	if b.allowed == 0 {
		return b.expected > b.desired // it allows something as soon as its pods are Ready
	}
	used, others := 0, false
	for _, m := range w.moving {
		if m.app == b.app && m.end.After(now) {
			used++
			others = others || m.of != of
		}
	}
	b.contended = b.contended || others && used >= b.allowed
	return used < b.allowed
}

// slack returns by how much a plan may be wrong about a node: where pods of several nodes wait for one PodDisruptionBudget,
// nobody knows which come first. They all are evicted within the time that the PodDisruptionBudget is in use.
func (w *world) slack(of *machine) (sum time.Duration) {
	for _, b := range w.pdbs {
		if b.contended && slices.ContainsFunc(of.pods, func(p *pod) bool { return p.app == b.app }) {
			for _, m := range w.moving {
				if m.app == b.app {
					sum += m.end.Sub(m.begin)
				}
			}
		}
	}
	return sum
}

// drawWorld draws a world.
func drawWorld(t *rapid.T, engine string) *world {
	w := &world{expires: engine != "disruptkit", vacates: engine != "disruptkit"}
	chance := func(percent int, of string) bool { return rapid.IntRange(1, 100).Draw(t, of) <= percent }
	minutes := func(from, to int, of string) time.Duration {
		return time.Duration(rapid.IntRange(from*6, to*6).Draw(t, of)) * step
	}
	for _, app := range []string{"db", "web"} {
		b := &pdb{app: app, allowed: rapid.IntRange(0, 3).Draw(t, "allowed"), expected: 5, desired: 4}
		if b.allowed == 0 && chance(60, "never") {
			b.desired = 5
		}
		w.pdbs = append(w.pdbs, b)
	}
	if chance(10, "two PDBs") {
		w.pdbs = append(w.pdbs, &pdb{app: "web", allowed: 1, expected: 5, desired: 4})
	}
	for i := range rapid.IntRange(1, 12).Draw(t, "nodes") {
		m := &machine{name: fmt.Sprintf("node-%02d", i), drifted: chance(50, "drifted")}
		if chance(40, "expires") {
			m.expires = begins.Add(minutes(1, 120, "expiry"))
		}
		if chance(30, "has a grace period") {
			m.grace = minutes(1, 90, "grace period")
		}
		switch rapid.IntRange(0, 9).Draw(t, "life") {
		case 0:
			m.disrupted, m.deleted = true, begins.Add(-minutes(1, 60, "deleted"))
			if m.grace > 0 {
				m.deadline = m.deleted.Add(m.grace)
			}
		case 1:
			m.disrupted = true
		}
		for range rapid.IntRange(0, 4).Draw(t, "pods") {
			p := &pod{app: rapid.SampledFrom([]string{"db", "web", "other"}).Draw(t, "app")}
			switch rapid.IntRange(0, 11).Draw(t, "pod") {
			case 0:
				p.protected = ever
			case 1:
				p.protected = begins.Add(minutes(1, 60, "protected"))
			case 2:
				p.terminates = begins.Add(minutes(1, 60, "terminates"))
			}
			m.pods = append(m.pods, p)
		}
		w.nodes = append(w.nodes, m)
	}
	return w
}

// manifests returns a world as kubectl prints it.
func (w *world) manifests() string {
	var items []string
	add := func(kind, name, format string, args ...any) {
		items = append(items, fmt.Sprintf(`{"apiVersion": "%s", "kind": "%s", "metadata": {"name": "%s", %s`,
			map[string]string{"NodePool": "karpenter.sh/v1", "NodeClaim": "karpenter.sh/v1", "Node": "v1", "Pod": "v1", "PodDisruptionBudget": "policy/v1"}[kind],
			kind, name, fmt.Sprintf(format, args...)))
	}
	stamp := func(at time.Time) string { return at.Format(time.RFC3339) }
	add("NodePool", "web", `"uid": "web"}, "spec": {"disruption": {"budgets": [{"nodes": "3"}]}}}`)
	add("Pod", "pending", `"namespace": "default"}, "spec": {}, "status": {"phase": "Pending"}}`) // so that there are Pods
	for i, b := range w.pdbs {
		add("PodDisruptionBudget", fmt.Sprint("pdb-", i), `"namespace": "default"}, "spec": {"selector": {"matchLabels": {"app": "%s"}}},
			"status": {"disruptionsAllowed": %d, "expectedPods": %d, "desiredHealthy": %d}}`, b.app, b.allowed, b.expected, b.desired)
	}
	created := begins.Add(-100 * time.Hour)
	for _, m := range w.nodes {
		meta, spec, taint := "", "", ""
		if m.disrupted {
			taint = `{"key": "karpenter.sh/disrupted", "effect": "NoSchedule"}`
		}
		if !m.deleted.IsZero() {
			meta = fmt.Sprintf(`"deletionTimestamp": "%s", `, stamp(m.deleted))
		}
		if !m.expires.IsZero() {
			spec += fmt.Sprintf(`"expireAfter": "%s", `, m.expires.Sub(created))
		}
		if m.grace > 0 {
			spec += fmt.Sprintf(`"terminationGracePeriod": "%s", `, m.grace)
		}
		drifted := map[bool]string{true: "True", false: "False"}[m.drifted]
		add("NodeClaim", "web-"+m.name, `%s"labels": {"karpenter.sh/nodepool": "web"}, "creationTimestamp": "%s"}, "spec": {%s"nodeClassRef": {}},
			"status": {"nodeName": "%s", "providerID": "%s", "conditions": [{"type": "Initialized", "status": "True", "lastTransitionTime": "%s"},
			{"type": "Drifted", "status": "%s", "lastTransitionTime": "%s"}]}}`,
			meta, stamp(created), spec, m.name, m.name, stamp(created), drifted, stamp(created))
		add("Node", m.name, `"labels": {"karpenter.sh/nodepool": "web", "karpenter.sh/registered": "true", "karpenter.sh/initialized": "true"}},
			"spec": {"providerID": "%s", "taints": [%s]}, "status": {"conditions": [{"type": "Ready", "status": "True", "lastTransitionTime": "%s"}]}}`,
			m.name, taint, stamp(created))
		for i, p := range m.pods {
			meta, started := "", created
			switch {
			case p.protected.Equal(ever):
				meta = `, "annotations": {"karpenter.sh/do-not-disrupt": "true"}`
			case !p.protected.IsZero():
				started = p.protected.Add(-2 * time.Hour)
				meta = `, "annotations": {"karpenter.sh/do-not-disrupt": "2h"}`
			case !p.terminates.IsZero():
				meta = fmt.Sprintf(`, "deletionTimestamp": "%s"`, stamp(p.terminates))
			}
			add("Pod", fmt.Sprint(m.name, "-", i), `"namespace": "default", "labels": {"app": "%s"}%s}, "spec": {"nodeName": "%s"},
				"status": {"phase": "Running", "startTime": "%s", "conditions": [{"type": "Ready", "status": "True"}]}}`, p.app, meta, m.name, stamp(started))
		}
	}
	return `{"apiVersion": "v1", "kind": "List", "items": [` + strings.Join(items, ",\n") + `]}`
}
