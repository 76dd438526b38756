package decide

import (
	"io"
	"strings"
	"testing"
	"time"

	"github.com/disruptkit/disruptkit/cmd/internal/command"

	"github.com/google/go-cmp/cmp"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/internal/tell"
	"github.com/disruptkit/disruptkit/cmd/manifest"
	"github.com/disruptkit/disruptkit/probe"
)

// "list nodes compactly but keep every node and every blocker findable"
func TestEveryCandidateAndEveryBlockerIsInTheTable(t *testing.T) {
	for _, args := range [][]string{nil, {"-f", "testdata/broken.yaml"}, {"-f", "testdata/probes.yaml"}, {"--now", "2026-11-20T23:30:00Z"}} {
		o, err := parseOptions(append([]string{"--engine", "disruptkit"}, args...))
		if err != nil {
			t.Fatal(err)
		}
		clusters, err := o.read(command.Environment{Stderr: io.Discard})
		if err != nil {
			t.Fatal(err)
		}
		a := decide(clusters[o.Policy.As], o)
		table := words(decided("", append(args, "-v")...).stdout)
		for _, d := range a.decisions {
			for _, c := range append(d.Allowed, d.Blocked...) {
				if !strings.Contains(table, c.Node) {
					t.Errorf("%s is not there", c.Node)
				}
				for _, b := range c.Blockers {
					if b.Code == candidate.CodeDeleting {
						continue // it is in flight, and listed with what holds it
					}
					text := string(b.Gate) + ": " + words(strings.TrimPrefix(b.Message, "pod "))
					if !strings.Contains(table, text) {
						t.Errorf("%v is not there", b)
					}
				}
			}
		}
	}
}

// words puts a text that was wrapped on one line.

// Karpenter expires nodes by the expireAfter of their NodeClaims, and asks no budget. Nothing in the input says that a node has expired.
func TestNoAnswerSaysThatNoNodeHasExpired(t *testing.T) {
	got := decided(`{"kind":"NodePool","metadata":{"name":"free"}}`+noOthers, "-f", "-", "--reason", "Expired", "--now", "2026-11-20T10:30:00Z").stdout
	if want := "Expired: no candidates, since the ages of nodes are not read\n"; !strings.Contains(got, want) {
		t.Errorf("%q is not in\n%s", want, got)
	}
}

// A reason may be misspelt, so an answer without candidates names its siblings.
func TestAReasonThatNoNodeHasNamesItsSiblings(t *testing.T) {
	for reason, want := range map[string]string{
		"Drifted/AMIDrif": "Drifted/AMIDrif: no candidates; there are some of Drifted/AMIDrift\n",
		"Drifted":         "Drifted: 0 may be disrupted now, 1 blocked\n",
		"Empty/AMIDrift":  "Empty/AMIDrift: no candidates\n",
		"Empty":           "Empty: no candidates\n",
	} {
		got := decided(`{"kind":"NodePool","metadata":{"name":"web"},"spec":{"disruption":{"budgets":[{"nodes":"0"}]}}}
			{"kind":"Node","metadata":{"name":"n","labels":{"karpenter.sh/nodepool":"web","karpenter.sh/initialized":"true"}},"spec":{"providerID":"n"}}
			{"kind":"NodeClaim","metadata":{"name":"n","labels":{"karpenter.sh/nodepool":"web"}},"status":{"nodeName":"n","providerID":"n","conditions":[
			{"type":"Drifted","status":"True","reason":"AMIDrift","lastTransitionTime":"2026-11-19T08:00:00Z"}]}}`+noOthers,
			"-f", "-", "--reason", reason, "--now", "2026-11-20T10:30:00Z").stdout
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in\n%s", want, got)
		}
	}
}

