package disruptkit_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/topology"
)

var updateScenarios = flag.Bool("update", false, "rewrite the outputs in testdata/scenarios")

// The files are stories; testdata/scenarios/README.md says how to read them.
func TestScenarios(t *testing.T) {
	paths, err := filepath.Glob("testdata/scenarios/*.txt")
	if err != nil || len(paths) == 0 {
		t.Fatal("no scenarios: ", err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txt"), func(t *testing.T) {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			got, err := playScenario(path, string(text))
			if err != nil {
				t.Fatal(err)
			}
			if *updateScenarios {
				if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			} else if diff := gocmp.Diff(strings.Split(string(text), "\n"), strings.Split(got, "\n")); diff != "" {
				t.Errorf("%s (-want +got; go test . -run TestScenarios -update rewrites it)\n%s", path, diff)
			}
		})
	}
}

// A story that means something else than it says is worse than none: whatever is not understood fails.
func TestAScenarioSaysWhereItIsNotUnderstood(t *testing.T) {
	const start = "now Mon 2026-11-23 09:00\nzone z: a\n"
	for _, c := range []struct{ name, story, want string }{
		{"an unknown command", "# a comment\n\nplay", `f:3: "play" is no command`},
		{"a command that goes on", start + "lose the rollers", `f:3: "lose the rollers" is no command`},
		{"an unknown node", start + "drift b", `f:3: there is no node "b"`},
		{"no node at all", start + "drift", "f:3: which nodes?"},
		{"a second node of the same name", start + "zone y: a", `f:3: there is a node "a" already`},
		{"a wrong day of the week", "now Tue 2026-11-23 09:00", `f:1: 2026-11-23 is a Mon`},
		{"a clock that goes back", start + "now Mon 2026-11-23 08:00", "f:3: the clock does not go back"},
		{"a clock that is not set", "zone z: a", "f:1: begin with the time"},
		{"a drift before the last one", start + "drift a\nzone z: b c\ndrift b c", "f:5: b would have drifted no later than the last node: advance the clock"},
		{"a replacement of what nobody disrupts", start + "replaced a", `f:3: "a" is not in flight`},
		{"a start of what may not go", start + "decide\nstart a", `f:4: "a" was not allowed to go`},
		{"a start without a decision", start + "start", `f:3: decide first`},
		{"an argument where none belongs", start + "store it", `f:3: "it" does not belong here`},
		{"a label without a value", start + "label zone: a", `f:3: "zone" is no label`},
		{"a label that is not there", start + "unlabel zone: a", `f:3: "a" has no label "zone"`},
		{"an obstacle that is none", start + "cannot start a", "f:3: why not?"},
		{"a field of a roll that is none", start + `the roll is {"zone": "z"}`, `f:3: json: unknown field "zone"`},
		{"a field of a budget that is none", start + "budgets\n" + `{"node": "1"}`, `f:3: budget: field "node" is not known: write "nodes"`},
		{"an end that never comes", start + "drift a\ncannot start a: it is too heavy\nuntil done", "f:5: not done by Fri 09:00"},
		{"an output without a command", start + "\n----\nhello", `f:4: "" is no command`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, err := playScenario("f", c.story); err == nil || !strings.HasPrefix(err.Error(), c.want) {
				t.Errorf("%v, want %s", err, c.want)
			}
		})
	}
}

func TestTheREADMEOfTheScenariosNamesEveryCommand(t *testing.T) {
	readme, err := os.ReadFile("testdata/scenarios/README.md")
	if err != nil {
		t.Fatal(err)
	}
	for words := range scenarioCommands {
		if !bytes.Contains(readme, []byte("`"+words)) {
			t.Errorf("it says nothing of %q", words)
		}
	}
}

// playScenario returns the text of a story with the outputs that it really has.
func playScenario(path, text string) (string, error) {
	s := newScenario()
	var told []string
	first := 1 // line of the block
	for block := range strings.SplitSeq(strings.TrimRight(text, "\n"), "\n\n") {
		input, _, _ := strings.Cut("\n"+block+"\n", "\n----\n")
		input = strings.Trim(input, "\n")
		output, line, err := s.play(input)
		if err != nil {
			return "", fmt.Errorf("%s:%d: %w", path, first+line, err)
		}
		if output != "" {
			input += "\n----\n" + strings.TrimRight(output, "\n")
		}
		told = append(told, input)
		first += strings.Count(block, "\n") + 2
	}
	return strings.Join(told, "\n\n") + "\n", nil
}

