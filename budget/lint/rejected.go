package lint

var ruleRejected = Rule{
	Code:    CodeRejected,
	Means:   "Karpenter's API server rejects what is written. What was stored before stays in force.",
	Example: "reasons: [Drifted/AMIDrift]: karpenter.sh/v1 knows no child reasons.",
	Do:      "Write what the message says, or answer for another engine with --engine.",
}
