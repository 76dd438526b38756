package command

import (
	"errors"
	"slices"
	"strconv"

	"github.com/spf13/pflag"
)

// AddDemo adds the flag --demo to a command that has an example to show.
func (e *Environment) AddDemo(flags *pflag.FlagSet) {
	flags.BoolFunc("demo", "show an example instead of your cluster; kubectl is not run", func(text string) error {
		demo, err := strconv.ParseBool(text)
		if demo {
			e.Cluster, e.Events, e.demo = nil, nil, true
		}
		return err
	})
}

// DemoAlone returns an error if --demo is given and a file is as well.
func (e Environment) DemoAlone(files ...string) error {
	if !e.demo || !slices.ContainsFunc(files, func(file string) bool { return file != "" }) {
		return nil
	}
	return errors.New("--demo shows an example: leave it out to read a file")
}
