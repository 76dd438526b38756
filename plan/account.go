package plan

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/dialect"
	"github.com/disruptkit/disruptkit/internal/evict"
	"github.com/disruptkit/disruptkit/internal/gate"
	"github.com/disruptkit/disruptkit/internal/until"
)

// An account records what nodes wait for, and for how long.
type account struct {
	from   time.Time
	slots  []slot
	slotOf []int            // by node id; -1: none
	places map[string][]int // the slots of the nodes with a name
	toGo   int              // how many slots wait
	clocks map[string]*clock
	pdbs   map[string]candidate.PDB // of a pod
	sets   map[string]budget.Set
	keys   map[Wait]int // of waits without Wait.For
	waits  []Wait       // by key
	launch int          // keys of CodeLaunch and CodeDrain
	drain  int

	constant bool                      // blockers of the caller never change
	heard    []int                     // slots that the current reading mentions
	reading  int                       // the number of the current reading
	causes   map[kind]budget.Allowance // of the current reading: the deciding budgets
	paces    map[kind]budget.Allowance
	counts   map[kind]int // how many nodes percentages are of
	texts    map[binding]string
}

// A slot is a node that is to go, or is in flight.
type slot struct {
	Node
	clock    *clock
	phase    phase
	key      int // in waits: what it waits for, or its phase; -1: nothing yet
	since    time.Time
	hopeless bool // it waits for something that never changes
	read     int  // the last reading that mentioned it
	said     said // what that reading said
	pod      podSaid
}

// said is what a reading says about a waiting node.
type said struct {
	key   int
	stays bool // nothing in a plan ends the wait
}

// podSaid is the last blocker of a pod that counted, and what it says.
type podSaid struct {
	message, code string
	until         time.Time
	forGood       bool
	said          said
}

type phase int8

const (
	waits phase = iota
	flies
	ended
)

// A binding is a pool with its budgets that bind.
type binding struct {
	pool    string
	budgets budget.Indexes
}

func newAccount(in disruptkit.Input, reasons []candidate.Reason, zone string) *account {
	a := &account{
		from: in.Now, places: map[string][]int{}, clocks: map[string]*clock{}, pdbs: map[string]candidate.PDB{},
		sets: map[string]budget.Set{}, keys: map[Wait]int{}, causes: map[kind]budget.Allowance{}, paces: map[kind]budget.Allowance{}, counts: map[kind]int{}, texts: map[binding]string{},
	}
	for _, p := range in.Pools {
		a.sets[p.Name] = p.Budgets
		a.clockOf(p.Name)
	}
	a.launch, a.drain = a.keyOf(Wait{Code: CodeLaunch}), a.keyOf(Wait{Code: CodeDrain})
	pods, pdbs := evict.Open(in.Rules, in.Now), in.Rules.PDBs()
	var v evict.Verdict
	for i := range in.Nodes {
		n := &in.Nodes[i]
		reason, asked := asked(n, reasons)
		if goes(n) && n.Pool == "" || !goes(n) && !asked {
			a.slotOf = append(a.slotOf, -1)
			continue
		}
		a.slotOf = append(a.slotOf, len(a.slots))
		a.places[n.Name] = append(a.places[n.Name], len(a.slots))
		a.slots = append(a.slots, slot{
			Node:  Node{Name: n.Name, Pool: n.Pool, Zone: n.Labels[zone], Reason: reason, Outcome: Open, Deadline: a.deadline(in, n, reasons)},
			clock: a.clockOf(n.Pool), key: -1, since: a.from, read: -1,
		})
		a.toGo++
		pods.Judge(&v, n, &candidate.Condition{})
		for _, u := range v.Uses {
			a.pdbs[n.Pods[u.Pod].String()] = pdbs[u.PDB]
		}
	}
	return a
}

// asked returns the first of the decided reasons that a node has.
func asked(n *candidate.Node, reasons []candidate.Reason) (reason candidate.Reason, asked bool) {
	for _, r := range reasons {
		for _, c := range n.Conditions {
			if r.Covers(c.Reason) {
				return c.Reason, true
			}
		}
	}
	return "", false
}

func (a *account) clockOf(pool string) *clock {
	if a.clocks[pool] == nil {
		a.clocks[pool] = newClock(a.from)
	}
	return a.clocks[pool]
}

