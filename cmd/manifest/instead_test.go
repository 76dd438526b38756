package manifest_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/disruptionpolicy"
	"github.com/disruptkit/disruptkit/cmd/engine"
	"github.com/disruptkit/disruptkit/cmd/manifest"
	"github.com/disruptkit/disruptkit/plan"
	"github.com/disruptkit/disruptkit/topology"
)

// fleetOf returns nodes of some pools that drifted, as JSON objects.
func fleetOf(pools ...string) (objects []string) {
	for _, pool := range pools {
		for i := range 4 {
			name := fmt.Sprintf("%s-%d", pool, i)
			objects = append(objects,
				`{"apiVersion":"karpenter.sh/v1","kind":"NodeClaim","metadata":{"name":"`+name+`","labels":{"karpenter.sh/nodepool":"`+pool+`"}},"status":{"nodeName":"`+name+`",
					"conditions":[{"type":"Drifted","status":"True","reason":"AMIDrift","lastTransitionTime":"2026-11-01T00:00:00Z"},
					{"type":"Consolidatable","status":"True","lastTransitionTime":"2026-11-01T00:00:00Z"}]}}`,
				`{"apiVersion":"v1","kind":"Node","metadata":{"name":"`+name+`","labels":{"karpenter.sh/nodepool":"`+pool+`","karpenter.sh/registered":"true",
					"karpenter.sh/initialized":"true"}},"status":{"conditions":[{"type":"Ready","status":"True","lastTransitionTime":"2026-11-01T00:00:00Z"}]}}`)
		}
	}
	return append(objects, `{"apiVersion":"v1","kind":"PodList","items":[]}`, `{"apiVersion":"policy/v1","kind":"PodDisruptionBudgetList","items":[]}`)
}

func poolOf(name, disruption, annotations string) string {
	return `{"apiVersion":"karpenter.sh/v1","kind":"NodePool","metadata":{"name":"` + name + `","uid":"u","annotations":` + annotations + `},"spec":{"disruption":` + disruption + `}}`
}

func listOf(objects ...string) string {
	return `{"kind":"List","items":[` + strings.Join(objects, ",") + `]}`
}

// disruptions are specs that engines read, drop parts of, or reject.
var disruptions = []string{
	`{"consolidateAfter":"1m","budgets":[{"nodes":"50%"}]}`, `{"consolidateAfter":"1m","budgets":[{"nodes":"0"}]}`, `{"consolidateAfter":"1m","budgets":[]}`,
	`{"consolidateAfter":"1m","budgets":[{"nodes":"1","reasons":["Expired"]},{"nodes":"0"}]}`, // the API server rejects it
	`{"consolidateAfter":"1m","budgets":[{"nodes":"0","schedule":"0 0 * * *"}]}`,              // likewise: no duration
	`{"consolidateAfter":"1m","budgets":[{"nodes":"100%","schedule":"0 0 * * *","duration":"1h"},{"nodes":"1"}]}`,
	`{"consolidateAfter":"1m","budgets":[{"nodes":"1","topologyKey":"zone"}]}`, `{"consolidateAfter":"Never","budgets":[{"nodes":"100%"}]}`,
	`{"budgets":[{"nodes":"5 %"}]}`, `{"budgets":5}`, `{"consolidateAfter":"1m","budgets":[{"nodes":"100%"}],"drift":{"budgets":[{"nodes":"1"}]}}`,
	`{"budgets":[{"nodes":"100%"}],"budgets":[{"nodes":"100%"}]}`,
}

// annotationsOf are annotations that the guard reads, some of them broken.
var annotationsOf = []string{
	`{}`, `{"disruptkit.dev/pause":"who: ann, why: launch"}`, `{"disruptkit.dev/pause":"{\"by\":\"ann\",\"why\":\"launch\"}"}`, `{"disruptkit.dev/pause":"{"}`,
	`{"disruptkit.dev/disruption":"{\"budgets\":[{\"nodes\":\"1\"}]}"}`, `{"disruptkit.dev/disruption":"budgets: x"}`,
}

