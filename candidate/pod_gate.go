package candidate

import (
	"fmt"
	"slices"
	"time"

	"github.com/disruptkit/disruptkit/dialect"
	"github.com/disruptkit/disruptkit/internal/arena"
	"github.com/disruptkit/disruptkit/internal/until"
	"github.com/disruptkit/disruptkit/schedule"
)

// A PodGate judges nodes by their pods at one time, and counts what PDBs still allow. Rules.At opens one. It is told of nodes
// in flight (Reserve), judges others one after the other (Judge), and is told which of them are let through (Take). It is not
// for concurrent use.
type PodGate struct {
	rules Rules
	now   time.Time
	left  []int // how much each PDB still allows
	spent int   // how often one has come to allow nothing more

	apart bool      // each node is asked for on its own: none uses up what others need
	stop  []Blocker // what holds back all nodes, whatever their pods

	windows map[schedule.Window]windowState // of those that were asked for: a handful, on all pods

	judged int    // nodes
	users  []user // of each PDB, the last

	selections selections
	draft      PodVerdict // scratch: what grows while a node is judged
	blockers   arena.Arena[Blocker]
	open       arena.Arena[opening]
	uses       arena.Arena[use]
	texts      texts
}

// A user is the node that was the last to use a PDB, by its number, and where its use is noted.
type user struct{ node, use int }

// A windowState is a window at the gate's time.
type windowState struct {
	open  bool
	until time.Time
	exact bool   // otherwise it may stay so for longer
	text  string // of one that is closed
}

// At opens the gate at a time, with all that the PDBs allow. Reserve then tells it of nodes in flight.
func (r Rules) At(now time.Time) *PodGate {
	g := &PodGate{rules: r, now: now, left: slices.Clone(r.get().allowed)}
	if r.Dialect == dialect.Karpenter {
		g.forKarpenter()
	}
	return g
}

// Reserve tells the gate of a node in flight: it will use up one disruption of each PDB of the pods that it still runs. Those
// that are evicted are Inactive, and what the PDB says counts them already. (Karpenter lets the next node go, whose drain then
// waits, or ends at its deadline together with the first.)
func (g *PodGate) Reserve(n *Node) { g.Take(g.judge(n, true)) }

// Judge returns what the node's pods say against disrupting it for a condition:
//
//   - Pods that are Inactive say nothing. All others, DaemonSet and static ones among them, can hold the node back with
//     Terms.Protect (do-not-disrupt) and Terms.Window (disruption schedules), and by a PodSchedule that selects them.
//   - Those that are not Unevictable do so, too, where a PDB that selects them allows nothing, or those in flight and let
//     through up to now use it up, or where more than one PDB selects them. One disruption of a PDB is enough for all pods of
//     a node: they are evicted one after the other.
//   - Where the node has a termination grace period, and the reason is eventual (Drifted) or Unhealthy, nothing of this holds it
//     back: its pods have their say while it drains, until its deadline. So it is for Unhealthy where the condition is Bounded.
//     Nor does anything once a node in flight is past its deadline.
//
// The verdict holds on to the node. (Karpenter: ValidatePodsDisruptable, CanEvictPods; pod disruption schedule RFC, "Integration with Existing Features".)
func (g *PodGate) Judge(n *Node, c Condition) PodVerdict {
	return g.judge(n, n.late(g.now) || n.waives(c))
}

// judge returns what a node's pods say, or, waived, only what disrupting it uses up.
func (g *PodGate) judge(n *Node, waived bool) PodVerdict {
	v := PodVerdict{gate: g, node: n, Waived: waived, spent: g.spent}
	if g.now.IsZero() {
		v.Blockers = []Blocker{noTime(GatePod)}
		return v
	}
	g.judged++
	v.Blockers, v.open, v.uses = append(g.draft.Blockers[:0], g.stop...), g.draft.open[:0], g.draft.uses[:0]
	for i := range n.Pods {
		p := &n.Pods[i]
		if p.Inactive {
			continue
		}
		selection := g.selections.of(p, g.rules.get())
		if !v.Waived {
			g.judgeTerms(&v, p)
			g.judgeSchedules(&v, p, selection.schedules)
		}
		if !p.Unevictable {
			g.judgePDBs(&v, i, selection)
		}
	}
	if !v.Waived {
		for i, u := range v.uses {
			if g.left[u.pdb] <= 0 {
				v.Blockers = append(v.Blockers, g.refusal(v, u))
				v.uses[i], v.uses[v.refused] = v.uses[v.refused], u
				v.refused++
			}
		}
	}
	if g.apart {
		v.uses = v.uses[:v.refused]
	}
	slices.SortFunc(v.Blockers, Blocker.Compare)
	if end := n.gracePeriodEnd(); !end.IsZero() {
		v.endAt(end)
	}
	g.draft = v
	v.Blockers, v.open, v.uses = g.blockers.Keep(v.Blockers), g.open.Keep(v.open), g.uses.Keep(v.uses)
	return v
}

// judgeTerms adds what a pod's annotations say.
func (g *PodGate) judgeTerms(v *PodVerdict, p *Pod) {
	if p.Terms.Protect > 0 {
		if b, protected := p.protected(g.now); protected {
			v.Blockers = append(v.Blockers, b)
		}
	}
	if p.Terms.Invalid && g.rules.FailClosed {
		v.Blockers = append(v.Blockers, p.blocker(CodeInvalidAnnotation, " has invalid annotations, which by policy block it"))
	}
	if p.Terms.Window != (schedule.Window{}) {
		g.judgeWindow(v, opening{p, p.Terms.Window, nil})
	}
}