func (a *account) keyOf(w Wait) int {
	key, ok := a.keys[w]
	if !ok {
		key = len(a.waits)
		a.keys[w] = key
		a.waits = append(a.waits, w)
	}
	return key
}

// group returns the counts of the pool's clock that include the slot.
func (s *slot) group() map[int]int {
	switch {
	case s.phase == flies:
		return s.clock.flying
	case s.hopeless:
		return s.clock.stuck
	}
	return s.clock.waiting
}

// turnTo changes the state of a slot.
func (a *account) turnTo(s *slot, p phase, key int, hopeless bool, now time.Time) {
	if s.phase == p && s.key == key && s.hopeless == hopeless {
		return
	}
	s.clock.advance(now)
	add(s.group(), s.key, -1)
	if s.phase == waits && s.key >= 0 && (s.key != key || p != waits) {
		a.spend(s, now)
	}
	s.phase, s.key, s.hopeless = p, key, hopeless
	if p != ended {
		add(s.group(), s.key, 1)
	}
}

// spend adds the time since the last call to the waits of a slot.
func (a *account) spend(s *slot, now time.Time) {
	d := now.Sub(s.since)
	s.since = now
	if d <= 0 {
		return
	}
	w := a.waits[s.key]
	i := slices.IndexFunc(s.Waits, func(o Wait) bool { return o.Gate == w.Gate && o.Code == w.Code && o.Cause == w.Cause })
	if i < 0 {
		i = len(s.Waits)
		s.Waits = append(s.Waits, w)
	}
	s.Waits[i].For += d
}

// deadline returns from when on a node is overdue for one of the reasons that it is asked for, as Decide has it.
func (a *account) deadline(in disruptkit.Input, n *candidate.Node, reasons []candidate.Reason) (first time.Time) {
	if in.Dialect == dialect.Karpenter || goes(n) {
		return first
	}
	for _, c := range n.Conditions {
		c.Deadline = gate.Deadline(c, a.sets[n.Pool])
		if c.HasDeadline() && slices.ContainsFunc(reasons, func(r candidate.Reason) bool { return r.Covers(c.Reason) }) {
			first = until.First(first, c.Deadline)
		}
	}
	return first
}

// find returns the position of a waiting node's slot, or -1. If several nodes of the pool share the name, it returns
// the first one that this reading has not mentioned yet.
func (a *account) find(node, pool string) int {
	found := -1
	for _, i := range a.places[node] {
		if s := &a.slots[i]; s.phase == waits && s.Pool == pool && (found < 0 || s.read != a.reading) {
			found = i
			if s.read != a.reading {
				break
			}
		}
	}
	return found
}

// read records what holds back the waiting nodes, according to the decisions at one time. If a node has several
// reasons, the first one that may still be allowed counts.
func (a *account) read(now time.Time, decisions []disruptkit.Decision) {
	a.reading++
	clear(a.causes)
	clear(a.paces)
	for _, d := range decisions {
		for _, p := range d.Pools {
			k := kind{p.Pool, p.Reason}
			a.causes[k], a.paces[k] = p.Allowance, p.MayStart
			a.counts[k] = p.Nodes
		}
	}
	var last struct { // nodes in the same situation share their blockers
		kind
		blockers *candidate.Blocker
		count    int
		said     said
	}
	a.heard = a.heard[:0]
	for _, d := range decisions {
		for i := range d.Blocked {
			c := &d.Blocked[i]
			at := a.find(c.Node, c.Pool)
			if at < 0 || len(c.Blockers) == 0 {
				continue
			}
			s := &a.slots[at]
			if k := (kind{c.Pool, c.Reason}); last.blockers != &c.Blockers[0] || last.count != len(c.Blockers) || last.kind != k {
				b := decisive(c.Blockers)
				last.kind, last.blockers, last.count = k, &c.Blockers[0], len(c.Blockers)
				last.said = a.say(s, c, b)
			}
			if s.read != a.reading {
				s.read, s.said = a.reading, last.said
				a.heard = append(a.heard, at)
			} else if s.said.stays && !last.said.stays {
				s.said = last.said
			}
		}
	}
	for _, at := range a.heard {
		s := &a.slots[at]
		a.turnTo(s, waits, s.said.key, s.said.stays, now)
	}
}