// decisions of a cluster. The compared parts have no places in the input.
func decisionsOf(c *manifest.Cluster, now time.Time) (all []disruptkit.Decision) {
	in := c.Input(now)
	for _, reason := range []candidate.Reason{candidate.Empty, candidate.Drifted, candidate.Underutilized} {
		all = append(all, c.Decide(in, reason))
	}
	return all
}

// What if a NodePool was another: as if the other one had been read. The law holds for what an engine rejects, for pauses, and for all
// else that is written in a NodePool.
func TestWhatIfIsTheSameInputWithTheOtherNodePool(t *testing.T) {
	now := time.Date(2026, 11, 20, 10, 30, 0, 0, time.UTC)
	rapid.Check(t, func(t *rapid.T) {
		draw := func(name string) string {
			return poolOf(name, rapid.SampledFrom(disruptions).Draw(t, "disruption"), rapid.SampledFrom(annotationsOf).Draw(t, "annotations"))
		}
		policy := manifest.Policy{As: rapid.SampledFrom(engine.All).Draw(t, "engine")}
		names := []string{"a", "b"}[:rapid.IntRange(1, 2).Draw(t, "pools")]
		var before, after, file []string
		for _, name := range names {
			old, other := draw(name), draw(name)
			before = append(before, old)
			if rapid.Bool().Draw(t, "replaced") || len(file) == 0 {
				after, file = append(after, other), append(file, other)
			} else {
				after = append(after, old)
			}
		}
		read := func(pools []string) *manifest.Cluster {
			c, err := policy.Read(strings.NewReader(listOf(append(pools, fleetOf(names...)...)...)))
			if err != nil {
				t.Fatal(err)
			}
			return c
		}
		pools, err := policy.ReadPools("what-if.yaml", strings.NewReader(listOf(file...)))
		if err != nil {
			t.Fatal(err)
		}
		cluster := read(before)
		unchanged := decisionsOf(cluster, now)
		got, err := cluster.Instead(pools.Pools, nil)
		if err != nil {
			t.Fatal(err)
		}
		want := read(after)
		options := []cmp.Option{cmp.AllowUnexported(budget.Set{}), cmpopts.IgnoreTypes(topology.Selection{}), cmpopts.SortSlices(func(a, b candidate.Warning) bool { return a.Error() < b.Error() }),
			cmpopts.IgnoreFields(candidate.Blocker{}, "Message")} // it may name the place of an object in the input
		if diff := cmp.Diff(decisionsOf(want, now), decisionsOf(got, now), options...); diff != "" {
			t.Fatalf("(-as input +what if)\n%s", diff)
		}
		for _, name := range names {
			if got.Rejected(name) != want.Rejected(name) {
				t.Fatalf("%s: rejected %t, and %t as input", name, got.Rejected(name), want.Rejected(name))
			}
		}
		if diff := cmp.Diff(unchanged, decisionsOf(cluster, now), options...); diff != "" {
			t.Fatalf("the cluster itself has changed: %s", diff)
		}
	})
}

