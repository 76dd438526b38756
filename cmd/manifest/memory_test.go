package manifest_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/manifest"
	"github.com/disruptkit/disruptkit/topology"
)

const zone = "topology.kubernetes.io/zone"

// annotated returns the ordinary pool with annotations, which are JSON or YAML.
func annotated(t *testing.T, annotations string) string {
	t.Helper()
	return different(t, nodePool, `{"metadata": {"annotations": `+annotations+`}}`)
}

func TestTheMemoryOfAPoolIsReadFromItsAnnotations(t *testing.T) {
	const memory = `disruptkit.dev/memory: '{"roll":{"key":"topology.kubernetes.io/zone","domain":"us-west-2a"}}'`
	for _, test := range []struct {
		rule, annotations string
		want              topology.Roll // the zero Roll is none
	}{
		{rule: "a memory", annotations: `{` + memory + `}`, want: topology.Roll{Key: zone, Domain: "us-west-2a"}},
		{rule: "a memory of nothing", annotations: `{disruptkit.dev/memory: "{}"}`},
		{rule: "no annotation", annotations: `{disruptkit.dev/memory: null}`},
	} {
		t.Run(test.rule, func(t *testing.T) {
			c := read(t, documents(annotated(t, test.annotations), nodeClaim, node))
			wantRoll(t, test.want, c.Input(now))
			if warnings := c.Warnings(); len(warnings) > 0 {
				t.Error(warnings)
			}
		})
	}
}

func wantRoll(t *testing.T, want topology.Roll, in disruptkit.Input) {
	t.Helper()
	memory := map[string]disruptkit.Memory{}
	if want != (topology.Roll{}) {
		memory["general"] = disruptkit.Memory{Roll: want}
	}
	if diff := cmp.Diff(memory, in.Memory); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// disruptkit.Memory: "Losing it exceeds no limit that holds at one time." Package memory has a row for each fault in a text.
func TestABrokenMemoryIsNamedAndBlocksNothing(t *testing.T) {
	const where = `NodePool/general: metadata.annotations[disruptkit.dev/memory]`
	for _, test := range []struct{ rule, annotation, want string }{
		{"a zone alone", `us-west-2a`, where + `: "us-west-2a" is no memory: it is not a JSON object: write text such as ` +
			`'{"roll":{"key":"topology.kubernetes.io/zone","domain":"us-west-2a"}}', or remove the annotation`},
		{"nothing", `""`, where + `: "" is no memory: it is not a JSON object: write text such as ` +
			`'{"roll":{"key":"topology.kubernetes.io/zone","domain":"us-west-2a"}}', or remove the annotation`},
		{"JSON that is no text", `{"roll":{"key":"zone","domain":"a"}}`, where + `: {"roll":{"domain":"a","key":"zone"}} is an object: write a quoted string`},
		{"a boolean", `true`, where + `: true is a boolean: write a quoted string`},
	} {
		t.Run(test.rule, func(t *testing.T) {
			claim := different(t, nodeClaim, `status: {conditions: [{type: Drifted, status: "True"}]}`)
			c := read(t, documents(annotated(t, `{"disruptkit.dev/memory": `+test.annotation+`}`), claim, node, noPods))
			wantRoll(t, topology.Roll{}, c.Input(now))
			d := disruptkit.Decide(c.Input(now), candidate.Drifted)
			if len(d.Allowed) != 1 {
				t.Errorf("the node may not be disrupted: %v", d.Blocked)
			}
			warnings := c.Warnings(d, d)
			if diff := cmp.Diff([]string{test.want}, texts(warnings)); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			for _, w := range warnings {
				if w.Code != candidate.CodeInvalidAnnotation || w.Object != "NodePool/general" {
					t.Errorf("got %+v", w)
				}
			}
		})
	}
}

func TestWhatIsWrongWithThePoolIsNotWrongWithItsMemory(t *testing.T) {
	pool := different(t, annotated(t, `{"disruptkit.dev/memory": '{"roll":{"key":"topology.kubernetes.io/zone","domain":"us-west-2a"}}'}`), `spec: {replicas: three}`)
	c := read(t, documents(pool, nodeClaim, node))
	wantRoll(t, topology.Roll{Key: zone, Domain: "us-west-2a"}, c.Input(now))
	if w := c.Warnings(); len(w) != 1 || w[0].Code != manifest.CodeUnreadable || w[0].Field != "spec.replicas" {
		t.Errorf("warnings: %+v", w)
	}
}

func TestAnnotationsThatCannotBeReadBlockThePool(t *testing.T) {
	c := read(t, documents(different(t, nodePool, `metadata: {annotations: [1]}`), nodeClaim, node))
	want := []string{"NodePool/general: metadata.annotations: [1] is a list: write an object, with fields"}
	if diff := cmp.Diff(want, texts(c.Warnings())); diff != "" || len(c.Pools[0].Blockers) != 1 {
		t.Errorf("blockers %v (-want +got)\n%s", c.Pools[0].Blockers, diff)
	}
}

// Until a Node has joined, its NodeClaim says where it is; a new one that is not Ready then holds up its own zone.
func TestTheZoneOfANode(t *testing.T) {
	claim := different(t, nodeClaim, `metadata: {labels: {`+zone+`: us-west-2a}}`)
	joined := different(t, node, `metadata: {labels: {`+zone+`: us-west-2b}}`)
	for _, test := range []struct {
		rule, objects, want string
	}{
		{"that of the Node", documents(claim, joined), "us-west-2b"},
		{"before it has joined, that of the NodeClaim", claim, "us-west-2a"},
		{"before it is registered, that of the NodeClaim", documents(claim, different(t, joined, `metadata: {labels: {karpenter.sh/registered: null}}`)), "us-west-2a"},
		{"without either, none", documents(nodeClaim, node), ""},
		{"the Node's, though it has none", documents(claim, node), ""},
	} {
		if got := read(t, test.objects).Nodes[0].Labels[zone]; got != test.want {
			t.Errorf("%s: got %q, want %q", test.rule, got, test.want)
		}
	}
}

func TestOneZoneAtATimeByTheMemoryOfThePool(t *testing.T) {
	pool := different(t, annotated(t, `{disruptkit.dev/memory: '{"roll":{"key":"topology.kubernetes.io/zone","domain":"b"}}'}`),
		`spec: {disruption: {budgets: [{nodes: "1", topologyKey: `+zone+`, sequential: true}]}}`)
	machine := func(name, since string) string {
		return documents(
			different(t, nodeClaim, `{metadata: {name: claim-`+name+`}, status: {nodeName: `+name+`, providerID: null, conditions: [{type: Drifted, status: "True", lastTransitionTime: `+since+`}]}}`),
			different(t, node, `{metadata: {name: `+name+`, labels: {`+zone+`: `+name[:1]+`}}}`))
	}
	c := read(t, documents(pool, machine("a1", `"2026-11-18T06:00:00Z"`), machine("b1", `"2026-11-19T06:00:00Z"`), noPods))
	d := disruptkit.Decide(c.Input(now), candidate.Drifted)
	if len(d.Allowed) != 1 || d.Allowed[0].Node != "b1" || len(d.Blocked) != 1 || !strings.HasPrefix(d.Blocked[0].Blockers[0].Message, "a waits for b") {
		t.Errorf("got %v, blocked %v", d.Allowed, d.Blocked)
	}
}
