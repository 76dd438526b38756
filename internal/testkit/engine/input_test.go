package engine_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/budget/lint"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/candidate/drain"
	"github.com/disruptkit/disruptkit/candidate/kube"
	"github.com/disruptkit/disruptkit/dialect"
	"github.com/disruptkit/disruptkit/internal/mistake"
	"github.com/disruptkit/disruptkit/internal/record"
	"github.com/disruptkit/disruptkit/internal/testkit"
	"github.com/disruptkit/disruptkit/internal/testkit/fixture"
	"github.com/disruptkit/disruptkit/internal/testkit/generate"
	"github.com/disruptkit/disruptkit/probe"
	"github.com/disruptkit/disruptkit/probe/breaker"
	"github.com/disruptkit/disruptkit/probe/httpget"
	"github.com/disruptkit/disruptkit/repair"
	"github.com/disruptkit/disruptkit/report"
	"github.com/disruptkit/disruptkit/schedule"
	"github.com/disruptkit/disruptkit/topology"
)

// A window is open or closed at the year 1 as well: without this rule a freeze on weekdays allowed nodes.
func TestNothingGoesWithoutATime(t *testing.T) {
	freeze := budget.Budget{Nodes: "0", Schedule: "0 9 * * mon-fri", Duration: "8h"}
	in := disruptkit.Input{Pools: []disruptkit.Pool{fixture.Pool(t, budget.Budget{Nodes: "50%"}, freeze)}, Nodes: fixture.Fleet(1, 1)}
	const want = `default Drifted: 2 nodes, 0 disrupting, 0 allowed by [] for good, 0 remain
- a-1 Drifted node/no-time: the time of the decision is missing: set it to the current time
- a-1 Drifted pod/no-time: the time of the decision is missing: set it to the current time
- a-1 Drifted budget/no-time: no node may be disrupted: now: the time of the decision is missing: set it to the current time
! no-time: Input.Now: the time of the decision is missing: set it to the current time
next change: never
`
	in.Nodes[slices.IndexFunc(in.Nodes, func(n candidate.Node) bool { return len(n.Conditions) > 0 })].Pods = []candidate.Pod{{Name: "web"}}
	if got := fixture.Story(disruptkit.Decide(in, candidate.Drifted)); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

func TestNothingGoesWithoutATimeWhateverElseIsInTheInput(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := testkit.Arbitrary(generate.Input).Draw(t, "input")
		in.Now = time.Time{}
		d := disruptkit.Decide(in, testkit.Arbitrary(generate.Asked).Draw(t, "asked"))
		if len(d.Allowed) > 0 || !d.NextChange.IsZero() || d.Warnings[0].Code != mistake.CodeNoTime {
			t.Errorf("%s", fixture.Story(d))
		}
		for _, c := range d.Blocked {
			if !slices.ContainsFunc(c.Blockers, func(b candidate.Blocker) bool { return b.Code == mistake.CodeNoTime }) {
				t.Errorf("%s is blocked by %s", c.Node, c.Blockers)
			}
		}
		for pool, roll := range in.Memory {
			if !d.Memory[pool].Equal(roll) {
				t.Errorf("the roll of %s was %v, and is %v", pool, roll, d.Memory[pool])
			}
		}
	})
}

func TestEveryGateSaysThatTheTimeIsMissing(t *testing.T) {
	var never time.Time
	node := candidate.Node{Name: "a", Pool: "default", Phase: candidate.Running, Pods: []candidate.Pod{{Name: "web"}}}
	drifted := candidate.Condition{Reason: candidate.Drifted}
	set, _ := budget.Compile([]budget.Budget{})
	scope := budget.Budget{Nodes: "1", TopologyKey: "zone"}
	zones, _ := budget.Compile([]budget.Budget{scope})
	domains := []topology.Domain{{Name: "a", Nodes: 9, Allowed: 9, Remaining: 9, ToGo: 1, Free: 1, OldestFree: "a1"}}
	for name, holds := range map[string]func() bool{
		"a node": func() bool {
			return candidate.NodeGate(&node, drifted, candidate.Minimum{}, never)[0].Code == mistake.CodeNoTime
		},
		"its pods": func() bool {
			return candidate.OpenPods(candidate.Rules{}, never).Blockers(&node, drifted)[0].Code == mistake.CodeNoTime
		},
		"a drain": func() bool {
			return drain.Gate(candidate.Rules{}, node, node.Pods[0], never)[0].Code == mistake.CodeNoTime
		},
		"budgets": func() bool {
			allowance, err := budget.AllowedByReason(set, never, 9, "Drifted")
			room, _ := set.Room(never, 9, "Drifted", budget.Usage{})
			return allowance.Nodes == 0 && err != nil && !room
		},
		"a forecast": func() bool {
			_, err := set.Forecast(never, fixture.Noon, 9, "Drifted")
			return err != nil
		},
		"lint": func() bool {
			findings := lint.Run(set, never, lint.Facts{Nodes: 9})
			return len(findings) == 1 && findings[0].Severity == lint.SeverityError
		},
		"zones": func() bool {
			return !topology.SelectActiveZone(zones.Scopes("Drifted")[0], domains, topology.Roll{}, topology.Options{}, never).Allows("a", 0)
		},
		"a verdict of the caller": func() bool {
			b, blocked := probe.Verdict{Allowed: true}.Blocker("Drifted", "default", nil, never)
			return blocked && b.Code == mistake.CodeNoTime
		},
		"a probe": func() bool {
			p := httpget.Spec{Host: "health", Port: 80}
			return probe.ProbeVerdict(p.Probe(), probe.Observation{At: fixture.Noon, Healthy: true}, never).Code == mistake.CodeNoTime
		},
		"a breaker of replacements": func() bool {
			return breaker.Replacement{Failures: 1, Of: 1}.Verdict(nil, never).Code == mistake.CodeNoTime
		},
		"a breaker of scale-downs": func() bool {
			return breaker.ScaleDown{Within: time.Hour}.Verdict(nil, never).Code == mistake.CodeNoTime
		},
	} {
		if !holds() {
			t.Errorf("%s does not", name)
		}
	}
	if !schedule.InWindow(schedule.Window{}, never) {
		t.Error("InWindow has no other answer than its own")
	}
}

// Thirty nodes of web in three zones have drifted because of their AMI, and one of batch has.
func thirty(t testing.TB, budgets ...budget.Budget) disruptkit.Input {
	in := disruptkit.Input{Now: fixture.Noon, Pools: []disruptkit.Pool{fixture.Pool(t, budgets...), fixture.Pool(t, budget.Budget{Nodes: "100%"})}}
	in.Pools[0].Name, in.Pools[1].Name = "web", "batch"
	for i := range 31 {
		n := candidate.Node{Name: fmt.Sprintf("n-%02d", i), Pool: "web", Phase: candidate.Running, Labels: map[string]string{"zone": string(rune('a' + i%3))},
			Conditions: []candidate.Condition{{Reason: "Drifted/AMIDrift"}}}
		if i == 30 {
			n.Pool = "batch"
		}
		in.Nodes = append(in.Nodes, n)
	}
	return in
}

