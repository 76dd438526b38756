package annotation

import (
	"cmp"
	"strings"
	"testing"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
)

// A node is of the unit that its label, its annotation or its Pods name. Without any, it is blocked, unless its Pods would name it.
func TestUnitsAreReadFromWhatTheNodePoolNames(t *testing.T) {
	const clique, group, job = "nvidia.com/gpu.clique", "leaderworkerset.sigs.k8s.io/group-key", "jobset.sigs.k8s.io/jobset-uid"
	none := map[string]string{}
	lws := func(key string, more ...string) candidate.Pod {
		p := candidate.Pod{Namespace: "shop", Name: "p", Labels: map[string]string{group: key}}
		for i, value := range more {
			p.Labels[groupLabels[group][i]] = value
		}
		return p
	}
	done := lws("f00", "vllm", "0")
	done.Inactive = true
	labelled := func(pool, key, value string) candidate.Node {
		return candidate.Node{Pool: pool, Labels: map[string]string{key: value}}
	}
	running := func(pods ...candidate.Pod) candidate.Node { return candidate.Node{Pool: "gpu", Pods: pods} }
	for _, c := range []struct {
		rule        string
		key         string
		nodes       []candidate.Node
		annotations map[string]string // of the first node
		want        string            // the units of the nodes; a blocked one is "!"
		warning     string
	}{
		{"nodes with one value of the label are one unit", clique,
			[]candidate.Node{labelled("gpu", clique, "a"), labelled("gpu", clique, "a"), labelled("gpu", clique, "b")}, none, "a a b", ""},
		{"an annotation says it where no label does", clique,
			[]candidate.Node{{Pool: "gpu"}, labelled("gpu", clique, "a")}, map[string]string{clique: "a"}, "a a", ""},
		{"a label comes before an annotation", clique,
			[]candidate.Node{labelled("gpu", clique, "b"), labelled("gpu", clique, "b")}, map[string]string{clique: "a"}, "b b", ""},
		{"a node without the label is blocked", clique,
			[]candidate.Node{labelled("gpu", clique, "a"), labelled("gpu", clique, "a"), {Pool: "gpu"}}, none, "a a !", ""},
		{"an empty value is none", clique,
			[]candidate.Node{labelled("gpu", clique, "a"), labelled("gpu", clique, "a"), labelled("gpu", clique, "")}, none, "a a !", ""},
		{"a label that no node has is reported", clique, []candidate.Node{{Pool: "gpu"}, {Pool: "gpu"}}, none, "! !", "no node of the NodePool has this label"},
		{"a label that differs on all nodes is reported", clique,
			[]candidate.Node{labelled("gpu", clique, "a"), labelled("gpu", clique, "b")}, none, "a b", "no two nodes have one value"},
		{"a unit over NodePools is one, and the NodePools that name no label have none", clique,
			[]candidate.Node{labelled("gpu", clique, "a"), labelled("twin", clique, "a"), labelled("cpu", clique, "a")}, none, "a a -", ""},
		{"Pods name a unit of LeaderWorkerSet, as people know it", group,
			[]candidate.Node{running(lws("f00", "vllm", "0")), running(lws("f00", "vllm", "0"))}, none, "shop/vllm-0 shop/vllm-0", ""},
		{"or by its key", group, []candidate.Node{running(lws("f00")), running(lws("f00"), lws("f00"))}, none, "f00 f00", ""},
		{"groups that share a node are one unit", group,
			[]candidate.Node{running(lws("c")), running(lws("b"), lws("c")), running(lws("a"), lws("b")), running(lws("d"))}, none, "a a a d", ""},
		{"nodes without such Pods are alone", group, []candidate.Node{running(), running(lws("a")), running(done)}, none, "- a -", ""},
		{"Pods of other labels do not count", clique, []candidate.Node{running(candidate.Pod{Labels: map[string]string{clique: "a"}})}, none, "!", "no node"},
		{"Pods name a unit of JobSet", job, []candidate.Node{
			running(candidate.Pod{Namespace: "ml", Labels: map[string]string{job: "u", "jobset.sigs.k8s.io/jobset-name": "train"}}),
		}, none, "ml/train", ""},
	} {
		facts := make([]Facts, len(c.nodes))
		facts[0].Annotations = c.annotations
		warnings := Unite(c.nodes, map[string]string{"gpu": c.key, "twin": c.key, "empty": c.key}, facts)
		var got []string
		for _, n := range c.nodes {
			switch {
			case len(n.Blockers) > 0:
				got = append(got, "!")
			case n.Unit == "":
				got = append(got, "-")
			default:
				got = append(got, n.Unit)
			}
		}
		if got := strings.Join(got, " "); got != c.want {
			t.Errorf("%s: %s, want %s", c.rule, got, c.want)
		}
		if len(warnings) > 1 || (len(warnings) == 0) != (c.warning == "") || c.warning != "" && !strings.Contains(warnings[0].Error(), c.warning) {
			t.Errorf("%s: %v", c.rule, warnings)
		}
	}
}

// What is launched, or starts, while a node of the unit is in flight replaces it, and does not follow it.
func TestWhatReplacesAUnitIsNotOfIt(t *testing.T) {
	const rack, group = "example.com/rack", "leaderworkerset.sigs.k8s.io/group-key"
	at := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	launched := func(created time.Time, leaving candidate.Leaving) candidate.Node {
		return candidate.Node{Pool: "gpu", Created: created, Leaving: leaving, Labels: map[string]string{rack: "a"}}
	}
	running := func(started time.Time, leaving candidate.Leaving) candidate.Node {
		return candidate.Node{Pool: "gpu", Leaving: leaving, Pods: []candidate.Pod{{Started: started, Labels: map[string]string{group: "a"}}}}
	}
	for _, c := range []struct {
		rule  string
		key   string
		nodes []candidate.Node // those that leave have done so since at
		want  string
	}{
		{"older nodes follow, and newer ones do not", rack,
			[]candidate.Node{launched(at.Add(-9), candidate.Draining), launched(at.Add(-1), 0), launched(at, 0), launched(at.Add(9), 0)}, "a a - -"},
		{"those of an unknown age follow", rack, []candidate.Node{launched(at.Add(-9), candidate.Draining), launched(time.Time{}, 0)}, "a a"},
		{"all are of it once none is in flight", rack, []candidate.Node{launched(at.Add(9), 0), launched(at.Add(10), 0)}, "a a"},
		{"Pods that start later are not of it", group,
			[]candidate.Node{running(at.Add(-9), candidate.Draining), running(at.Add(-1), 0), running(at, 0), running(time.Time{}, 0)}, "a a - -"},
	} {
		facts := make([]Facts, len(c.nodes))
		for i := range c.nodes {
			if c.nodes[i].InFlight() {
				facts[i].Began = at
			}
		}
		Unite(c.nodes, map[string]string{"gpu": c.key}, facts)
		var got []string
		for _, n := range c.nodes {
			got = append(got, cmp.Or(n.Unit, "-"))
		}
		if got := strings.Join(got, " "); got != c.want {
			t.Errorf("%s: %s, want %s", c.rule, got, c.want)
		}
	}
}

func TestAUnitLabelIsALabelName(t *testing.T) {
	for text, want := range map[string]string{"": "", "a b": "", "example.com/": "", "example.com/rack": "example.com/rack"} {
		p := Read("gpu", map[string]string{UnitLabel: text})
		if p.UnitLabel != want || (len(p.Blockers) == 0) != (want != "") {
			t.Errorf("%q: %q, %v", text, p.UnitLabel, p.Blockers)
		}
	}
}
