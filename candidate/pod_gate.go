package candidate

import (
	"math"
	"slices"
	"sync"
	"time"

	"github.com/disruptkit/disruptkit/dialect"
	"github.com/disruptkit/disruptkit/internal/memory"
	"github.com/disruptkit/disruptkit/internal/wording"
	"github.com/disruptkit/disruptkit/schedule"
)

// A PodGate judges nodes by their pods at one time, and counts the disruptions that PDBs still allow. [OpenPods] opens
// one. Call Reserve for nodes in flight, Judge for each candidate, and Count for those that are disrupted. A PodGate is
// not safe for concurrent use.
type PodGate struct {
	rules      *ruleSet
	failClosed bool // Rules.FailClosed
	now        time.Time
	pdbs       []pdbAccount

	apart bool      // each node is checked separately, and uses up nothing
	stop  []Blocker // blockers of all nodes, whatever their pods

	windows    map[schedule.Window]windowState // of windows seen so far: a handful for all pods
	selections selections

	judged int32 // number of nodes whose pods were read
	spent  bool  // a PDB was used up since the gate judged some nodes

	uses     *memory.Arena[PDBUse] // from arenas
	blockers memory.Arena[Blocker]
	texts    podTexts
}

// A pdbAccount keeps track of a PDB.
type pdbAccount struct {
	left      int   // how much it still allows
	node, use int32 // the last node that uses it, by its number, with the position of its use
}

// A PodVerdict is how the pods of a node block it. The zero PodVerdict does not block it. A PodVerdict is valid only at
// its gate and for its node.
type PodVerdict struct {
	Blockers []Blocker

	// Waived is whether the pods do not block the node, although its disruption uses up their PDBs.
	Waived bool

	// Until is when the first of the pods' open windows closes: until then, time alone adds no blocker. Zero means
	// never. If that takes too long to compute (see schedule.Window.UntilAtLeast), Until is a time before which nothing
	// changes: judge again then.
	Until time.Time

	Uses []PDBUse // of PDBs; the list must not be changed
}

// A PDBUse is a node's use of a PDB. If the node is disrupted, it uses up one disruption of the PDB for all its pods.
type PDBUse struct {
	PDB     int32 // its position in Rules.PDBs
	Pod     int32 // the position in Node.Pods of the first pod, by name, that the PDB protects from eviction
	Pods    int32 // how many pods of the node it protects
	refused bool  // it allowed nothing when the node was judged
}

// OpenPods opens the gate at a time, with all that the PDBs allow. Call [PodGate.Reserve] for nodes in flight first.
//
// In Karpenter's dialect, the gate judges as Karpenter does:
//
//   - A PodDisruptionBudget blocks pods if it allows exactly 0. If it allows less, it blocks none. (Karpenter:
//     pdb.Limits.isEvictable.)
//   - A PodDisruptionBudget with an invalid selector blocks all nodes of the cluster, for every reason. (Karpenter:
//     pdb.NewLimits, GetCandidates.)
//   - Each node is checked separately: nodes in flight, and nodes allowed before it, use up nothing. (Karpenter:
//     pdb.Limits.CanEvictPods.)
//   - There are no PodDisruptionSchedules, and deadlines of conditions have no effect.
func OpenPods(r Rules, now time.Time) *PodGate {
	g := &PodGate{
		rules: r.get(), failClosed: r.FailClosed, now: now, apart: r.Dialect == dialect.Karpenter,
		uses: arenas.Get().(*memory.Arena[PDBUse]),
	}
	g.pdbs = make([]pdbAccount, len(g.rules.pdbs))
	for i := range g.rules.pdbs {
		p := &g.rules.pdbs[i]
		g.pdbs[i].left = p.DisruptionsAllowed
		if g.apart && p.negative {
			g.pdbs[i].left = math.MaxInt
		}
		if g.apart && p.invalid && g.stop == nil {
			g.stop = []Blocker{{
				Gate: GatePod, Code: CodeInvalidPDB, Source: p.source,
				Message: "PDB " + wording.Quote(p.name()) +
					" is not valid, and Karpenter disrupts no node of the cluster until it is",
			}}
		}
	}
	return g
}

