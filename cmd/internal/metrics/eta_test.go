package metrics

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/engine"
	"github.com/disruptkit/disruptkit/cmd/internal/planner"
	"github.com/disruptkit/disruptkit/cmd/manifest"
	"github.com/disruptkit/disruptkit/report"
)

// gauges returns the samples of what a plan says, such as "eta 0.5 15:04".
func gauges(r report.Report) (all []string) {
	for _, m := range r.Metrics {
		for _, s := range m.Samples {
			switch m.Name {
			case report.MetricETA:
				all = append(all, "eta "+s.Labels[1].Value+" "+time.Unix(int64(s.Value), 0).UTC().Format("15:04"))
			case report.MetricBehindPlan:
				all = append(all, "behind "+(time.Duration(s.Value)*time.Second).String())
			}
		}
	}
	return all
}

// onePod is the pod of a node that Karpenter replaces; one without pods it does not.
const onePod = `---
apiVersion: v1
kind: Pod
metadata: {namespace: shop, name: api, ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: api, uid: "1", controller: true}]}
spec: {nodeName: a}
status: {phase: Running, startTime: 2026-11-01T00:00:00Z}
`

func TestWithEtaAPlanIsMadeOnceAMinuteAndComparedWithTheFirst(t *testing.T) {
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	freeze := `{nodes: "0", schedule: "0 11 20 11 *", duration: 3h}`
	look := func(w *watch, at time.Time, cluster string) []string {
		t.Helper()
		return gauges(w.look(clusterOf(t, cluster, engine.Karpenter), at).report)
	}
	full := strings.Replace(twoNodes, noPods, onePod, 1)
	frozen := strings.Replace(full, `{nodes: "1"}`, freeze, 1)
	w := &watch{as: engine.Karpenter, eta: true}
	for _, c := range []struct {
		name, cluster string
		after         time.Duration
		want          []string
	}{
		{"the first plan is as planned", full, 0, []string{"eta 0.1 12:05", "eta 0.5 12:05", "eta 0.9 12:05", "behind 0s"}},
		{"half a minute later it is the same plan", frozen, 30 * time.Second, []string{"eta 0.1 12:05", "eta 0.5 12:05", "eta 0.9 12:05", "behind 0s"}},
		{"then a freeze is in it, and puts it behind", frozen, time.Minute, []string{"eta 0.1 14:05", "eta 0.5 14:05", "eta 0.9 14:05", "behind 2h0m0s"}},
		{"a node that never goes leaves no time", strings.Replace(frozen, "labels: {karpenter.sh/nodepool: default, karpenter.sh/init",
			`annotations: {karpenter.sh/do-not-disrupt: "true"}, labels: {karpenter.sh/registered: "true", karpenter.sh/nodepool: default, karpenter.sh/init`, 1), 3 * time.Minute, nil},
		{"when it is disrupted after all, the first plan is still that", full, 5 * time.Minute, []string{"eta 0.1 12:10", "eta 0.5 12:10", "eta 0.9 12:10", "behind 5m0s"}},
		{"when nothing is left to do there is nothing to say", strings.Replace(full, "type: Drifted", "type: Other", 1), 10 * time.Minute, nil},
		{"and the next roll is as planned again", full, 20 * time.Minute, []string{"eta 0.1 12:25", "eta 0.5 12:25", "eta 0.9 12:25", "behind 0s"}},
	} {
		if got := look(w, now.Add(c.after), c.cluster); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
	if got := look(&watch{}, now, twoNodes); got != nil {
		t.Errorf("without --eta: %q", got)
	}
	if takes := planner.Options(&manifest.Cluster{}, engine.Karpenter, disruptkit.Input{}).Model.Eviction; takes(candidate.Node{}, now, 0) != 30*time.Second {
		t.Error("an eviction takes another time than plan assumes")
	}
	if got := look(&watch{as: engine.Karpenter, eta: true}, now, twoNodes); len(got) == 0 || got[0] != "eta 0.1 12:03" {
		t.Errorf("no replacement is launched for a node without pods, as plan says: %q", got)
	}
}
