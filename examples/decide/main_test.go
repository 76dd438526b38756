package main

func Example() {
	main()
	// Output:
	// 15:30 Empty
	//   keep  node-2 [budget/allows-none: 0 of 4 nodes may be disrupted now: budgets[0] is 0 (0 9 * * mon-fri for 8h, Europe/Berlin) (until 2026-11-23T16:00:00Z)]
	// 15:30 Drifted
	//   keep  node-1 [budget/allows-none: 0 of 4 nodes may be disrupted now: budgets[0] is 0 (0 9 * * mon-fri for 8h, Europe/Berlin) (until 2026-11-23T16:00:00Z)]
	//   keep  node-0 [budget/allows-none: 0 of 4 nodes may be disrupted now: budgets[0] is 0 (0 9 * * mon-fri for 8h, Europe/Berlin) (until 2026-11-23T16:00:00Z)]
	// sleep for 30m0s
	// 16:30 Empty
	//   drain node-2
	// 16:30 Drifted
	//   drain node-1
	//   keep  node-0 [budget/exhausted: 2 of 4 nodes may be disrupted at once, 1 in flight or not Ready, 1 already allowed: budgets[1] is 40%]
	// sleep for 1h0m0s
}
