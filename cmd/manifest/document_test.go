package manifest_test

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/manifest"
)

func TestTheSameObjectsAreReadInEveryForm(t *testing.T) {
	objects := []string{nodePool, different(t, nodeClaim, consolidatable), node, pod, pdb, podSchedule}
	docs := asJSON(t, objects...)
	list := func(items ...string) string {
		return `{"apiVersion":"v1","items":[` + strings.Join(items, ",") + `],"kind":"List","metadata":{"resourceVersion":""}}`
	}
	flow := append([]string{strings.ReplaceAll(docs[0], `"apiVersion":`, "apiVersion: ")}, docs[1:]...)
	yamlList := "apiVersion: v1\nkind: List\nitems:"
	for _, o := range objects {
		yamlList += "\n- " + strings.ReplaceAll(strings.TrimSpace(o), "\n", "\n  ")
	}
	want := read(t, documents(objects...))
	for form, input := range map[string]string{
		"a List, as kubectl prints it":           list(docs...),
		"a List with white space around it":      " \r\n\t" + list(docs...) + "\n\n",
		"a List after a byte order mark":         "\ufeff" + list(docs...),
		"objects one after the other":            strings.Join(docs, "\n"),
		"objects without anything between them":  strings.Join(docs, ""),
		"several Lists":                          list(docs[:2]...) + "\n" + list(docs[2:]...),
		"Lists in a List":                        list(docs[0], list(docs[1], list(docs[2:]...))),
		"an array":                               "[" + strings.Join(docs, ",") + "]",
		"an array in an array":                   "[[" + docs[0] + "],[" + strings.Join(docs[1:], ",") + "]]",
		"flow style, which is YAML":              strings.Join(flow, "\n---\n"),
		"a List in YAML":                         yamlList,
		"YAML documents with empty ones between": "---\n---\n# nothing\n---\n" + documents(objects...) + "\n---\n",
		"YAML times without quotes":              strings.ReplaceAll(documents(objects...), `"2026-11-02T00:00:00Z"`, `2026-11-02T00:00:00Z`),
		"a list of each kind, as --raw prints": `{"kind":"NodeList","apiVersion":"v1","items":[` + without(docs[2], "Node", "v1") + `]}` +
			`{"kind":"PodList","apiVersion":"v1","items":[` + without(docs[3], "Pod", "v1") + `]}` +
			`{"kind":"PodList","apiVersion":"v1","items":null}` + docs[0] + docs[1] +
			`{"kind":"PodDisruptionBudgetList","apiVersion":"policy/v1","items":[` + without(docs[4], "PodDisruptionBudget", "policy/v1") + `]}` + docs[5],
	} {
		t.Run(form, func(t *testing.T) {
			got := read(t, input)
			if diff := cmp.Diff(want.Nodes, got.Nodes, windows); diff != "" {
				t.Errorf("nodes (-want +got)\n%s", diff)
			}
			if diff := cmp.Diff(want.Rules.PDBs(), got.Rules.PDBs()); diff != "" || len(got.Rules.PDBs()) != 1 {
				t.Errorf("PDBs (-want +got)\n%s", diff)
			}
			_, schedules := got.Rules.Written()
			if _, want := want.Rules.Written(); !cmp.Equal(want, schedules) || len(schedules) != 1 {
				t.Errorf("PodDisruptionSchedules: %+v", schedules)
			}
			if len(got.Pools) != 1 || len(got.Pools[0].Budgets.Budgets()) != 1 {
				t.Errorf("pools: %+v", got.Pools)
			}
			if w, notes := got.Warnings(), got.Notes(); len(w)+len(notes) > 0 {
				t.Errorf("warnings %v, notes %v", w, notes)
			}
		})
	}
}

// without returns an object that does not say what it is.
func without(doc, kind, apiVersion string) string {
	doc = strings.Replace(doc, `"kind":"`+kind+`",`, "", 1)
	return strings.Replace(doc, `"apiVersion":"`+apiVersion+`",`, "", 1)
}