func TestUnlimitedPoolsAndEmptyClusters(t *testing.T) {
	got := decided(`{"kind":"NodePool","metadata":{"name":"free"}}`+noOthers, "-f", "-", "--reason", "Empty", "--now", "2026-11-20T10:30:00Z").stdout
	want := `For an autoscaler that embeds disruptkit (--engine disruptkit).
Friday 2026-11-20 10:30 UTC: 0 nodes in 1 NodePool, 0 in none

REASON  ALLOWED NOW  BLOCKED
Empty             0        0


Empty: no candidates
====================
POOL  NODES      LIMIT  IN USE       LEFT
free      0  unlimited       0  unlimited
`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestWhatBlocksAPoolIsUnderItsNumbers(t *testing.T) {
	now := time.Date(2026, 11, 20, 10, 30, 0, 0, time.UTC)
	drifted := func(pool string) candidate.Node {
		return candidate.Node{Name: "node of " + pool, Pool: pool, Phase: candidate.Running,
			Conditions: []candidate.Condition{{Reason: "Drifted/AMIDrift", Since: now}}}
	}
	denies := func(reason candidate.Reason, until time.Time) []probe.Verdict {
		return []probe.Verdict{{Probe: "health", Allowed: true, Denied: []probe.Denial{{Reason: reason, Until: until}}}}
	}
	own := []candidate.Blocker{{Gate: candidate.GateNode, Code: "unreadable", Message: "NodePool/p: what?"}}
	for _, test := range []struct {
		rule, want string
		pools      []disruptkit.Pool
	}{
		{"nothing", "p         1      1       0     1  budgets[0]: 10%\n", []disruptkit.Pool{{Name: "p"}}},
		{"a probe, with a time", "p         1      1       0     1  budgets[0]: 10%\n    probe: health: it denies Drifted; time alone lifts it Fri 12:30 (in 2h00m)\n",
			[]disruptkit.Pool{{Name: "p", Verdicts: denies(candidate.Drifted, now.Add(2*time.Hour))}}},
		{"a probe for a child alone", "p               1      1       0     1  budgets[0]: 10%\n  AMIDrift      1      1       0     1  budgets[0]: 10%\n    probe: health: it denies Drifted/AMIDrift\n",
			[]disruptkit.Pool{{Name: "p", Verdicts: denies("Drifted/AMIDrift", time.Time{})}}},
		{"a probe for another reason", "p         1      1       0     1  budgets[0]: 10%\n",
			[]disruptkit.Pool{{Name: "p", Verdicts: denies(candidate.Empty, time.Time{})}}},
		{"not what the pool says itself, which SET BY tells", "p         1      1       0     1  unreadable: the pool is blocked\n    probe: health: it denies Drifted\n",
			[]disruptkit.Pool{{Name: "p", Verdicts: denies(candidate.Drifted, time.Time{}), Blockers: own}}},
		{"what blocks all pools, of each", "p               1      1       0     1  budgets[0]: 10%\n    probe: health: it denies Drifted\n" +
			"  AMIDrift      1      1       0     1  budgets[0]: 10%\n    probe: health: it denies Drifted/AMIDrift\n" +
			"q               0      0       0     0  budgets[0]: 10%\n    probe: health: it denies Drifted\n",
			[]disruptkit.Pool{{Name: "p", Verdicts: append(denies(candidate.Drifted, time.Time{}), denies("Drifted/AMIDrift", time.Time{})...)},
				{Name: "q", Verdicts: denies(candidate.Drifted, time.Time{})}}},
		{"nothing of pools of the same name", "p         1      0       0     0  unreadable: the pool is blocked\n",
			[]disruptkit.Pool{{Name: "p", Verdicts: denies(candidate.Drifted, time.Time{}), Blockers: own}, {Name: "p", Blockers: own}}},
	} {
		t.Run(test.rule, func(t *testing.T) {
			in := disruptkit.Input{Now: now, Pools: test.pools, Nodes: []candidate.Node{drifted("p")}}
			var got strings.Builder
			if err := printTable(&got, answer{verbose: true, cluster: &manifest.Cluster{}, in: in, decisions: []disruptkit.Decision{disruptkit.Decide(in, candidate.Drifted)}}); err != nil {
				t.Fatal(err)
			}
			_, numbers, _ := strings.Cut(got.String(), "SET BY\n")
			numbers, _, _ = strings.Cut(numbers, "\n\n")
			if diff := cmp.Diff(test.want, numbers+"\n"); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestTimesAreUTCAndSeenFromNow(t *testing.T) {
	now := time.Date(2026, 11, 20, 10, 30, 0, 0, time.UTC)
	c := tell.Clock{Now: now}
	for _, test := range []struct{ rule, got, want string }{
		{"no end is nothing", c.Until(time.Time{}), ""},
		{"no start is unknown", c.Since(time.Time{}), "unknown"},
		{"seconds", c.Until(now.Add(45 * time.Second)), "Fri 10:30 (in 45s)"},
		{"minutes", c.Until(now.Add(5 * time.Minute)), "Fri 10:35 (in 5m)"},
		{"hours", c.Until(now.Add(6*time.Hour + 5*time.Minute)), "Fri 16:35 (in 6h05m)"},
		{"days", c.Since(now.Add(-52 * time.Hour)), "Wed 06:30 (2d4h ago)"},
		{"from a week on the date", c.Since(now.Add(-8 * 24 * time.Hour)), "2026-11-12 10:30 (8d0h ago)"},
		{"weeks", c.Until(now.Add(40 * 24 * time.Hour)), "2026-12-30 10:30 (in 40d)"},
		{"centuries", c.Until(time.Date(9998, 1, 2, 0, 0, 0, 0, time.UTC)), "9998-01-02 00:00"},
		{"another zone", c.Until(time.Date(2026, 11, 20, 18, 0, 0, 0, time.FixedZone("", 3600))), "Fri 17:00 (in 6h30m)"},
		{"a clock that is ahead", c.Since(now.Add(time.Minute)), "due Fri 10:31 (in 1m)"},
	} {
		if test.got != test.want {
			t.Errorf("%s: got %q, want %q", test.rule, test.got, test.want)
		}
	}
}

func TestTheHeadSaysHowManyWarningsThereAre(t *testing.T) {
	const invalid = `{"kind":"Pod","metadata":{"name":"%d","annotations":{"karpenter.sh/do-not-disrupt":"yes"}}}`
	one := strings.Replace(invalid, "%d", "a", 1)
	for _, test := range []struct{ rule, input, want string }{
		{"none", `{"kind":"NodePool","metadata":{"name":"p"}}`, "\nREASON"},
		{"one of what is ignored", one, "1 warning about the input on standard error\n"},
		{"two, and one is a fault", one + `{"kind":"NodePool","metadata":{"name":5}}`, "2 warnings about the input on standard error; the input is partly invalid\n"},
	} {
		got := decided(test.input+noOthers, "-f", "-").stdout
		_, after, _ := strings.Cut(got, "\n")
		if _, after, _ = strings.Cut(after, "\n"); !strings.HasPrefix(after, test.want) {
			t.Errorf("%s:\n%s", test.rule, got)
		}
	}
}

// A node that is Ready and runs a pod that cannot be read uses up no disruption; one that is not Ready does, for that.
func TestWhyANodeIsInUse(t *testing.T) {
	pod := `{"kind":"Pod","metadata":{"name":"x"},"spec":{"nodeName":"a1","priority":"high"}}`
	for _, test := range []struct{ rule, nodes, want string }{
		{"Ready", "a1", ""},
		{"not Ready", "a1?", "in use: not Ready since 2026-11-01 00:00"},
	} {
		_, got, _ := strings.Cut(decided(zonal(oneZone, "", test.nodes)+pod, "-f", "-").stdout, "IN USE, OR NOT COUNTED  POOL  WHY\na1                      p     ")
		if got, _, _ = strings.Cut(got, "\n"); got != test.want {
			t.Errorf("%s: got %q, want %q", test.rule, got, test.want)
		}
	}
}

func TestWhoDrainsANodeIsReported(t *testing.T) {
	_, cluster, _ := strings.Cut(marked, "---") // the NodePool does not matter
	cluster = strings.Replace("apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {name: p}\nspec: {disruption: {consolidateAfter: Never, budgets: [{nodes: 100%}]}}\n---"+cluster,
		"conditions: [{type: Ready", `conditions: [{type: DrainInProgress, status: "True", lastTransitionTime: 2026-11-20T10:00:00Z}, {type: Ready`, 1)
	cluster = strings.NewReplacer("WRITTEN", "", "HASH", `""`, "CONDITION", drift, "EXPIRE", "").Replace(cluster)
	const told = "its condition DrainInProgress is True since 2026-11-20T10:00:00Z"
	for _, test := range []struct {
		engine            string
		decides, why, may string
	}{
		{"disruptkit", "in use: " + told, "It is being disrupted: " + told, "do not stop it"},
		{"guard", "in use: " + told, "It is being disrupted: " + told, "do not stop it"},
		{"karpenter", "", "", "it may be disrupted now"},
	} {
		args := []string{"-f", "-", "--now", "2026-11-20T12:00:00Z", "--engine", test.engine}
		table := words(decided(cluster, args...).stdout)
		if !strings.Contains(table, test.decides) || test.decides == "" && strings.Contains(table, "DrainInProgress") {
			t.Errorf("decide --engine %s:\n%s", test.engine, table)
		}
		why := words(staysWith(cluster, append(args, "n")...).stdout)
		if !strings.Contains(why, test.why) || !strings.Contains(why, test.may) {
			t.Errorf("why --engine %s:\n%s", test.engine, why)
		}
	}
}

func words(text string) string { return strings.Join(strings.Fields(text), " ") }
