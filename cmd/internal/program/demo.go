package program

import (
	"errors"
	"flag"
	"slices"
)

// DemoHelp is the row of --demo in the help of a program.
const DemoHelp = "show an example instead of your cluster; kubectl is not run"

// AddDemo adds the flag --demo to a program that has an example to show.
func AddDemo(flags *flag.FlagSet) { flags.Bool("demo", false, "") }

// WantsDemo reports whether somebody writes --demo. Faults of the arguments are for Parse to find.
func (e Environment) WantsDemo(flags *flag.FlagSet, args []string) bool {
	_ = e.Parse(flags, args, func(string) {})
	return Given(flags, "demo") == "true"
}

// DemoAlone returns an error if --demo is given and a file is, too.
func DemoAlone(flags *flag.FlagSet, files ...string) error {
	if Given(flags, "demo") != "true" || !slices.ContainsFunc(files, func(file string) bool { return file != "" }) {
		return nil
	}
	return errors.New("--demo shows an example: leave it out to read a file")
}
