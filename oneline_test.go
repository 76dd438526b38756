package disruptkit_test

import (
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/budget/lint"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/candidate/kube"
	"github.com/disruptkit/disruptkit/internal/testkit/fixture"
	"github.com/disruptkit/disruptkit/probe"
	"github.com/disruptkit/disruptkit/report"
)

// A block scalar ends in a line break, and a name may be anything where nobody checks it. What people read must stay on its line,
// and must not give orders to their terminals.
func TestWhateverThingsAreCalledSentencesAreOneLine(t *testing.T) {
	odd := func(name string) string { return name + "\t\x1b[31m\u202e\n" }
	const zone = "topology.kubernetes.io/zone"
	parser := kube.Parser{}
	terms, _ := parser.Terms("", "", map[string]string{kube.DoNotDisruptAnnotation: "4h"})
	pods := []candidate.Pod{
		{Namespace: odd("team"), Name: odd("web"), Terms: terms, Labels: map[string]string{"app": "web"}},
		{Namespace: odd("team"), Name: odd("search"), Labels: map[string]string{"app": "two"}},
	}
	selector := func(app string) *candidate.Selector {
		return &candidate.Selector{MatchLabels: map[string]string{"app": app}}
	}
	rules, ruleErr := candidate.CompileRules([]candidate.PDB{
		{Namespace: odd("team"), Name: odd("one"), Selector: selector("two"), DisruptionsAllowed: 1},
		{Namespace: odd("team"), Name: odd("two"), Selector: selector("two"), DisruptionsAllowed: 1},
		{Namespace: odd("team"), Name: odd("none"), Selector: selector("web")},
		{Namespace: odd("broken"), Name: odd("broken"), Selector: selector(odd("value"))},
	}, []candidate.PodSchedule{{Name: odd("nights"), Selector: &candidate.Selector{}, Schedule: "0 2 * * *\n", Duration: "1h"}})
	budgets, err := budget.Compile([]budget.Budget{
		{Nodes: "1", Schedule: "0 9 * * mon-fri\n", Duration: "8h"},
		{Nodes: "1", TopologyKey: zone, Sequential: true, Reasons: []candidate.Reason{"Drifted"}},
		{Nodes: odd("5"), Reasons: []candidate.Reason{candidate.Reason(odd("Empty"))}, Schedule: odd("@daily"), Duration: odd("1h"), TimeZone: odd("UTC"), TopologyKey: odd("zone")},
	})
	if err == nil || ruleErr == nil {
		t.Fatal(err, ruleErr)
	}
	sound, err := budget.Compile([]budget.Budget{
		{Nodes: "1", Schedule: "0 9 * * mon-fri\n", Duration: "8h"}, {Nodes: "0", Schedule: "0 0 * * *\n", Duration: "1m"},
		{Nodes: "1", TopologyKey: zone, Sequential: true, Reasons: []candidate.Reason{"Drifted"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	var nodes []candidate.Node
	for _, pool := range []string{"broken", "sound"} {
		for i, name := range []string{"a", "b", "c", "d"} {
			nodes = append(nodes, candidate.Node{
				Name: odd(pool + name), Pool: odd(pool), Phase: []candidate.Phase{3: candidate.NotReady, 2: candidate.Running, 1: candidate.Running, 0: candidate.Running}[i], Pods: pods[:i%3], Labels: map[string]string{zone: odd(string(name[0] / 2 * 2))},
				Leaving: []candidate.Leaving{3: candidate.Staying, 2: candidate.Draining}[i], DisruptedFor: candidate.Reason(odd("Empty")), Conditions: []candidate.Condition{{Reason: "Drifted", Since: fixture.Noon.Add(-time.Hour)}},
			})
		}
	}
	nodes = append(nodes, nodes[0])
	pauses := []probe.Pause{{By: odd("alice"), Why: odd("INC"), Key: zone, Domains: []string{odd("1")}}, {Key: odd("key"), Pools: []probe.PoolSelector{probe.PoolSelector(odd("pool"))}},
		{Reasons: []candidate.Reason{candidate.Reason(odd("typo"))}, Key: zone, Domains: []string{odd("2")}}}
	in := disruptkit.Input{Now: fixture.Noon, Nodes: nodes, Rules: rules, Pauses: pauses, Pools: []disruptkit.Pool{
		{Name: odd("broken"), Budgets: budgets}, {Name: odd("sound"), Budgets: sound,
			Verdicts: []probe.Verdict{{Probe: odd("health"), Allowed: true, Denied: []probe.Denial{{Reason: "Empty", Pools: []probe.PoolSelector{probe.PoolSelector(odd("sound"))}}}}}},
	}}
	var sentences []string
	for _, reason := range []candidate.Reason{"Drifted", "Empty", candidate.Reason(odd("typo"))} {
		d := disruptkit.Decide(in, reason)
		for _, c := range d.Blocked {
			for _, b := range c.Blockers {
				sentences = append(sentences, b.String())
			}
		}
		for _, w := range d.Warnings {
			sentences = append(sentences, w.Error())
		}
		for _, p := range d.Pools {
			for _, b := range p.Blockers {
				sentences = append(sentences, b.String())
			}
		}
		earlier := report.Report{At: fixture.Noon.Add(-time.Minute), Pools: []report.PoolStatus{
			{Pool: odd("sound"), Reasons: []report.ReasonStatus{{Reason: reason, Allowed: 5}}}}}
		now := report.Summarize(earlier, in, d)
		for _, e := range now.Events {
			sentences = append(sentences, e.Message)
		}
		for _, n := range now.Nodes {
			for _, c := range n.Conditions {
				sentences = append(sentences, c.Message)
			}
		}
	}
	for _, set := range []budget.Set{budgets, sound} {
		for _, f := range lint.Run(set, fixture.Noon, lint.Facts{Nodes: 100}) {
			sentences = append(sentences, f.String())
		}
	}
	for _, w := range rules.Warnings() {
		sentences = append(sentences, w.Error())
	}
	if len(sentences) < 30 {
		t.Errorf("%d sentences", len(sentences))
	}
	for _, s := range sentences {
		if strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) }) {
			t.Errorf("%q", s)
		}
	}
}