func TestWhatYAMLKnowsAndJSONDoesNot(t *testing.T) {
	c := read(t, `
kind: NodePool
metadata: {name: &name general, 5: x}
spec: {disruption: {budgets: [{nodes: .inf, reasons: [Empty]}, &one {nodes: 1}, *one]}, weight: .nan, since: 2026-11-20}
`)
	set := c.Pools[0].Budgets
	if got, _ := budget.AllowedByReason(set, now, 20, candidate.Drifted); got.Nodes != 1 {
		t.Errorf("Drifted: got %v", got)
	}
	want := []string{`budgets[0].nodes: nodes "+Inf": write a count such as 5, or a percentage from 0% to 100%`}
	if diff := cmp.Diff(want, texts(set.Warnings())); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestUnreadableInput(t *testing.T) {
	for _, test := range []struct{ rule, input, want string }{
		{"nothing", "", "the input is empty"},
		{"white space", " \n\t\n", "the input is empty"},
		{"YAML documents without anything in them", "---\n---\n# nothing\n", "the input is empty"},
		{"what kubectl prints without -o json", "NAME    STATUS   ROLES    AGE   VERSION\nnode-1  Ready    <none>   1d    v1.33.0\n", `"NAME STATUS ROLES AGE VERSION node-1 Ready <none> 1d v1.33.0" is not a Kubernetes object: was it printed without -o json?`},
		{"a number", "42", `"42" is not a Kubernetes object`},
		{"JSON that was cut off", `{"kind":"List","items":[{"kind":"Node"`, "the JSON ends in the middle of a document"},
		{"JSON that ends where it starts", "[{", "the JSON ends in the middle of a document"},
		{"JSON that is none", `{"kind": Node}`, "not valid JSON near byte 10: invalid character 'N'"},
		{"JSON, then something else", `{"kind":"List","items":[]} error: lost connection`, "not valid JSON near byte 28"},
		{"YAML that is none", "kind: [Node", "not valid YAML: line 1: "},
		{"YAML that says a thing twice", "kind: Node\nkind: Pod\n", "not valid YAML: line 2: mapping key \"kind\" already defined at line 1"},
	} {
		t.Run(test.rule, func(t *testing.T) {
			_, err := manifest.Read(strings.NewReader(test.input))
			if err == nil || !strings.HasPrefix(err.Error(), test.want) {
				t.Errorf("got error %v, want %s", err, test.want)
			}
		})
	}
	t.Run("a file that cannot be read", func(t *testing.T) {
		for _, start := range []string{"", `{"kind":`, "kind: "} {
			lost := errors.New("lost connection")
			_, err := manifest.Read(io.MultiReader(strings.NewReader(start), iotest.ErrReader(lost)))
			if err == nil || !strings.Contains(err.Error(), lost.Error()) {
				t.Errorf("after %q: got error %v", start, err)
			}
		}
	})
}

// Whatever the input, neither reading it nor deciding on it panics.
func FuzzRead(f *testing.F) {
	for _, seed := range []string{
		documents(nodePool, nodeClaim, node, pod, pdb, podSchedule), "[]", "[[{}]]", "{}", `{"kind":"NodeList","items":[{}]}`, "a: &a [*a]", "5",
		`{"kind":"NodePool","spec":{"disruption":{"budgets":[null,5,{"nodes":[]},{"reasons":[5]}]}}}`,
		`{"kind":"NodePool","metadata":{"annotations":{"disruptkit.dev/memory":"{\"roll\":{\"key\":5,\"domain\":[],\"x\":null}}"}}}`,
		`{"kind":"NodePool","metadata":{"annotations":{"disruptkit.dev/memory":"{\"roll\":{\"key\":5,\"domain\":[],\"x\":null}}"}}}`,
		`{"kind":"Pod","metadata":{"annotations":{"karpenter.sh/disruption-schedule":"@daily;","karpenter.sh/do-not-disrupt":5}},"spec":{"nodeName":[]}}`,
		`{"kind":"PodDisruptionBudget","spec":{"selector":{"matchExpressions":[{"key":5,"values":[null,{}]}]}},"status":{"disruptionsAllowed":1.5}}`,
		`{"kind":"PodDisruptionSchedule","spec":{"selector":{},"schedule":"* * * * *","x":1}}`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, input string) {
		c, err := manifest.Read(strings.NewReader(input))
		if (c == nil) == (err == nil) {
			t.Errorf("got %v and %v", c, err)
		}
		if c != nil {
			disruptkit.Decide(c.Input(now), "")
		}
	})
}
