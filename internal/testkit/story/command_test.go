package story_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/candidate/kube"
	"github.com/disruptkit/disruptkit/topology"
)

// A scenario is a cluster, and the autoscaler in it. Its pools have the same policy.
type scenario struct {
	now       time.Time
	pool      disruptkit.Pool
	groups    []disruptkit.Group
	spec      budget.Spec // of its budgets
	nodes     []candidate.Node
	memory    map[string]disruptkit.Memory
	forgets   bool // the autoscaler never stores the roll
	decision  *disruptkit.Decision
	lastDrift time.Time
	asked     []question

	pdbs       []scenarioPDB
	schedules  []candidate.PodSchedule
	failClosed bool
	parser     kube.Parser
	startup    time.Duration // from when pods start until they are ready
	grace      time.Duration // the termination grace period of all nodes; 0 is none

	poolLabels map[string]map[string]string // by the name of the pool
	probes     []*scenarioProbe
	breakers   scenarioBreakers
	repair     scenarioRepair

	held    map[string]string    // why a node cannot be started
	started map[string]time.Time // when the drain of a node began
	drained time.Duration        // how long each drain spends the PDB of its zone
	spent   map[string]time.Time // when that of a zone is back
}

func newScenario() scenario {
	return scenario{
		pool:  disruptkit.Pool{Name: "default"},
		spent: map[string]time.Time{}, held: map[string]string{}, started: map[string]time.Time{},
		poolLabels: map[string]map[string]string{},
	}
}

// scenarioCommands are what the lines of a story begin with. What follows, up to the next command, is the argument.
var scenarioCommands = map[string]func(s *scenario, argument string) (output string, err error){
	"another cluster": scenarioDone(func(s *scenario) { *s = newScenario() }),

	"now":     (*scenario).setClock,
	"advance": (*scenario).advance,

	"budgets":          (*scenario).setBudgets,
	"disruption":       (*scenario).setDisruption,
	"group":            (*scenario).setGroup,
	"revision":         (*scenario).setRevision,
	"most specific":    scenarioDone(func(s *scenario) { s.spec.MostSpecific = true; s.compile() }),
	"most restrictive": scenarioDone(func(s *scenario) { s.spec.MostSpecific = false; s.compile() }),
	"patience":         scenarioDuration(func(s *scenario) *time.Duration { return &s.pool.Topology.Patience }),
	"soak":             scenarioDuration(func(s *scenario) *time.Duration { return &s.pool.Topology.Soak }),
	"unlabelled":       (*scenario).setUnlabelled,
	"settling off":     scenarioDone(func(s *scenario) { s.pool.Topology.Unsettled = true }),

	"zone":       (*scenario).addZone,
	"no zone":    func(s *scenario, names string) (string, error) { return s.add("", names, false) },
	"duplicate":  (*scenario).addDuplicate,
	"pool":       (*scenario).setPool,
	"unit":       (*scenario).setUnit,
	"pool label": (*scenario).labelPools,
	"label":      (*scenario).label,
	"unlabel":    (*scenario).unlabel,

	"drift":              (*scenario).drift,
	"underutilized":      scenarioReason(candidate.Underutilized),
	"expired":            scenarioReason(candidate.Expired),
	"ready":              scenarioNodes((*scenario).becomesReady),
	"not ready":          scenarioNodes(func(_ *scenario, n *candidate.Node) { n.Phase, n.ReadySince = candidate.NotReady, time.Time{} }),
	"do-not-disrupt":     scenarioNodes(func(_ *scenario, n *candidate.Node) { n.DoNotDisrupt = true }),
	"do-not-disrupt off": scenarioNodes(func(_ *scenario, n *candidate.Node) { n.DoNotDisrupt = false }),
	"cannot start":       (*scenario).cannotStart,
	"can start":          scenarioNodes(func(s *scenario, n *candidate.Node) { delete(s.held, n.Name) }),
	"each drain spends the PDB of its zone for": scenarioDuration(func(s *scenario) *time.Duration { return &s.drained }),

	"pods":                     (*scenario).addPods,
	"pods become ready after":  scenarioDuration(func(s *scenario) *time.Duration { return &s.startup }),
	"annotations":              (*scenario).annotate,
	"pdb":                      (*scenario).setPDB,
	"disruption schedule":      (*scenario).setDisruptionSchedule,
	"fail closed":              scenarioDone(func(s *scenario) { s.failClosed = true }),
	"termination grace period": scenarioDuration(func(s *scenario) *time.Duration { return &s.grace }),
	"drain":                    (*scenario).drain,
	"restart":                  (*scenario).restart,

	"probe":               (*scenario).setProbe,
	"cluster probe":       (*scenario).setClusterProbe,
	"replacement breaker": (*scenario).setReplacementBreaker,
	"scale-down breaker":  (*scenario).setScaleDownBreaker,
	"reset breakers":      scenarioDone((*scenario).resetBreakers),

	"repair policies":          (*scenario).setPolicies,
	"repair breaker":           (*scenario).setRepairBreaker,
	"condition":                (*scenario).setCondition,
	"never initialized":        scenarioNodes(neverInitialized),
	"reboots":                  scenarioNodes((*scenario).reboot),
	"rebooted":                 (*scenario).rebooted,
	"do-not-repair":            scenarioNodes(func(_ *scenario, n *candidate.Node) { n.DoNotRepair = true }),
	"do-not-repair off":        scenarioNodes(func(_ *scenario, n *candidate.Node) { n.DoNotRepair = false }),
	"failures back off":        scenarioDone(func(s *scenario) { s.repair.backsOff = true }),
	"repair backs off as well": scenarioDone(func(s *scenario) { s.pool.RepairBacksOff = true }),

	"consolidate":        scenarioNodes(func(s *scenario, n *candidate.Node) { s.mark(n, candidate.Underutilized) }),
	"delete":             scenarioNodes(func(s *scenario, n *candidate.Node) { s.mark(n, "") }),
	"terminating":        scenarioNodes(func(s *scenario, n *candidate.Node) { s.goesDown(n); n.Leaving = candidate.Terminating }),
	"gone":               (*scenario).gone,
	"replaced":           (*scenario).replaced,
	"given up":           (*scenario).giveUp,
	"replacement failed": (*scenario).failToReplace,

	"decide":        (*scenario).decide,
	"numbers":       func(s *scenario, _ string) (string, error) { return s.numbers() },
	"store":         scenarioDone(func(s *scenario) { s.store() }),
	"start":         (*scenario).start,
	"roll":          (*scenario).roll,
	"until done":    (*scenario).untilDone,
	"watch until":   (*scenario).watch,
	"lose the roll": scenarioDone(func(s *scenario) { s.memory = nil }),
	"store no roll": scenarioDone(func(s *scenario) { s.memory, s.forgets = nil, true }),
	"the roll is":   (*scenario).setRoll,
}

