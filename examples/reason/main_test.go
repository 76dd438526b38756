package main

func Example() {
	main()
	// Output:
	// drain node-0 Defrag/GPU
	// drain node-2 Defrag
	// keep  node-1 Defrag/GPU [budget/exhausted: 1 of 4 nodes may be disrupted at once, 2 already allowed: budgets[1] is 1 (Defrag/GPU)]
	// keep  node-3 Defrag [budget/exhausted: 2 of 4 nodes may be disrupted at once, 2 already allowed: budgets[0] is 2 (Defrag)]
}