func TestAMisspeltNameBlocksWhatItWasFor(t *testing.T) {
	key := func(sequential bool, nodes string) budget.Budget {
		return budget.Budget{Nodes: nodes, TopologyKey: "zonee", Sequential: sequential}
	}
	none := budget.Budget{Nodes: "0", Reasons: []candidate.Reason{"Drifted/AMIDrfit"}}
	for _, row := range []struct {
		name    string
		in      disruptkit.Input
		change  func(in *disruptkit.Input)
		allowed int    // of web and batch
		says    string // in a warning; "": there is none
	}{
		{"no node has the label of a sequential budget", thirty(t, key(true, "100%")), nil, 1, `no node has the label "zonee", and until one has, none is allowed: write "zone", which nodes have`},
		{"no node has the label of a budget", thirty(t, key(false, "100%")), nil, 1, `no node has the label "zonee"`},
		{"no node has the label, and such nodes are exempt", thirty(t, key(true, "100%")), func(in *disruptkit.Input) { in.Pools[0].Topology.Unlabelled = topology.Exempt }, 1, `no node has the label "zonee"`},
		{"nodes may lack the label", thirty(t, key(true, "100%")), func(in *disruptkit.Input) { in.Pools[0].Topology.LabelOptional = true }, 31, ""},
		{"nodes may lack the label, and are exempt", thirty(t, key(true, "1")), func(in *disruptkit.Input) {
			in.Pools[0].Topology = topology.Options{LabelOptional: true, Unlabelled: topology.Exempt}
		}, 31, ""},
		{"one node has the label", thirty(t, key(false, "1")), func(in *disruptkit.Input) { in.Nodes[0].Labels["zonee"] = "a" }, 3, `29 of 30 nodes have no label "zonee", and are a domain of their own`},
		{"one node has the label, and the others are exempt", thirty(t, key(false, "0")), func(in *disruptkit.Input) {
			in.Nodes[0].Labels["zonee"], in.Pools[0].Topology.Unlabelled = "a", topology.Exempt
		}, 30, `29 of 30 nodes have no label "zonee", and the budget does not limit them`},
		{"only a node that does not count has the label", thirty(t, key(true, "100%")), func(in *disruptkit.Input) {
			in.Nodes[0].Labels["zonee"], in.Nodes[0].Phase = "a", candidate.Launched
		}, 1, `no node has the label "zonee"`},
		{"no node of a group has the label", thirty(t, budget.Budget{Nodes: "100%"}), func(in *disruptkit.Input) {
			set, _ := budget.Compile([]budget.Budget{key(true, "100%")})
			in.Groups = []disruptkit.Group{{Name: "prod", Pools: []string{"web", "batch"}, Budgets: set}}
		}, 0, `Group/prod: budgets[0].topologyKey: no node has the label "zonee"`},
		{"a budget names a child one letter from that of the nodes", thirty(t, none), nil, 1, `reason "Drifted/AMIDrift" is one letter from "Drifted/AMIDrfit", which budgets[0] names: write the same name in both`},
		{"a child in another case", thirty(t, budget.Budget{Nodes: "0", Reasons: []candidate.Reason{"Drifted/AmiDrift"}}), nil, 1, "one letter from"},
		{"budgets name both children", thirty(t, none, budget.Budget{Nodes: "50%", Reasons: []candidate.Reason{"Drifted/AMIDrift"}}), nil, 16, ""},
		{"no node has the child that a budget misspells", thirty(t, none), func(in *disruptkit.Input) {
			for i := range in.Nodes {
				in.Nodes[i].Conditions[0].Reason = "Drifted/SubnetDrift"
			}
		}, 31, `reason "Drifted/AMIDrfit" is one letter from Drifted/AMIDrift, for which no node is allowed until then: write Drifted/AMIDrift`},
		{"turns are for a child that is misspelt", thirty(t, budget.Budget{Nodes: "1", TopologyKey: "zone", Sequential: true}), func(in *disruptkit.Input) {
			in.Pools[0].Topology.Reasons = []candidate.Reason{"Drifted/AMIDrfit"}
		}, 2, `reason "Drifted/AMIDrfit" is not known, and sequential budgets order all reasons: write Drifted/AMIDrift`},
		{"a pause is for a child that is misspelt", thirty(t, budget.Budget{Nodes: "100%"}), func(in *disruptkit.Input) {
			in.Pauses = []probe.Pause{{Reasons: []candidate.Reason{"Drifted/AMIDrfit"}}}
		}, 0, `reason "Drifted/AMIDrfit" is one letter from "Drifted/AMIDrift"`},
		{"a denial is for an unknown reason", thirty(t, budget.Budget{Nodes: "100%"}), func(in *disruptkit.Input) {
			in.Verdicts = []probe.Verdict{{Allowed: true, Denied: []probe.Denial{{Reason: "driftt"}}}}
		}, 0, `reason "driftt" is unknown, and until then, every reason is denied`},
		{"a group names a pool one letter from another", thirty(t, budget.Budget{Nodes: "100%"}), func(in *disruptkit.Input) {
			in.Groups = []disruptkit.Group{{Name: "prod", Pools: []string{"wbe", "batch"}}}
		}, 0, `no pool is called "wbe", and until the group names only pools that exist, no node of its pools may be disrupted, nor one of web: write web`},
		{"a group names a pool that is like no other", thirty(t, budget.Budget{Nodes: "100%"}), func(in *disruptkit.Input) {
			in.Groups = []disruptkit.Group{{Name: "prod", Pools: []string{"gpu", "batch"}}}
		}, 30, `no pool is called "gpu"`},
		{"nodes are of a pool one letter from another", thirty(t, budget.Budget{Nodes: "1"}), func(in *disruptkit.Input) {
			in.Nodes[0].Pool, in.Nodes[0].Leaving, in.Nodes[1].Pool = "wbe", candidate.Draining, "wbe"
		}, 2, `2 nodes of pool "wbe", which is not in the input and is one letter from web`},
		{"a node has no name", thirty(t, budget.Budget{Nodes: "100%"}), func(in *disruptkit.Input) { in.Nodes[30].Name = "" }, 30, "1 node without a name"},
		{"nodes have no names", thirty(t, budget.Budget{Nodes: "100%"}), func(in *disruptkit.Input) { in.Nodes[0].Name, in.Nodes[30].Name = "", "" }, 29, "2 nodes without a name"},
		{"a node is in flight for a misspelt method", thirty(t, budget.Budget{Nodes: "1"}), func(in *disruptkit.Input) {
			in.Nodes[0].Leaving, in.Nodes[0].DisruptedFor = candidate.Draining, "Driftd"
		}, 1, `1 node, such as n-00 for "Driftd"`},
	} {
		t.Run(row.name, func(t *testing.T) {
			in := row.in
			if row.change != nil {
				row.change(&in)
			}
			d := disruptkit.Decide(in, "Drifted")
			if len(d.Allowed) != row.allowed {
				t.Errorf("%d are allowed, want %d", len(d.Allowed), row.allowed)
			}
			var texts []string
			for _, w := range d.Warnings {
				texts = append(texts, w.Error())
			}
			if all := strings.Join(texts, "\n"); !strings.Contains(all, row.says) || row.says == "" && all != "" && !strings.Contains(all, "no end") {
				t.Errorf("warnings:\n%s\nwant %s", all, row.says)
			}
			agreesWithNaive(t, in, "Drifted")
		})
	}
}