// play runs the commands of a block. An error is in a line, counted from 0.
func (s *scenario) play(input string) (output string, line int, err error) {
	lines := strings.Split(input, "\n")
	for i := 0; i < len(lines); i++ {
		line, command := i, lines[i]
		if strings.HasPrefix(command, "#") {
			continue
		}
		for i+1 < len(lines) && strings.HasPrefix(lines[i+1], "{") {
			i++
			command += "\n" + lines[i]
		}
		told, err := s.run(command)
		output += told
		if err != nil {
			return output, line, err
		}
	}
	return output, 0, nil
}

// A scenario is a cluster with one pool, and the autoscaler in it.
type scenario struct {
	now       time.Time
	pool      disruptkit.Pool
	nodes     []candidate.Node
	rolls     map[string]topology.Roll
	forgets   bool // the autoscaler never stores the roll
	decision  *disruptkit.Decision
	lastDrift time.Time

	held    map[string][]candidate.Blocker // of a node
	started map[string]time.Time           // when the drain of a node began
	drained time.Duration                  // how long each drain spends the PDB of its zone
	spent   map[string]time.Time           // until when that of a zone is
}

func newScenario() scenario {
	return scenario{
		pool:  disruptkit.Pool{Name: "default"},
		spent: map[string]time.Time{}, held: map[string][]candidate.Blocker{}, started: map[string]time.Time{},
	}
}

