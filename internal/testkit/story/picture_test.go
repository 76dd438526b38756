package story_test

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/topology"
)

func (s *scenario) clock() string { return scenarioClock(s.now) }

// scenarioClock has seconds where there are any, as probes have.
func scenarioClock(t time.Time) string {
	if t.Second() != 0 {
		return t.Format("Mon 15:04:05")
	}
	return t.Format("Mon 15:04")
}

// tell shows the domains, what may be disrupted, what blocks the others, the roll, and when to look again.
func (s *scenario) tell(d disruptkit.Decision, allowed string) string {
	var told strings.Builder
	told.WriteString(s.clock() + "\n")
	s.picture(&told, d)
	for _, c := range d.Allowed {
		until := ""
		if !c.Until.IsZero() {
			until = " (allowed until " + scenarioClock(c.Until) + ")"
		}
		fmt.Fprintf(&told, "%s %s%s\n", c.Node, allowed, until)
	}
	signalsTold(&told, d)
	s.waits(&told, d)
	for _, w := range d.Warnings {
		told.WriteString(scenarioWrapped("! " + w.Error()))
	}
	if r := d.Memory["default"].Roll; d.Reason != candidate.Unhealthy || r.Key != "" {
		told.WriteString("roll: " + scenarioRoll(r) + "\n")
	}
	for _, g := range s.groups {
		if r := d.Memory[g.Key()].Roll; r.Key != "" {
			told.WriteString("roll of group " + g.Name + ": " + scenarioRoll(r) + "\n")
		}
	}
	if !d.NextChange.IsZero() {
		told.WriteString("next change: " + scenarioClock(d.NextChange) + "\n")
	}
	return told.String()
}

// picture draws the nodes by domain of the budget that orders them, with an arrow where the turn is.
func (s *scenario) picture(told *strings.Builder, d disruptkit.Decision) {
	var turn topology.Selection
	for _, p := range d.Pools {
		for _, t := range p.Topology {
			if p.Pool == s.pool.Name && t.Sequential {
				turn = t
			}
		}
	}
	for _, g := range d.Groups {
		for _, t := range g.Topology {
			if turn.Key == "" && t.Sequential {
				turn = t
			}
		}
	}
	rows := map[string][]string{}
	in := s.input()
	for _, n := range in.Nodes {
		domain := n.Labels[cmp.Or(turn.Key, scenarioZone)]
		rows[domain] = append(rows[domain], scenarioSketch(n, d.Reason, candidate.OpenPods(in.Rules, s.now)))
	}
	domains := make([]string, 0, len(rows))
	width := 0
	for domain := range rows {
		domains = append(domains, domain)
		width = max(width, len(scenarioTitle(domain)))
	}
	slices.Sort(domains)
	for _, domain := range domains {
		arrow := "  "
		if turn.Chosen && turn.Active == domain {
			arrow = "->"
		}
		fmt.Fprintf(told, "%s %-*s  %s\n", arrow, width, scenarioTitle(domain), strings.Join(rows[domain], " "))
	}
}

// scenarioSketch returns the name of a node and what there is to see of it in a decision for a reason.
func scenarioSketch(n candidate.Node, reason candidate.Reason, pods *candidate.PodGate) string {
	text := n.Name
	switch {
	case n.Leaving == candidate.Terminating:
		text += ">>"
	case n.Leaving == candidate.Draining:
		text += ">"
	case n.Rebooting:
		text += "^"
	case slices.ContainsFunc(n.Conditions, func(c candidate.Condition) bool { return candidate.Unhealthy.Covers(c.Reason) }):
		text += "?"
	case slices.ContainsFunc(n.Conditions, func(c candidate.Condition) bool { return candidate.Drifted.Covers(c.Reason) }):
		text += "*"
	}
	switch {
	case n.Leaving == candidate.Draining && n.DisruptedFor == "":
		text += "unknown"
	case n.Leaving == candidate.Draining && n.DisruptedFor != candidate.Drifted:
		text += string(n.DisruptedFor)
	}
	heldBack := func(c candidate.Condition) bool {
		return reason.Covers(c.Reason) && len(n.Blockers)+len(pods.Blockers(&n, c)) > 0
	}
	if n.DoNotDisrupt || n.Leaving != candidate.Draining && slices.ContainsFunc(n.Conditions, heldBack) {
		text += "!"
	}
	if !n.Ready() {
		text += "~"
	}
	return text
}

func scenarioTitle(domain string) string {
	return cmp.Or(domain, "(no label)")
}

// waits describes what else blocks nodes, those together that the same blocks. Of nodes in flight the picture tells.
func (s *scenario) waits(told *strings.Builder, d disruptkit.Decision) {
	var reasons []string
	nodes := map[string][]string{}
	for _, c := range d.Blocked {
		text := ""
		for _, b := range notTold(c, d) {
			text += scenarioWrapped("  - " + b.String())
		}
		if code := c.Blockers[0].Code; code == candidate.CodeDeleting || code == candidate.CodeRebooting || text == "" {
			continue
		}
		if nodes[text] == nil {
			reasons = append(reasons, text)
		}
		nodes[text] = append(nodes[text], c.Node)
	}
	for _, text := range reasons {
		verb := " wait:\n"
		if len(nodes[text]) == 1 {
			verb = " waits:\n"
		}
		told.WriteString(strings.Join(nodes[text], " ") + verb + text)
	}
}

func scenarioRoll(r topology.Roll) string {
	switch {
	case r == topology.Roll{}:
		return "none"
	case !r.IdleSince.IsZero():
		return fmt.Sprintf("%s, idle since %s", scenarioTitle(r.Domain), scenarioClock(r.IdleSince))
	}
	return scenarioTitle(r.Domain)
}

// scenarioWrapped breaks a line after 100 columns.
func scenarioWrapped(line string) string {
	const width = 100
	var wrapped string
	for len(line) > width {
		i := strings.LastIndexByte(line[:width], ' ')
		if i <= 6 {
			break
		}
		wrapped += line[:i] + "\n"
		line = "      " + line[i+1:]
	}
	return wrapped + line + "\n"
}
