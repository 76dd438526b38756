package main

func Example() {
	main()
	// Output:
	// Mon 00:00 to Mon 17:00: 10 of 100 nodes
	// Mon 17:00 to Tue 09:00: 0 of 100 nodes
	// Tue 09:00 to Tue 17:00: 10 of 100 nodes
	// Tue 17:00 to Wed 09:00: 0 of 100 nodes
	// Wed 09:00 to Wed 17:00: 10 of 100 nodes, with the upgrade in it
	// Wed 17:00 to Thu 09:00: 0 of 100 nodes
	// Thu 09:00 to Thu 17:00: 10 of 100 nodes
	// Thu 17:00 to Fri 09:00: 0 of 100 nodes
	// Fri 09:00 to Fri 17:00: 10 of 100 nodes
	// Fri 17:00 to Sat 09:00: 0 of 100 nodes
	// Sat 09:00 to Mon 00:00: 10 of 100 nodes
	// warning gap: Drifted is open from Sat 2026-11-28 17:00 UTC to Sun 2026-11-29 09:00 UTC, a time of day at which nearly all other days of the week are closed: budgets[0] is 0 (Drifted; 0 17 * * mon-fri for 16h, UTC) → if that is not intended, add {"nodes": "0", "reasons": ["Drifted"], "schedule": "0 17 * * sat,sun", "duration": "16h"}, which leaves 56h of 88h a week open
}
