package steward

import (
	"context"

	"github.com/spf13/cobra"
)

// An Opener returns the cluster that a command is about, and what to call once that is done.
type Opener func(ctx context.Context) (c Cluster, end func(), err error)

// Commands returns install, status and leave.
func Commands(open Opener) []*cobra.Command {
	return []*cobra.Command{newInstall(open), newStatus(open), NewLeave(open)}
}

// with does something with the cluster.
func (open Opener) with(do func(ctx context.Context, c Cluster, cmd *cobra.Command) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, _ []string) error {
		c, end, err := open(cmd.Context())
		if err != nil {
			return err
		}
		defer end()
		return do(cmd.Context(), c, cmd)
	}
}
