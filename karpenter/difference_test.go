package karpenter_test

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clocktesting "k8s.io/utils/clock/testing"
	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"
	"sigs.k8s.io/karpenter/pkg/controllers/disruption"
	podutils "sigs.k8s.io/karpenter/pkg/utils/pod"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/candidate/kube"
)

// A difference is where disruptkit deliberately says something else than Karpenter. The random tests look up by its
// name what they may not find equal, and each row's example is asked of both.
type difference struct {
	Rule string // what is compared; each has a random test that meets all of its rows
	Name string
	Why  string
	More bool // disruptkit may allow more nodes than Karpenter

	Karpenter, Disruptkit         func() string // what each says for the example
	WantKarpenter, WantDisruptkit string
}

const (
	ruleBudget = "budget" // how many nodes a NodePool allows
	ruleSchema = "schema" // which spec.disruption the API server takes
)

var differences = []difference{
	allows(question{budgets: []v1.Budget{{Nodes: "ten", Reasons: because("Empty")}}}, difference{
		Name: "an error in one budget allows nothing for any reason", More: true,
		Why:           "It is the reasons of that budget of which nobody knows what was meant; the error is reported.",
		WantKarpenter: "0", WantDisruptkit: "no limit",
	}),
	allows(question{at: "2097-06-15T12:00:00Z", budgets: recurring("0 0 29 2 *", time.Hour)}, difference{
		Name: "a schedule that fires once in eight years is active until then", More: true,
		Why: "robfig/cron gives up after five years, with the zero time, and Karpenter takes that for a hit " +
			"in the past.",
		WantKarpenter: "1", WantDisruptkit: "no limit",
	}),
	allows(question{budgets: recurring("0 0 30 2 *", time.Hour)}, difference{
		Name: "a schedule that never fires is always active",
		Why: "It is for Karpenter, for the same reason; here it is an error, and nothing is disrupted until it is " +
			"mended.",
		WantKarpenter: "1", WantDisruptkit: "0",
	}),
	allows(question{budgets: recurring("* , * * *", time.Hour)}, difference{
		Name: "a field of the schedule that names nothing",
		Why: "robfig/cron takes a lone comma for an empty set, with which nothing ever fires, or only on " +
			"weekdays.",
		WantKarpenter: "1", WantDisruptkit: "0",
	}),
	allows(question{budgets: recurring("@every 1h", 30*time.Minute)}, difference{
		Name: "@every is no time of the clock",
		Why: "Karpenter's schema refuses it. What gets past is active always or never, as the duration is " +
			"longer or shorter.",
		WantKarpenter: "no limit", WantDisruptkit: "0",
	}),
	allows(question{budgets: recurring("*-5 * * * *", time.Minute)}, difference{
		Name:          "a range that starts at *",
		Why:           "robfig/cron takes *-5 for *, which is hardly what was meant.",
		WantKarpenter: "1", WantDisruptkit: "0",
	}),
	allows(question{budgets: recurring("0"+strings.Repeat(",0", 512)+" 0 1 1 *", time.Hour)}, difference{
		Name:          "a schedule longer than 1024 bytes",
		Why:           "Naming every number of every field takes half of that; the time to read one has a bound.",
		WantKarpenter: "no limit", WantDisruptkit: "0",
	}),
	allows(question{budgets: recurring("TZ=UTC 0 9 * * *", time.Hour, "Empty")}, difference{
		Name: "a time zone in front of the schedule", More: true,
		Why:           "Both refuse it, Karpenter for all reasons of the pool. The budget's timeZone is for that.",
		WantKarpenter: "0", WantDisruptkit: "no limit",
	}),
	allows(question{budgets: recurring("", time.Hour, "Empty")}, difference{
		Name: "an empty schedule", More: true,
		Why:           "Both refuse it, Karpenter for all reasons of the pool.",
		WantKarpenter: "0", WantDisruptkit: "no limit",
	}),
	allows(question{budgets: []v1.Budget{{Nodes: "1", Schedule: new("0 12 * * *")}}}, difference{
		Name:          "a schedule without a duration",
		Why:           "For Karpenter such a budget is never active; a freeze would be none.",
		WantKarpenter: "no limit", WantDisruptkit: "0",
	}),
	allows(question{budgets: []v1.Budget{{Nodes: "1", Duration: hours(1), Reasons: because("Empty")}}}, difference{
		Name: "a duration without a schedule", More: true,
		Why:           "Both refuse it, Karpenter for all reasons of the pool.",
		WantKarpenter: "0", WantDisruptkit: "no limit",
	}),
	allows(question{budgets: recurring("0 12 * * *", 0)}, difference{
		Name:          "a duration of no time at all",
		Why:           "For Karpenter such a budget is never active; a freeze would be none.",
		WantKarpenter: "no limit", WantDisruptkit: "0",
	}),
	allows(question{budgets: recurring("0 12 * * *", -time.Hour)}, difference{
		Name:          "a negative duration",
		Why:           "For Karpenter such a budget is never active; a freeze would be none.",
		WantKarpenter: "no limit", WantDisruptkit: "0",
	}),
	allows(question{budgets: recurring("0 12 * * *", 90*time.Second)}, difference{
		Name: "seconds in a duration",
		Why: "Karpenter's schema refuses them, and says that cron does not work in seconds; past there, they " +
			"count.",
		WantKarpenter: "1", WantDisruptkit: "0",
	}),
	allows(question{budgets: []v1.Budget{{Nodes: "-5"}}}, difference{
		Name: "a negative number of nodes",
		Why: "What Karpenter computes with it is negative, and allows nothing; here it is an error, with " +
			"the same effect.",
		WantKarpenter: "-5", WantDisruptkit: "0",
	}),
	allows(question{budgets: []v1.Budget{{Nodes: "+5"}}}, difference{
		Name:          "a plus sign in front of the number",
		Why:           "Karpenter's schema refuses it.",
		WantKarpenter: "5", WantDisruptkit: "0",
	}),
	allows(question{budgets: []v1.Budget{{Nodes: "150%"}}}, difference{
		Name:          "more than 100 percent",
		Why:           "Karpenter's schema refuses it. It could be 15 or 50 that was meant.",
		WantKarpenter: "15", WantDisruptkit: "0",
	}),
	allows(question{budgets: []v1.Budget{{Nodes: "007%"}}}, difference{
		Name:          "a percentage of more than three digits, or of three that are not 100",
		Why:           "Karpenter's schema refuses it.",
		WantKarpenter: "1", WantDisruptkit: "0",
	}),
	allows(question{budgets: []v1.Budget{{Nodes: "4294967301"}}}, difference{
		Name: "a count of more than 32 bits",
		Why: "The schema takes it, and Karpenter keeps its lowest 32 bits: 4294967301 is 5 there, 2147483648 " +
			"is negative.",
		WantKarpenter: "5", WantDisruptkit: "0",
	}),
	allows(question{budgets: []v1.Budget{{Nodes: "ten", Schedule: new("0 1 * * *"), Duration: hours(1)}}}, difference{
		Name: "an invalid number of nodes while the budget is not active",
		Why: "Karpenter finds out when the window opens; here a budget is checked once, and allows nothing " +
			"until it is mended.",
		WantKarpenter: "no limit", WantDisruptkit: "0",
	}),
	allows(question{budgets: []v1.Budget{{Nodes: "", Reasons: because("Empty")}}}, difference{
		Name: "an empty number of nodes", More: true,
		Why:           "Both refuse it, Karpenter for all reasons of the pool. Only a field that is absent means 10 %.",
		WantKarpenter: "0", WantDisruptkit: "no limit",
	}),
	allows(question{budgets: []v1.Budget{{Nodes: "1", Reasons: because("drifted")}}}, difference{
		Name:          "a reason that does not exist",
		Why:           "For Karpenter such a budget is for nothing; nobody knows what it was meant to hold.",
		WantKarpenter: "no limit", WantDisruptkit: "0",
	}),
	allows(question{budgets: []v1.Budget{{Nodes: "1", Reasons: because()}}}, difference{
		Name: "an empty list of reasons",
		Why: "For Karpenter that budget is for nothing, until it is written back: then the list is gone, and " +
			"it is for all.",
		WantKarpenter: "no limit", WantDisruptkit: "1",
	}),
	allows(question{budgets: []v1.Budget{{Nodes: "1", Reasons: because("Drift")}}}, difference{
		Name: "a reason in the words of the RFCs",
		Why: "Drift is Drifted, Consolidation is Underutilized and Emptiness is Empty; for Karpenter such a " +
			"budget is for nothing.",
		WantKarpenter: "no limit", WantDisruptkit: "1",
	}),
	allows(question{budgets: []v1.Budget{{Nodes: "1", Reasons: because("Drifted", "Drifted")}}}, difference{
		Name:          "a reason that appears twice",
		Why:           "Karpenter's schema refuses it; another one may have been meant.",
		WantKarpenter: "1", WantDisruptkit: "0",
	}),
	allows(question{budgets: []v1.Budget{{Nodes: "1", Reasons: slices.Repeat(because("Drifted"), 51)}}}, difference{
		Name:          "more than 50 reasons",
		Why:           "Karpenter's schema refuses them.",
		WantKarpenter: "1", WantDisruptkit: "0",
	}),
	allows(question{budgets: slices.Repeat([]v1.Budget{{Nodes: "1"}}, 51)}, difference{
		Name:          "more than 50 budgets",
		Why:           "Karpenter's schema refuses them.",
		WantKarpenter: "1", WantDisruptkit: "0",
	}),
	allows(question{reason: "drifted"}, difference{
		Name:          "nodes that are disrupted for a reason that no budget can name",
		Why:           "For Karpenter the budgets that name no reason hold; here a typo allows nothing.",
		WantKarpenter: "no limit", WantDisruptkit: "0",
	}),
	allows(question{reason: "Drifted/AMIDrift", budgets: []v1.Budget{{Nodes: "1", Reasons: because("Drifted")}}},
		difference{
			Name: "nodes that are disrupted for a child of a reason",
			Why: "Karpenter knows no children, and never asks for one: a budget for Drifted holds for " +
				"Drifted/AMIDrift as well.",
			WantKarpenter: "no limit", WantDisruptkit: "1",
		}),

	takes(`{"consolidateAfter": "0s", "budgets": [{"nodes": "0", "schedule": "0 0 * * sat-sun", "duration": "48h"}]}`,
		difference{
			Name: "a schedule that the schema takes and that does not parse",
			Why: "The schema's pattern is only about the number of fields. Karpenter allows nothing then, for " +
				"any reason.",
			WantKarpenter: "accepted", WantDisruptkit: "reported",
		}),
	takes(`{"consolidateAfter": "0s", "budgets": [{"nodes": "0", "schedule": "@daily", "duration": "9999999h"}]}`,
		difference{
			Name: "a duration longer than 292 years",
			Why: "The schema takes it, but it overflows in Go: Karpenter cannot read the NodePool, nor any list " +
				"that it is in.",
			WantKarpenter: "accepted, and cannot be read", WantDisruptkit: "reported",
		}),
	takes(`{"consolidateAfter": "0s", "budgets": [{"node": "0"}]}`, difference{
		Name:          "a field that does not exist",
		Why:           "The API server drops it, and the budget may restrict less than it was meant to.",
		WantKarpenter: "accepted", WantDisruptkit: "reported",
	}),
	keeps(`{"consolidateAfter": "0s", "budgets": [{"schedule": "@daily", "duration": "8h", "timeZone": "Asia/Tokyo"}]}`,
		difference{
			Name:           "a field that karpenter.sh/v1 does not have",
			Why:            "The API server drops it. It belongs into an annotation of the NodePool, until Karpenter knows it.",
			WantKarpenter:  `[{"duration":"8h","nodes":"10%","schedule":"@daily"}]`,
			WantDisruptkit: `[{"schedule":"@daily","duration":"8h","timeZone":"Asia/Tokyo"}]`,
		}),
	takes(`{"consolidateAfter": "0s", "budgets": [{"nodes": 5}]}`, difference{
		Name:          "a count of nodes that is a number",
		Why:           "It can only mean one thing.",
		WantKarpenter: "rejected", WantDisruptkit: "accepted",
	}),
	takes(`{"consolidateAfter": "0s", "budgets": [{"reasons": ["Expired", "Drifted/AMIDrift"]}]}`, difference{
		Name:          "a reason that Karpenter asks no budget about",
		Why:           "Children of reasons, and Expired, are for budgets in annotations and for other autoscalers.",
		WantKarpenter: "rejected", WantDisruptkit: "accepted",
	}),
	takes(`{"consolidateAfter": "0s", "budgets": [{"nodes": "1", "reasons": ["Consolidation"]}]}`, difference{
		Name:          "a reason of the RFCs in a NodePool",
		Why:           "It can only mean one thing.",
		WantKarpenter: "rejected", WantDisruptkit: "accepted",
	}),
	takes(`{"consolidateAfter": "0s", "budgets": [{"nodes": "1", "schedule": " @daily", "duration": "8h"}]}`, difference{
		Name:          "white space that only the schema minds",
		Why:           "Karpenter's parser skips it, as disruptkit's does.",
		WantKarpenter: "rejected", WantDisruptkit: "accepted",
	}),
	takes(`{"consolidateAfter": "1.5h"}`, difference{
		Name:          "a consolidateAfter in other units",
		Why:           "It is any duration of Go's; only Never matters here.",
		WantKarpenter: "rejected", WantDisruptkit: "accepted",
	}),
	takes(`{"consolidateAfter": "0s", "consolidationPolicy": "WhenUnderutilized"}`, difference{
		Name:          "the consolidationPolicy of karpenter.sh/v1beta1",
		Why:           "It means what WhenEmptyOrUnderutilized does.",
		WantKarpenter: "rejected", WantDisruptkit: "accepted",
	}),
	unstored(`{"consolidateAfter": "0s"}`, difference{
		Name:          "no list of budgets, past the API server",
		Why:           "The API server fills in 10 %, and Karpenter relies on it; disruptkit knows the default itself.",
		WantKarpenter: "no limit", WantDisruptkit: "1",
	}),
	unstored(`{"consolidateAfter": "0s", "budgets": [{}]}`, difference{
		Name: "no number of nodes, past the API server", More: true,
		Why: "The API server fills in 10 %; to Karpenter an empty text is an error, to disruptkit one that " +
			"is absent is 10 %.",
		WantKarpenter: "0", WantDisruptkit: "1",
	}),

	counts(oneInFlight, difference{
		Name: noLimitLessNodes, More: true,
		Why:           "Karpenter subtracts them from the largest number of 32 bits.",
		WantKarpenter: "2147483646", WantDisruptkit: "no limit",
	}),
	counts(twoMissing, difference{
		Name: missingNodes,
		Why: "Nodes that are gone, and that nothing replaces, are as unavailable as those in flight. The guard counts them only in " +
			"annotated pools.",
		WantKarpenter: "3", WantDisruptkit: "1",
	}),
	counts(twoNamesakes, difference{
		Name:          namesakes,
		Why:           "Nobody could say which of them may be disrupted, so that none does, and percentages are of the others.",
		WantKarpenter: "3", WantDisruptkit: "1",
	}),

	alone(unlabelled, 0, difference{
		Rule: ruleNode, Name: emptyPoolLabel,
		Why:           "Nothing is called so. Karpenter finds out when it looks for the NodePool.",
		WantKarpenter: "may be disrupted", WantDisruptkit: string(candidate.CodeUnmanaged),
	}),
	alone(drained, 0, difference{
		Rule: ruleNode, Name: maintained,
		Why:           "It is disrupted already, by an administrator or another program. Karpenter does not look at these conditions.",
		WantKarpenter: "may be disrupted", WantDisruptkit: string(candidate.CodeDeleting),
	}),

	{
		Rule: rulePod, Name: zeroStart,
		Why: "It is one that nobody has written. For Karpenter such a pod has run for long.",
		Karpenter: func() string {
			return goes(podutils.IsDisruptable(startedAtZero(), clocktesting.NewFakeClock(noon), nil))
		},
		Disruptkit:    func() string { return said(judged(candidate.Rules{}, noon, startedAtZero())) },
		WantKarpenter: "may be disrupted", WantDisruptkit: string(candidate.CodeDoNotDisrupt),
	},
	evicts(newPDB("blue", -1), difference{
		Name:          negativeAllowance,
		Why:           "Eviction refuses such pods, and so a drain would wait. Karpenter only looks for 0.",
		WantKarpenter: "may be disrupted", WantDisruptkit: string(candidate.CodeAllowsNone),
	}),
	evicts(&policyv1.PodDisruptionBudget{
		ObjectMeta: metav1.ObjectMeta{Namespace: "green", Name: "broken"},
		Spec:       policyv1.PodDisruptionBudgetSpec{Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "a b"}}},
	}, difference{
		Name: brokenSelector, More: true,
		Why:           "Karpenter disrupts nothing in the whole cluster then. It can only be about pods of its own namespace.",
		WantKarpenter: "may not be disrupted", WantDisruptkit: "may be disrupted",
	}),
	annotates(map[string]string{kube.DisruptionScheduleAnnotation: "0 3 * * *"}, difference{
		Name:          closedWindow,
		Why:           "Karpenter does not know the pod disruption schedules of its RFC yet.",
		WantKarpenter: "may be disrupted", WantDisruptkit: string(candidate.CodeOutsideSchedule),
	}),
	annotates(map[string]string{kube.DoNotDisruptAnnotation: "yes"}, difference{
		Name:          failClosed,
		Why:           "It is what Rules.FailClosed is for. Without it they are ignored, as in Karpenter.",
		WantKarpenter: "may be disrupted", WantDisruptkit: string(candidate.CodeInvalidAnnotation),
	}),
	{
		Rule: ruleCandidate, Name: noInstanceTypes, More: true,
		Why: "Karpenter could not replace its nodes. A decision is about whether they may be disrupted, and not about what comes after them.",
		Karpenter: func() string {
			n, o := newMachine("n0").observe(failing{}, noon)
			_, err := newCandidate(o, n, nil, disruption.EventualDisruptionClass)
			return goes(err == nil)
		},
		Disruptkit: func() string {
			n, o := newMachine("n0").observe(failing{}, noon)
			return said(gates(&tenant{observed: o}, n, candidate.Drifted))
		},
		WantKarpenter: "may not be disrupted", WantDisruptkit: "may be disrupted",
	},
	{
		Rule: ruleTogether, Name: sharedPDB,
		Why:           "Karpenter asks each node on its own. All that is allowed can be drained at the same time here.",
		Karpenter:     func() string { return countText(len(neighbours().candidates(failing{}))) },
		Disruptkit:    func() string { return countText(len(neighbours().decide(failing{}).Allowed)) },
		WantKarpenter: "2", WantDisruptkit: "1",
	},
}

