package planner

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/golden"
	"github.com/disruptkit/disruptkit/plan"
)

// decoded returns what is planned, as far as these tests look at it.
func decoded(t *testing.T, args ...string) (answer jsonReport) {
	t.Helper()
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
	if one.Plan.Finish == nil || !one.Plan.Finish.Equal(last) || !all.Finish.After(last) {
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

func TestOneNodeIsShown(t *testing.T) {
	got := decoded(t, "--node", "ip-10-0-36-243").Plan
	if len(got.Nodes) != 1 || len(got.Pools) != 1 || got.Pools[0].Nodes != 1 || got.Pools[0].Done != 1 || !got.Finish.Equal(*got.Pools[0].Finish) {
		t.Errorf("%+v", got)
	}
	total := 0.0
	for _, w := range got.Pools[0].Clock {
		total += w.Seconds
	}
	if total != got.Finish.Sub(*got.From).Seconds() {
		t.Errorf("%v adds up to %v of %v", got.Pools[0].Clock, total, got.Finish.Sub(*got.From))
	}
}

func TestAPartOfTheNameOfANodeIsEnoughForItsRange(t *testing.T) {
	part := decoded(t, "--drain", "1m,3m,20m", "--node", "ip-10-0-36-243").Plan
	if part.Range == nil || part.Range.Early == nil || len(part.Range.Pools) != 1 || part.Range.Pools[0].Name != part.Nodes[0].Pool {
		t.Errorf("%+v", part.Range)
	}
}

// A node that does not have to go has no pool in the range.
func TestNoListIsNullOfANodeThatStays(t *testing.T) {
	file := filepath.Join(t.TempDir(), "fleet.yaml")
	write(t, file, strings.Replace(fleet(1, nights), `type: Drifted, status: "True"`, `type: Drifted, status: "False"`, 1))
	if r := decoded(t, "-f", file, "--drain", "1m,3m", "--node", "node-0000").Plan.Range; r == nil || r.Pools == nil {
		t.Errorf("%+v", r)
	}
}

func TestTheRangeOfAPoolThatStaysIsNotThatOfOthers(t *testing.T) {
	file := filepath.Join(t.TempDir(), "fleet.yaml")
	write(t, file, fleet(1, nights)+"---\napiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {name: idle}\nspec: {}\n")
	if r := decoded(t, "-f", file, "--drain", "1m,3m", "--pool", "idle").Plan.Range; r == nil || r.Early != nil || r.Late != nil {
		t.Errorf("%+v", r)
	}
}

func TestTimesAreShownInAZone(t *testing.T) {
	berlin := ran("", "--zone", "Europe/Berlin", "--try=false").stdout
	if !strings.Contains(berlin, "from Fri 20 Nov 11:30") || strings.Contains(berlin, "10:30") {
		t.Error(berlin)
	}
	picture := ran("", "--zone", "Asia/Kolkata", "--try=false", "-o", "svg").stdout
	if !strings.Contains(picture, "Planned from Fri 20 Nov 16:00") {
		t.Error(picture)
	}
	if got := decoded(t, "--zone", "Europe/Berlin", "--try=false").Plan.From; got.Format(time.RFC3339) != "2026-11-20T10:30:00Z" {
		t.Error(got)
	}
}

func TestReasonsAreReadInAnyCase(t *testing.T) {
	planned := map[candidate.Reason]bool{}
	for _, n := range decoded(t, "--reason", "empty,UNDERUTILIZED", "--try=false").Plan.Nodes {
		if n.Start != nil || n.Outcome != plan.Done { // else it was in flight before
			planned[n.Reason.Method()] = true
		}
	}
	if len(planned) != 2 || !planned[candidate.Empty] || !planned[candidate.Underutilized] {
		t.Error(planned)
	}
}

func TestWhatCannotBeChosen(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"--pool", "nope"}, `--pool: there is no NodePool "nope": there are batch, general`},
		{[]string{"--node", "nope"}, `--node: there is no node "nope"`},
		{[]string{"--zone", "topology.kubernetes.io/zone"}, `--zone "topology.kubernetes.io/zone" is not in the tz database`},
		{[]string{"--now", "tomorrow"}, `--now "tomorrow" is not a time`},
		{[]string{"--watch", "-f", "x", "--pool", "batch"}, "--watch follows the whole roll"},
	} {
		if got := ran("", c.args...); got.status != hopeless || !strings.Contains(got.stderr, c.want) {
			t.Errorf("%q: status %d, %s", c.args, got.status, got.stderr)
		}
	}
}

