package steward

import (
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"

	"pgregory.net/rapid"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/annotation"
	"github.com/disruptkit/disruptkit/topology"
)

// The model plays a cluster of one NodePool: an API server with admission policies, a Karpenter whose cache is late, stewards that die at
// any step and whose caches and clocks are wrong, and people. What must always be so is in check.

type modelNode struct {
	zone        string
	annotations map[string]string
	born        time.Time
	drifted     bool
	asked       bool             // somebody asks for its replacement
	made        candidate.Reason // for which a steward has made it drift; "": it has not
	taken       candidate.Reason // for which alone it was taken
	tainted     time.Time        // when Karpenter took it; zero: it has not
	version     int
	claim       int // the version of its NodeClaim
}

func (n modelNode) clone() *modelNode { n.annotations = maps.Clone(n.annotations); return &n }

type modelCluster struct {
	nodes       map[string]*modelNode
	memory      disruptkit.Memory
	releases    map[string]time.Time
	poolVersion int
	limit       string
}

func (c *modelCluster) clone() *modelCluster {
	d := *c
	d.nodes, d.releases = map[string]*modelNode{}, maps.Clone(c.releases)
	for name, n := range c.nodes {
		d.nodes[name] = n.clone()
	}
	return &d
}

type modelSteward struct {
	skew  time.Duration
	rests map[string]Rest
}

type model struct {
	*rapid.T
	live    *modelCluster
	history []*modelCluster // what caches may still show, one for each second
	now     time.Time       // the API server's
	born    int
	leader  *modelSteward
	deposed *modelSteward // still believes that it leads
	denied  int           // denials of Karpenter in a row
	refused string        // the last one
	wait    time.Time     // when Karpenter looks again
	mutates bool          // the mutating policy is there

	vetoed   map[string]bool // nodes that somebody else holds
	tampered time.Time       // when somebody has last taken a hold away
	done     int
}

var zones = []string{"a", "b", "c"}

const (
	modelLimit = 2
	modelOwn   = 1 // of them, such as have expired, and such as somebody asks for
	modelAge   = 10 * time.Minute
)

func newModel(t *rapid.T) *model {
	m := &model{T: t, now: time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC), mutates: rapid.Bool().Draw(t, "mutating policy"), vetoed: map[string]bool{}}
	m.live = &modelCluster{nodes: map[string]*modelNode{}, releases: map[string]time.Time{}, limit: fmt.Sprint(modelLimit)}
	for i := range 6 {
		m.join(zones[i%3], i < 4)
	}
	for name, n := range m.live.nodes {
		n.born = m.now.Add(-time.Duration(len(name)+int(name[1])) * time.Minute / 5) // some have expired already, or do so soon
	}
	m.leader = m.steward("skew")
	m.passes(1)
	m.remember()
	return m
}

// steward returns a steward whose clock is wrong by up to Skew.
func (m *model) steward(label string) *modelSteward {
	seconds := int(Skew / time.Second)
	return &modelSteward{skew: time.Duration(rapid.IntRange(-seconds, seconds).Draw(m.T, label)) * time.Second, rests: map[string]Rest{}}
}

func (m *model) join(zone string, drifted bool) {
	m.born++
	n := &modelNode{zone: zone, drifted: drifted, annotations: map[string]string{}, born: m.now}
	m.write(n, nil)
	m.live.nodes[fmt.Sprintf("%s%d", zone, m.born)] = n
}

// write changes annotations, as the API server does: the mutating policy comes last.
func (m *model) write(n *modelNode, change map[string]any) {
	for name, value := range change {
		if value == nil {
			delete(n.annotations, name)
		} else {
			n.annotations[name] = value.(string)
		}
	}
	n.version++
	if mark := annotation.ReadMark(n.annotations); m.mutates && !mark.Until.After(m.now) && n.tainted.IsZero() {
		for name, value := range (Write{Kind: Hold, Why: "policy"}).Annotations(mark) {
			if value != nil { // it takes nothing away
				n.annotations[name] = value.(string)
			}
		}
	}
}

// remember keeps what caches may show.
func (m *model) remember() {
	m.history = append(m.history, m.live.clone())
	m.history = m.history[max(0, len(m.history)-30):]
}

// cache returns a state that is up to so many seconds old.
func (m *model) cache(label string, most int) *modelCluster {
	late := rapid.IntRange(0, min(most, len(m.history)-1)).Draw(m.T, label)
	return m.history[len(m.history)-1-late].clone()
}

