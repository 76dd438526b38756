package main

func Example() {
	main()
	// Output:
	// 12:00:10 healthy, and denies []: 1 good in a row
	// 12:00:10 drain node-0
	// 12:00:20 not healthy: 1 bad in a row, unhealthy: it answered 503, and only 200 to 202 allow disruption
	// 12:00:20 keep node-0 unhealthy
	// 12:00:30 healthy, and denies [Drifted]: 1 good in a row
	// 12:00:30 keep node-0 denied
	// 12:00:40 not healthy: 1 bad in a row, invalid-answer: its answer is not understood: the body begins with "<html>Please log in</html>", and is not an object: write {"deniedActions": []} to deny nothing
	// 12:00:40 keep node-0 invalid-answer
	// 12:00:50 healthy, and denies []: 1 good in a row
	// 12:00:50 drain node-0
	// 12:01:11 health: the last answer is 21s old, and counts only for 21s
	// 12:01:11 keep node-0 stale
}
