// Command report shows what operators watch while a pool rolls: events, status, conditions and metrics, decision
// by decision.
package main

import (
	"cmp"
	"fmt"
	"log"
	"strings"
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/report"
)

func main() {
	in := cluster()
	var r report.Report // kept from decision to decision, for totals and events
	for _, what := range []string{"before the window", "in the window", "a node has failed as well"} {
		d := disruptkit.Decide(in, candidate.Drifted)
		r = report.Summarize(r, in, d)
		fmt.Println(in.Now.Format("15:04"), what)
		show(r)

		in = in.Apply(d) // what an autoscaler would now do
		in.Now = in.Now.Add(10 * time.Minute)
		if what == "in the window" {
			in.Nodes[9].Phase = candidate.NotReady
		}
	}
}

// cluster is a pool of ten nodes, two of them drifted. One may be disrupted at a time, from 12:05 on.
func cluster() disruptkit.Input {
	budgets, err := budget.Compile([]budget.Budget{
		{Nodes: "1", Reasons: []candidate.Reason{candidate.Drifted}},
		{Nodes: "0", Schedule: "5 12 * * *", Duration: "8h", Outside: true},
	})
	if err != nil {
		log.Fatal(err)
	}
	in := disruptkit.Input{Now: time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)}
	in.Pools = []disruptkit.Pool{{Name: "default", Budgets: budgets}}
	for i := range 10 {
		n := candidate.Node{Name: fmt.Sprint("node-", i), Pool: "default", Phase: candidate.Running}
		if i < 2 {
			n.Conditions = []candidate.Condition{{Reason: candidate.Drifted, Since: in.Now.Add(-time.Hour)}}
		}
		in.Nodes = append(in.Nodes, n)
	}
	return in
}

// show prints what becomes a Kubernetes Event, the status of the NodePool, and two of the metrics.
func show(r report.Report) {
	for _, e := range r.Events {
		kind := "Normal"
		if e.Name == report.EventBudgetExceeded {
			kind = "Warning"
		}
		fmt.Printf("  event   %s %s: %s\n", kind, e.Name, e.Message)
	}
	for _, p := range r.Pools {
		for _, s := range p.Reasons {
			window := "open"
			if s.Closed {
				window = "closed"
			}
			fmt.Printf("  status  %s: window %s, %d of %d in use\n", s.Reason, window, s.Disrupting, s.Allowed)
		}
		for _, b := range p.Exceeded {
			fmt.Println("  status  exceeded:", b)
		}
		for _, b := range p.ActiveBudgets {
			fmt.Printf("  status  %s, %d nodes: a budget for %s has %d in use, %d left\n", p.Pool, p.Nodes,
				cmp.Or(strings.Trim(b.Method+":"+b.Reason, ":"), "all reasons"), b.Nodes, b.Remaining)
		}
		if !p.LastDisruptionTime.IsZero() {
			fmt.Printf("  status  %d disrupted, the last at %s\n", p.TotalDisrupted, p.LastDisruptionTime.Format("15:04"))
		}
	}
	for _, n := range r.Nodes {
		for _, c := range n.Conditions {
			if c.Type == report.ConditionBudgetRestricted {
				fmt.Printf("  node    %s %s=%t since %s: %s: %s\n", n.Node, c.Type, c.Status,
					c.LastTransitionTime.Format("15:04"), c.Reason, c.Message)
			}
		}
	}
	for _, m := range r.Metrics {
		if m.Name != report.MetricDisruptedNodes && m.Name != report.MetricBlockedNodes {
			continue
		}
		for _, s := range m.Samples {
			var labels []string
			for _, l := range s.Labels {
				labels = append(labels, fmt.Sprintf("%s=%q", l.Name, l.Value))
			}
			fmt.Printf("  metric  %s{%s} %v\n", m.Name, strings.Join(labels, ","), s.Value)
		}
	}
}
