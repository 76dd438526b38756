package manifest_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/disruptkit/disruptkit/cmd/annotation"
	"github.com/disruptkit/disruptkit/cmd/engine"
	"github.com/disruptkit/disruptkit/cmd/manifest"
)

// Each annotation of ours that may be meant as a limit has an effect in the engine, blocks, or is warned of.
func TestAnAnnotationThatTheEngineIgnoresIsWarnedOf(t *testing.T) {
	values := map[string]string{
		annotation.Disruption: "waves: [{nodes: 1}]", annotation.MostSpecific: "true", annotation.Probes: "[]", annotation.Topology: "{soak: 1h}",
		annotation.Expire: "{after: 720h}", annotation.Repair: "{backOff: true}", annotation.Pause: "true", annotation.UnitLabel: "example.com/rack",
		annotation.Replace: "true", "disruptkit.dev/puase": "true",
	}
	objects := map[string]string{"NodePool": nodePool, "NodeClaim": nodeClaim, "Node": node, "Pod": pod, "PodDisruptionBudget": pdb, "PodDisruptionSchedule": podSchedule}
	reads := func(as engine.Engine, kind, name string) bool {
		if kind == "Node" || kind == "NodeClaim" {
			return name == annotation.Replace // a note says where it has no effect
		}
		known := annotation.Bearer(name) == "NodePool"
		return kind == "NodePool" && known && (as.Annotated() || as == engine.Disruptkit && name == annotation.UnitLabel)
	}
	for _, as := range engine.All {
		for kind := range objects {
			for name, value := range values {
				var all []string
				for other, object := range objects {
					if other == kind {
						object = different(t, object, `metadata: {annotations: {`+name+`: "`+value+`"}}`)
					}
					all = append(all, object)
				}
				slices.Sort(all)
				c, err := manifest.Policy{As: as}.Read(strings.NewReader(documents(all...)))
				if err != nil {
					t.Fatal(err)
				}
				told := strings.Contains(strings.Join(texts(c.Warnings()), "\n"), "annotations["+name+"]: it ")
				if reads := reads(as, kind, name); told == reads {
					t.Errorf("%s reads %s of a %s: %t, but %q", as, name, kind, reads, texts(c.Warnings()))
				}
			}
		}
	}
}

func TestAWarningOfAnIgnoredAnnotationNamesWhereItHasAnEffect(t *testing.T) {
	const pause = `metadata: {annotations: {disruptkit.dev/pause: "true"}}`
	for _, c := range []struct {
		as            engine.Engine
		object, other string
		want          string
	}{
		{engine.Karpenter, nodePool, pause, "NodePool/general: metadata.annotations[disruptkit.dev/pause]: it has no effect in Karpenter without disruptkit's guard or steward; kubectl disruption pause stops stock Karpenter; for what it does with the guard, write --engine guard"},
		{engine.Disruptkit, nodePool, pause, "NodePool/general: metadata.annotations[disruptkit.dev/pause]: it has no effect in an autoscaler that embeds disruptkit; for what it does with the guard, write --engine guard"},
		{engine.Disruptkit, nodePool, `metadata: {annotations: {disruptkit.dev/disruption: x, disruptkit.dev/steward: "true"}}`, "NodePool/general: metadata.annotations[disruptkit.dev/disruption]: it has no effect in an autoscaler that embeds disruptkit; for what it does with the steward, write --engine steward"},
		{engine.Disruptkit, nodePool, `metadata: {annotations: {disruptkit.dev/pause: true}}`, "NodePool/general: metadata.annotations[disruptkit.dev/pause]: it has no effect in an autoscaler that embeds disruptkit; for what it does with the guard, write --engine guard"},
		{engine.Guard, node, pause, "Node/node-1: metadata.annotations[disruptkit.dev/pause]: it has no effect on a Node: write it on the NodePool"},
		{engine.Guard, nodeClaim, pause, "NodeClaim/general-x7k2p: metadata.annotations[disruptkit.dev/pause]: it has no effect on a NodeClaim: write it on the NodePool"},
		{engine.Steward, pod, `metadata: {annotations: {disruptkit.dev/replace: "true"}}`, "Pod/shop/web-1: metadata.annotations[disruptkit.dev/replace]: it has no effect on a Pod: write it on the Node"},
		{engine.Steward, node, `metadata: {annotations: {disruptkit.dev/repalce: "true"}}`, "Node/node-1: metadata.annotations[disruptkit.dev/repalce]: it has no effect on a Node"},
		{engine.Steward, node, `metadata: {annotations: {disruptkit.dev/held: x, disruptkit.dev/released-for: Drifted}}`, ""},
	} {
		c2, err := manifest.Policy{As: c.as}.Read(strings.NewReader(documents(different(t, c.object, c.other))))
		if err != nil {
			t.Fatal(err)
		}
		all := slices.DeleteFunc(texts(c2.Warnings()), func(w string) bool { return !strings.Contains(w, "no effect") })
		if got := strings.Join(all, "\n"); got != c.want {
			t.Errorf("%s: got\n%s\nwant\n%s", c.as, got, c.want)
		}
	}
}

// The label of units may be a name of ours.
func TestAnAnnotationThatNamesAUnitHasAnEffect(t *testing.T) {
	pooled := different(t, nodePool, `metadata: {annotations: {disruptkit.dev/unit-label: disruptkit.dev/rack}}`)
	racked := different(t, node, `metadata: {annotations: {disruptkit.dev/rack: a}}`)
	c, err := manifest.Policy{As: engine.Guard}.Read(strings.NewReader(documents(pooled, nodeClaim, racked)))
	if err != nil || c.Nodes[0].Unit != "a" || strings.Contains(strings.Join(texts(c.Warnings()), "\n"), "rack]: it has no effect") {
		t.Errorf("%v, unit %q, %q", err, c.Nodes[0].Unit, texts(c.Warnings()))
	}
}
