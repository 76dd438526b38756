package forecast

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
)

const noLimit = math.MaxInt

// allowedAt returns what a pool allows at a time, and which budgets say so.
func allowedAt(t *testing.T, p jsonPool, reason candidate.Reason, at time.Time) (nodes int, binding []int) {
	t.Helper()
	for _, s := range p.Segments {
		if !at.Before(s.From) && at.Before(s.To) {
			n, there := s.Allowed[reason]
			if !there || s.Binding[reason] == nil {
				t.Fatalf("%s is not in %+v", reason, s)
			}
			if n == nil {
				return noLimit, s.Binding[reason]
			}
			return *n, s.Binding[reason]
		}
	}
	t.Fatalf("%s is in no segment", at)
	return 0, nil
}

// What people wrote, and what they got, of 100 nodes, in each minute of a week.
func TestReportedBudgetsAllowWhatTheirAuthorsGot(t *testing.T) {
	const drifted, empty, underutilized = candidate.Drifted, candidate.Empty, candidate.Underutilized
	type byReason = map[candidate.Reason]int
	between := func(at time.Time, from, to, inside, outside int) int {
		if h := at.Hour(); from <= h && h < to {
			return inside
		}
		return outside
	}
	for name, want := range map[string]func(at time.Time) byReason{
		"a7026": func(at time.Time) byReason {
			return byReason{drifted: noLimit, empty: 20, underutilized: between(at, 2, 6, 20, noLimit)}
		},
		"a7842": func(at time.Time) byReason {
			return byReason{drifted: between(at, 7, 20, 20, noLimit), empty: noLimit, underutilized: noLimit}
		},
		"a8290": func(at time.Time) byReason {
			return byReason{drifted: between(at, 12, 15, 90, noLimit), empty: 10, underutilized: 10}
		},
		"k1866": func(time.Time) byReason { return byReason{drifted: 0, empty: 0, underutilized: 0} },
		"k2183": func(at time.Time) byReason {
			n := noLimit
			if at.Weekday() == time.Monday {
				n = between(at, 1, 5, 35, noLimit)
			}
			return byReason{drifted: n, empty: 35, underutilized: n}
		},
		"k2374": func(at time.Time) byReason {
			n := 0
			if at.Hour() == 10 && at.Minute() < 10 {
				n = 50
			}
			return byReason{drifted: n, empty: 100, underutilized: noLimit}
		},
		"rfc-business-hours": func(at time.Time) byReason {
			n := 10
			evening := at.Weekday() != time.Saturday && at.Weekday() != time.Sunday && at.Hour() >= 17
			night := at.Weekday() != time.Sunday && at.Weekday() != time.Monday && at.Hour() < 9
			if evening || night {
				n = 0
			}
			return byReason{drifted: n, empty: 10, underutilized: 10}
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := answerOf(t, forecasted("", "-o", "json", "--from", "2026-11-23", "testdata/"+name+".yaml")).Pools[0]
			start := time.Date(2026, 11, 23, 0, 0, 0, 0, time.UTC)
			for at := start; at.Before(start.AddDate(0, 0, 7)); at = at.Add(time.Minute) {
				for reason, want := range want(at) {
					if got, _ := allowedAt(t, p, reason, at); got != want {
						t.Fatalf("%s, %s: %d, want %d", at, reason, got, want)
					}
				}
			}
		})
	}
}

// The findings that would have told them.
func TestReportedBudgetsAreFoundOut(t *testing.T) {
	for _, test := range []struct{ name, code, severity, says string }{
		{"a7026", "unlimited-span", "warning", "Underutilized is unlimited"},
		{"a7026", "unlimited-span", "warning", "Drifted is unlimited at all times"},
		{"a7842", "overlapping-windows", "warning", "one window lasts 13h"},
		{"a7842", "unlimited-span", "warning", "Drifted is unlimited"},
		{"a8290", "unlimited-span", "warning", "Drifted is unlimited"},
		{"k1866", "invalid", "error", "budgets[2]"},
		{"k2183", "unlimited-span", "warning", "Drifted and Underutilized are unlimited"},
		{"k2374", "unlimited-span", "warning", "Underutilized is unlimited"},
		{"rfc-business-hours", "uneven-openings", "warning", "Drifted is open from Sat 2026-11-28 09:00"},
	} {
		t.Run(test.name+" "+test.says, func(t *testing.T) {
			p := answerOf(t, forecasted("", "-o", "json", "--from", "2026-11-23", "testdata/"+test.name+".yaml")).Pools[0]
			if !slices.ContainsFunc(p.Findings, func(f jsonFinding) bool {
				return f.Code == test.code && string(f.Severity) == test.severity && strings.Contains(f.Message, test.says)
			}) {
				t.Errorf("got %+v", p.Findings)
			}
		})
	}
}