func because(reasons ...v1.DisruptionReason) []v1.DisruptionReason {
	return append([]v1.DisruptionReason{}, reasons...)
}

// recurring is a budget of 1 with a window.
func recurring(schedule string, d time.Duration, reasons ...v1.DisruptionReason) []v1.Budget {
	return []v1.Budget{{Nodes: "1", Schedule: &schedule, Duration: &metav1.Duration{Duration: d}, Reasons: reasons}}
}

func hours(n int) *metav1.Duration { return &metav1.Duration{Duration: time.Duration(n) * time.Hour} }

// differenceNamed returns a row of the table. A test that names a row that is not there is wrong.
func differenceNamed(name string) difference {
	i := slices.IndexFunc(differences, func(d difference) bool { return d.Name == name })
	if i < 0 {
		panic("no such difference: " + name)
	}
	return differences[i]
}

// mayLetMoreGo reports whether one of the rows says that disruptkit may allow more nodes than Karpenter.
func mayLetMoreGo(rows []string) bool {
	return slices.ContainsFunc(rows, func(name string) bool { return differenceNamed(name).More })
}

// met counts how often a random test met each row.
type met map[string]int

func (m met) count(rows []string) {
	for _, name := range rows {
		m[differenceNamed(name).Name]++
	}
}

// wantAll fails if the test of a rule missed a row: then the row is none, or the test does not look there.
func (m met) wantAll(t *testing.T, rule string) {
	t.Helper()
	for _, d := range differences {
		if d.Rule == rule {
			t.Logf("%6d × %s", m[d.Name], d.Name)
		}
		if d.Rule == rule && m[d.Name] == 0 && !testing.Short() {
			t.Errorf("no random case met the difference %q", d.Name)
		}
	}
}

