package probe_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/testkit"
	"github.com/disruptkit/disruptkit/internal/testkit/generate"
	"github.com/disruptkit/disruptkit/probe"
)

func TestASelectorMeansPoolsByNameByLabelOrByTheValueOfOne(t *testing.T) {
	labels := map[string]string{"team": "search", "topology.kubernetes.io/zone": "us-west-2a", "spot": "", "flags": "a=b"}
	for _, c := range []struct {
		name     string
		selector probe.PoolSelector
		pool     string
		want     bool
	}{
		{"the name", "gpu", "gpu", true},
		{"another name", "gpu", "web", false},
		{"part of the name", "gp", "gpu", false},
		{"the name in another case", "GPU", "gpu", false},
		{"a label", "team=search", "web", true},
		{"a label with another value", "team=ads", "web", false},
		{"a label that the pool has not", "tier=search", "web", false},
		{"a label with a prefix", "topology.kubernetes.io/zone=us-west-2a", "web", true},
		{"a label with an empty value", "spot=", "web", true},
		{"a label that is absent is not empty", "tier=", "web", false},
		{"a key alone is none: it could be meant for a value", "team", "web", false},
		{"a key alone is none, also where its value is empty", "spot", "web", false},
		{"the value of a label: the RFC's a-specific-az", "us-west-2a", "web", true},
		{"part of a value", "us-west-2", "web", false},
		{"a name that looks like a label", "team=ads", "team=ads", true},
		{"a value that looks like a label", "a=b", "web", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := c.selector.Selects(c.pool, labels); got != c.want {
				t.Errorf("%q selects pool %s: %t", c.selector, c.pool, got)
			}
		})
	}
	if probe.PoolSelector("gpu").Selects("web", nil) {
		t.Error("a pool without labels is selected")
	}
}

func TestADenialConcernsAReasonAndItsChildren(t *testing.T) {
	for _, c := range []struct {
		name   string
		denial probe.Denial
		reason candidate.Reason
		pool   string
		want   bool
	}{
		{"the zero Denial denies everything", probe.Denial{}, "Drifted/AMIDrift", "gpu", true},
		{"the zero Denial denies what has no reason", probe.Denial{}, "", "gpu", true},
		{"the reason", probe.Denial{Reason: "Drifted"}, "Drifted", "gpu", true},
		{"a child of the reason", probe.Denial{Reason: "Drifted"}, "Drifted/AMIDrift", "gpu", true},
		{"another reason", probe.Denial{Reason: "Drifted"}, "Empty", "gpu", false},
		{"a child in another case, as people write it", probe.Denial{Reason: "Drifted/amidrift"}, "Drifted/AMIDrift", "gpu", true},
		{"a reason that only begins so", probe.Denial{Reason: "Drifted"}, "DriftedFar", "gpu", false},
		{"a child that only begins so", probe.Denial{Reason: "Drifted/AMI"}, "Drifted/AMIDrift", "gpu", false},
		{"a child does not cover its method", probe.Denial{Reason: "Drifted/AMIDrift"}, "Drifted", "gpu", false},
		{"nor another child", probe.Denial{Reason: "Drifted/AMIDrift"}, "Drifted/SubnetDrift", "gpu", false},
		{"a reason that is unknown may be any", probe.Denial{Reason: "Drifted/AMIDrift"}, "", "gpu", true},
		{"the pool", probe.Denial{Reason: "Drifted", Pools: []probe.PoolSelector{"web", "gpu"}}, "Drifted", "gpu", true},
		{"a label of the pool", probe.Denial{Reason: "Drifted", Pools: []probe.PoolSelector{"web", "team=search"}}, "Drifted", "gpu", true},
		{"another pool", probe.Denial{Reason: "Drifted", Pools: []probe.PoolSelector{"web"}}, "Drifted", "gpu", false},
		{"another pool, for an unknown reason", probe.Denial{Reason: "Drifted", Pools: []probe.PoolSelector{"web"}}, "", "gpu", false},
		{"everything to the pool", probe.Denial{Pools: []probe.PoolSelector{"gpu"}}, "Drifted", "gpu", true},
		{"everything to another pool", probe.Denial{Pools: []probe.PoolSelector{"web"}}, "Drifted", "gpu", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := held(c.denial, c.reason, c.pool, map[string]string{"team": "search"}); got != c.want {
				t.Errorf("%s concerns %q of %s: %t", c.denial, c.reason, c.pool, got)
			}
		})
	}
}

