package steward

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/disruptkit/disruptkit/cmd/annotation"
	"github.com/disruptkit/disruptkit/cmd/disruptionpolicy"
	"github.com/disruptkit/disruptkit/internal/wording"
)

// installedIn is the namespace of what install applies.
const installedIn = "disruptkit"

// A departure says what of a steward's to delete.
type departure struct {
	namespace string
	idle      bool // what does nothing by itself stays
}

// NewLeave returns the command that takes the steward out.
func NewLeave(open Opener) *cobra.Command {
	var d departure
	c := &cobra.Command{
		Use: "leave", Short: "Take the steward out of a cluster, with all that it has written", Args: cobra.NoArgs,
		Long: `leave removes the admission policy that denies, then the one that holds, then the steward, and then all that the steward has written on
nodes and NodePools. Karpenter never fails meanwhile, and then disrupts as it did before. A do-not-disrupt that somebody else has written
stays. So do DisruptionPolicies and their CustomResourceDefinition, which limit nothing without a steward or a guard, and the namespace, in which
your calendars may be.

With Helm, you need not run it: helm uninstall does that first.

To take out a single NodePool, remove its annotation: kubectl annotate nodepool NAME disruptkit.dev/steward-`,
		RunE: open.with(func(ctx context.Context, c Cluster, cmd *cobra.Command) error {
			return d.leave(ctx, c, cmd.OutOrStdout())
		}),
	}
	c.Flags().StringVarP(&d.namespace, "namespace", "n", installedIn, "the `namespace` of the steward's Deployment")
	c.Flags().BoolVar(&d.idle, "keep-idle", false, "delete only what acts, the admission policies and the Deployment: Helm deletes the rest")
	return c
}

// leave takes the steward out. It can be repeated where it has failed.
func (d departure) leave(ctx context.Context, c Cluster, out io.Writer) error {
	objects, err := d.objects()
	if err != nil {
		return err
	}
	for _, o := range objects {
		there, err := c.remove(ctx, o)
		if err != nil {
			return fmt.Errorf("%s %s: %w", o.Kind, o.Metadata.Name, err)
		}
		if there {
			fmt.Fprintf(out, "deleted  %s %s\n", o.Kind, o.Metadata.Name)
		}
	}
	for _, step := range []func(context.Context, Cluster, io.Writer) error{d.gone, clearPools, restoreClaims, clearNodes, clearPolicies} {
		if err := step(ctx, c, out); err != nil {
			return err
		}
	}
	if !d.idle {
		fmt.Fprintf(out, "kept     Namespace %s: delete it if nothing of yours is in it\n", d.namespace)
	}
	return nil
}

// objects returns what is to be deleted, in that order: what denies comes first. The namespace is not among them, since people have written
// into it.
func (d departure) objects() (all []object, err error) {
	for _, m := range [][]byte{Deny, Hold, Run} {
		objects, err := manifest(m)
		if err != nil {
			return nil, err
		}
		slices.Reverse(objects)
		for _, w := range objects {
			acts := w.Kind == "Deployment" || strings.Contains(w.Kind, "AdmissionPolicy")
			if w.Kind == "Namespace" || d.idle && !acts {
				continue
			}
			if w.Metadata.Namespace != "" {
				w.Metadata.Namespace = d.namespace
			}
			all = append(all, w.object)
		}
	}
	if !d.idle {
		lease := object{APIVersion: "coordination.k8s.io/v1", Kind: "Lease"}
		lease.Metadata.Name, lease.Metadata.Namespace = "disruptkit-steward", d.namespace
		all = append(all, lease)
	}
	return all, nil
}

// gone waits until no steward runs any more, which would write again what is taken away. A pod may take long to end, or never do, such as one of a
// node that has failed.
func (d departure) gone(ctx context.Context, c Cluster, out io.Writer) error {
	of := pods
	of.Metadata.Namespace = d.namespace
	for waits := false; ; waits = true {
		left, err := c.list(ctx, of, "?labelSelector=app.kubernetes.io/name%3Ddisruptkit-steward")
		if err != nil || len(left) == 0 {
			return err
		}
		if !waits {
			fmt.Fprintf(out, "waiting  until pod %s has ended\n", left[0].Metadata.Name)
		}
		if err := pause(ctx); err != nil {
			return err
		}
	}
}

// pause waits for a second.
func pause(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(time.Second):
		return nil
	}
}

// clearPools takes the steward's annotations off all NodePools. The memory stays: the guard reads it as well.
func clearPools(ctx context.Context, c Cluster, out io.Writer) error {
	all, err := c.list(ctx, pools, "")
	if err != nil {
		return err
	}
	return c.strip(ctx, all, out, annotation.Steward, annotation.StewardEnforced, annotation.Releases, annotation.Policies, annotation.Status)
}