func TestNamesThatReorderTextAreShownAsTheyAre(t *testing.T) {
	hostile := strings.NewReplacer("name: web,", `name: "w\u202eb",`, "nodepool: web", `nodepool: "w\u202eb"`, "us-west-2", "us\u202e", "node-", "n\u202e-", "name: api-", "name: a\u202e-").
		Replace(fleet(3, `[{nodes: "1"}, {nodes: "0", schedule: "0 6 * * *", duration: 16h}]`))
	hostile = strings.Replace(hostile, "labels: {app: a\u202e-2}", `labels: {app: api-2}, annotations: {karpenter.sh/do-not-disrupt: "true"}`, 1)
	for _, format := range []string{"text", "svg", "html"} {
		got := ran(hostile, "-f", "-", "--now", "2026-11-20T18:00:00Z", "-o", format)
		golden.Visible(t, got.stdout+got.stderr)
		if !strings.Contains(got.stdout, `u202e`) {
			t.Errorf("%s names nothing: %s%s", format, got.stdout, got.stderr)
		}
	}
}

func TestPicturesSayForWhichEngine(t *testing.T) {
	for _, format := range []string{"svg", "html"} {
		for _, engine := range []string{"karpenter", "guard", "disruptkit"} {
			if got := ran("", "--engine", engine, "-o", format, "--try=false").stdout; !strings.Contains(got, "(--engine "+engine+").") {
				t.Errorf("--engine %s -o %s does not say so", engine, format)
			}
		}
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
	a := newAxis([]planned{{plan: plan.Plan{From: from, Nodes: []plan.Node{n}}}}, 0, 700, 10)
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

// A node that takes no time is somewhere, too: at the beginning, and after a long wait.
func TestWhatTakesNoTimeHasAPlace(t *testing.T) {
	from := time.Date(2026, 11, 20, 18, 0, 0, 0, time.UTC)
	at := func(hours int) plan.Node {
		start := from.Add(time.Duration(hours) * time.Hour)
		return plan.Node{Outcome: plan.Done, Start: start, Gone: start}
	}
	for _, nodes := range [][]plan.Node{{at(0)}, {at(0), at(9)}, {at(9)}} {
		a := newAxis([]planned{{plan: plan.Plan{From: from, Nodes: nodes}}}, 0, 60, 2)
		for _, n := range nodes {
			x := a.x(n.Start)
			if !(0 <= x && x <= 60) || a.at(x).Sub(n.Start).Abs() > time.Second {
				t.Errorf("%d nodes: %s is at %f, where it is %s", len(nodes), n.Start, x, a.at(x))
			}
		}
	}
}

// A node that never goes spends no time on anything; what keeps it is said below.
func TestNoNodeSpendsNoTimeOnSomething(t *testing.T) {
	never := 0
	for _, n := range decoded(t, "--engine", "karpenter").Plan.Nodes {
		answer := decoded(t, "--engine", "karpenter", "--node", n.Name)
		for _, w := range answer.Plan.Pools[0].Clock {
			if w.Seconds == 0 {
				t.Errorf("%s spends no time on %+v", n.Name, w)
			}
		}
		if n.Outcome != plan.Never {
			continue
		}
		never++
		got := ran("", "--engine", "karpenter", "--node", n.Name).stdout
		if strings.Contains(got, "0s of 0s") || !strings.Contains(got, "Not done:") {
			t.Errorf("%s:\n%s", n.Name, got)
		}
	}
	if never == 0 {
		t.Error("all nodes go")
	}
}
