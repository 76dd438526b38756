package main

func Example() {
	main()
	// Output:
	// 12:00 nothing has happened yet
	//   drain node-Drifted
	//   drain node-Empty
	// 12:10 somebody's script has deleted four nodes
	//   keep  node-Drifted [probe/scale-down: scale-down: it denies Drifted (4 nodes went down within 15m, and 3 may) (until 2026-11-20T12:35:00Z)]
	//   keep  node-Empty [probe/scale-down: scale-down: it denies Empty (4 nodes went down within 15m, and 3 may) (until 2026-11-20T12:35:00Z)]
	// 12:40 half an hour later
	//   drain node-Drifted
	//   drain node-Empty
	// 13:00 the new image does not boot
	//   drain node-Empty
	//   keep  node-Drifted [probe/failed-replacement: replacements: it denies Drifted (2 of the last 3 new nodes failed to become Ready) (until 2026-11-20T13:55:00Z)]
	// 13:10 the image is mended, and somebody resets the breaker
	//   drain node-Drifted
	//   drain node-Empty
	// 14:00 a load test begins
	//   drain node-Empty
	//   keep  node-Drifted [probe/denied: freeze: it denies Drifted in team=search (load test) (until 2026-11-20T14:15:00Z)]
}
