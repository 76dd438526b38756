package command

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/disruptkit/disruptkit/internal/stray"
)

// nearest returns the flag of a command that was probably meant by one that there is not; "": there is no such one.
func nearest(c *cobra.Command, err error) string {
	var unknown *pflag.NotExistError
	if !errors.As(err, &unknown) {
		return ""
	}
	var names []string
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			names = append(names, f.Name)
		}
	})
	written := unknown.GetSpecifiedShortnames() // as programs in Go have them: -enigne
	if written == "" {
		written = unknown.GetSpecifiedName()
	}
	name, _, _ := strings.Cut(written, "=")
	return stray.Nearest(name, names)
}

// flagError describes what is wrong with a flag.
func flagError(c *cobra.Command, err error) error {
	var invalid *pflag.InvalidValueError
	if near := nearest(c, err); near != "" {
		return fmt.Errorf("%w: did you mean --%s?", err, near)
	}
	if c.HasSubCommands() {
		return err
	}
	if !errors.As(err, &invalid) {
		return fmt.Errorf("%w: write %s --help to see the flags", err, c.CommandPath())
	}
	name, cause := "--"+invalid.GetFlag().Name, errors.Unwrap(invalid)
	if short := invalid.GetFlag().Shorthand; short != "" {
		name = "-" + short
	}
	if invalid.GetFlag().NoOptDefVal != "" { // the cause is how Go parses it
		return fmt.Errorf("%s %q is neither true nor false", name, invalid.GetValue())
	}
	if strings.HasPrefix(cause.Error(), `"`) { // it names the value
		return fmt.Errorf("%s %w", name, cause)
	}
	return fmt.Errorf("%s: %s", name, strings.ReplaceAll(cause.Error(), "\n", "\n"+name+": "))
}
