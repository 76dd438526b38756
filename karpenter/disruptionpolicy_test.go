package karpenter_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	crdvalidation "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"pgregory.net/rapid"
	"sigs.k8s.io/yaml"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/cmd/disruptionpolicy"
)

// A policySchema is what the API server does with DisruptionPolicies.
type policySchema struct {
	structural *structuralschema.Structural
	fields     validation.SchemaValidator
	rules      *cel.Validator
}

func newPolicySchema(t *testing.T) policySchema {
	t.Helper()
	var v1 apiextensionsv1.CustomResourceDefinition
	if err := yaml.UnmarshalStrict(disruptionpolicy.CRD, &v1); err != nil {
		t.Fatal(err)
	}
	apiextensionsv1.SetDefaults_CustomResourceDefinition(&v1)
	apiextensionsv1.SetDefaults_CustomResourceDefinitionSpec(&v1.Spec)
	var crd apiextensions.CustomResourceDefinition
	if err := apiextensionsv1.Convert_v1_CustomResourceDefinition_To_apiextensions_CustomResourceDefinition(&v1, &crd, nil); err != nil {
		t.Fatal(err)
	}
	crd.Status.StoredVersions = []string{"v1alpha1"}
	if errs := crdvalidation.ValidateCustomResourceDefinition(context.Background(), &crd); len(errs) > 0 {
		t.Fatal("the API server would refuse the CRD: ", errs.ToAggregate())
	}
	var of apiextensions.JSONSchemaProps
	if err := apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(v1.Spec.Versions[0].Schema.OpenAPIV3Schema, &of, nil); err != nil {
		t.Fatal(err)
	}
	structural, err := structuralschema.NewStructural(&of)
	if err != nil {
		t.Fatal(err)
	}
	fields, _, err := validation.NewSchemaValidator(&of)
	if err != nil {
		t.Fatal(err)
	}
	return policySchema{structural, fields, cel.NewValidator(structural, true, celconfig.PerCallLimit)}
}

// refuses returns why the API server refuses a policy that kubectl applies, with strict validation; "": it does not.
func (s policySchema) refuses(object []byte) string {
	var o map[string]any
	if err := json.Unmarshal(object, &o); err != nil {
		return err.Error()
	}
	errs := validation.ValidateCustomResource(nil, o, s.fields)
	more, _ := s.rules.Validate(context.Background(), nil, s.structural, o, nil, celconfig.RuntimeCELCostBudget)
	if errs = append(errs, more...); len(errs) > 0 {
		return errs.ToAggregate().Error()
	}
	if dropped := pruning.PruneWithOptions(o, s.structural, true, structuralschema.UnknownFieldPathOptions{TrackUnknownFieldPaths: true}); len(dropped) > 0 {
		return "unknown fields: " + strings.Join(dropped, ", ")
	}
	return ""
}

func policyOf(spec string) []byte {
	raw, err := yaml.YAMLToJSON([]byte("apiVersion: disruptkit.dev/v1alpha1\nkind: DisruptionPolicy\nmetadata: {name: p}\nspec: " + spec))
	if err != nil {
		panic(err)
	}
	return raw
}

