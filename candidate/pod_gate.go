package candidate

import (
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/disruptkit/disruptkit/internal/duration"
	"github.com/disruptkit/disruptkit/internal/until"
	"github.com/disruptkit/disruptkit/schedule"
)

// A PodGate judges nodes by their pods at one time, and counts what PDBs still allow while nodes are let through. It is
// not for concurrent use.
type PodGate struct {
	rules Rules
	now   time.Time
	start []int // how much each PDB allows, less what nodes in flight use up
	left  []int // the same, less what nodes that were let through do

	windows map[schedule.Window]windowState // of those that were asked for: a handful, on all pods

	found    []int      // scratch
	draft    PodVerdict // scratch: what grows while a node is judged
	blockers arena[Blocker]
	open     arena[opening]
	uses     arena[use]
}

// A windowState is a window at the gate's time.
type windowState struct {
	open  bool
	until time.Time
	text  string
}

// A PodVerdict is what the pods of a node say against disrupting it. The zero PodVerdict says nothing.
type PodVerdict struct {
	Blockers []Blocker // now
	// Until is when a pod's window that is open now closes, of several the first: up to then, time alone adds no blocker.
	// Zero is never.
	Until time.Time
	// Waived says that PDBs do not refuse the node, although disrupting it uses them up.
	Waived bool

	node *Node
	open []opening // what closes at Until, or later
	uses []use
}

// An opening is a window that is open, and a pod that may only go in it.
type opening struct {
	pod    *Pod
	window schedule.Window
	whose  string
}

// A use is the use of a PDB by the first pod of a node that it selects.
type use struct{ pdb, pod int32 }

// At opens the gate at a time, with all that the PDBs allow. Reserve then tells it of nodes in flight.
func (r Rules) At(now time.Time) *PodGate {
	return &PodGate{rules: r, now: now, start: slices.Clone(r.left), left: slices.Clone(r.left)}
}

// Reserve tells the gate of a node in flight, before others are judged: it will use up one disruption of each PDB of the pods
// that it still runs. Those that are evicted are Inactive, and what the PDB says counts them already. (Karpenter lets the
// next node go, whose drain then waits, or ends at its deadline together with the first.)
func (g *PodGate) Reserve(n *Node) {
	for pdb := range g.judge(n, true).PDBs() {
		g.start[pdb]--
		g.left[pdb]--
	}
}

// Judge returns what the node's pods say against disrupting it for a condition:
//
//   - Pods that are Inactive say nothing. All others, DaemonSet and static ones among them, can hold the node back with
//     Terms.Protect (do-not-disrupt) and Terms.Window (disruption schedules), and by a PodSchedule that selects them.
//   - Those that are not Unevictable do so, too, where a PDB that selects them allows nothing, or nodes in flight use it up,
//     or where more than one PDB selects them. One disruption of a PDB is enough for all pods of a node: they are evicted one
//     after the other. What nodes that are let through use up is in Spent.
//   - Where the node has a termination grace period, and the reason is eventual (Drifted), nothing of this holds it back:
//     its pods have their say while it drains, until its deadline. Nor does anything once that has passed.
//
// (Karpenter: ValidatePodsDisruptable, CanEvictPods; pod disruption schedule RFC, "Integration with Existing Features".)
func (g *PodGate) Judge(n *Node, c Condition) PodVerdict {
	late := !n.Deadline.IsZero() && !g.now.Before(n.Deadline)
	return g.judge(n, late || n.HasGracePeriod && Drifted.Covers(c.Reason))
}

