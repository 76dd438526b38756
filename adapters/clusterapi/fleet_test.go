package main

import (
	"slices"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/annotation"
)

func TestNewMachinesHaveTimeToCome(t *testing.T) {
	for _, startup := range []time.Duration{0, -time.Minute} {
		if _, err := newRoller(&rest.Config{}, types.NamespacedName{}, startup, nil); err == nil || !strings.Contains(err.Error(), "-startup-timeout is "+startup.String()+": write") {
			t.Errorf("%s: %v", startup, err)
		}
	}
}

func TestAMachineIsANodeThatNeverJoins(t *testing.T) {
	condition := func(kind string, status metav1.ConditionStatus, reason string) metav1.Condition {
		return metav1.Condition{Type: kind, Status: status, Reason: reason}
	}
	available := condition(clusterv1.MachineAvailableCondition, metav1.ConditionTrue, "Available")
	outdated := condition(clusterv1.MachineUpToDateCondition, metav1.ConditionFalse, clusterv1.MachineNotUpToDateReason)
	sick := condition(clusterv1.MachineHealthCheckSucceededCondition, metav1.ConditionFalse, "UnhealthyNode")
	waits := condition(clusterv1.MachineOwnerRemediatedCondition, metav1.ConditionFalse, clusterv1.MachineSetMachineCannotBeRemediatedReason)
	type want struct {
		phase   candidate.Phase
		leaving candidate.Leaving
		lasts   candidate.Reason // why it is in flight
		reasons []candidate.Reason
	}
	for name, c := range map[string]struct {
		conditions []metav1.Condition
		goes, none bool // it is disrupted; it has never become a node
		want       want
	}{
		"one that nothing is known of": {want: want{phase: candidate.NotReady}},
		"one that runs":                {conditions: []metav1.Condition{available}, want: want{phase: candidate.Running}},
		"an outdated one": {conditions: []metav1.Condition{available, outdated},
			want: want{phase: candidate.Running, reasons: []candidate.Reason{candidate.Drifted}}},
		"an outdated one that has never become a node": {conditions: []metav1.Condition{outdated}, none: true,
			want: want{phase: candidate.NotReady, reasons: []candidate.Reason{candidate.Drifted, candidate.Unhealthy}}},
		"a new one that is no node yet": {none: true, want: want{phase: candidate.NotReady}},
		"one that is updated in place": {
			conditions: []metav1.Condition{condition(clusterv1.MachineUpToDateCondition, metav1.ConditionFalse, clusterv1.MachineUpToDateUpdatingReason)},
			want:       want{phase: candidate.NotReady}},
		"one that its MachineSet repairs": {
			conditions: []metav1.Condition{sick, condition(clusterv1.MachineOwnerRemediatedCondition, metav1.ConditionFalse, "RemediationDeferred")},
			want:       want{phase: candidate.NotReady}},
		"one that waits for a roll to be repaired": {conditions: []metav1.Condition{outdated, sick, waits},
			want: want{phase: candidate.NotReady, reasons: []candidate.Reason{candidate.Drifted, candidate.Unhealthy}}},
		"an outdated one that is disrupted": {conditions: []metav1.Condition{outdated}, goes: true,
			want: want{candidate.NotReady, candidate.Draining, candidate.Drifted, []candidate.Reason{candidate.Drifted}}},
		"one that goes to be repaired": {conditions: []metav1.Condition{sick}, goes: true,
			want: want{phase: candidate.NotReady, leaving: candidate.Draining, lasts: candidate.Unhealthy}},
		"one that somebody has deleted": {conditions: []metav1.Condition{available}, goes: true,
			want: want{phase: candidate.Running, leaving: candidate.Draining}},
	} {
		t.Run(name, func(t *testing.T) {
			m := &clusterv1.Machine{Status: clusterv1.MachineStatus{Conditions: c.conditions, FailureDomain: "a"}}
			if !c.none {
				m.Status.NodeRef.Name = "node"
			}
			if c.goes {
				m.DeletionTimestamp = new(metav1.Now())
			}
			f := fleet{machines: map[string]*clusterv1.Machine{}, policies: map[string]annotation.Policy{"": {}}}
			f.addMachine(m, candidate.Node{Labels: map[string]string{zone: "somewhere else"}})
			n := f.input.Nodes[0]
			var reasons []candidate.Reason
			for _, c := range n.Conditions {
				reasons = append(reasons, c.Reason)
			}
			if got := (want{n.Phase, n.Leaving, n.DisruptedFor, reasons}); got.phase != c.want.phase || got.leaving != c.want.leaving ||
				got.lasts != c.want.lasts || !slices.Equal(got.reasons, c.want.reasons) || n.Labels[zone] != "a" {
				t.Errorf("%+v in %s, want %+v in a", got, n.Labels[zone], c.want)
			}
		})
	}
}
