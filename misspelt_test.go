package disruptkit_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/record"
	"github.com/disruptkit/disruptkit/internal/testkit"
	"github.com/disruptkit/disruptkit/internal/testkit/generate"
	"github.com/disruptkit/disruptkit/schedule"
)

// TestAMisspeltNameDisruptsNoMoreNodesWithoutAWarning changes one letter of one name, and compares the two decisions: the nodes allowed
// with the misspelt name are allowed without it as well, or a warning has one of the two names.
//
// A name is what refers to something else in the input, or what is referred to: reasons, topology keys and the keys of nodes' labels, pools,
// calendars. What the law does not cover:
//
//   - a change that makes another name of the input, such as pool-0 for pool-1, or a name of one letter: nobody can know that it is wrong;
//   - the values of labels, and all of pods, PodDisruptionBudgets and their selectors: they are facts of the cluster, of which none has to match;
//   - the names of nodes, groups, probes and pauses, which only tell them apart, and Node.Replaces, since the node that it names is gone;
//   - the memory, which people do not write. What it costs to lose it is in the doc of disruptkit.Memory;
//   - the selector of the nodes with which waves begin (budget.Rollout.From), which says who goes first, not how many;
//   - budgets and nodes that say so: topology.Options.LabelOptional.
func TestAMisspeltNameDisruptsNoMoreNodesWithoutAWarning(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := testkit.Arbitrary(withNames).Draw(t, "input")
		asked := testkit.Arbitrary(generate.Asked).Draw(t, "asked")
		text, err := record.Marshal(in)
		if err != nil {
			t.Skip(err)
		}
		tree := decoded(t, text)
		names := append(namesIn(tree, ""), name{at: "asked", text: string(asked), set: func(s string) { asked = candidate.Reason(s) }})
		names = slices.DeleteFunc(names, func(n name) bool { return len(n.text) < 2 })
		if len(names) == 0 {
			t.Skip("no names")
		}
		before := disruptkit.Decide(reread(t, tree), asked)
		one := rapid.SampledFrom(names).Draw(t, "name")
		wrong := misspelt(t, one.text)
		if bytes.Contains(text, []byte(`"`+wrong+`"`)) || wrong == string(asked) {
			t.Skip("another name")
		}
		one.set(wrong)
		changed := reread(t, tree)
		after := disruptkit.Decide(changed, asked)
		if !bytes.Contains(text, []byte(`"calendars"`)) { // which package naive does not know
			agreesWithNaive(t, changed, asked)
		}
		allowed := map[string]bool{}
		for _, c := range before.Allowed {
			allowed[c.Node] = true
		}
		warned := slices.ContainsFunc(after.Warnings, func(w candidate.Warning) bool {
			quotes := func(name string) bool { return w.Value == name || strings.Contains(w.Message, strconv.Quote(name)) }
			return quotes(wrong) || quotes(one.text)
		})
		for _, c := range after.Allowed {
			if !allowed[c.Node] && !warned {
				t.Fatalf("%s of %s: %q instead of %q allows %s of %s for %s, with the warnings %v", one.at, asked, wrong, one.text, c.Node, c.Pool, c.Reason, after.Warnings)
			}
		}
	})
}

// withNames generates inputs of all kinds. Some budgets have a calendar.
func withNames(s generate.Source) disruptkit.Input {
	kinds := []func(generate.Source) disruptkit.Input{generate.Input, generate.Grouped, generate.GroupedInZones, generate.Waiting,
		generate.WaitingInZones, generate.GroupedWaiting, generate.Paced, generate.Dated, generate.Waved, generate.Soaked}
	in := kinds[s(len(kinds))](s)
	for i := range in.Pools {
		spec := in.Pools[i].Budgets.Spec()
		if len(spec.Budgets) == 0 || s(3) > 0 {
			continue
		}
		always := schedule.MustParse("0 0 * * *", 24*time.Hour, "")
		spec.Calendars = map[string]schedule.Window{"holidays": always, "freeze": always}
		spec.Budgets[0] = budget.Budget{Nodes: []string{"0", "1", "50%"}[s(3)], Calendar: []string{"holidays", "freeze"}[s(2)], Outside: s(2) > 0}
		in.Pools[i].Budgets, _ = spec.Compile()
	}
	return in
}

// misspelt changes one letter: it is another one, missing, doubled, or swapped with the next.
func misspelt(t *rapid.T, text string) string {
	letters := []rune(text)
	at := rapid.IntRange(0, len(letters)-2).Draw(t, "letter")
	switch rapid.SampledFrom([]string{"another", "missing", "doubled", "swapped"}).Draw(t, "how") {
	case "another":
		letters[at] = rapid.SampledFrom([]rune("aeinrstE7")).Draw(t, "by")
	case "missing":
		letters = slices.Delete(letters, at, at+1)
	case "doubled":
		letters = slices.Insert(letters, at, letters[at])
	default:
		letters[at], letters[at+1] = letters[at+1], letters[at]
	}
	return string(letters)
}

// A name is one in the JSON of an input.
type name struct {
	at, text string
	set      func(string)
}

// String has rapid print it.
func (n name) String() string { return fmt.Sprintf("%s %q", n.at, n.text) }

// namesIn returns the names in a JSON, in order. The place is that of the value itself.
func namesIn(value any, place string) (all []name) {
	field := place[strings.LastIndex(place, ".")+1:]
	switch value := value.(type) {
	case []any:
		for i, one := range value {
			text, isText := one.(string)
			if isText && slices.Contains([]string{"reasons", "pools"}, field) {
				all = append(all, name{place, text, func(s string) { value[i] = s }})
			}
			all = append(all, namesIn(one, place)...)
		}
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(value)) {
			at := place + "." + key
			if slices.Contains([]string{".memory", ".rules", ".nodes.pods"}, at) {
				continue
			}
			if place == ".nodes.labels" || strings.HasSuffix(place, ".calendars") {
				all = append(all, name{place, key, func(s string) {
					value[s] = value[key]
					delete(value, key)
				}})
				continue
			}
			if text, isText := value[key].(string); isText && isName(at, key) {
				all = append(all, name{at, text, func(s string) { value[key] = s }})
			}
			all = append(all, namesIn(value[key], at)...)
		}
	}
	return all
}

func isName(at, key string) bool {
	return slices.Contains([]string{"reason", "topologyKey", "calendar", "pool", "disruptedFor"}, key) || at == ".pools.name"
}

func decoded(t *rapid.T, text []byte) (tree any) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	if err := decoder.Decode(&tree); err != nil {
		t.Fatal(err)
	}
	return tree
}

func reread(t *rapid.T, tree any) disruptkit.Input {
	text, err := json.Marshal(tree)
	if err != nil {
		t.Fatal(err)
	}
	in, err := record.Unmarshal(text)
	if err != nil {
		t.Skip(err)
	}
	return in
}
