package program

import (
	"flag"
	"fmt"
	"regexp"
	"strings"

	"github.com/disruptkit/disruptkit/cmd/engine"
)

// Parse parses the flags among arguments, and hands the other arguments to a function, in their order. Flags may come before and after them, with one dash or two;
// what follows -- is no flag. It returns flag.ErrHelp where somebody asks for help.
func (e Environment) Parse(flags *flag.FlagSet, args []string, take func(arg string)) error {
	if err := engineAsUser(args); err != nil {
		return err
	}
	if e.Connection != nil {
		e.Connection(flags)
	}
	for len(args) > 0 {
		if err := flags.Parse(args); err == flag.ErrHelp {
			return err
		} else if err != nil {
			return fmt.Errorf("%s: write %s --help to see the flags", twoDashes(err), e.Name)
		}
		parsed := len(args) - flags.NArg()
		if parsed > 0 && args[parsed-1] == "--" {
			for _, arg := range flags.Args() {
				take(arg)
			}
			return nil
		}
		if args = flags.Args(); len(args) > 0 {
			take(args[0])
			args = args[1:]
		}
	}
	return nil
}

// None returns an error if there are arguments for a program that has only flags.
func None(rest []string) error {
	if len(rest) == 0 {
		return nil
	}
	return fmt.Errorf("%q is not a flag: to read a file, write -f %[1]s", rest[0])
}

// engineAsUser returns an error where --as, with which kubectl impersonates a user, is given the name of an engine.
func engineAsUser(args []string) error {
	for i, arg := range args {
		name, value, joined := strings.Cut(arg, "=")
		if name != "--as" && name != "-as" {
			continue
		}
		if !joined && i+1 < len(args) {
			value = args[i+1]
		}
		for _, e := range engine.All {
			if strings.EqualFold(value, e.String()) {
				return fmt.Errorf("--as impersonates a user, as in kubectl: to name the engine, write --engine %s", e)
			}
		}
	}
	return nil
}

var oneDash = regexp.MustCompile(`(flag |for |provided but not defined: |needs an argument: )-([[:alnum:]][[:alnum:]-]+)`)

// twoDashes returns the message of package flag, with two dashes before long names.
func twoDashes(err error) string { return oneDash.ReplaceAllString(err.Error(), "$1--$2") }
