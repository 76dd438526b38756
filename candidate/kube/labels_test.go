package kube_test

import (
	"fmt"
	"maps"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"unsafe"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/candidate/kube"
)

func share(p *kube.Parser, namespace string, labels map[string]string) candidate.Pod {
	pod := candidate.Pod{Namespace: namespace, Labels: labels}
	p.Share(&pod)
	return pod
}

func at(pod candidate.Pod) uintptr { return reflect.ValueOf(pod.Labels).Pointer() }

func TestEqualLabelsOfANamespaceAreOneMap(t *testing.T) {
	var parser kube.Parser
	labels := map[string]string{"app": "web", "tier": ""}
	first, second := share(&parser, "shop", labels), share(&parser, strings.Clone("shop"), maps.Clone(labels))
	if at(first) != at(second) || !maps.Equal(first.Labels, labels) {
		t.Error("equal labels have several, or others")
	}
	if first.Namespace != "shop" || unsafe.StringData(first.Namespace) != unsafe.StringData(second.Namespace) {
		t.Errorf("the namespace is %q, or not shared", first.Namespace)
	}
	for name, other := range map[string]candidate.Pod{
		"another namespace":     share(&parser, "ml", labels),
		"a label less":          share(&parser, "shop", map[string]string{"app": "web"}),
		"another label":         share(&parser, "shop", map[string]string{"app": "web", "rack": ""}),
		"parts in other places": share(&parser, "", map[string]string{"shop": "app", "web": "tier"}),
	} {
		if at(first) == at(other) {
			t.Errorf("they are shared with %s", name)
		}
	}
	labels["app"] = "db"
	if first.Labels["app"] != "web" {
		t.Error("they change with the map that was read")
	}
	if pod := share(&parser, "shop", nil); pod.Labels != nil || pod.Namespace != "shop" {
		t.Error("no labels are not nil, or lose the namespace")
	}
	if allocations := testing.AllocsPerRun(100, func() { share(&parser, "shop", labels) }); allocations > 0 {
		t.Errorf("%v allocations for labels that were seen", allocations)
	}
}

// Pods such as those of jobs have labels of their own, and do not last.
func TestAParserForgetsLabels(t *testing.T) {
	for _, c := range []struct {
		name   string
		pods   int
		labels func(pod int) map[string]string
	}{
		{"few labels", 20_000, func(pod int) map[string]string { return map[string]string{"job-name": fmt.Sprint("job-", pod)} }},
		{"many short ones", 60, func(pod int) map[string]string {
			labels := map[string]string{}
			for i := range 1_000 {
				labels[strconv.Itoa(i)] = strconv.Itoa(pod % 10)
			}
			labels["job"] = strconv.Itoa(pod)
			return labels
		}},
		{"parts of long texts", 60, func(pod int) map[string]string {
			text := strings.Repeat("x", 100_000) + strconv.Itoa(pod)
			return map[string]string{text[99_999:]: text[99_998:]}
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			parser := kube.NewSmallParser()
			before, most := liveHeap(), 0
			for pod := range c.pods {
				share(parser, "jobs", c.labels(pod))
				if pod%(c.pods/20) == 0 {
					most = max(most, liveHeap())
				}
			}
			if held := most - before; held > kube.Small {
				t.Errorf("it holds %d bytes", held)
			}
			first := share(parser, "jobs", map[string]string{"a": ""})
			if again := share(parser, "jobs", map[string]string{"a": ""}); at(again) != at(first) {
				t.Error("it no longer remembers")
			}
		})
	}
}