func TestWhatIfNamesThePoolsThatThereAre(t *testing.T) {
	const any = `{"consolidateAfter":"1m","budgets":[{"nodes":"0"}]}`
	one, two := listOf(append(fleetOf("web"), poolOf("web", disruptions[0], "{}"))...), listOf(append(fleetOf("web", "gpu"), poolOf("web", disruptions[0], "{}"), poolOf("gpu", disruptions[0], "{}"))...)
	for _, c := range []struct{ name, cluster, file, want string }{
		{"a name that is misspelt", one, poolOf("wbe", any, "{}"), `the cluster has no NodePool "wbe"`},
		{"one of two names", two, listOf(poolOf("web", any, "{}"), poolOf("wbe", any, "{}")), `the cluster has no NodePool "wbe"`},
		{"budgets without a name, for the only pool", one, any, ""},
		{"budgets without a name, where there are two pools", two, any, "it has budgets without the name of a NodePool, and the cluster has 2 NodePools"},
		{"nothing about pools", one, `{"kind":"Pod","metadata":{"name":"x"}}`, "it has no NodePool, no DisruptionPolicy, and no object with budgets"},
	} {
		cluster, err := (manifest.Policy{As: engine.Karpenter}).Read(strings.NewReader(c.cluster))
		if err != nil {
			t.Fatal(err)
		}
		file, err := (manifest.Policy{As: engine.Karpenter}).ReadPools("x.yaml", strings.NewReader(c.file))
		if err != nil {
			t.Fatal(err)
		}
		other, err := cluster.Instead(file.Pools, nil)
		if got := fmt.Sprint(err); !strings.HasPrefix(got, c.want) || (err == nil) != (c.want == "") {
			t.Errorf("%s: %v", c.name, err)
		}
		if err == nil && len(decisionsOf(other, time.Unix(1_800_000_000, 0))[1].Allowed) > 0 {
			t.Errorf("%s: the budget of 0 is not in force", c.name)
		}
	}
}

// A NodePool in a repository has no memory, which a controller writes, and kubectl apply leaves it in place.
func TestWhatIfKeepsTheMemory(t *testing.T) {
	policy := manifest.Policy{As: engine.Guard}
	annotations := `{"disruptkit.dev/memory":"{\"backoff\":{\"level\":2,\"until\":\"2030-01-01T00:00:00Z\"}}"}`
	cluster, err := policy.Read(strings.NewReader(listOf(append(fleetOf("web"), poolOf("web", disruptions[0], annotations))...)))
	if err != nil {
		t.Fatal(err)
	}
	file, err := policy.ReadPools("x.yaml", strings.NewReader(poolOf("web", disruptions[0], "{}")))
	if err != nil {
		t.Fatal(err)
	}
	other, err := cluster.Instead(file.Pools, nil)
	if err != nil || len(cluster.Memory) != 1 || !other.Memory["web"].Equal(cluster.Memory["web"]) {
		t.Errorf("%v: %v, and before %v", err, other.Memory, cluster.Memory)
	}
}

