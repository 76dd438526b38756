package karpenter_test

import (
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/candidate/kube"
	"github.com/disruptkit/disruptkit/karpenter"
)

var (
	hourAgo   = noon.Add(-time.Hour)
	minuteAgo = noon.Add(-time.Minute)
)

// condition sets a condition of a machine's NodeClaim.
func condition(kind, reason string, status metav1.ConditionStatus) func(*machine) {
	return func(m *machine) {
		m.claim.Status.Conditions = append(m.claim.Status.Conditions, claimCondition(kind, reason, status, hourAgo))
	}
}

// deleted marks a machine's NodeClaim as such.
func deleted(m *machine) { m.claim.DeletionTimestamp = &metav1.Time{Time: minuteAgo} }

// nodeDeleted marks a machine's Node as such.
func nodeDeleted(m *machine) { m.node.DeletionTimestamp = &metav1.Time{Time: minuteAgo} }

// patient gives a machine's NodeClaim a grace period.
func patient(m *machine) {
	m.claim.Spec.TerminationGracePeriod = &metav1.Duration{Duration: 10 * time.Minute}
}

func readyIs(status corev1.ConditionStatus) func(*machine) {
	return func(m *machine) {
		m.node.Status.Conditions = []corev1.NodeCondition{
			{Type: corev1.NodeMemoryPressure, Status: corev1.ConditionTrue},
			{Type: corev1.NodeReady, Status: status, LastTransitionTime: metav1.NewTime(hourAgo)},
		}
	}
}

// likeNode is a node that looks like one of Karpenter, but has no NodeClaim.
func likeNode(m *machine) { m.claim = nil }

// unregistered is a machine whose NodeClaim counts for its Node.
func unregistered(m *machine) {
	delete(m.node.Labels, v1.NodeRegisteredLabelKey)
	m.claim.Labels = map[string]string{v1.NodePoolLabelKey: "batch"}
}

func annotated(value string) func(*metav1.ObjectMeta) {
	return func(o *metav1.ObjectMeta) { o.Annotations = map[string]string{v1.DoNotDisruptAnnotationKey: value} }
}

func onNode(change func(*metav1.ObjectMeta)) func(*machine) {
	return func(m *machine) { change(&m.node.ObjectMeta) }
}

func onClaim(change func(*metav1.ObjectMeta)) func(*machine) {
	return func(m *machine) { change(&m.claim.ObjectMeta) }
}

// onStatus adds a condition to the Node.
func onStatus(kind corev1.NodeConditionType, is corev1.ConditionStatus) func(*machine) {
	return func(m *machine) {
		m.node.Status.Conditions = append(m.node.Status.Conditions, corev1.NodeCondition{Type: kind, Status: is, LastTransitionTime: metav1.NewTime(hourAgo)})
	}
}

