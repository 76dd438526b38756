package main

func Example() {
	main()
	// Output:
	// disrupt gpu-0
	// disrupt gpu-1
	// disrupt gpu-3
	// keep gpu-2 [rows/row-full: 2 of row a may be disrupted at once by day (until 2026-11-23T18:00:00Z)]
	// sleep for 1h30m0s
}
