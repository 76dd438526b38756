package kube_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/candidate/kube"
)

// KEP-5683: "DrainInProgress reports that the Node is actively being drained. Drained reports that the Node has reached
// the drain criteria selected by the actor managing the lifecycle. MaintenancePlanned reports that the Node is expected
// to undergo maintenance. MaintenanceInProgress reports that the Node is actively undergoing maintenance."
func TestANodeIsInMaintenanceWhileAConditionSaysThatSomebodyDisruptsIt(t *testing.T) {
	for _, row := range []struct {
		rule, conditions string
		leaving          candidate.Leaving // before
		want             string            // the condition that is recorded; "": none
		in               candidate.Leaving
	}{
		{"nothing is said", "", candidate.Staying, "", candidate.Staying},
		{"a drain", "DrainInProgress", candidate.Staying, "DrainInProgress", candidate.Draining},
		{"the end of a drain, until somebody takes the condition away", "Drained", candidate.Staying, "Drained", candidate.Draining},
		{"maintenance, with or without a drain", "MaintenanceInProgress", candidate.Staying, "MaintenanceInProgress", candidate.Draining},
		{"a plan holds nothing", "MaintenancePlanned", candidate.Staying, "", candidate.Staying},
		{"nor do other conditions", "Ready MemoryPressure GracefulNodeShutdownInProgress draininprogress", candidate.Staying, "", candidate.Staying},
		{"the most specific one is recorded", "DrainInProgress MaintenancePlanned Drained", candidate.Staying, "Drained", candidate.Draining},
		{"what removes the node for good is recorded instead", "Drained", candidate.Draining, "", candidate.Draining},
		{"also when its instance terminates", "MaintenanceInProgress", candidate.Terminating, "", candidate.Terminating},
	} {
		n := candidate.Node{Name: "a", Leaving: row.leaving}
		since := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
		for _, c := range strings.Fields(row.conditions) {
			kube.Maintain(&n, candidate.Maintenance{Condition: c, Since: since})
		}
		want := candidate.Maintenance{}
		if row.want != "" {
			want = candidate.Maintenance{Condition: row.want, Since: since}
		}
		if n.Maintenance != want || n.Leaving != row.in {
			t.Errorf("%s: %v, %s; want %v, %s", row.rule, n.Maintenance, n.Leaving, want, row.in)
		}
	}
}

func TestTheOrderOfConditionsDoesNotMatter(t *testing.T) {
	types := append(kube.MaintenanceConditions(), "MaintenancePlanned", "Ready")
	rapid.Check(t, func(t *rapid.T) {
		chosen := rapid.SliceOfNDistinct(rapid.SampledFrom(types), 0, len(types), rapid.ID).Draw(t, "conditions")
		maintained := func(conditions []string) candidate.Node {
			n := candidate.Node{Name: "a"}
			for _, c := range conditions {
				kube.Maintain(&n, candidate.Maintenance{Condition: c, Since: time.Unix(int64(slices.Index(types, c)), 0)})
			}
			return n
		}
		a, b := maintained(chosen), maintained(rapid.Permutation(chosen).Draw(t, "in another order"))
		if a.Maintenance != b.Maintenance || a.Leaving != b.Leaving {
			t.Fatalf("%v and %v", a, b)
		}
	})
}

func TestSinceWhenAConditionHoldsMayBeUnknown(t *testing.T) {
	if got := (candidate.Maintenance{Condition: "Drained"}).String(); got != "its condition Drained is True" {
		t.Error(got)
	}
}
