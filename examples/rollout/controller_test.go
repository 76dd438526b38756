package main

func Example() {
	main()
	// Output:
	// Mon 18:00 12 allows-none
	// Mon 22:00 a0 starts, a1 starts, 2 exhausted, 8 waits-for-domain
	// Mon 22:05 2 deleting, 2 exhausted, 8 waits-for-domain
	// Mon 22:20 a2 starts, a3 starts, 8 waits-for-domain
	// Mon 22:25 2 deleting, 8 waits-for-domain
	// Mon 22:40 b0 starts, b1 starts, 2 exhausted, 4 waits-for-domain
	// Mon 22:45 2 deleting, 2 exhausted, 4 waits-for-domain
	// Mon 23:00 6 allows-none
	// Tue 22:00 b2 starts, b3 starts, 4 waits-for-domain
	// Tue 22:05 2 deleting, 4 waits-for-domain
	// Tue 22:20 c0 starts, c1 starts, 2 exhausted
	// Tue 22:25 2 deleting, 2 exhausted
	// Tue 22:40 c2 starts, c3 starts
	// Tue 22:45 2 deleting
	// Tue 23:00 done
}