// Whoever writes "drifted" may mean any reason, and so its node is a candidate of each decision.
func TestAReasonThatNobodyCanKnowIsBlockedAndWarnedOf(t *testing.T) {
	for asked, listed := range map[candidate.Reason]bool{"Drifted": true, "Empty": true, "": true} {
		for _, written := range []candidate.Reason{"drifted", "Driftes", "Driftes/AMIDrift"} {
			in := thirty(t, budget.Budget{Nodes: "100%"})
			in.Nodes[0].Conditions[0].Reason = written
			d := disruptkit.Decide(in, asked)
			found := false
			for _, c := range d.Blocked {
				found = found || c.Node == "n-00" && c.Reason == written && c.Blockers[0].Code == candidate.CodeUnknownReason
			}
			warned := strings.Contains(fmt.Sprint(d.Warnings), fmt.Sprintf("reason %q is unknown", written))
			if found != listed || !warned {
				t.Errorf("%q of %q: blocked %t, warned %t: %v", written, asked, found, warned, d.Warnings)
			}
			agreesWithNaive(t, in, asked)
		}
	}
	in := thirty(t, budget.Budget{Nodes: "100%"})
	in.Nodes[0].Conditions[0].Reason = "Drift" // is known to mean Drifted
	if d := disruptkit.Decide(in, "Empty"); len(d.Blocked) > 0 || len(d.Warnings) > 0 {
		t.Errorf("%v %v", d.Blocked, d.Warnings)
	}
	if d := disruptkit.Decide(in, "Drifted"); len(d.Blocked) != 1 || !strings.Contains(d.Blocked[0].Blockers[0].Message, "write Drifted") {
		t.Errorf("%v", d.Blocked)
	}
	if d := disruptkit.Decide(thirty(t, budget.Budget{Nodes: "100%"}), "Drifted/AMIDrfit"); len(d.Allowed) > 0 || !strings.Contains(fmt.Sprint(d.Warnings), `one letter from it`) {
		t.Errorf("%v", d.Warnings)
	}
}

// TestAMisspeltNameDisruptsNoMoreNodesWithoutAWarning changes one letter of one name, and compares the two decisions: the nodes allowed
// with the misspelt name are allowed without it as well, or a warning has one of the two names.
//
// A name is what refers to something else in the input, or what is referred to: reasons, topology keys and the keys of nodes' labels, pools,
// calendars. What the law does not cover:
//
//   - a change that makes another name of the input, such as pool-0 for pool-1, or a name of one letter: nobody can know that it is wrong;
//   - the values of labels, and all of pods, PodDisruptionBudgets and their selectors: they are facts of the cluster, and none has to match;
//   - the names of nodes, groups, probes and pauses, which only identify them, and Node.Replaces, since the node that it names is gone;
//   - the memory, which people do not write. What it costs to lose it is in the doc of disruptkit.Memory;
//   - the selector of the nodes with which waves begin (budget.Rollout.From), which sets which nodes are first, not how many;
//   - budgets and nodes that say so: topology.Options.LabelOptional.
func TestAMisspeltNameDisruptsNoMoreNodesWithoutAWarning(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := testkit.Arbitrary(withNames).Draw(t, "input")
		asked := testkit.Arbitrary(generate.Asked).Draw(t, "asked")
		text, err := record.Marshal(in)
		if err != nil {
			t.Skip(err)
		}
		tree := decoded(t, text)
		names := append(namesIn(tree, ""), name{at: "asked", text: string(asked), set: func(s string) { asked = candidate.Reason(s) }})
		names = slices.DeleteFunc(names, func(n name) bool { return len(n.text) < 2 })
		if len(names) == 0 {
			t.Skip("no names")
		}
		before := disruptkit.Decide(reread(t, tree), asked)
		one := rapid.SampledFrom(names).Draw(t, "name")
		wrong := misspelt(t, one.text)
		if bytes.Contains(text, []byte(`"`+wrong+`"`)) || wrong == string(asked) {
			t.Skip("another name")
		}
		one.set(wrong)
		changed := reread(t, tree)
		after := disruptkit.Decide(changed, asked)
		if !bytes.Contains(text, []byte(`"calendars"`)) { // which package naive does not know
			agreesWithNaive(t, changed, asked)
		}
		allowed := map[string]bool{}
		for _, c := range before.Allowed {
			allowed[c.Node] = true
		}
		warned := slices.ContainsFunc(after.Warnings, func(w candidate.Warning) bool {
			quotes := func(name string) bool { return w.Value == name || strings.Contains(w.Message, strconv.Quote(name)) }
			return quotes(wrong) || quotes(one.text)
		})
		for _, c := range after.Allowed {
			if !allowed[c.Node] && !warned {
				t.Fatalf("%s of %s: %q instead of %q allows %s of %s for %s, with the warnings %v", one.at, asked, wrong, one.text, c.Node, c.Pool, c.Reason, after.Warnings)
			}
		}
	})
}

// withNames generates inputs of all kinds. Some budgets have a calendar.
func withNames(s generate.Source) disruptkit.Input {
	kinds := []func(generate.Source) disruptkit.Input{generate.Input, generate.Grouped, generate.GroupedInZones, generate.Waiting,
		generate.WaitingInZones, generate.GroupedWaiting, generate.Paced, generate.Dated, generate.Waved, generate.Soaked}
	in := kinds[s(len(kinds))](s)
	for i := range in.Pools {
		spec := in.Pools[i].Budgets.Spec()
		if len(spec.Budgets) == 0 || s(3) > 0 {
			continue
		}
		always := schedule.MustParse("0 0 * * *", 24*time.Hour, "")
		spec.Calendars = map[string]schedule.Window{"holidays": always, "freeze": always}
		spec.Budgets[0] = budget.Budget{Nodes: []string{"0", "1", "50%"}[s(3)], Calendar: []string{"holidays", "freeze"}[s(2)], Outside: s(2) > 0}
		in.Pools[i].Budgets, _ = spec.Compile()
	}
	return in
}