// k2374: "right, together with the consolidationPolicy: WhenEmpty of that answer".
func TestWhatAPolicyKeepsOutIsNeverAllowed(t *testing.T) {
	const budgets = `budgets: [{nodes: 100%, reasons: [Empty]}], consolidationPolicy: `
	for _, test := range []struct {
		rule, disruption, why string
		allowed               int
	}{
		{"WhenEmpty", `{` + budgets + `WhenEmpty}`, "consolidationPolicy is WhenEmpty", 0},
		{"the policy of the RFC's control", `{consolidation: {consolidationPolicy: WhenEmpty}}`, "consolidationPolicy is WhenEmpty", 0},
		{"WhenEmptyOrUnderutilized", `{` + budgets + `WhenEmptyOrUnderutilized}`, "", noLimit},
		{"consolidateAfter", `{consolidateAfter: Never}`, "consolidateAfter is Never", 0},
		{"disruptAfter", `{defaults: {disruptAfter: Never}}`, "disruptAfter is Never", 0},
		{"a disruptAfter that is none", `{consolidation: {disruptAfter: x}}`, "consolidation.disruptAfter is broken", 0},
		{"a disruptAfter of the defaults that is none", `{defaults: {disruptAfter: x}, drift: {disruptAfter: 1h}}`, "defaults.disruptAfter is broken", 0},
		{"a consolidationPolicy in another control", `{drift: {consolidationPolicy: WhenEmpty}}`, "drift.consolidationPolicy is broken", 0},
		{"disruptAfter, beside a budget that is broken", `{budgets: [{nodes: 110%}], consolidation: {disruptAfter: Never}}`, "disruptAfter is Never", 0},
		{"disruptAfter, beside another that is broken", `{drift: {disruptAfter: x}, consolidation: {disruptAfter: Never}}`, "disruptAfter is Never", 0},
		{"replicas", `{}, replicas: 3`, "the pool has replicas, a fixed number of nodes", 0},
		{"something broken", `{x: 1}`, "something in the pool is broken", 0},
	} {
		t.Run(test.rule, func(t *testing.T) {
			pool := `{kind: NodePool, metadata: {name: a}, spec: {disruption: ` + test.disruption + `}}`
			p := answerOf(t, forecasted(pool, "-o", "json", "-")).Pools[0]
			got, _ := allowedAt(t, p, candidate.Underutilized, p.Segments[0].From)
			if got != test.allowed || p.Never[candidate.Underutilized] != test.why {
				t.Errorf("%d, %q, want %d, %q", got, p.Never[candidate.Underutilized], test.allowed, test.why)
			}
		})
	}
}

// Approach B of the disruption-controls-by-method RFC, as it stands there.
func TestTheControlsOfTheRFCAsTheyStandThereNameTheTab(t *testing.T) {
	got := forecasted("", "testdata/controls-verbatim.yaml")
	const want = "testdata/controls-verbatim.yaml:10: document 1: not valid YAML: line 10 is indented with a tab: write spaces there\n"
	if !strings.HasPrefix(got.stderr, want) || got.status != hopeless || got.stdout != "" {
		t.Errorf("got %+v", got)
	}
}

// The same, repaired: in 2027, counted by hand. The first of January is a Friday.
func TestTheControlsOfTheRFCRepaired(t *testing.T) {
	const amiDrift, nodeImage, k8sVersion = "Drifted/AMIDrift", "Drifted/NodeImageDrift", "Drifted/K8sVersionUpgrade"
	p := answerOf(t, forecasted("", "-o", "json", "--from", "2026-12-30", "--to", "2027-03-02", "testdata/controls.yaml",
		"--reason", strings.Join([]string{"Drifted", amiDrift, nodeImage, k8sVersion, "Empty", "Underutilized", "Expired"}, ","))).Pools[0]
	const defaults, drift, image, version = 0, 1, 2, 3 // the budgets, in their order
	for _, test := range []struct {
		at      string
		reason  candidate.Reason
		allowed int
		binding []int
	}{
		{"2026-12-31T23:59:00Z", "Drifted", noLimit, []int{}},
		{"2027-01-01T00:00:00Z", "Drifted", 20, []int{drift}},
		{"2027-01-01T00:59:00Z", "Drifted", 20, []int{drift}},
		{"2027-01-01T01:00:00Z", "Drifted", noLimit, []int{}},
		{"2027-02-01T00:30:00Z", "Drifted", 20, []int{drift}},
		{"2027-02-01T00:30:00Z", amiDrift, 20, []int{drift}}, // it has no budget of its own
		{"2027-02-01T01:00:00Z", amiDrift, noLimit, []int{}},
		{"2027-02-01T00:30:00Z", nodeImage, 20, []int{drift}}, // its own is not active
		{"2027-01-03T00:00:00Z", nodeImage, 10, []int{image}}, // a Sunday
		{"2027-01-03T01:59:00Z", nodeImage, 10, []int{image}},
		{"2027-01-03T02:00:00Z", nodeImage, noLimit, []int{}},
		{"2027-01-03T01:00:00Z", "Drifted", noLimit, []int{}},
		{"2027-01-01T00:30:00Z", k8sVersion, 50, []int{version}}, // its own is more than that of drift, and decides
		{"2027-01-01T23:59:00Z", k8sVersion, 50, []int{version}},
		{"2027-01-02T00:00:00Z", k8sVersion, noLimit, []int{}},
		{"2027-02-01T00:30:00Z", k8sVersion, 20, []int{drift}},
		{"2027-01-01T00:30:00Z", "Empty", 10, []int{defaults}},
		{"2027-01-01T00:30:00Z", "Underutilized", 10, []int{defaults}},
		{"2027-03-01T00:30:00Z", "Underutilized", 10, []int{defaults}},
		{"2027-03-01T01:00:00Z", "Underutilized", noLimit, []int{}},
		{"2027-01-01T00:30:00Z", "Expired", 0, []int{}},
		{"2027-01-10T00:00:00Z", "Expired", 0, []int{}},
	} {
		at, err := time.Parse(time.RFC3339, test.at)
		if err != nil {
			t.Fatal(err)
		}
		if got, binding := allowedAt(t, p, test.reason, at); got != test.allowed || !slices.Equal(binding, test.binding) {
			t.Errorf("%s, %s: got %d by %v, want %d by %v", test.at, test.reason, got, binding, test.allowed, test.binding)
		}
	}
	if why := p.Never["Expired"]; why != "disruptAfter is Never" || len(p.Never) != 1 {
		t.Errorf("never: %v", p.Never)
	}
}
