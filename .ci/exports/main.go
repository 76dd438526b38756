// Command exports lists the exported names of the root module that nobody uses.
//
//	go run . ../..    # in this directory
//
// A user is any other package that people import or run: another public package of the root module, an example, or a
// package of the modules cmd, karpenter and adapters. The package itself, its tests, internal packages and their tests
// are no users: what only they need is not part of what the library offers.
//
// A few names are for people who are not here yet, such as MustParse. Each of those says why in its doc comment, in a
// sentence that begins with "Exported for"; there may be 20 of them. What else has no user is machinery that has still
// to move behind internal/. The command fails if that grows.
package main

import (
	"fmt"
	"os"
)

const (
	mostExceptions = 20 // names that have no user, and say why
	mostUnused     = 0  // others; whoever takes one back lowers this number
)

func main() {
	root := "../.."
	if len(os.Args) > 1 {
		root = os.Args[1]
	}
	if err := check(root); err != nil {
		fmt.Fprintln(os.Stderr, "exports:", err)
		os.Exit(1)
	}
}

func check(root string) error {
	public, err := declared(root)
	if err != nil {
		return err
	}
	used := map[string]bool{}
	for _, module := range []string{".", "cmd", "karpenter", "adapters"} {
		if err := findUses(root, module, used); err != nil {
			return err
		}
	}
	unused, excepted := 0, 0
	for _, n := range public {
		switch {
		case n.used(used):
		case n.excepted:
			excepted++
			fmt.Printf("%s: %s has no user, and says why\n", n.position, n.key)
		default:
			unused++
			fmt.Printf("%s: %s has no user outside of its package and of internal ones\n", n.position, n.key)
		}
	}
	fmt.Printf("%d exported names, fields included; %d without a user, %d of them with a reason\n",
		len(public), unused+excepted, excepted)
	switch {
	case unused > mostUnused:
		return fmt.Errorf("%d exported names have no user, and there were %d: "+
			"move the new ones behind internal/, or say in the doc comment "+
			"what each is \"Exported for\"", unused, mostUnused)
	case unused < mostUnused:
		return fmt.Errorf("only %d exported names have no user: write that number for mostUnused", unused)
	case excepted > mostExceptions:
		return fmt.Errorf("%d names without a user, more than %d: take some back", excepted, mostExceptions)
	}
	return nil
}