func TestSetChangesSingleFields(t *testing.T) {
	const disruption = `{"consolidateAfter":"1m","budgets":[{"nodes":"50%"},{"nodes":"0","reasons":["Drifted"]}]}`
	cluster, err := (manifest.Policy{As: engine.Karpenter}).Read(strings.NewReader(listOf(append(fleetOf("web.eu"), poolOf("web", disruption, "{}"), poolOf("web.eu", disruption, "{}"))...)))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, changes string
		goes          int    // of 4
		err           string // the beginning
	}{
		{"a value", "web.eu.budgets[1].nodes=25%", 1, ""},
		{"a text in quotes", `web.eu.budgets[1].nodes="25%"`, 1, ""},
		{"a quote that does not end", `web.eu.budgets[1].nodes="25%`, 0, `"web.eu.budgets[1].nodes=\"25%": "\"25%" is not a list, an object or a text in quotes`},
		{"the longest name counts", "web.budgets[1].nodes=25%", 0, ""},
		{"null takes a budget out", "web.eu.budgets[1]=null", 2, ""},
		{"and a field", "web.eu.budgets[1].reasons=null web.eu.budgets[1].nodes=1", 1, ""},
		{"the position after the last adds a budget", "web.eu.budgets[1].nodes=100% web.eu.budgets[2].nodes=1", 1, ""},
		{"a list", "web.eu.budgets[1].reasons=[Empty]", 2, ""},
		{"all of them", `web.eu.budgets=[{"nodes":2}]`, 2, `NodePool/web.eu: spec.disruption.budgets[0].nodes`}, // a number, as YAML has it
		{"all of them, with texts", `web.eu.budgets=[{"nodes":"2"}]`, 2, ""},
		{"a field beside the budgets", "web.eu.consolidateAfter=Never", 0, ""},
		{"a pool that is not there", "wbe.budgets[0].nodes=1", 0, `"wbe.budgets[0].nodes=1": it begins with no NodePool of the cluster: write one of web, web.eu, and a dot`},
		{"a position that is not there", "web.budgets[3].nodes=1", 0, `"web.budgets[3].nodes=1": there is no position [3]: the length of the list is 2`},
		{"no value", "web.budgets[0].nodes", 0, `"web.budgets[0].nodes": write NODEPOOL.PATH=VALUE`},
		{"no path", "web.=1", 0, `"web.=1": "" is not a part of a path`},
		{"a path through a text", "web.budgets[0].nodes.x=1", 0, `"web.budgets[0].nodes.x=1": there is no field "x"`},
		{"what the API server rejects", "web.budgets[0].nodes=5.5", 0, `NodePool/web: spec.disruption.budgets[0].nodes`},
		{"what it drops", "web.budgets[0].node=5", 0, `NodePool/web: spec.disruption.budgets[0].node: karpenter.sh/v1 has no field "node" here; kubectl apply refuses it, and for clients without strict validation the API server drops it, at best with a warning: write nodes`},
		{"a schedule without a duration", "web.budgets[0].schedule=@daily", 0, `NodePool/web: spec.disruption.budgets[0]`},
	} {
		other, err := cluster.Set(strings.Fields(c.changes))
		switch {
		case c.err != "":
			if err == nil || !strings.HasPrefix(err.Error(), c.err) || strings.Contains(err.Error(), "as well") {
				t.Errorf("%s: %v", c.name, err)
			}
		case err != nil:
			t.Errorf("%s: %v", c.name, err)
		default:
			if got := len(decisionsOf(other, time.Unix(1_800_000_000, 0))[1].Allowed); got != c.goes {
				t.Errorf("%s: %d go, want %d", c.name, got, c.goes)
			}
		}
	}
}

// A field that has nothing behind its colon is null in YAML.
func TestSetFillsWhatIsNullOrAbsent(t *testing.T) {
	for disruption, change := range map[string]string{
		"null":               "web.budgets[0].nodes=0",
		`{"budgets":null}`:   "web.budgets[0].nodes=0",
		`{"budgets":[null]}`: "web.budgets[0].nodes=0",
		`{"drift":null}`:     `web.drift.budgets=[{"nodes":"0"}]`,

		`{"drift":{"disruptAfter":"1h"}}`: "web.budgets[0].nodes=0", // which was not written
	} {
		cluster, err := manifest.Read(strings.NewReader(listOf(append(fleetOf("web"), poolOf("web", disruption, "{}"))...)))
		if err != nil {
			t.Fatal(err)
		}
		other, err := cluster.Set([]string{change})
		if err != nil || len(decisionsOf(other, time.Unix(1_800_000_000, 0))[1].Allowed) > 0 {
			t.Errorf("%s of %s: %v, and nodes are disrupted", change, disruption, err)
		}
	}
}

