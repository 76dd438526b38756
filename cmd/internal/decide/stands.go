package decide

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/internal/explain"
	"github.com/disruptkit/disruptkit/cmd/internal/planner"
	"github.com/disruptkit/disruptkit/cmd/internal/tell"
	"github.com/disruptkit/disruptkit/internal/wording"
	"github.com/disruptkit/disruptkit/plan"
)

// mostUsers is how many nodes that use up a budget are named.
const mostUsers = 5

// expires returns when the node expires without asking anybody. Zero: never, or it is in flight already.
func (s stay) expires() (at time.Time) {
	if s.cluster.Expiring() && s.node.Pool != "" && !s.node.InFlight() {
		at = s.cluster.Expires(s.node)
	}
	return at
}

// stands describes how the node is, whatever asks for its disruption: when it expires, that it is interrupted, in
// flight, not Ready or cordoned.
func (s stay) stands(text *strings.Builder) {
	t := s.cluster.Standing(s.node)
	var says []string
	if at := s.expires(); !at.IsZero() {
		verb := "Expires "
		if !at.After(s.in.Now) {
			verb = "Has expired "
		}
		says = append(says, verb+s.clock.Whenever(at)+": no budget is asked.")
	}
	if t.Interrupted != "" && !s.node.InFlight() {
		says = append(says, "The cloud takes its instance away ("+t.Interrupted+"): no budget is asked.")
	}
	if s.node.InFlight() {
		going := cmp.Or(t.Text(s.clock.Day), "in flight")
		if s.node.Maintenance.Condition != "" {
			going = s.node.Maintenance.String()
		}
		says = append(says, "It is being disrupted: "+going+". Windows and budgets limit starts: they do not stop it.")
		if pod := s.terminating(); pod != "" {
			says = append(says, pod)
		}
	}
	if t.NotReady {
		since := ""
		if !t.Since.IsZero() {
			since = " since " + s.clock.Day(t.Since)
		}
		says = append(says, "It is not Ready"+since+", and uses up budgets.")
	}
	if t.Cordoned && !s.node.InFlight() {
		says = append(says, s.cordoned(t.Claim))
	}
	for _, line := range says {
		fmt.Fprintf(text, "%s\n", tell.Wrap(line, "  "))
	}
}

// cordoned describes what it means that a node is cordoned.
func (s stay) cordoned(claim string) string {
	text := "It is cordoned, so no new pod is bound to it. Nobody deletes it for that"
	if claim == "" || s.cluster.Grace(s.node) <= 0 {
		return text + "."
	}
	return fmt.Sprintf("%s: kubectl delete nodeclaim %s would start its drain, of at most %s (its terminationGracePeriod).",
		text, claim, wording.Duration(s.cluster.Grace(s.node)))
}

// despite describes what holds up the drain of a node that may be disrupted although it does, and when that is killed.
func (s stay) despite(text *strings.Builder) {
	for _, line := range []string{s.kills(s.node.Name), s.terminating()} {
		if line != "" {
			fmt.Fprintf(text, "%s\n", tell.Wrap("  "+line, "    "))
		}
	}
}

// terminating describes the last of the node's pods that terminate; "": none does.
func (s stay) terminating() string {
	at, pod := s.cluster.Terminates(s.node), s.cluster.Terminating(s.node)
	switch end, grace := s.deadline(); {
	case at.After(s.in.Now) && at.After(end) && !end.IsZero():
		return "Its pod " + pod + " may take until " + s.clock.Until(at) + " to end, longer than " + grace + "."
	case at.After(s.in.Now):
		return "Its drain lasts until " + s.clock.Until(at) + " or longer: pod " + pod + " terminates until then."
	}
	if text := planner.Lingers(s.cluster, s.in, &s.node); text != "" {
		return tell.Capital(text) + "."
	}
	return ""
}

// deadline returns when the drain of the node ends at the latest, if it begins now unless it has, and names its grace
// period. Zero: it has none.
func (s stay) deadline() (end time.Time, name string) {
	grace := s.cluster.Grace(s.node)
	switch {
	case s.node.InFlight() && !s.node.Deadline.IsZero():
		return s.node.Deadline, "its grace period, which ends " + s.clock.Day(s.node.Deadline)
	case s.node.InFlight() || grace <= 0:
		return end, ""
	}
	return s.in.Now.Add(grace), "its terminationGracePeriod of " + wording.Duration(grace)
}

// holds returns what holds up the drain of a node until its grace period ends, so that it is killed then.
func (a answer) holds(node string) []candidate.Blocker {
	n, known := a.nodes[node]
	if !known {
		return nil
	}
	grace := a.cluster.Grace(*n)
	if grace <= 0 {
		return nil
	}
	return plan.Holds(a.in, *n, a.in.Now.Add(grace))
}