// judge returns what a node's pods say, or, waived, only what disrupting it uses up.
func (g *PodGate) judge(n *Node, waived bool) PodVerdict {
	v := PodVerdict{node: n, Waived: waived}
	v.Blockers, v.open, v.uses = g.draft.Blockers[:0], g.draft.open[:0], g.draft.uses[:0]
	for i := range n.Pods {
		p := &n.Pods[i]
		if p.Inactive {
			continue
		}
		if !v.Waived {
			g.judgeTerms(&v, p)
		}
		if !p.Unevictable {
			g.judgePDBs(&v, i)
		}
	}
	for _, u := range v.uses {
		pdb := &g.rules.compiled.pdbs[u.pdb]
		switch {
		case v.Waived || g.start[u.pdb] > 0:
		case g.rules.left[u.pdb] == 0:
			v.Blockers = append(v.Blockers, v.pod(u).blocker(pdb.code, pdb.refusal))
		default:
			v.Blockers = append(v.Blockers, v.pod(u).blocker(CodeExhausted, pdb.inFlight))
		}
	}
	slices.SortFunc(v.Blockers, compareBlockers)
	if !n.Deadline.IsZero() {
		v.endAt(n.Deadline)
	}
	g.draft = v
	v.Blockers, v.open, v.uses = g.blockers.keep(v.Blockers), g.open.keep(v.open), g.uses.keep(v.uses)
	return v
}

// endAt limits what pods say to the time before a deadline.
func (v *PodVerdict) endAt(deadline time.Time) {
	for i := range v.Blockers {
		b := &v.Blockers[i]
		b.Until, b.ForGood = until.First(b.Until, deadline), false
	}
	if !v.Until.Before(deadline) {
		v.Until = time.Time{}
	}
}

// judgeTerms adds what a pod's annotations, and the PodSchedules that select it, say.
func (g *PodGate) judgeTerms(v *PodVerdict, p *Pod) {
	if p.Terms.Protect > 0 {
		if b, protected := p.protected(g.now); protected {
			v.Blockers = append(v.Blockers, b)
		}
	}
	if p.Terms.Invalid && g.rules.FailClosed {
		v.Blockers = append(v.Blockers, p.blocker(CodeInvalidAnnotation, " has annotations that are not valid, and by policy block it"))
	}
	if p.Terms.Window != (schedule.Window{}) {
		g.judgeWindow(v, opening{p, p.Terms.Window, "its disruption schedule"})
	}
	rules := g.rules.get()
	if len(rules.schedules) == 0 {
		return
	}
	g.found = rules.scheduleIndex.matches(g.found[:0], "", p.Labels)
	for _, i := range g.found {
		s := &rules.schedules[i]
		if s.broken != "" {
			v.Blockers = append(v.Blockers, p.blocker(CodeInvalidSchedule, " is held back by PodDisruptionSchedule "+s.Name+", which is not valid: "+s.broken))
			continue
		}
		g.judgeWindow(v, opening{p, s.window, "PodDisruptionSchedule " + s.Name})
	}
}

// protected returns what holds back a pod that is not to be disrupted for a time after its start. (Karpenter:
// IsDoNotDisruptActive.)
func (p *Pod) protected(now time.Time) (b Blocker, protected bool) {
	protect := p.Terms.Protect
	switch {
	case protect == Forever:
		b = p.blocker(CodeDoNotDisrupt, ` is annotated karpenter.sh/do-not-disrupt: "true"`)
		b.ForGood = true
	case p.Started.IsZero():
		b = p.blocker(CodeDoNotDisrupt, fmt.Sprintf(" is not to be disrupted for %s after its start (do-not-disrupt), and has not started", duration.Text(protect)))
	case now.Before(p.Started.Add(protect)):
		b = p.blocker(CodeDoNotDisrupt, fmt.Sprintf(" is not to be disrupted for %s after its start (do-not-disrupt)", duration.Text(protect)))
		b.Until = p.Started.Add(protect)
	default:
		return b, false
	}
	return b, true
}

// judgeWindow notes that a pod may only go in a window.
func (g *PodGate) judgeWindow(v *PodVerdict, o opening) {
	state, known := g.windows[o.window]
	if !known {
		state.open, state.until = o.window.Until(g.now)
		state.text = o.window.String()
		if g.windows == nil {
			g.windows = map[schedule.Window]windowState{}
		}
		g.windows[o.window] = state
	}
	switch {
	case !state.open:
		v.Blockers = append(v.Blockers, o.closed(state.text, state.until))
	case !state.until.IsZero():
		v.Until = until.First(v.Until, state.until)
		v.open = append(v.open, o)
	}
}

