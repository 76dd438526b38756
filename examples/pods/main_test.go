package main

func Example() {
	main()
	// Output:
	// web asks: nothing
	// report asks: only 0 2 * * * for 2h, UTC, so not before 02:00
	// cache asks: not before it has run for 6h0m0s
	// warning: Pod/shop/search: karpenter.sh/disruption-schedule: cron expression "every night" has 2 fields: write five (minute, hour, day of month, month, day of week), such as "0 9 * * mon-fri"
	// search asks: something that cannot be read, and is ignored
	// 00:00
	//   wait  shop/web [pod/allows-none: pod shop/web has PDB shop/web, which allows no disruption now (until 2026-11-21T06:00:00Z)]
	//   wait  shop/report [pod/outside-schedule: pod shop/report may be disrupted only when its disruption schedule allows it: 0 2 * * * for 2h, UTC (until 2026-11-21T02:00:00Z)]
	//   wait  shop/cache [pod/do-not-disrupt: pod shop/cache must not be disrupted for 6h after its start (do-not-disrupt) (until 2026-11-21T04:00:00Z)]
	//   evict shop/search
	// 02:00
	//   wait  shop/web [pod/allows-none: pod shop/web has PDB shop/web, which allows no disruption now (until 2026-11-21T06:00:00Z)]
	//   evict shop/report
	//   wait  shop/cache [pod/do-not-disrupt: pod shop/cache must not be disrupted for 6h after its start (do-not-disrupt) (until 2026-11-21T04:00:00Z)]
	// 04:00
	//   wait  shop/web [pod/allows-none: pod shop/web has PDB shop/web, which allows no disruption now (until 2026-11-21T06:00:00Z)]
	//   evict shop/cache
	// 06:00
	//   evict shop/web
}
