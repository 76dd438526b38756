package decide

// Lists that say that there are no more objects of a kind.
const (
	noPods   = `{"apiVersion":"v1","kind":"PodList","items":[]}`
	noPDBs   = `{"apiVersion":"policy/v1","kind":"PodDisruptionBudgetList","items":[]}`
	noOthers = noPods + noPDBs + `{"apiVersion":"karpenter.sh/v1","kind":"NodePoolList","items":[]}` +
		`{"apiVersion":"karpenter.sh/v1","kind":"NodeClaimList","items":[]}{"apiVersion":"v1","kind":"NodeList","items":[]}`
)
