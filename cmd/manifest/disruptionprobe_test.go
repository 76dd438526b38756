package manifest_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/probe/httpget"
)

// The RFC's sample, without its note to the reader.
const rfcPool = `
kind: NodePool
metadata:
  name: my-node-pool-1
spec:
  template:
    disruption:
      # NEW!
      disruptionProbes:
      - path: "/healthz" # Note: Cluster operators can use more granular paths for specific NodePools if their health probe service supports it.
        port: 8080
        host: "myclusterhealth.svc.local"
        scheme: "http"
`

func TestDisruptionProbesAreReadAtEitherPlace(t *testing.T) {
	rfc := httpget.Spec{Scheme: "http", Host: "myclusterhealth.svc.local", Port: 8080, Path: "/healthz"}.WithDefaults()
	named := httpget.Spec{Name: "incidents", Mode: httpget.BodyMode, Host: "10.0.0.7", Port: 80}.WithDefaults()
	for _, test := range []struct {
		rule, pool string
		want       map[string][]httpget.Spec
	}{
		{"the RFC's sample", rfcPool, map[string][]httpget.Spec{"my-node-pool-1": {rfc}}},
		{"beside the budgets", different(t, nodePool, `spec: {disruption: {disruptionProbes: [
			{path: /healthz, port: 8080, host: myclusterhealth.svc.local}, {name: incidents, mode: body, host: 10.0.0.7, port: "80"}]}}`),
			map[string][]httpget.Spec{"general": {rfc, named}}},
		{"beside those of the template that are null", different(t, nodePool, `spec: {
			disruption: {disruptionProbes: [{name: incidents, mode: body, host: 10.0.0.7, port: 80}]}, template: {disruption: {disruptionProbes: null}}}`),
			map[string][]httpget.Spec{"general": {named}}},
		{"of all pools of a name, since nobody knows which is meant", documents(rfcPool, rfcPool), map[string][]httpget.Spec{"my-node-pool-1": {rfc, rfc}}},
		{"with the newer name, whose bodies are read", different(t, nodePool, `spec: {disruption: {disruptionReadiness: {httpProbes: [
			{name: incidents, host: 10.0.0.7, port: 80}, {mode: status, path: /healthz, port: 8080, host: myclusterhealth.svc.local}]}}}`),
			map[string][]httpget.Spec{"general": {named, rfc}}},
		{"with the newer name at the RFC's place", different(t, nodePool, `spec: {template: {disruption: {disruptionReadiness: {httpProbes: [
			{name: incidents, host: 10.0.0.7, port: 80}]}}}}`), map[string][]httpget.Spec{"general": {named}}},
		{"none", nodePool, map[string][]httpget.Spec{}},
		{"an empty list", different(t, nodePool, `spec: {disruption: {disruptionProbes: []}}`), map[string][]httpget.Spec{}},
	} {
		t.Run(test.rule, func(t *testing.T) {
			c := read(t, test.pool)
			if diff := cmp.Diff(test.want, c.Probes); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			if w := c.Warnings(); len(w) > 0 {
				t.Errorf("warnings: %v", w)
			}
		})
	}
}

