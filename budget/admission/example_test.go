package admission_test

import (
	"fmt"

	"github.com/disruptkit/disruptkit/budget/admission"
)

// What Karpenter's API server makes of what somebody writes: fields that it does not know are dropped, defaults are filled in, and
// what the schema does not take is rejected.
func ExampleAdmit() {
	for _, disruption := range []string{
		`{"expireAfter": "720h", "budgets": [{"reasons": ["Drifted"]}]}`,
		`{"budgets": [{"nodes": 10}]}`,
	} {
		spec, dropped, err := admission.Admit([]byte(disruption))
		if err != nil {
			fmt.Println("rejected:", err)
			continue
		}
		for _, w := range dropped {
			fmt.Println("dropped:", w.Field)
		}
		fmt.Println("stored:", spec.Budgets)
	}
	// Output:
	// dropped: expireAfter
	// stored: [10% (Drifted)]
	// rejected: budgets[0].nodes: 10 is rejected: write "10"
}
