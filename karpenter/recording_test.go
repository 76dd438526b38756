package karpenter

import (
	"bytes"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"

	"github.com/disruptkit/disruptkit/cmd/replay"
)

// What the guard decided, and why, can be made again from its recording alone; and a decision that somebody alters is found.
func TestARecordingOfTheGuardIsReplayed(t *testing.T) {
	var lines bytes.Buffer
	g := newGuarded(t, pool("default", DisruptionAnnotation,
		`budgets: [{nodes: "1", topologyKey: topology.kubernetes.io/zone, sequential: true}, {nodes: "2", per: 1h}]`))
	g.Recording = replay.NewRecorder(&lines, func(err error) { t.Error(err) })
	for i, name := range []string{"a1", "b1", "a2"} {
		g.node("default", name, 40-i)
	}
	g.node("default", "kept", 50, func(n *corev1.Node, _ *v1.NodeClaim) {
		n.Annotations = map[string]string{v1.DoNotDisruptAnnotationKey: "true"}
	})
	g.pod("web", "b1", map[string]string{v1.DoNotDisruptAnnotationKey: "1m"})
	if got := g.mustCompute(Guard(drift(), g.Cluster), 5); got != "a1" {
		t.Fatalf("started %s", got)
	}
	check := func(recording string) (all []string) {
		n, err := replay.Check(strings.NewReader(recording), func(d replay.Divergence) { all = append(all, d.String()) })
		if n != 3 || err != nil { // two before the method chooses, and that of its choice
			t.Errorf("%d decisions, %v", n, err)
		}
		return all
	}
	recording := lines.String()
	if all := check(recording); len(all) > 0 {
		t.Error(all)
	}
	for _, row := range []struct{ name, from, to, says string }{
		{"another node may be disrupted", `"allowed":[{"node":"a1"`, `"allowed":[{"node":"b1"`, `allowed[0].node is absent, want "b1"`},
		{"another zone has the turn in the memory", `"domain":"a"`, `"domain":"b"`, `memory.default.roll.domain is "a", want "b"`},
		{"a blocker is another", `"code":"do-not-disrupt"`, `"code":"nominated"`, `"do-not-disrupt", want "nominated"`},
	} {
		i := strings.LastIndex(recording, row.from)
		if i < 0 {
			t.Errorf("%s: there is no %s in %s", row.name, row.from, recording)
			continue
		}
		all := strings.Join(check(recording[:i]+row.to+recording[i+len(row.from):]), "\n")
		if !strings.Contains(all, row.says) {
			t.Errorf("%s: %q, want %s", row.name, all, row.says)
		}
	}
}
