package metrics

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/engine"
	"github.com/disruptkit/disruptkit/report"
)

func TestThePageThatIsServedDrawsItselfAnewAndLoadsNothingButItsScript(t *testing.T) {
	p := pictureOf(t, nil, fleetOf(3, 1)...)
	s := pages(t, func() picture { return p })
	status, header, text := get(t, s, "/")
	if status != http.StatusOK || header.Get("Content-Type") != "text/html; charset=utf-8" || header.Get("Content-Security-Policy") != policyOfContent {
		t.Errorf("%d %v", status, header)
	}
	const own = `<script src="/page.js" defer></script>`
	if !strings.Contains(text, own) {
		t.Error("it does not draw itself anew")
	}
	if found := regexp.MustCompile(`(?i)<script|<link|<img|\ssrc=|url\(|@import|javascript:`).FindString(strings.Replace(text, own, "", 1)); found != "" {
		t.Errorf("it has %q", found)
	}
	if status, header, text := get(t, s, "/page.js"); status != http.StatusOK || header.Get("Content-Type") != "text/javascript; charset=utf-8" || text != string(script) {
		t.Errorf("the script: %d %v %.100s", status, header, text)
	}
}

// texts returns the text of a page, a line for each row of a table.
func texts(page []byte) string {
	_, body, _ := strings.Cut(string(page), "<body>")
	body = regexp.MustCompile(`\n`).ReplaceAllString(body, " ")
	body = regexp.MustCompile(`</(tr|h\d|header|section|p)>`).ReplaceAllString(body, "\n")
	body = regexp.MustCompile(`<i class="slot (\w)\w*"></i>`).ReplaceAllString(body, "$1 ")
	body = regexp.MustCompile(`<[^>]*>`).ReplaceAllString(body, " ")
	return regexp.MustCompile(` +`).ReplaceAllString(body, " ")
}

func pictureOf(t *testing.T, budgets []budget.Budget, nodes ...candidate.Node) picture {
	t.Helper()
	set, err := budget.Compile(budgets)
	if err != nil {
		t.Fatal(err)
	}
	in := disruptkit.Input{Now: begin, Nodes: nodes, Pools: []disruptkit.Pool{{Name: "default", Budgets: set}}}
	d := disruptkit.Decide(in, candidate.Drifted)
	return picture{report: report.Summarize(report.Report{}, in, d), in: in, decisions: []disruptkit.Decision{d}}
}

func fleetOf(ready, inFlight int) (nodes []candidate.Node) {
	for i := range ready + inFlight {
		nodes = append(nodes, candidate.Node{Name: fmt.Sprint("n", i), Pool: "default", Phase: candidate.Running, DisruptedFor: candidate.Drifted})
	}
	for i := range inFlight {
		nodes[i].Leaving = candidate.Draining
	}
	return nodes
}

func TestARowSaysWhatMayBeDisrupted(t *testing.T) {
	closed := budget.Budget{Nodes: "0", Schedule: "0 9 * * *", Duration: "8h"} // begin is 14:45
	for _, c := range []struct {
		name            string
		budgets         []budget.Budget
		ready, inFlight int
		want            string
	}{
		{"some may", []budget.Budget{{Nodes: "3"}}, 9, 1, " Drifted open u f f 3 1 2 no scheduled change"},
		{"it is used up", []budget.Budget{{Nodes: "2"}}, 9, 2, " Drifted full u u 2 2 0 no scheduled change"},
		{"more go than may", []budget.Budget{{Nodes: "1"}}, 9, 3, " Drifted over u e e 1 3 0 no scheduled change"},
		{"none may, until the evening", []budget.Budget{closed}, 9, 0, " Drifted closed 0 0 0 until Thu 17:00"},
		{"none may, and one is disrupted", []budget.Budget{closed}, 9, 1, " Drifted over e 0 1 0 until Thu 17:00"},
		{"nothing limits it", []budget.Budget{}, 9, 2, " Drifted open u u no limit 2 no limit no scheduled change"},
		{"more than are drawn", []budget.Budget{{Nodes: "30"}}, 40, 0, " Drifted open " + strings.Repeat("f ", 24) + "+6 30 0 30 no scheduled change"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := page(pictureOf(t, c.budgets, fleetOf(c.ready, c.inFlight)...), engine.Disruptkit, time.UTC)
			if err != nil {
				t.Fatal(err)
			}
			if text := texts(got); !strings.Contains(text, c.want) {
				t.Errorf("want %q in\n%s", c.want, text)
			}
		})
	}
}

func TestNamesOfTheClusterAreTextOnThePage(t *testing.T) {
	odd := candidate.Node{Name: `"><script>alert(1)</script>`, Pool: "default", Phase: candidate.Running, Blockers: []candidate.Blocker{
		{Gate: "mine", Code: "odd", Message: "<b onmouseover=alert(1)>"}}, Conditions: []candidate.Condition{{Reason: candidate.Drifted}}}
	got, err := page(pictureOf(t, nil, odd), engine.Disruptkit, time.UTC)
	if err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{"<script>", "<b onmouseover"} {
		if strings.Contains(string(got), bad) {
			t.Errorf("%q is on the page", bad)
		}
	}
	if !strings.Contains(string(got), "&lt;script&gt;alert(1)") {
		t.Error("the name is not on the page")
	}
}

