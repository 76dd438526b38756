package budget_test

import (
	"encoding/json"
	"fmt"
	"log"
	"time"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
)

// A budget only restricts while it is active: outside of the window that was meant to allow drift, drift is
// unlimited.
func ExampleAllowedByReason() {
	set, err := budget.Compile([]budget.Budget{
		{Nodes: "10%", Reasons: []candidate.Reason{candidate.Empty}},
		{Nodes: "35%", Schedule: "0 1 * * mon", Duration: "4h"},
	})
	if err != nil {
		log.Fatal(err)
	}
	monday := time.Date(2026, 11, 23, 0, 0, 0, 0, time.UTC)
	for _, now := range []time.Time{monday.Add(2 * time.Hour), monday.Add(6 * time.Hour)} {
		for _, reason := range []candidate.Reason{candidate.Empty, candidate.Drifted} {
			allowance, err := budget.AllowedByReason(set, now, 100, reason)
			if err != nil {
				log.Fatal(err)
			}
			number := fmt.Sprint(allowance.Nodes)
			if allowance.Nodes == budget.Unlimited {
				number = "unlimited"
			}
			until := "for good"
			if end := set.Until(now, 100, reason); !end.IsZero() {
				until = "until " + end.Format("Mon 15:04")
			}
			fmt.Printf("%s %s: %s %s, binding [%s]\n", now.Format("Mon 15:04"), reason, number, until, allowance.Binding)
		}
	}
	// Output:
	// Mon 02:00 Empty: 10 for good, binding [0]
	// Mon 02:00 Drifted: 35 until Mon 05:00, binding [1]
	// Mon 06:00 Empty: 10 for good, binding [0]
	// Mon 06:00 Drifted: unlimited until Mon 01:00, binding []
}

// Every fault is reported at once, and the Set is safe to use all the same.
func ExampleCompile() {
	var budgets []budget.Budget
	err := json.Unmarshal([]byte(`[
		{"nodes": "10%"},
		{"nodes": "110%", "reasons": ["Drifted"], "schedule": "0 0 * * *", "duration": "1d"}
	]`), &budgets)
	if err != nil {
		log.Fatal(err)
	}
	set, err := budget.Compile(budgets)
	fmt.Println(err)
	for _, reason := range []candidate.Reason{candidate.Drifted, candidate.Empty} {
		allowance, _ := budget.AllowedByReason(set, time.Now(), 100, reason)
		fmt.Println(reason, allowance.Nodes)
	}
	// Output:
	// budgets[1].nodes: nodes "110%": write a count such as 5, or a percentage from 0% to 100%
	// budgets[1].duration: duration "1d" is not in whole hours and minutes: write 24h
	// Drifted 0
	// Empty 10
}

// "Outside business hours" is what many lists of budgets try to say.
func ExampleBudget() {
	set, err := budget.Compile([]budget.Budget{
		{Nodes: "0", Schedule: "0 9 * * mon-fri", Duration: "8h", TimeZone: "America/New_York", Outside: true},
		{Nodes: "10%"},
	})
	if err != nil {
		log.Fatal(err)
	}
	now := time.Date(2026, 11, 20, 22, 30, 0, 0, time.UTC) // 17:30 in New York
	allowance, _ := budget.AllowedByReason(set, now, 100, candidate.Drifted)
	fmt.Println(allowance.Nodes, set.Budgets()[0])
	fmt.Println(set.Until(now, 100, candidate.Drifted))
	// Output:
	// 0 0 (outside 0 9 * * mon-fri for 8h, America/New_York)
	// 2026-11-23 14:00:00 +0000 UTC
}

// The second example of the AZ-sequential RFC was meant to let nodes drift in business hours only. It leaves a weekend open.
func ExampleSet_Forecast() {
	set, err := budget.Compile([]budget.Budget{
		{Nodes: "0", Schedule: "0 17 * * mon-fri", Duration: "16h", Reasons: []candidate.Reason{candidate.Drifted}},
		{Nodes: "10%"},
	})
	if err != nil {
		log.Fatal(err)
	}
	thursday := time.Date(2026, 11, 26, 12, 0, 0, 0, time.UTC)
	segments, err := set.Forecast(thursday, thursday.AddDate(0, 0, 5), 100, candidate.Drifted)
	if err != nil {
		log.Fatal(err)
	}
	for _, s := range segments {
		fmt.Printf("%s to %s: %2d, by budgets[%s]\n", s.Start.Format("Mon 15:04"), s.End.Format("Mon 15:04"), s.Nodes, s.Binding)
	}
	// Output:
	// Thu 12:00 to Thu 17:00: 10, by budgets[1]
	// Thu 17:00 to Fri 09:00:  0, by budgets[0]
	// Fri 09:00 to Fri 17:00: 10, by budgets[1]
	// Fri 17:00 to Sat 09:00:  0, by budgets[0]
	// Sat 09:00 to Mon 17:00: 10, by budgets[1]
	// Mon 17:00 to Tue 09:00:  0, by budgets[0]
	// Tue 09:00 to Tue 12:00: 10, by budgets[1]
}

// Per-method controls: each method has budgets and a patience of its own.
func ExampleSpec() {
	var spec budget.Spec
	err := json.Unmarshal([]byte(`{
		"defaults":   {"budgets": [{"nodes": "5"}]},
		"drift":      {"disruptAfter": "1h", "budgets": [{"nodes": "25"}, {"reason": "AMIDrift", "nodes": "50"}]},
		"expiration": {"disruptAfter": "Never"}
	}`), &spec)
	if err != nil {
		log.Fatal(err)
	}
	set, err := spec.Compile()
	if err != nil {
		log.Fatal(err)
	}
	now := time.Date(2026, 11, 23, 0, 0, 0, 0, time.UTC)
	for _, reason := range []candidate.Reason{"Drifted/AMIDrift", "Drifted/SubnetDrift", "Empty", "Underutilized"} {
		allowance, err := budget.AllowedByReason(set, now, 100, reason)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%s: %d, after %v\n", reason, allowance.Nodes, set.Minimum(reason).Held)
	}
	// Output:
	// Drifted/AMIDrift: 50, after 1h0m0s
	// Drifted/SubnetDrift: 25, after 1h0m0s
	// Empty: 5, after 0s
	// Underutilized: 5, after 0s
}