// say returns what a blocker says of a node. What is said of its pods is as a rule what was said the last time.
func (a *account) say(s *slot, c *candidate.Candidate, b *candidate.Blocker) said {
	ofPod := b.Gate == candidate.GatePod && b.Pod != ""
	if ofPod && s.pod.message == b.Message && s.pod.code == b.Code && s.pod.until.Equal(b.Until) && s.pod.forGood == b.ForGood {
		return s.pod.said
	}
	said := said{a.keyOf(a.wait(c, b)), stays(b) && (a.constant || !ofCaller(b))}
	if ofPod {
		s.pod = podSaid{b.Message, b.Code, b.Until, b.ForGood, said}
	}
	return said
}

// wait returns the Wait for a blocker.
func (a *account) wait(c *candidate.Candidate, b *candidate.Blocker) Wait {
	w, k := Wait{Gate: b.Gate, Code: b.Code}, kind{c.Pool, c.Reason}
	budgets := func(allowance budget.Allowance) {
		w.Cause, w.Budgets = a.budgetCause(c.Pool, allowance), allowance.Binding
	}
	switch {
	case b.Gate == candidate.GateBudget && b.Code == candidate.CodePaced:
		budgets(a.paces[k])
	case b.Gate == candidate.GateBudget && c.Overdue:
		budgets(a.sets[c.Pool].Overdue(a.counts[k], c.Reason))
	case b.Gate == candidate.GateBudget:
		budgets(a.causes[k])
	case b.Gate == candidate.GatePod && (b.Code == candidate.CodeAllowsNone || b.Code == candidate.CodeExhausted):
		if pdb := a.pdbs[b.Pod]; pdb.Name != "" {
			w.Cause, w.PDB = "PDB "+pdbName(pdb), pdb.Namespace+"/"+pdb.Name
		}
	}
	return w
}

// budgetCause names the budgets that bind.
func (a *account) budgetCause(pool string, allowance budget.Allowance) string {
	k := binding{pool, allowance.Binding}
	text, known := a.texts[k]
	if !known {
		set := a.sets[pool]
		var texts []string
		written := set.Budgets()
		for i := range k.budgets.All() {
			text := set.Place(i)
			if i < len(written) { // else Options.Decide goes by other budgets than those of the input
				text += ": " + written[i].String()
			}
			texts = append(texts, text)
		}
		text = strings.Join(texts, ", ")
		a.texts[k] = text
	}
	return text
}

// decisive returns the blocker that counts: of those that hold now, the one that has to lift before any other matters.
// Blockers that never lift come first, then those of whole pools, those of the node, and turns. An exhausted budget or
// pace comes last.
func decisive(blockers []candidate.Blocker) *candidate.Blocker {
	var first *candidate.Blocker
	for i := range blockers {
		if b := &blockers[i]; !b.Later && (first == nil || rank(b) < rank(first)) {
			first = b
		}
	}
	if first == nil {
		return &candidate.Blocker{}
	}
	return first
}

func rank(b *candidate.Blocker) int {
	switch {
	case stays(b):
		return 0
	case b.Gate == candidate.GateBudget && b.Code != candidate.CodeExhausted && b.Code != candidate.CodePaced:
		return 1
	case b.Gate == candidate.GateProbe, b.Gate == candidate.GateBackoff:
		return 2
	case b.Gate == candidate.GateNode:
		return 3
	case b.Gate == candidate.GatePod:
		return 4
	case b.Gate == candidate.GateTopology:
		return 5
	}
	return 6
}

// stays reports whether a blocker never lifts in a plan.
func stays(b *candidate.Blocker) bool {
	if b.ForGood {
		return true
	}
	if !b.Until.IsZero() {
		return false
	}
	switch b.Gate {
	case candidate.GateNode:
		switch b.Code {
		case candidate.CodeDeleting, candidate.CodeRebooting, candidate.CodeAlreadyAllowed, candidate.CodeDuplicateNode:
			return false
		}
		return true
	case candidate.GatePod:
		return b.Code != candidate.CodeExhausted && b.Code != candidate.CodeOutsideSchedule
	case candidate.GateBudget:
		return b.Code == candidate.CodeInvalidBudget || b.Code == candidate.CodeUnknownReason
	}
	return false
}