// judgeSchedules adds what the PodSchedules that select a pod say.
func (g *PodGate) judgeSchedules(v *PodVerdict, p *Pod, schedules []int) {
	for _, i := range schedules {
		s := &g.rules.compiled.schedules[i]
		if s.broken != "" {
			b := p.blocker(CodeInvalidSchedule, " is held back by "+s.title+", which is not valid: "+s.broken)
			b.Source = s.source
			v.Blockers = append(v.Blockers, b)
			continue
		}
		g.judgeWindow(v, opening{p, s.window, s})
	}
}

// judgeWindow notes that a pod may only go in a window.
func (g *PodGate) judgeWindow(v *PodVerdict, o opening) {
	state, known := g.windows[o.window]
	if !known {
		state.open, state.until, state.exact = o.window.UntilAtLeast(g.now)
		if !state.open {
			state.text = textOf(o.window)
		}
		if g.windows == nil {
			g.windows = map[schedule.Window]windowState{}
		}
		g.windows[o.window] = state
	}
	switch {
	case !state.open && state.exact:
		v.Blockers = append(v.Blockers, o.closed(&g.texts, state))
	case !state.open: // when it opens is unknown
		v.Until = until.First(v.Until, state.until)
		state.until = time.Time{}
		v.Blockers = append(v.Blockers, o.closed(&g.texts, state))
	case !state.until.IsZero():
		v.Until = until.First(v.Until, state.until)
		v.open = append(v.open, o)
	}
}

// judgePDBs notes the PDBs that select a pod.
func (g *PodGate) judgePDBs(v *PodVerdict, pod int, s *selection) {
	p := &v.node.Pods[pod]
	for _, i := range s.pdbs {
		if !p.Unready || !g.rules.compiled.pdbs[i].AlwaysAllow {
			g.use(v, i, pod)
		}
	}
	if s.valid > 1 && !v.Waived {
		source := s.several(g.rules.compiled)
		b := p.blocker(CodeSeveralPDBs, fmt.Sprintf(" has %d PDBs, and eviction refuses pods with more than one: %s", s.valid, few(source.PDBs)))
		b.ForGood, b.Source = true, source
		v.Blockers = append(v.Blockers, b)
	}
}

// use notes that a pod uses a PDB: one disruption is for all pods of the node, and told of the first by name.
func (g *PodGate) use(v *PodVerdict, pdb, pod int) {
	if len(v.node.Pods) == 1 { // it uses each PDB once
		v.uses = append(v.uses, use{pdb: int32(pdb)})
		return
	}
	if g.users == nil {
		g.users = make([]user, len(g.left))
	}
	if last := &g.users[pdb]; last.node != g.judged {
		*last = user{g.judged, len(v.uses)}
		v.uses = append(v.uses, use{pdb: int32(pdb), pod: int32(pod)})
	} else if u := &v.uses[last.use]; v.node.Pods[pod].Name < v.node.Pods[u.pod].Name {
		u.pod = int32(pod)
	}
}

// refusal returns what holds back a node because of a PDB that allows nothing, or nothing more.
func (g *PodGate) refusal(v PodVerdict, u use) Blocker {
	pdb, pod := &g.rules.compiled.pdbs[u.pdb], &v.node.Pods[u.pod]
	code, message := CodeExhausted, pdb.exhausted
	if g.rules.compiled.allowed[u.pdb] == 0 {
		code, message = pdb.code, pdb.refusal
	}
	b := g.texts.blocker(pod, code, message)
	b.Source = pdb.source
	return b
}

// Take lets a node through: it uses up one disruption of each PDB of its pods. Those judged before find that in Spent. The
// verdict is one of this gate; another changes nothing.
func (g *PodGate) Take(v PodVerdict) {
	if v.gate != g {
		return
	}
	for _, u := range v.uses {
		if g.left[u.pdb]--; g.left[u.pdb] == 0 {
			g.spent++
		}
	}
}

// Release takes back a Take of the same verdict.
func (g *PodGate) Release(v PodVerdict) {
	if v.gate != g {
		return
	}
	for _, u := range v.uses {
		g.left[u.pdb]++
	}
}

// Spent returns what holds back a node that was judged before others were let through: its PDBs that allow nothing more.
func (g *PodGate) Spent(v PodVerdict) (spent []Blocker) {
	if v.gate != g || v.spent == g.spent {
		return nil
	}
	for _, u := range v.uses[v.refused:] {
		if !v.Waived && g.left[u.pdb] <= 0 {
			spent = append(spent, g.refusal(v, u))
		}
	}
	slices.SortFunc(spent, Blocker.Compare)
	return spent
}

// Source names a PDB, by its position in Rules.PDBs.
func (g *PodGate) Source(pdb int) *Source {
	if pdb < 0 || pdb >= len(g.left) {
		return nil
	}
	return g.rules.compiled.pdbs[pdb].source
}

// Left returns how much a PDB, by its position in Rules.PDBs, still allows.
func (g *PodGate) Left(pdb int) int {
	if pdb < 0 || pdb >= len(g.left) {
		return 0
	}
	return g.left[pdb]
}