// scenarioCommands are what the lines of a story begin with. What follows, up to the next command, is the argument.
var scenarioCommands = map[string]func(s *scenario, argument string) (output string, err error){
	"another cluster": scenarioDone(func(s *scenario) { *s = newScenario() }),

	"now":     (*scenario).setClock,
	"advance": (*scenario).advance,

	"budgets":      (*scenario).setBudgets,
	"patience":     scenarioDuration(func(s *scenario) *time.Duration { return &s.pool.Topology.Patience }),
	"soak":         scenarioDuration(func(s *scenario) *time.Duration { return &s.pool.Topology.Soak }),
	"unlabelled":   (*scenario).setUnlabelled,
	"settling off": scenarioDone(func(s *scenario) { s.pool.Topology.Unsettled = true }),

	"zone":      (*scenario).addZone,
	"no zone":   func(s *scenario, names string) (string, error) { return s.add("", names, false) },
	"duplicate": (*scenario).addDuplicate,
	"label":     (*scenario).label,
	"unlabel":   (*scenario).unlabel,

	"drift": (*scenario).drift,
	"underutilized": scenarioNodes(func(s *scenario, n *candidate.Node) {
		n.Conditions = append(n.Conditions, candidate.Condition{Reason: candidate.Underutilized, Since: s.now})
	}),
	"ready":              scenarioNodes(func(s *scenario, n *candidate.Node) { n.Ready, n.Initialized, n.ReadySince = true, true, s.now }),
	"not ready":          scenarioNodes(func(_ *scenario, n *candidate.Node) { n.Ready, n.ReadySince = false, time.Time{} }),
	"do-not-disrupt":     scenarioNodes(func(_ *scenario, n *candidate.Node) { n.DoNotDisrupt = true }),
	"do-not-disrupt off": scenarioNodes(func(_ *scenario, n *candidate.Node) { n.DoNotDisrupt = false }),
	"pdb spent": scenarioNodes(func(s *scenario, n *candidate.Node) {
		s.hold(n.Name, candidate.GatePod, "pdb", "PDB web/api allows no disruption", time.Time{})
	}),
	"pdb free":          scenarioNodes(func(s *scenario, n *candidate.Node) { s.release(n.Name, "pdb") }),
	"pods closed until": (*scenario).closePods,
	"cannot start":      (*scenario).cannotStart,
	"can start":         scenarioNodes(func(s *scenario, n *candidate.Node) { s.release(n.Name, "cannot-start") }),
	"each drain spends the PDB of its zone for": scenarioDuration(func(s *scenario) *time.Duration { return &s.drained }),

	"consolidate": scenarioNodes(func(_ *scenario, n *candidate.Node) { n.Deleting, n.DisruptedFor = true, candidate.Underutilized }),
	"delete":      scenarioNodes(func(_ *scenario, n *candidate.Node) { n.Deleting, n.DisruptedFor = true, "" }),
	"terminating": scenarioNodes(func(_ *scenario, n *candidate.Node) { n.InstanceTerminating = true }),
	"gone":        (*scenario).gone,
	"replaced":    (*scenario).replaced,

	"decide":        (*scenario).decide,
	"store":         scenarioDone(func(s *scenario) { s.store() }),
	"start":         (*scenario).start,
	"roll":          (*scenario).roll,
	"until done":    (*scenario).untilDone,
	"lose the roll": scenarioDone(func(s *scenario) { s.rolls = nil }),
	"store no roll": scenarioDone(func(s *scenario) { s.rolls, s.forgets = nil, true }),
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

// scenarioDuration is a command that sets a duration.
func scenarioDuration(field func(s *scenario) *time.Duration) func(*scenario, string) (string, error) {
	return func(s *scenario, argument string) (output string, err error) {
		if argument = strings.TrimSpace(argument); argument == "for ever" {
			*field(s) = candidate.Forever
			return "", nil
		}
		*field(s), err = time.ParseDuration(argument)
		return "", err
	}
}

// ---- the clock

func (s *scenario) setClock(argument string) (string, error) {
	day, rest, _ := strings.Cut(strings.TrimSpace(argument), " ")
	t, err := time.Parse("2006-01-02 15:04", rest)
	switch {
	case err != nil:
		return "", fmt.Errorf("%q is no time: write now Mon 2026-11-23 09:00", argument)
	case t.Format("Mon") != day:
		return "", fmt.Errorf("%s is a %s", t.Format(time.DateOnly), t.Format("Mon"))
	case t.Before(s.now):
		return "", errors.New("the clock does not go back")
	}
	s.now = t
	return "", nil
}

func (s *scenario) advance(argument string) (string, error) {
	by, err := time.ParseDuration(strings.TrimSpace(argument))
	if err != nil || by <= 0 {
		return "", fmt.Errorf("%q is no span of time: write advance 5m", argument)
	}
	s.now = s.now.Add(by)
	return "", nil
}

// ---- the pool

// setBudgets reads them as a NodePool has them, and reports what is wrong with them.
func (s *scenario) setBudgets(argument string) (string, error) {
	text, lines, _ := strings.Cut(argument, "\n")
	if text != "" {
		return "", errors.New("write each budget on a line of its own, as JSON")
	}
	var spec budget.Spec
	if err := json.Unmarshal([]byte(`{"budgets": [`+strings.ReplaceAll(lines, "\n", ",")+`]}`), &spec); err != nil {
		return "", err
	}
	s.pool.Budgets, _ = spec.Compile() // each decision tells what is broken
	return "", nil
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

// ---- the nodes

func (s *scenario) find(names string) (found []*candidate.Node, err error) {
	for name := range strings.FieldsSeq(names) {
		i := slices.IndexFunc(s.nodes, func(n candidate.Node) bool { return n.Name == name })
		if i < 0 {
			return nil, fmt.Errorf("there is no node %q", name)
		}
		found = append(found, &s.nodes[i])
	}
	if found == nil {
		return nil, errors.New("which nodes?")
	}
	return found, nil
}

func (s *scenario) add(zone, names string, twice bool) (string, error) {
	if strings.TrimSpace(names) == "" {
		return "", errors.New("which nodes?")
	}
	for name := range strings.FieldsSeq(names) {
		if _, err := s.find(name); err == nil && !twice {
			return "", fmt.Errorf("there is a node %q already", name)
		}
		n := candidate.Node{Name: name, Pool: "default", Initialized: true, Ready: true, ReadySince: s.now, Labels: map[string]string{}}
		if zone != "" {
			n.Labels[scenarioZone] = zone
		}
		s.nodes = append(s.nodes, n)
	}
	return "", nil
}

const scenarioZone = "topology.kubernetes.io/zone"

func (s *scenario) addZone(argument string) (string, error) {
	name, names, _ := strings.Cut(argument, ":")
	return s.add(strings.TrimSpace(name), names, false)
}

func (s *scenario) addDuplicate(argument string) (string, error) {
	name, names, _ := strings.Cut(argument, ":")
	if _, err := s.find(names); err != nil {
		return "", err
	}
	return s.add(strings.TrimSpace(name), names, true)
}

func (s *scenario) label(argument string) (string, error) {
	label, names, _ := strings.Cut(argument, ":")
	key, value, ok := strings.Cut(strings.TrimSpace(label), "=")
	if !ok {
		return "", fmt.Errorf("%q is no label: write key=value: a1 a2", key)
	}
	nodes, err := s.find(names)
	for _, n := range nodes {
		n.Labels[key] = value
	}
	return "", err
}

func (s *scenario) unlabel(argument string) (string, error) {
	key, names, _ := strings.Cut(argument, ":")
	nodes, err := s.find(names)
	key = strings.TrimSpace(key)
	for _, n := range nodes {
		if _, ok := n.Labels[key]; !ok {
			return "", fmt.Errorf("%q has no label %q", n.Name, key)
		}
		delete(n.Labels, key)
	}
	return "", err
}

// drift lets nodes drift, each a minute after the one before, and the last one now.
func (s *scenario) drift(names string) (string, error) {
	nodes, err := s.find(names)
	for i, n := range nodes {
		since := s.now.Add(time.Duration(i-len(nodes)+1) * time.Minute)
		if !since.After(s.lastDrift) {
			return "", fmt.Errorf("%s would have drifted no later than the last node: advance the clock", n.Name)
		}
		s.lastDrift = since
		n.Conditions = append(n.Conditions, candidate.Condition{Reason: candidate.Drifted, Since: since})
	}
	return "", err
}

func (s *scenario) hold(node string, gate candidate.Gate, code, message string, until time.Time) {
	s.release(node, code)
	s.held[node] = append(s.held[node], candidate.Blocker{Gate: gate, Code: code, Message: message, Until: until})
}

func (s *scenario) release(node, code string) {
	s.held[node] = slices.DeleteFunc(s.held[node], func(b candidate.Blocker) bool { return b.Code == code })
}

func (s *scenario) closePods(argument string) (string, error) {
	argument = strings.TrimSpace(argument)
	at, names, _ := strings.Cut(argument, ": ")
	t, err := time.Parse("Mon 2006-01-02 15:04", at)
	if err != nil {
		return "", fmt.Errorf("%q is no time: write Mon 2026-11-23 09:00", at)
	}
	nodes, err := s.find(names)
	for _, n := range nodes {
		s.hold(n.Name, candidate.GatePod, "window-closed", "pod web/api-0 may not be disrupted yet", t)
	}
	return "", err
}

func (s *scenario) cannotStart(argument string) (string, error) {
	names, why, ok := strings.Cut(argument, ": ")
	if !ok {
		return "", errors.New("why not? write cannot start a1: there is no room for its pods")
	}
	nodes, err := s.find(names)
	for _, n := range nodes {
		s.hold(n.Name, candidate.GateNode, "cannot-start", strings.TrimSpace(why), time.Time{})
	}
	return "", err
}

func (s *scenario) gone(names string) (string, error) {
	_, err := s.find(names)
	if err != nil {
		return "", err
	}
	s.nodes = slices.DeleteFunc(s.nodes, func(n candidate.Node) bool { return slices.Contains(strings.Fields(names), n.Name) })
	return "", nil
}

// replaced ends drains: the new node of a1 is a1', in the same zone.
func (s *scenario) replaced(argument string) (string, error) {
	names, notReady := strings.CutSuffix(argument, "not ready")
	nodes, err := s.find(names)
	if err != nil {
		return "", err
	}
	for _, n := range nodes {
		if !n.Deleting {
			return "", fmt.Errorf("%q is not in flight", n.Name)
		}
		s.spent[n.Labels[scenarioZone]] = s.now.Add(s.drained)
		delete(s.held, n.Name)
		delete(s.started, n.Name)
		*n = candidate.Node{Name: n.Name + "'", Pool: n.Pool, Labels: n.Labels, Initialized: !notReady, Ready: !notReady}
		if n.Ready {
			n.ReadySince = s.now
		}
	}
	return "", nil
}

// ---- the autoscaler

func (s *scenario) input() disruptkit.Input {
	nodes := slices.Clone(s.nodes)
	for i := range nodes {
		nodes[i].Blockers = s.blockers(nodes[i])
	}
	return disruptkit.Input{Now: s.now, Pools: []disruptkit.Pool{s.pool}, Nodes: nodes, Rolls: s.rolls}
}

func (s *scenario) blockers(n candidate.Node) []candidate.Blocker {
	var now []candidate.Blocker
	for _, b := range s.held[n.Name] {
		if b.Until.IsZero() || b.Until.After(s.now) {
			now = append(now, b)
		}
	}
	if zone := n.Labels[scenarioZone]; s.now.Before(s.spent[zone]) {
		now = append(now, candidate.Blocker{Gate: candidate.GatePod, Code: "pdb", Message: "PDB db/" + zone + " allows no disruption"})
	}
	return now
}

func (s *scenario) decide(argument string) (string, error) {
	reason := candidate.Drifted
	if argument = strings.TrimSpace(argument); argument != "" {
		reason = candidate.Reason(argument)
	}
	d := disruptkit.Decide(s.input(), reason)
	s.decision = &d
	return s.tell(d, "may go"), nil
}

func (s *scenario) store() {
	if s.decision != nil && !s.forgets {
		s.rolls = s.decision.Rolls
	}
}

// start starts all that may go, or some of it.
func (s *scenario) start(names string) (string, error) {
	if s.decision == nil {
		return "", errors.New("decide first")
	}
	d := *s.decision
	if names != "" {
		d.Allowed = nil
		for name := range strings.FieldsSeq(names) {
			i := slices.IndexFunc(s.decision.Allowed, func(c candidate.Candidate) bool { return c.Node == name })
			if i < 0 {
				return "", fmt.Errorf("%q was not allowed to go", name)
			}
			d.Allowed = append(d.Allowed, s.decision.Allowed[i])
		}
	}
	for _, c := range d.Allowed {
		s.started[c.Node] = s.now
	}
	s.nodes = s.input().Apply(d).Nodes
	return "", nil
}

// roll does all that an autoscaler does: decide, store, start.
func (s *scenario) roll(argument string) (string, error) {
	if argument != "" {
		return "", fmt.Errorf("%q does not belong here: a roll is for drift", argument)
	}
	d := disruptkit.Decide(s.input(), candidate.Drifted)
	s.decision = &d
	s.store()
	told := s.tell(d, "starts")
	_, err := s.start("")
	return told, err
}

func (s *scenario) setRoll(argument string) (string, error) {
	decoder := json.NewDecoder(bytes.NewReader([]byte(argument)))
	decoder.DisallowUnknownFields()
	var r topology.Roll
	err := decoder.Decode(&r)
	s.rolls = map[string]topology.Roll{"default": r}
	return "", err
}

// untilDone rolls every minute until nothing is left to do, where each replacement takes five. It tells each turn of a zone.
func (s *scenario) untilDone(argument string) (string, error) {
	const drain = 5 * time.Minute
	var turns []string
	var last string
	for began := s.now; s.now.Sub(began) < 96*time.Hour; s.now = s.now.Add(time.Minute) {
		for name, at := range s.started {
			if s.now.Sub(at) >= drain {
				if _, err := s.replaced(name); err != nil {
					return "", err
				}
			}
		}
		if _, err := s.roll(argument); err != nil {
			return "", err
		}
		for _, c := range s.decision.Allowed {
			nodes, _ := s.find(c.Node)
			if zone := scenarioTitle(nodes[0].Labels[scenarioZone]); zone != last {
				last = zone
				turns = append(turns, s.clock()+"  "+zone+" ")
			}
			turns[len(turns)-1] += " " + c.Node
		}
		if len(s.started) == 0 && s.toGo() == 0 {
			return strings.Join(append(turns, fmt.Sprintf("%s  done; turns: %d", s.clock(), len(turns))), "\n") + "\n", nil
		}
	}
	return "", fmt.Errorf("not done by %s:\n%s", s.clock(), s.tell(*s.decision, "may go"))
}

func (s *scenario) toGo() (n int) {
	for _, node := range s.nodes {
		if len(node.Conditions) > 0 && !node.DoNotDisrupt && !node.Deleting {
			n++
		}
	}
	return n
}

// ---- what a decision looks like

func (s *scenario) clock() string { return s.now.Format("Mon 15:04") }

// tell shows the domains, what may go, what holds back the others, the roll, and when to look again.
func (s *scenario) tell(d disruptkit.Decision, allowed string) string {
	var told strings.Builder
	told.WriteString(s.clock() + "\n")
	s.picture(&told, d)
	for _, c := range d.Allowed {
		until := ""
		if !c.Until.IsZero() {
			until = " (allowed until " + c.Until.Format("Mon 15:04") + ")"
		}
		fmt.Fprintf(&told, "%s %s%s\n", c.Node, allowed, until)
	}
	s.waits(&told, d)
	for _, w := range d.Warnings {
		told.WriteString(scenarioWrapped("! " + w.Error()))
	}
	told.WriteString("roll: " + scenarioRoll(d.Rolls["default"]) + "\n")
	if !d.NextChange.IsZero() {
		told.WriteString("next change: " + d.NextChange.Format("Mon 15:04") + "\n")
	}
	return told.String()
}

// picture draws the nodes by domain of the budget that orders them, with an arrow where the turn is.
func (s *scenario) picture(told *strings.Builder, d disruptkit.Decision) {
	var turn topology.Selection
	for _, t := range d.Pools[0].Topology {
		if t.Sequential {
			turn = t
		}
	}
	rows := map[string][]string{}
	for _, n := range s.nodes {
		domain := n.Labels[cmp.Or(turn.Key, scenarioZone)]
		rows[domain] = append(rows[domain], s.sketch(n))
	}
	domains := make([]string, 0, len(rows))
	width := 0
	for domain := range rows {
		domains = append(domains, domain)
		width = max(width, len(scenarioTitle(domain)))
	}
	slices.Sort(domains)
	for _, domain := range domains {
		arrow := "  "
		if turn.Chosen && turn.Active == domain {
			arrow = "->"
		}
		fmt.Fprintf(told, "%s %-*s  %s\n", arrow, width, scenarioTitle(domain), strings.Join(rows[domain], " "))
	}
}

// sketch returns the name of a node and what there is to see of it.
func (s *scenario) sketch(n candidate.Node) string {
	text := n.Name
	switch {
	case n.InstanceTerminating:
		text += ">>"
	case n.Deleting:
		text += ">"
	case slices.ContainsFunc(n.Conditions, func(c candidate.Condition) bool { return c.Reason == candidate.Drifted }):
		text += "*"
	}
	switch {
	case n.Deleting && n.DisruptedFor == "":
		text += "unknown"
	case n.Deleting && n.DisruptedFor != candidate.Drifted:
		text += string(n.DisruptedFor)
	}
	if n.DoNotDisrupt || len(s.blockers(n)) > 0 && !n.Deleting && len(n.Conditions) > 0 {
		text += "!"
	}
	if !n.Ready {
		text += "~"
	}
	return text
}

func scenarioTitle(domain string) string {
	return cmp.Or(domain, "(no label)")
}

// waits tells what holds back nodes, those together that the same holds back. Of nodes in flight the picture tells.
func (s *scenario) waits(told *strings.Builder, d disruptkit.Decision) {
	var reasons []string
	nodes := map[string][]string{}
	for _, c := range d.Blocked {
		text := ""
		for _, b := range c.Blockers {
			text += scenarioWrapped("  - " + b.String())
		}
		if c.Blockers[0].Code == candidate.CodeDeleting {
			continue
		}
		if nodes[text] == nil {
			reasons = append(reasons, text)
		}
		nodes[text] = append(nodes[text], c.Node)
	}
	for _, text := range reasons {
		verb := " wait:\n"
		if len(nodes[text]) == 1 {
			verb = " waits:\n"
		}
		told.WriteString(strings.Join(nodes[text], " ") + verb + text)
	}
}

func scenarioRoll(r topology.Roll) string {
	switch {
	case r == topology.Roll{}:
		return "none"
	case !r.IdleSince.IsZero():
		return fmt.Sprintf("%s, idle since %s", scenarioTitle(r.Domain), r.IdleSince.Format("Mon 15:04"))
	}
	return scenarioTitle(r.Domain)
}

// scenarioWrapped breaks a line after 100 columns.
func scenarioWrapped(line string) string {
	const width = 100
	var wrapped string
	for len(line) > width {
		i := strings.LastIndexByte(line[:width], ' ')
		if i <= 6 {
			break
		}
		wrapped += line[:i] + "\n"
		line = "      " + line[i+1:]
	}
	return wrapped + line + "\n"
}
