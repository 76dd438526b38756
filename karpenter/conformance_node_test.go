package karpenter_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	clocktesting "k8s.io/utils/clock/testing"
	"pgregory.net/rapid"
	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"
	"sigs.k8s.io/karpenter/pkg/controllers/state"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/karpenter"
)

const ruleNode = "node" // what a node by itself has against being disrupted

const (
	emptyPoolLabel = "a NodePool label that is empty"
	maintained     = "a condition that says that somebody drains the node"
)

// alone makes a row of a machine that is read at noon, and judged some time later.
func alone(of func() machine, later time.Duration, d difference) difference {
	d.Karpenter = func() string {
		n, _ := of().observe(failing{}, noon)
		return goes(n.ValidateNodeDisruptable(clocktesting.NewFakeClock(noon.Add(later))) == nil)
	}
	d.Disruptkit = func() string {
		n, _ := of().observe(failing{}, noon)
		to, _ := karpenter.ToNode(n, noon)
		return said(candidate.NodeGate(&to, drifted, candidate.Minimum{}, noon.Add(later)))
	}
	return d
}

// unlabelled is a machine whose NodePool label is empty.
func unlabelled() machine {
	m := newMachine("n0")
	m.node.Labels[v1.NodePoolLabelKey] = ""
	return m
}

// drained is a machine that somebody has drained.
func drained() machine {
	m := newMachine("n0")
	onStatus("Drained", corev1.ConditionTrue)(&m)
	return m
}

// expecting is a machine that is nominated for some time more.
func expecting(more time.Duration) func() machine {
	return func() machine {
		m := newMachine("n0")
		m.nominated, m.nominatedAgo = true, nominatedFor-more
		return m
	}
}

// drifted is a condition for which nodes are candidates.
var drifted = candidate.Condition{Reason: candidate.Drifted}

func goes(may bool) string {
	if may {
		return "may be disrupted"
	}
	return "may not be disrupted"
}

// said describes what blockers say.
func said(blockers []candidate.Blocker) string {
	if len(blockers) == 0 {
		return goes(true)
	}
	return strings.Join(codes(blockers), ", ")
}

// A node by itself may be disrupted where Karpenter says so.
func TestNodesConformToKarpenter(t *testing.T) {
	seen := met{}
	rounds(t, 80, func(t *rapid.T) {
		now := drawNow(t)
		m := drawMachine(t, 0, now)
		drawMaintenance(t, &m)
		n, o := m.observe(t, now)
		to, _ := karpenter.ToNode(n, now)
		blockers := candidate.NodeGate(&to, drifted, candidate.Minimum{}, now)
		err := n.ValidateNodeDisruptable(o.clock)
		if to.Maintenance.Condition != "" {
			if held := said(blockers); err == nil && held == string(candidate.CodeDeleting) {
				seen.count([]string{maintained})
			} else if !strings.Contains(held, string(candidate.CodeDeleting)) {
				t.Fatalf("somebody drains it, and it is blocked by %v", blockers)
			}
			to.Leaving, to.Maintenance = candidate.Staying, candidate.Maintenance{}
			blockers = candidate.NodeGate(&to, drifted, candidate.Minimum{}, now)
		}
		pool, labelled := n.Labels()[v1.NodePoolLabelKey]
		switch {
		case (len(blockers) > 0) == (err != nil):
		case labelled && pool == "" && slices.Equal(codes(blockers), []string{string(candidate.CodeUnmanaged)}):
			seen.count([]string{emptyPoolLabel})
		default:
			t.Fatalf("blocked by %v, Karpenter says %v: %+v", blockers, err, to)
		}
		compareRepair(t, n, to, err, now)
	})
	seen.wantAll(t, ruleNode)
}

// compareRepair compares what a node by itself says against its repair: do-not-repair, and not all of what blocks it otherwise.
// (Karpenter: NewCandidate, Repair.ShouldDisrupt.)
func compareRepair(t *rapid.T, n *state.StateNode, to candidate.Node, err error, now time.Time) {
	unhealthy := candidate.Condition{Reason: candidate.Unhealthy, Since: now.Add(-time.Hour)}
	ours := candidate.NodeGate(&to, unhealthy, candidate.Minimum{}, now)
	err = state.IgnoreNodeUninitializedError(state.IgnoreNodeDoNotDisruptError(err))
	vetoed := n.Annotations()[v1.DoNotRepairAnnotationKey] == "true"
	if theirs := err == nil && !vetoed && n.Labels()[v1.NodePoolLabelKey] != ""; theirs != (len(ours) == 0) {
		t.Fatalf("repair is blocked by %v, Karpenter says %v (vetoed: %t): %+v", ours, err, vetoed, to)
	}
}

// A nomination holds, to the nanosecond, as long as it does for Karpenter.
func TestNominationConformsToKarpenter(t *testing.T) {
	cases(t, 4000, func(t *rapid.T) {
		now := drawNow(t)
		more := time.Duration(rapid.Int64Range(0, int64(nominatedFor)).Draw(t, "more"))
		n, _ := expecting(more)().observe(t, now)
		to, _ := karpenter.ToNode(n, now)
		end := now.Add(more)
		later := end.Add(rapid.OneOf(
			rapid.SampledFrom([]time.Duration{-time.Second, -1, 0, 1, time.Second - 1, time.Second, time.Minute}),
			rapid.Custom(func(t *rapid.T) time.Duration { return time.Duration(rapid.Int64Range(-20e9, 20e9).Draw(t, "off")) }),
		).Draw(t, "past its end"))
		if later.Before(now) {
			return
		}
		theirs := n.ValidateNodeDisruptable(clocktesting.NewFakeClock(later)) != nil
		ours := len(candidate.NodeGate(&to, drifted, candidate.Minimum{}, later)) > 0
		if ours != theirs {
			t.Fatalf("nominated up to %s, at %s: %v, Karpenter says %v", end, later, ours, theirs)
		}
	})
}
