package karpenter_test

import (
	stdcmp "cmp"
	"context"
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"pgregory.net/rapid"
	"sigs.k8s.io/karpenter/pkg/cloudprovider"
	cloudfake "sigs.k8s.io/karpenter/pkg/cloudprovider/fake"
	"sigs.k8s.io/karpenter/pkg/controllers/node/health"
	"sigs.k8s.io/karpenter/pkg/operator/options"

	"github.com/disruptkit/disruptkit/internal/testkit"
	"github.com/disruptkit/disruptkit/internal/testkit/generate"
	"github.com/disruptkit/disruptkit/repair"
)

// matcher returns what Karpenter makes of repair policies.
func matcher(policies []repair.Policy) (*health.RepairPolicyMatcher, error) {
	cloud := cloudfake.NewCloudProvider()
	cloud.RepairPolicy = nil
	for _, p := range policies {
		cloud.RepairPolicy = append(cloud.RepairPolicy, cloudprovider.RepairPolicy{
			ConditionType: corev1.NodeConditionType(p.ConditionType), ConditionStatus: corev1.ConditionStatus(p.ConditionStatus),
			ReasonRegex: p.ReasonRegex, TolerationDuration: p.TolerationDuration, TerminationGracePeriod: p.TerminationGracePeriod,
			Priority: p.Priority, Action: cloudprovider.RepairAction(p.Action),
		})
	}
	ctx := options.ToContext(context.Background(), &options.Options{FeatureGates: options.FeatureGates{NodeRepair: true}})
	return health.NewRepairPolicyMatcher(ctx, cloud)
}

// sickNode returns a node as Karpenter has it.
func sickNode(n repair.Node) *corev1.Node {
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{CreationTimestamp: metav1.NewTime(n.Created)}}
	for _, c := range n.Conditions {
		node.Status.Conditions = append(node.Status.Conditions, corev1.NodeCondition{
			Type: corev1.NodeConditionType(c.Type), Status: corev1.ConditionStatus(c.Status), Reason: c.Reason,
			LastTransitionTime: metav1.NewTime(c.LastTransitionTime),
		})
	}
	return node
}

// drawSick draws a node that was created at some time, as all are that an API server knows.
func drawSick(t *rapid.T, label string) repair.Node {
	n := testkit.Arbitrary(generate.Unhealthy(noon)).Filter(func(n repair.Node) bool { return !n.Created.IsZero() }).Draw(t, label)
	n.Reboots = repair.Reboots{} // Karpenter's history is a part of the method, not of the policies
	return n
}

// What is repaired, how, since when, because of what, with which bound, and who comes first, is the same.
func TestRepairPoliciesConformToKarpenter(t *testing.T) {
	repairs, waits, reboots, ordered := 0, 0, 0, 0
	rounds(t, 60, func(t *rapid.T) {
		policies := testkit.Arbitrary(generate.Policies).Draw(t, "policies")
		theirs := must(matcher(policies))
		set := must(repair.Compile(policies))
		var ours [2]repair.Result
		var scores [2]float64
		for i, label := range []string{"node", "other"} {
			n := drawSick(t, label)
			node := sickNode(n)
			want := health.Resolve(theirs.Match(node), noon, n.RebootEnded)
			got := repair.Resolve(set, n, noon)
			if diff := cmp.Diff(toldByKarpenter(want), toldBy(got, policies)); diff != "" {
				t.Fatalf("Karpenter says (-), disruptkit (+):\n%s", diff)
			}
			for _, c := range n.Conditions {
				unhealthy := theirs.Matches(corev1.NodeCondition{Type: corev1.NodeConditionType(c.Type), Status: corev1.ConditionStatus(c.Status)})
				if set.Unhealthy([]repair.Condition{c}) != unhealthy {
					t.Fatalf("%s is unhealthy for Karpenter: %t", c, unhealthy)
				}
			}
			ours[i], scores[i] = got, want.ScoreAt(noon)
			switch {
			case got.Action == "" && got.Since.IsZero():
			case got.Action == "":
				waits++
				then := health.Resolve(theirs.Match(node), got.Since, n.RebootEnded)
				just := health.Resolve(theirs.Match(node), got.Since.Add(-1), n.RebootEnded)
				if then.Action == "" || just.Action != "" || !then.SelectedEligibleAt.Equal(got.Since) {
					t.Fatalf("disruptkit waits until %v, and Karpenter repairs then %q, just before %q", got.Since, then.Action, just.Action)
				}
			default:
				repairs++
				if got.Action == repair.Reboot {
					reboots++
				}
			}
		}
		if ours[0].Action == "" || ours[1].Action == "" {
			return
		}
		const tie = 1e-9 // less is Karpenter's floating point alone: all times are whole minutes
		comes := 0       // whose score is higher
		if d := scores[1] - scores[0]; math.Abs(d) > tie {
			comes = stdcmp.Compare(d, 0)
			ordered++
		}
		if got := ours[0].Urgency.Compare(ours[1].Urgency); got != comes {
			t.Fatalf("urgencies %v and %v, Karpenter's scores %v and %v", ours[0].Urgency, ours[1].Urgency, scores[0], scores[1])
		}
	})
	t.Logf("%d repairs, %d of them reboots, %d waits, %d pairs in order", repairs, reboots, waits, ordered)
	if min(repairs, reboots, waits, ordered) < 5 && !testing.Short() {
		t.Error("too few of some kind were met")
	}
}

