package main

func Example() {
	main()
	// Output:
	// 12:00 before the window
	//   status  Drifted: window closed, 0 of 0 in use
	//   status  default, 10 nodes: a budget for Drifted has 0 in use, 1 left
	//   status  default, 10 nodes: a budget for all reasons has 0 in use, 0 left
	//   node    node-0 DisruptionBudgetRestricted=true since 12:00: BudgetExceeded: Disruption restricted due to budget limitations: budget/allows-none: 0 of 10 nodes may be disrupted now: budgets[1] is 0 (outside 5 12 * * * for 8h, UTC) (until 2026-11-20T12:05:00Z)
	//   node    node-1 DisruptionBudgetRestricted=true since 12:00: BudgetExceeded: Disruption restricted due to budget limitations: budget/allows-none: 0 of 10 nodes may be disrupted now: budgets[1] is 0 (outside 5 12 * * * for 8h, UTC) (until 2026-11-20T12:05:00Z)
	//   metric  karpenter_nodepool_disrupted_nodes{nodepool="default",method="Drifted",reason=""} 0
	//   metric  karpenter_nodepool_blocked_nodes{nodepool="default",gate="budget",code="allows-none"} 2
	// 12:10 in the window
	//   event   Normal EnteringDisruptionWindow: 1 of 10 nodes may be disrupted at once for Drifted, until 2026-11-20T20:05:00Z
	//   status  Drifted: window open, 0 of 1 in use
	//   status  default, 10 nodes: a budget for Drifted has 0 in use, 1 left
	//   node    node-0 DisruptionBudgetRestricted=false since 12:10: WithinBudget: No budget restricts disruption now.
	//   node    node-1 DisruptionBudgetRestricted=true since 12:00: BudgetExceeded: Disruption restricted due to budget limitations: budget/exhausted: 1 of 10 nodes may be disrupted at once, 1 already allowed: budgets[0] is 1 (Drifted)
	//   metric  karpenter_nodepool_disrupted_nodes{nodepool="default",method="Drifted",reason=""} 0
	//   metric  karpenter_nodepool_blocked_nodes{nodepool="default",gate="budget",code="exhausted"} 1
	// 12:20 a node has failed as well
	//   event   Warning BudgetExceeded: 2 in flight for Drifted or not Ready, and 1 may be at once: budgets[0] is 1 (Drifted)
	//   status  Drifted: window open, 2 of 1 in use
	//   status  exceeded: budgets[0] is 1 (Drifted)
	//   status  default, 10 nodes: a budget for Drifted has 2 in use, 0 left
	//   status  1 disrupted, the last at 12:20
	//   node    node-0 DisruptionBudgetRestricted=false since 12:10: WithinBudget: No budget restricts disruption now.
	//   node    node-1 DisruptionBudgetRestricted=true since 12:00: BudgetExceeded: Disruption restricted due to budget limitations: budget/exhausted: 1 of 10 nodes may be disrupted at once, 2 in flight or not Ready: budgets[0] is 1 (Drifted)
	//   metric  karpenter_nodepool_disrupted_nodes{nodepool="default",method="Drifted",reason=""} 1
	//   metric  karpenter_nodepool_blocked_nodes{nodepool="default",gate="budget",code="exhausted"} 1
}
