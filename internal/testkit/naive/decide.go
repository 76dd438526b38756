// Package naive decides as disruptkit.Decide does, but slowly and obviously: it loops over everything again for each
// candidate, and remembers nothing but what has been allowed. Properties compare the two. It says what holds
// candidates back now, not when that ends.
package naive

import (
	"fmt"
	"math"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/dialect"
)

// Decide returns a line for each candidate, as Line writes it: those that are allowed, then the others, each in line.
func Decide(in disruptkit.Input, asked candidate.Reason) (lines []string) {
	in, firsts := united(in)
	d := decision{in: in, takenPDBs: InFlight(in)}
	all := requests(in, asked, firsts)
	for before := -1; before < len(d.allowed); { // less may be reserved once others are allowed
		before = len(d.allowed)
		for _, r := range all {
			if !d.allows(r) && len(d.judge(r)) == 0 {
				for _, m := range unit(in, r) {
					d.disrupt(m)
				}
			}
		}
	}
	for _, r := range d.allowed {
		lines = append(lines, line(r.node.Name, r.node.Pool, r.c.Reason, nil))
	}
	for _, r := range all {
		if !d.allows(r) { // as things stand after the decision
			lines = append(lines, line(r.node.Name, r.node.Pool, r.c.Reason, d.judge(r)))
		}
	}
	return lines
}

// Line formats a candidate as Decide does: its node, its pool, its reason, and the gates and codes of its present
// blockers. It does not distinguish exhausted domains from those that allow none,
// nor limits that are smaller than a unit from exhausted ones.
func Line(c candidate.Candidate) string {
	var blocked []string
	rename := strings.NewReplacer("topology/exhausted", "topology/used", "topology/allows-none", "topology/used",
		"topology/unit-too-large", "topology/used", "budget/unit-too-large", "budget/exhausted",
		"wave/unit-too-large", "wave/wave-full")
	for _, b := range c.Blockers {
		blocked = append(blocked, rename.Replace(string(b.Gate)+"/"+string(b.Code)))
	}
	if c.Unit != "" {
		slices.Sort(blocked)
		blocked = slices.Compact(blocked)
	}
	return line(c.Node, c.Pool, c.Reason, blocked)
}

func line(node, pool string, reason candidate.Reason, blocked []string) string {
	slices.Sort(blocked)
	return fmt.Sprintf("%s %s %s: %s", node, pool, reason, strings.Join(blocked, " "))
}

// A request is a node with one of its reasons.
type request struct {
	node     candidate.Node
	c        candidate.Condition
	position int // of the node in the input
}

// requests returns the requests for the decision's reason: repair first, by urgency, then the others, oldest first,
// unless their pools or groups have another order. Requests with all names in common are ordered by their blockers.
func requests(in disruptkit.Input, asked candidate.Reason, firsts map[string]string) (all []request) {
	for at, n := range in.Nodes {
		for i, c := range n.Conditions {
			c.Deadline = Deadline(in, n, c)
			if repeated(in, n, i) {
				continue
			}
			child := strings.HasPrefix(string(c.Reason), string(asked)+"/")
			if asked == "" || c.Reason == asked || child || strange(in, n, c.Reason, asked) {
				all = append(all, request{n, c, at})
			}
		}
	}
	gate := candidate.OpenPods(in.Rules, in.Now)
	for _, n := range in.Nodes {
		if n.InFlight() {
			gate.Reserve(&n)
		}
	}
	said := func(r request) []candidate.Blocker {
		own := candidate.NodeGate(&r.node, r.c, minimum(in, r.node, r.c.Reason), in.Now)
		if r.node.InFlight() { // its pods are evicted already
			return own
		}
		return slices.Concat(own, gate.Blockers(&r.node, r.c))
	}
	order := func(r request) string {
		dated := func(since string) string { return since } // by its deadline first, if it has one
		if !r.c.Deadline.IsZero() {
			dated = func(since string) string { return fmt.Sprintf("0 %020d %s", r.c.Deadline.Unix()+1<<40, since) }
		}
		since := fmt.Sprintf("1 %020d", r.c.Since.Unix()+1<<40)
		place := "1 " + dated(since)
		if first(in, r) {
			place = "1 0z " + since
		}
		moves := func(p candidate.Pod) bool { return !p.Stays }
		if in.Dialect == dialect.Karpenter && asked.Method() == "Drifted" && !slices.ContainsFunc(r.node.Pods, moves) {
			place = "1 0 " + since
		}
		switch {
		case r.c.Reason.Method() == "Unhealthy" && !r.c.Urgency.IsZero():
			place = fmt.Sprintf("0 1 %020d %09.3f", r.c.Urgency.Unix()+1<<40, r.node.Cost)
		case r.c.Reason.Method() == "Unhealthy":
			place = fmt.Sprintf("0 %s %09.3f", dated(since), r.node.Cost)
		}
		place += fmt.Sprint(" ", r.c.Reason.Method() != "Requested") // false sorts before true
		first, there := firsts[r.node.Unit+" "+string(r.c.Reason)]
		if !there || r.node.Unit == "" || r.node.InFlight() {
			first = r.node.Name
		}
		place += " " + first
		return fmt.Sprintf("%s %s %s %s %020d", place, r.node.Name, r.node.Pool, r.c.Reason, r.c.Since.Unix()+1<<40)
	}
	sort.Slice(all, func(i, j int) bool {
		if a, b := order(all[i]), order(all[j]); a != b {
			return a < b
		}
		return lighter(said(all[i]), said(all[j]))
	})
	return ordered(in, all)
}

