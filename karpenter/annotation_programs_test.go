package karpenter_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"

	"github.com/disruptkit/disruptkit/cmd/engine"
	"github.com/disruptkit/disruptkit/cmd/manifest"
	"github.com/disruptkit/disruptkit/karpenter"
)

// The programs that answer for the guard read of a NodePool what the guard reads.
func TestProgramsReadTheAnnotationsThatTheGuardReads(t *testing.T) {
	for name, annotations := range map[string]map[string]string{
		"none":        nil,
		"budgets":     {karpenter.DisruptionAnnotation: `budgets: [{nodes: "0", schedule: 0 9 * * mon-fri, duration: 8h, timeZone: Europe/Berlin}]`},
		"controls":    {karpenter.DisruptionAnnotation: `drift: {budgets: [{nodes: "1", reasons: [AMIDrift]}], disruptAfter: 1h}`},
		"a topology":  {karpenter.TopologyAnnotation: `{patience: Never, soak: 5m, unlabelled: Block}`},
		"probes":      {karpenter.ProbesAnnotation: `[{name: slo, host: slo.monitoring.svc, port: 8080, path: /disruption}]`},
		"specific":    {karpenter.MostSpecificAnnotation: "true"},
		"a memory":    {karpenter.MemoryAnnotation: `{"roll":{"key":"topology.kubernetes.io/zone","domain":"b"}}`},
		"no memory":   {karpenter.MemoryAnnotation: `{"roll":5}`},
		"a pause":     {karpenter.PauseAnnotation: "{until: 2026-11-22T14:00:00Z, by: alice, zones: [a]}"},
		"no pause":    {karpenter.PauseAnnotation: "until: 2h"},
		"one unknown": {"disruptkit.dev/budget": "1"},
		"one broken":  {karpenter.DisruptionAnnotation: "budgets: ["},
		"a stray":     {karpenter.DisruptionAnnotation: "disruptionProbes: []"},
	} {
		t.Run(name, func(t *testing.T) {
			np := newNodePool("default", v1.Budget{Nodes: "30%"}, v1.Budget{Nodes: "2", Reasons: because("Drifted")})
			np.Annotations = annotations
			np.Spec.Disruption.ConsolidateAfter = v1.MustParseNillableDuration("0s")
			want := karpenter.ToPolicy(np, nil)
			np.Kind, np.APIVersion = "NodePool", "karpenter.sh/v1"
			read := must(manifest.Policy{As: engine.Guard}.Read(bytes.NewReader(must(json.Marshal(np)))))
			got := read.Pools[0]
			if !cmp.Equal(got.Budgets.Budgets(), want.Budgets.Budgets()) || got.Topology.Soak != want.Topology.Soak || got.Topology.Patience != want.Topology.Patience ||
				got.Topology.Unlabelled != want.Topology.Unlabelled {
				t.Errorf("%v %+v, the guard reads %v %+v", got.Budgets.Budgets(), got.Topology, want.Budgets.Budgets(), want.Topology)
			}
			if diff := cmp.Diff(want.Blockers, got.Blockers); diff != "" {
				t.Errorf("blockers (-guard +program):\n%s", diff)
			}
			if fmt.Sprint(read.Probes["default"]) != fmt.Sprint(want.Probes) || len(got.Verdicts) != len(want.Probes) {
				t.Errorf("%v, the guard asks %v", read.Probes, want.Probes)
			}
			if diff := cmp.Diff(want.Pauses, read.Pauses); diff != "" {
				t.Errorf("pauses (-guard +program):\n%s", diff)
			}
			if !read.Memory["default"].Equal(want.Memory) {
				t.Errorf("%v, the guard remembers %v", read.Memory, want.Memory)
			}
			for _, w := range want.Warnings {
				if !slices.Contains(read.Warnings(), w) {
					t.Errorf("%v is not reported: %v", w, read.Warnings())
				}
			}
		})
	}
}
