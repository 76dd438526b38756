package decide

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/disruptkit/disruptkit/cmd/internal/bundled"
)

// without returns the bundled cluster as kubectl prints it for whoever may not list some kinds, or forgets them.
func without(t *testing.T, kinds ...string) string {
	t.Helper()
	var list struct {
		APIVersion string            `json:"apiVersion"`
		Kind       string            `json:"kind"`
		Items      []json.RawMessage `json:"items"`
	}
	decode(t, string(bundled.Cluster), &list)
	list.Items = slices.DeleteFunc(list.Items, func(item json.RawMessage) bool {
		var object struct{ Kind string }
		decode(t, string(item), &object)
		return slices.Contains(kinds, object.Kind)
	})
	text, err := json.Marshal(list)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// Lists that say that there are no more objects of a kind.
const (
	noPods   = `{"apiVersion":"v1","kind":"PodList","items":[]}`
	noPDBs   = `{"apiVersion":"policy/v1","kind":"PodDisruptionBudgetList","items":[]}`
	noOthers = noPods + noPDBs + `{"apiVersion":"karpenter.sh/v1","kind":"NodePoolList","items":[]}` +
		`{"apiVersion":"karpenter.sh/v1","kind":"NodeClaimList","items":[]}{"apiVersion":"v1","kind":"NodeList","items":[]}`
)