// A told result is what Karpenter reports of one.
type told struct {
	Action                    repair.Action
	Condition, Status, Reason string
	Expression                string // "" is the fallback
	Since                     time.Time
	Bound                     *time.Duration
	BoundBy                   string
}

func toldByKarpenter(r health.RepairResult) told {
	if r.Action == "" {
		return told{}
	}
	is := told{
		Action: repair.Action(r.Action), Condition: string(r.Condition), Status: string(r.ConditionStatus), Reason: r.Reason,
		Expression: r.ReasonRegex, Since: r.SelectedEligibleAt,
	}
	if r.TerminationGracePeriod != nil {
		is.Bound, is.BoundBy = r.TerminationGracePeriod, string(r.TerminationGracePeriodCondition)
	}
	return is
}

func toldBy(r repair.Result, policies []repair.Policy) told {
	if r.Action == "" {
		return told{}
	}
	return told{
		Action: r.Action, Condition: r.Cause.Type, Status: r.Cause.Status, Reason: r.Cause.Reason,
		Expression: policies[r.Policy].ReasonRegex, Since: r.Since, Bound: r.Bound, BoundBy: r.BoundBy,
	}
}

// What Karpenter does not start with repairs nothing, and the other way around.
func TestTheFaultsOfRepairPoliciesConformToKarpenter(t *testing.T) {
	sound, faulty := 0, 0
	rounds(t, 60, func(t *rapid.T) {
		policies := testkit.Arbitrary(generate.Policies).Draw(t, "policies")
		if onceIn(t, 2, "faulty") {
			p := &policies[rapid.IntRange(0, len(policies)-1).Draw(t, "which")]
			p.ConditionType = pick(t, "type", p.ConditionType, p.ConditionType, "")
			p.ConditionStatus = pick(t, "status", p.ConditionStatus, p.ConditionStatus, "", "true", "Unhealthy")
			p.ReasonRegex = pick(t, "expression", p.ReasonRegex, p.ReasonRegex, "", "(", "(?!x)", "x{1001}", "\xff", "()")
			p.TolerationDuration = pick(t, "toleration", p.TolerationDuration, p.TolerationDuration, -1)
			p.TerminationGracePeriod = pick(t, "bound", p.TerminationGracePeriod, p.TerminationGracePeriod, new(time.Duration(-1)))
			p.Priority = pick(t, "priority", p.Priority, p.Priority, -1, 0, 100, 101)
			p.Action = pick(t, "action", p.Action, p.Action, "", repair.Reboot, "replace", "NoAction")
		}
		if onceIn(t, 10, "none") {
			policies = nil
		}
		_, theirs := matcher(policies)
		_, ours := repair.Compile(policies)
		if (theirs == nil) != (ours == nil) {
			t.Fatalf("Karpenter says %v, disruptkit %v", theirs, ours)
		}
		if ours == nil {
			sound++
		} else {
			faulty++
		}
	})
	t.Logf("%d lists were sound, %d faulty", sound, faulty)
	if min(sound, faulty) < 5 && !testing.Short() {
		t.Error("too few of some kind were met")
	}
}
