// Command release packs the modules of this repository as a module proxy serves them, and builds releases from that.
// RELEASING.md says when to run what.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
)

const help = `release packs the modules of this repository as a module proxy serves them, and builds releases from that.

  go -C .ci/release run . check             install and import the modules from a fresh module, as users do
  go -C .ci/release run . tidy [-diff]      go mod tidy for the modules that require each other; -diff only prints
  go -C .ci/release run . prepare VERSION   let the modules require each other at VERSION, with checksums, to be tagged
  go -C .ci/release run . begin VERSION     start work on VERSION: the same, without checksums
  go -C .ci/release run . archives DIR      archives of kubectl-disruption, their SBOMs, checksums, the krew manifest
  go -C .ci/release run . reproduce         build the programs twice, in two directories, and compare
  go -C .ci/release run . proxy DIR         pack the modules as a file proxy

A relative DIR is one of the repository's root. A VERSION is one such as v0.1.0.
`

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := do(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

// do is the whole program.
func do(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("release", flag.ContinueOnError)
	flags.Usage = func() {}
	if len(args) == 0 {
		fmt.Print(help)
		return nil
	}
	diff := flags.Bool("diff", false, "")
	switch err := flags.Parse(args[1:]); {
	case errors.Is(err, flag.ErrHelp):
		fmt.Print(help)
		return nil
	case err != nil:
		return err
	}
	repo, err := open(ctx)
	if err != nil {
		return err
	}
	argument := func(what string) (string, error) {
		if flags.NArg() != 1 {
			return "", fmt.Errorf("%s needs one argument: write release %[1]s %s", args[0], what)
		}
		return flags.Arg(0), nil
	}
	switch args[0] {
	case "check":
		return repo.check(ctx)
	case "reproduce":
		return repo.reproduce(ctx)
	case "tidy":
		return repo.tidy(ctx, *diff)
	case "prepare", "begin":
		version, err := argument("v0.1.0")
		if err != nil {
			return err
		}
		return repo.setVersion(version, args[0] == "prepare")
	case "archives", "proxy":
		dir, err := argument("DIR")
		if err != nil {
			return err
		}
		if !filepath.IsAbs(dir) {
			dir = filepath.Join(repo.root, dir)
		}
		if args[0] == "proxy" {
			return packing{repo, repo.version}.write(dir)
		}
		return repo.archives(ctx, dir)
	default:
		return fmt.Errorf("there is no command %q:\n\n%s", args[0], help)
	}
}
