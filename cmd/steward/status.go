package steward

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/disruptkit/disruptkit/cmd/annotation"
)

func newStatus(open Opener) *cobra.Command {
	return &cobra.Command{
		Use: "status", Short: "Show which nodes are held, and why, and which are released, and for how long", Args: cobra.NoArgs,
		RunE: open.with(func(ctx context.Context, c Cluster, cmd *cobra.Command) error {
			return status(ctx, c, cmd.OutOrStdout(), time.Now())
		}),
	}
}

// status prints a line for each NodePool, and one for each node of those that are opted in.
func status(ctx context.Context, c Cluster, out io.Writer, now time.Time) error {
	owners, all, err := c.fleet(ctx)
	if err != nil {
		return err
	}
	slices.SortFunc(all, func(a, b object) int { return strings.Compare(a.Metadata.Name, b.Metadata.Name) })
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "NODEPOOL\tTAKES PART\tDENIES\tNODES\tHELD\tRELEASED\tIN FLIGHT\tHELD BY OTHERS")
	takesPart := map[string]bool{}
	for _, np := range owners {
		name, counts, nodes := np.Metadata.Name, map[string]int{}, 0
		takesPart[name] = np.Metadata.Annotations[annotation.Steward] == "true"
		for _, n := range all {
			if poolOf(n) == name {
				state, _ := stateOf(n, now)
				counts[state]++
				nodes++
			}
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%d\t%d\t%d\t%d\t%d\n", name, yes(takesPart[name]), yes(np.Metadata.Annotations[annotation.StewardEnforced] == "true"),
			nodes, counts[held], counts[released], counts[inFlight], counts[heldByOthers])
	}
	if err := w.Flush(); err != nil {
		return err
	}
	fmt.Fprintln(out)
	fmt.Fprintln(w, "NODE\tNODEPOOL\tSTATE\tWHY")
	for _, n := range all {
		if takesPart[poolOf(n)] {
			state, why := stateOf(n, now)
			fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", n.Metadata.Name, poolOf(n), state, why)
		}
	}
	return w.Flush()
}

func poolOf(n object) string { return n.Metadata.Labels[annotation.PoolLabel] }

// The states of a node.
const (
	held         = "held"
	released     = "released"
	inFlight     = "in flight"
	heldByOthers = "held by others"
)

// stateOf describes what state a node is in, and why.
func stateOf(n object, now time.Time) (state, why string) {
	m := annotation.ReadMark(n.Metadata.Annotations)
	disrupted := slices.ContainsFunc(n.Spec.Taints, keyed(annotation.DisruptedTaint))
	switch {
	case disrupted || !n.Metadata.DeletionTimestamp.IsZero():
		return inFlight, "Karpenter disrupts it"
	case m.Disrupt == annotation.Theirs:
		return heldByOthers, "do-not-disrupt that is not the steward's"
	case m.Until.After(now) && (m.Disrupt == annotation.None || m.Repair == annotation.None):
		return released, strings.TrimSpace(m.For + " until " + m.Until.UTC().Format(time.RFC3339))
	case m.Disrupt == annotation.Ours:
		return held, m.Why
	}
	return "not held", "the steward has not seen it yet"
}

func yes(b bool) string {
	if b {
		return "yes"
	}
	return "-"
}