// misspelt changes one letter: it is another one, missing, doubled, or swapped with the next.
func misspelt(t *rapid.T, text string) string {
	letters := []rune(text)
	at := rapid.IntRange(0, len(letters)-2).Draw(t, "letter")
	switch rapid.SampledFrom([]string{"another", "missing", "doubled", "swapped"}).Draw(t, "how") {
	case "another":
		letters[at] = rapid.SampledFrom([]rune("aeinrstE7")).Draw(t, "by")
	case "missing":
		letters = slices.Delete(letters, at, at+1)
	case "doubled":
		letters = slices.Insert(letters, at, letters[at])
	default:
		letters[at], letters[at+1] = letters[at+1], letters[at]
	}
	return string(letters)
}

// A name is one in the JSON of an input.
type name struct {
	at, text string
	set      func(string)
}

// String has rapid print it.
func (n name) String() string { return fmt.Sprintf("%s %q", n.at, n.text) }

// namesIn returns the names in a JSON, in order. The place is that of the value itself.
func namesIn(value any, place string) (all []name) {
	field := place[strings.LastIndex(place, ".")+1:]
	switch value := value.(type) {
	case []any:
		for i, one := range value {
			text, isText := one.(string)
			if isText && slices.Contains([]string{"reasons", "pools"}, field) {
				all = append(all, name{place, text, func(s string) { value[i] = s }})
			}
			all = append(all, namesIn(one, place)...)
		}
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(value)) {
			at := place + "." + key
			if slices.Contains([]string{".memory", ".rules", ".nodes.pods"}, at) {
				continue
			}
			if place == ".nodes.labels" || strings.HasSuffix(place, ".calendars") {
				all = append(all, name{place, key, func(s string) {
					value[s] = value[key]
					delete(value, key)
				}})
				continue
			}
			if text, isText := value[key].(string); isText && isName(at, key) {
				all = append(all, name{at, text, func(s string) { value[key] = s }})
			}
			all = append(all, namesIn(value[key], at)...)
		}
	}
	return all
}

func isName(at, key string) bool {
	return slices.Contains([]string{"reason", "topologyKey", "calendar", "pool", "disruptedFor"}, key) || at == ".pools.name"
}

func decoded(t *rapid.T, text []byte) (tree any) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	if err := decoder.Decode(&tree); err != nil {
		t.Fatal(err)
	}
	return tree
}

func reread(t *rapid.T, tree any) disruptkit.Input {
	text, err := json.Marshal(tree)
	if err != nil {
		t.Fatal(err)
	}
	in, err := record.Unmarshal(text)
	if err != nil {
		t.Skip(err)
	}
	return in
}

// All numbers and durations that a decision reads. A negative one is no 0: it never allows a node that is blocked without it, and is
// reported.
func TestANegativeNumberOrDurationIsReportedAndAllowsNothing(t *testing.T) {
	const reason = candidate.Unhealthy
	spec := func(change func(*budget.Spec)) func(*disruptkit.Input) {
		return func(in *disruptkit.Input) {
			s := budget.Spec{Budgets: []budget.Budget{}, Methods: nil}
			change(&s)
			in.Pools[0].Budgets, _ = s.Compile()
		}
	}
	list := func(b budget.Budget) func(*disruptkit.Input) {
		return spec(func(s *budget.Spec) { s.Budgets = []budget.Budget{b} })
	}
	breaks := func(b interface {
		Verdict([]time.Time, time.Time) probe.Verdict
	}) func(*disruptkit.Input) {
		return func(in *disruptkit.Input) { in.Verdicts = []probe.Verdict{b.Verdict(nil, in.Now)} }
	}
	group := func(o topology.Options) func(*disruptkit.Input) {
		return func(in *disruptkit.Input) {
			set, _ := budget.Compile([]budget.Budget{})
			in.Groups = []disruptkit.Group{{Name: "all", Pools: []string{"default"}, Budgets: set, Topology: o}}
		}
	}
	negative := -time.Minute
	for name, change := range map[string]func(*disruptkit.Input){
		"Pool.Desired":            func(in *disruptkit.Input) { in.Pools[0].Desired = -1 },
		"Pool.Topology.Patience":  func(in *disruptkit.Input) { in.Pools[0].Topology.Patience = negative },
		"Pool.Topology.Soak":      func(in *disruptkit.Input) { in.Pools[0].Topology.Soak = negative },
		"Group.Topology.Patience": group(topology.Options{Patience: negative}),
		"Group.Topology.Soak":     group(topology.Options{Soak: negative}),
		"Budget.Nodes":            list(budget.Budget{Nodes: "-1"}),
		"Budget.Nodes in percent": list(budget.Budget{Nodes: "-10%"}),
		"Budget.Duration":         list(budget.Budget{Nodes: "5", Schedule: "* * * * *", Duration: "-1h"}),
		"Budget.Per":              list(budget.Budget{Nodes: "5", Per: "-1h"}),
		"Budget.Soak":             list(budget.Budget{Nodes: "5", Soak: "-1h"}),
		"Control.DisruptAfter":    spec(func(s *budget.Spec) { s.Defaults.DisruptAfter = "-1h" }),
		"Control.MinAge":          spec(func(s *budget.Spec) { s.Defaults.MinAge = "-1h" }),
		"Control.Rollout.Waves":   spec(func(s *budget.Spec) { s.Drift.Rollout = &budget.Rollout{Waves: []string{"-1"}} }),
		"Control.Rollout.Bake":    spec(func(s *budget.Spec) { s.Drift.Rollout = &budget.Rollout{Waves: []string{"5"}, Bake: "-1h"} }),
		"Control.Deadline":        spec(func(s *budget.Spec) { s.Budgets, s.Defaults.Deadline = []budget.Budget{{Nodes: "0"}}, "-1h" }),
		"Condition.Bound":         func(in *disruptkit.Input) { in.Nodes[0].Conditions[0].Bound = &negative },
		"Pod.Terms.Protect": func(in *disruptkit.Input) {
			in.Nodes[0].Pods = []candidate.Pod{{Name: "p", Terms: candidate.Terms{Protect: negative}}}
		},
		"PDB.DisruptionsAllowed": func(in *disruptkit.Input) {
			in.Rules, _ = candidate.CompileRules([]candidate.PDB{{Selector: &candidate.Selector{}, DisruptionsAllowed: -1}}, nil)
			in.Nodes[0].Pods = []candidate.Pod{{Name: "p"}}
		},
		"breaker.ScaleDown.MoreThan": breaks(breaker.ScaleDown{MoreThan: -1, Within: time.Hour}),
		"breaker.ScaleDown.Within":   breaks(breaker.ScaleDown{MoreThan: 5, Within: negative}),
		"breaker.ScaleDown.CoolDown": breaks(breaker.ScaleDown{MoreThan: 5, Within: time.Hour, CoolDown: negative}),
		"breaker.Replacement.CoolDown": func(in *disruptkit.Input) {
			in.Verdicts = []probe.Verdict{breaker.Replacement{Failures: 1, Of: 1, CoolDown: negative}.Verdict(nil, in.Now)}
		},
		"repair.Breaker.Percent": func(in *disruptkit.Input) {
			if b, blocked := (repair.Breaker{Percent: -1}).Blocker(10, 0); blocked {
				in.Nodes[0].Blockers = []candidate.Blocker{b}
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			in := disruptkit.Input{Now: fixture.Noon, Pools: []disruptkit.Pool{fixture.Pool(t)}, Nodes: []candidate.Node{fixture.Wanted("a", fixture.Noon, candidate.Drifted)}}
			in.Pools[0].Budgets, _ = budget.Compile([]budget.Budget{})
			if name == "Condition.Bound" {
				in.Nodes[0].Conditions[0].Reason = reason
			}
			if d := disruptkit.Decide(in, ""); len(d.Allowed) != 1 {
				t.Fatal(fixture.Story(d))
			}
			change(&in)
			d := disruptkit.Decide(in, "")
			if len(d.Allowed) > 0 {
				t.Errorf("the node is allowed, with warnings %v", d.Warnings)
			}
			warned := slices.ContainsFunc(d.Warnings, func(w candidate.Warning) bool { return w.Message != "" })
			explained := len(d.Blocked) > 0 && len(d.Blocked[0].Blockers) > 0 && d.Blocked[0].Blockers[0].Code != candidate.CodeAllowsNone
			if !warned && !explained && name != "PDB.DisruptionsAllowed" { // a PDB's status may be below 0
				t.Errorf("nothing says what is wrong: %s", fixture.Story(d))
			}
		})
	}
	if blockers := candidate.NodeGate(&candidate.Node{Name: "a", Pool: "p", Phase: candidate.Running}, candidate.Condition{Reason: candidate.Drifted}, candidate.Minimum{Held: negative}, fixture.Noon); len(blockers) != 1 {
		t.Errorf("a negative Minimum: %v", blockers)
	}
	if set, err := repair.Compile([]repair.Policy{{ConditionType: "Ready", ConditionStatus: "False", TolerationDuration: negative, Action: repair.Replace}}); err == nil {
		t.Errorf("a negative TolerationDuration: %v", set)
	}
	if set, err := repair.Compile([]repair.Policy{{ConditionType: "Ready", ConditionStatus: "False", TerminationGracePeriod: &negative, Action: repair.Replace}}); err == nil {
		t.Errorf("a negative TerminationGracePeriod: %v", set)
	}
}