func (s *scenario) run(line string) (output string, err error) {
	longest := ""
	for words := range scenarioCommands {
		rest, ok := strings.CutPrefix(line, words)
		if ok && (rest == "" || strings.ContainsAny(rest[:1], " :\n")) && len(words) > len(longest) {
			longest = words
		}
	}
	if longest == "" {
		return "", errNoCommand(line)
	}
	if s.now.IsZero() && longest != "now" && longest != "another cluster" {
		return "", errors.New("begin with the time: now Mon 2026-11-23 09:00")
	}
	return scenarioCommands[longest](s, strings.TrimPrefix(line[len(longest):], ":"))
}

func errNoCommand(line string) error {
	known := make([]string, 0, len(scenarioCommands))
	for words := range scenarioCommands {
		known = append(known, words)
	}
	slices.Sort(known)
	return fmt.Errorf("%q is no command: write one of %s", line, strings.Join(known, ", "))
}

// scenarioDone is a command without an argument.
func scenarioDone(do func(s *scenario)) func(*scenario, string) (string, error) {
	return func(s *scenario, argument string) (string, error) {
		if argument != "" {
			return "", fmt.Errorf("%q does not belong here", strings.TrimSpace(argument))
		}
		do(s)
		return "", nil
	}
}

// scenarioNodes is a command on nodes.
func scenarioNodes(do func(s *scenario, n *candidate.Node)) func(*scenario, string) (string, error) {
	return func(s *scenario, argument string) (string, error) {
		nodes, err := s.find(argument)
		for _, n := range nodes {
			do(s, n)
		}
		return "", err
	}
}

