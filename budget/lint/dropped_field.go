package lint

var ruleDroppedField = Rule{
	Code: CodeDroppedField,
	Means: "karpenter.sh/v1 has no such field. kubectl apply refuses it. For clients without strict validation " +
		"the API server drops it, at best with a warning, and the rest of the object may mean something " +
		"else.",
	Example: "topologyKey in a budget: Karpenter stores a budget of the whole pool.",
	Do: "Write the field or the place that the message names. Write features of the RFCs into the annotation " +
		"disruptkit.dev/disruption, which the guard and the steward read.",
}
