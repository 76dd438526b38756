package main

func Example() {
	main()
	// Output:
	// 12:00 before the window
	//   metric  karpenter_nodepool_disrupted_nodes{nodepool="default",method="Drifted",reason=""} 0
	//   metric  karpenter_nodepool_blocked_nodes{nodepool="default",gate="budget",code="allows-none"} 2
	// 12:10 in the window
	//   event   Normal EnteringDisruptionWindow: 1 of 10 nodes may be disrupted at once for Drifted, until 2026-11-20T20:05:00Z
	//   metric  karpenter_nodepool_disrupted_nodes{nodepool="default",method="Drifted",reason=""} 0
	//   metric  karpenter_nodepool_blocked_nodes{nodepool="default",gate="budget",code="exhausted"} 1
	// 12:20 a node has failed as well
	//   event   Warning BudgetExceeded: 2 in flight for Drifted or not Ready, and 1 may be at once: budgets[0] is 1 (Drifted)
	//   metric  karpenter_nodepool_disrupted_nodes{nodepool="default",method="Drifted",reason=""} 1
	//   metric  karpenter_nodepool_blocked_nodes{nodepool="default",gate="budget",code="exhausted"} 1
}