func TestNegativesBlockAsInTheNaiveDecision(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := testkit.Arbitrary(generate.Grouped).Draw(t, "input")
		durations := rapid.SampledFrom([]time.Duration{-time.Hour, -2, topology.NoPatience, 0, time.Hour})
		for i := range in.Pools {
			in.Pools[i].Desired = rapid.IntRange(-1, 3).Draw(t, "desired")
			in.Pools[i].Topology.Patience, in.Pools[i].Topology.Soak = durations.Draw(t, "patience"), durations.Draw(t, "soak")
		}
		for i := range in.Groups {
			in.Groups[i].Topology.Patience, in.Groups[i].Topology.Soak = durations.Draw(t, "patience"), durations.Draw(t, "soak")
		}
		for i := range in.Nodes {
			for j := range in.Nodes[i].Conditions {
				bound := durations.Draw(t, "bound")
				in.Nodes[i].Conditions[j].Bound = &bound
			}
			for j := range in.Nodes[i].Pods {
				in.Nodes[i].Pods[j].Terms.Protect = durations.Draw(t, "protect")
			}
		}
		agreesWithNaive(t, in, testkit.Arbitrary(generate.Asked).Draw(t, "asked"))
	})
}

// Whatever a node does: if its phase is unknown, it is blocked, and no other node is allowed that would be blocked if the phase were known.
func TestAnUnknownPhaseWidensNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := testkit.Arbitrary(generate.Unzoned).Draw(t, "input")
		if len(in.Nodes) == 0 {
			return
		}
		i := rapid.IntRange(0, len(in.Nodes)-1).Draw(t, "node")
		in.Nodes = slices.Clone(in.Nodes)
		in.Nodes[i].Conditions = nil // a node that would go competes with others
		known := len(disruptkit.Decide(in, "").Allowed)
		in.Nodes[i].Phase = 0
		if unknown := len(disruptkit.Decide(in, "").Allowed); unknown > known {
			t.Fatalf("%d nodes are disrupted, and %d while the phase of %s is unknown", known, unknown, in.Nodes[i].Name)
		}
	})
}

