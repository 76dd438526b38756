package karpenter_test

import (
	"encoding/json"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/robfig/cron/v3"
	clocktesting "k8s.io/utils/clock/testing"
	"pgregory.net/rapid"
	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/karpenter"
	"github.com/disruptkit/disruptkit/schedule"
)

// A question is how many of a pool's nodes may be disrupted for a reason. The zero question is asked at noon, of 10 nodes, for drift.
type question struct {
	budgets []v1.Budget
	at      string // a time, as in RFC 3339
	reason  v1.DisruptionReason
}

// questions are those of the rows.
var questions []question

// allows makes a row of a question.
func allows(q question, d difference) difference {
	questions = append(questions, q)
	d.Rule, d.Karpenter, d.Disruptkit = ruleBudget, q.karpenter, q.disruptkit
	return d
}

const tenNodes = 10

func (q question) asked() (at time.Time, reason v1.DisruptionReason) {
	at, reason = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC), v1.DisruptionReasonDrifted
	if q.at != "" {
		at, _ = time.Parse(time.RFC3339, q.at)
	}
	if q.reason != "" {
		reason = q.reason
	}
	return at, reason
}

func (q question) karpenter() string {
	at, reason := q.asked()
	return countText(poolOf(q.budgets).MustGetAllowedDisruptions(clocktesting.NewFakeClock(at), tenNodes, reason))
}

func (q question) disruptkit() string {
	at, reason := q.asked()
	set, _ := budget.Compile(karpenter.ToBudgets(q.budgets))
	allowance, _ := budget.AllowedByReason(set, at, tenNodes, candidate.Reason(reason))
	return countText(allowance.Nodes)
}

func poolOf(budgets []v1.Budget) *v1.NodePool {
	pool := &v1.NodePool{}
	pool.Spec.Disruption.Budgets = budgets
	return pool
}

// A reading is what a budget means at a time: to Karpenter, and how disruptkit is to see that.
type reading struct {
	nodes   int  // how many Karpenter allows, or math.MaxInt32
	failed  bool // Karpenter reports an error
	active  bool // Karpenter takes it for active
	broken  bool // disruptkit allows nothing
	anyhow  bool // also for reasons that the budget does not name
	asleep  bool // disruptkit takes it for inactive, whatever Karpenter says
	reasons []v1.DisruptionReason
	rows    []string // the differences that it shows
}

// read asks Karpenter for one budget, and looks for differences in it.
func read(b v1.Budget, at time.Time, nodes int) (r reading) {
	clock := clocktesting.NewFakeClock(at)
	n, err := b.GetAllowedDisruptions(clock, nodes)
	r.nodes, r.failed, r.broken = n, err != nil, err != nil
	r.active, _ = b.IsActive(clock)
	r.readReasons(b.Reasons)
	r.readNodes(b, nodes)
	r.readSchedule(b, at)
	return r
}

// breaks notes a difference for which disruptkit allows nothing.
func (r *reading) breaks(is bool, row string) {
	if is {
		r.rows, r.broken = append(r.rows, row), true
	}
}

// words are what the RFCs call Karpenter's reasons, children what disruptkit alone knows.
var (
	words = map[v1.DisruptionReason]v1.DisruptionReason{
		"Drift": "Drifted", "Emptiness": "Empty", "Consolidation": "Underutilized", "Expiration": "Expired", "Expired": "Expired",
	}
	children = map[v1.DisruptionReason]v1.DisruptionReason{
		"Drifted/AMIDrift": "Drifted/AMIDrift", "Drift:SubnetDrift": "Drifted/SubnetDrift",
	}
)

func (r *reading) readReasons(reasons []v1.DisruptionReason) {
	typo, rfc := false, false
	for _, reason := range reasons {
		word, isWord := words[reason]
		child, isChild := children[reason]
		switch {
		case isWord:
			rfc = rfc || reason != word
			reason = word
		case isChild:
			reason = child
		case !slices.Contains(karpenterReasons, reason):
			typo = true
		}
		r.breaks(slices.Contains(r.reasons, reason) && len(reasons) <= 50, "a reason that appears twice")
		r.reasons = append(r.reasons, reason)
	}
	many := len(reasons) > 50
	r.breaks(typo && !many, "a reason that does not exist")
	r.breaks(many, "more than 50 reasons")
	r.anyhow = typo || many
	if rfc {
		r.rows = append(r.rows, "a reason in the words of the RFCs")
	}
	if reasons != nil && len(reasons) == 0 {
		r.rows = append(r.rows, "an empty list of reasons")
	}
}

// names reports whether the budget is for a reason, as disruptkit sees it.
func (r *reading) names(asked v1.DisruptionReason) bool {
	covers := func(reason v1.DisruptionReason) bool {
		return asked == reason || strings.HasPrefix(string(asked), string(reason)+"/")
	}
	return len(r.reasons) == 0 || r.broken && r.anyhow || slices.ContainsFunc(r.reasons, covers)
}

