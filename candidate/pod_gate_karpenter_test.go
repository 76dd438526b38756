package candidate_test

import (
	"slices"
	"testing"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/dialect"
	"github.com/disruptkit/disruptkit/internal/testkit/fixture"
)

func TestRulesInKarpentersDialect(t *testing.T) {
	everything, broken := &candidate.Selector{}, &candidate.Selector{MatchLabels: map[string]string{"a b": "c"}}
	node := func(name string) *candidate.Node {
		return &candidate.Node{Name: name, Pods: []candidate.Pod{{Namespace: "blue", Name: "p-" + name}}}
	}
	tests := []struct {
		name      string
		pdb       candidate.PDB
		schedules []candidate.PodSchedule
		own, both [2]int // how many blockers two nodes have here, and in Karpenter, if both go one after the other
		stopped   bool
	}{
		{"each node is asked for on its own", candidate.PDB{Namespace: "blue", Name: "pdb", Selector: everything, DisruptionsAllowed: 1}, nil,
			[2]int{0, 1}, [2]int{0, 0}, false},
		{"one that allows 0 blocks", candidate.PDB{Namespace: "blue", Name: "pdb", Selector: everything}, nil, [2]int{1, 1}, [2]int{1, 1}, false},
		{"one that allows less does not", candidate.PDB{Namespace: "blue", Name: "pdb", Selector: everything, DisruptionsAllowed: -1}, nil,
			[2]int{1, 1}, [2]int{0, 0}, false},
		{"one that is not valid stops the cluster", candidate.PDB{Namespace: "green", Name: "pdb", Selector: broken}, nil,
			[2]int{0, 0}, [2]int{1, 1}, true},
		{"not even broken ones", candidate.PDB{Namespace: "green", Name: "pdb", Selector: everything},
			[]candidate.PodSchedule{{Name: "nights", Selector: everything, Schedule: "never"}}, [2]int{1, 1}, [2]int{0, 0}, false},
		{"PodDisruptionSchedules have no effect", candidate.PDB{Namespace: "green", Name: "pdb", Selector: everything},
			[]candidate.PodSchedule{{Name: "nights", Selector: everything, Schedule: "0 3 * * *", Duration: "1h"}}, [2]int{1, 1}, [2]int{0, 0}, false},
	}
	noon := time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			rules, _ := candidate.CompileRules([]candidate.PDB{test.pdb}, test.schedules)
			for d, want := range map[dialect.Dialect][2]int{dialect.Disruptkit: test.own, dialect.Karpenter: test.both} {
				rules.Dialect = d
				g := fixture.Open(rules, noon)
				for i, name := range []string{"a", "b"} {
					v := g.Judge(node(name), candidate.Condition{Reason: candidate.Drifted})
					if len(v.Blockers) != want[i] {
						t.Errorf("%s: %s has %v, want %d blockers", d, name, v.Blockers, want[i])
					}
					g.Take(v)
				}
				if stops(g) != (test.stopped && d == dialect.Karpenter) {
					t.Errorf("%s: stopped is %t", d, stops(g))
				}
				broken := slices.ContainsFunc(rules.Warnings(), func(w candidate.Warning) bool { return w.Code == candidate.CodeInvalidSchedule })
				if broken != (test.name == "not even broken ones" && d == dialect.Disruptkit) {
					t.Errorf("%s: %v", d, rules.Warnings())
				}
				noEffect := slices.ContainsFunc(rules.Warnings(), func(w candidate.Warning) bool { return w.Code == candidate.CodeNoEffect })
				if noEffect != (len(test.schedules) > 0 && d == dialect.Karpenter) {
					t.Errorf("%s: %v", d, rules.Warnings())
				}
			}
		})
	}
}

// stops reports whether a gate blocks nodes without pods.
func stops(g fixture.Gate) bool { return len(g.Blockers(&candidate.Node{}, candidate.Condition{})) > 0 }
