package decide

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/cmd/annotation"
	"github.com/disruptkit/disruptkit/cmd/disruptionpolicy"
	"github.com/disruptkit/disruptkit/cmd/internal/command"
)

// remember describes how to store what is new in the memory. Without it, the next decision may choose another zone, or let too many nodes
// start. The guard and the steward store it themselves.
func (t *table) remember(d disruptkit.Decision) error {
	commands, err := t.stores(d)
	if len(commands) > 0 {
		t.line("\nBEFORE YOU DRAIN BY THIS, STORE %s\n%s", strings.ToUpper(remembered(t.in.Memory, d.Memory)), strings.Join(commands, "\n"))
	}
	return err
}

// stores returns the commands that store what is new in the memory.
func (a answer) stores(d disruptkit.Decision) (commands []string, err error) {
	if a.as.Annotated() {
		return nil, nil
	}
	pools := map[string]disruptkit.Memory{}
	maps.Copy(pools, a.in.Memory)
	maps.Copy(pools, d.Memory)
	policies := map[string]string{} // by where their memory is
	for _, g := range a.in.Groups {
		policies[g.Key()] = g.Name
	}
	for _, key := range slices.Sorted(maps.Keys(pools)) {
		if d.Memory[key].Equal(a.in.Memory[key]) {
			continue
		}
		text, err := annotation.MemoryText(d.Memory[key])
		if err != nil {
			return nil, err
		}
		object := "nodepool " + command.Argument(key)
		if name, ofGroup := policies[key]; ofGroup {
			object = disruptionpolicy.Resource + " " + command.Argument(name)
		}
		commands = append(commands, store(object, text))
	}
	return commands, nil
}

// remembered describes what memories are about.
func remembered(memories ...map[string]disruptkit.Memory) string {
	var turns, starts, backoffs, soaks bool
	for _, pools := range memories {
		for _, m := range pools {
			turns = turns || m.Roll.Key != ""
			starts = starts || len(m.Starts) > 0
			soaks = soaks || m.Soak.For != ""
			backoffs = backoffs || m.Backoff != (disruptkit.Backoff{})
		}
	}
	var texts []string
	for _, about := range []struct {
		there bool
		text  string
	}{{turns, "whose turn it is"}, {starts, "which nodes have started"}, {soaks, "which slots soak"}, {backoffs, "which pools back off"}} {
		if about.there {
			texts = append(texts, about.text)
		}
	}
	if last := len(texts) - 1; last > 0 {
		return strings.Join(texts[:last], ", ") + " and " + texts[last]
	}
	return cmp.Or(strings.Join(texts, ""), "what is remembered")
}

// store returns the command that stores the text of the memory of a pool or a policy, or, without one, that there is nothing to remember.
func store(object, text string) string {
	if text == "" {
		return "kubectl annotate " + object + " " + annotation.Memory + "-"
	}
	return "kubectl annotate --overwrite " + object + " \\\n  " + annotation.Memory + "=" + command.Argument(text)
}
