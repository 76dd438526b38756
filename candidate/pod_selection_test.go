package candidate_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/testkit"
	"github.com/disruptkit/disruptkit/internal/testkit/fixture"
	"github.com/disruptkit/disruptkit/internal/testkit/generate"
)

// leaveToParsers gives some pods a LabelSet, most of them in place of their labels or their namespace, or of both.
func leaveToParsers(t *rapid.T, pods []candidate.Pod, parsers []candidate.Parser) []candidate.Pod {
	var left []candidate.Pod
	for _, p := range pods {
		if !rapid.Bool().Draw(t, "has a LabelSet") {
			left = append(left, p)
			continue
		}
		p.LabelSet = parsers[rapid.IntRange(0, len(parsers)-1).Draw(t, "parser")].LabelSet(p.Namespace, p.Labels)
		if rapid.IntRange(0, 3).Draw(t, "labels") > 0 {
			p.Labels = nil
		}
		if rapid.IntRange(0, 3).Draw(t, "namespace") > 0 {
			p.Namespace = ""
		}
		left = append(left, p)
	}
	return left
}

// Numbers of the LabelSets of several parsers are the same, and what they stand for is not.
func TestALabelSetSaysWhatTheLabelsDo(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rules, now := testkit.Arbitrary(generate.Rules).Draw(t, "rules"), testkit.Arbitrary(generate.Time).Draw(t, "now")
		plain, parsed := fixture.Open(rules, now), fixture.Open(rules, now)
		parsers := make([]candidate.Parser, 3)
		for range 6 {
			n := testkit.Arbitrary(generate.Node(now)).Draw(t, "node")
			m := n
			m.Pods = leaveToParsers(t, n.Pods, parsers)
			want, got := plain.Judge(&n, candidate.Condition{}), parsed.Judge(&m, candidate.Condition{})
			if diff := cmp.Diff(fixture.Said(want.Blockers), fixture.Said(got.Blockers)) + cmp.Diff(numbers(want), numbers(got)); diff != "" {
				t.Fatal(diff)
			}
			for i := range n.Pods {
				if n.Pods[i].String() != m.Pods[i].String() {
					t.Fatalf("%v is called %v", n.Pods[i], m.Pods[i])
				}
			}
		}
	})
}

// Who changes the namespace or the labels of a copy of a pod need not think of its LabelSet.
func TestWhatAPodSaysItselfCountsMoreThanItsLabelSet(t *testing.T) {
	rules, err := candidate.CompileRules([]candidate.PDB{
		{Namespace: "shop", Name: "web", Selector: &candidate.Selector{MatchLabels: map[string]string{"app": "web"}}},
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	var parser candidate.Parser
	web, db := map[string]string{"app": "web"}, map[string]string{"app": "db"}
	for _, c := range []struct {
		name      string
		pod       candidate.Pod
		protected bool
	}{
		{"a LabelSet alone", candidate.Pod{LabelSet: parser.LabelSet("shop", web)}, true},
		{"one of another namespace", candidate.Pod{LabelSet: parser.LabelSet("ml", web)}, false},
		{"one of other labels", candidate.Pod{LabelSet: parser.LabelSet("shop", db)}, false},
		{"the same namespace and labels", candidate.Pod{Namespace: "shop", Labels: web, LabelSet: parser.LabelSet("shop", web)}, true},
		{"labels", candidate.Pod{Labels: web, LabelSet: parser.LabelSet("shop", db)}, true},
		{"other labels", candidate.Pod{Labels: db, LabelSet: parser.LabelSet("shop", web)}, false},
		{"labels, of which there are none", candidate.Pod{Labels: map[string]string{}, LabelSet: parser.LabelSet("shop", web)}, false},
		{"a namespace", candidate.Pod{Namespace: "shop", LabelSet: parser.LabelSet("ml", web)}, true},
		{"another namespace", candidate.Pod{Namespace: "ml", LabelSet: parser.LabelSet("shop", web)}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			n := candidate.Node{Pods: []candidate.Pod{c.pod}}
			if v := fixture.Open(rules, fixture.Noon).Judge(&n, candidate.Condition{}); (len(v.Blockers) > 0) != c.protected {
				t.Errorf("%v", v.Blockers)
			}
		})
	}
}
