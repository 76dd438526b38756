package disruptkit_test

import (
	"slices"
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/schedule"
)

// naiveSelects matches a selector term by term, as the Kubernetes API describes it. Broken ones match everything.
func naiveSelects(s *candidate.Selector, labels map[string]string) bool {
	if naiveBroken(s) {
		return true
	}
	for key, value := range s.MatchLabels {
		if got, ok := labels[key]; !ok || got != value {
			return false
		}
	}
	for _, r := range s.MatchExpressions {
		value, there := labels[r.Key]
		switch in := there && slices.Contains(r.Values, value); {
		case r.Operator == "In" && !in, r.Operator == "NotIn" && in,
			r.Operator == "Exists" && !there, r.Operator == "DoesNotExist" && there:
			return false
		}
	}
	return true
}

// naiveBroken reports whether a selector is one of the broken ones that are generated.
func naiveBroken(s *candidate.Selector) bool {
	_, broken := s.MatchLabels["no label"]
	return broken
}

// naivePods returns the codes of what a node's pods say, given how many nodes were let go that use a PDB, and the names of
// the PDBs that disrupting it uses, and whether any of it holds for good.
func naivePods(in disruptkit.Input, n candidate.Node, reason candidate.Reason, gone map[string]int) (codes, used []string, forGood bool) {
	late := !n.Deadline.IsZero() && !in.Now.Before(n.Deadline)
	waived := late || n.HasGracePeriod && reason.Method() == candidate.Drifted
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
		if p.Terms.Invalid && in.Rules.FailClosed {
			block("invalid-annotation")
		}
		if !schedule.InWindow(p.Terms.Window, in.Now) {
			block("outside-schedule")
		}
		for _, s := range in.Rules.PodSchedules() {
			if !naiveSelects(s.Selector, p.Labels) {
				continue
			}
			switch d := map[string]time.Duration{"": time.Hour, "8h": 8 * time.Hour}[s.Duration]; {
			case naiveBroken(s.Selector) || d == 0 || s.Schedule == "0 25 * * *":
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
			if b.Namespace != p.Namespace || !naiveSelects(b.Selector, p.Labels) {
				continue
			}
			if !naiveBroken(b.Selector) {
				intact++
			}
			if name := b.Namespace + "/" + b.Name; (!b.AlwaysAllow || !p.Unready || naiveBroken(b.Selector)) && !slices.Contains(used, name) {
				used = append(used, name)
				switch {
				case naiveBroken(b.Selector):
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
	return codes, used, forGood
}
