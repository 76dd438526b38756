package decide

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/internal/planner"
	"github.com/disruptkit/disruptkit/cmd/internal/tell"
	"github.com/disruptkit/disruptkit/cmd/manifest"
	"github.com/disruptkit/disruptkit/internal/wording"
)

// A table is what -o text prints: for each reason the numbers of each pool and zone, who may be disrupted, and who may not, and
// why.
type table struct {
	bytes.Buffer
	answer
	clock    tell.Clock
	policies map[string]disruptkit.Pool // pools and groups, by where their memory is
	told     map[string]bool            // who uses up budgets, as was shown
}

// mostInFull is how many candidates of a part of the cluster are shown in full without being asked for.
const mostInFull = 60

func printTable(w io.Writer, a answer) error {
	t := &table{answer: a, clock: tell.Clock{Now: a.in.Now}, policies: map[string]disruptkit.Pool{}, told: map[string]bool{}}
	for _, p := range a.in.Pools {
		t.policies[p.Name] = p
	}
	for _, g := range a.in.Groups {
		t.policies[g.Key()] = disruptkit.Pool{Name: g.Name, Budgets: g.Budgets, Blockers: g.Blockers}
	}
	if err := t.full(); err != nil {
		return err
	}
	candidates := 0
	for _, d := range a.decisions {
		candidates += len(d.Allowed) + len(d.Blocked)
	}
	if !a.verbose && (!a.narrowed || candidates > mostInFull) && !tell.Fits(t.String()) {
		t.Reset()
		t.overview()
	}
	_, err := w.Write(t.Bytes())
	return err
}

// full prints all that is known.
func (t *table) full() error {
	t.head()
	t.summary()
	for _, d := range t.decisions {
		if !t.shows(d) {
			continue
		}
		if err := t.decision(d); err != nil {
			return err
		}
	}
	t.others()
	return nil
}

// shows reports whether a decision has a section of its own: somebody asks for it, or it has candidates, something to
// remember, or a pool that something else than budgets blocks.
func (t *table) shows(d disruptkit.Decision) bool {
	speaks := func(p disruptkit.PoolDecision) bool { return len(p.Blockers) > 0 || p.Missing > 0 }
	return t.verbose || t.narrowed || len(d.Allowed)+len(d.Blocked) > 0 || len(d.Memory) > 0 ||
		slices.ContainsFunc(d.Pools, speaks) || slices.ContainsFunc(d.Groups, speaks)
}

func (t *table) line(format string, args ...any) { fmt.Fprintf(t, format+"\n", args...) }

func (t *table) head() {
	t.line("%s", t.as.Title())
	unmanaged := 0
	for _, n := range t.in.Nodes {
		if n.Pool == "" {
			unmanaged++
		}
	}
	t.line("%s %s: %s in %s, %d in none", t.in.Now.Format("Monday 2006-01-02 15:04"), t.in.Now.Location(),
		wording.Count(len(t.in.Nodes)-unmanaged, "node"), wording.Count(len(t.in.Pools), "NodePool"), unmanaged)
	for _, m := range t.missing {
		t.line("%s", tell.Wrap(m.Sentence(), "  "))
	}
	if n := len(t.warnings); n > 0 {
		text := wording.Count(n, "warning") + " about the input on standard error"
		if slices.ContainsFunc(t.warnings, tell.IsFault) {
			text += "; the input is partly invalid"
		}
		t.line("%s", text)
	}
}

// title describes how many nodes may be disrupted for a reason, and when that changes by itself.
func (a answer) title(d disruptkit.Decision) string {
	blocked, inFlight := a.split(d)
	title := fmt.Sprintf("%s: %d may be disrupted now, %d blocked", d.Reason, len(d.Allowed), len(blocked))
	if unsure(d.Reason) {
		title = fmt.Sprintf("%s: budgets would allow %d now, %d blocked", d.Reason, len(d.Allowed), len(blocked))
	}
	if len(inFlight) > 0 {
		title += fmt.Sprintf(", %d in flight", len(inFlight))
	}
	if len(d.Allowed)+len(d.Blocked) == 0 {
		title = fmt.Sprintf("%s: no candidates", d.Reason)
		if candidate.Expired.Covers(d.Reason) && !a.as.Annotated() {
			title += ", since the ages of nodes are not read"
		} else if others := a.siblings(d.Reason); len(others) > 0 {
			title += "; there are some of " + wording.List(others, mostSiblings, func(r candidate.Reason) string { return string(r) })
		}
	}
	if !d.NextChange.IsZero() {
		title += "; next scheduled change: " + tell.Clock{Now: a.in.Now}.Until(d.NextChange)
	}
	return title
}

