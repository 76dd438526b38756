package lint

var ruleAlwaysActive = Rule{
	Code: CodeAlwaysActive,
	Means: "A schedule that never hits is always active in Karpenter, because its search gives up after five " +
		"years.",
	Example: `nodes: "0" with schedule: "0 0 30 2 *" blocks for ever.`,
	Do:      "Correct the schedule, or leave it out if the budget is meant to hold at all times.",
}