func TestTheAPIServerTakesAndRefusesPoliciesAsTheReaderDoes(t *testing.T) {
	s := newPolicySchema(t)
	for _, test := range []struct {
		spec            string
		refused, broken bool // by the API server, by the reader
	}{
		{`{all: true, budgets: [{nodes: 3}]}`, false, false},
		{`{all: true, budgets: [{nodes: "30%", topologyKey: zone, sequential: true}], topology: {patience: 15m, unlabelled: Block}}`, false, false},
		{`{nodePoolSelector: {matchLabels: {team: a}, matchExpressions: [{key: env, operator: In, values: [prod]}]}, pause: {until: "2026-11-22T14:00:00Z", zones: [a]}}`, false, false},
		{`{nodePoolSelector: {}}`, false, false},
		{`{all: false, nodePoolSelector: {matchLabels: {a: b}}}`, false, false},
		{`{all: true, disruptionProbes: [{host: health, port: 80}]}`, false, false},
		{`{all: true, disruptionReadiness: {httpProbes: [{host: health, port: 80}]}}`, false, false},
		{`{all: true, disruptionReadiness: [{host: health, port: 80}]}`, true, true},
		{`{all: true, disruptionReadiness: {}}`, true, true},
		{`{all: true, disruptionProbes: {httpProbes: [{host: health, port: 80}]}}`, true, true},
		{`{all: true, disruptionProbes: [{host: health, port: 80}], disruptionReadiness: {httpProbes: [{host: health, port: 80}]}}`, true, true},
		{`{all: true, pause: {}}`, false, false},
		{`{}`, true, true},
		{`{all: false}`, true, true},
		{`{all: true, nodePoolSelector: {matchLabels: {a: b}}}`, true, true},
		{`{all: "true"}`, true, true},
		{`{all: true, rollout: {waves: ["01", "05%", "50%", "100%"], bake: 1h, from: {matchLabels: {canary: "true"}, matchExpressions: [{key: a, operator: Exists}]}}}`, false, false},
		{`{all: true, rollout: {}}`, true, true},
		{`{all: true, rollout: {bake: 1h}}`, true, true},
		{`{all: true, rollout: {waves: []}}`, true, true},
		{`{all: true, rollout: {waves: ["0"]}}`, true, true},
		{`{all: true, rollout: {waves: [0]}}`, true, true},
		{`{all: true, rollout: {waves: ["110%"]}}`, true, true},
		{`{all: true, rollout: {waves: ["5%, 1%"]}}`, true, true},
		{`{all: true, rollout: {wave: [1]}}`, true, true},
		{`{all: true, rollout: [1]}`, true, true},
		{`{all: true, rollout: {waves: [1], from: {matchExpressions: [{key: a, operator: Is}]}}}`, true, true},
		{`{all: true, waves: [1]}`, true, true},
		{`{all: true, budgets: {nodes: 3}}`, true, true},
		{`{all: true, budgets: [{node: 3}]}`, true, true},
		{`{all: true, budgets: [{nodes: ten}]}`, true, true},
		{`{all: true, budgets: [{nodes: -1}]}`, true, true},
		{`{all: true, budgets: [{nodes: 1, sequential: true}]}`, true, true},
		{`{all: true, budgets: [{nodes: 1, schedule: "@daily"}]}`, true, true},
		{`{all: true, budgets: [{nodes: 1, schedule: "@daily", duration: 1h, from: "2026-12-23"}]}`, true, true},
		{`{all: true, topology: {unlabelled: Ignore}}`, true, true},
		{`{all: true, pause: "true"}`, true, true},
		{`{all: true, pause: {until: tomorrow}}`, true, true},
		{`{all: true, pause: {zones: [a], key: zone}}`, true, true},
		{`{nodePoolSelector: {matchExpressions: [{key: a, operator: In}]}}`, true, true},
		{`{nodePoolSelector: {matchExpressions: [{key: a, operator: Exists, values: [b]}]}}`, true, true},
		{`{nodePoolSelector: {matchExpressions: [{key: a, operator: Like, values: [b]}]}}`, true, true},
		{`{nodePoolSelector: {matchNames: [a]}}`, true, true},
		// What only the reader knows.
		{`{all: true, rollout: {waves: ["5%", "1%"]}}`, false, true},
		{`{all: true, rollout: {waves: [1], bake: soon}}`, false, true},
		{`{all: true, rollout: {waves: [1], bake: 8760h}}`, false, true},
		{`{all: true, rollout: {waves: [1], from: {}}}`, false, true},
		{`{all: true, budgets: [{nodes: 1, schedule: "61 * * * *", duration: 1h}]}`, false, true},
		{`{all: true, budgets: [{nodes: 1, reasons: [Drift, drift, Unknown]}]}`, false, true},
		{`{all: true, topology: {patience: soon}}`, false, true},
		{`{all: true, disruptionProbes: [{host: health}]}`, false, true},
		{`{all: true, pause: {from: "2026-11-22T16:00:00Z", until: "2026-11-22T15:00:00Z"}}`, false, true},
		{`{nodePoolSelector: {matchLabels: {"a b": c}}}`, false, true},
	} {
		why, p := s.refuses(policyOf(test.spec)), disruptionpolicy.Read("p", policyOf(test.spec), budget.Spec{})
		if (why != "") != test.refused || (len(p.Faults) > 0) != test.broken {
			t.Errorf("%s: the API server says %q, the reader %v", test.spec, why, p.Faults)
		}
	}
}

// Whatever the reader takes, the API server takes: otherwise a file that all programs obey could not be applied.
func TestTheAPIServerTakesWhatTheReaderTakes(t *testing.T) {
	s := newPolicySchema(t)
	taken := 0
	rapid.Check(t, func(t *rapid.T) {
		maybe := func(field string, values ...string) string {
			if i := rapid.IntRange(-len(values), len(values)-1).Draw(t, field); i >= 0 {
				return fmt.Sprintf("%q: %s, ", field, values[i])
			}
			return ""
		}
		rule := func() string {
			return "{" + maybe("nodes", `1`, `"20%"`, `"0"`, `"101%"`, `0`) + maybe("reasons", `[Drifted]`, `[]`, `["Drifted/AMIDrift"]`) +
				maybe("per", "1h", `""`) + maybe("schedule", `"0 9 * * *"`) + maybe("duration", "8h") + maybe("from", `"2026-12-23"`) + maybe("outside", "true", "false") +
				maybe("topologyKey", "zone", `""`) + maybe("sequential", "true", "false") + "}"
		}
		spec := "{" + maybe("all", "true", "false", "1") + maybe("nodePoolSelector", "{}", "{matchLabels: {a: b}}", "{matchExpressions: [{key: a, operator: NotIn, values: [b]}]}", "{matchExpressions: [{key: a, operator: Exists, values: []}]}") +
			maybe("budgets", "["+rule()+"]", "["+rule()+","+rule()+"]", "[]") + maybe("order", "newest", "rank", `""`, "youngest", "1") + maybe("topology", "{soak: 5m}", "{patience: Never}", "{unsettled: 1}", "{}") +
			maybe("pause", "{}", "{by: a, why: b}", `{from: "2026-11-22T14:00:00Z", reasons: [Drifted]}`, "{zones: []}", "{key: a, domains: [b]}") + maybe("surprise", "1") + "}"
		p, why := disruptionpolicy.Read("p", policyOf(spec), budget.Spec{}), s.refuses(policyOf(spec))
		if len(p.Faults) == 0 {
			taken++
			if why != "" {
				t.Fatalf("%s: %s", spec, why)
			}
		} else if why == "" {
			known := false
			for _, f := range p.Faults { // of what only the reader knows
				known = known || strings.HasPrefix(f.Field, "spec.budgets[") || strings.HasPrefix(f.Field, "spec.pause.") || strings.HasPrefix(f.Field, "spec.topology")
			}
			if !known {
				t.Fatalf("%s: the API server takes it, and the reader does not: %v", spec, p.Faults)
			}
		}
	})
	if taken == 0 && !testing.Short() {
		t.Error("no policy was good")
	}
}
