package main

func Example() {
	main()
	// Output:
	// node-19 done Mon 22:30
	// node-18 done Mon 23:00
	// node-17 done Mon 23:30
	// done on Tue 24 Nov 2026 00:05 UTC instead of Thu 26 Nov 2026 00:00 UTC, 1d23h earlier
}