func (r *reading) readNodes(b v1.Budget, nodes int) {
	always := v1.Budget{Nodes: b.Nodes}
	_, err := always.GetAllowedDisruptions(clocktesting.NewFakeClock(time.Time{}), nodes)
	r.breaks(err != nil && !r.failed, "an invalid number of nodes while the budget is not active")
	r.breaks(b.Nodes == "", "an empty number of nodes")
	if err != nil {
		return
	}
	number, percentage := strings.CutSuffix(b.Nodes, "%")
	n, _ := strconv.Atoi(number)
	signed := strings.ContainsAny(number, "+-")
	r.breaks(strings.HasPrefix(number, "-"), "a negative number of nodes")
	r.breaks(strings.HasPrefix(number, "+"), "a plus sign in front of the number")
	r.breaks(percentage && !signed && n > 100, "more than 100 percent")
	r.breaks(percentage && !signed && n < 101 && len(number) > 2 && number != "100",
		"a percentage of more than three digits, or of three that are not 100")
	r.breaks(!percentage && n > math.MaxInt32, "a count of more than 32 bits")
}

var startsAtStar = regexp.MustCompile(`[*?]-`)

func (r *reading) readSchedule(b v1.Budget, at time.Time) {
	if b.Schedule == nil {
		r.breaks(b.Duration != nil, "a duration without a schedule")
		return
	}
	text := *b.Schedule
	r.breaks(text == "", "an empty schedule")
	r.breaks(strings.HasPrefix(text, "TZ=") || strings.HasPrefix(text, "CRON_TZ="), "a time zone in front of the schedule")
	r.breaks(b.Duration == nil, "a schedule without a duration")
	var d time.Duration
	if b.Duration != nil {
		d = b.Duration.Duration
		r.breaks(d == 0, "a duration of no time at all")
		r.breaks(d < 0, "a negative duration")
		r.breaks(d > 0 && d%time.Minute != 0, "seconds in a duration")
	}
	parsed, err := cron.ParseStandard("TZ=UTC " + text)
	if err != nil {
		return
	}
	r.breaks(len(text) > 1024, "a schedule longer than 1024 bytes")
	r.breaks(startsAtStar.MatchString(text), "a range that starts at *")
	from := at.UTC().Add(-d)
	spec, isSpec := parsed.(*cron.SpecSchedule)
	r.breaks(!isSpec, "@every is no time of the clock")
	switch leapYear := time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC); {
	case !isSpec:
	case namesNothing(spec):
		r.breaks(true, "a field of the schedule that names nothing")
	case spec.Next(leapYear).IsZero():
		r.breaks(true, "a schedule that never fires is always active")
	case spec.Next(from).IsZero() && spec.Next(from.AddDate(5, 0, 0)).After(at):
		r.asleep, r.rows = true, append(r.rows, "a schedule that fires once in eight years is active until then")
	}
}

// namesNothing reports whether a field is an empty set.
func namesNothing(s *cron.SpecSchedule) bool {
	return slices.Contains([]uint64{s.Minute, s.Hour, s.Dom, s.Month, s.Dow}, 0)
}

// expected returns how many nodes disruptkit is to allow for a reason, whether it is to report an error, and the
// differences that this shows. Without any, it is what Karpenter says.
func expected(readings []reading, asked v1.DisruptionReason) (nodes int, failed bool, rows []string) {
	for _, r := range readings {
		rows = append(rows, r.rows...)
		if r.failed {
			rows = append(rows, "an error in one budget allows nothing for any reason")
		}
	}
	if strings.Contains(string(asked), "/") {
		rows = append(rows, "nodes that are disrupted for a child of a reason")
	}
	switch {
	case asked == "drifted":
		return 0, true, append(rows, "nodes that are disrupted for a reason that no budget can name")
	case len(readings) > 50:
		return 0, true, append(rows, "more than 50 budgets")
	}
	nodes = budget.Unlimited
	for _, r := range readings {
		switch {
		case !r.names(asked):
		case r.broken:
			nodes, failed = 0, true
		case r.active && !r.asleep:
			nodes = min(nodes, r.nodes)
		}
	}
	return nodes, failed, rows
}