// repeated reports whether a node has the reason of a condition by another one that counts in its place: the one with
// the earliest deadline, then the oldest.
func repeated(in disruptkit.Input, n candidate.Node, i int) bool {
	key := func(i int) string {
		c := n.Conditions[i]
		deadline := "never"
		if at := Deadline(in, n, c); !at.IsZero() {
			deadline = fmt.Sprintf("%020d.%09d", at.Unix()+1<<40, at.Nanosecond())
		}
		bound := "none"
		if c.Bound != nil {
			bound = fmt.Sprintf("%020d", uint64(*c.Bound)^1<<63)
		}
		at := func(t time.Time) string { return fmt.Sprintf("%020d.%09d", t.Unix()+1<<40, t.Nanosecond()) }
		return fmt.Sprintf("%s %s %s %s %s %d", deadline, at(c.Since), at(c.Deadline), at(c.Urgency), bound, i)
	}
	for j, c := range n.Conditions {
		if c.Reason == n.Conditions[i].Reason && key(j) < key(i) {
			return true
		}
	}
	return false
}

// strange reports whether nobody can know a reason, as it is written: it may be what is asked for.
func strange(in disruptkit.Input, n candidate.Node, reason, asked candidate.Reason) bool {
	same := slices.DeleteFunc(slices.Clone(in.Pools), func(p disruptkit.Pool) bool { return p.Name != n.Pool })
	if len(same) != 1 || in.Dialect == dialect.Karpenter {
		return false
	}
	parsed, err := candidate.ParseReason(string(reason), same[0].Budgets.Methods()...)
	return err != nil || parsed != reason && asked.Covers(parsed)
}

// lighter reports whether less is said of a request than of another that is alike: nothing, or what comes first.
func lighter(a, b []candidate.Blocker) bool {
	for i := range min(len(a), len(b)) {
		if a[i].Gate != b[i].Gate {
			return a[i].Gate < b[i].Gate
		}
		if c := a[i].Compare(b[i]); c != 0 {
			return c < 0
		}
	}
	return len(a) < len(b)
}

// uncounted reports whether the request is repair of a node that was never initialized, which no budget counts.
func uncounted(n candidate.Node, r candidate.Reason) bool {
	return r.Method() == "Unhealthy" &&
		(n.Pool == "" || n.Leaving == candidate.Terminating || n.Phase.Joining() && !n.Rebooting)
}

// usesUp reports whether a node uses up more of budgets once it is disrupted: it counts, and is not in flight already.
func usesUp(n candidate.Node) bool {
	return n.Counted() && n.Phase.Known() && !n.Rebooting && !n.InFlight()
}

// A decision records what has been allowed.
type decision struct {
	in        disruptkit.Input
	allowed   []request
	takenPDBs map[string]int
	together  []request // of allowed, the others of the unit that is judged

	butBudgets bool // it judges by all but budgets
}

