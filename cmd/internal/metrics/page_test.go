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
	"github.com/disruptkit/disruptkit/cmd/internal/tell"
	"github.com/disruptkit/disruptkit/report"
)

func TestThePageThatIsServedDrawsItselfAnewAndLoadsNothingButItsScript(t *testing.T) {
	_, s := pages(t, pictureOf(t, nil, fleetOf(3, 1)...))
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
	}, tell.Clock{Now: begin})
	want := []eventLine{
		{"Thu 15:45", "Exiting", "p", "Empty", "none may be disrupted, until noon"},
		{"Thu 14:45", "Exiting", "q", "Drifted", "none may be disrupted, until noon"},
		{"Thu 14:45", "Exiting", "p", "Drifted/AMIDrift", "none may be disrupted, until one"},
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
	p.in.Groups = []disruptkit.Group{{Name: "prod", Pools: []string{"default"}}, {Name: "dev", Pools: []string{"other"}}}
	p.decisions[0].Groups = []disruptkit.PoolDecision{{Pool: "prod"}, {Pool: "dev"}}
	p.decisions[0].Blocked = []candidate.Candidate{{Pool: "default"}, {Pool: "other"}}
	for pool, want := range map[string]string{"": "1 2 1 1 2 2", "default": "1 1 1 1 1 1", "other": "0 1 0 0 1 1"} {
		got := narrow(p, pool)
		d := got.decisions[0]
		if n := fmt.Sprint(len(got.in.Pools), len(got.in.Groups), len(got.events), len(d.Pools), len(d.Groups), len(d.Blocked)); n != want {
			t.Errorf("of %q: %s, want %s", pool, n, want)
		}
	}
}