func TestBudgetsAllowWhatKarpenterAllows(t *testing.T) {
	quiet(t)
	seen := met{}
	rounds(t, 40, func(t *rapid.T) {
		most := pick(t, "most", 3, 3, 3, 3, 8, 8, 55)
		each := karpenterBudget(rapid.Bool().Draw(t, "sound"))
		list := rapid.SliceOfN(each, pick(t, "least", 0, most-2), most).Draw(t, "budgets")
		at := zoned(t, moment(list).Draw(t, "now"))
		nodes := rapid.OneOf(rapid.IntRange(0, 30), rapid.IntRange(0, 5000)).Draw(t, "nodes")
		other := pick[v1.DisruptionReason](t, "reason", "Expired", "drifted", "Drifted/AMIDrift")
		var readings []reading
		for _, b := range list {
			readings = append(readings, read(b, at, nodes))
		}
		set, compileErr := budget.Compile(karpenter.ToBudgets(list))
		for _, reason := range append(slices.Clone(karpenterReasons), other) {
			pool, clock := poolOf(list), clocktesting.NewFakeClock(at)
			says := pool.MustGetAllowedDisruptions(clock, nodes, reason)
			got, err := budget.AllowedByReason(set, at, nodes, candidate.Reason(reason))
			want, wantErr, rows := expected(readings, reason)
			seen.count(rows)
			if got.Nodes != want || (err != nil) != wantErr {
				t.Fatalf("%s: %d (%v), want %d; Karpenter: %d; %q", reason, got.Nodes, err, want, says, rows)
			}
			if min(got.Nodes, math.MaxInt32) > max(0, says) && !mayLetMoreGo(rows) {
				t.Fatalf("%s: %d is more than Karpenter's %d: %q", reason, got.Nodes, says, rows)
			}
			if len(rows) > 0 {
				continue
			}
			if min(got.Nodes, math.MaxInt32) != says || compileErr != nil {
				t.Fatalf("%s: %d (%v), Karpenter: %d", reason, got.Nodes, compileErr, says)
			}
			if _, err := pool.GetAllowedDisruptionsByReason(clock, nodes, reason); err != nil {
				t.Fatalf("%s: Karpenter has an error, and nothing says why: %v", reason, err)
			}
		}
	})
	seen.wantAll(t, ruleBudget)
}

func TestBudgetsAreActiveWhenTheyAreInKarpenter(t *testing.T) {
	quiet(t)
	opened := 0
	rounds(t, 60, func(t *rapid.T) {
		b := karpenterBudget(rapid.Bool().Draw(t, "sound")).Draw(t, "budget")
		b.Nodes, b.Reasons = "0", nil
		if b.Schedule == nil && rapid.Bool().Draw(t, "a schedule after all") {
			b.Schedule, b.Duration = new(soundCron().Draw(t, "schedule")), soundDuration().Draw(t, "duration")
		}
		at := zoned(t, moment([]v1.Budget{b}).Draw(t, "now"))
		says, sayErr := b.IsActive(clocktesting.NewFakeClock(at))
		r := read(b, at, tenNodes)
		set, err := budget.Compile([]budget.Budget{karpenter.ToBudget(b)})
		if active := set.Deciding(at, "").Has(0); active != (says && !r.broken && !r.asleep) {
			t.Fatalf("active: %v, Karpenter: %v; %q", active, says, r.rows)
		}
		if (err != nil) != r.broken {
			t.Fatalf("%v, Karpenter: %v; %q", err, sayErr, r.rows)
		}
		if b.Schedule == nil || b.Duration == nil {
			return
		}
		window, err := schedule.Parse(*b.Schedule, b.Duration.Duration, "")
		if open := schedule.InWindow(window, at); err == nil && open != (says && !r.asleep) {
			t.Fatalf("open: %v, Karpenter: %v; %q", open, says, r.rows)
		}
		if fine := windowIsFine(r); fine != (err == nil) {
			t.Fatalf("%v, Karpenter: %v; %q", err, sayErr, r.rows)
		}
		if err == nil && says {
			opened++
		}
	})
	if opened < 5 && !testing.Short() {
		t.Errorf("only %d windows were open", opened)
	}
}

// windowIsFine reports whether there is nothing wrong with a window: it may have seconds, which a budget may not.
func windowIsFine(r reading) bool {
	return !r.failed && !slices.ContainsFunc(r.rows, func(row string) bool {
		return row != "seconds in a duration" && row != "a schedule that fires once in eight years is active until then"
	})
}

func TestBudgetsSurviveTheWayThereAndBack(t *testing.T) {
	rounds(t, 10, func(t *rapid.T) {
		b := karpenterBudget(true).Draw(t, "budget")
		to := karpenter.ToBudget(b)
		back, err := karpenter.FromBudget(to)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(b, back); diff != "" {
			t.Fatal(diff)
		}
		theirs, ours := encoded(t, b), encoded(t, to)
		if theirs != ours {
			t.Fatalf("Karpenter writes %s, disruptkit %s", theirs, ours)
		}
		var decoded budget.Budget
		if err := json.Unmarshal([]byte(theirs), &decoded); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(to, decoded); diff != "" {
			t.Fatal(diff)
		}
	})
}

func encoded(t *rapid.T, value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
