package main

func Example() {
	main()
	// Output:
	// round 1
	//   replace node-canary
	//   replace node-batch
	// round 2
	//   replace node-payments
	//   replace node-search
}
