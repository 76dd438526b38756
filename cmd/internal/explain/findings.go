package explain

import "github.com/disruptkit/disruptkit/budget/lint"

// findings returns the codes of package lint, and those of the programs that read NodePools.
func findings() (all []Entry) {
	for _, r := range lint.Rules() {
		all = append(all, Entry{r.Code, r.Means, r.Example, r.Do})
	}
	return append(all, programs...)
}

// programs are the codes of findings about how NodePools are written.
var programs = []Entry{
	{"repeated-name", "Two NodePools have one name, so the one that is applied last replaces the other.",
		"Two documents of a file with metadata.name: web.",
		"Give each a name of its own. If the files are for different clusters, nothing is wrong."},
	{"unused-ignore", "A comment or an annotation ignores a finding that does not exist.",
		"# disruptkit:ignore never-binds at the line of a budget that decides.",
		"Delete the code from it, or write the comment at the line that the finding names, or alone on the line " +
			"before."},
	{"unknown-ignore", "A comment or an annotation ignores a code that lint does not know, or a comment is not read.",
		"# disruptkit:ignore never-bind, or # disruptkit-ignore never-binds",
		"Write # disruptkit:ignore and the code that the finding shows, here never-binds."},
	{"default-nodes", "A budget has a schedule and no nodes, which means 10%.",
		`schedule: "0 9 * * mon-fri", duration: 8h.`,
		`Write nodes: "0" for a freeze, or nodes: "10%".`},
	{"required-before", "A field is absent. Karpenter v1.15 fills it in, but older versions require it.",
		"A NodePool without consolidateAfter: up to v1.14 the API server rejects it.",
		"Write the field. Then the NodePool means the same in every version."},
	{"unreadable", "A field cannot be read, and its meaning is unknown, so its object is blocked.",
		"spec.replicas: many",
		"Correct it as the message says. If kubectl printed it, please report it."},
	{"selects-nothing", "A DisruptionPolicy limits nothing: it selects no NodePool, it says nothing of those that it selects, or the engine " +
		"does not read it.",
		"nodePoolSelector: {matchLabels: {team: web}}, where no NodePool has that label.",
		"Write labels that NodePools have, or all: true. If the NodePools are in other files, lint these together."},
	{"overruled", "A budget of a DisruptionPolicy never decides, since another policy of the same NodePools always allows less.",
		`nodes: "5" for team web, and nodes: "3" for all NodePools.`,
		"Delete the budget that never decides, or raise the other one."},
	{"most-specific", "A budget has action, method or reason, from a proposal where the most specific budgets decide. Here the most " +
		"restrictive ones decide, as in Karpenter.",
		`method: Drift with nodes: "5" next to nodes: "1" for all: the 5 never decides.`,
		"Write reasons, or --most-specific if your autoscaler follows the RFC for controls by method."},
}
