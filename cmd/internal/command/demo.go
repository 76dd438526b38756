package command

import (
	"errors"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
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

// demoAlone returns an error if --demo is given and a file is as well.
func (e Environment) demoAlone(c *cobra.Command, args []string) error {
	if e.demo && (c.Flags().Changed("filename") || len(args) > 0 && strings.HasSuffix(c.Use, "[file...]")) {
		return errors.New("--demo shows an example: leave it out to read a file")
	}
	return nil
}