// mostSiblings is how many other reasons are named.
const mostSiblings = 3

// siblings returns the children of the method of a child reason that nodes have.
func (a answer) siblings(reason candidate.Reason) (all []candidate.Reason) {
	for i := range a.in.Nodes {
		for _, c := range a.in.Nodes[i].Conditions {
			if reason != reason.Method() && c.Reason.Method() == reason.Method() && !slices.Contains(all, c.Reason) {
				all = append(all, c.Reason)
			}
		}
	}
	slices.Sort(all)
	return all
}

func (t *table) decision(d disruptkit.Decision) error {
	title := t.title(d)
	t.line("\n\n%s\n%s", title, strings.Repeat("=", len(title)))
	if unsure(d.Reason) && len(d.Allowed)+len(d.Blocked) > 0 {
		t.line("%s", tell.Wrap(manifest.Consolidatable+".", ""))
	}
	if candidate.Unhealthy.Covers(d.Reason) && len(d.Allowed)+len(d.Blocked) > 0 {
		t.line("%s", tell.Wrap("Repaired by these policies (--repair names others): "+manifest.DescribePolicies(t.answer.policies)+".", ""))
	}
	if len(d.Pools) > 0 {
		t.numbers(d, "POOL", d.Pools, poolKey)
	}
	if len(d.Groups) > 0 {
		t.line("")
		t.numbers(d, "POLICY", d.Groups, groupKey)
	}
	for _, differs := range t.differing(d.Reason) {
		t.line("%s", tell.Wrap(fmt.Sprintf("%s differs by engine: %s", wording.Quote(differs.Pool), differs.numbers), "  "))
	}
	t.zones(d)
	if len(d.Allowed) > 0 {
		t.allowed(d)
	}
	if err := t.remember(d); err != nil {
		return err
	}
	if blocked, _ := t.split(d); len(blocked) > 0 {
		t.blocked(d, blocked)
	}
	return nil
}

// poolKey and groupKey return where the memory of a pool or a group is.
func poolKey(name string) string  { return name }
func groupKey(name string) string { return disruptkit.Group{Name: name}.Key() }

// numbers shows those of pools or of groups, and what probes say against one, whatever these are. A child has a row of its own
// where it is another than for the reason asked for.
func (t *table) numbers(d disruptkit.Decision, header string, list []disruptkit.PoolDecision, key func(string) string) {
	g := tell.NewGrid(header, "NODES", "LIMIT", "IN USE", "LEFT", "LIMIT UNTIL", "SET BY").AlignRight(1, 2, 3, 4).Keep(5)
	var asked, above disruptkit.PoolDecision
	signals := [][]candidate.Blocker{nil} // for each row
	notes := [][5]string{{}}
	for _, p := range list {
		name := wording.Quote(p.Pool)
		switch {
		case p.Reason == d.Reason:
			asked, above = p, disruptkit.PoolDecision{}
		case p.Allowance == asked.Allowance && p.MayStart == asked.MayStart && p.Until.Equal(asked.Until) && reflect.DeepEqual(p.Wave, asked.Wave) &&
			slices.CompareFunc(p.Blockers, asked.Blockers, candidate.Blocker.Compare) == 0:
			continue
		default:
			name, above = "  "+child(d, p.Reason), asked
		}
		open := ""
		if key(p.Pool) == p.Pool && len(t.policies[p.Pool].Blockers) == 0 && !p.Until.IsZero() {
			open = t.unlimited(p)
		}
		notes = append(notes, [5]string{open, t.pace(d, key(p.Pool), p), t.spread(key(p.Pool), p), tell.Wave(p, t.clock.Until), missing(p)})
		limit, left := number(p.Allowance.Nodes), number(p.Remaining)
		if t.rejected(key(p.Pool)) { // these are of the default, and what is stored may be anything
			limit, left = "?", "?"
		}
		g.Add(name, fmt.Sprint(p.Nodes), limit, fmt.Sprint(p.Disrupting), left, t.clock.Until(p.Until), t.binding(key(p.Pool), p))
		signals = append(signals, slices.DeleteFunc(slices.Clone(p.Blockers), func(b candidate.Blocker) bool {
			same := func(o candidate.Blocker) bool { return o.Compare(b) == 0 } // SET BY reports of the pool's own
			return b.Gate != candidate.GateProbe && b.Gate != candidate.GateBackoff || slices.ContainsFunc(above.Blockers, same)
		}))
	}
	for i, line := range g.Lines() {
		t.line("%s", line)
		for _, note := range notes[i] {
			if note != "" {
				t.line("%s", tell.Wrap("    "+note, "      "))
			}
		}
		for _, w := range whys(signals[i]) {
			t.line("%s", tell.Wrap("    "+w.text(t.clock), "      "))
		}
	}
}