// closed returns what holds back the pod outside of the window.
func (o opening) closed(window string, opens time.Time) Blocker {
	b := o.pod.blocker(CodeOutsideSchedule, " may go only when "+o.whose+" lets it: "+window)
	b.Until = opens
	return b
}

// judgePDBs notes the PDBs that select a pod.
func (g *PodGate) judgePDBs(v *PodVerdict, pod int) {
	p, rules := &v.node.Pods[pod], g.rules.get()
	g.found = rules.pdbIndex.matches(g.found[:0], p.Namespace, p.Labels)
	var names []string
	for _, i := range g.found {
		pdb := &rules.pdbs[i]
		if len(g.found) > 1 && pdb.code != CodeInvalidPDB {
			names = append(names, path(pdb.Namespace, pdb.Name))
		}
		if !pdb.AlwaysAllow || !p.Unready {
			v.use(i, pod)
		}
	}
	if len(names) > 1 && !v.Waived {
		few := strings.Join(names[:min(3, len(names))], ", ")
		b := p.blocker(CodeSeveralPDBs, fmt.Sprintf(" has %d PDBs, and eviction refuses pods with more than one: %s", len(names), few))
		b.ForGood = true
		v.Blockers = append(v.Blockers, b)
	}
}

// use notes that a pod uses a PDB: one disruption is for all pods of the node, and told of the first by name.
func (v *PodVerdict) use(pdb, pod int) {
	for i := range v.uses {
		if u := &v.uses[i]; u.pdb == int32(pdb) {
			if v.node.Pods[pod].Name < v.pod(*u).Name {
				u.pod = int32(pod)
			}
			return
		}
	}
	v.uses = append(v.uses, use{int32(pdb), int32(pod)})
}

func (v *PodVerdict) pod(u use) *Pod { return &v.node.Pods[u.pod] }

// Spent returns what holds back a node because of those let through since: PDBs that allowed something as it was judged,
// and now allow nothing more.
func (g *PodGate) Spent(v PodVerdict) (spent []Blocker) {
	for _, u := range v.uses {
		if !v.Waived && g.left[u.pdb] <= 0 && g.start[u.pdb] > 0 {
			spent = append(spent, v.pod(u).blocker(CodeExhausted, g.rules.compiled.pdbs[u.pdb].spent))
		}
	}
	slices.SortFunc(spent, compareBlockers)
	return spent
}

// Take lets a node through: it uses up one disruption of each PDB of its pods.
func (g *PodGate) Take(v PodVerdict) {
	for _, u := range v.uses {
		g.left[u.pdb]--
	}
}

// Left returns how much a PDB of a verdict still allows.
func (g *PodGate) Left(pdb int) int { return g.left[pdb] }

// PDBs yields the PDBs of which the node uses up one disruption each, as numbers that PodGate.Left understands, and the first
// pod that has it.
func (v PodVerdict) PDBs() iter.Seq2[int, *Pod] {
	return func(yield func(int, *Pod) bool) {
		for _, u := range v.uses {
			if !yield(int(u.pdb), v.pod(u)) {
				return
			}
		}
	}
}

// Closed returns what will hold back the node at a later time: the first pod whose window, open now, is closed then.
func (v PodVerdict) Closed(at time.Time) (b Blocker, closed bool) {
	for _, o := range v.open {
		if schedule.InWindow(o.window, at) {
			continue
		}
		_, opens := o.window.Until(at)
		if other := o.closed(o.window.String(), opens); !closed || compareBlockers(other, b) < 0 {
			b, closed = other, true
		}
	}
	return b, closed
}

// blocker returns one that names the pod.
func (p *Pod) blocker(code, message string) Blocker {
	return Blocker{Gate: GatePod, Code: code, Message: "pod " + p.String() + message}
}
