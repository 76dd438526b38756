package disruptkit_test

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/testkit/fixture"
	"github.com/disruptkit/disruptkit/probe"
)

// A waveState is one of the states that pools in groups can be in. Nodes are o (old), f (old, and in flight), j (the same, and its replacement
// joins), r (new, and not Ready), n (new). Times are half bakes.
type waveState struct {
	nodes    string
	memory   string // JSON; the time is that of waveModel.in
	denied   bool
	revision byte
}

// A waveModel has three pools in two groups that overlap in the second one. Both groups roll in waves, and the first one zone by zone as well.
type waveModel struct {
	pools, zones string // of each node
	groups       []disruptkit.Group
	loses        bool                    // memories are lost: then a pool that is done is no longer known to have rolled
	seen         map[waveState]waveState // where each came from
	good         map[waveState]bool      // from which the roll ends
	memories     map[string]map[string]disruptkit.Memory
}

const halfBake = 30 * time.Minute

func newWaveModel(t *testing.T, loses bool) *waveModel {
	m := &waveModel{loses: loses, pools: "abbc", zones: "xyxy", seen: map[waveState]waveState{}, good: map[waveState]bool{}, memories: map[string]map[string]disruptkit.Memory{}}
	for _, g := range []struct{ name, pools, zones string }{{"1", "ab", "zone"}, {"2", "bc", ""}} {
		list := []budget.Budget{}
		if g.zones != "" {
			list = append(list, budget.Budget{Nodes: "100%", TopologyKey: g.zones, Sequential: true})
		}
		set, err := budget.Spec{Budgets: list, Drift: budget.Control{Rollout: &budget.Rollout{Waves: []string{"1", "60%"}, Bake: "1h"}}}.Compile()
		if err != nil {
			t.Fatal(err)
		}
		m.groups = append(m.groups, disruptkit.Group{Name: g.name, Pools: strings.Split(g.pools, ""), Budgets: set})
	}
	return m
}

// in returns a state as an input.
func (m *waveModel) in(s waveState) disruptkit.Input {
	in := disruptkit.Input{Now: fixture.Noon, Groups: slices.Clone(m.groups)}
	none, _ := budget.Compile([]budget.Budget{})
	for _, name := range []string{"a", "b", "c"} {
		in.Pools = append(in.Pools, disruptkit.Pool{Name: name, Budgets: none, Revision: string(s.revision)})
	}
	if s.denied {
		in.Groups[0].Verdicts = []probe.Verdict{{Probe: "slo"}}
	}
	for i, phase := range s.nodes {
		n := candidate.Node{Name: fmt.Sprintf("%c%d", m.pools[i], i), Pool: m.pools[i : i+1], Phase: candidate.Running, Labels: map[string]string{"zone": m.zones[i : i+1]}}
		if strings.ContainsRune("ofj", phase) {
			n.Conditions = []candidate.Condition{{Reason: candidate.Drifted, Since: fixture.Noon.Add(-time.Hour)}}
		}
		switch phase {
		case 'r':
			n.Phase = candidate.NotReady
		case 'f', 'j':
			n.Leaving, n.DisruptedFor = candidate.Draining, candidate.Drifted
		}
		if in.Nodes = append(in.Nodes, n); phase == 'j' {
			n.Name, n.Replaces, n.Phase, n.Leaving, n.DisruptedFor, n.Conditions = n.Name+"-new", n.Name, candidate.Launched, candidate.Staying, "", nil
			in.Nodes = append(in.Nodes, n)
		}
	}
	in.Memory = m.recall(s)
	return in
}

// recall returns what is remembered in a state. It is read once.
func (m *waveModel) recall(s waveState) map[string]disruptkit.Memory {
	memory, known := m.memories[s.memory]
	if !known {
		memory = recalled(s.memory)
		m.memories[s.memory] = memory
	}
	return memory
}

func recalled(text string) (memory map[string]disruptkit.Memory) {
	if err := json.Unmarshal([]byte(text), &memory); err != nil {
		panic(err)
	}
	return memory
}