// messages returns what blockers say.
func messages(blockers []candidate.Blocker) (all []string) {
	for _, b := range blockers {
		all = append(all, b.Message)
	}
	return all
}

// kills describes which pods are killed, and when, if a node is disrupted now that may be, although they hold up its drain; "": none.
func (a answer) kills(node string) string {
	holds := a.holds(node)
	if len(holds) == 0 {
		return ""
	}
	grace := a.cluster.Grace(candidate.Node{Name: node})
	return fmt.Sprintf("It may be disrupted although %s. Its terminationGracePeriod overrides that: what is left on the node %s after its "+
		"drain has begun is killed. If that begins now, this is %s.", wording.Some(messages(holds), mostUsers), wording.Duration(grace),
		tell.Day(a.in.Now.Add(grace), a.in.Now))
}

// unlimited reports that no budget limits the pool of a node that may be disrupted, and when one will.
func (s stay) unlimited(text *strings.Builder, f fate) {
	for _, d := range s.decisions {
		for _, p := range d.Pools {
			if line := s.answer.unlimited(p); line != "" && p.Pool == f.Pool && p.Reason == f.Reason {
				fmt.Fprintf(text, "%s\n", tell.Wrap("  "+line, "    "))
			}
		}
	}
}

// unlimited reports that no budget limits a pool, and when one will; "": one does.
func (a answer) unlimited(p disruptkit.PoolDecision) string {
	switch set := a.set(p.Pool); {
	case p.Allowance.Nodes != budget.Unlimited:
		return ""
	case p.Until.IsZero():
		return "No budget limits it now."
	default:
		next, _ := budget.AllowedByReason(set, p.Until, p.Nodes, p.Reason)
		return fmt.Sprintf("No budget is active now: %s is, from %s on.", places(set, next.Binding), tell.Clock{Now: a.in.Now}.Until(p.Until))
	}
}

// set returns the budgets of a pool.
func (a answer) set(pool string) (set budget.Set) {
	for _, p := range a.in.Pools {
		if p.Name == pool {
			return p.Budgets.In(a.in.Dialect)
		}
	}
	return set
}

// places names budgets of a set.
func places(set budget.Set, which budget.Indexes) string {
	var names []string
	for i := range which.All() {
		names = append(names, set.Place(i))
	}
	return wording.Some(names, mostUsers)
}

// usersOf reports which nodes use up the budget of a blocker, and why; none, if it is not that a budget is used up.
func (s stay) usersOf(b candidate.Blocker, of fate) []string {
	var using []candidate.Node
	var allowed []string
	for _, n := range planner.Users(of.after, s.node.Pool, &b, of.Reason) {
		if now := s.nodes[n.Name]; now.Disrupting(of.Reason) {
			using = append(using, *now)
		} else {
			allowed = append(allowed, wording.Quote(n.Name)+" (allowed now)")
		}
	}
	return append(planner.Using(s.cluster, s.in, using), allowed...)
}

// opens describes when the limit of a budget rises, although time alone does not lift the blocker then; "": it does not rise.
func (s stay) opens(b candidate.Blocker, of fate) string {
	at, limit := planner.Opens(s.in, s.node.Pool, &b, of.Reason)
	if at.IsZero() {
		return ""
	}
	text := fmt.Sprintf("The limit is 0 until %s, then %s.", tell.Together(s.clock.Until(at)), number(limit))
	if due := of.Deadline; due.After(s.in.Now) && due.Before(at) {
		text += " From its deadline on, no window of a budget blocks the node."
	}
	return text
}

// advice describes what to do about a blocker of the node.
func (s stay) advice(b candidate.Blocker, of fate) string {
	switch {
	case b.Code == candidate.CodeAllowsNone && b.Gate == candidate.GateBudget && b.Until.IsZero() && s.opens(b, of) == "":
		return "Change the budget: no window of it opens by itself."
	case b.Code == candidate.CodeAllowsNone && b.Gate == candidate.GateTopology && b.Until.IsZero():
		return "Change the budget, or wait for its window if it has one."
	case b.Code == candidate.CodeAllowsNone && b.Gate == candidate.GatePod:
		return "Let the PodDisruptionBudget allow a disruption: more replicas, a smaller minAvailable, or pods that are Ready." + s.grace()
	case b.Code == candidate.CodeDoNotDisrupt && b.Gate == candidate.GatePod:
		return "Remove the annotation from the pod, or wait for the pod to end." + s.grace()
	}
	uses := func(n candidate.Node) bool { return n.Name == s.hangs }
	if s.hangs != "" && slices.ContainsFunc(planner.Users(s.in, s.node.Pool, &b, of.Reason), uses) {
		text := wording.Quote(s.hangs) + " does not leave by itself: kubectl disruption why " + wording.Quote(s.hangs) +
			" says what to do."
		if s.passes() == "" {
			text += " Or raise the budget."
		}
		return text
	}
	if text := s.freeing(b, of); text != "" {
		return text
	}
	if b.Gate == candidate.GateBudget && b.Code == candidate.CodeExhausted && s.passes() != "" {
		return "Wait. A larger budget would hardly help: the node mostly waits for passes of Karpenter."
	}
	return explain.Advice(b.Gate, b.Code)
}

