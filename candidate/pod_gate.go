package candidate

import (
	"slices"
	"time"

	"github.com/disruptkit/disruptkit/dialect"
	"github.com/disruptkit/disruptkit/internal/arena"
	"github.com/disruptkit/disruptkit/internal/evict/compiled"
	"github.com/disruptkit/disruptkit/internal/prefetch"
	"github.com/disruptkit/disruptkit/internal/until"
	"github.com/disruptkit/disruptkit/schedule"
)

// A PodGate judges nodes by their pods at one time, and counts the disruptions that PDBs still allow. [Rules.At] opens
// one. Call Reserve for nodes in flight, Judge for each candidate, and Take for those that go. A PodGate is not safe
// for concurrent use.
type PodGate struct {
	rules      *compiled.Rules // as the dialect reads them
	written    *compiled.Rules // as the caller has them
	failClosed bool            // Rules.FailClosed
	now        time.Time
	pdbs       []account
	spent      int32 // how many PDBs have been used up

	apart bool      // each node is checked separately, and uses up nothing
	stop  []Blocker // blockers of all nodes, whatever their pods

	windows map[schedule.Window]windowState // of windows seen so far: a handful for all pods

	judged int32 // number of nodes whose pods were read
	ahead  int   // the sum of what was read in advance; see package prefetch

	selections selections
	some       []Blocker // scratch for the refusals of a digest that hold now
	blockers   arena.Arena[Blocker]
	open       arena.Arena[opening]
	uses       arena.Arena[use]
	texts      texts
	sources    sources
}

// An account keeps track of a PDB.
type account struct {
	left      int   // how much it still allows
	node, use int32 // the last node that uses it, by its number, with the position of its use
}

// A windowState is a window at the gate's time.
type windowState struct {
	open  bool
	until time.Time
	exact bool   // until is exact; else it may stay so for longer
	text  string // of a closed window
}

// At opens the gate at a time, with all that the PDBs allow. Call [PodGate.Reserve] for nodes in flight first.
func (r Rules) At(now time.Time) *PodGate {
	rules := r.Compiled()
	g := &PodGate{rules: rules, written: rules, failClosed: r.FailClosed, now: now, pdbs: make([]account, len(rules.PDBs))}
	for i := range rules.PDBs {
		g.pdbs[i].left = rules.PDBs[i].Allowed
	}
	if r.Dialect == dialect.Karpenter {
		g.forKarpenter()
	}
	return g
}

// Reserve counts a node in flight: it will use up one disruption of each PDB of its remaining pods. Evicted pods are
// Inactive, and the PDB's status counts them already. (Karpenter lets the next node go as well. Its drain then waits,
// or ends at its deadline together with the first.)
func (g *PodGate) Reserve(n *Node) { g.Take(g.judge(n, true)) }

// Judge returns how the node's pods block it for a condition:
//
//   - Inactive pods never do. All others, including DaemonSet and static pods, can do so by Terms.Protect
//     (do-not-disrupt), by Terms.Window (disruption schedules), and by a PodSchedule that selects them.
//   - Unless they are Unevictable, they also do so if a PDB that selects them allows nothing, if nodes in flight or
//     taken before have used it up, or if more than one PDB selects them. One disruption of a PDB is enough for all
//     pods of a node: they are evicted one after another.
//   - If the node has a termination grace period and the reason is eventual (Drifted) or Unhealthy, none of this blocks
//     it: pods can delay the drain, but only until the deadline. The same is true for Unhealthy if the condition
//     has a Bound, and for a node in flight past its deadline.
//
// If the node has a termination grace period, its pods no longer block it once it is overdue for the condition
// (Condition.Deadline), whatever the reason.
//
// The verdict refers to the node. (Karpenter: ValidatePodsDisruptable, CanEvictPods; pod disruption schedule RFC,
// "Integration with Existing Features".)
func (g *PodGate) Judge(n *Node, c Condition) PodVerdict {
	waived := n.late(g.now) || n.waives(&c)
	if waived || !n.HasGracePeriod || !c.HasDeadline() || g.apart || g.now.IsZero() {
		return g.judge(n, waived)
	}
	v := g.judge(n, c.Overdue(g.now))
	if !v.Waived {
		v.Blockers = g.blockers.Keep(v.Blockers) // those of a digest are its own
		v.endAt(c.Deadline)
		v.overdue = new(c.Deadline)
	}
	return v
}