func TestNodesAreReadFromClusterState(t *testing.T) {
	for _, tt := range []struct {
		name    string
		changes []func(*machine)
		want    func(*candidate.Node)
		warning string
	}{
		{name: "a node in order", want: func(n *candidate.Node) {}},
		{
			name: "a node that is Ready for long", changes: []func(*machine){readyIs(corev1.ConditionTrue)},
			want: func(n *candidate.Node) { n.ReadySince = hourAgo },
		},
		{
			name: "a node that is not Ready for long", changes: []func(*machine){readyIs(corev1.ConditionFalse)},
			want: func(n *candidate.Node) { n.Phase = candidate.NotReady },
		},
		{
			name: "a Node without a NodeClaim has no pool", changes: []func(*machine){likeNode},
			want: func(n *candidate.Node) { n.Pool, n.Phase = "", candidate.Launched },
		},
		{
			name:    "a Node without a NodeClaim that is deleted",
			changes: []func(*machine){likeNode, nodeDeleted},
			want:    func(n *candidate.Node) { n.Pool, n.Phase, n.Leaving = "", candidate.Launched, candidate.Draining },
		},
		{
			name:    "a Node that is deleted, but not its NodeClaim",
			changes: []func(*machine){nodeDeleted},
			want:    func(n *candidate.Node) {},
		},
		{
			name:    "a NodeClaim without a Node is not initialized",
			changes: []func(*machine){func(m *machine) { m.node = nil }},
			want: func(n *candidate.Node) {
				n.Name, n.Phase = "n0-claim", candidate.Launched
				n.Labels = map[string]string{v1.NodePoolLabelKey: "default"}
			},
		},
		{
			name: "a node that is not registered has the labels of its NodeClaim", changes: []func(*machine){unregistered},
			want: func(n *candidate.Node) {
				n.Name, n.Pool, n.Labels = "n0-claim", "batch", map[string]string{v1.NodePoolLabelKey: "batch"}
			},
		},
		{
			name: "a node that is not initialized",
			changes: []func(*machine){onNode(func(o *metav1.ObjectMeta) {
				o.Labels[v1.NodeInitializedLabelKey] = "false"
			})},
			want: func(n *candidate.Node) { n.Phase, n.Labels[v1.NodeInitializedLabelKey] = candidate.Registered, "false" },
		},
		{
			name: "a node that a pod is expected on",
			changes: []func(*machine){func(m *machine) {
				m.nominated, m.nominatedAgo = true, 7*time.Second
			}},
			want: func(n *candidate.Node) { n.NominatedUntil = noon.Add(nominatedFor - 7*time.Second) },
		},
		{
			name: "a nomination that is over",
			changes: []func(*machine){func(m *machine) {
				m.nominated, m.nominatedAgo = true, nominatedFor
			}},
			want: func(n *candidate.Node) {},
		},
		{
			name: "a node that is not to be disrupted", changes: []func(*machine){onNode(annotated("true"))},
			want: func(n *candidate.Node) { n.DoNotDisrupt = true },
		},
		{
			name: "a duration means nothing on a node", changes: []func(*machine){onNode(annotated("4h"))},
			want: func(n *candidate.Node) {}, warning: `"4h" blocks nothing on a node`,
		},
		{
			name: "the annotation of a NodeClaim, whose Node has none", changes: []func(*machine){onClaim(annotated("true"))},
			want: func(n *candidate.Node) {},
		},
		{
			name: "the annotation of the NodeClaim of a node that is not registered", changes: []func(*machine){unregistered,
				onClaim(annotated("true"))},
			want: func(n *candidate.Node) {
				n.Name, n.Pool, n.Labels = "n0-claim", "batch", map[string]string{v1.NodePoolLabelKey: "batch"}
				n.DoNotDisrupt = true
			},
		},
		{
			name: "a node that Karpenter is about to delete", changes: []func(*machine){func(m *machine) { m.marked = true }},
			want: func(n *candidate.Node) { n.Leaving = candidate.Draining },
		},
		{
			name: "a NodeClaim that is deleted", changes: []func(*machine){deleted},
			want: func(n *candidate.Node) { n.Leaving = candidate.Draining },
		},
		{
			name:    "a NodeClaim that is deleted because of drift",
			changes: []func(*machine){deleted, condition(v1.ConditionTypeDisruptionReason, "Drifted", "True")},
			want:    func(n *candidate.Node) { n.Leaving, n.DisruptedFor = candidate.Draining, candidate.Drifted },
		},
		{
			name:    "a NodeClaim that is deleted for a reason that nobody knows",
			changes: []func(*machine){deleted, condition(v1.ConditionTypeDisruptionReason, "Whim", "True")},
			want:    func(n *candidate.Node) { n.Leaving = candidate.Draining },
		},
		{
			name:    "a reason to delete a node that is not deleted",
			changes: []func(*machine){condition(v1.ConditionTypeDisruptionReason, "Empty", "True")},
			want:    func(n *candidate.Node) {},
		},
		{
			name:    "a node whose instance terminates",
			changes: []func(*machine){condition(v1.ConditionTypeInstanceTerminating, "InstanceTerminating", "True")},
			want:    func(n *candidate.Node) { n.Leaving = candidate.Terminating },
		},
		{
			name:    "a node that reboots, which is repair",
			changes: []func(*machine){condition(v1.ConditionTypeDisruptionReason, "Unhealthy", "True"), condition(v1.ConditionTypeRebooting, v1.RebootReasonRequested, "True")},
			want:    func(n *candidate.Node) { n.Rebooting, n.DisruptedFor = true, candidate.Unhealthy },
		},
		{
			name:    "a reboot that is over",
			changes: []func(*machine){condition(v1.ConditionTypeRebooting, "RebootSucceeded", "False")},
			want:    func(n *candidate.Node) {},
		},
		{
			name:    "a node that somebody drains (KEP-5683)",
			changes: []func(*machine){onStatus("DrainInProgress", corev1.ConditionTrue)},
			want: func(n *candidate.Node) {
				kube.Maintain(n, candidate.Maintenance{Condition: "DrainInProgress", Since: hourAgo})
			},
		},
		{
			name:    "a node that is to be drained, or was",
			changes: []func(*machine){onStatus("MaintenancePlanned", corev1.ConditionTrue), onStatus("Drained", corev1.ConditionFalse), onStatus("MaintenanceInProgress", corev1.ConditionUnknown)},
			want:    func(n *candidate.Node) {},
		},
		{
			name:    "a node that somebody drains, and that is disrupted for good",
			changes: []func(*machine){onStatus("Drained", corev1.ConditionTrue), condition(v1.ConditionTypeInstanceTerminating, "InstanceTerminating", "True")},
			want:    func(n *candidate.Node) { n.Leaving = candidate.Terminating },
		},
		{
			name:    "a node that is not to be repaired",
			changes: []func(*machine){onNode(func(o *metav1.ObjectMeta) { o.Annotations = map[string]string{v1.DoNotRepairAnnotationKey: "true"} })},
			want:    func(n *candidate.Node) { n.DoNotRepair = true },
		},
		{
			name:    "another word for that",
			changes: []func(*machine){onNode(func(o *metav1.ObjectMeta) { o.Annotations = map[string]string{v1.DoNotRepairAnnotationKey: "yes"} })},
			want:    func(n *candidate.Node) {}, warning: `"yes" blocks nothing on a node`,
		},
		{
			name:    "a NodeClaim that is an hour older than its Node",
			changes: []func(*machine){func(m *machine) { m.claim.CreationTimestamp = metav1.NewTime(minuteAgo.Add(-time.Hour)) }},
			want:    func(n *candidate.Node) { n.Created = minuteAgo.Add(-time.Hour) },
		},
		{
			name: "a grace period", changes: []func(*machine){patient},
			want: func(n *candidate.Node) { n.HasGracePeriod = true },
		},
		{
			name: "a grace period that has begun", changes: []func(*machine){patient, deleted},
			want: func(n *candidate.Node) {
				n.HasGracePeriod, n.Leaving, n.Deadline = true, candidate.Draining, minuteAgo.Add(10*time.Minute)
			},
		},
		{
			name: "a time at which Karpenter ends it",
			changes: []func(*machine){patient, deleted, onClaim(func(o *metav1.ObjectMeta) {
				o.Annotations = map[string]string{v1.NodeClaimTerminationTimestampAnnotationKey: "2026-11-20T12:03:00Z"}
			})},
			want: func(n *candidate.Node) {
				n.HasGracePeriod, n.Leaving, n.Deadline = true, candidate.Draining, noon.Add(3*time.Minute)
			},
		},
		{
			name: "a time that cannot be read",
			changes: []func(*machine){patient, deleted, onClaim(func(o *metav1.ObjectMeta) {
				o.Annotations = map[string]string{v1.NodeClaimTerminationTimestampAnnotationKey: "at three"}
			})},
			want: func(n *candidate.Node) {
				n.HasGracePeriod, n.Leaving, n.Deadline = true, candidate.Draining, minuteAgo.Add(10*time.Minute)
			},
		},
		{
			name: "drift that does not hold anymore", changes: []func(*machine){condition(v1.ConditionTypeDrifted,
				"NodePoolDrifted",
				"False")},
			want: func(n *candidate.Node) {},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := newMachine("n0")
			want := candidate.Node{
				Name:   "n0",
				Pool:   "default",
				Labels: maps.Clone(m.node.Labels),
				Phase:  candidate.Running,
			}
			for _, change := range tt.changes {
				change(&m)
			}
			tt.want(&want)
			n, _ := m.observe(t, noon)
			got, warnings := karpenter.ToNode(n, noon)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
			wantWarning(t, warnings, tt.warning)
		})
	}
}

