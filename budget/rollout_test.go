package budget_test

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/disruptkit/disruptkit/budget"
)

func TestBrokenWavesAreQuoted(t *testing.T) {
	const until = "; until then, nothing that the waves are for is disrupted"
	for _, c := range []struct{ name, text, want string }{
		{"a canary and the rest", `{"drift": {"rollout": {"waves": [1, "5%", "25%"], "bake": "1h"}}}`, ""},
		{"no nodes", `{"drift": {"rollout": {"waves": ["0"]}}}`,
			`drift.rollout.waves[0]: wave "0" is no number of nodes: write a count from 1, such as 5, or a percentage from 1% to 100%` + until},
		{"more than all", `{"expiration": {"rollout": {"waves": ["110%"]}}}`,
			`expiration.rollout.waves[0]: wave "110%" is no number of nodes: write a count from 1, such as 5, or a percentage from 1% to 100%` + until},
		{"several in one text", `{"drift": {"rollout": {"waves": ["5%, 1%"]}}}`,
			`drift.rollout.waves[0]: wave "5%, 1%" is no number of nodes: write a count from 1, such as 5, or a percentage from 1% to 100%` + until},
		{"out of order", `{"drift": {"rollout": {"waves": ["5%", "1%"]}}}`,
			`drift.rollout.waves[1]: wave "1%" is not larger than the wave "5%" before it: write the smallest wave first` + until},
		{"a bake alone", `{"drift": {"rollout": {"bake": "1h"}}}`,
			`drift.rollout.bake: there is no wave that could bake for "1h": write waves, such as ["1", "10%"]` + until},
		{"nothing", `{"defaults": {"rollout": {}}}`,
			`defaults.rollout.waves: the rollout has no waves: write some, such as ["1", "10%"], or delete it` + until},
		{"a bake of a year", `{"drift": {"rollout": {"waves": ["1"], "bake": "8760h"}}}`,
			`drift.rollout.bake: bake "8760h" is not a duration of at most 30 days: write one such as 1h` + until},
		{"a bake below zero", `{"drift": {"rollout": {"waves": ["1"], "bake": "-1h"}}}`,
			`drift.rollout.bake: bake "-1h" is not a duration of at most 30 days: write one such as 1h` + until},
		{"no canaries by null", `{"drift": {"rollout": {"waves": ["1"], "bake": null, "from": null}}}`, ""},
		{"canaries that are all nodes", `{"drift": {"rollout": {"waves": ["1"], "from": {}}}}`,
			`drift.rollout.from: from selects every node, so none is first: write matchLabels, such as {"canary": "true"}, or delete it` + until},
		{"a selector that is none", `{"drift": {"rollout": {"waves": ["1"], "from": {"matchExpressions": [{"key": "a", "operator": "Is"}]}}}}`,
			`drift.rollout.from.matchExpressions[0].operator: operator "Is" is unknown: write In, NotIn, Exists or DoesNotExist` + until},
		{"for consolidation", `{"consolidation": {"rollout": {"waves": ["1", "10%"]}}}`,
			`consolidation.rollout: waves are for drift and expiration, since a node that replaces another one does not have their reasons: ` +
				`write the rollout there; until then, no node is disrupted for Underutilized`},
		{"a field that is none", `{"drift": {"rollout": {"wave": ["1"]}}}`,
			`spec.disruption: field "drift": control: field "rollout": rollout: field "wave" is unknown: write "waves"`},
		{"waves that are no object", `{"drift": {"rollout": "1"}}`,
			`spec.disruption: field "drift": control: field "rollout": rollout "1" is not an object: write one such as {"waves": ["1", "10%"]}`},
		{"a selector in one text", `{"drift": {"rollout": {"from": "canary=true"}}}`,
			`spec.disruption: field "drift": control: field "rollout": rollout: field "from": "canary=true" is not an object: ` +
				`write one such as {"matchLabels": {"canary": "true"}}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			var spec budget.Spec
			err := json.Unmarshal([]byte(c.text), &spec)
			if err == nil {
				_, err = spec.Compile()
			}
			got := ""
			if err != nil {
				got = err.Error()
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestWavesAreTheSameInBothDirections(t *testing.T) {
	const text = `{"drift":{"rollout":{"waves":["1","5%"],"bake":"1h","from":{"matchLabels":{"canary":"true"},` +
		`"matchExpressions":[{"key":"zone","operator":"In","values":["a"]}]}}}}`
	var spec budget.Spec
	if err := json.Unmarshal([]byte(text), &spec); err != nil {
		t.Fatal(err)
	}
	if again, _ := json.Marshal(spec); string(again) != text {
		t.Errorf("%s", again)
	}
	set, _ := spec.Compile()
	spec.Drift.Rollout.Waves[0] = "9"
	if again, _ := json.Marshal(set.Spec()); string(again) != text {
		t.Errorf("a Set shares what is written: %s", again)
	}
}

func TestWavesThatAreOutOfOrderForANumberOfNodesAreTakenBySize(t *testing.T) {
	r := budget.WaveLimits{Waves: []budget.Amount{{N: 3}, {N: 5, Percent: true}, {N: 50, Percent: true}}}
	for nodes, want := range map[int][]int{1000: {3, 50, 500}, 40: {2, 3, 20}, 4: {1, 2, 3}, 0: {0, 0, 3}} {
		if got := r.Sizes(nodes); !slices.Equal(got, want) {
			t.Errorf("of %d nodes, the waves are %v, want %v", nodes, got, want)
		}
	}
}