// judge judges a node. If waived, its pods do not hold it back, but it still uses up PDBs.
func (g *PodGate) judge(n *Node, waived bool) PodVerdict {
	v := PodVerdict{gate: g, node: n, Waived: waived, spent: g.spent}
	if g.now.IsZero() {
		v.Blockers = []Blocker{noTime(GatePod)}
		return v
	}
	v.Blockers, v.open = append(g.blockers.Begin(), g.stop...), g.open.Begin()
	d, end := n.Digest, n.gracePeriodEnd()
	switch {
	case !d.of(n, g.written):
		g.judgePods(&v)
	case g.stop == nil && end.IsZero() && len(d.asking)+len(d.several) == 0: // the list need not be sorted, nor copied
		g.askPDBs(&v, d)
		v.Blockers = g.refusals(d, v.refusing)
		return v
	default:
		g.judgeDigest(&v, d)
	}
	slices.SortFunc(v.Blockers, Blocker.Compare)
	if !end.IsZero() {
		v.endAt(end)
	}
	v.Blockers, v.open = g.blockers.End(v.Blockers), g.open.End(v.open)
	return v
}

// readAhead reads the pods of a node all at once, so that the processor waits for their memory once and not for each pod.
// See package prefetch.
func (g *PodGate) readAhead(pods []Pod) {
	for i := range pods {
		if pods[i].Inactive || pods[i].LabelSet.set == nil {
			g.ahead++
		}
	}
}

// judgePods notes what the pods of a node say.
func (g *PodGate) judgePods(v *PodVerdict) {
	g.judged++
	pods := v.node.Pods
	uses := g.uses.Begin()
	g.readAhead(pods)
	for i := range pods {
		p := &pods[i]
		if p.Inactive {
			continue
		}
		s := g.selections.of(p, g.rules)
		if p.Terms != (Terms{}) && !v.Waived {
			g.judgeTerms(v, p)
		}
		if len(s.schedules) > 0 && !v.Waived {
			g.judgeSchedules(v, p, s.schedules)
		}
		if len(s.pdbs) == 0 || p.Unevictable {
			continue
		}
		uses = g.use(uses, pods, i, s)
		if s.several != nil && !v.Waived {
			v.Blockers = append(v.Blockers, s.refuses(p))
		}
	}
	v.uses = uses
	if !v.Waived {
		for i, u := range v.uses {
			if g.pdbs[u.pdb].left <= 0 {
				v.Blockers = append(v.Blockers, g.refusal(v.node, u))
				v.uses[i], v.uses[v.refused] = v.uses[v.refused], u
				v.refused++
			}
		}
	}
	if g.apart {
		v.uses = v.uses[:v.refused]
	}
	v.uses = g.uses.End(v.uses)
}

// judgeTerms adds the blockers of a pod's annotations.
func (g *PodGate) judgeTerms(v *PodVerdict, p *Pod) {
	if p.Terms.Protect > 0 {
		if b, protected := p.protected(g.now); protected {
			v.Blockers = append(v.Blockers, b)
		}
	}
	if p.Terms.Invalid && g.failClosed {
		v.Blockers = append(v.Blockers, p.blocker(CodeInvalidAnnotation, " has invalid annotations, which by policy block it"))
	}
	if p.Terms.Window != (schedule.Window{}) {
		g.judgeWindow(v, opening{p, p.Terms.Window, own})
	}
}

// judgeSchedules adds the blockers of the PodSchedules that select a pod.
func (g *PodGate) judgeSchedules(v *PodVerdict, p *Pod, schedules []int) {
	for _, i := range schedules {
		s := &g.rules.Schedules[i]
		if s.Broken != "" {
			b := p.blocker(CodeInvalidSchedule, " is blocked by "+s.Title+", which is not valid: "+s.Broken)
			b.Source = g.sources.schedule(i, g.rules)
			v.Blockers = append(v.Blockers, b)
			continue
		}
		g.judgeWindow(v, opening{p, s.Window, i})
	}
}