func TestPhasesAreNamed(t *testing.T) {
	got := fmt.Sprint(candidate.Launched, candidate.Registered, candidate.Running, candidate.NotReady, candidate.Phase(0), candidate.Phase(9),
		candidate.Staying, candidate.Draining, candidate.Terminating, candidate.Leaving(9))
	if want := "Launched Registered Running NotReady Phase(0) Phase(9) Staying Draining Terminating Leaving(9)"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// Nobody knows whether b1 is in flight. So zone a waits, and no two zones roll at once.
func TestANodeOfUnknownPhaseMayRoll(t *testing.T) {
	for _, c := range []struct {
		phase candidate.Phase
		want  string
	}{{candidate.Running, "a1"}, {0, ""}, {9, ""}} {
		in := disruptkit.Input{Now: fixture.Noon, Pools: []disruptkit.Pool{fixture.Pool(t, fixture.Sequential("1"))}, Nodes: []candidate.Node{
			fixture.Wanted("a1", fixture.Noon, candidate.Drifted), {Name: "b1", Pool: "default", Phase: c.phase},
		}}
		for i := range in.Nodes {
			in.Nodes[i].Labels = map[string]string{"topology.kubernetes.io/zone": in.Nodes[i].Name[:1]}
		}
		if got := strings.Join(fixture.Allowed(disruptkit.Decide(in, candidate.Drifted)), " "); got != c.want {
			t.Errorf("where b1 is %s, %q goes, want %q", c.phase, got, c.want)
		}
	}
}

// A block scalar ends in a line break, and a name may be anything where nobody checks it. What people read must stay on its line,
// and must not give orders to their terminals.
func TestWhateverThingsAreCalledSentencesAreOneLine(t *testing.T) {
	odd := func(name string) string { return name + "\t\x1b[31m\u202e\n" }
	const zone = "topology.kubernetes.io/zone"
	parser := kube.Parser{}
	terms, _ := parser.Terms("", "", map[string]string{kube.DoNotDisruptAnnotation: "4h"})
	pods := []candidate.Pod{
		{Namespace: odd("team"), Name: odd("web"), Terms: terms, Labels: map[string]string{"app": "web"}},
		{Namespace: odd("team"), Name: odd("search"), Labels: map[string]string{"app": "two"}},
	}
	selector := func(app string) *candidate.Selector {
		return &candidate.Selector{MatchLabels: map[string]string{"app": app}}
	}
	rules, ruleErr := candidate.CompileRules([]candidate.PDB{
		{Namespace: odd("team"), Name: odd("one"), Selector: selector("two"), DisruptionsAllowed: 1},
		{Namespace: odd("team"), Name: odd("two"), Selector: selector("two"), DisruptionsAllowed: 1},
		{Namespace: odd("team"), Name: odd("none"), Selector: selector("web")},
		{Namespace: odd("broken"), Name: odd("broken"), Selector: selector(odd("value"))},
	}, []candidate.PodSchedule{{Name: odd("nights"), Selector: &candidate.Selector{}, Schedule: "0 2 * * *\n", Duration: "1h"}})
	budgets, err := budget.Compile([]budget.Budget{
		{Nodes: "1", Schedule: "0 9 * * mon-fri\n", Duration: "8h"},
		{Nodes: "1", TopologyKey: zone, Sequential: true, Reasons: []candidate.Reason{"Drifted"}},
		{Nodes: odd("5"), Reasons: []candidate.Reason{candidate.Reason(odd("Empty"))}, Schedule: odd("@daily"), Duration: odd("1h"), TimeZone: odd("UTC"), TopologyKey: odd("zone")},
	})
	if err == nil || ruleErr == nil {
		t.Fatal(err, ruleErr)
	}
	sound, err := budget.Compile([]budget.Budget{
		{Nodes: "1", Schedule: "0 9 * * mon-fri\n", Duration: "8h"}, {Nodes: "0", Schedule: "0 0 * * *\n", Duration: "1m"},
		{Nodes: "1", TopologyKey: zone, Sequential: true, Reasons: []candidate.Reason{"Drifted"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	var nodes []candidate.Node
	for _, pool := range []string{"broken", "sound"} {
		for i, name := range []string{"a", "b", "c", "d"} {
			nodes = append(nodes, candidate.Node{
				Name: odd(pool + name), Pool: odd(pool), Phase: []candidate.Phase{3: candidate.NotReady, 2: candidate.Running, 1: candidate.Running, 0: candidate.Running}[i], Pods: pods[:i%3], Labels: map[string]string{zone: odd(string(name[0] / 2 * 2))},
				Leaving: []candidate.Leaving{3: candidate.Staying, 2: candidate.Draining}[i], DisruptedFor: candidate.Reason(odd("Empty")), Conditions: []candidate.Condition{{Reason: "Drifted", Since: fixture.Noon.Add(-time.Hour)}},
			})
		}
	}
	nodes = append(nodes, nodes[0])
	pauses := []probe.Pause{{By: odd("alice"), Why: odd("INC"), Key: zone, Domains: []string{odd("1")}}, {Key: odd("key"), Pools: []probe.PoolSelector{probe.PoolSelector(odd("pool"))}},
		{Reasons: []candidate.Reason{candidate.Reason(odd("typo"))}, Key: zone, Domains: []string{odd("2")}}}
	in := disruptkit.Input{Now: fixture.Noon, Nodes: nodes, Rules: rules, Pauses: pauses, Pools: []disruptkit.Pool{
		{Name: odd("broken"), Budgets: budgets}, {Name: odd("sound"), Budgets: sound,
			Verdicts: []probe.Verdict{{Probe: odd("health"), Allowed: true, Denied: []probe.Denial{{Reason: "Empty", Pools: []probe.PoolSelector{probe.PoolSelector(odd("sound"))}}}}}},
	}}
	var sentences []string
	for _, reason := range []candidate.Reason{"Drifted", "Empty", candidate.Reason(odd("typo"))} {
		d := disruptkit.Decide(in, reason)
		for _, c := range d.Blocked {
			for _, b := range c.Blockers {
				sentences = append(sentences, b.String())
			}
		}
		for _, w := range d.Warnings {
			sentences = append(sentences, w.Error())
		}
		for _, p := range d.Pools {
			for _, b := range p.Blockers {
				sentences = append(sentences, b.String())
			}
		}
		earlier := report.Report{At: fixture.Noon.Add(-time.Minute), Pools: []report.PoolStatus{
			{Pool: odd("sound"), Reasons: []report.ReasonStatus{{Reason: reason, Allowed: 5}}}}}
		now := report.Summarize(earlier, in, d)
		for _, e := range now.Events {
			sentences = append(sentences, e.Message)
		}
		for _, n := range now.Nodes {
			for _, c := range n.Conditions {
				sentences = append(sentences, c.Message)
			}
		}
	}
	for _, set := range []budget.Set{budgets, sound} {
		for _, f := range lint.Run(set, fixture.Noon, lint.Facts{Nodes: 100}) {
			sentences = append(sentences, f.String())
		}
	}
	for _, w := range rules.Warnings() {
		sentences = append(sentences, w.Error())
	}
	if len(sentences) < 30 {
		t.Errorf("%d sentences", len(sentences))
	}
	for _, s := range sentences {
		if strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) }) {
			t.Errorf("%q", s)
		}
	}
}

// The same objects, decided by both: what only disruptkit knows has no effect in Karpenter's dialect.
func TestDecideInKarpentersDialect(t *testing.T) {
	const zone = "topology.kubernetes.io/zone"
	noon := time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)
	node := func(name, in string, reason candidate.Reason) candidate.Node {
		return candidate.Node{
			Name: name, Pool: "default", Labels: map[string]string{zone: in}, Phase: candidate.Running, Conditions: []candidate.Condition{{Reason: reason, Since: noon.Add(-time.Hour)}},
		}
	}
	pool := func(budgets ...budget.Budget) disruptkit.Pool {
		set, _ := budget.Compile(append([]budget.Budget{}, budgets...))
		return disruptkit.Pool{Name: "default", Budgets: set}
	}
	denied := []probe.Verdict{{Probe: "slo", Code: "no-answer"}}
	rolling := budget.Budget{Nodes: "2", TopologyKey: zone, Sequential: true}
	tests := []struct {
		name           string
		in             disruptkit.Input
		own, karpenter string // who may be disrupted
		noEffect       int    // warnings
	}{
		{"zones do not take turns", disruptkit.Input{
			Pools: []disruptkit.Pool{pool(rolling)}, Nodes: []candidate.Node{node("a", "a", "Drifted"), node("b", "b", "Drifted"), node("c", "c", "Drifted")},
		}, "a", "a b", 1},
		{"a probe of the pool is not asked", disruptkit.Input{
			Pools: []disruptkit.Pool{func() disruptkit.Pool { p := pool(); p.Verdicts = denied; return p }()}, Nodes: []candidate.Node{node("a", "a", "Drifted")},
		}, "", "a", 1},
		{"nor is one of the cluster", disruptkit.Input{
			Pools: []disruptkit.Pool{pool()}, Verdicts: denied, Nodes: []candidate.Node{node("a", "a", "Drifted")},
		}, "", "a", 1},
		{"the breaker of repair is Karpenter's own", disruptkit.Input{
			Pools: []disruptkit.Pool{func() disruptkit.Pool {
				p := pool()
				p.Verdicts = []probe.Verdict{{
					Probe: "repair", Allowed: true, Code: candidate.CodeTooManyUnhealthy, Denied: []probe.Denial{{Reason: candidate.Unhealthy}},
				}}
				return p
			}()},
			Nodes: []candidate.Node{node("a", "a", "Unhealthy"), node("b", "b", "Drifted")},
		}, "b", "b", 0},
		{"an expired node that reboots uses the place that it has", disruptkit.Input{
			Pools: []disruptkit.Pool{pool(budget.Budget{Nodes: "2"})},
			Nodes: []candidate.Node{node("b", "b", "Drifted"), func() candidate.Node {
				n := node("a", "a", "Expired")
				n.Rebooting, n.Conditions[0].Since = true, noon.Add(-2*time.Hour)
				return n
			}()},
		}, "b", "a b", 0},
		{"one that was never initialized uses none", disruptkit.Input{
			Pools: []disruptkit.Pool{pool(budget.Budget{Nodes: "1"})},
			Nodes: []candidate.Node{node("b", "b", "Drifted"), func() candidate.Node {
				n := node("a", "a", "Expired")
				n.Phase, n.Conditions[0].Since = candidate.Registered, noon.Add(-2*time.Hour)
				return n
			}()},
		}, "b", "a b", 0},
		{"nobody pauses", disruptkit.Input{
			Pools: []disruptkit.Pool{pool()}, Pauses: []probe.Pause{{By: "alice"}}, Nodes: []candidate.Node{node("a", "a", "Drifted")},
		}, "", "a", 1},
		{"nobody has a deadline", disruptkit.Input{
			Pools: []disruptkit.Pool{pool(budget.Budget{Nodes: "1"})},
			Nodes: []candidate.Node{node("a", "a", "Drifted"), func() candidate.Node {
				n := node("b", "b", "Drifted")
				n.Conditions[0].Deadline = noon
				return n
			}()},
		}, "b", "a", 1},
		{"nobody is overdue, and pods block nodes with a grace period", disruptkit.Input{
			Pools: []disruptkit.Pool{pool()},
			Nodes: []candidate.Node{func() candidate.Node {
				n := node("b", "b", "Empty")
				n.Conditions[0].Deadline, n.HasGracePeriod = noon, true
				n.Pods = []candidate.Pod{{Name: "p", Terms: candidate.Terms{Protect: candidate.Forever}}}
				return n
			}()},
		}, "b", "", 1},
		{"nobody is in maintenance", disruptkit.Input{
			Pools: []disruptkit.Pool{pool(budget.Budget{Nodes: "1"})},
			Nodes: []candidate.Node{func() candidate.Node {
				n := node("a", "a", "Drifted")
				kube.Maintain(&n, candidate.Maintenance{Condition: "Drained", Since: noon})
				return n
			}(), node("b", "b", "Drifted")},
		}, "", "a", 1},
		{"but what leaves for more than that leaves", disruptkit.Input{
			Pools: []disruptkit.Pool{pool(budget.Budget{Nodes: "1"})},
			Nodes: []candidate.Node{func() candidate.Node {
				n := node("a", "a", "Drifted")
				n.Leaving = candidate.Draining
				kube.Maintain(&n, candidate.Maintenance{Condition: "Drained", Since: noon})
				return n
			}(), node("b", "b", "Drifted")},
		}, "", "", 0},
		{"nobody backs off", disruptkit.Input{
			Pools: []disruptkit.Pool{pool()}, Nodes: []candidate.Node{node("a", "a", "Drifted")},
			Memory: map[string]disruptkit.Memory{"default": {Backoff: disruptkit.Backoff{Level: 1, Until: noon.Add(time.Minute)}, Starts: []disruptkit.Start{{Node: "gone", At: noon}}}},
		}, "", "a", 0},
		{"a PodDisruptionBudget that is not valid stops the cluster, nodes without pods included", disruptkit.Input{
			Pools: []disruptkit.Pool{pool()}, Nodes: []candidate.Node{node("a", "a", "Drifted")},
			Rules: func() candidate.Rules {
				broken := &candidate.Selector{MatchLabels: map[string]string{"a b": "c"}}
				rules, _ := candidate.CompileRules([]candidate.PDB{{Namespace: "elsewhere", Name: "pdb", Selector: broken}}, nil)
				return rules
			}(),
		}, "a", "", 0},
		{"children are their method", disruptkit.Input{
			Pools: []disruptkit.Pool{pool(budget.Budget{Nodes: "0", Reasons: []candidate.Reason{"Drifted/AMIDrift"}})},
			Nodes: []candidate.Node{node("a", "a", "Drifted/AMIDrift")},
		}, "", "a", 0},
		{"nodes of the same name are distinct", disruptkit.Input{
			Pools: []disruptkit.Pool{pool()}, Nodes: []candidate.Node{node("a", "a", "Drifted"), node("a", "b", "Drifted")},
		}, "", "a a", 0},
		{"an expired node is disrupted, whatever blocks it here", disruptkit.Input{
			Pools: []disruptkit.Pool{pool(budget.Budget{Nodes: "0"})},
			Nodes: []candidate.Node{func() candidate.Node {
				n := node("a", "a", "Expired")
				n.DoNotDisrupt, n.Phase, n.Pods = true, candidate.Launched, []candidate.Pod{{Name: "p", Terms: candidate.Terms{Protect: candidate.Forever}}}
				return n
			}()},
		}, "", "a", 0},
		{"and then uses up budgets", disruptkit.Input{
			Pools: []disruptkit.Pool{pool(budget.Budget{Nodes: "1"})},
			Nodes: []candidate.Node{node("a", "a", "Expired"), node("b", "b", "Drifted")},
		}, "a", "a", 0},
		{"but none that belongs to no pool", disruptkit.Input{
			Pools: []disruptkit.Pool{pool()}, Nodes: []candidate.Node{func() candidate.Node { n := node("a", "a", "Expired"); n.Pool = ""; return n }()},
		}, "", "", 0},
		{"but not twice", disruptkit.Input{
			Pools: []disruptkit.Pool{pool()}, Nodes: []candidate.Node{func() candidate.Node { n := node("a", "a", "Expired"); n.Leaving = candidate.Draining; return n }()},
		}, "", "", 0},
		{"a node that belongs to nobody has no limit", disruptkit.Input{
			Pools: []disruptkit.Pool{pool()}, Nodes: []candidate.Node{func() candidate.Node { n := node("a", "a", "Expired"); n.Pool = ""; return n }()},
		}, "", "", 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			for d, want := range map[dialect.Dialect]string{dialect.Disruptkit: test.own, dialect.Karpenter: test.karpenter} {
				in := test.in
				in.Now, in.Dialect = noon, d
				decision := disruptkit.Decide(in, "")
				var goes []string
				for _, c := range decision.Allowed {
					goes = append(goes, c.Node)
				}
				if got := strings.Join(goes, " "); got != want {
					t.Errorf("%s: %q may be disrupted, want %q: %v", d, got, want, decision.Blocked)
				}
				n := 0
				for _, w := range decision.Warnings {
					if w.Code == candidate.CodeNoEffect {
						n++
					}
				}
				if d == dialect.Karpenter && (n != test.noEffect || !maps.EqualFunc(decision.Memory, in.Memory, disruptkit.Memory.Equal)) {
					t.Errorf("%d warnings (%v), want %d; %v is remembered, and was %v", n, decision.Warnings, test.noEffect, decision.Memory, in.Memory)
				}
			}
		})
	}
}

