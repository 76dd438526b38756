package plan

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/display"
	"github.com/disruptkit/disruptkit/internal/wording"
)

// String describes the plan for people in a few lines: what is done when, where the time goes, what is never done and
// why, and what the plan assumes. Times are in the location of Plan.From.
func (p Plan) String() string {
	var s strings.Builder
	fmt.Fprintln(&s, p.headline())
	for _, pool := range p.Pools {
		fmt.Fprintf(&s, "%s: %s\n", poolTitle(pool.Name), pool.sentence(pool.Finish))
		for _, g := range p.Groups {
			if g.Pool == pool.Name {
				fmt.Fprintf(&s, "  %s, %s: %s\n", cmp.Or(wording.Quote(g.Zone), "no zone"),
					cmp.Or(wording.Quote(string(g.Reason)), "reason unknown"), g.sentence(g.Finish))
			}
		}
		total := time.Duration(0)
		for _, w := range pool.Clock {
			total += w.For
		}
		tell(&s, pool.Clock, mostWaits,
			func(w Wait) string {
				return fmt.Sprintf("  %s of %s: %s", display.Rough(w.For), display.Rough(total), w)
			},
			func(left int) string { return "  and " + wording.Count(left, "other cause") })
	}
	p.tellExpired(&s)
	p.tellLate(&s)
	p.tellRest(&s)
	s.WriteString("assumed:\n")
	for _, a := range p.Assumptions {
		fmt.Fprintln(&s, "  "+a)
	}
	return s.String()
}

const (
	mostWaits = 6 // causes listed for a pool
	mostHeld  = 5 // nodes listed of those that expire, are late, or are blocked
)

// tell writes a line for each of the first few of a list, and one for how many are left.
func tell[T any](s *strings.Builder, list []T, most int, line func(T) string, rest func(left int) string) {
	for _, one := range list[:min(most, len(list))] {
		fmt.Fprintln(s, line(one))
	}
	if left := len(list) - most; left > 0 {
		fmt.Fprintln(s, rest(left))
	}
}

func andNodes(left int) string { return "and " + wording.Count(left, "node") + " more" }

// which returns the nodes of some lists that are of a kind.
func which(is func(*Node) bool, lists ...[]Node) (all []*Node) {
	for _, list := range lists {
		for i := range list {
			if is(&list[i]) {
				all = append(all, &list[i])
			}
		}
	}
	return all
}

// headline describes how the plan ends.
func (p Plan) headline() string {
	c := p.Count(farAway)
	if c.Nodes == 0 {
		return "no node has to go"
	}
	at := cmp.Or(day(p.From), "an unknown time")
	return fmt.Sprintf("%s to go from %s: %s", wording.Count(c.Nodes, "node"), at, c.sentence(p.Finish))
}

// tellLate lists the nodes that miss their deadlines, the latest first.
func (p Plan) tellLate(s *strings.Builder) {
	late := which(func(n *Node) bool { return n.LateBy() > 0 }, p.Nodes)
	slices.SortStableFunc(late, func(a, b *Node) int { return cmp.Compare(b.LateBy(), a.LateBy()) })
	tell(s, late, mostHeld, func(n *Node) string {
		return fmt.Sprintf("late: node %s: gone at %s, %s after its deadline",
			wording.Quote(n.Name), day(n.Gone), display.Rough(n.LateBy()))
	}, andNodes)
}

// tellRest lists the nodes that are never done, or not within the horizon, and why.
func (p Plan) tellRest(s *strings.Builder) {
	rest := which(func(n *Node) bool { return n.Outcome != Done }, p.Nodes)
	tell(s, rest, mostHeld, func(n *Node) string {
		when, why := "never", "beyond the plan's horizon"
		if n.Outcome == Open {
			when = "not by " + day(p.Horizon)
		}
		if len(n.Blockers) > 0 {
			why = n.Blockers[0].Message
		}
		return fmt.Sprintf("%s: node %s: %s", when, wording.Quote(n.Name), why)
	}, andNodes)
}

// sentence returns "398 done by Thu 26 Nov 2026 03:40 UTC, 14 never".
func (c Count) sentence(finish time.Time) string {
	var texts []string
	if c.Done > 0 || c.Never+c.ToGo+c.OnlyExpire == 0 {
		texts = append(texts, fmt.Sprintf("%d done by %s", c.Done, day(finish)))
	}
	if c.OnlyExpire > 0 {
		texts = append(texts, fmt.Sprintf("%d only because they expire", c.OnlyExpire))
	}
	if c.ToGo > 0 {
		texts = append(texts, fmt.Sprintf("%d not within the plan", c.ToGo))
	}
	if c.Never > 0 {
		texts = append(texts, fmt.Sprintf("%d never", c.Never))
	}
	if c.Late > 0 {
		texts = append(texts, c.lateness())
	}
	return strings.Join(texts, ", ")
}

