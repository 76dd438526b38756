package main

func Example() {
	main()
	// Output:
	// keep busy [node/do-not-disrupt: the node is annotated karpenter.sh/do-not-disrupt: "true" budget/allows-none: 0 of 5 nodes may be disrupted now: budgets[0] is 0 (0 9 * * mon-fri for 8h, UTC) (until 2026-11-23T17:00:00Z)]
	// keep huge [budget/allows-none: 0 of 5 nodes may be disrupted now: budgets[0] is 0 (0 9 * * mon-fri for 8h, UTC) (until 2026-11-23T17:00:00Z)]
	// keep large [budget/allows-none: 0 of 5 nodes may be disrupted now: budgets[0] is 0 (0 9 * * mon-fri for 8h, UTC) (until 2026-11-23T17:00:00Z)]
	// keep medium [budget/allows-none: 0 of 5 nodes may be disrupted now: budgets[0] is 0 (0 9 * * mon-fri for 8h, UTC) (until 2026-11-23T17:00:00Z)]
	// keep small [budget/allows-none: 0 of 5 nodes may be disrupted now: budgets[0] is 0 (0 9 * * mon-fri for 8h, UTC) (until 2026-11-23T17:00:00Z)]
	// sleep until Mon 17:00
	// keep busy [node/do-not-disrupt: the node is annotated karpenter.sh/do-not-disrupt: "true"]
	// drain huge
	// drain large
	// keep medium since its pods fit nowhere
	// drain small
	// sleep until Tue 09:00
	// keep busy [node/do-not-disrupt: the node is annotated karpenter.sh/do-not-disrupt: "true" budget/allows-none: 0 of 2 nodes may be disrupted now: budgets[0] is 0 (0 9 * * mon-fri for 8h, UTC) (until 2026-11-24T17:00:00Z)]
	// keep medium [budget/allows-none: 0 of 2 nodes may be disrupted now: budgets[0] is 0 (0 9 * * mon-fri for 8h, UTC) (until 2026-11-24T17:00:00Z)]
	// sleep until Tue 17:00
	// keep busy [node/do-not-disrupt: the node is annotated karpenter.sh/do-not-disrupt: "true"]
	// drain medium
	// sleep until Wed 09:00
}
