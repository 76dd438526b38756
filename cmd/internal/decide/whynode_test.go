package decide

import (
	"bytes"
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/disruptkit/disruptkit/cmd/golden"
	"github.com/disruptkit/disruptkit/cmd/internal/command"
)

func stays(args ...string) result { return staysWith("", args...) }

// staysWith asks why with something on standard input.
func staysWith(stdin string, args ...string) result {
	var stdout, stderr bytes.Buffer
	status := command.Run(context.Background(), command.Environment{Stdin: strings.NewReader(stdin), Stdout: &stdout, Stderr: &stderr}, WhyCommand, args)
	return result{stdout.String(), stderr.String(), status}
}

func TestWhyGolden(t *testing.T) {
	for _, test := range []struct {
		file   string
		args   []string
		status int
	}{
		{"why-held.txt", []string{"ip-10-0-108-90"}, faulty},
		{"why-zone.txt", []string{"ip-10-0-104-67", "--zone", "Europe/Berlin", "--engine", "disruptkit", "-f", rfcs, "--now", "2026-11-20T10:30:00Z"}, faulty},
		{"why-free.txt", []string{"ip-10-0-67-183"}, good},
		{"why-held.json", []string{"ip-10-0-108-90", "-o", "json", "--engine", "disruptkit", "-f", rfcs, "--now", "2026-11-20T10:30:00Z"}, faulty},
		{"why-free.json", []string{"ip-10-0-67-183", "-o", "json"}, good},
		{"why-follows.txt", []string{"gpu-2", "--engine", "guard", "-f", "testdata/units.yaml", "--now", "2026-11-20T10:30:00Z"}, good},
		{"why-blocked-by-its-unit.json", []string{"gpu-3", "--engine", "guard", "-f", "testdata/units.yaml", "--now", "2026-11-20T10:30:00Z", "-o", "json"}, faulty},
		{"why-dated.txt", []string{"n-3", "--engine", "disruptkit", "-f", "testdata/dated.yaml", "--now", "2026-11-20T10:30:00Z"}, faulty},
		{"why-nothing.txt", []string{"ip-10-0-66-174", "--reason", "drifted"}, good},
	} {
		got := stays(test.args...)
		if said := strings.TrimPrefix(got.stderr, "note: this is a bundled cluster; for your own, leave out --demo\n"); got.status != test.status || said != "" {
			t.Errorf("%v: status %d, %s", test.args, got.status, got.stderr)
		}
		golden.Check(t, test.file, got.stdout)
	}
}

func TestAnInstanceThatTerminatesDoesNotDrain(t *testing.T) {
	for node, want := range map[string]string{"a1!": "being disrupted: draining since Fri 10:00.", "a1^": "being disrupted: instance terminating."} {
		got := staysWith(zonal(`{"nodes":"1"}`, "", node), "a1", "-f", "-", "--engine", "karpenter", "--now", "2026-11-20T10:00:00Z")
		if !strings.Contains(got.stdout, want) {
			t.Errorf("%s: not %q:\n%s", node, want, got.stdout)
		}
	}
}

func TestANodeThatCannotBeTold(t *testing.T) {
	for _, test := range []struct {
		name string
		args []string
		want string
	}{
		{"none", nil, "name a node"},
		{"one that is not there", []string{"nope"}, `there is no node "nope" among the 54 of the input`},
		{"a part of several names", []string{"ip-10-0-10"}, `no node is called "ip-10-0-10", and it is a part of several names: `},
		{"a format that is not there", []string{"ip-10-0-108-90", "-o", "yaml"}, `-o "yaml" is unknown`},
		{"no nodes at all", []string{"a", "-f", "testdata/../../forecast/nodepool.yaml"}, `there is no node "a" among the 0 of the input: no Nodes were given`},
		{"an unknown flag", []string{"a", "-nope"}, "-nope"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := stays(test.args...); got.status != hopeless || !strings.Contains(got.stderr, test.want) {
				t.Errorf("%+v", got)
			}
		})
	}
}