// lateness returns "14 miss their deadline, by up to 3h00m".
func (c Count) lateness() string {
	text := fmt.Sprintf("%d miss their deadline", c.Late)
	if c.Late == 1 {
		text = "1 misses its deadline"
	}
	switch {
	case c.LateBy == 0:
		return text
	case c.Late == 1:
		return text + " by " + display.Rough(c.LateBy)
	}
	return text + " by up to " + display.Rough(c.LateBy)
}

func poolTitle(name string) string { return cmp.Or(wording.Quote(name), "no pool") }

// String describes what a wait is for: "budgets are used up (budget/exhausted): budgets[0]: 10%".
func (w Wait) String() string {
	text := cmp.Or(phrases[Wait{Gate: w.Gate, Code: w.Code}], phrases[Wait{Gate: w.Gate}], "nodes are blocked")
	if w.Gate != "" {
		text += fmt.Sprintf(" (%s/%s)", w.Gate, w.Code)
	}
	if w.Cause != "" {
		text += ": " + w.Cause
	}
	return text
}

// phrases are the names of waits. A phrase without a code is for all other codes of its gate.
var phrases = map[Wait]string{
	{Code: CodePass}:   "Karpenter starts one drifted node in each pass",
	{Code: CodeLaunch}: "replacements are launched",
	{Code: CodeDrain}:  "nodes drain",

	{Gate: candidate.GateBudget}:                                       "a budget is invalid",
	{Gate: candidate.GateBudget, Code: candidate.CodeAllowsNone}:       "budgets allow no node",
	{Gate: candidate.GateBudget, Code: candidate.CodeExhausted}:        "budgets are used up",
	{Gate: candidate.GateBudget, Code: candidate.CodeReserved}:         "budgets reserve the rest for other reasons",
	{Gate: candidate.GateBudget, Code: candidate.CodePaced}:            "as many nodes have started as a pace allows",
	{Gate: candidate.GateBudget, Code: candidate.CodeSpread}:           "the next start of a spread is not due",
	{Gate: candidate.GateBudget, Code: candidate.CodeSoaks}:            "slots soak after their nodes are gone",
	{Gate: candidate.GateTopology}:                                     "zones block nodes",
	{Gate: candidate.GateTopology, Code: candidate.CodeAllowsNone}:     "the budget of the zone allows no node",
	{Gate: candidate.GateTopology, Code: candidate.CodeExhausted}:      "the budget of the zone is used up",
	{Gate: candidate.GateTopology, Code: candidate.CodeWaitsForDomain}: "it is the turn of another zone",

	{Gate: candidate.GatePod}:                                      "pods block their nodes",
	{Gate: candidate.GatePod, Code: candidate.CodeAllowsNone}:      "a PodDisruptionBudget allows nothing",
	{Gate: candidate.GatePod, Code: candidate.CodeExhausted}:       "a PodDisruptionBudget is used up",
	{Gate: candidate.GatePod, Code: candidate.CodeDoNotDisrupt}:    "pods are annotated do-not-disrupt",
	{Gate: candidate.GatePod, Code: candidate.CodeOutsideSchedule}: "pods may be disrupted only at other times",

	{Gate: candidate.GateNode}:                                   "nodes are not ready to go",
	{Gate: candidate.GateNode, Code: candidate.CodeDoNotDisrupt}: "nodes are annotated do-not-disrupt",
	{Gate: candidate.GateNode, Code: candidate.CodeDoNotRepair}:  "nodes are annotated do-not-repair",
	{Gate: candidate.GateNode, Code: candidate.CodeDisruptAfter}: "the reason has not held for long enough",
	{Gate: candidate.GateNode, Code: candidate.CodeTooYoung}:     "the node is too young",
	{Gate: candidate.GateNode, Code: candidate.CodeTolerated}: "a repair policy still tolerates " +
		"the nodes' condition",
	{Gate: candidate.GateNode, Code: candidate.CodeNominated}: "pending pods are expected on nodes",
	{Gate: candidate.GateNode, Code: candidate.CodeRebooting}: "nodes reboot",
	{Gate: candidate.GateNode, Code: CodeNodeLimit}:           "static NodePools have as many nodes as they may",
	{Gate: candidate.GateNode, Code: CodeRoom}:                "pods fit on replacements that are not Ready yet",
	{Gate: candidate.GateNode, Code: candidate.CodeRejected}:  "the API server rejects the NodePool",

	{Gate: candidate.GateProbe}:                              "a probe or a breaker blocks nodes",
	{Gate: candidate.GateProbe, Code: candidate.CodePaused}:  "nodes are paused",
	{Gate: candidate.GateWave}:                               "waves are invalid",
	{Gate: candidate.GateWave, Code: candidate.CodeWaveFull}: "nodes of a wave are replaced",
	{Gate: candidate.GateWave, Code: candidate.CodeBakes}:    "a wave bakes",
	{Gate: candidate.GateBackoff}:                            "replacements have failed, and the pool waits",
}

// day returns "Tue 24 Nov 2026 02:10 UTC", and "" for the zero time.
func day(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.Format("Mon 2 Jan 2006 15:04 MST")
}
