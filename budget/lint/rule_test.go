package lint

import (
	"slices"
	"strings"
	"testing"
)

func TestEachRuleHasACodeOfItsOwnAndWords(t *testing.T) {
	rules := Rules()
	if len(rules) < 40 || !slices.IsSortedFunc(rules, func(a, b Rule) int { return strings.Compare(a.Code, b.Code) }) {
		t.Errorf("%d rules", len(rules))
	}
	for i, r := range rules {
		if r.Code == "" || r.Means == "" || r.Example == "" || r.Do == "" || i > 0 && rules[i-1].Code == r.Code {
			t.Errorf("%+v", r)
		}
	}
}