// Nobody has asked them, and nobody may take that for a yes.
func TestProbesThatHaveNotRunBlockTheirPool(t *testing.T) {
	claim := different(t, nodeClaim, `status: {conditions: [{type: Drifted, status: "True"}]}`)
	for _, test := range []struct {
		rule, probes string
		want         []string // all that blocks the node
	}{
		{"none", `[]`, nil},
		{"one", `[{name: health, host: a, port: 80}]`, []string{"probe/not-observed: health: nothing has been observed yet"}},
		{"two", `[{name: health, host: a, port: 80}, {host: b, port: 81, path: "/x?key=secret"}]`, []string{
			"probe/not-observed: health: nothing has been observed yet", "probe/not-observed: http://b:81/x: nothing has been observed yet"}},
		{"a broken one", `[{name: health, host: a}]`, []string{
			"probe/invalid-probe: health: the probe is invalid: port: it is missing: write a number from 1 to 65535, such as 8080"}},
	} {
		t.Run(test.rule, func(t *testing.T) {
			c := read(t, documents(different(t, nodePool, `spec: {disruption: {disruptionProbes: `+test.probes+`}}`), claim, node, noPods))
			d := disruptkit.Decide(c.Input(now), candidate.Drifted)
			var got []string
			for _, blocked := range d.Blocked {
				for _, b := range blocked.Blockers {
					got = append(got, b.String())
				}
			}
			if diff := cmp.Diff(test.want, got); diff != "" || len(d.Allowed)+len(d.Blocked) != 1 {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestABrokenProbeIsNamedAndBlocksItsPool(t *testing.T) {
	const at = "NodePool/general: spec.disruption.disruptionProbes"
	claim := different(t, nodeClaim, `status: {conditions: [{type: Drifted, status: "True"}]}`)
	for _, test := range []struct {
		rule, spec string
		want       []string
	}{
		{"not a list", `{disruption: {disruptionProbes: 5}}`, []string{
			at + `: a number is not a list: write one such as [{"host": "health.monitoring.svc", "port": 8080}]`}},
		{"the object of the newer name", `{disruption: {disruptionProbes: {httpProbes: [{host: a}]}}}`, []string{
			at + `: an object is not a list: write one such as [{"host": "health.monitoring.svc", "port": 8080}]`}},
		{"text in the list", `{disruption: {disruptionProbes: [health]}}`, []string{
			at + `[0]: text is not an object: write one such as {"host": "health.monitoring.svc", "port": 8080}`}},
		{"null in the list", `{disruption: {disruptionProbes: [null]}}`, []string{at + `[0]: null is not a probe: delete it`}},
		{"a field that nobody knows", `{disruption: {disruptionProbes: [{host: a, port: 80}, {host: a, ports: 80}]}}`, []string{
			at + `[1]: field "ports" is unknown: write "port"`}},
		{"all that is wrong, on one line", `{disruption: {disruptionProbes: [{host: "a:80", scheme: ftp}]}}`, []string{
			at + `[0]: scheme: "ftp" is unknown: write http or https; host: "a:80" is not an IPv6 address: write a name or an address ` +
				`alone, such as "health.monitoring.svc" or "10.0.0.7", and the port as a separate field; port: it is missing: write a number from 1 to 65535, such as 8080`}},
		{"several", `{disruption: {disruptionProbes: [{host: a}, {host: b, port: 80}, {host: c}]}}`, []string{
			at + `[0]: port: it is missing: write a number from 1 to 65535, such as 8080`,
			at + `[2]: port: it is missing: write a number from 1 to 65535, such as 8080`}},
		{"in the template", `{template: {disruption: {disruptionProbes: [{host: a}]}}}`, []string{
			`NodePool/general: spec.template.disruption.disruptionProbes[0]: port: it is missing: write a number from 1 to 65535, such as 8080`}},
		{"at both places", `{disruption: {disruptionProbes: [{host: a, port: 80}]}, template: {disruption: {disruptionProbes: [{host: a, port: 80}]}}}`, []string{
			`NodePool/general: spec.template.disruption.disruptionProbes: spec.disruption.disruptionProbes is there as well, and it is unclear which applies: ` +
				`write one of them, under spec.disruption`}},
		{"at both places, and one is empty", `{disruption: {disruptionProbes: []}, template: {disruption: {disruptionProbes: [{host: a, port: 80}]}}}`, []string{
			`NodePool/general: spec.template.disruption.disruptionProbes: spec.disruption.disruptionProbes is there as well, and it is unclear which applies: ` +
				`write one of them, under spec.disruption`}},
		{"of the newer name", `{disruption: {disruptionReadiness: {httpProbes: [{host: a, port: 80}, {host: b}]}}}`, []string{
			`NodePool/general: spec.disruption.disruptionReadiness.httpProbes[1]: port: it is missing: write a number from 1 to 65535, such as 8080`}},
		{"of the newer name without a list", `{disruption: {disruptionReadiness: [{host: a, port: 80}]}}`, []string{
			`NodePool/general: spec.disruption.disruptionReadiness: a list is not an object: write one such as {"httpProbes": [{"host": "health.monitoring.svc", "port": 8080}]}`}},
		{"of the newer name, empty", `{disruption: {disruptionReadiness: {}}}`, []string{
			`NodePool/general: spec.disruption.disruptionReadiness: disruptionReadiness has no httpProbes: write one such as {"httpProbes": [{"host": "health.monitoring.svc", "port": 8080}]}`}},
		{"with both names", `{disruption: {disruptionProbes: [{host: a, port: 80}], disruptionReadiness: {httpProbes: [{host: a, port: 80}]}}}`, []string{
			`NodePool/general: spec.disruption.disruptionReadiness: spec.disruption.disruptionProbes is there as well, and it is unclear which applies: ` +
				`write one of them, under spec.disruption`}},
		{"in another case", `{disruption: {DisruptionProbes: [{host: a, port: 80}]}}`, []string{
			`NodePool/general: spec.disruption.DisruptionProbes: field "DisruptionProbes" is unknown: write "disruptionProbes"`}},
		{"at another place", `{disruptionProbes: [{host: a, port: 80}]}`, []string{
			`NodePool/general: spec.disruptionProbes: "disruptionProbes" is unknown here: write disruptionProbes under spec.disruption`}},
		{"the newer name at another place", `{template: {disruptionReadiness: {httpProbes: []}}}`, []string{
			`NodePool/general: spec.template.disruptionReadiness: "disruptionReadiness" is unknown here: write disruptionReadiness under spec.disruption`}},
		{"in the singular, in the spec of the template", `{template: {spec: {disruption-Probe: [{host: a, port: 80}]}}}`, []string{
			`NodePool/general: spec.template.spec.disruption-Probe: "disruption-Probe" is unknown here: write disruptionProbes under spec.disruption`}},
		{"without their parent", `{disruption: {httpProbes: [{host: a, port: 80}]}}`, []string{
			`NodePool/general: spec.disruption.httpProbes: field "httpProbes" is unknown: write one of budgets, consolidationPolicy, consolidateAfter, order, oversized, ` +
				`defaults, consolidation, drift, expiration, emptiness, disruptionProbes, disruptionReadiness`}},
		{"without any parent", `{httpProbes: [{host: a, port: 80}]}`, []string{
			`NodePool/general: spec.httpProbes: "httpProbes" is unknown here: write httpProbes under spec.disruption.disruptionReadiness`}},
		{"of a template in another case", `{Template: {disruption: {disruptionProbes: [{host: a, port: 80}]}}}`, []string{
			`NodePool/general: spec.Template: "Template" is unknown here: write template`}},
		{"in the template's disruption, in another case", `{template: {disruption: {DisruptionProbes: [{host: a, port: 80}]}}}`, []string{
			`NodePool/general: spec.template.disruption.DisruptionProbes: "DisruptionProbes" is unknown here: write it under spec.disruption`}},
		{"the template is text", `{template: none}`, []string{`NodePool/general: spec.template: "none" is text: write an object, with fields`}},
		{"the template's disruption is a list", `{template: {disruption: []}}`, []string{
			`NodePool/general: spec.template.disruption: [] is a list: write an object, with fields`}},
	} {
		t.Run(test.rule, func(t *testing.T) {
			c := read(t, documents(different(t, nodePool, `spec: `+test.spec), claim, node))
			d := disruptkit.Decide(c.Input(now), candidate.Drifted)
			if len(d.Allowed) > 0 || len(d.Blocked) != 1 || len(d.Blocked[0].Blockers) == 0 {
				t.Errorf("not blocked: %+v", d)
			}
			if diff := cmp.Diff(test.want, texts(c.Warnings(d, d))); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// Headers of probes may be secret.
func TestTheWarningOfABrokenProbeDoesNotQuoteIt(t *testing.T) {
	c := read(t, different(t, nodePool, `spec: {disruption: {disruptionProbes: [{host: a, httpHeaders: [{name: Authorization, value: "s3cret"}]}]}}`))
	for _, w := range c.Warnings() {
		if w.Code != candidate.CodeInvalidProbe || strings.Contains(w.Error()+w.Value, "s3cret") {
			t.Errorf("got %+v", w)
		}
	}
	if len(c.Warnings()) != 1 {
		t.Errorf("got %v", c.Warnings())
	}
}

// RFC, option 3: labels: [ "a-specific-az", "my-gpu-nodes", "my-specific-nodepool" ]
func TestTheLabelsOfAPoolAreItsOwnAndThoseOfAllOfItsNodes(t *testing.T) {
	const inZone = `template: {spec: {requirements: [{key: topology.kubernetes.io/zone, operator: In, values: [us-west-2a]}]}}`
	for _, test := range []struct {
		rule, pool string
		want       map[string]string
	}{
		{"none", ``, map[string]string{}},
		{"its own", `metadata: {labels: {team: search}}`, map[string]string{"team": "search"}},
		{"those of its template", `spec: {template: {metadata: {labels: {kind: my-gpu-nodes}}}}`, map[string]string{"kind": "my-gpu-nodes"}},
		{"the zone that all of its nodes are in", `spec: {` + inZone + `}`, map[string]string{"topology.kubernetes.io/zone": "us-west-2a"}},
		{"not the zones that some are in", strings.Replace(`spec: {`+inZone+`}`, "us-west-2a", "us-west-2a, us-west-2b", 1), map[string]string{}},
		{"not the zone that none is in", strings.Replace(`spec: {`+inZone+`}`, "In,", "NotIn,", 1), map[string]string{}},
		{"not what is only there", `spec: {template: {spec: {requirements: [{key: gpu, operator: Exists}]}}}`, map[string]string{}},
		{"its own count more than the template's, and these more than requirements", `{metadata: {labels: {a: own}}, spec: {template: {
			metadata: {labels: {a: template, b: template}},
			spec: {requirements: [{key: a, operator: In, values: [x]}, {key: b, operator: In, values: [x]}, {key: c, operator: In, values: [x]}]}}}}`,
			map[string]string{"a": "own", "b": "template", "c": "x"}},
	} {
		t.Run(test.rule, func(t *testing.T) {
			test.want["karpenter.sh/nodepool"] = "general"
			c := read(t, different(t, nodePool, test.pool))
			if diff := cmp.Diff(test.want, c.Pools[0].Labels); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}