// scenarioReason is a command that makes nodes candidates.
func scenarioReason(reason candidate.Reason) func(*scenario, string) (string, error) {
	return scenarioNodes(func(s *scenario, n *candidate.Node) {
		n.Conditions = append(n.Conditions, candidate.Condition{Reason: reason, Since: s.now})
	})
}

// scenarioDuration is a command that sets a duration.
func scenarioDuration(field func(s *scenario) *time.Duration) func(*scenario, string) (string, error) {
	return func(s *scenario, argument string) (output string, err error) {
		switch argument = strings.TrimSpace(argument); argument {
		case "for ever":
			*field(s) = candidate.Forever
			return "", nil
		case "none":
			*field(s) = topology.NoPatience
			return "", nil
		}
		*field(s), err = time.ParseDuration(argument)
		return "", err
	}
}

func (s *scenario) setClock(argument string) (string, error) {
	t, err := scenarioTime(argument)
	if err == nil && t.Before(s.now) {
		err = errors.New("the clock does not go back")
	}
	if err == nil {
		s.now = t
	}
	return "", err
}

func scenarioTime(text string) (time.Time, error) {
	day, rest, _ := strings.Cut(strings.TrimSpace(text), " ")
	t, err := time.Parse("2006-01-02 15:04", rest)
	switch {
	case err != nil:
		return t, fmt.Errorf("%q is not a time: write Mon 2026-11-23 09:00", strings.TrimSpace(text))
	case t.Format("Mon") != day:
		return t, fmt.Errorf("%s is a %s", t.Format(time.DateOnly), t.Format("Mon"))
	}
	return t, nil
}

func (s *scenario) advance(argument string) (string, error) {
	by, err := time.ParseDuration(strings.TrimSpace(argument))
	if err != nil || by <= 0 {
		return "", fmt.Errorf("%q is no span of time: write advance 5m", argument)
	}
	s.now = s.now.Add(by)
	return "", nil
}

// setBudgets reads them as a NodePool has them, and reports what is wrong with them.
func (s *scenario) setBudgets(argument string) (string, error) {
	text, lines, _ := strings.Cut(argument, "\n")
	if text != "" {
		return "", errors.New("write each budget on a line of its own, as JSON")
	}
	return s.decode(`{"budgets": [` + strings.ReplaceAll(lines, "\n", ",") + `]}`)
}

// setDisruption reads a NodePool's spec.disruption, with the controls of the by-method RFC.
func (s *scenario) setDisruption(argument string) (string, error) {
	text, spec, _ := strings.Cut(argument, "\n")
	if text != "" || spec == "" {
		return "", errors.New("write spec.disruption on the lines that follow, as JSON")
	}
	return s.decode(spec)
}

// setGroup adds a group of pools, or changes its pools and budgets.
func (s *scenario) setGroup(argument string) (string, error) {
	first, lines, _ := strings.Cut(argument, "\n")
	name, pools, ok := strings.Cut(first, ":")
	if !ok {
		return "", errors.New("which pools? write group prod: default spot, and its budgets on the lines that follow, as JSON")
	}
	var spec budget.Spec
	if err := json.Unmarshal([]byte(`{"budgets": [`+strings.ReplaceAll(lines, "\n", ",")+`]}`), &spec); err != nil {
		return "", err
	}
	g := disruptkit.Group{Name: strings.TrimSpace(name), Pools: strings.Fields(pools)}
	g.Budgets, _ = spec.Compile() // each decision describes what is broken
	s.groups = slices.DeleteFunc(s.groups, func(other disruptkit.Group) bool { return other.Name == g.Name })
	s.groups = append(s.groups, g)
	return "", nil
}

func (s *scenario) decode(spec string) (string, error) {
	err := json.Unmarshal([]byte(spec), &s.spec)
	s.compile()
	return "", err
}

func (s *scenario) compile() {
	s.pool.Budgets, _ = s.spec.Compile() // each decision describes what is broken
}

func (s *scenario) setUnlabelled(argument string) (string, error) {
	choices := map[string]topology.Unlabelled{"take turns": topology.TakeTurn, "exempt": topology.Exempt, "blocked": topology.Block}
	choice, ok := choices[strings.TrimSpace(argument)]
	if !ok {
		return "", fmt.Errorf("%q is no choice: write take turns, exempt or blocked", argument)
	}
	s.pool.Topology.Unlabelled = choice
	return "", nil
}
