// Command pods drains a node at night, pod by pod: each goes when its annotations and its PodDisruptionBudget let it.
package main

import (
	"fmt"
	"log"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/candidate/drain"
	"github.com/disruptkit/disruptkit/candidate/kube"
	"github.com/disruptkit/disruptkit/schedule"
)

// annotations of the pods in the namespace shop, by name.
var annotations = []struct {
	pod    string
	values map[string]string
}{
	{"web", nil},
	{"report", map[string]string{
		kube.DisruptionScheduleAnnotation:         "0 2 * * *",
		kube.DisruptionScheduleDurationAnnotation: "2h",
	}},
	{"cache", map[string]string{kube.DoNotDisruptAnnotation: "6h"}},
	{"search", map[string]string{kube.DisruptionScheduleAnnotation: "every night"}},
}

func main() {
	rules, err := candidate.CompileRules([]candidate.PDB{{Namespace: "shop", Name: "web", DisruptionsAllowed: 0,
		Selector: &candidate.Selector{MatchLabels: map[string]string{"app": "web"}}}}, nil)
	if err != nil {
		log.Fatal(err)
	}
	var parser kube.Parser // one for all pods, since most say the same
	node := candidate.Node{
		Name: "node-0", Pool: "default", Phase: candidate.Running, Leaving: candidate.Draining, Deadline: at(6, 0),
	}
	for _, a := range annotations {
		terms, warnings := parser.Terms("shop", a.pod, a.values)
		for _, w := range warnings {
			fmt.Println("warning:", w)
		}
		node.Pods = append(node.Pods, candidate.Pod{
			Namespace: "shop", Name: a.pod, Labels: map[string]string{"app": a.pod}, Terms: terms, Started: at(-2, 0),
		})
		fmt.Println(a.pod, "asks:", asks(terms, at(0, 0)))
	}
	for _, now := range []time.Time{at(0, 0), at(2, 0), at(4, 0), at(6, 0)} {
		fmt.Println(now.Format("15:04"))
		var rest []candidate.Pod
		for _, p := range node.Pods {
			if blockers := drain.Gate(rules, node, p, now); len(blockers) > 0 {
				fmt.Println("  wait ", p, blockers)
				rest = append(rest, p)
				continue
			}
			fmt.Println("  evict", p)
		}
		node.Pods = rest
	}
}

// asks describes what a pod's annotations ask for.
func asks(t candidate.Terms, now time.Time) string {
	switch {
	case t.Invalid:
		return "something that cannot be read, and is ignored"
	case t.Protect > 0:
		return fmt.Sprintf("not before it has run for %s", t.Protect)
	case t.Window == schedule.Window{}:
		return "nothing"
	}
	_, next := t.Window.Until(now)
	return fmt.Sprintf("only %s, so not before %s", t.Window, next.Format("15:04"))
}

func at(hour, minute int) time.Time { return time.Date(2026, 11, 21, hour, minute, 0, 0, time.UTC) }