// wantWarning fails unless there is one warning that says something, or none where nothing is to be said.
func wantWarning(t *testing.T, warnings []candidate.Warning, text string) {
	t.Helper()
	switch {
	case text == "" && len(warnings) == 0:
	case text != "" && len(warnings) == 1 && strings.Contains(warnings[0].Message, text):
	default:
		t.Errorf("warnings: %v, want one with %q", warnings, text)
	}
}

func TestReasonsForDriftAreChildrenOfDrifted(t *testing.T) {
	for _, tt := range []struct {
		written string
		want    candidate.Reason
		warning string
	}{
		{written: "NodePoolDrifted", want: "Drifted/NodePoolDrifted"},
		{written: "AMIDrift", want: "Drifted/AMIDrift"},
		{written: "Provider:Image", want: "Drifted/Provider:Image"},
		{written: "Drifted", want: "Drifted"},
		{written: "Drift", want: "Drifted"},
		{written: "", want: "Drifted"},
		{written: "drifted", want: "Drifted",
			warning: `"Drifted/drifted" repeats its method: write Drifted; it counts as Drifted`},
		{written: "Empty", want: "Drifted", warning: `"Drifted/Empty" names two methods`},
		{written: "AMI drift", want: "Drifted", warning: `"Drifted/AMI drift" has a malformed child`},
		{written: "a/b", want: "Drifted", warning: `"Drifted/a/b" has a malformed child`},
		{written: "All", want: "Drifted", warning: "it counts as Drifted"},
	} {
		t.Run("the reason "+tt.written, func(t *testing.T) {
			m := newMachine("n0")
			condition(v1.ConditionTypeDrifted, tt.written, metav1.ConditionTrue)(&m)
			n, _ := m.observe(t, noon)
			got, warnings := karpenter.ToNode(n, noon)
			if diff := cmp.Diff([]candidate.Condition{{Reason: tt.want, Since: hourAgo}}, got.Conditions); diff != "" {
				t.Error(diff)
			}
			wantWarning(t, warnings, tt.warning)
			if tt.warning != "" && (warnings[0].Object != "NodeClaim/n0-claim" || warnings[0].Value != tt.written ||
				warnings[0].Code != candidate.CodeUnknownReason) {
				t.Errorf("%+v", warnings[0])
			}
		})
	}
}

func TestANodeIsOnlyRead(t *testing.T) {
	m := newMachine("n0")
	for _, change := range []func(*machine){deleted, patient,
		condition(v1.ConditionTypeDrifted, "AMIDrift", metav1.ConditionTrue), onNode(annotated("1h"))} {
		change(&m)
	}
	n, _ := m.observe(t, noon)
	before := n.DeepCopy()
	karpenter.ToNode(n, noon)
	if diff := cmp.Diff(before.NodeClaim, n.NodeClaim); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(before.Node, n.Node); diff != "" {
		t.Error(diff)
	}
}