func (s *modelSteward) snapshot(c *modelCluster, now time.Time) Snapshot {
	budgets := []budget.Budget{
		{Nodes: c.limit}, {Nodes: "100%", TopologyKey: "zone", Sequential: true},
		{Nodes: fmt.Sprint(modelOwn), Reasons: []candidate.Reason{candidate.Expired}},
		{Nodes: fmt.Sprint(modelOwn), Reasons: []candidate.Reason{candidate.Requested}},
	}
	set, err := budget.Compile(budgets)
	if err != nil {
		panic(err)
	}
	turns := topology.Options{Reasons: []candidate.Reason{candidate.Drifted, candidate.Expired, candidate.Requested}}
	in := disruptkit.Input{
		Now: now, Pools: []disruptkit.Pool{{Name: "p", Budgets: set, Topology: turns}}, Memory: map[string]disruptkit.Memory{"p": c.memory},
	}
	marks, ages := map[string]annotation.Mark{}, map[string]Age{}
	for _, name := range slices.Sorted(maps.Keys(c.nodes)) {
		n := c.nodes[name]
		mark := annotation.ReadMark(n.annotations)
		marks[name] = mark
		node := candidate.Node{
			Name: name, Pool: "p", Labels: map[string]string{"zone": n.zone}, Phase: candidate.Running, ReadySince: now.Add(-time.Hour),
			DoNotDisrupt: mark.Disrupt == annotation.Theirs, DoNotRepair: mark.Repair == annotation.Theirs,
		}
		if n.drifted {
			node.Conditions = []candidate.Condition{{Reason: candidate.Drifted, Since: now.Add(-time.Hour)}}
		}
		a := Age{At: n.born.Add(modelAge), Requested: n.asked, Drifts: n.made}
		ages[name] = a
		if n.asked {
			node.Conditions = append(node.Conditions, candidate.Condition{Reason: candidate.Requested})
		}
		if !a.At.After(now) && (n.made != "" || !n.drifted) {
			node.Conditions = append(node.Conditions, candidate.Condition{Reason: candidate.Expired, Since: a.At})
		}
		if !n.tainted.IsZero() {
			node.Leaving, node.DisruptedFor = candidate.Draining, candidate.Drifted
			if n.made != "" {
				node.DisruptedFor = map[bool]candidate.Reason{false: n.made}[n.drifted]
			}
		}
		in.Nodes = append(in.Nodes, node)
	}
	return Snapshot{Input: in, Marks: marks, Releases: map[string]map[string]time.Time{"p": c.releases}, Rests: s.rests, Ages: ages}
}

// pass is one of a steward on what its cache shows. It may die after any of its writes.
func (m *model) pass(s *modelSteward, seen *modelCluster, dies bool) {
	steps := 1 << 20
	if dies {
		steps = rapid.IntRange(0, 4).Draw(m.T, "dies after")
	}
	p := Decide(s.snapshot(seen, m.now.Add(s.skew)))
	m.idle(s, seen, p)
	s.rests = p.Rests
	stored := p.Pools["p"]
	may := true // release
	if !stored.Memory.Equal(seen.memory) || !maps.EqualFunc(stored.Releases, seen.releases, time.Time.Equal) {
		if steps--; steps < 0 {
			return
		}
		if may = seen.poolVersion == m.live.poolVersion; may {
			m.live.memory, m.live.releases = stored.Memory, maps.Clone(stored.Releases)
			m.live.poolVersion++
		}
	}
	for _, name := range slices.Sorted(maps.Keys(p.Drift)) {
		n, reason := m.live.nodes[name], p.Drift[name]
		if n == nil || reason != "" && !may || n.claim != seen.nodes[name].claim {
			continue
		}
		if steps--; steps < 0 {
			return
		}
		n.made, p.Drift[name] = reason, ""
		n.claim++
	}
	for _, w := range p.Writes {
		n := m.live.nodes[w.Node]
		release := w.Kind == Release || w.Kind == ReleaseForRepair
		if n == nil || release && (!may || p.Drift[w.Node] != "") {
			continue
		}
		if steps--; steps < 0 {
			return
		}
		late := n.version != seen.nodes[w.Node].version
		if late && w.Kind != TakeBack || !n.tainted.IsZero() {
			continue // a conflict
		}
		m.write(n, w.Annotations(annotation.ReadMark(n.annotations)))
	}
}

// idle checks that a steward that does nothing has nothing to do before the time that it says.
func (m *model) idle(s *modelSteward, seen *modelCluster, p Plan) {
	now := m.now.Add(s.skew)
	until := p.Next
	if until.IsZero() {
		until = now.Add(20 * time.Minute)
	}
	if acts(p, seen) || until.Sub(now) < 2*time.Second {
		return
	}
	at := now.Add(time.Duration(rapid.Int64Range(1, int64(until.Sub(now))-1).Draw(m.T, "asked again after")))
	again := Decide((&modelSteward{rests: p.Rests}).snapshot(seen, at))
	if acts(again, seen) {
		m.Fatalf("at %s it has nothing to do until %s, and at %s it has: %+v", now.Format(time.TimeOnly), p.Next.Format(time.TimeOnly), at.Format(time.TimeOnly), again.Writes)
	}
}