func TestNodesWithTheSameTextAreARow(t *testing.T) {
	at := clock{begin}
	condition := func(status bool, reason, message string) []report.Condition {
		return []report.Condition{
			{Type: report.ConditionBudgetRestricted, Message: "not this one"},
			{Type: report.ConditionAllowed, Status: status, Reason: reason, Message: message, LastTransitionTime: begin},
		}
	}
	stays := condition(false, "DoNotDisrupt", "Disruption not allowed: it is annotated")
	got := groups([]report.NodeStatus{
		{Node: "a", Pool: "p", Conditions: stays}, {Node: "b", Pool: "q", Conditions: stays}, {Node: "c", Pool: "p", Conditions: stays},
		{Node: "d", Pool: "p", Conditions: condition(true, "WithinBudget", "Disruption allowed within current budget.")},
		{Node: "e", Pool: "p", InFlight: true, Details: "Drifted:AMIDrift", Conditions: stays}, {Node: "f", Pool: "p", InFlight: true},
	}, nil, at)
	want := []nodeGroup{
		{Pool: "p", Nodes: "e", State: "in flight", Why: "Drifted:AMIDrift", Class: "goes"},
		{Pool: "p", Nodes: "f", State: "in flight", Why: "nobody knows what for", Class: "goes"},
		{Pool: "p", Nodes: "d", State: "may be disrupted", Why: "Disruption allowed within current budget.", Since: "Thu 14:45", Class: "free"},
		{Pool: "p", Nodes: "a, c", State: "stays: DoNotDisrupt", Why: "it is annotated", Since: "Thu 14:45", Class: "stays"},
		{Pool: "q", Nodes: "b", State: "stays: DoNotDisrupt", Why: "it is annotated", Since: "Thu 14:45", Class: "stays"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("groups (-want +got)\n%s", diff)
	}
}

func TestEventsOfSeveralReasonsAreALine(t *testing.T) {
	happened := func(after time.Duration, name, pool string, reason candidate.Reason, message string) event {
		return event{begin.Add(after), report.Event{Name: name, Pool: pool, Reason: reason, Message: message}}
	}
	got := lines([]event{
		happened(0, "Exceeded", "p", "", "2 in flight for Drifted: budgets[0] is 1"),
		happened(0, "Exceeded", "p", "", "2 in flight for Drifted: budgets[1] is 1"),
		happened(0, "Exiting", "p", "Empty", "none may be disrupted for Empty, until noon"),
		happened(0, "Exiting", "p", "Drifted", "none may be disrupted for Drifted, until noon"),
		happened(0, "Exiting", "p", "Drifted/AMIDrift", "none may be disrupted for Drifted/AMIDrift, until one"),
		happened(0, "Exiting", "q", "Drifted", "none may be disrupted for Drifted, until noon"),
		happened(time.Hour, "Exiting", "p", "Empty", "none may be disrupted for Empty, until noon"),
	}, clock{begin})
	want := []eventLine{
		{"Thu 15:45", "Exiting", "p", "Empty", "none may be disrupted, until noon"},
		{"Thu 14:45", "Exiting", "q", "Drifted", "none may be disrupted, until noon"},
		{"Thu 14:45", "Exiting", "p", "Drifted:AMIDrift", "none may be disrupted, until one"},
		{"Thu 14:45", "Exiting", "p", "Empty, Drifted", "none may be disrupted, until noon"},
		{"Thu 14:45", "Exceeded", "p", "", "2 in flight for Drifted: budgets[1] is 1"},
		{"Thu 14:45", "Exceeded", "p", "", "2 in flight for Drifted: budgets[0] is 1"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("lines (-want +got)\n%s", diff)
	}
}

func TestOfManyFaultsThePageShowsTheFirst(t *testing.T) {
	var p picture
	for i := range 12 {
		p.faults = append(p.faults, candidate.Warning{Object: fmt.Sprint("NodePool/", i), Message: "broken <i>"})
	}
	got, err := page(p, engine.Disruptkit, time.UTC)
	if err != nil || strings.Count(string(got), "broken &lt;i&gt;") != mostFaults || !strings.Contains(string(got), "and 4 more; kubectl disruption decide lists them") {
		t.Errorf("%v\n%s", err, texts(got))
	}
}

func TestOnePoolIsShown(t *testing.T) {
	p := pictureOf(t, nil, fleetOf(3, 1)...)
	p.events = []event{{begin, report.Event{Name: "BudgetExceeded", Pool: "default"}}}
	if got := narrow(p, "default"); len(got.report.Pools) != 1 || len(got.report.Nodes) != 1 || len(got.events) != 1 {
		t.Errorf("of its own pool: %+v", got.report.Pools)
	}
	if got := narrow(p, "other"); len(got.report.Pools)+len(got.report.Nodes)+len(got.events) != 0 || len(p.report.Nodes) != 1 {
		t.Errorf("of another pool: %+v", got.report.Pools)
	}
}