// judgeWindow records that a pod may only go in a window.
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
		v.Blockers = append(v.Blockers, g.closed(o, state))
	case !state.open: // when it opens is unknown
		v.Until = until.First(v.Until, state.until)
		state.until = time.Time{}
		v.Blockers = append(v.Blockers, g.closed(o, state))
	case !state.until.IsZero():
		v.Until = until.First(v.Until, state.until)
		v.open = append(v.open, o)
	}
}

// use adds the PDBs that select a pod to those that a node uses. A node uses one disruption of each for all its pods; messages name the
// first of them by name.
func (g *PodGate) use(uses []use, pods []Pod, pod int, s *selection) []use {
	p := &pods[pod]
	for _, i := range s.pdbs {
		if p.Unready && g.rules.PDBs[i].AlwaysAllow {
			continue
		}
		if of := &g.pdbs[i]; of.node != g.judged {
			of.node, of.use = g.judged, int32(len(uses))
			uses = append(uses, use{pdb: int32(i), pod: int32(pod)})
			if of.left <= 0 { // the blocker will name the pod
				g.ahead += prefetch.Text(p.Name)
			}
		} else if u := &uses[of.use]; p.Name < pods[u.pod].Name {
			u.pod = int32(pod)
		}
	}
	return uses
}

// refusal returns the blocker for a PDB that allows nothing, or nothing more.
func (g *PodGate) refusal(n *Node, u use) Blocker {
	pdb, pod := &g.rules.PDBs[u.pdb], &n.Pods[u.pod]
	code, message := CodeExhausted, pdb.Exhausted
	switch {
	case pdb.Invalid:
		code, message = CodeInvalidPDB, pdb.Refusal
	case pdb.Allowed == 0:
		code, message = CodeAllowsNone, pdb.Refusal
	}
	b := g.texts.blocker(pod, code, message)
	b.Source = g.sources.pdb(int(u.pdb), g.rules)
	return b
}

// Take records that a node goes: it uses up one disruption of each PDB of its pods. For nodes judged before, Spent
// shows the effect. Verdicts of other gates have no effect.
func (g *PodGate) Take(v PodVerdict) {
	if v.gate != g {
		return
	}
	for _, u := range v.uses {
		if g.pdbs[u.pdb].left--; g.pdbs[u.pdb].left == 0 {
			g.spent++
		}
	}
}

// Release undoes a Take of the same verdict.
func (g *PodGate) Release(v PodVerdict) {
	if v.gate != g {
		return
	}
	for _, u := range v.uses {
		g.pdbs[u.pdb].left++
	}
}

// Spent returns the additional blockers of a node since it was judged: its PDBs that others have used up by Take.
func (g *PodGate) Spent(v PodVerdict) []Blocker {
	if v.gate != g || v.spent == g.spent { // almost always, so the compiler has to be able to inline this
		return nil
	}
	return g.spentSince(&v)
}

// spentSince is Spent for a verdict since which PDBs have been used up.
func (g *PodGate) spentSince(v *PodVerdict) (spent []Blocker) {
	if v.digest != nil {
		return g.spentDigest(v)
	}
	for _, u := range v.uses[v.refused:] {
		if !v.Waived && g.pdbs[u.pdb].left <= 0 {
			spent = append(spent, g.refusal(v.node, u))
		}
	}
	slices.SortFunc(spent, Blocker.Compare)
	return spent
}

// Source names a PDB, by its position in Rules.PDBs.
func (g *PodGate) Source(pdb int) *Source {
	if pdb < 0 || pdb >= len(g.pdbs) {
		return nil
	}
	return g.sources.pdb(pdb, g.rules)
}

// Left returns how much a PDB still allows, by its position in Rules.PDBs.
func (g *PodGate) Left(pdb int) int {
	if pdb < 0 || pdb >= len(g.pdbs) {
		return 0
	}
	return g.pdbs[pdb].left
}
