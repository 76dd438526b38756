package main

func Example() {
	main()
	// Output:
	// node-19 done Mon 22:30, and node-19 (new) uses its slot
	// node-18 done Mon 23:00, and node-18 (new) uses its slot
	// node-17 done Mon 23:30, and node-17 (new) uses its slot
	// on Monday at 23:00, 2 are done, 1 in flight and 17 to go
	// done on Tue 24 Nov 2026 00:05 UTC instead of Thu 26 Nov 2026 00:00 UTC, 1d23h earlier
	// if drains differ: done between Wed 22:30 and Thu 22:40 in 8 of 10 runs, and by Wednesday 09:00 in 6 of 100
	// done on Thu 26 Nov 2026 23:00 UTC instead of Thu 26 Nov 2026 00:00 UTC, 23h00m later
}