// decide returns the state with what is to be remembered, and the nodes that may be disrupted, as they are in the state.
func (m *waveModel) decide(s waveState) (waveState, []int) {
	d := disruptkit.Decide(m.in(s), candidate.Drifted)
	s.memory = remembered(d.Memory)
	var may []int
	for _, c := range d.Allowed {
		may = append(may, int(c.Node[1]-'0'))
	}
	return s, may
}

func remembered(memory map[string]disruptkit.Memory) string {
	text, err := json.Marshal(memory)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// with returns the state in which a node is so.
func (s waveState) with(node int, phase byte) waveState {
	nodes := []byte(s.nodes)
	nodes[node] = phase
	s.nodes = string(nodes)
	return s
}

// later returns the state half a bake later: what is remembered moves into the past.
func (s waveState) later() waveState {
	memory := recalled(s.memory)
	for _, one := range memory {
		for i := range one.Waves {
			if w := &one.Waves[i]; !w.Since.IsZero() {
				w.Since = slices.MaxFunc([]time.Time{w.Since.Add(-halfBake), fixture.Noon.Add(-3 * halfBake)}, time.Time.Compare)
			}
		}
	}
	s.memory = remembered(memory)
	return s
}

// steps returns the states that may follow. What the decision allows may all start, or be lost.
func (m *waveModel) steps(s waveState) (all []waveState) {
	decided, may := m.decide(s)
	all = append(all, decided, s.later())
	for i := range may { // so many of them, in order
		started := decided
		for _, node := range may[:i+1] {
			started = started.with(node, 'f')
		}
		all = append(all, started)
	}
	for i, phase := range s.nodes {
		switch phase {
		case 'f': // its replacement is launched, it fails, or it is gone without one that joins
			all = append(all, s.with(i, 'j'), s.with(i, 'o'), s.with(i, 'r'))
		case 'j':
			all = append(all, s.with(i, 'r'), s.with(i, 'n'))
		case 'r':
			all = append(all, s.with(i, 'n'))
		}
	}
	denied, revised := s, s
	denied.denied = !s.denied
	revised.nodes = strings.NewReplacer("n", "o", "r", "o").Replace(s.nodes)
	revised.revision = s.revision%3 + 1
	all = append(all, denied)
	if again := s; strings.Contains(s.nodes, "n") && strings.Contains(s.nodes, "f") { // all drift once more, such as by a new image
		again.nodes = strings.NewReplacer("n", "o", "r", "o").Replace(s.nodes)
		all = append(all, again)
	}
	if !strings.ContainsAny(s.nodes, "fj") && strings.Contains(s.nodes, "n") {
		all = append(all, revised)
	}
	for _, key := range []string{m.groups[0].Key(), m.groups[1].Key()} {
		if !m.loses {
			break
		}
		if memory := recalled(s.memory); !memory[key].Equal(disruptkit.Memory{}) {
			delete(memory, key)
			lost := s
			lost.memory = remembered(memory)
			all = append(all, lost)
		}
	}
	return all
}

// breaks describes what is wrong with a step that starts nodes.
func (m *waveModel) breaks(before, after waveState) string {
	for _, g := range m.groups {
		zones, started := map[byte]bool{}, false
		var is budget.Progress
		if all := m.recall(after)[g.Key()].Waves; len(all) > 0 {
			is = all[0]
		}
		baked := is.Baked
		nodes, used, ready, fresh, moving := 0, 0, 0, 0, false
		for i, phase := range after.nodes {
			if !slices.Contains(g.Pools, m.pools[i:i+1]) {
				continue
			}
			nodes++
			started = started || before.nodes[i] == 'o' && phase == 'f'
			if strings.ContainsRune("fj", phase) {
				zones[m.zones[i]] = true
			}
			if phase != 'o' && (!m.loses || slices.Contains(is.Pools, m.pools[i:i+1])) {
				used++
			}
			if before.nodes[i] == 'n' {
				ready++
			}
			moving = moving || strings.ContainsRune("fj", rune(before.nodes[i]))
			if !strings.ContainsRune("of", phase) {
				fresh++
			}
		}
		if g.Name == "1" && started && len(zones) > 1 {
			return "two zones of group 1 are in flight"
		}
		sizes := []int{1, 2, nodes} // 60 % of 3 is 2
		if started && used > sizes[baked] && baked < 2 {
			return fmt.Sprintf("%d nodes of group %s are new or in flight, and %d waves have baked", used, g.Name, baked)
		}
		if started && baked > 0 && fresh < sizes[baked-1] {
			return fmt.Sprintf("wave %d of group %s has baked, and %d of its nodes are new", baked, g.Name, fresh)
		}
		if was := m.recall(before)[g.Key()].Waves; len(was) == 1 && baked > was[0].Baked && (moving || ready < sizes[baked-1] || was[0].Since.After(fixture.Noon.Add(-2*halfBake))) {
			return fmt.Sprintf("wave %d of group %s has baked, with %d nodes Ready, since %s, while nodes are in flight: %t", baked, g.Name, ready, was[0].Since, moving)
		}
	}
	return ""
}

// ends reports whether all nodes are new some time, if all goes well from a state on.
func (m *waveModel) ends(s waveState) bool {
	s.denied = false
	var on []waveState
	for steps := 0; strings.Trim(s.nodes, "n") != "" && !m.good[s]; steps++ {
		if steps > 60 {
			return false
		}
		on = append(on, s)
		decided, may := m.decide(s)
		decided.nodes = strings.NewReplacer("f", "j", "j", "n", "r", "n").Replace(s.nodes)
		for _, node := range may {
			decided = decided.with(node, 'f')
		}
		s = decided.later()
	}
	for _, s := range on {
		m.good[s] = true
	}
	return true
}

// story describes how a state was reached.
func (m *waveModel) story(s waveState) string {
	var states []string
	for s.nodes != "" {
		states = append(states, fmt.Sprintf("%s denied=%t revision=%d %s", s.nodes, s.denied, s.revision, s.memory))
		s = m.seen[s]
	}
	slices.Reverse(states)
	return strings.Join(states, "\n")
}

// In every state that can be reached, with crashes, lost memories, probes that deny, nodes that fail, and new revisions at any time: never are
// more nodes of a group new or in flight than the wave allows, no wave counts as baked that has not, the zones of a group take turns, and no two
// groups wait for each other for ever. EXHAUSTIVE=1 visits all states, as the step proof of .ci/run does; otherwise, the first ones.
func TestNoStateOfWavesInOverlappingGroupsIsWrong(t *testing.T) {
	for rule, loses := range map[string]bool{"what is remembered stays": false, "memories are lost": true} {
		t.Run(rule, func(t *testing.T) { newWaveModel(t, loses).explore(t) })
	}
}

func (m *waveModel) explore(t *testing.T) {
	first := waveState{nodes: "oooo", memory: "{}", revision: 1}
	queue := []waveState{first}
	m.seen[first] = waveState{}
	most := 10_000
	switch {
	case os.Getenv("EXHAUSTIVE") != "":
		most = 1 << 20
	case testing.Short():
		most = 2_000
	}
	checked := 0
	for len(queue) > 0 && checked < most {
		s := queue[0]
		queue = queue[1:]
		checked++
		for _, next := range m.steps(s) {
			if wrong := m.breaks(s, next); wrong != "" {
				t.Fatalf("%s:\n%s\n%s %s", wrong, m.story(s), next.nodes, next.memory)
			}
			if _, known := m.seen[next]; !known {
				m.seen[next] = s
				queue = append(queue, next)
			}
		}
		if !m.ends(s) {
			t.Fatalf("the roll never ends:\n%s", m.story(s))
		}
	}
	t.Logf("%d states checked, %d known", checked, len(m.seen))
}
