package candidate

import (
	"slices"
	"time"

	"github.com/disruptkit/disruptkit/dialect"
	"github.com/disruptkit/disruptkit/internal/memory"
	"github.com/disruptkit/disruptkit/schedule"
)

// A PodGate judges nodes by their pods at one time, and counts the disruptions that PDBs still allow. [OpenPods] opens
// one. Call Reserve for nodes in flight, Judge for each candidate, and Take for those that go. A PodGate is not safe
// for concurrent use.
type PodGate struct {
	rules      *compiledRules // as the dialect reads them
	written    *compiledRules // as the caller has them
	failClosed bool           // Rules.FailClosed
	now        time.Time
	pdbs       []pdbAccount
	spent      int32 // how often a PDB has been used up

	apart bool      // each node is checked separately, and uses up nothing
	stop  []Blocker // blockers of all nodes, whatever their pods

	windows map[schedule.Window]windowState // of windows seen so far: a handful for all pods

	judged int32 // number of nodes whose pods were read
	ahead  int   // the sum of what was read in advance; see package memory

	selections selections
	some       []Blocker // scratch for the refusals of a digest that hold now
	uses       memory.Arena[PDBUse]
	blockers   memory.Arena[Blocker]
	texts      podTexts
	sources    podSources
}

// A pdbAccount keeps track of a PDB.
type pdbAccount struct {
	left      int   // how much it still allows
	node, use int32 // the last node that uses it, by its number, with the position of its use
}

// OpenPods opens the gate at a time, with all that the PDBs allow. Call [PodGate.Reserve] for nodes in flight first.
func OpenPods(r Rules, now time.Time) *PodGate {
	rules := &r.get().compiled
	g := &PodGate{rules: rules, written: rules, failClosed: r.FailClosed, now: now}
	g.pdbs = make([]pdbAccount, len(rules.PDBs))
	for i := range rules.PDBs {
		g.pdbs[i].left = rules.PDBs[i].Allowed
	}
	if !dialect.SharedPDBs.In(r.Dialect) {
		g.forKarpenter()
	}
	return g
}

// Reserve counts a node in flight: it will use up one disruption of each PDB of its remaining pods. Evicted pods are
// Inactive, and the PDB's status counts them already. (Karpenter lets the next node go as well. Its drain then waits,
// or ends at its deadline together with the first.)
func (g *PodGate) Reserve(n *Node) {
	var v PodVerdict
	g.judge(&v, n, true)
	g.Take(&v)
}

// Judge sets a verdict to how the node's pods block it for a condition:
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
// (Karpenter: ValidatePodsDisruptable, CanEvictPods; pod disruption schedule RFC, "Integration with Existing
// Features".)
func (g *PodGate) Judge(v *PodVerdict, n *Node, c *Condition) {
	waived := graceEnded(n, g.now) || waivesPods(n, c)
	if waived || !g.waivesOverdue(n, c) {
		g.judge(v, n, waived)
		return
	}
	g.judge(v, n, c.Overdue(g.now))
	if !v.Waived {
		v.Blockers = g.blockers.Keep(v.Blockers) // those of a digest are its own
		v.endAt(c.Deadline)
	}
}

// Blockers returns what Judge says, for callers that ask no more of the verdict.
func (g *PodGate) Blockers(n *Node, c Condition) []Blocker {
	var v PodVerdict
	g.Judge(&v, n, &c)
	return v.Blockers
}

// judge judges a node. If waived, its pods do not hold it back, but it still uses up PDBs.
func (g *PodGate) judge(v *PodVerdict, n *Node, waived bool) {
	*v = PodVerdict{Waived: waived, spent: g.spent}
	if w, missing := NoTime(g.now); missing {
		v.Blockers = []Blocker{{Gate: GatePod, Code: w.Code, Message: w.Message}}
		return
	}
	v.Blockers = append(g.blockers.Begin(), g.stop...)
	d, end := digestOf(n, g.written), gracePeriodEnd(n)
	switch {
	case d == nil:
		g.judgePods(v, n)
	case g.stop == nil && end.IsZero() && len(d.asking)+len(d.several) == 0: // the list need not be sorted, nor copied
		g.askPDBs(v, d)
		v.Blockers = g.refusals(d, v.refusing)
		return
	default:
		g.judgeDigest(v, n, d)
	}
	slices.SortFunc(v.Blockers, Blocker.Compare)
	if !end.IsZero() {
		v.endAt(end)
	}
	v.Blockers = g.blockers.End(v.Blockers)
}

// readAhead reads the pods of a node all at once, so that the processor waits for their memory once and not for each
// pod. See package memory.
func (g *PodGate) readAhead(pods []Pod) {
	for i := range pods {
		if pods[i].Inactive || pods[i].LabelSet.set == nil {
			g.ahead++
		}
	}
}

// judgePods notes what the pods of a node say.
func (g *PodGate) judgePods(v *PodVerdict, n *Node) {
	g.judged++
	pods := n.Pods
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
	v.Uses = uses
	if !v.Waived {
		for i, u := range v.Uses {
			if g.pdbs[u.PDB].left <= 0 {
				v.Blockers = append(v.Blockers, g.refusal(n, u))
				v.Uses[i], v.Uses[v.refused] = v.Uses[v.refused], u
				v.refused++
			}
		}
	}
	if g.apart {
		v.Uses = v.Uses[:v.refused]
	}
	v.Uses = g.uses.End(v.Uses)
}