// rejected reports whether the API server rejects a NodePool.
func (t *table) rejected(key string) bool {
	return t.policies[key].Name == key && t.cluster.Rejected(key)
}

// binding reports which budgets set a limit. What is broken about one is said with what it blocks.
func (t *table) binding(key string, p disruptkit.PoolDecision) string {
	policy := t.policies[key]
	if len(policy.Blockers) > 0 {
		if t.rejected(key) {
			return "rejected by the API server: what is in force is unknown"
		}
		if key != p.Pool {
			return "unreadable: its pools are blocked"
		}
		return "unreadable: the pool is blocked"
	}
	var texts []string
	broken := policy.Budgets.Broken()
	for i := range p.Allowance.Binding.All() {
		text := policy.Budgets.Describe(i, t.in.Now)
		if broken.Has(i) {
			text = "invalid"
		}
		texts = append(texts, fmt.Sprintf("%s: %s", policy.Budgets.Place(i), text))
	}
	return strings.Join(texts, ", ")
}

func (t *table) allowed(d disruptkit.Decision) {
	title := "ALLOWED, IN ORDER"
	if unsure(d.Reason) {
		title = "BUDGETS WOULD ALLOW"
	}
	g := tell.NewGrid(title, "POOL", "REASON", "SINCE", "UNTIL", "DEADLINE").Keep(4, 5)
	for _, c := range d.Allowed {
		g.Add(wording.Quote(c.Node), wording.Quote(c.Pool), t.why(d, c), t.clock.Since(c.Since), t.clock.Until(c.Until), deadline(t.clock, c))
	}
	lines := g.Lines()
	t.line("\n%s", lines[0])
	for i, c := range d.Allowed {
		t.line("%s", lines[1+i])
		if how := t.how(c); how != "" {
			t.line("    %s", how)
		}
		if kills := t.kills(c.Node); kills != "" {
			t.line("%s", tell.Wrap("    "+kills, "      "))
		}
	}
}

// deadline returns "Wed 06:02 (2d4h ago), overdue", and nothing where there is none.
func deadline(c tell.Clock, of candidate.Candidate) string {
	switch {
	case of.Deadline.IsZero():
		return ""
	case of.Overdue:
		return c.Since(of.Deadline) + ", overdue"
	}
	return c.Until(of.Deadline)
}

// blocked lists the candidates of a pool that the same blockers block, and then these once.
func (t *table) blocked(d disruptkit.Decision, blocked []candidate.Candidate) {
	g := tell.NewGrid("BLOCKED", "POOL", "REASON", "SINCE", "DEADLINE").Keep(4)
	groups := tell.Alike(blocked)
	for _, group := range groups {
		for _, c := range group {
			g.Add(wording.Quote(c.Node), wording.Quote(c.Pool), t.why(d, c), t.clock.Since(c.Since), deadline(t.clock, c))
		}
	}
	lines := g.Lines()
	t.line("\n%s", lines[0])
	lines = lines[1:]
	for i, group := range groups {
		if i > 0 {
			t.line("")
		}
		t.line("%s", strings.Join(lines[:len(group)], "\n"))
		lines = lines[len(group):]
		for _, w := range whys(group[0].Blockers) {
			t.line("%s", tell.Wrap("    "+w.text(t.clock), "      "))
		}
		for _, users := range t.users(group[0]) {
			if !t.told[users] {
				t.line("%s", tell.Wrap("    "+users, "      "))
			}
			t.told[users] = true
		}
	}
}