// One cluster, in which a budget allows 5 of 40 nodes at once, and Karpenter starts one in each pass of a second: where drains are
// quick, passes take longest, and a larger budget does not help.
func TestWhatTakesLongestIsSaid(t *testing.T) {
	var names []string
	for i := range 40 {
		names = append(names, fmt.Sprintf("%c%d*", 'a'+i/10, i%10))
	}
	const raise, passes = "raise the budget", "until then mostly: Karpenter starts one drifted node in each pass, "
	for _, test := range []struct {
		name, more string
		durations  []string
		says       []string
		not        string
	}{
		{"passes", "", []string{"--drain", "1s", "--launch", "1s"}, []string{passes, "A larger budget would hardly help"}, raise},
		{"the budget", "", []string{"--drain", "3m", "--launch", "2m"}, []string{raise}, "mostly"},
		{"passes, with a node that is not Ready", " e0?", []string{"--drain", "1s", "--launch", "1s"}, []string{passes, "Repair e0."}, raise},
		{"the budget, with a node that is not Ready", " e0?", []string{"--drain", "3m", "--launch", "2m"}, []string{"Repair e0, wait for a0, a1, a2, a3, or " + raise}, "mostly"},
	} {
		cluster := zonal(`{"nodes":"5"}`, "", strings.Join(names, " ")+test.more)
		args := slices.Concat([]string{"d5", "-f", "-", "--engine", "karpenter", "--now", "2026-11-20T10:00:00Z"}, test.durations)
		text, json := staysWith(cluster, args...), staysWith(cluster, append(args, "-o", "json")...)
		for format, got := range map[string]string{"text": strings.Join(strings.Fields(text.stdout), " "), "JSON": json.stdout} {
			for _, want := range test.says {
				if !strings.Contains(got, want) {
					t.Errorf("%s: not %q in %s:\n%s%s", test.name, want, format, got, text.stderr)
				}
			}
			if strings.Contains(got, test.not) {
				t.Errorf("%s: %q in %s:\n%s", test.name, test.not, format, got)
			}
		}
	}
}

// freeze is open at 10:00, and after once that closes.
const (
	freeze = `{"nodes":"0","schedule":"0 9 * * *","duration":"8h"}`
	after  = `{"nodes":"1","schedule":"0 17 * * *","duration":"1h"}`
)

