package karpenter_test

import (
	"bytes"
	"encoding/json"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/engine"
	"github.com/disruptkit/disruptkit/cmd/manifest"
)

// poolObject generates NodePools whose fields outside of spec.disruption are as somebody may write them.
func poolObject() *rapid.Generator[map[string]any] {
	return rapid.Custom(func(t *rapid.T) map[string]any {
		odd := func(field string) bool { return onceIn(t, 6, "odd "+field) }
		age := rapid.OneOf(durationText(), rapid.StringMatching(`([0-9]{1,3}[smh]){0,3}`))
		template := map[string]any{"requirements": []any{}}
		for _, field := range []struct {
			name   string
			seldom []any
		}{
			{"expireAfter", []any{"30d", "never", "1.5h", " 8h", "8h\n", "", "-1h", "100ms", "720", 720, true, []any{}}},
			{"terminationGracePeriod", []any{"Never", "2d", "1.5h", "", "-1h", "3600", 3600, map[string]any{}}},
		} {
			put(template, field.name, pick[any](t, field.name, absent{}, nil, age.Draw(t, "age"), "48h"))
			if odd(field.name) {
				template[field.name] = pick(t, "odd "+field.name, field.seldom...)
			}
		}
		put(template, "expireAfter", pick[any](t, "never", absent{}, "Never"))
		class := map[string]any{"group": "karpenter.k8s.aws", "kind": "EC2NodeClass", "name": "default"}
		if odd("class") {
			name := pick(t, "part", "group", "kind", "name")
			class[name] = pick[any](t, "odd class", nil, "", "karpenter.k8s.aws/v1", 1)
			if rapid.Bool().Draw(t, "without") {
				delete(class, name)
			}
		}
		put(template, "nodeClassRef", pick[any](t, "ref", class, class, class, class, class, class, absent{}, nil, map[string]any{}, "default", []any{class}))
		spec := map[string]any{"template": map[string]any{"spec": template}}
		put(spec, "weight", pick[any](t, "weight", absent{}, absent{}, absent{}, nil, 1, 50, 100))
		put(spec, "replicas", pick[any](t, "replicas", absent{}, absent{}, nil, 0, 3))
		if odd("weight") {
			spec["weight"] = pick[any](t, "odd weight", 0, -1, 101, 1000, 5.5, 5.0, "50", true)
		}
		if odd("replicas") {
			spec["replicas"] = pick[any](t, "odd replicas", -1, 2.5, "3", true)
		}
		limits := map[string]any{}
		for _, name := range []string{"nodes", "cpu", "memory"} {
			put(limits, name, pick[any](t, name, absent{}, absent{}, 10, "1000", "100Gi", "1.5", "-1"))
			if onceIn(t, 15, "odd limit") {
				limits[name] = pick[any](t, "odd limit", "10 cores", "100GB", "", 1.5, nil, true, "1,000")
			}
		}
		put(spec, "limits", pick[any](t, "limits", absent{}, nil, limits, limits, limits))
		if onceIn(t, 20, "odd limits") {
			spec["limits"] = pick[any](t, "odd limits", "10", []any{limits})
		}
		return map[string]any{"apiVersion": "karpenter.sh/v1", "kind": "NodePool", "metadata": map[string]any{"name": "default"}, "spec": spec}
	})
}

// What lint rejects of a NodePool outside of spec.disruption is what the API server rejects there, and nothing else.
func TestNodePoolsAreRefusedAsTheAPIServerRefusesThem(t *testing.T) {
	quiet(t)
	var accepted, rejected int
	rounds(t, 60, func(t *rapid.T) {
		raw := must(json.Marshal(poolObject().Draw(t, "NodePool")))
		_, rejection := theAPIServer().admitPool(raw)
		read := must(manifest.Policy{As: engine.Karpenter}.ReadPools("pool.json", bytes.NewReader(raw)))
		hinted := slices.DeleteFunc(read.Pools[0].Hints, func(f manifest.Fault) bool { return f.Code != candidate.CodeRejected })
		faults := slices.Concat(read.Pools[0].Refused, read.Pools[0].Faults, hinted)
		if refused := len(faults) > 0; refused != (rejection != nil) {
			t.Fatalf("%s\nthe API server: %v\nlint: %v", raw, rejection, faults)
		}
		if rejection == nil {
			accepted++
		} else {
			rejected++
		}
	})
	t.Logf("the API server took %d objects and rejected %d", accepted, rejected)
	if min(accepted, rejected) < 5 && !testing.Short() {
		t.Errorf("the API server took %d objects and rejected %d", accepted, rejected)
	}
}