// strip takes annotations off objects, as far as they have them.
func (c Cluster) strip(ctx context.Context, all []object, out io.Writer, annotations ...string) error {
	for _, o := range all {
		change := map[string]any{}
		for _, name := range annotations {
			if _, there := o.Metadata.Annotations[name]; there {
				change[name] = nil
			}
		}
		if err := c.annotate(ctx, o, change); err != nil {
			return fmt.Errorf("%s %s: %w", o.Kind, o.Metadata.Name, err)
		}
		if len(change) > 0 {
			fmt.Fprintf(out, "cleared  %s %s\n", o.Kind, o.Metadata.Name)
		}
	}
	return nil
}

// settles is how long Karpenter may take to notice that NodeClaims have not drifted, before their nodes are held no more.
const settles = 10 * time.Second

// restoreClaims lets NodeClaims not drift any more that were made to, since their nodes have expired or somebody asked for their replacement.
func restoreClaims(ctx context.Context, c Cluster, out io.Writer) error {
	restored := 0
	for until := time.Now().Add(settles); ; {
		owners, err := c.list(ctx, pools, "")
		if err != nil {
			return err
		}
		all, err := c.list(ctx, claims, "")
		if err != nil {
			return err
		}
		drifting := 0
		for _, o := range all {
			if hash, made := annotation.MadeToDrift(o.Metadata.Annotations[annotation.Hash]); made != "" {
				if err := c.annotate(ctx, o, map[string]any{annotation.Hash: hash}); err != nil {
					return fmt.Errorf("restoring NodeClaim %s: %w", o.Metadata.Name, err)
				}
				o.Metadata.Annotations[annotation.Hash] = hash
				restored++
			}
			if unnoticed(o, owners) {
				drifting++
			}
		}
		if drifting == 0 || time.Now().After(until) {
			sayRestored(restored, drifting, out)
			return nil
		}
		if err := pause(ctx); err != nil {
			return err
		}
	}
}

// sayRestored prints how many NodeClaims were restored, and of how many Karpenter has not noticed it.
func sayRestored(restored, drifting int, out io.Writer) {
	if restored > 0 {
		fmt.Fprintf(out, "restored %s that had been made to drift\n", wording.Count(restored, "NodeClaim"))
	}
	if drifting > 0 {
		fmt.Fprintf(out, "note     Karpenter may still replace %s for drift: it has not noticed within %s that the steward took that back\n",
			wording.Count(drifting, "node"), settles)
	}
}

// unnoticed reports whether Karpenter will notice any moment that a NodeClaim has not drifted: it has the hash of its NodePool.
func unnoticed(claim object, owners []object) bool {
	drifts := false
	for _, c := range claim.Status.Conditions {
		drifts = drifts || c.Type == "Drifted" && c.Status == "True" && c.Reason == "NodePoolDrifted"
	}
	return drifts && claim.Metadata.DeletionTimestamp.IsZero() && slices.ContainsFunc(owners, func(np object) bool {
		return np.Metadata.Name == claim.Metadata.Labels[annotation.PoolLabel] && np.Metadata.Annotations[annotation.Hash] == claim.Metadata.Annotations[annotation.Hash]
	})
}

// clearNodes takes what is the steward's off all nodes.
func clearNodes(ctx context.Context, c Cluster, out io.Writer) error {
	all, err := c.list(ctx, nodes, "")
	if err != nil {
		return err
	}
	cleared := 0
	for _, n := range all {
		marks := annotation.ReadMark(n.Metadata.Annotations).Cleared()
		if err := c.annotate(ctx, n, marks); err != nil {
			return fmt.Errorf("node %s: %w", n.Metadata.Name, err)
		}
		taints := slices.DeleteFunc(slices.Clone(n.Spec.Taints), keyed(annotation.SoonTaint))
		untaints := len(taints) < len(n.Spec.Taints)
		if untaints {
			if err := c.replace(ctx, n, "/spec/taints", n.Spec.Taints, taints); err != nil {
				return fmt.Errorf("taints of Node %s: %w", n.Metadata.Name, err)
			}
		}
		if len(marks) > 0 || untaints {
			cleared++
		}
	}
	fmt.Fprintf(out, "cleared  %s\n", wording.Count(cleared, "node"))
	return nil
}

// clearPolicies takes the steward's annotation off all DisruptionPolicies, whose kind the cluster may not have.
func clearPolicies(ctx context.Context, c Cluster, out io.Writer) error {
	all, err := c.list(ctx, object{APIVersion: disruptionpolicy.Version, Kind: disruptionpolicy.Kind}, "")
	if missing(err) {
		return nil
	}
	if err != nil {
		return err
	}
	if err := c.strip(ctx, all, out, annotation.Releases); err != nil {
		return err
	}
	switch len(all) {
	case 0:
	case 1:
		fmt.Fprintln(out, "kept     1 DisruptionPolicy, and its CustomResourceDefinition")
	default:
		fmt.Fprintf(out, "kept     %d DisruptionPolicies, and their CustomResourceDefinition\n", len(all))
	}
	return nil
}