// The sentences about one node have to agree with each other, and with the plan.
func TestWhyIsTrueOfBudgets(t *testing.T) {
	for _, test := range []struct {
		rule, budgets, nodes string // asked of a1
		says, not            []string
	}{
		{"the limit after a window is used up", freeze + `,{"nodes":"1"}`, "a1* a2!", []string{
			"The limit is 0 until Fri 17:00 (in 7h00m), then 1. The limit after that is used up by a2 (draining since Fri 10:00).",
			"→ Wait for a2, or raise the limit after that.", "Expected Fri 20 Nov 17:00"}, []string{"no window"}},
		{"by a node that is not Ready", freeze + `,{"nodes":"1"}`, "a1* a2?", []string{"used up by a2 (not Ready since 2026-11-01 00:00).", "→ Repair a2"}, []string{"no window"}},
		{"up to another window", freeze + "," + after + `,{"nodes":"3"}`, "a1* a2!", []string{
			"The limit is 0 until Fri 17:00 (in 7h00m), then 1. Time alone lifts it Fri 18:00 (in 8h00m). The limit after that is used up by a2", "Expected Fri 20 Nov 17:00"}, nil},
		{"in part", freeze + `,{"nodes":"2"}`, "a1* a2!", []string{"Fri 17:00 (in 7h00m)."}, []string{"a2", "then 2"}},
		{"a slot may be free before a window ends", `{"nodes":"1","schedule":"0 9 * * *","duration":"8h"},{"nodes":"3"}`, "b1* a1*", []string{
			"It lifts when enough slots are free. Time alone lifts it Fri 17:00 (in 7h00m).", "Expected Fri 20 Nov 10:0"}, nil},
		{"or there is no such window", `{"nodes":"1"}`, "b1! a1*", []string{"It lifts when enough slots are free. Used up"}, []string{"ime alone", "No time"}},
		{"an allowed node uses up a budget", `{"nodes":"1"}`, "b1* a1*", []string{"Used up by b1 (allowed now).", "→ Wait for b1, or raise the budget."}, nil},
		{"next to one in flight", `{"nodes":"2"}`, "b1* b2! a1*", []string{"Used up by b2 (draining since Fri 10:00), b1 (allowed now).", "→ Wait for b1, b2, or raise the budget."}, nil},
		{"a node whose instance terminates does not", `{"nodes":"1"}`, "b1* b2^ a1*", []string{"→ Wait for b1, or raise the budget."}, []string{"b2"}},
		{"a budget of zones that is 0 for good", `{"nodes":"0","topologyKey":"` + zoneKey + `"}`, "a1* a2!", []string{"→ Change the budget"}, []string{"Wait for the window"}},
		{"a budget that is 0 for good", `{"nodes":"0"}`, "a1* a2!", []string{"No time is known at which it lifts. → Change the budget: no window of it opens by itself."}, []string{"The limit"}},
	} {
		for _, engine := range []string{"karpenter", "disruptkit"} {
			got := staysWith(zonal(test.budgets, "", test.nodes), "a1", "-f", "-", "--engine", engine, "--now", "2026-11-20T10:00:00Z")
			text := strings.Join(strings.Fields(got.stdout), " ")
			for _, want := range test.says {
				if !strings.Contains(text, want) {
					t.Errorf("%s, %s: not %q:\n%s%s", test.rule, engine, want, got.stdout, got.stderr)
				}
			}
			for _, not := range test.not {
				if strings.Contains(text, not) {
					t.Errorf("%s, %s: %q:\n%s", test.rule, engine, not, got.stdout)
				}
			}
		}
	}
}

// On one screen, the plan and the blockers agree on when a budget that is 0 may next allow the node.
func TestNoStartIsExpectedBeforeTheLimitRises(t *testing.T) {
	rises := regexp.MustCompile(`allows-none.*?(?:The limit is 0 until|Time alone lifts it) Fri (\d\d:\d\d)`)
	expected := regexp.MustCompile(`Expected Fri 20 Nov (\d\d:\d\d)`)
	compared := 0
	for _, budgets := range []string{
		freeze, freeze + `,{"nodes":"1"}`, freeze + "," + after, freeze + "," + after + `,{"nodes":"3"}`, freeze + `,{"nodes":"50%"}`,
		freeze + `,{"nodes":"0","schedule":"0 16 * * *","duration":"2h"},{"nodes":"1"}`, freeze + `,{"nodes":"1","topologyKey":"` + zoneKey + `"}`,
		freeze + `,{"nodes":"1","per":"1h"}`, freeze + `,{"nodes":"1","soak":"30m"}`, `{"nodes":"1"},{"nodes":"0","reasons":["Drifted"],"schedule":"30 9 * * *","duration":"45m"}`,
	} {
		for _, nodes := range []string{"a1*", "a1* a2!", "a2* a1*", "a1* a2^", "a1* a2?", "b1! a1* b2*", "a1* a2! a3~ a4"} {
			for _, engine := range []string{"karpenter", "guard", "disruptkit"} {
				got := staysWith(zonal(budgets, "", nodes), "a1", "-f", "-", "--engine", engine, "--now", "2026-11-20T10:00:00Z").stdout
				text := strings.Join(strings.Fields(got), " ")
				limit, start := rises.FindStringSubmatch(text), expected.FindStringSubmatch(text)
				if limit == nil {
					t.Errorf("%s, %s, %s:\n%s", budgets, nodes, engine, got)
				} else if start != nil {
					if compared++; start[1] < limit[1] {
						t.Errorf("%s, %s, %s:\n%s", budgets, nodes, engine, got)
					}
				}
			}
		}
	}
	if compared < 100 {
		t.Errorf("only %d have a start", compared)
	}
}
