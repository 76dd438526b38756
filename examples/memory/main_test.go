package main

func Example() {
	main()
	// Output:
	// {"roll":{"key":"topology.kubernetes.io/zone","domain":"a"}}
	//   drain a1
	// {"roll":{"key":"topology.kubernetes.io/zone","domain":"a"}}
	//   drain a2
	// {"roll":{"key":"topology.kubernetes.io/zone","domain":"b"}}
	//   drain b1
	// {"roll":{"key":"topology.kubernetes.io/zone","domain":"b"}}
	//   drain b2
	// {"roll":{"key":"topology.kubernetes.io/zone","domain":"c"}}
	//   drain c1
}