// acts reports whether a plan does anything that Karpenter sees.
func acts(p Plan, seen *modelCluster) bool {
	return len(p.Drift) > 0 || !maps.EqualFunc(p.Pools["p"].Releases, seen.releases, time.Time.Equal) ||
		slices.ContainsFunc(p.Writes, func(w Write) bool { return w.Kind != Tell })
}

func (m *model) passes(n int) {
	for range n {
		m.remember()
		m.pass(m.leader, m.history[len(m.history)-1].clone(), false)
	}
	m.remember()
}

// karpenter is a pass of Karpenter's disruption loop: it takes one node that it believes it may take.
func (m *model) karpenter() {
	if m.now.Before(m.wait) {
		return
	}
	m.wait = m.now.Add(10 * time.Second)
	seen := m.cache("Karpenter's cache is late by", 2)
	var wanted []string
	for _, name := range slices.Sorted(maps.Keys(seen.nodes)) {
		n := seen.nodes[name]
		if (n.drifted || n.made != "") && n.tainted.IsZero() && n.annotations[v1.DoNotDisruptAnnotationKey] != "true" && m.live.nodes[name] != nil {
			wanted = append(wanted, name)
		}
	}
	if len(wanted) == 0 {
		m.denied = 0
		return
	}
	name := rapid.SampledFrom(wanted).Draw(m.T, "Karpenter takes")
	n := m.live.nodes[name]
	if !n.tainted.IsZero() {
		return
	}
	if !annotation.ReadMark(n.annotations).Until.After(m.now) { // the validating policy
		m.denied++
		m.refused = fmt.Sprint(name, " ", n.annotations)
		m.wait = m.now.Add(time.Second << min(m.denied, 10))
		return
	}
	m.denied = 0
	if n.tainted = m.now; !n.drifted {
		n.taken = n.made
	}
	n.version++
	m.wait = m.now // the next pass follows at once
}

// tick lets seconds pass: nodes that were taken go, and new ones come.
func (m *model) tick(seconds int) {
	for range seconds {
		m.now = m.now.Add(time.Second)
		for _, name := range slices.Sorted(maps.Keys(m.live.nodes)) {
			if n := m.live.nodes[name]; !n.tainted.IsZero() && m.now.Sub(n.tainted) > 25*time.Second {
				delete(m.live.nodes, name)
				m.join(n.zone, false)
				m.done++
			}
		}
		m.karpenter()
		m.remember()
		m.check()
	}
}

// check checks what must always be so: no limit is exceeded, and no two zones are in flight, nor any but those that may for their reason.
func (m *model) check() {
	inFlight, taken, in := 0, map[candidate.Reason]int{}, map[string]bool{}
	for _, n := range m.live.nodes {
		if !n.tainted.IsZero() {
			inFlight++
			taken[n.taken]++
			in[n.zone] = true
		}
	}
	for _, reason := range []candidate.Reason{candidate.Expired, candidate.Requested} {
		if taken[reason] > modelOwn {
			m.Fatalf("%s: %d nodes are in flight for %s, and the limit is %d", m.now.Format(time.TimeOnly), taken[reason], reason, modelOwn)
		}
	}
	if inFlight > modelLimit {
		m.Fatalf("%s: %d nodes are in flight, and the limit is %d", m.now.Format(time.TimeOnly), inFlight, modelLimit)
	}
	for name := range m.vetoed {
		if n := m.live.nodes[name]; n != nil && (n.annotations[v1.DoNotDisruptAnnotationKey] != "true" || annotation.ReadMark(n.annotations).Disrupt != annotation.Theirs) {
			m.Fatalf("%s: somebody's own hold on %s has been touched: %v", m.now.Format(time.TimeOnly), name, n.annotations)
		}
	}
	if len(in) > 1 {
		m.Fatalf("%s: zones %v are in flight at once", m.now.Format(time.TimeOnly), slices.Sorted(maps.Keys(in)))
	}
}

// anyNode draws a node.
func (m *model) anyNode(label string) (name string, n *modelNode) {
	name = rapid.SampledFrom(slices.Sorted(maps.Keys(m.live.nodes))).Draw(m.T, label)
	return name, m.live.nodes[name]
}

func (m *model) heartbeat(t *rapid.T) {
	m.T = t
	_, n := m.anyNode("heartbeat of")
	m.write(n, nil)
}