// What only disruptkit knows changes no decision in Karpenter's dialect.
func TestWhatKarpenterDoesNotKnowChangesNothing(t *testing.T) {
	for name, c := range map[string]struct {
		inputs func(generate.Source) disruptkit.Input
		change func(disruptkit.Input) disruptkit.Input
	}{
		"missing nodes": {generate.Desired, func(in disruptkit.Input) disruptkit.Input { return wanting(in, 9) }},
		"groups":        {generate.Grouped, func(in disruptkit.Input) disruptkit.Input { in.Groups = nil; return in }},
		"minimum age":   {generate.Aged, withoutAges},
		"order":         {generate.Ordered, func(in disruptkit.Input) disruptkit.Input { return byAge(in, "") }},
	} {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				in, asked := testkit.Arbitrary(c.inputs).Draw(t, "input"), testkit.Arbitrary(generate.Asked).Draw(t, "asked")
				in.Dialect = dialect.Karpenter
				with, without := disruptkit.Decide(in, asked), disruptkit.Decide(c.change(in), asked)
				with.Warnings, without.Warnings = nil, nil // one of them says that it has no effect
				if diff := cmp.Diff(without, with, compiled, cmpopts.EquateEmpty()); diff != "" {
					t.Fatal(diff)
				}
			})
		})
	}
}

