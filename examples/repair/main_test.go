package main

func Example() {
	main()
	// Output:
	// rejected: policies[1].conditionStatus: conditionStatus "NotReady" is unknown: write False, Unknown or True
	// rejected: policies[1].action: action "Reboot" is unknown: write RebootNode
	// 12:00 wait: AcceleratorReady=False (NvidiaXID48Error) is tolerated until 2026-11-20T12:10:00Z: RebootNode then
	// 12:10 RebootNode for AcceleratorReady=False (NvidiaXID48Error), since 12:10 by policies[0]
	//       the drain may take 5m0s, says the policy for AcceleratorReady; as urgent as if it had waited since 11:40
	// 12:14 wait: AcceleratorReady=False (NvidiaXID48Error) is tolerated until 2026-11-20T12:24:00Z: RebootNode then
	// 12:24 RebootNode for AcceleratorReady=False (NvidiaXID48Error), since 12:24 by policies[0]
	//       the drain may take 5m0s, says the policy for AcceleratorReady; as urgent as if it had waited since 11:54
	//       no more reboots within a day
	// 12:28 wait: AcceleratorReady=False (NvidiaXID48Error) is tolerated until 2026-11-20T12:38:00Z: ReplaceNode then
	// 12:38 ReplaceNode for AcceleratorReady=False (NvidiaXID48Error), since 12:38 by policies[0], because reboots did not help
	//       the drain may take 5m0s, says the policy for AcceleratorReady; as urgent as if it had waited since 12:08
}
