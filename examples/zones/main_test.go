package main

func Example() {
	main()
	// Output:
	// 09:00 turn of b: budgets[0] is 1 per topology.kubernetes.io/zone, one at a time (Drifted)
	//   (no label): stay until somebody labels them
	//   a: next is a1, drifted since 07:00
	//   b: next is b1, drifted since 06:00
	//   c: skipped until 10:00: c1: paused in c by alice: zonal shift
	//   keep  a1 topology/waits-for-domain: a waits for b (0 in flight, 1 to go)
	//   drain b1
	//   keep  x1 topology/no-label: the node has no label topology.kubernetes.io/zone: budgets[0] is 1 per topology.kubernetes.io/zone, one at a time (Drifted)
	//   the turn may change at 10:00
	// 09:10 turn of b: budgets[0] is 1 per topology.kubernetes.io/zone, one at a time (Drifted)
	//   (no label): stay until somebody labels them
	//   a: next is a1, drifted since 07:00
	//   b: all gone, but b2 is not Ready
	//   c: skipped until 10:00: c1: paused in c by alice: zonal shift
	//   keep  a1 topology/waits-for-domain: a waits for b to settle; b2 is not Ready
	//   keep  x1 topology/no-label: the node has no label topology.kubernetes.io/zone: budgets[0] is 1 per topology.kubernetes.io/zone, one at a time (Drifted)
	//   the turn may change at 10:00
	// 09:15 turn of b: budgets[0] is 1 per topology.kubernetes.io/zone, one at a time (Drifted)
	//   (no label): stay until somebody labels them
	//   a: next is a1, drifted since 07:00
	//   b: done, and all nodes Ready since 09:12
	//   c: skipped until 10:00: c1: paused in c by alice: zonal shift
	//   keep  a1 topology/waits-for-domain: a waits for b to settle (until 2026-11-23T09:22:00Z)
	//   keep  x1 topology/no-label: the node has no label topology.kubernetes.io/zone: budgets[0] is 1 per topology.kubernetes.io/zone, one at a time (Drifted)
	//   the turn may change at 09:22
	// 09:30 turn of a: budgets[0] is 1 per topology.kubernetes.io/zone, one at a time (Drifted)
	//   (no label): stay until somebody labels them
	//   a: next is a1, overdue since 09:20
	//   b: done, and all nodes Ready since 09:12
	//   c: skipped until 10:00: c1: paused in c by alice: zonal shift
	//   drain a1
	//   keep  x1 topology/no-label: the node has no label topology.kubernetes.io/zone: budgets[0] is 1 per topology.kubernetes.io/zone, one at a time (Drifted)
	//   the turn may change at 10:00
	// 09:44 turn of a: budgets[0] is 1 per topology.kubernetes.io/zone, one at a time (Drifted)
	//   (no label): stay until somebody labels them
	//   a: done, and all nodes Ready since 09:33
	//   b: done, and all nodes Ready since 09:12
	//   c: skipped until 10:00: c1: paused in c by alice: zonal shift
	//   keep  x1 topology/no-label: the node has no label topology.kubernetes.io/zone: budgets[0] is 1 per topology.kubernetes.io/zone, one at a time (Drifted)
	//   the turn may change at 09:54
	// 09:55 nobody's turn before 10:00
	//   (no label): stay until somebody labels them
	//   a: done, and all nodes Ready since 09:33
	//   b: done, and all nodes Ready since 09:12
	//   c: skipped until 10:00: c1: paused in c by alice: zonal shift
	//   keep  x1 topology/no-label: the node has no label topology.kubernetes.io/zone: budgets[0] is 1 per topology.kubernetes.io/zone, one at a time (Drifted)
	//   the turn may change at 10:00
	// 10:00 turn of c: budgets[0] is 1 per topology.kubernetes.io/zone, one at a time (Drifted)
	//   (no label): stay until somebody labels them
	//   a: done, and all nodes Ready since 09:33
	//   b: done, and all nodes Ready since 09:12
	//   c: next is c1, drifted since 05:00
	//   drain c1
	//   keep  x1 topology/no-label: the node has no label topology.kubernetes.io/zone: budgets[0] is 1 per topology.kubernetes.io/zone, one at a time (Drifted)
}
