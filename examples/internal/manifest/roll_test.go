package manifest_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/topology"
)

const zone = "topology.kubernetes.io/zone"

// rolled returns the ordinary pool with an annotation, which is JSON.
func rolled(t *testing.T, annotation string) string {
	t.Helper()
	return different(t, nodePool, `{"metadata": {"annotations": {"disruptkit.dev/roll": `+annotation+`}}}`)
}

func TestTheRollOfAPoolIsReadFromItsAnnotation(t *testing.T) {
	for _, test := range []struct {
		rule, annotation string
		want             topology.Roll // the zero Roll is none
	}{
		{"a roll", `'{"key":"topology.kubernetes.io/zone","domain":"us-west-2a"}'`, topology.Roll{Key: zone, Domain: "us-west-2a"}},
		{"one that is idle", `'{"key":"topology.kubernetes.io/zone","domain":"us-west-2a","idleSince":"2026-11-20T10:20:00Z"}'`,
			topology.Roll{Key: zone, Domain: "us-west-2a", IdleSince: date("2026-11-20T10:20:00Z")}},
		{"one that is not, as -o json prints it", `'{"key":"topology.kubernetes.io/zone","domain":"us-west-2a","idleSince":null}'`, topology.Roll{Key: zone, Domain: "us-west-2a"}},
		{"the nodes without the label", `'{"key":"topology.kubernetes.io/zone","domain":""}'`, topology.Roll{Key: zone}},
		{"none", `'{"key":"","domain":""}'`, topology.Roll{}},
		{"no annotation", `null`, topology.Roll{}},
	} {
		t.Run(test.rule, func(t *testing.T) {
			c := read(t, documents(rolled(t, test.annotation), nodeClaim, node))
			wantRoll(t, test.want, c.Input(now))
			if w := c.Warnings(); len(w) > 0 {
				t.Errorf("warnings: %v", w)
			}
		})
	}
}

func wantRoll(t *testing.T, want topology.Roll, in disruptkit.Input) {
	t.Helper()
	rolls := map[string]topology.Roll{}
	if want != (topology.Roll{}) {
		rolls["general"] = want
	}
	if diff := cmp.Diff(rolls, in.Rolls); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// topology.Roll: "Losing it, or reading an old one, is safe."
func TestABrokenRollIsNamedAndHoldsNothingBack(t *testing.T) {
	const (
		where   = `NodePool/general: metadata.annotations[disruptkit.dev/roll]`
		instead = `is no roll: write text such as '{"key":"topology.kubernetes.io/zone","domain":"us-west-2a"}'`
	)
	for _, test := range []struct {
		rule, annotation string
		want             []string
		roll             topology.Roll
	}{
		{rule: "a zone alone", annotation: `us-west-2a`, want: []string{where + `: "us-west-2a" ` + instead}},
		{rule: "nothing", annotation: `""`, want: []string{where + `: "" ` + instead}},
		{rule: "JSON that was cut off", annotation: `'{"key":'`, want: []string{where + `: "{\"key\":" ` + instead}},
		{rule: "JSON, then something else", annotation: `'{} {}'`, want: []string{where + `: "{} {}" ` + instead}},
		{rule: "a list", annotation: `'[1]'`, want: []string{where + `: "[1]" ` + instead}},
		{rule: "null as text", annotation: `'null'`, want: []string{where + `: "null" ` + instead}},
		{rule: "JSON that is no text", annotation: `{"key":"zone"}`, want: []string{where + `: "{\"key\":\"zone\"}" ` + instead}},
		{rule: "a boolean", annotation: `true`, want: []string{where + `: "true" ` + instead}},
		{rule: "no key", annotation: `'{"domain":"us-west-2a"}'`, want: []string{where + `.key: "{\"domain\":\"us-west-2a\"}" lacks this: write the label of the budget, such as "topology.kubernetes.io/zone"`}},
		{rule: "no domain", annotation: `'{"key":"topology.kubernetes.io/zone","domain":null}'`, want: []string{where + `.domain: "{\"domain\":null,\"key\":\"topology.kubernetes.io/zone\"}" lacks this: write the zone whose turn it is, such as "us-west-2a"`}},
		{rule: "a domain that is no text", annotation: `'{"key":"topology.kubernetes.io/zone","domain":2}'`, want: []string{where + `.domain: 2 is a number: write text, in quotes`}},
		{rule: "a time that is none", annotation: `'{"key":"topology.kubernetes.io/zone","domain":"us-west-2a","idleSince":"10:20"}'`, want: []string{where + `.idleSince: "10:20" is no time: write one such as 2026-11-20T10:30:00Z`}},
		{rule: "several faults", annotation: `'{"domain":2}'`, want: []string{
			where + `.key: "{\"domain\":2}" lacks this: write the label of the budget, such as "topology.kubernetes.io/zone"`,
			where + `.domain: 2 is a number: write text, in quotes`,
		}},
		{
			rule: "a field too many, which the rest does not suffer for", annotation: `'{"key":"topology.kubernetes.io/zone","domain":"us-west-2a","Domain":"us-west-2b"}'`,
			want: []string{where + `.Domain: "us-west-2b" is ignored: a roll has only key, domain and idleSince`},
			roll: topology.Roll{Key: zone, Domain: "us-west-2a"},
		},
	} {
		t.Run(test.rule, func(t *testing.T) {
			claim := different(t, nodeClaim, `status: {conditions: [{type: Drifted, status: "True"}]}`)
			c := read(t, documents(rolled(t, test.annotation), claim, node, noPods))
			wantRoll(t, test.roll, c.Input(now))
			d := disruptkit.Decide(c.Input(now), candidate.Drifted)
			if len(d.Allowed) != 1 {
				t.Errorf("the node may not go: %v", d.Blocked)
			}
			warnings := c.Warnings(d, d)
			if diff := cmp.Diff(test.want, texts(warnings)); diff != "" {
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

func TestAnnotationsThatCannotBeReadHoldThePoolBack(t *testing.T) {
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

func TestOneZoneAtATimeByTheRollOfThePool(t *testing.T) {
	pool := different(t, rolled(t, `'{"key":"topology.kubernetes.io/zone","domain":"b"}'`),
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
