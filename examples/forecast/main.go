// Command forecast shows what the budgets of a pool mean in the coming week, and what is probably a mistake in them.
package main

import (
	"encoding/json"
	"fmt"
	"log"
	"time"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/budget/lint"
	"github.com/disruptkit/disruptkit/candidate"
)

// disruption is spec.disruption of a NodePool. It is meant to let nodes drift during business hours alone.
const disruption = `{"budgets": [
	{"nodes": "0", "reasons": ["Drifted"], "schedule": "0 17 * * mon-fri", "duration": "16h"},
	{"nodes": "10%"}
]}`

func main() {
	var spec budget.Spec
	if err := json.Unmarshal([]byte(disruption), &spec); err != nil {
		log.Fatal(err)
	}
	set, err := spec.Compile()
	if err != nil {
		log.Println(err)
	}
	monday := time.Date(2026, 11, 23, 0, 0, 0, 0, time.UTC)
	segments, err := set.Forecast(monday, monday.AddDate(0, 0, 7), 100, candidate.Drifted)
	if err != nil {
		log.Fatal(err)
	}
	planned := monday.AddDate(0, 0, 2).Add(14 * time.Hour) // when somebody wants to upgrade
	for _, s := range segments {
		fmt.Printf("%s to %s: %d of 100 nodes", s.Start.Format("Mon 15:04"), s.End.Format("Mon 15:04"), s.Nodes)
		if s.Contains(planned) {
			fmt.Print(", with the upgrade in it")
		}
		fmt.Println()
	}
	for _, f := range lint.Run(set, monday, lint.Facts{Nodes: 100}) {
		fmt.Println(f)
	}
}