// disrupt counts a request.
func (d *decision) disrupt(r request) {
	_, pdbs := d.judgeAlone(r)
	d.allowed = append(d.allowed, r)
	for _, pdb := range pdbs {
		d.takenPDBs[pdb]++
	}
}

// allows reports whether a request is allowed already.
func (d *decision) allows(r request) bool {
	return slices.ContainsFunc(d.allowed, func(o request) bool {
		return o.position == r.position && o.c.Reason == r.c.Reason
	})
}

// judgeAlone returns the gates and codes of the blockers of a node itself, and the PDBs that it would use.
func (d *decision) judgeAlone(r request) (blocked, pdbs []string) {
	pool, known := d.pool(r.node.Pool)
	judged := known && r.node.Pool != ""
	if !known && r.node.Pool != "" {
		blocked = append(blocked, "node/unknown-pool")
	}
	if d.called(r.node.Name) > 1 {
		blocked = append(blocked, "node/duplicate-node")
	} else if slices.ContainsFunc(d.allowed, func(o request) bool { return o.node.Name == r.node.Name }) {
		blocked = append(blocked, "node/already-allowed")
	}
	blocked = append(blocked, node(r.node, r.c, minimum(d.in, r.node, r.c.Reason), d.in.Now)...)
	takenPDBs := d.takenPDBs
	if !judged { // it does not compete with others
		takenPDBs = InFlight(d.in)
	}
	pods, pdbs, _ := Pods(d.in, r.node, r.c, takenPDBs)
	blocked = append(blocked, pods...)
	if judged {
		overdue := overdue(r.c, d.in.Now)
		method := r.c.Reason.Method()
		replaced := method == "Drifted" || method == "Expired" || method == "Requested"
		waits := replaced || method == "Unhealthy" && pool.RepairBacksOff
		until := d.in.Memory[pool.Name].Backoff.Until
		waits = waits && !until.IsZero() && d.in.Now.Before(until)
		if waits && !overdue {
			blocked = append(blocked, "backoff/backed-off")
		}
		blocked = append(blocked, signals(d.in, pool, r.c.Reason)...)
		for _, p := range pauses(d.in, pool, r.c.Reason) {
			if _, inside := paused(p, r.node); inside {
				blocked = append(blocked, "probe/paused")
			}
		}
		for i, p := range scopes(d.in, pool.Name) {
			blocked = append(blocked, d.waves(p, r)...)
			if d.butBudgets {
				continue
			}
			if !uncounted(r.node, r.c.Reason) {
				blocked = append(blocked, d.limits(p, r, overdue, overdue && waits && i == 0)...)
			}
			blocked = append(blocked, zones(d.in, p, r, d.allowed, d.together)...)
		}
		blocked = append(blocked, negatives(d.in, pool.Desired, pool.Topology)...)
		blocked = append(blocked, ofGroups(d.in, pool.Name)...)
	}
	return blocked, pdbs
}

// limits returns the codes of the blockers of a pool's or a group's budgets.
func (d *decision) limits(p scope, r request, overdue, waits bool) (blocked []string) {
	nodes, users := d.count(p, r.c.Reason)
	all := users
	if len(users) == d.own(p, func(o request) bool {
		return usesUp(o.node) && (o.node.Phase != candidate.NotReady || d.in.Dialect == dialect.Karpenter)
	}) && p.Budgets.Oversized() {
		users = nil
	}
	blocked = budgets(p, d.in.Now, nodes, r.c.Reason, users)
	if len(blocked) == 0 {
		n, _ := budget.AllowedByReason(p.Budgets, d.in.Now, nodes, r.c.Reason)
		reserved := d.reserved(p, n.Nodes, nodes, r.c.Reason, users)
		if reserved > 0 && len(users)+reserved >= n.Nodes {
			blocked = append(blocked, "budget/reserved")
		}
	}
	others := *d // the nodes of a unit start at once
	others.allowed = slices.DeleteFunc(slices.Clone(d.allowed), func(o request) bool {
		return slices.ContainsFunc(d.together, func(t request) bool { return t.position == o.position })
	})
	if others.early(p, nodes, r.c.Reason, append(started(d.in, p, math.MaxInt64), others.starts(p)...)) {
		blocked = append(blocked, "budget/spread")
	}
	if paced(p, d.in.Now, nodes, r.c.Reason, append(started(d.in, p, longestPace(p)), d.starts(p)...), d.ofUnit(p)) {
		blocked = append(blocked, "budget/paced")
	}
	if soaks(d.in, p, nodes, r.c.Reason, all, d.ofUnit(p)) {
		blocked = append(blocked, "budget/soaks")
	}
	if overdue && (len(blocked) > 0 || waits) {
		return late(p, d.in.Now, nodes, r.c.Reason, len(users))
	}
	return blocked
}

