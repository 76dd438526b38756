package command

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"

	"github.com/disruptkit/disruptkit/cmd/annotation"
	"github.com/disruptkit/disruptkit/karpenter/steward"
)

func newStatus(c *connection) *cobra.Command {
	return &cobra.Command{
		Use: "status", Short: "Show which nodes are held, and why, and which are released, and for how long", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			kube, err := c.client()
			if err != nil {
				return err
			}
			return status(cmd.Context(), kube, cmd.OutOrStdout(), time.Now())
		},
	}
}

// status prints a line for each NodePool, and one for each node of those that are opted in.
func status(ctx context.Context, kube client.Client, out io.Writer, now time.Time) error {
	var pools v1.NodePoolList
	var nodes corev1.NodeList
	if err := kube.List(ctx, &pools); err != nil {
		return fmt.Errorf("listing NodePools: %w", err)
	}
	if err := kube.List(ctx, &nodes); err != nil {
		return fmt.Errorf("listing Nodes: %w", err)
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "NODEPOOL\tTAKES PART\tDENIES\tNODES\tHELD\tRELEASED\tIN FLIGHT\tHELD BY OTHERS")
	takesPart := map[string]bool{}
	for i := range pools.Items {
		np := &pools.Items[i]
		takesPart[np.Name] = np.Annotations[annotation.Steward] == "true"
		counts, all := map[string]int{}, 0
		for j := range nodes.Items {
			if n := &nodes.Items[j]; n.Labels[v1.NodePoolLabelKey] == np.Name {
				state, _ := stateOf(n, now)
				counts[state]++
				all++
			}
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%d\t%d\t%d\t%d\t%d\n", np.Name, yes(takesPart[np.Name]), yes(np.Annotations[annotation.StewardEnforced] == "true"),
			all, counts["held"], counts["released"], counts["in flight"], counts["held by others"])
	}
	if err := w.Flush(); err != nil {
		return err
	}
	fmt.Fprintln(out)
	w = tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "NODE\tNODEPOOL\tSTATE\tWHY")
	slices.SortFunc(nodes.Items, func(a, b corev1.Node) int { return strings.Compare(a.Name, b.Name) })
	for i := range nodes.Items {
		n := &nodes.Items[i]
		if pool := n.Labels[v1.NodePoolLabelKey]; takesPart[pool] {
			state, why := stateOf(n, now)
			fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", n.Name, pool, state, why)
		}
	}
	return w.Flush()
}

// stateOf describes what state a node is in, and why.
func stateOf(n *corev1.Node, now time.Time) (state, why string) {
	m := steward.ReadMark(n.Annotations)
	disrupted := slices.ContainsFunc(n.Spec.Taints, func(t corev1.Taint) bool { return t.Key == v1.DisruptedTaintKey })
	switch {
	case disrupted || !n.DeletionTimestamp.IsZero():
		return "in flight", "Karpenter disrupts it"
	case m.Disrupt == steward.Theirs:
		return "held by others", "do-not-disrupt that is not the steward's"
	case m.Until.After(now) && (m.Disrupt == steward.None || m.Repair == steward.None):
		return "released", strings.TrimSpace(m.For + " until " + m.Until.UTC().Format(time.RFC3339))
	case m.Disrupt == steward.Ours:
		return "held", m.Why
	}
	return "not held", "the steward has not seen it yet"
}

func yes(b bool) string {
	if b {
		return "yes"
	}
	return "-"
}
