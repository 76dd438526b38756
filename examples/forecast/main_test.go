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
	// warning uneven-openings: Drifted is open from Sat 2026-11-28 09:00 UTC to Mon 2026-11-30 17:00 UTC, for 56h, while openings usually last 8h: budgets[0] is 0 (Drifted; 0 17 * * mon-fri for 16h, UTC) → if that is not intended, add {"nodes": "0", "reasons": ["Drifted"], "schedule": "0 9 * * sat", "duration": "48h"}, which leaves 40h of 88h a week open
}
