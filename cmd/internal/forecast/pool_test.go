package forecast

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/budget/lint"
	"github.com/disruptkit/disruptkit/cmd/internal/command"
	"github.com/disruptkit/disruptkit/cmd/manifest"
)

// poolsOf returns the pools of all test data, and the options they were forecast with.
func poolsOf(t *testing.T, args ...string) (o options, pools []*pool) {
	t.Helper()
	files, err := filepath.Glob("testdata/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	o, err = parseOptions(append(append([]string{"--engine", "disruptkit"}, args...), files...))
	if err != nil {
		t.Fatal(err)
	}
	in, err := read(o, command.Environment{})
	if err != nil {
		t.Fatal(err)
	}
	pools, err = forecastAll(o, in)
	if err != nil || len(pools) < 10 {
		t.Fatal(len(pools), err)
	}
	return o, pools
}

func TestTheJoinedTimelineIsWhatIsAllowed(t *testing.T) {
	for _, args := range [][]string{
		{"--from", "2026-10-20", "--to", "2026-11-05"},
		{"--from", "2026-10-20", "--to", "2026-11-05", "--most-specific", "--zone", "Australia/Lord_Howe"},
		{"--from", "2026-12-30T11:11:11Z", "--to", "2027-01-04T00:00:01Z", "--nodes", "7", "--reason", "Drift:AMIDrift,Emptiness,Expired"},
	} {
		o, pools := poolsOf(t, args...)
		for _, p := range pools {
			moments := p.joined()
			if first, last := moments[0].Start, moments[len(moments)-1].End; !first.Equal(o.from) || !last.Equal(o.to) {
				t.Errorf("%s: from %s to %s", p.Name, first, last)
			}
			for i, m := range moments {
				if i > 0 && (!m.Start.Equal(moments[i-1].End) || cmp.Equal(m.allowed, moments[i-1].allowed) && cmp.Equal(m.paces, moments[i-1].paces)) {
					t.Errorf("%s: %v comes after %v", p.Name, m, moments[i-1])
				}
				for _, at := range []time.Time{m.Start, m.Start.Add(m.End.Sub(m.Start) / 2), m.End.Add(-1)} {
					for _, reason := range p.reasons {
						if p.never(reason) != "" {
							if got := m.allowed[reason].Nodes; got != 0 {
								t.Errorf("%s: %s at %s: %d", p.Name, reason, at, got)
							}
						} else if want, _ := budget.AllowedByReason(p.budgets, at, o.Nodes, reason); m.allowed[reason] != want {
							t.Errorf("%s: %s at %s: %v, want %v", p.Name, reason, at, m.allowed[reason], want)
						}
					}
				}
			}
		}
	}
}

func TestReasons(t *testing.T) {
	for _, test := range []struct{ rule, disruption, flag, want string }{
		{"those that Karpenter asks budgets for", `{}`, "", "Drifted Empty Underutilized"},
		{"and those that budgets name", `{budgets: [{reasons: [Underutilized, "Drift:AMIDrift", Drift/B]}, {reasons: [Drifted/AMIDrift]}]}`, "", "Drifted Drifted/AMIDrift Drifted/B Empty Underutilized"},
		{"and Expired if a budget names it", `{budgets: [{reasons: [Expired]}]}`, "", "Drifted Empty Underutilized Expired"},
		{"and Unhealthy as well", `{budgets: [{reasons: [Unhealthy/Ready, Drifted]}, {reasons: [Unhealthy]}]}`, "", "Drifted Empty Underutilized Unhealthy/Ready Unhealthy"},
		{"or one that it has for a control", `{expiration: {disruptAfter: 1h}}`, "", "Drifted Empty Underutilized Expired"},
		{"and children in a control", `{emptiness: {budgets: [{reason: Foo}]}}`, "", "Drifted Empty Empty/Foo Underutilized"},
		{"but none that nobody knows", `{budgets: [{reasons: [drifted]}]}`, "", "Drifted Empty Underutilized"},
		{"those that were asked for", `{budgets: [{reasons: [Expired]}]}`, "Emptiness,Drift, Empty", "Empty Drifted"},
	} {
		t.Run(test.rule, func(t *testing.T) {
			o, err := parseOptions([]string{"--reason", test.flag, "-"})
			if err != nil {
				t.Fatal(err)
			}
			f, err := manifest.ReadPools("x", strings.NewReader("disruption: "+test.disruption))
			if err != nil {
				t.Fatal(err)
			}
			p, err := forecastOf(o, f.Pools[0], o.Nodes)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, r := range p.reasons {
				got = append(got, string(r))
			}
			if strings.Join(got, " ") != test.want {
				t.Errorf("got %v, want %s", got, test.want)
			}
		})
	}
}

func TestTheSpan(t *testing.T) {
	for _, test := range []struct{ rule, args, from, to string }{
		{"the bundled pool has a week of its own", "", "2026-11-23T00:00:00Z", "2026-11-30T00:00:00Z"},
		{"a date begins in the zone", "--from 2026-11-23 --zone Asia/Kolkata", "2026-11-23T00:00:00+05:30", "2026-11-30T00:00:00+05:30"},
		{"a week is one on the clock", "--from 2026-10-21 --zone Europe/Berlin", "2026-10-21T00:00:00+02:00", "2026-10-28T00:00:00+01:00"},
		{"times are shown in the zone", "--from 2026-11-23T22:30:00-03:00 --to 2026-11-24T02:00:00Z --zone Europe/Berlin", "2026-11-24T02:30:00+01:00", "2026-11-24T03:00:00+01:00"},
		{"a date may be the end", "--from 2026-11-23 --to 2026-11-24", "2026-11-23T00:00:00Z", "2026-11-24T00:00:00Z"},
	} {
		t.Run(test.rule, func(t *testing.T) {
			o, err := parseOptions(strings.Fields(test.args))
			if err != nil {
				t.Fatal(err)
			}
			if from, to := o.from.Format(time.RFC3339), o.to.Format(time.RFC3339); from != test.from || to != test.to {
				t.Errorf("got %s to %s", from, to)
			}
		})
	}
	o, err := parseOptions([]string{"-", "--zone", "America/New_York"})
	if err != nil {
		t.Fatal(err)
	}
	if age := time.Since(o.from); o.from.Hour() != 0 || age < 0 || age > 25*time.Hour {
		t.Errorf("the default starts at %s", o.from)
	}
}

func TestWindowsThatNeverOpenOrNeverCloseEnd(t *testing.T) {
	for _, budgets := range []string{
		`{nodes: "1", schedule: "* * * * *", duration: 1h}`, `{nodes: "1", schedule: "0 0 30 2 *", duration: 1h}`,
		`{nodes: "1", schedule: "0 0 29 2 *", duration: 2562047h}`, `{nodes: "1", schedule: "@daily", duration: 24h, outside: true}`,
	} {
		if got := forecasted("budgets: ["+budgets+"]", "-", "--from", "2026-11-23", "--to", "2036-11-20"); got.status == hopeless || got.stdout == "" {
			t.Errorf("%s: %+v", budgets, got)
		}
	}
}

func TestReasonsShareATableWhereTheSameHoldsForTheSameCause(t *testing.T) {
	const head = "kind: NodePool\nmetadata: {name: a}\nspec: "
	for _, test := range []struct {
		spec string
		want []string // in the order of the output
	}{
		{`{}`, []string{"Drifted, Empty, Underutilized\n"}},
		{`{replicas: 3}`, []string{"Drifted\n", "Empty, Underutilized: never, since the pool has replicas, a fixed number of nodes\n"}},
		{`{replicas: 3, disruption: {drift: {disruptAfter: Never}}}`, []string{"Drifted: never, since disruptAfter is Never\n", "Empty, Underutilized: never, since the pool has replicas"}},
		{`{disruption: {drift: {disruptAfter: 90m}}}`, []string{"Drifted, once the reason has held for 1h30m\n", "Empty, Underutilized\n"}},
		{`{disruption: {budgets: [{nodes: 5}, {nodes: 5, reasons: [Drifted]}]}}`, []string{"Drifted\n", "Empty, Underutilized\n"}},
	} {
		got := forecasted(head+test.spec, "-").stdout
		tables, glance, _ := strings.Cut(got, "A week at a glance")
		for _, want := range test.want {
			_, after, found := strings.Cut(tables, "\n\n"+want)
			if !found {
				t.Errorf("%s: %q is not in\n%s", test.spec, want, got)
			}
			tables = "\n\n" + after
		}
		if test.spec == `{disruption: {budgets: [{nodes: 5}, {nodes: 5, reasons: [Drifted]}]}}` && !strings.Contains(glance, "Drifted, Empty, Underutilized: 5 at all times") {
			t.Errorf("at a glance the cause does not matter:\n%s", glance)
		}
	}
}

// Not more nodes are assumed than a pool may have.
func TestAPoolHasAsManyNodesAsItMay(t *testing.T) {
	for limit, want := range map[string]string{"3": "It has 3 nodes at most (limits.nodes).", "100": "It has 100 nodes at most", "101": "It has 100 nodes, as is assumed"} {
		got := forecasted(`{"apiVersion": "karpenter.sh/v1", "kind": "NodePool", "metadata": {"name": "a"}, "spec": {"limits": {"nodes": `+limit+`}}}`, "--engine", "karpenter", "-").stdout
		if !strings.Contains(got, want) {
			t.Errorf("%s: %q is not in\n%s", limit, want, got)
		}
	}
}

// A fault that Karpenter and the guard both see is reported once; one that they see in different ways is reported twice.
func TestTheGuardTellsOnceWhatKarpenterSeesAsWell(t *testing.T) {
	for _, test := range []struct {
		rule, budget string
		want         []string
		advice       string // of the first
	}{
		{"broken for both", `"schedule": "0 0 * * sat-sun"`, []string{"invalid"}, `write "schedule": "0 0 * * sat,sun"`},
		{"broken for both, and for more reasons in Karpenter", `"schedule": "0 0 * * sat-sun", "reasons": ["Drifted"]`, []string{"invalid"}, `write "schedule": "0 0 * * sat,sun"`},
		{"a time zone, for which Karpenter's list has no field", `"schedule": "CRON_TZ=Europe/Berlin 0 9 * * *"`, []string{"invalid"}, `write "0 8 * * *", and other hours from Sun 2027-03-28 on`},
		{"a time zone for some reasons", `"schedule": "TZ=Asia/Tokyo 0 9 * * *", "reasons": ["Empty"]`, []string{"invalid"}, `write "0 0 * * *"`},
		{"a schedule for both, and a count for the guard alone", `"schedule": "0 25 * * *", "nodes": "3000000000"`, []string{"invalid", "invalid"}, `hour "25"`},
		{"always active in Karpenter, broken for the guard", `"schedule": "0 0 30 2 *"`, []string{lint.CodeNeverCloses, "never-fires"}, ""},
	} {
		stdin := `{"budgets": [{` + test.budget + `, "duration": "24h"` + strings.Repeat(`, "nodes": "0"`, 1-strings.Count(test.budget, "nodes")) + `}]}`
		var codes, advice []string
		for _, f := range answerOf(t, forecasted(stdin, "--engine", "guard", "-o", "json", "-")).Pools[0].Findings {
			if f.Severity == lint.SeverityError {
				text := ""
				if f.Advice != nil {
					text = *f.Advice
				}
				codes, advice = append(codes, f.Code), append(advice, text)
			}
		}
		if len(advice) > 0 && !strings.Contains(advice[0], test.advice) {
			t.Errorf("%s: %q", test.rule, advice)
		}
		if diff := cmp.Diff(test.want, codes); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", test.rule, diff)
		}
	}
}
