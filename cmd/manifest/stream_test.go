package manifest

import (
	"bytes"
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/disruptkit/disruptkit/cmd/engine"
)

// told is all that a Cluster tells.
func told(c *Cluster) []any {
	now := time.Date(2026, 11, 20, 10, 30, 0, 0, time.UTC)
	return []any{c.Input(now), c.Warnings(), c.Missing(), c.Notes(), c.Memory, c.Probes}
}

// The slow and obvious way is to read the whole input at once.
func TestAStreamReadsWhatTheWholeSays(t *testing.T) {
	bundled, err := os.ReadFile("../internal/bundled/cluster.json")
	if err != nil {
		t.Fatal(err)
	}
	node := func(name string) string {
		return `{"apiVersion": "v1", "kind": "Node", "metadata": {"name": "` + name + `"}}`
	}
	broken := `"metadata": {"name": "p", "namespace": "shop", "labels": {"app": 1, "a/b": null}, "ownerReferences": [{"kind": "Job"}, {"kind": 2}]},
		"spec": {"nodeName": "a", "priority": 1.5, "tolerations": [{"key": []}], "nodeSelector": 3},
		"status": {"startTime": "soon", "conditions": [{"type": "Ready", "status": "Maybe"}], "phase": null}`
	for name, input := range map[string]string{
		"a Pod that is broken":             `{"kind": "List", "items": [` + node("a") + `, {"apiVersion": "v1", "kind": "Pod", ` + broken + `}]}`,
		"its kind is the last":             `{"kind": "List", "items": [` + node("a") + `, {` + broken + `, "kind": "Pod", "apiVersion": "v1"}]}`,
		"its list has its kind":            `{"kind": "List", "items": [` + node("a") + `, {"kind": "PodList", "apiVersion": "v1", "items": [{` + broken + `}]}]}`,
		"a cluster":                        string(bundled),
		"two documents":                    string(bundled) + "\n" + `{"kind": "List", "items": [` + node("b") + `]}`,
		"a document after the list":        string(bundled) + node("b"),
		"the kind comes last":              `{"items": [` + node("a") + `, ` + node("b") + `], "kind": "List"}`,
		"the list says what its items are": `{"kind": "NodeList", "apiVersion": "v1", "items": [{"metadata": {"name": "a"}}, {"metadata": {"name": "b"}}]}`,
		"it says so in the end":            `{"items": [{"metadata": {"name": "a"}}, {"metadata": {"name": "b"}}], "kind": "NodeList", "apiVersion": "v1"}`,
		"lists in a list":                  `{"kind": "List", "items": [{"kind": "NodeList", "apiVersion": "v1", "items": [{"metadata": {"name": "a"}}]}, ` + node("b") + `]}`,
		"items that are no objects":        `{"kind": "List", "items": [5, "x", null, [` + node("a") + `], ` + node("b") + `]}`,
		"no items":                         `{"kind": "PodList", "apiVersion": "v1", "items": []}`,
		"an object that is not a list":     `{"kind": "Node", "apiVersion": "v1", "metadata": {"name": "a"}, "items": [1]}`,
		"fields that stand twice":          `{"kind": "List", "items": [{"apiVersion": "karpenter.sh/v1", "kind": "NodePool", "metadata": {"name": "p"}, "spec": {"disruption": {"budgets": [], "budgets": [{"nodes": "1"}]}}}]}`,
		"strange texts and numbers":        `{"kind": "List", "items": [{"apiVersion": "v1", "kind": "Node", "metadata": {"name": "a\u0000\ud800é", "labels": {"x": 1e999, "y": 12345678901234567890}}}]}`,
	} {
		t.Run(name, func(t *testing.T) {
			var policies []Policy
			for _, e := range engine.All {
				policies = append(policies, Policy{As: e})
			}
			streamed, err := ReadAll(strings.NewReader(input), policies...)
			if err != nil {
				t.Fatal(err)
			}
			for i, p := range policies {
				whole := newReader(p)
				if _, err := readWhole(strings.NewReader(input), whole); err != nil {
					t.Fatal(err)
				}
				if got, want := told(streamed[i]), told(whole.cluster(p)); !reflect.DeepEqual(got, want) {
					t.Errorf("%s: got\n%+v\nwant\n%+v", p.As, got, want)
				}
			}
		})
	}
}

// What cannot be read to its end decides nothing.
func TestAStreamThatBreaksIsAnError(t *testing.T) {
	const list = `{"apiVersion": "v1", "items": [{"apiVersion": "v1", "kind": "Node", "metadata": {"name": "a"}}], "kind": "List"}`
	for end := 40; end < len(list); end++ {
		_, err := ReadAll(strings.NewReader(list[:end]), Policy{})
		if err == nil || !strings.Contains(err.Error(), "was it cut off?") {
			t.Fatalf("%s: %v", list[:end], err)
		}
	}
	for input, want := range map[string]string{
		strings.Replace(list, `"a"`, `a`, 1):          "not valid JSON near byte ",
		strings.Replace(list, `"List"`, `"Lists"`, 1): "its kind is not a list",
		list + ` "text"`: "is not a Kubernetes object",
		strings.Replace(list, `"List"`, `"NodeList", "metadata": {"continue": "x"}`, 1): "the NodeList is incomplete",
	} {
		if _, err := ReadAll(strings.NewReader(input), Policy{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", input, err)
		}
	}
}

// BenchmarkRead reads nodes with twenty pods each, as kubectl prints them.
func BenchmarkRead(b *testing.B) {
	var text bytes.Buffer
	text.WriteString(`{"apiVersion": "v1", "items": [`)
	filler := strings.Repeat(`{"name": "NAME", "value": "some value", "mountPath": "/var/run"},`, 60)
	for node := range 100 {
		fmt.Fprintf(&text, `{"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n%d"}},`, node)
		for pod := range 20 {
			fmt.Fprintf(&text, `{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p%d-%d", "namespace": "default", "labels": {"app": "a"}}, "spec": {"nodeName": "n%d", "containers": [%s]}, "status": {"phase": "Running"}},`,
				node, pod, node, strings.TrimSuffix(filler, ","))
		}
	}
	text.Truncate(text.Len() - 1)
	text.WriteString(`], "kind": "List"}`)
	b.SetBytes(int64(text.Len()))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := ReadAll(bytes.NewReader(text.Bytes()), Policy{As: engine.Karpenter}, Policy{As: engine.Guard}, Policy{}); err != nil {
			b.Fatal(err)
		}
	}
}
