package plan

import (
	"slices"
	"strings"
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/wording"
)

// A teller knows what nodes wait for, according to the decisions at one time.
type teller struct {
	keys     map[Wait]int // numbers what nodes wait for; without Wait.For
	waits    []Wait       // by key
	pass     int          // the key of CodePass
	launch   int          // that of CodeLaunch
	drain    int          // that of CodeDrain
	sets     map[string]budget.Set
	constant bool                      // blockers of the caller never change
	causes   map[kind]budget.Allowance // of the current decisions: the deciding budgets
	paces    map[kind]budget.Allowance
	counts   map[kind]int // how many nodes percentages are of
	texts    map[binding]string
	last     struct { // nodes in the same situation share their blockers
		kind
		blockers *candidate.Blocker
		count    int
		said     said
	}
}

// said is the result of a reading for a waiting node.
type said struct {
	key   int
	stays bool // nothing in a plan ends the wait
}

// podSaid is the last blocker of a pod that counted, and its result.
type podSaid struct {
	message string
	code    candidate.Code
	until   time.Time
	forGood bool
	said    said
}

// A binding is a pool with its budgets that bind.
type binding struct {
	pool    string
	budgets budget.Indexes
}

func newTeller(in disruptkit.Input) teller {
	t := teller{
		keys: map[Wait]int{}, sets: map[string]budget.Set{},
		texts: map[binding]string{}, causes: map[kind]budget.Allowance{}, paces: map[kind]budget.Allowance{},
		counts: map[kind]int{},
	}
	t.pass, t.launch, t.drain = t.key(Wait{Code: CodePass}), t.key(Wait{Code: CodeLaunch}), t.key(Wait{Code: CodeDrain})
	for _, p := range in.Pools {
		t.sets[p.Name] = p.Budgets
	}
	return t
}

func (t *teller) key(w Wait) int {
	key, ok := t.keys[w]
	if !ok {
		key = len(t.waits)
		t.keys[w] = key
		t.waits = append(t.waits, w)
	}
	return key
}

// listen sets the decisions, those at another time.
func (t *teller) listen(decisions []disruptkit.Decision) {
	clear(t.causes)
	clear(t.paces)
	t.last.blockers = nil
	for _, d := range decisions {
		for _, p := range d.Pools {
			k := kind{p.Pool, p.Reason}
			t.causes[k], t.paces[k] = p.Allowance, p.MayStart
			t.counts[k] = p.Nodes
		}
	}
}

// blocked returns the result of the blockers of a candidate, at least one, for the slot of its node. Nodes of a kind
// that passes limit wait for these and not for budgets.
func (t *teller) blocked(s *slot, c *candidate.Candidate, ofPasses bool) said {
	last, k := &t.last, kind{c.Pool, c.Reason}
	if last.blockers == &c.Blockers[0] && last.count == len(c.Blockers) && last.kind == k {
		return last.said
	}
	last.kind, last.blockers, last.count = k, &c.Blockers[0], len(c.Blockers)
	blockers := c.Blockers
	if ofPasses {
		ofBudget := func(b candidate.Blocker) bool { return b.Gate == candidate.GateBudget }
		blockers = slices.DeleteFunc(slices.Clone(blockers), ofBudget)
	}
	if len(blockers) == 0 {
		last.said = said{key: t.pass}
	} else {
		last.said = t.say(s, c, decisive(blockers))
	}
	return last.said
}

// say returns the result of a blocker for a node. That of a pod is cached.
func (t *teller) say(s *slot, c *candidate.Candidate, b *candidate.Blocker) said {
	ofPod := b.Gate == candidate.GatePod && b.Pod != ""
	p := &s.pod
	if ofPod && p.message == b.Message && p.code == b.Code && p.until.Equal(b.Until) && p.forGood == b.ForGood {
		return s.pod.said
	}
	said := said{t.key(t.wait(c, b)), stays(b) && (t.constant || !ofCaller(b))}
	if ofPod {
		s.pod = podSaid{b.Message, b.Code, b.Until, b.ForGood, said}
	}
	return said
}

// wait returns the Wait for a blocker.
func (t *teller) wait(c *candidate.Candidate, b *candidate.Blocker) Wait {
	w, k := Wait{Gate: b.Gate, Code: b.Code}, kind{c.Pool, c.Reason}
	budgets := func(allowance budget.Allowance) {
		w.Cause, w.Budgets = t.budgetCause(c.Pool, allowance), allowance.Binding
	}
	switch {
	case b.Source != nil && b.Source.Group != "":
		w.Cause = "group " + b.Source.Group
	case b.Gate == candidate.GateBudget && slices.Contains(startLimits, b.Code):
		budgets(t.paces[k])
	case b.Gate == candidate.GateBudget && c.Overdue:
		budgets(t.sets[c.Pool].Overdue(t.counts[k], c.Reason))
	case b.Gate == candidate.GateBudget:
		budgets(t.causes[k])
	case b.Gate == candidate.GatePod && (b.Code == candidate.CodeAllowsNone || b.Code == candidate.CodeExhausted):
		w.blame(b.Source)
	case b.Source != nil && b.Source.Node != "":
		w.Cause = "node " + wording.Quote(b.Source.Node) // another one of its unit
	}
	return w
}

// blame names the PodDisruptionBudget of a blocker as the cause of a wait.
func (w *Wait) blame(of *candidate.Source) {
	if of != nil && len(of.PDBs) == 1 {
		w.PDB = of.PDBs[0]
		w.Cause = "PDB " + wording.Quote(w.PDB)
	}
}

// drainWait returns what the drain of any node waits for.
func drainWait(b candidate.Blocker) Wait {
	w := Wait{Gate: b.Gate, Code: b.Code}
	w.blame(b.Source)
	return w
}

// queued returns the wait of a node for its last eviction.
func (t *teller) queued(q queue) (w Wait) {
	if q.lasts > 0 {
		w = Wait{Gate: candidate.GatePod, Code: candidate.CodeExhausted, For: q.lasts}
		w.blame(q.pdb)
	}
	return w
}

// budgetCause names the budgets that bind.
func (t *teller) budgetCause(pool string, allowance budget.Allowance) string {
	k := binding{pool, allowance.Binding}
	text, known := t.texts[k]
	if !known {
		set := t.sets[pool]
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
		t.texts[k] = text
	}
	return text
}
