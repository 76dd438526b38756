package candidate_test

import (
	"fmt"
	"maps"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/generate"
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
		rules, now := arbitrary(generate.Rules).Draw(t, "rules"), arbitrary(generate.Time).Draw(t, "now")
		plain, parsed := rules.At(now), rules.At(now)
		parsers := make([]candidate.Parser, 3)
		for range 6 {
			n := arbitrary(generate.Node(now)).Draw(t, "node")
			m := n
			m.Pods = leaveToParsers(t, n.Pods, parsers)
			want, got := plain.Judge(&n, candidate.Condition{}), parsed.Judge(&m, candidate.Condition{})
			if diff := cmp.Diff(said(want.Blockers), said(got.Blockers)) + cmp.Diff(numbers(want), numbers(got)); diff != "" {
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
	rules, err := candidate.Compile([]candidate.PDB{
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
			if v := rules.At(noon).Judge(&n, candidate.Condition{}); (len(v.Blockers) > 0) != c.protected {
				t.Errorf("%v", v.Blockers)
			}
		})
	}
}

// A LabelSet is of the labels as they were read, and is the same for all pods that have them.
func TestALabelSetIsMadeOnce(t *testing.T) {
	var parser, other candidate.Parser
	labels := map[string]string{"app": "web", "tier": ""}
	first := parser.LabelSet("shop", labels)
	if first != parser.LabelSet("shop", maps.Clone(labels)) {
		t.Error("equal labels have several")
	}
	if elsewhere := other.LabelSet("shop", labels); first == elsewhere || !first.Equal(elsewhere) {
		t.Error("that of another parser is not equal, or the same")
	}
	for name, second := range map[string]candidate.LabelSet{
		"none": {}, "another namespace": parser.LabelSet("ml", labels), "a label less": parser.LabelSet("shop", map[string]string{"app": "web"}),
		"another label": parser.LabelSet("shop", map[string]string{"app": "web", "rack": ""}), "parts in other places": parser.LabelSet("", map[string]string{"shop": "app", "web": "tier"}),
	} {
		if first == second || first.Equal(second) || second.Equal(first) {
			t.Errorf("it is equal to %s", name)
		}
	}
	labels["app"] = "db"
	if again := parser.LabelSet("shop", map[string]string{"app": "web", "tier": ""}); !first.Equal(again) {
		t.Error("it changes with the map that was read")
	}
	if allocations := testing.AllocsPerRun(100, func() { parser.LabelSet("shop", labels) }); allocations > 0 {
		t.Errorf("%v allocations for labels that were seen", allocations)
	}
}

// Pods come and go, each with labels of its own, such as those of jobs.
func TestAParserForgetsLabels(t *testing.T) {
	if testing.Short() {
		t.Skip("it fills parsers to the brim")
	}
	for _, c := range []struct {
		name   string
		pods   int
		labels func(pod int) map[string]string
	}{
		{"few labels", 300_000, func(pod int) map[string]string { return map[string]string{"job-name": fmt.Sprint("job-", pod)} }},
		{"many short ones", 2_000, func(pod int) map[string]string {
			labels := map[string]string{}
			for i := range 1_000 {
				labels[strconv.Itoa(i)] = strconv.Itoa(pod % 10)
			}
			labels["job"] = strconv.Itoa(pod)
			return labels
		}},
		{"parts of long texts", 2_000, func(pod int) map[string]string {
			text := strings.Repeat("x", 100_000) + strconv.Itoa(pod)
			return map[string]string{text[99_999:]: text[99_998:]}
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var parser candidate.Parser
			before, most := liveHeap(), 0
			for pod := range c.pods {
				parser.LabelSet("jobs", c.labels(pod))
				if pod%(c.pods/20) == 0 {
					most = max(most, liveHeap())
				}
			}
			if mib := (most - before) >> 20; mib > 64 {
				t.Errorf("it holds %d MiB", mib)
			}
			first := parser.LabelSet("jobs", nil)
			if again := parser.LabelSet("jobs", nil); again != first {
				t.Error("it no longer remembers")
			}
		})
	}
}
