package naive

import (
	"slices"
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/schedule"
)

// InFlight returns how many nodes in flight use each PDB.
func InFlight(in disruptkit.Input) map[string]int {
	gone := map[string]int{}
	for _, n := range in.Nodes {
		if n.InFlight() {
			_, used, _ := Pods(in, n, candidate.Condition{}, nil)
			for _, pdb := range used {
				gone[pdb]++
			}
		}
	}
	return gone
}

// Pods returns the codes of the blockers of a node's pods, the names of the PDBs that its disruption uses, and whether
// any blocker never lifts. Gone has the number of nodes per PDB that go already.
func Pods(
	in disruptkit.Input, n candidate.Node, c candidate.Condition, gone map[string]int,
) (codes, used []string, forGood bool) {
	late := !n.Deadline.IsZero() && !in.Now.Before(n.Deadline) || n.InFlight()
	repair := c.Reason.Method() == "Unhealthy"
	bounded := repair && c.Because == "" && c.Bound != nil && *c.Bound >= 0
	waived := late || n.HasGracePeriod && overdue(c, in.Now) ||
		n.HasGracePeriod && (repair || c.Reason.Method() == "Drifted") || bounded
	block := func(code string) {
		if !waived {
			forGood = forGood || code == "several-pdbs" && n.Deadline.IsZero()
			codes = append(codes, "pod/"+code)
		}
	}
	for _, p := range n.Pods {
		if p.Inactive {
			continue
		}
		if t := p.Terms.Protect; t == candidate.Forever || t > 0 && (p.Started.IsZero() || in.Now.Sub(p.Started) < t) {
			block("do-not-disrupt")
			forGood = forGood || t == candidate.Forever && n.Deadline.IsZero() && !waived
		}
		if p.Terms.Protect < 0 {
			block("negative")
		}
		if p.Terms.Invalid && in.Rules.FailClosed {
			block("invalid-annotation")
		}
		if !schedule.InWindow(p.Terms.Window, in.Now) {
			block("outside-schedule")
		}
		_, schedules := in.Rules.Written()
		for _, s := range schedules {
			if s.Selector == nil || !selects(s.Selector, p.Labels) {
				continue
			}
			switch d := map[string]time.Duration{"": time.Hour, "8h": 8 * time.Hour}[s.Duration]; {
			case broken(s.Selector) || d == 0 || s.Schedule == "0 25 * * *":
				block("invalid-schedule")
			case !schedule.InWindow(schedule.MustParse(s.Schedule, d, ""), in.Now):
				block("outside-schedule")
			}
		}
		if p.Unevictable {
			continue
		}
		intact := 0
		for _, b := range in.Rules.PDBs() {
			if b.Namespace != p.Namespace || !selects(b.Selector, p.Labels) {
				continue
			}
			if !broken(b.Selector) {
				intact++
			}
			name := b.Namespace + "/" + b.Name
			if (!b.AlwaysAllow || !p.Unready || broken(b.Selector)) && !slices.Contains(used, name) {
				used = append(used, name)
				switch {
				case broken(b.Selector):
					block("invalid-pdb")
				case b.DisruptionsAllowed <= 0:
					block("allows-none")
				case gone[name] >= b.DisruptionsAllowed:
					block("exhausted")
				}
			}
		}
		if intact > 1 {
			block("several-pdbs")
		}
	}
	return codes, used, forGood && !(n.HasGracePeriod && dated(c))
}