// A DisruptionPolicy of the file replaces the one of its name, with the memory that a controller wrote on that, or is added.
func TestWhatIfOfDisruptionPolicies(t *testing.T) {
	const memory = `{"waves":[{"method":"Drifted","waves":["1"],"baked":1,"pools":["web"]}]}`
	policyOf := func(name, annotations, spec string) string {
		return `{"apiVersion":"disruptkit.dev/v1alpha1","kind":"DisruptionPolicy","metadata":{"name":"` + name + `","annotations":` + annotations + `},"spec":` + spec + `}`
	}
	own := policyOf("prod", `{"disruptkit.dev/memory":`+strconv.Quote(memory)+`}`, `{"all":true,"budgets":[{"nodes":"2"}]}`)
	for _, c := range []struct {
		name, file string
		as         engine.Engine
		want       string // the groups, and what may go of each
	}{
		{"one replaces the other", policyOf("prod", "{}", `{"all":true,"budgets":[{"nodes":"1"}]}`), engine.Guard, "prod 1 with memory"},
		{"one is added", policyOf("night", "{}", `{"all":true,"budgets":[{"nodes":"0"}]}`), engine.Guard, "prod 2 with memory, night 0"},
		{"one selects no longer", policyOf("prod", "{}", `{"nodePoolSelector":{"matchLabels":{"a":"b"}},"budgets":[{"nodes":"1"}]}`), engine.Guard, ""},
		{"a broken one blocks", policyOf("prod", "{}", `{"all":true,"budgets":[{"nodes":"x"}]}`), engine.Guard, "prod 0 with memory"},
		{"Karpenter knows none", policyOf("prod", "{}", `{"all":true,"budgets":[{"nodes":"1"}]}`), engine.Karpenter, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			policy := manifest.Policy{As: c.as}
			cluster, err := policy.Read(strings.NewReader(listOf(append(fleetOf("web"), poolOf("web", disruptions[0], "{}"), own)...)))
			if err != nil {
				t.Fatal(err)
			}
			file, err := policy.ReadPools("x.yaml", strings.NewReader(c.file))
			if err != nil {
				t.Fatal(err)
			}
			before := fmt.Sprint(cluster.Groups)
			other, err := cluster.Instead(nil, []disruptionpolicy.Policy{file.Policies[0].Policy})
			if err != nil {
				t.Fatal(err)
			}
			var all []string
			for _, g := range other.Groups {
				may, _ := budget.AllowedByReason(g.Budgets, time.Unix(1_800_000_000, 0), 10, candidate.Drifted)
				all = append(all, fmt.Sprintf("%s %d", g.Name, may.Nodes))
				if !other.Memory[g.Key()].Equal(disruptkit.Memory{}) {
					all[len(all)-1] += " with memory"
				}
			}
			if got := strings.Join(all, ", "); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
			if fmt.Sprint(cluster.Groups) != before {
				t.Error("the cluster itself has changed")
			}
		})
	}
}

// A plan tries other budgets for a pool. Karpenter's own are among those, before those of annotations, and change with them.
func TestTheGuardDecidesWithTheBudgetsThatAPlanTries(t *testing.T) {
	const annotations = `{"disruptkit.dev/disruption":"budgets: [{nodes: \"3\"}]"}`
	cluster, err := (manifest.Policy{As: engine.Guard}).Read(strings.NewReader(listOf(append(fleetOf("web"), poolOf("web", `{"consolidateAfter":"1m","budgets":[{"nodes":"1"},{"nodes":"100%"}]}`, annotations))...)))
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		try  func(budget.Set) (budget.Set, error)
		goes int
	}{
		"none":                   {func(s budget.Set) (budget.Set, error) { return s, nil }, 1},
		"another of Karpenter's": {func(s budget.Set) (budget.Set, error) { return plan.WithBudget(s, 0, budget.Budget{Nodes: "2"}) }, 2},
		"without it":             {func(s budget.Set) (budget.Set, error) { return plan.WithoutBudget(s, 0) }, 3},
		"another of ours":        {func(s budget.Set) (budget.Set, error) { return plan.WithBudget(s, 2, budget.Budget{Nodes: "0"}) }, 0},
		"without it as well":     {func(s budget.Set) (budget.Set, error) { return plan.WithoutBudget(s, 2) }, 1},
	} {
		in := cluster.Input(time.Unix(1_800_000_000, 0))
		in.Pools = slices.Clone(in.Pools)
		if in.Pools[0].Budgets, err = c.try(in.Pools[0].Budgets); err != nil {
			t.Fatal(err)
		}
		if got := len(cluster.Decide(in, candidate.Drifted).Allowed); got != c.goes {
			t.Errorf("%s: %d go, want %d", name, got, c.goes)
		}
	}
}