// judgeTerms adds the blockers of a pod's annotations. They are one source, so they lift together.
func (g *PodGate) judgeTerms(v *PodVerdict, p *Pod) {
	before := len(v.Blockers)
	if p.Terms.Protect != 0 {
		if b, protected := protectedPod(p, g.now); protected {
			v.Blockers = append(v.Blockers, b)
		}
	}
	if p.Terms.Invalid && g.failClosed {
		b := podBlocker(p, CodeInvalidAnnotation, " has invalid annotations, which by policy block it")
		v.Blockers = append(v.Blockers, b)
	}
	if p.Terms.Window != (schedule.Window{}) {
		g.judgeWindow(v, opening{p, p.Terms.Window, ownWindow})
	}
	liftTogether(v.Blockers[before:], p.Terms.Window)
}

// liftTogether sets the time when none of a pod's annotations blocks it: its window is open, and nothing else blocks.
func liftTogether(blockers []Blocker, w schedule.Window) {
	if len(blockers) == 0 {
		return
	}
	last, lifts := LiftsAt(blockers)
	if lifts && !schedule.InWindow(w, last) { // its window closes before the rest lifts
		_, last, lifts = w.UntilAtLeast(last)
	}
	if !lifts {
		last = time.Time{}
	}
	for i := range blockers {
		blockers[i].Until = last
	}
}

// judgeSchedules adds the blockers of the PodSchedules that select a pod.
func (g *PodGate) judgeSchedules(v *PodVerdict, p *Pod, schedules []int) {
	for _, i := range schedules {
		s := &g.rules.Schedules[i]
		if s.Broken != "" {
			b := podBlocker(p, CodeInvalidSchedule, " is blocked by "+s.Title+", which is not valid: "+s.Broken)
			b.Source = g.sources.schedule(i, g.rules)
			v.Blockers = append(v.Blockers, b)
			continue
		}
		g.judgeWindow(v, opening{p, s.Window, i})
	}
}

// use adds the PDBs that select a pod to those that a node uses. A node uses one disruption of each for all its pods;
// messages name the first of them by name.
func (g *PodGate) use(uses []PDBUse, pods []Pod, pod int, s *selection) []PDBUse {
	p := &pods[pod]
	for _, i := range s.pdbs {
		if p.Unready && g.rules.PDBs[i].AlwaysAllow {
			continue
		}
		if of := &g.pdbs[i]; of.node != g.judged {
			of.node, of.use = g.judged, int32(len(uses))
			uses = append(uses, PDBUse{PDB: int32(i), Pod: int32(pod)})
			if of.left <= 0 { // the blocker will name the pod
				g.ahead += memory.Touch(p.Name)
			}
		} else if u := &uses[of.use]; p.Name < pods[u.Pod].Name {
			u.Pod = int32(pod)
		}
	}
	return uses
}

// refusal returns the blocker for a PDB that allows nothing, or nothing more.
func (g *PodGate) refusal(n *Node, u PDBUse) Blocker {
	pdb, pod := &g.rules.PDBs[u.PDB], &n.Pods[u.Pod]
	code, message := CodeExhausted, pdb.Exhausted
	switch {
	case pdb.Invalid:
		code, message = CodeInvalidPDB, pdb.Refusal
	case pdb.Allowed == 0:
		code, message = CodeAllowsNone, pdb.Refusal
	}
	b := g.texts.blocker(pod, code, message)
	b.Source = g.sources.pdb(int(u.PDB), g.rules)
	return b
}

// Counts returns how many pods of a node each PDB protects from eviction, by its position in Rules.PDBs.
func (g *PodGate) Counts(n *Node) map[int32]int {
	counts := map[int32]int{}
	for i := range n.Pods {
		p := &n.Pods[i]
		if p.Inactive || p.Unevictable {
			continue
		}
		for _, pdb := range g.selections.of(p, g.rules).pdbs {
			if !p.Unready || !g.rules.PDBs[pdb].AlwaysAllow {
				counts[int32(pdb)]++
			}
		}
	}
	return counts
}

// Take records that a node goes: it uses up one disruption of each PDB of its pods. For nodes judged before, Spent
// shows the effect.
func (g *PodGate) Take(v *PodVerdict) {
	for _, u := range v.Uses {
		if g.pdbs[u.PDB].left--; g.pdbs[u.PDB].left == 0 {
			g.spent++
		}
	}
}

// Release undoes a Take of the same verdict, but never lowers spent. If another PDB was used up next, spent would be
// again what it was when some nodes were judged, and Spent would find nothing new for them.
func (g *PodGate) Release(v *PodVerdict) {
	for _, u := range v.Uses {
		g.pdbs[u.PDB].left++
	}
}

// Spent returns the additional blockers of a node since it was judged: its PDBs that others have used up by Take.
func (g *PodGate) Spent(v *PodVerdict, n *Node) []Blocker {
	if v.spent == g.spent { // almost always, so the compiler has to be able to inline this
		return nil
	}
	return g.spentSince(v, n)
}

// spentSince is Spent for a verdict since which PDBs have been used up.
func (g *PodGate) spentSince(v *PodVerdict, n *Node) (spent []Blocker) {
	if v.Waived {
		return nil
	}
	if v.digested {
		d := n.Digest
		return g.refusals(d, d.refusing(g.pdbs)&^v.refusing)
	}
	for _, u := range v.Uses[v.refused:] {
		if g.pdbs[u.PDB].left <= 0 {
			spent = append(spent, g.refusal(n, u))
		}
	}
	slices.SortFunc(spent, Blocker.Compare)
	return spent
}

// Left returns how much a PDB still allows, by its position in Rules.PDBs. Exported for tests of what a gate counts.
func (g *PodGate) Left(pdb int) int {
	if pdb < 0 || pdb >= len(g.pdbs) {
		return 0
	}
	return g.pdbs[pdb].left
}

// Source names a PDB, by its position in Rules.PDBs.
func (g *PodGate) Source(pdb int) *Source { return g.sources.pdb(pdb, g.rules) }
