// Package command is what the commands of kubectl disruption share: what they have of the world, how they are run, and
// the flags that several of them have.
//
// A flag is declared once, with what it is for: help, completion and errors come from the declaration. The name of its
// value in back quotes says how it is completed: a `file`, a `NodePool`, a `node`, or a `context`.
package command

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"
)

// The exit status of all commands.
const (
	Good     = 0
	Faulty   = 1 // something in the input is invalid or missing, and nodes are blocked for it, or a check failed; the rest was done
	Hopeless = 2 // nothing could be done
)

// An Environment is what a command has of the world.
type Environment struct {
	Name           string // as people run it: kubectl disruption decide
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	// Cluster asks the cluster for objects of some kinds, with commas between them. It is nil where a command shows
	// what is bundled with it unless it is given a file, as with --demo.
	Cluster func(kinds string) (io.ReadCloser, error)
	// NodePools asks the cluster for NodePools alone, without a word. It is nil where Cluster is.
	NodePools func() (io.ReadCloser, error)
	// Events asks the cluster for the Events about a node. It is nil where Cluster is.
	Events func(node string) (io.Reader, error)

	// Patch changes an object of the cluster, such as nodepool/web, by a merge patch. It is nil where Cluster is.
	Patch func(ctx context.Context, object, patch string) error

	demo      bool                        // somebody writes --demo
	documents map[*cobra.Command]Document // of commands that an error ends
}

// Fail reports that nothing can be done, and returns the exit status.
func (e Environment) Fail(err error) int {
	fmt.Fprintf(e.Stderr, "%s: %v\n", e.Name, err)
	return Hopeless
}

// A Task is what a command does once its flags are parsed, with the arguments that are no flags. Where it returns an
// error, nothing could be done.
type Task func(ctx context.Context, env Environment, args []string) (status int, err error)

// New makes c a command that does a task.
func New(env *Environment, c *cobra.Command, do Task) *cobra.Command {
	c.DisableFlagsInUseLine = true
	c.Flags().SortFlags = false // help has the most usual first
	c.RunE = func(c *cobra.Command, args []string) error {
		here := *env
		here.Name = c.CommandPath()
		if err := here.demoAlone(c, args); err != nil {
			return err
		}
		s, err := do(c.Context(), here, args)
		if err == nil && s != Good {
			return status(s)
		}
		return err
	}
	return c
}

// A status is how a command ended that has said why.
type status int

func (s status) Error() string { return fmt.Sprintf("exit status %d", int(s)) }

// Run runs a command of an environment, or the one of its own that the arguments name, and returns the exit status.
func Run(ctx context.Context, env Environment, of func(*Environment) *cobra.Command, args []string) int {
	c := of(&env)
	c.SetIn(env.Stdin)
	c.SetOut(env.Stdout)
	c.SetErr(env.Stderr)
	c.SetArgs(append([]string{}, args...)) // cobra takes nil for the arguments of the process
	c.SilenceErrors, c.SilenceUsage = true, true
	c.SetFlagErrorFunc(flagError)
	c.SetHelpFunc(help)
	ran, err := c.ExecuteContextC(ctx)
	var ended status
	switch {
	case err == nil:
		return Good
	case errors.As(err, &ended):
		return int(ended)
	}
	if ran.HasSubCommands() {
		err = fmt.Errorf("%w\nwrite %s --help to see the commands", err, ran.CommandPath())
	}
	env.Name = ran.CommandPath()
	return env.Fail(errors.Join(err, env.document(ran, args, err)))
}

// NoFile returns an error if there are arguments for a command that has only flags.
func NoFile(_ *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return fmt.Errorf("%q is not a flag: to read a file, write -f %[1]s", args[0])
}