// own returns how many of the others of the unit that is judged are in a pool and are so.
func (d *decision) own(p scope, are func(request) bool) (n int) {
	for _, o := range d.together {
		if p.has(o.node) && are(o) {
			n++
		}
	}
	return n
}

// ofUnit returns the reasons of the others of the unit that is judged that use up budgets of a pool.
func (d *decision) ofUnit(p scope) (reasons []candidate.Reason) {
	for _, o := range d.together {
		if p.has(o.node) && usesUp(o.node) {
			reasons = append(reasons, o.c.Reason)
		}
	}
	return reasons
}

// alone returns how much of a limit a unit finds used up: nothing, if only its own nodes do, and it may be too large.
func alone(p scope, used, own int) int {
	if p.Budgets.Oversized() && used == own {
		return 0
	}
	return used
}

// starts returns the starts of what is allowed in a pool.
func (d *decision) starts(p scope) (starts []disruptkit.Start) {
	for _, o := range d.allowed {
		if p.has(o.node) && usesUp(o.node) {
			starts = append(starts, disruptkit.Start{Reason: o.c.Reason, At: d.in.Now})
		}
	}
	return starts
}

func (d *decision) pool(name string) (pool disruptkit.Pool, known bool) {
	for _, p := range d.in.Pools {
		if p.Name == name {
			pool, known = p, true
		}
	}
	return pool, known
}

// called returns the number of nodes with a name.
func (d *decision) called(name string) (same int) {
	for _, n := range d.in.Nodes {
		if n.Name == name {
			same++
		}
	}
	return same
}

// count returns the number of nodes that percentages of a pool or a group refer to, and the reasons of all nodes that
// count against its budgets for a reason.
func (d *decision) count(p scope, reason candidate.Reason) (nodes int, users []candidate.Reason) {
	once := map[string]bool{} // nodes that are not Ready, and count once, as in flight for an unknown reason
	for _, o := range d.allowed {
		switch {
		case !p.has(o.node) || !usesUp(o.node):
		case o.node.Phase == candidate.NotReady && !o.node.Rebooting && d.in.Dialect == dialect.Disruptkit:
			once[o.node.Name] = true
			users = append(users, "")
		default:
			users = append(users, o.c.Reason)
		}
	}
	for _, n := range d.in.Nodes {
		if p.has(n) && (!n.Phase.Joining() || n.Rebooting) && n.Leaving != candidate.Terminating {
			if d.called(n.Name) == 1 {
				nodes++
			}
			switch {
			case !n.Phase.Known() || n.Rebooting || n.Leaving == candidate.Draining && n.Phase == candidate.NotReady:
				users = append(users, "")
			case n.Leaving == candidate.Draining:
				users = append(users, n.DisruptedFor)
			case once[n.Name]:
			case n.Phase == candidate.NotReady && reason.Method() != "Unhealthy":
				users = append(users, "")
			}
		}
	}
	if d.in.Dialect == dialect.Disruptkit && reason.Method() != "Unhealthy" {
		for _, pool := range p.pools {
			users = append(users, make([]candidate.Reason, d.missing(pool))...)
		}
	}
	return nodes, users
}

// missing returns how many nodes a pool should have, and has not.
func (d *decision) missing(pool string) (n int) {
	for _, p := range d.in.Pools {
		if p.Name == pool {
			n = p.Desired
		}
	}
	for _, o := range d.in.Nodes {
		if o.Pool == pool && o.Leaving != candidate.Terminating {
			n--
		}
	}
	return max(n, 0)
}