// freeing describes what frees the budget of a blocker that nodes use up; "": it is another blocker, or no node uses it.
func (s stay) freeing(b candidate.Blocker, of fate) string {
	in := of.after
	if unsure(of.Reason) { // allowed nodes may stay
		in = s.in
	}
	var awaited, broken []string
	for _, n := range planner.Users(in, s.node.Pool, &b, of.Reason) {
		switch name := wording.Quote(n.Name); {
		case n.InFlight():
			awaited = append(awaited, name)
		case s.cluster.Standing(n).NotReady:
			broken = append(broken, name)
		}
	}
	var ways []string
	if len(broken) > 0 {
		ways = append(ways, "repair "+wording.Some(broken, mostUsers))
	}
	if s.passes() == "" {
		if len(awaited) > 0 {
			ways = append(ways, "wait for "+wording.Some(awaited, mostUsers))
		}
		if len(ways) > 0 {
			raise := "or raise the budget"
			if b.Code == candidate.CodeAllowsNone {
				raise = "or raise the limit after that"
			}
			ways = append(ways, raise)
		}
	}
	if len(ways) == 0 {
		return ""
	}
	return tell.Capital(strings.Join(ways, ", ") + ".")
}

// passes reports that the node waits for passes of Karpenter for most of the time up to its expected start. Then a
// larger budget hardly helps. "": it does not, or no start is expected.
func (s stay) passes() string {
	if s.expected == nil || s.expected.Start.IsZero() {
		return ""
	}
	var all time.Duration
	var passes plan.Wait
	for _, w := range s.expected.Waits {
		if all += w.For; w.Code == plan.CodePass {
			passes = w
		}
	}
	if 2*passes.For <= all {
		return ""
	}
	unit := time.Minute
	if all < 10*unit {
		unit = time.Second
	}
	return fmt.Sprintf("until then mostly: %s, %s of %s", passes, wording.Duration(passes.For.Round(unit)), wording.Duration(all.Round(unit)))
}

// expectation describes when the node is expected to be disrupted, and that it waits for passes until then.
func (s stay) expectation() string {
	text := planner.Expected(*s.expected, &s.node, s.in.Now)
	if passes := s.passes(); passes != "" {
		text += "; " + passes
	}
	return text
}

// hanging returns the first node in flight that uses up a budget of the node and does not leave by itself, among as many
// as are named.
func (s stay) hanging(outlook planner.Outlook) (name string) {
	fates, asked := s.fates, 0
	if s.ifDrifted != nil {
		fates = []fate{*s.ifDrifted}
	}
	for _, f := range fates {
		for _, b := range f.Blockers {
			for _, n := range planner.Users(s.in, s.node.Pool, &b, f.Reason) {
				if !n.InFlight() || n.Name == s.node.Name || asked == mostUsers {
					continue
				}
				asked++
				if planner.Outlived(&n, s.in.Now) != "" {
					return n.Name
				}
				if e := outlook.Of(n); e != nil && e.Drains() {
					return n.Name
				}
			}
		}
	}
	return ""
}

// stuck describes what to do about a node in flight that does not leave by itself.
func (s stay) stuck() (all []string) {
	if planner.Outlived(&s.node, s.in.Now) != "" {
		of := "nodeclaim " + s.cluster.Standing(s.node).Claim
		if of == "nodeclaim " {
			of = "node " + s.node.Name
		}
		return []string{"Look at its conditions, finalizers and events: kubectl describe " + of}
	}
	if !s.expected.Drains() {
		return nil
	}
	for _, b := range s.expected.Blockers {
		if advice := s.advice(b, fate{}); advice != "" && !slices.Contains(all, advice) {
			all = append(all, advice)
		}
	}
	return all
}

// grace describes what the grace period of a node that is not in flight means for its pods.
func (s stay) grace() string {
	if s.node.InFlight() {
		return ""
	}
	if s.cluster.Grace(s.node) > 0 {
		return " Drift does not wait for it, since the NodeClaim has a terminationGracePeriod."
	}
	text := " This NodeClaim has no terminationGracePeriod, so drift waits for as long"
	if grace := s.cluster.PoolGrace(s.node.Pool); grace > 0 {
		text += "; that of the NodePool, " + wording.Duration(grace) + ", is for new nodes"
	}
	return text + "."
}
