package candidate_test

import (
	"fmt"
	"maps"
	"strconv"
	"strings"
	"testing"

	"github.com/disruptkit/disruptkit/candidate"
)

// A LabelSet is of the labels as they were read, and is the same for all pods that have them.
func TestALabelSetIsMadeOnce(t *testing.T) {
	var parser, other candidate.Parser
	labels := map[string]string{"app": "web", "tier": ""}
	first := parser.LabelSet("shop", labels)
	if first != parser.LabelSet("shop", maps.Clone(labels)) {
		t.Error("equal labels have several")
	}
	if elsewhere := other.LabelSet("shop", labels); first == elsewhere || !first.Equal(elsewhere) {
		t.Error("that of another parser is not equal, or the same")
	}
	for name, second := range map[string]candidate.LabelSet{
		"none": {}, "another namespace": parser.LabelSet("ml", labels), "a label less": parser.LabelSet("shop", map[string]string{"app": "web"}),
		"another label": parser.LabelSet("shop", map[string]string{"app": "web", "rack": ""}), "parts in other places": parser.LabelSet("", map[string]string{"shop": "app", "web": "tier"}),
	} {
		if first == second || first.Equal(second) || second.Equal(first) {
			t.Errorf("it is equal to %s", name)
		}
	}
	labels["app"] = "db"
	if again := parser.LabelSet("shop", map[string]string{"app": "web", "tier": ""}); !first.Equal(again) {
		t.Error("it changes with the map that was read")
	}
	if allocations := testing.AllocsPerRun(100, func() { parser.LabelSet("shop", labels) }); allocations > 0 {
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
			var parser candidate.Parser
			before, most := liveHeap(), 0
			for pod := range c.pods {
				parser.LabelSet("jobs", c.labels(pod))
				if pod%(c.pods/20) == 0 {
					most = max(most, liveHeap())
				}
			}
			if mib := (most - before) >> 20; mib > 64 {
				t.Errorf("it holds %d MiB", mib)
			}
			first := parser.LabelSet("jobs", nil)
			if again := parser.LabelSet("jobs", nil); again != first {
				t.Error("it no longer remembers")
			}
		})
	}
}
