package main

func Example() {
	main()
	// Output:
	// 12:00:10 drain node-0
	// 12:00:20 keep node-0 [probe/unhealthy: health: it answered 503, and only 200 to 202 let nodes go]
	// 12:00:30 keep node-0 [probe/denied: health: it denies Drifted]
	// 12:00:40 keep node-0 [probe/invalid-answer: health: its answer is not understood: the body begins with "<html>Please log in</html>", and is not an object: write {"deniedActions": []} to deny nothing]
	// 12:00:50 drain node-0
	// 12:01:50 keep node-0 [probe/stale: health: the last answer is 1m old, and counts only for 21s]
}
