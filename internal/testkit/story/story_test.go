package story_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
)

var updateScenarios = flag.Bool("update", false, "rewrite the outputs in testdata")

// The files are stories; testdata/README.md says how to read them.
func TestStories(t *testing.T) {
	paths, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(paths) == 0 {
		t.Fatal("no scenarios: ", err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txt"), func(t *testing.T) {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			s := newScenario()
			got, err := s.tellAll(path, string(text))
			if err != nil {
				t.Fatal(err)
			}
			writeCases(t, path, s.asked)
			if *updateScenarios {
				if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			} else if diff := gocmp.Diff(strings.Split(string(text), "\n"), strings.Split(got, "\n")); diff != "" {
				t.Errorf("%s (-want +got; go test ./internal/testkit/story -update rewrites it)\n%s", path, diff)
			}
		})
	}
}

const scenarioHealth = `{"host": "health.platform.svc", "port": 80}`

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
		{"a field of a budget that is none", start + "budgets\n" + `{"node": "1"}`, `f:3: spec.disruption: field "budgets": budget: field "node" is unknown: write "nodes"`},
		{"a disruption without JSON", start + "disruption", `f:3: write spec.disruption on the lines that follow, as JSON`},
		{"pods on no node", start + "pods web/api on", "f:3: which nodes?"},
		{"pods of no namespace", start + "pods api on a", `f:3: "api" is no workload: write pods web/api on a1 a2`},
		{"pods that are not there", start + "annotations web/api", `f:3: there are no pods "web/api"`},
		{"an annotation without quotes", start + "pods web/api on a\nannotations web/api\n  karpenter.sh/do-not-disrupt: true",
			`f:4: "karpenter.sh/do-not-disrupt: true" is no annotation`},
		{"an annotation that goes on", start + "pods web/api on a\nannotations web/api\n  karpenter.sh/do-not-disrupt: \"4h\" or so",
			`f:4: "karpenter.sh/do-not-disrupt: \"4h\" or so" is no annotation`},
		{"a PDB without a selector", start + "pdb web/api: maxUnavailable 1", `f:3: "web/api: maxUnavailable 1" is no PDB`},
		{"a PDB that goes on", start + "pdb web/api: maxUnavailable 1 of app=api or so", `f:3: "web/api: maxUnavailable 1 of app=api or so" is no PDB`},
		{"a field of a schedule that is none", start + "disruption schedule s\n" + `{"cron": "0 2 * * 6"}`, `f:3: the spec of s: json: unknown field "cron"`},
		{"a pod that starts again while it runs", start + "pods web/api on a\nrestart web/api-0 on a", `f:4: there is no evicted pod "web/api-0"`},
		{"a probe that there is not", start + "probe health answers 200", `f:3: there is no probe "health": write probe health, and its entry`},
		{"a probe without an entry", start + "cluster probe health", `f:3: "health" is not a probe`},
		{"two entries of one probe", start + "probe health\n{\"host\": \"h\", \"port\": 1}, {\"host\": \"h\", \"port\": 2}", `f:3: "health" is not a probe`},
		{"a probe of two names", start + "cluster probe health and so on\n" + scenarioHealth, `f:3: "health and so on" is not a probe`},
		{"a probe of a pool that there is not", start + "probe health of spot\n" + scenarioHealth, `f:3: there is no pool "spot"`},
		{"a probe that does what none does", start + "probe health\n" + scenarioHealth + "\nprobe health sings", `f:5: "sings" of probe health is not understood`},
		{"an answer without a status", start + "probe health\n" + scenarioHealth + "\nprobe health answers yes", `f:5: "yes" is no status`},
		{"an answer that comes too late", start + "probe health\n" + scenarioHealth + "\nprobe health answers 200\ndecide\nprobe health answers 503",
			"f:7: probe health has already been asked now: advance the clock"},
		{"a clock that is ahead by nothing", start + "probe health\n" + scenarioHealth + "\nprobe health is asked by a clock ahead by far", `f:5: time: invalid duration "far"`},
		{"a breaker without a cool-down", start + "replacement breaker: 2 of the last 5", `f:3: "2 of the last 5" is no breaker`},
		{"a breaker without a number", start + "scale-down breaker: more than a few within 10m, cool-down 1h", `f:3: "more than a few within 10m, cool-down 1h" is no breaker`},
		{"a breaker within no time", start + "scale-down breaker: more than 3 within minutes, cool-down 1h", `f:3: time: invalid duration "minutes"`},
		{"a failure of what nobody disrupts", start + "replacement failed a", `f:3: "a" is not in flight`},
		{"an old node that is given up", start + "given up a", `f:3: "a" has been Ready`},
		{"a label of no pool", start + "pool label team=search", `f:3: "team=search" is no label of a pool: write pool label key=value: default`},
		{"a drain of some nodes", start + "drain a", `f:3: "a" does not belong here: a drain is of all nodes in flight`},
		{"an end of no time", start + "watch until noon", `f:3: "noon" is not a time: write Mon 2026-11-23 09:00`},
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
	readme, err := os.ReadFile("testdata/README.md")
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
	return s.tellAll(path, text)
}

// tellAll is playScenario, for a scenario that has not begun.
func (s *scenario) tellAll(path, text string) (string, error) {
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
		for i+1 < len(lines) && (strings.HasPrefix(lines[i+1], "{") || strings.HasPrefix(lines[i+1], "  ")) {
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