// In Karpenter's dialect the nodes of two pools may share a name: what is allowed of one pool is not in flight in the other.
func TestApplyTellsNodesOfOneNameApartByTheirPools(t *testing.T) {
	noon := time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)
	node := candidate.Node{Name: "a", Pool: "p", Phase: candidate.Running}
	drifted := node
	drifted.Conditions = []candidate.Condition{{Reason: candidate.Drifted, Since: noon.Add(-time.Hour)}}
	other := node
	other.Pool = "q"
	in := disruptkit.Input{
		Now: noon, Dialect: dialect.Karpenter, Pools: []disruptkit.Pool{{Name: "p"}, {Name: "q"}}, Nodes: []candidate.Node{drifted, other},
	}
	applied := in.Apply(disruptkit.Decide(in, candidate.Drifted)).Nodes
	if applied[0].Leaving != candidate.Draining || applied[0].DisruptedFor != candidate.Drifted || applied[1].Leaving == candidate.Draining {
		t.Errorf("in flight: %t in p, %t in q", applied[0].Leaving == candidate.Draining, applied[1].Leaving == candidate.Draining)
	}
}

// Karpenter reads what is wrong with a number of nodes only while the budget is active. So what blocks a node changes when its window ends,
// even if another budget allows none either.
func TestAFaultThatEndsIsAChangeInKarpentersDialect(t *testing.T) {
	noon := time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)
	set, _ := budget.Compile([]budget.Budget{{Nodes: "many", Schedule: "0 9 * * *", Duration: "8h"}, {Nodes: "0"}})
	in := disruptkit.Input{Now: noon, Dialect: dialect.Karpenter, Pools: []disruptkit.Pool{{Name: "p", Budgets: set}}, Nodes: []candidate.Node{
		{Name: "a", Pool: "p", Phase: candidate.Running, Conditions: []candidate.Condition{{Reason: candidate.Drifted, Since: noon}}},
	}}
	d := disruptkit.Decide(in, candidate.Drifted)
	if want := noon.Add(5 * time.Hour); !d.NextChange.Equal(want) {
		t.Errorf("the next change is at %v, want %v", d.NextChange, want)
	}
	before := d.Blocked[0].Blockers[0].Code
	in.Now = d.NextChange
	if d := disruptkit.Decide(in, candidate.Drifted); d.Blocked[0].Blockers[0].Code == before {
		t.Errorf("nothing changes: %v", d.Blocked)
	}
}

// The warning about nodes with another spelling does not depend on their order.
func TestOfSeveralSpellingsTheWarningNamesTheFirst(t *testing.T) {
	in := disruptkit.Input{Now: fixture.Noon, Pools: []disruptkit.Pool{fixture.Pool(t)}, Nodes: []candidate.Node{
		fixture.Wanted("a", fixture.Noon, "Drifted/AMIDrifts"), fixture.Wanted("b", fixture.Noon, "Drifted/AMIDrif")}}
	for range in.Nodes {
		found := false
		for _, w := range disruptkit.Decide(in, "Drifted/AMIDrift").Warnings {
			found = found || w.Field == "reason" && strings.Contains(w.Message, `"Drifted/AMIDrif"`)
		}
		if !found {
			t.Errorf("with %s first, no warning names Drifted/AMIDrif", in.Nodes[0].Name)
		}
		slices.Reverse(in.Nodes)
	}
}