func TestDifferences(t *testing.T) {
	quiet(t)
	for _, d := range differences {
		t.Run(d.Name, func(t *testing.T) {
			if got := d.Karpenter(); got != d.WantKarpenter {
				t.Errorf("Karpenter says %s, and used to say %s", got, d.WantKarpenter)
			}
			if got := d.Disruptkit(); got != d.WantDisruptkit {
				t.Errorf("disruptkit says %s, want %s", got, d.WantDisruptkit)
			}
			if d.WantKarpenter == d.WantDisruptkit || d.Why == "" {
				t.Error("that is no difference, or one without a reason")
			}
			if more, isCount := letsMoreGo(d); isCount && more != d.More {
				t.Errorf("More is %v, and should be %v", d.More, more)
			}
		})
	}
}

// letsMoreGo reports whether disruptkit allows more nodes in the example, where both say how many.
func letsMoreGo(d difference) (more, isCount bool) {
	count := func(text string) (int, error) {
		if text == "no limit" {
			return math.MaxInt32, nil
		}
		return strconv.Atoi(text)
	}
	theirs, err := count(d.WantKarpenter)
	ours, ourErr := count(d.WantDisruptkit)
	return ours > max(0, theirs), err == nil && ourErr == nil
}

// countText describes how many nodes are disrupted.
func countText(n int) string {
	if n >= math.MaxInt32 {
		return "no limit"
	}
	return fmt.Sprint(n)
}
