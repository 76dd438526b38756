package disruptkit_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/generate"
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

// naiveInFlight returns how many nodes in flight use each PDB.
func naiveInFlight(in disruptkit.Input) map[string]int {
	gone := map[string]int{}
	for _, n := range in.Nodes {
		if n.Deleting || n.InstanceTerminating {
			_, used, _ := naivePods(in, n, "", nil)
			for _, pdb := range used {
				gone[pdb]++
			}
		}
	}
	return gone
}

// naivePods returns the codes of what a node's pods say, given how many nodes that use a PDB go already, and the names of
// the PDBs that disrupting it uses, and whether any of it holds for good.
func naivePods(in disruptkit.Input, n candidate.Node, reason candidate.Reason, gone map[string]int) (codes, used []string, forGood bool) {
	late := !n.Deadline.IsZero() && !in.Now.Before(n.Deadline) || n.Deleting || n.InstanceTerminating
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

// tied generates nodes that nothing holds back but their pods, few PDBs over many of them, and budgets.
func tied(t *rapid.T) disruptkit.Input {
	in := disruptkit.Input{Now: generate.Time().Draw(t, "now")}
	var pdbs []candidate.PDB
	for i, app := range []string{"web", "db", "job"} {
		pdbs = append(pdbs, candidate.PDB{
			Namespace: "shop", Name: app, DisruptionsAllowed: rapid.IntRange(0, 3).Draw(t, "allowed"),
			Selector: &candidate.Selector{MatchLabels: map[string]string{"app": app}}, AlwaysAllow: i == 2,
		})
	}
	in.Rules, _ = candidate.Compile(pdbs, nil)
	for i := range 2 {
		budgets := rapid.OneOf(generate.Budgets(), rapid.SliceOfN(rapid.OneOf(generate.Budget(), generate.ZoneBudget()), 1, 3)).Draw(t, "budgets")
		set, _ := budget.Compile(budgets)
		in.Pools = append(in.Pools, disruptkit.Pool{Name: fmt.Sprint("pool-", i), Budgets: set})
	}
	for i := range rapid.IntRange(2, 12).Draw(t, "nodes") {
		n := candidate.Node{
			Name: fmt.Sprintf("node-%02d", i), Pool: rapid.SampledFrom([]string{"pool-0", "pool-1"}).Draw(t, "pool"),
			Labels:      map[string]string{"zone": rapid.SampledFrom([]string{"a", "b"}).Draw(t, "zone"), "rack": rapid.SampledFrom([]string{"1", "2"}).Draw(t, "rack")},
			Initialized: true, Ready: true, ReadySince: in.Now.Add(-time.Hour), Deleting: rapid.IntRange(0, 9).Draw(t, "in flight") == 0,
			Pods: generate.Pods(in.Now).Draw(t, "pods"),
		}
		for j := range n.Pods {
			n.Pods[j].Namespace = "shop"
		}
		n.Conditions = []candidate.Condition{{
			Reason: rapid.SampledFrom([]candidate.Reason{"Drifted", "Drifted/AMIDrift", "Empty"}).Draw(t, "reason"),
			Since:  in.Now.Add(time.Duration(-i) * time.Minute),
		}}
		in.Nodes = append(in.Nodes, n)
	}
	return in
}

func TestUntilIsKeptWherePDBsTieNodesTogether(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := tied(t)
		asked := rapid.SampledFrom([]candidate.Reason{"", candidate.Drifted}).Draw(t, "asked")
		d := disruptkit.Decide(in, asked)
		in.Memory = d.Memory
		keepsUntil(t, in, asked, d)
		for _, c := range d.Blocked {
			if until, ok := budgetsLift(c); ok && !mayGo(in, asked, until, c) {
				t.Fatalf("%s is held back until %v, and then, too", c.Node, until)
			}
		}
	})
}

// What one decision allows, and the next on what it leaves, can all be started together.
func TestPDBsAreNeverOverdrawn(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := rapid.Custom(tied).Draw(t, "input")
		gone := naiveInFlight(in)
		for range 2 {
			d := disruptkit.Decide(in, drawReason(t))
			for _, c := range d.Allowed {
				i := slices.IndexFunc(in.Nodes, func(n candidate.Node) bool { return n.Name == c.Node })
				codes, used, _ := naivePods(in, in.Nodes[i], c.Reason, gone)
				if len(codes) > 0 {
					t.Fatalf("%s may go, but %v", c.Node, codes)
				}
				for _, pdb := range used {
					gone[pdb]++
				}
			}
			in = in.Apply(d)
		}
	})
}

// Other nodes may go instead: one that stays leaves its disruption of a PDB to another.
func TestOneMorePodNeverLetsItsNodeGo(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := generate.Input().Filter(func(in disruptkit.Input) bool { return len(in.Nodes) > 0 }).Draw(t, "input")
		asked := drawReason(t)
		i := rapid.IntRange(0, len(in.Nodes)-1).Draw(t, "node")
		may := func(in disruptkit.Input) bool {
			return slices.ContainsFunc(disruptkit.Decide(in, asked).Allowed, func(c candidate.Candidate) bool { return c.Node == in.Nodes[i].Name })
		}
		more := in
		more.Nodes = slices.Clone(in.Nodes)
		more.Nodes[i].Pods = slices.Concat(in.Nodes[i].Pods, generate.Pods(in.Now).Draw(t, "more pods"))
		if !may(in) && may(more) {
			t.Fatalf("%s may go only with more pods", in.Nodes[i].Name)
		}
	})
}
