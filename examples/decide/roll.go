package main

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/examples/internal/manifest"
	"github.com/disruptkit/disruptkit/topology"
)

// rolls says how to store what is new of whose turn it is: without it, the next decision may choose another zone.
func (t *table) rolls(d disruptkit.Decision) {
	pools := map[string]topology.Roll{}
	maps.Copy(pools, t.in.Rolls)
	maps.Copy(pools, d.Rolls)
	var commands []string
	for _, pool := range slices.Sorted(maps.Keys(pools)) {
		if roll := d.Rolls[pool]; !same(roll, t.in.Rolls[pool]) {
			commands = append(commands, store(pool, roll))
		}
	}
	if len(commands) > 0 {
		t.line("\nBEFORE YOU DRAIN BY THIS, STORE WHOSE TURN IT IS\n%s", strings.Join(commands, "\n"))
	}
}

// store returns the command that stores the roll of a pool, or that it has none.
func store(pool string, roll topology.Roll) string {
	if roll.Key == "" {
		return "kubectl annotate nodepool " + quoted(pool) + " " + manifest.RollAnnotation + "-"
	}
	roll.IdleSince = roll.IdleSince.UTC()
	content, _ := json.Marshal(roll)
	return "kubectl annotate --overwrite nodepool " + quoted(pool) + " \\\n  " + manifest.RollAnnotation + "=" + quoted(string(content))
}

func same(a, b topology.Roll) bool {
	return a.Key == b.Key && a.Domain == b.Domain && a.IdleSince.Equal(b.IdleSince)
}

var plain = regexp.MustCompile(`^[a-zA-Z0-9.-]+$`)

// quoted returns a text as the shell takes it for what it is.
func quoted(text string) string {
	if plain.MatchString(text) {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}