// Reserve counts a node in flight: it will use up one disruption of each PDB of its remaining pods. Evicted pods are
// Inactive, and the PDB's status counts them already. (Karpenter also disrupts the next node. Its drain then waits, or
// ends at its deadline together with the first.)
func (g *PodGate) Reserve(n *Node) {
	if g.apart {
		return
	}
	var v PodVerdict
	g.read(&v, n, true)
	for _, u := range v.Uses {
		g.pdbs[u.PDB].left--
	}
}

// arenas are the arenas of closed gates. The uses of PDBs by 100,000 nodes take a sixth of a decision's memory.
var arenas = sync.Pool{New: func() any { return new(memory.Arena[PDBUse]) }}

// Close lets later gates use the memory of this one. It is optional. Afterwards, only the Blockers of its verdicts may
// be used.
func (g *PodGate) Close() {
	g.uses.Reset()
	arenas.Put(g.uses)
	g.uses = new(memory.Arena[PDBUse]) // of its own
}

// Judge sets a verdict to how the node's pods block it for a condition:
//
//   - Inactive pods never do. All others, including DaemonSet and static pods, can do so by Terms.Protect
//     (do-not-disrupt), by Terms.Window (disruption schedules), and by a PodSchedule that selects them.
//   - Unless they are Unevictable, they also do so if a PDB that selects them allows nothing, if nodes in flight or
//     disrupted before have used it up, or if more than one PDB selects them. One disruption of a PDB is enough for all
//     pods of a node: they are evicted one after another.
//   - If the node has a termination grace period and the reason is eventual (Drifted) or Unhealthy, none of this blocks
//     it: pods can delay the drain, but only until the deadline. The same is true for Unhealthy if the condition
//     has a Bound and is the node's own, and for a node in flight past its deadline.
//
// If the node has a termination grace period, its pods no longer block it once it is overdue for the condition
// (Condition.Deadline), whatever the reason.
//
// (Karpenter: ValidatePodsDisruptable, CanEvictPods; pod disruption schedule RFC, "Integration with Existing
// Features".)
func (g *PodGate) Judge(v *PodVerdict, n *Node, c *Condition) {
	*v = PodVerdict{}
	if w, missing := NoTime(g.now); missing {
		if len(n.Pods) > 0 || g.stop != nil {
			v.Blockers = []Blocker{{Gate: GatePod, Code: w.Code, Message: w.Message}}
		}
		return
	}
	ends := g.podsEnd(n, c)
	g.read(v, n, drainIsLimited(n, c) || !ends.IsZero() && !g.now.Before(ends))
	if !ends.IsZero() {
		v.endAt(ends)
	}
}

// Blockers returns the blockers of Judge, for callers that need no more of the verdict.
func (g *PodGate) Blockers(n *Node, c Condition) []Blocker {
	var v PodVerdict
	g.Judge(&v, n, &c)
	return v.Blockers
}

// drainIsLimited reports whether pods do not block the node for a condition, because its drain has a time limit.
// (Karpenter: EventualDisruptionClass, NewCandidate; for Unhealthy, Repair.ShouldDisrupt.)
func drainIsLimited(n *Node, c *Condition) bool {
	eventual := Drifted.Covers(c.Reason) || Unhealthy.Covers(c.Reason)
	return n.HasGracePeriod && eventual || c.Bound != nil && *c.Bound >= 0 && c.repairs()
}

// podsEnd returns when the pods of the node stop blocking it: at the end of its drain, or when it is overdue for the
// condition. Zero: never. A reboot has no such end: remaining pods stay on the node. (Karpenter:
// reboot.Controller.drain.)
func (g *PodGate) podsEnd(n *Node, c *Condition) (end time.Time) {
	if n.Leaving != Staying {
		end = n.Deadline
	}
	if n.HasGracePeriod && c.HasDeadline() && !g.apart {
		end = schedule.First(end, c.Deadline)
	}
	return end
}