// ofCaller reports whether a blocker that stays comes from the caller.
func ofCaller(b *candidate.Blocker) bool {
	switch b.Code {
	case candidate.CodeUnmanaged, candidate.CodeUnknownPool, candidate.CodeNotInitialized, candidate.CodeDoNotDisrupt, candidate.CodeDoNotRepair,
		candidate.CodeDisruptAfter, candidate.CodePodsUnknown, candidate.CodeAllowsNone, candidate.CodeSeveralPDBs, candidate.CodeInvalidPDB,
		candidate.CodeInvalidSchedule, candidate.CodeInvalidAnnotation, candidate.CodeInvalidBudget, candidate.CodeUnknownReason:
		return false
	}
	return !b.ForGood
}

// hopeless reports whether all remaining nodes wait for ever.
func (a *account) hopeless() bool {
	for _, c := range a.clocks {
		if len(c.waiting)+len(c.flying) > 0 {
			return false
		}
	}
	return true
}

// starts records that a node starts, and its course.
func (a *account) starts(i int, reason candidate.Reason, k course, replacement string, now time.Time) {
	s, key := &a.slots[i], a.drain
	if k.replaced && k.ready.Before(k.gone) {
		key = a.launch
	}
	a.turnTo(s, flies, key, false, now)
	a.toGo--
	s.Outcome, s.Reason, s.Start, s.Ready, s.Gone, s.Replacement = Done, reason, now, k.ready, k.gone, replacement
}

// happens records an event of a node in flight.
func (a *account) happens(e event) {
	if e.slot < 0 {
		return
	}
	s := &a.slots[e.slot]
	switch {
	case s.phase == ended:
	case !e.at.Before(s.End()):
		a.turnTo(s, ended, -1, false, e.at)
		s.clock.commit()
	case e.what == joins:
		a.turnTo(s, flies, a.drain, false, e.at)
	case e.what == leaves:
		a.turnTo(s, flies, a.launch, false, e.at)
	}
}

// close ends the account of nodes that have not started. Over means that nothing would change for them any more.
// Otherwise the plan has reached its limit.
func (a *account) close(now time.Time, over bool, last []disruptkit.Decision) {
	held := map[string][]candidate.Blocker{}
	for _, d := range last {
		for i := range d.Blocked {
			if c := &d.Blocked[i]; held[c.Node] == nil {
				held[c.Node] = ordered(c.Blockers)
			}
		}
	}
	for i := range a.slots {
		s := &a.slots[i]
		if s.phase != waits {
			s.Late = s.Deadline.Before(s.Gone) && !s.Deadline.IsZero()
			continue
		}
		s.Blockers = held[s.Name]
		if over || s.hopeless {
			s.Outcome, s.Waits, s.Late = Never, nil, !s.Deadline.IsZero()
			if s.key >= 0 {
				s.Waits = []Wait{a.waits[s.key]}
			}
			continue
		}
		s.Late = !s.Deadline.After(now) && !s.Deadline.IsZero()
		if s.key >= 0 {
			a.spend(s, now)
		}
		s.clock.advance(now)
		s.clock.commit()
	}
}

// ordered returns the blockers that hold now, by rank.
func ordered(blockers []candidate.Blocker) []candidate.Blocker {
	held := slices.DeleteFunc(slices.Clone(blockers), func(b candidate.Blocker) bool { return b.Later })
	slices.SortStableFunc(held, func(a, b candidate.Blocker) int { return cmp.Compare(rank(&a), rank(&b)) })
	return held
}

// pools returns the pools of the plan's nodes.
func (a *account) pools(nodes []Node) []Pool {
	var pools []Pool
	at := map[string]int{}
	for i := range nodes {
		n := &nodes[i]
		j, ok := at[n.Pool]
		if !ok {
			j = len(pools)
			at[n.Pool] = j
			pools = append(pools, Pool{Name: n.Pool})
		}
		p := &pools[j]
		p.add(n, farAway)
		p.Start, p.Finish = spanned(p.Start, p.Finish, n)
	}
	for i := range pools {
		pools[i].Clock = a.clockFace(a.clocks[pools[i].Name])
	}
	return pools
}

// clockFace returns Pool.Clock.
func (a *account) clockFace(c *clock) []Wait {
	var all []Wait
	for key, d := range c.spent {
		if d > 0 {
			w := a.waits[key]
			w.For = d
			all = append(all, w)
		}
	}
	slices.SortFunc(all, func(v, w Wait) int {
		return cmp.Or(cmp.Compare(w.For, v.For), cmp.Compare(v.Gate, w.Gate), strings.Compare(v.Code, w.Code), strings.Compare(v.Cause, w.Cause))
	})
	return all
}
