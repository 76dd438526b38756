package decide

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/internal/bundled"
	"github.com/disruptkit/disruptkit/cmd/manifest"
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

func TestWhatWasNotHandedInIsInTheTableAndInTheJSON(t *testing.T) {
	const atNow = "2026-11-20T10:30:00Z"
	for _, test := range []struct {
		rule, input   string
		missing       []string // kinds
		status        int
		goes, unknown int // candidates that may go, and those that stay since their pods are not known
		nodes         int // of pool general
	}{
		{"nothing", string(bundled.Cluster), nil, good, 9, 0, 41},
		{"Pods", without(t, "Pod"), []string{"Pod"}, faulty, 0, 43, 41},
		{"Pods, though an empty List of something is there", without(t, "Pod") + `{"kind":"List","items":[]}`, []string{"Pod"}, faulty, 0, 43, 41},
		{"no Pods there are", without(t, "Pod") + noPods, nil, good, 8, 0, 41},
		{"PodDisruptionBudgets", without(t, "PodDisruptionBudget"), []string{"PodDisruptionBudget"}, good, 10, 0, 41},
		{"no PodDisruptionBudgets there are", without(t, "PodDisruptionBudget") + noPDBs, nil, good, 10, 0, 41},
		{"NodeClaims", without(t, "NodeClaim"), []string{"NodeClaim"}, good, 0, 0, 41},
		{"Nodes", without(t, "Node"), []string{"Node"}, faulty, 0, 0, 0},
		{"NodePools", without(t, "NodePool"), []string{"NodePool"}, faulty, 0, 0, 0},
		{"Pods, and who is to go", without(t, "Pod", "NodeClaim"), []string{"NodeClaim", "Pod"}, good, 0, 0, 41},
		{"all but Nodes, of which there are none", `{"kind":"NodeList","items":[]}`, []string{"NodePool", "NodeClaim", "Pod", "PodDisruptionBudget"}, good, 0, 0, 0},
	} {
		t.Run(test.rule, func(t *testing.T) {
			table := decided(test.input, "-f", "-", "--now", atNow)
			asJSON := decided(test.input, "-f", "-", "--now", atNow, "-o", "json")
			if table.status != test.status || asJSON.status != test.status {
				t.Errorf("exit status %d and %d, want %d", table.status, asJSON.status, test.status)
			}
			var answer struct {
				Missing   []struct{ Kind, Message string }
				Decisions []struct {
					Pools []struct {
						Name  string
						Nodes int
					}
					Allowed []any
					Blocked []struct{ Blockers []struct{ Gate, Code string } }
				}
			}
			decode(t, asJSON.stdout, &answer)
			var kinds []string
			for _, m := range answer.Missing {
				kinds = append(kinds, m.Kind)
				if !strings.Contains(words(table.stdout), m.Message[1:]) { // there it begins a line
					t.Errorf("the table does not say: %s\n%s", m.Message, table.stdout)
				}
			}
			if !slices.Equal(kinds, test.missing) {
				t.Errorf("missing %v, want %v", kinds, test.missing)
			}
			if n := strings.Count(table.stdout, " were given: "); n != len(test.missing) {
				t.Errorf("the table says it %d times:\n%s", n, table.stdout)
			}
			goes, unknown, nodes := 0, 0, 0
			for _, d := range answer.Decisions {
				goes += len(d.Allowed)
				for _, b := range d.Blocked {
					for _, blocker := range b.Blockers {
						if blocker.Gate == string(candidate.GatePod) && blocker.Code == string(candidate.CodePodsUnknown) {
							unknown++
						}
					}
				}
				for _, p := range d.Pools {
					if p.Name == "general" {
						nodes = p.Nodes
					}
				}
			}
			if goes != test.goes || unknown != test.unknown || nodes != test.nodes {
				t.Errorf("%d may go, %d stay for their pods, %d nodes; want %d, %d and %d", goes, unknown, nodes, test.goes, test.unknown, test.nodes)
			}
			if all := "to print everything, write: " + manifest.Command; strings.Contains(table.stderr, all) != (len(test.missing) > 0) {
				t.Errorf("standard error does not say what to write:\n%s", table.stderr)
			}
		})
	}
}

// What the foot says of pods is of those that are known: unknown ones hold back drift, too.
func TestTheFootDoesNotSpeakOfPodsThatAreNotKnown(t *testing.T) {
	if got := decided(without(t, "Pod"), "-f", "-"); strings.Contains(got.stdout, footnote(podsFoot)) {
		t.Error(got.stdout)
	}
	if got := decided(""); !strings.Contains(got.stdout, footnote(podsFoot)) {
		t.Error(got.stdout)
	}
}
