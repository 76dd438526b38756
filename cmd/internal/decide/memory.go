package decide

import (
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
		t.line("\nBEFORE YOU DRAIN BY THIS, STORE THE MEMORY\n%s", strings.Join(commands, "\n"))
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

// store returns the command that stores the text of the memory of a pool or a policy, or, without one, that there is nothing to remember.
func store(object, text string) string {
	if text == "" {
		return "kubectl annotate " + object + " " + annotation.Memory + "-"
	}
	return "kubectl annotate --overwrite " + object + " \\\n  " + annotation.Memory + "=" + command.Argument(text)
}
