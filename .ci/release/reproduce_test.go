package main

import (
	"slices"
	"strings"
	"testing"
)

func TestABuildIsReproducedOnlyIfEachProgramIsTheSame(t *testing.T) {
	first := []entry{{"a", 0o755, []byte("one")}, {"b", 0o755, []byte("two")}}
	for _, row := range []struct {
		name   string
		second []entry
		says   string // "" if it is reproduced
	}{
		{"the same", slices.Clone(first), ""},
		{"another content", []entry{first[0], {"b", 0o755, []byte("TWO")}}, "b is not the same"},
		{"another mode", []entry{{"a", 0o644, []byte("one")}, first[1]}, "a is not the same"},
		{"another name", []entry{first[0], {"c", 0o755, []byte("two")}}, "b is not the same"},
		{"one is missing", first[:1], "1 programs, and not 2"},
	} {
		err := same(first, row.second)
		if row.says == "" && err != nil || row.says != "" && (err == nil || !strings.Contains(err.Error(), row.says)) {
			t.Errorf("%s: %v, want %q", row.name, err, row.says)
		}
	}
}
