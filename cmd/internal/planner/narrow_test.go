package planner

import (
	"encoding/json"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/disruptkit/disruptkit/plan"
)

// decoded returns what is planned, as far as these tests look at it.
func decoded(t *testing.T, args ...string) (answer jsonReport) {
	t.Helper()
	if !slices.Contains(args, "-f") {
		args = append(args, "-f", rfcs, "--now", "2026-11-20T10:30:00Z")
	}
	got := ran("", append(args, "-o", "json")...)
	if err := json.Unmarshal([]byte(got.stdout), &answer); err != nil {
		t.Fatalf("%v: %v %s", args, err, got.stderr)
	}
	return answer
}

func TestOnePoolIsShownOfThePlanOfAll(t *testing.T) {
	all, one := decoded(t, "--try=false").Plan, decoded(t, "--pool", "batch")
	if len(one.Plan.Pools) != 1 || one.Plan.Pools[0].Name != "batch" {
		t.Fatalf("%+v", one.Plan.Pools)
	}
	finish := map[string]*time.Time{}
	for _, n := range all.Nodes {
		finish[n.Name] = n.Gone
	}
	last := time.Time{}
	for _, n := range one.Plan.Nodes {
		if n.Pool != "batch" || (n.Gone == nil) != (finish[n.Name] == nil) || n.Gone != nil && !n.Gone.Equal(*finish[n.Name]) {
			t.Errorf("%+v", n)
		}
		for _, at := range []*time.Time{n.Gone, n.Ready} {
			if at != nil && at.After(last) {
				last = *at
			}
		}
	}
	if one.Plan.Finish == nil || !one.Plan.Finish.Equal(last) || all.Finish.Before(last) {
		t.Errorf("it ends at %v, all at %v, its last node at %v", one.Plan.Finish, all.Finish, last)
	}
	for _, trial := range one.Trials {
		if trial.Earlier <= 0 && trial.Done <= 0 {
			t.Errorf("%+v helps the pool in nothing", trial)
		}
	}
	for _, g := range one.Plan.Groups {
		if g.Pool != "batch" {
			t.Errorf("%+v", g)
		}
	}
	if len(all.Turns) == 0 || len(all.Closed) == 0 {
		t.Fatal("the plan does not tell")
	}
	other := decoded(t, "--pool", "general", "--try=false").Plan
	for _, c := range one.Plan.Closed {
		if c.Pool != "batch" {
			t.Errorf("%+v", c)
		}
	}
	for _, turn := range other.Turns {
		if turn.Pool != "general" {
			t.Errorf("%+v", turn)
		}
	}
}

func TestTheRangeOfAPoolThatStaysIsNotThatOfOthers(t *testing.T) {
	file := filepath.Join(t.TempDir(), "fleet.yaml")
	write(t, file, fleet(1, nights)+"---\napiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {name: idle}\nspec: {}\n")
	if r := decoded(t, "-f", file, "--drain", "1m,3m", "--pool", "idle").Plan.Range; r == nil || !r.Early.IsZero() || !r.Late.IsZero() {
		t.Errorf("%+v", r)
	}
}

// Ticks are at round times of the zone: India is half an hour off.
func TestTicksAreAtRoundTimesOfTheZone(t *testing.T) {
	kolkata, err := time.LoadLocation("Asia/Kolkata")
	if err != nil {
		t.Fatal(err)
	}
	from := time.Date(2026, 11, 20, 0, 10, 0, 0, kolkata)
	n := plan.Node{Outcome: plan.Done, Start: from, Gone: from.Add(48 * time.Hour)}
	a := newAxis([]planned{{plan: plan.Plan{From: from, Nodes: []plan.Node{n}}}}, 0, 700)
	ticks := a.ticks(90)
	if len(ticks) < 3 {
		t.Fatalf("%v", ticks)
	}
	for _, at := range ticks {
		if at.Minute() != 0 || at.Hour()%6 != 0 {
			t.Errorf("a tick is at %v", at)
		}
	}
}

// A node that takes no time is somewhere as well: at the beginning, and after a long wait.
func TestWhatTakesNoTimeHasAPlace(t *testing.T) {
	from := time.Date(2026, 11, 20, 18, 0, 0, 0, time.UTC)
	at := func(hours int) plan.Node {
		start := from.Add(time.Duration(hours) * time.Hour)
		return plan.Node{Outcome: plan.Done, Start: start, Gone: start}
	}
	for _, nodes := range [][]plan.Node{{at(0)}, {at(0), at(9)}, {at(9)}} {
		a := newAxis([]planned{{plan: plan.Plan{From: from, Nodes: nodes}}}, 0, 60)
		last := -1.0
		for _, n := range nodes {
			x := a.x(n.Start)
			if !(last < x && x <= 60) {
				t.Errorf("%d nodes: %s is at %f, and the one before at %f", len(nodes), n.Start, x, last)
			}
			last = x
		}
	}
}

// Half an hour off UTC, so that a time that is left in UTC, or moved twice, is another one.
func TestAllTimesOfAPlanAreInTheZone(t *testing.T) {
	clocks := regexp.MustCompile(`(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) \d+ (?:Nov|Dec)(?: 2026)? \d\d:\d\d`)
	for _, args := range []string{"--try=false", "--drain 1m,3m,20m --try=false", "--expire 2026-11-20T10:30:00Z/2026-12-05T00:00:00Z", "--by 2026-11-20T12:00:00Z --try=false"} {
		times := func(zone string) (all []time.Time) {
			location, err := time.LoadLocation(zone)
			if err != nil {
				t.Fatal(err)
			}
			got := ran("", append(strings.Fields(args), "--engine", "karpenter", "--zone", zone)...).stdout
			for _, text := range clocks.FindAllString(strings.Join(strings.Fields(got), " "), -1) {
				at, err := time.ParseInLocation("Mon 2 Jan 15:04 2006", strings.Replace(text, " 2026", "", 1)+" 2026", location)
				if err != nil {
					t.Fatal(err)
				}
				all = append(all, at.UTC())
			}
			return all
		}
		if utc, kolkata := times("UTC"), times("Asia/Kolkata"); len(utc) < 5 || !slices.Equal(utc, kolkata) {
			t.Errorf("%s: %v in UTC, %v in Kolkata", args, utc, kolkata)
		}
	}
}

func TestWhatHelpsAPoolKeepsWhatItRisks(t *testing.T) {
	for _, harm := range []plan.Harm{plan.Mends, plan.Adjusts, plan.Removes} {
		trial := plan.Trial{Harm: harm, Comparison: plan.Comparison{Pools: []plan.PoolCompared{{Name: "web", Compared: plan.Compared{Done: 1}}}}}
		if got := helpPool([]plan.Trial{trial}, "web"); len(got) != 1 || got[0].Harm != harm || len(helpPool([]plan.Trial{trial}, "api")) > 0 {
			t.Errorf("%v: %+v", harm, got)
		}
	}
}