// endAt limits the verdict to the time before the pods' end.
func (v *PodVerdict) endAt(end time.Time) {
	for i := range v.Blockers {
		b := &v.Blockers[i]
		b.Until, b.ForGood = schedule.First(b.Until, end), false
	}
	if !v.Until.Before(end) {
		v.Until = time.Time{}
	}
}

// read sets the verdict of a node's pods. If waived, they do not block it, but it still uses up PDBs.
func (g *PodGate) read(v *PodVerdict, n *Node, waived bool) {
	v.Waived = waived
	if waived && g.apart { // it uses no PDB
		v.Blockers = slices.Clone(g.stop)
		return
	}
	d := g.digestOf(n)
	if d != nil && waived {
		v.Uses = d.uses
		return
	}
	v.Blockers, v.Uses = append(g.blockers.Begin(), g.stop...), g.uses.Begin()
	if d != nil && d.plain {
		for _, u := range d.uses {
			if !g.apart || g.pdbs[u.PDB].left <= 0 {
				v.Uses = append(v.Uses, u)
			}
		}
	} else {
		g.readPods(v, n)
	}
	for i := range v.Uses {
		if u := &v.Uses[i]; !waived && g.pdbs[u.PDB].left <= 0 {
			u.refused = true
			v.Blockers = append(v.Blockers, g.refusal(n, u))
		}
	}
	if g.apart {
		v.Uses = slices.DeleteFunc(v.Uses, func(u PDBUse) bool { return !u.refused })
	}
	slices.SortFunc(v.Blockers, Blocker.Compare)
	v.Blockers, v.Uses = g.blockers.End(v.Blockers), g.uses.End(v.Uses)
}

// readPods adds the blockers of each pod, unless they are waived, and the PDBs that the node uses.
func (g *PodGate) readPods(v *PodVerdict, n *Node) {
	g.judged++
	for i := range n.Pods {
		p := &n.Pods[i]
		if p.Inactive {
			continue
		}
		s := g.selections.of(p, g.rules)
		if !v.Waived {
			g.judgePod(v, p, s)
		}
		if !p.Unevictable {
			g.use(v, n, i, s)
		}
	}
}

// use adds the PDBs that protect a pod to those that its node uses.
func (g *PodGate) use(v *PodVerdict, n *Node, pod int, s *selection) {
	p := &n.Pods[pod]
	for _, i := range s.pdbs {
		if p.Unready && g.rules.pdbs[i].AlwaysAllow {
			continue
		}
		of := &g.pdbs[i]
		if of.node != g.judged {
			of.node, of.use = g.judged, int32(len(v.Uses))
			v.Uses = append(v.Uses, PDBUse{PDB: int32(i), Pod: int32(pod)})
		}
		u := &v.Uses[of.use]
		if u.Pods++; p.Name < n.Pods[u.Pod].Name {
			u.Pod = int32(pod)
		}
	}
}

func (g *PodGate) refusal(n *Node, u *PDBUse) Blocker {
	pdb := &g.rules.pdbs[u.PDB]
	b := g.texts.blocker(&n.Pods[u.Pod], pdb.code, pdb.refusal)
	b.Source = pdb.source
	return b
}

// Count counts one more disruption of each PDB that a node uses, or one less if n is -1. For nodes judged before, Spent
// shows the effect.
func (g *PodGate) Count(v *PodVerdict, n int) {
	for _, u := range v.Uses {
		g.pdbs[u.PDB].left -= n
		g.spent = g.spent || g.pdbs[u.PDB].left <= 0
	}
}

// Spent returns the blockers that a node got after it was judged for a condition: PDBs that other nodes have used up.
func (g *PodGate) Spent(v *PodVerdict, n *Node, c *Condition) (spent []Blocker) {
	if v.Waived || !g.spent {
		return nil
	}
	for i := range v.Uses {
		if u := &v.Uses[i]; !u.refused && g.pdbs[u.PDB].left <= 0 {
			b := g.refusal(n, u)
			b.Until = g.podsEnd(n, c)
			spent = append(spent, b)
		}
	}
	slices.SortFunc(spent, Blocker.Compare)
	return spent
}