func TestADenialDescribesItself(t *testing.T) {
	for want, d := range map[string]probe.Denial{
		"everything":                          {},
		"Drifted":                             {Reason: "Drifted"},
		"Drifted in gpu":                      {Reason: "Drifted", Pools: []probe.PoolSelector{"gpu"}},
		"Drifted in gpu, team=search":         {Reason: "Drifted", Pools: []probe.PoolSelector{"gpu", "team=search"}},
		"Drifted in a, b, c, d, e":            {Reason: "Drifted", Pools: []probe.PoolSelector{"a", "b", "c", "d", "e"}},
		"Drifted in a, b, c, d, e and 1 more": {Reason: "Drifted", Pools: []probe.PoolSelector{"a", "b", "c", "d", "e", "f"}},
		"Drifted in a, b, c, d, e and 3 more": {Reason: "Drifted", Pools: []probe.PoolSelector{"a", "b", "c", "d", "e", "f", "g", "h"}},
		"everything in gpu":                   {Pools: []probe.PoolSelector{"gpu"}},
		"Empty (an incident)":                 {Reason: "Empty", Cause: "an incident"},
		`"Drif\nted"`:                         {Reason: "Drif\nted"},
		`Drifted in "g\npu", web`:             {Reason: "Drifted", Pools: []probe.PoolSelector{"g\npu", "web"}},
		"Empty in gpu (an incident)":          {Reason: "Empty", Pools: []probe.PoolSelector{"gpu"}, Cause: "an incident"},
	} {
		if got := d.String(); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

// concerns says naively whether a denial is about a reason in a pool.
func concerns(d probe.Denial, reason candidate.Reason, pool string, labels map[string]string) bool {
	about := reason == "" || d.Reason == "" || d.Reason == reason || reason.Method() == d.Reason
	return about && selects(d.Pools, pool, labels)
}

// selects says naively whether a pool is meant by any of the selectors, or there are none.
func selects(selectors []probe.PoolSelector, pool string, labels map[string]string) bool {
	names := map[probe.PoolSelector]bool{probe.PoolSelector(pool): true}
	for key, value := range labels {
		names[probe.PoolSelector(key+"="+value)], names[probe.PoolSelector(value)] = true, true
	}
	meant := len(selectors) == 0
	for _, s := range selectors {
		meant = meant || names[s]
	}
	return meant
}

func TestADenialConcernsWhatANaiveReadingSays(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := testkit.Arbitrary(generate.Denial(noon)).Draw(t, "denial")
		reason := rapid.OneOf(testkit.Arbitrary(generate.Reason), rapid.Just[candidate.Reason]("")).Draw(t, "reason")
		pool, labels := testkit.Arbitrary(generate.PoolName).Draw(t, "pool"), testkit.Arbitrary(generate.PoolLabels).Draw(t, "labels")
		if got, want := held(d, reason, pool, labels), concerns(d, reason, pool, labels); got != want {
			t.Fatalf("%s concerns %q of %s with %v: %t", d, reason, pool, labels, got)
		}
	})
}

// held reports whether a denial blocks the nodes of a pool for a reason, at any time.
func held(d probe.Denial, reason candidate.Reason, pool string, labels map[string]string) bool {
	d.Until = time.Time{}
	_, blocked := probe.Verdict{Allowed: true, Denied: []probe.Denial{d}}.Blocker(reason, pool, labels, noon)
	return blocked
}
