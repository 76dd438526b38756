package kube_test

import (
	"fmt"
	"maps"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/disruptkit/disruptkit/candidate/kube"
)

func at(labels map[string]string) uintptr { return reflect.ValueOf(labels).Pointer() }

func TestEqualLabelsOfANamespaceAreOneMap(t *testing.T) {
	var parser kube.Parser
	labels := map[string]string{"app": "web", "tier": ""}
	first := parser.Labels("shop", labels)
	if at(first) != at(parser.Labels("shop", maps.Clone(labels))) || !maps.Equal(first, labels) {
		t.Error("equal labels have several, or others")
	}
	for name, second := range map[string]map[string]string{
		"another namespace": parser.Labels("ml", labels), "a label less": parser.Labels("shop", map[string]string{"app": "web"}),
		"another label": parser.Labels("shop", map[string]string{"app": "web", "rack": ""}), "parts in other places": parser.Labels("", map[string]string{"shop": "app", "web": "tier"}),
	} {
		if at(first) == at(second) {
			t.Errorf("they are shared with %s", name)
		}
	}
	labels["app"] = "db"
	if first["app"] != "web" {
		t.Error("they change with the map that was read")
	}
	if parser.Labels("shop", nil) != nil {
		t.Error("no labels are not nil")
	}
	if allocations := testing.AllocsPerRun(100, func() { parser.Labels("shop", labels) }); allocations > 0 {
		t.Errorf("%v allocations for labels that were seen", allocations)
	}
}

// Pods come and go, each with labels of its own, such as those of jobs.
func TestAParserForgetsLabels(t *testing.T) {
	if testing.Short() {
		t.Skip("it fills parsers to the brim")
	}
	for _, c := range []struct {
		name   string
		pods   int
		labels func(pod int) map[string]string
	}{
		{"few labels", 300_000, func(pod int) map[string]string { return map[string]string{"job-name": fmt.Sprint("job-", pod)} }},
		{"many short ones", 2_000, func(pod int) map[string]string {
			labels := map[string]string{}
			for i := range 1_000 {
				labels[strconv.Itoa(i)] = strconv.Itoa(pod % 10)
			}
			labels["job"] = strconv.Itoa(pod)
			return labels
		}},
		{"parts of long texts", 2_000, func(pod int) map[string]string {
			text := strings.Repeat("x", 100_000) + strconv.Itoa(pod)
			return map[string]string{text[99_999:]: text[99_998:]}
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var parser kube.Parser
			before, most := liveHeap(), 0
			for pod := range c.pods {
				parser.Labels("jobs", c.labels(pod))
				if pod%(c.pods/20) == 0 {
					most = max(most, liveHeap())
				}
			}
			if mib := (most - before) >> 20; mib > 64 {
				t.Errorf("it holds %d MiB", mib)
			}
			first := parser.Labels("jobs", map[string]string{"a": ""})
			if again := parser.Labels("jobs", map[string]string{"a": ""}); at(again) != at(first) {
				t.Error("it no longer remembers")
			}
		})
	}
}