// users describes which nodes use up the budgets that block a candidate.
func (a answer) users(c candidate.Candidate) (texts []string) {
	for i := range c.Blockers {
		b := &c.Blockers[i]
		if using := planner.Using(a.cluster, a.whole, planner.Users(a.whole, c.Pool, b, c.Reason)); len(using) > 0 {
			text := string(b.Gate) + ": " + planner.UsedUp(b) + wording.Some(using, mostUsers)
			if !slices.Contains(texts, text) {
				texts = append(texts, text)
			}
		}
	}
	return texts
}

// others lists the nodes that make the numbers what they are, and why.
func (t *table) others() {
	nodes := t.using()
	slices.SortStableFunc(nodes, func(a, b *candidate.Node) int {
		return cmp.Or(cmp.Compare(a.Pool, b.Pool), cmp.Compare(a.Name, b.Name))
	})
	if len(nodes) > 0 {
		t.line("\n\n%s", trimmed(t.inUse(nodes)))
	}
}

// using returns the nodes that are not simply one more of their pool.
func (t *table) using() (nodes []*candidate.Node) {
	for i := range t.in.Nodes {
		if n := &t.in.Nodes[i]; n.Pool != "" && (n.Disrupting("") || !n.Counted()) {
			nodes = append(nodes, n)
		}
	}
	return nodes
}

// inUse returns a table of nodes that are not simply one more of their pool.
func (t *table) inUse(nodes []*candidate.Node) *tell.Grid {
	g := tell.NewGrid("IN USE, OR NOT COUNTED", "POOL", "WHY")
	for _, n := range nodes {
		g.Add(wording.Quote(n.Name), wording.Quote(n.Pool), t.counts(n))
	}
	return g
}

// counts describes how a node counts that is not simply one more of its pool, and what holds it.
func (t *table) counts(n *candidate.Node) string {
	why := ""
	if n.DisruptedFor != "" {
		why = " for " + string(n.DisruptedFor)
	}
	stands := func(otherwise string) string { return cmp.Or(planner.Stands(t.cluster, t.in, n), otherwise) }
	switch {
	case n.Rebooting && n.Leaving != candidate.Terminating:
		return "in use: rebooting"
	case n.Phase.Joining():
		return "not counted: not initialized"
	case n.Leaving == candidate.Terminating:
		return "not counted: instance terminating" + why
	case n.Maintenance.Condition != "":
		return "in use: " + n.Maintenance.String()
	case n.Leaving == candidate.Draining:
		if why != "" {
			return "in use:" + why + ", " + stands("in flight")
		}
		return "in use: " + stands("in flight")
	case slices.ContainsFunc(n.Blockers, func(b candidate.Blocker) bool { return b.Gate == candidate.GateNode }):
		return "in use: unreadable"
	}
	return "in use: " + stands("not Ready")
}

// missing reports that nodes of a pool are missing, which are in no list of nodes.
func missing(p disruptkit.PoolDecision) string {
	switch p.Missing {
	case 0:
		return ""
	case 1:
		return "1 node is missing: it counts as in use until it is on the way"
	}
	return fmt.Sprintf("%d nodes are missing: they count as in use until they are on the way", p.Missing)
}

// child returns what a reason says beyond the one asked for, which is in the title.
func child(d disruptkit.Decision, r candidate.Reason) string {
	if r == d.Reason {
		return ""
	}
	return strings.TrimPrefix(string(r), string(d.Reason)+"/")
}

func number(n int) string {
	if n == budget.Unlimited {
		return "unlimited"
	}
	return fmt.Sprint(n)
}