// holdRemoved is somebody with kubectl who takes a hold away, which is somebody's mistake.
func (m *model) holdRemoved(t *rapid.T) {
	m.T = t
	if name, n := m.anyNode("hold taken from"); m.mutates && !m.vetoed[name] {
		m.write(n, map[string]any{v1.DoNotDisruptAnnotationKey: nil})
		m.tampered = m.now
	}
}

// veto is somebody with kubectl who holds a node, and says that it is not for the steward to release it.
func (m *model) veto(t *rapid.T) {
	m.T = t
	name, n := m.anyNode("held by somebody")
	m.write(n, map[string]any{v1.DoNotDisruptAnnotationKey: "true", annotation.Held: nil})
	m.vetoed[name] = true
}

// unveto takes such a hold away again.
func (m *model) unveto(t *rapid.T) {
	m.T = t
	for _, name := range slices.Sorted(maps.Keys(m.vetoed)) {
		if n := m.live.nodes[name]; n != nil {
			m.write(n, map[string]any{v1.DoNotDisruptAnnotationKey: nil})
			m.tampered = m.now
		}
		delete(m.vetoed, name)
	}
}

func (m *model) drift(t *rapid.T) {
	m.T = t
	_, n := m.anyNode("drifts")
	n.drifted = true
}

// ask is somebody who asks for a node's replacement, or no longer asks.
func (m *model) ask(t *rapid.T) {
	m.T = t
	_, n := m.anyNode("asked for, or no longer")
	n.asked = !n.asked
}

func TestModelLimitsHoldWhateverHappens(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := newModel(t)
		t.Repeat(map[string]func(*rapid.T){
			"time passes":             func(t *rapid.T) { m.T = t; m.tick(rapid.IntRange(1, 30).Draw(t, "seconds")) },
			"the steward":             func(t *rapid.T) { m.T = t; m.pass(m.leader, m.cache("late by", 20), false) },
			"the steward, up to date": func(t *rapid.T) { m.T = t; m.passes(1) },
			"the steward dies": func(t *rapid.T) {
				m.T = t
				m.pass(m.leader, m.cache("late by", 20), true)
				m.deposed, m.leader = m.leader, m.steward("skew of the next")
			},
			"one that no longer leads": func(t *rapid.T) {
				m.T = t
				if m.deposed != nil {
					m.pass(m.deposed, m.cache("late by", 20), rapid.Bool().Draw(t, "dies"))
				}
			},
			"a heartbeat": m.heartbeat, "somebody takes a hold away": m.holdRemoved, "somebody's own hold": m.veto,
			"somebody's own hold goes": m.unveto, "drift": m.drift, "somebody asks, or no longer": m.ask,
		})
	})
}

// While a steward is up, whose cache is late by two seconds at most, as Karpenter's is, nothing that Karpenter wants is denied, but once
// where somebody takes a hold away just then; and all that has drifted is replaced.
func TestModelWhileTheStewardIsUpNothingIsDenied(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := newModel(t)
		m.mutates = true
		m.passes(2)
		for range rapid.IntRange(20, 200).Draw(t, "steps") {
			m.tick(rapid.IntRange(1, 3).Draw(t, "seconds"))
			if most := 0; m.denied > most {
				if m.now.Sub(m.tampered) < 30*time.Second { // as a release ends, no policy holds the node again
					most = 1
				}
				if m.denied > most {
					t.Fatalf("%s: Karpenter was denied nodes %d times in a row: %s", m.now.Format(time.TimeOnly), m.denied, m.refused)
				}
			}
			m.pass(m.leader, m.cache("late by", 2), false)
			switch rapid.IntRange(0, 20).Draw(t, "what else happens") {
			case 0:
				m.heartbeat(t)
			case 1:
				m.holdRemoved(t)
			case 2:
				m.veto(t)
			case 3:
				m.unveto(t)
			case 4:
				m.drift(t)
			case 5: // a freeze begins or ends
				m.live.limit = map[string]string{"0": fmt.Sprint(modelLimit)}[m.live.limit]
				if m.live.limit == "" {
					m.live.limit = "0"
				}
				m.live.poolVersion++
			case 6: // another one leads
				m.deposed, m.leader = m.leader, m.steward("skew of the next")
			case 7:
				m.ask(t)
			}
		}
		m.unveto(t)
		m.live.limit = fmt.Sprint(modelLimit)
		for range 300 {
			m.tick(4)
			m.passes(1)
		}
		for name, n := range m.live.nodes {
			if n.drifted || n.asked || m.now.Sub(n.born) > 2*modelAge {
				t.Errorf("%s has drifted, or expired, or somebody asks for it, and is still there after %s: %v", name, m.now.Sub(n.born), n.annotations)
			}
		}
	})
}
