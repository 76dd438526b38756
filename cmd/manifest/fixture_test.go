package manifest_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/manifest"
)

// An ordinary NodePool, NodeClaim, Node and Pod that belong together, and what may be said of the Pod. Tests write what is different about theirs.
const (
	nodePool = `
apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: general}
spec: {disruption: {consolidateAfter: 5m, consolidationPolicy: WhenEmptyOrUnderutilized, budgets: [{nodes: "10%"}]}}`

	nodeClaim = `
apiVersion: karpenter.sh/v1
kind: NodeClaim
metadata: {name: general-x7k2p, labels: {karpenter.sh/nodepool: general}}
spec: {}
status: {nodeName: node-1, providerID: "aws:///us-west-2a/i-1"}`

	node = `
apiVersion: v1
kind: Node
metadata:
  name: node-1
  labels: {karpenter.sh/nodepool: general, karpenter.sh/registered: "true", karpenter.sh/initialized: "true"}
spec: {providerID: "aws:///us-west-2a/i-1"}
status: {conditions: [{type: Ready, status: "True", lastTransitionTime: "2026-11-01T00:00:00Z"}]}`

	pod = `
apiVersion: v1
kind: Pod
metadata:
  name: web-1
  namespace: shop
  labels: {app: web}
  ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: web}]
spec: {nodeName: node-1}
status: {phase: Running, startTime: "2026-11-02T00:00:00Z", conditions: [{type: Ready, status: "True"}]}`

	pdb = `
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: web, namespace: shop}
spec: {maxUnavailable: 1, selector: {matchLabels: {app: web}}}
status: {disruptionsAllowed: 1}`

	podSchedule = `
apiVersion: karpenter.sh/v1
kind: PodDisruptionSchedule
metadata: {name: web}
spec: {selector: {matchLabels: {app: web}}, schedule: 0 2 * * 6, duration: 4h}`

	noPods = `{apiVersion: v1, kind: PodList, items: []}` // which is knowledge
)

var now = time.Date(2026, 11, 20, 10, 30, 0, 0, time.UTC)

// different returns an object as YAML with changes merged into it: null removes a field.
func different(t *testing.T, object, changes string) string {
	t.Helper()
	var base, patch any
	for text, into := range map[string]*any{object: &base, changes: &patch} {
		if err := yaml.Unmarshal([]byte(text), into); err != nil {
			t.Fatalf("the test's YAML %s: %v", text, err)
		}
	}
	if patch == nil {
		return object
	}
	merged, err := yaml.Marshal(merge(base, patch))
	if err != nil {
		t.Fatal(err)
	}
	return string(merged)
}

func merge(base, patch any) any {
	fields, ok := base.(map[string]any)
	changes, ok2 := patch.(map[string]any)
	if !ok || !ok2 {
		return patch
	}
	for name, change := range changes {
		if change == nil {
			delete(fields, name)
		} else {
			fields[name] = merge(fields[name], change)
		}
	}
	return fields
}

func documents(objects ...string) string { return strings.Join(objects, "\n---\n") }

func read(t *testing.T, input string) *manifest.Cluster {
	t.Helper()
	c, err := manifest.Read(strings.NewReader(input))
	if err != nil {
		t.Fatalf("Read: %v\n%s", err, input)
	}
	return c
}

// asJSON returns YAML documents as one JSON document each.
func asJSON(t *testing.T, objects ...string) []string {
	t.Helper()
	var docs []string
	for _, object := range objects {
		var content any
		if err := yaml.Unmarshal([]byte(object), &content); err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := json.NewEncoder(&b).Encode(content); err != nil {
			t.Fatal(err)
		}
		docs = append(docs, strings.TrimSpace(b.String()))
	}
	return docs
}

func texts(warnings []candidate.Warning) []string {
	var all []string
	for _, w := range warnings {
		all = append(all, w.Error())
	}
	return all
}

func date(text string) time.Time {
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		panic(err)
	}
	return at
}
