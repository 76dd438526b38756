package command

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"

	"github.com/disruptkit/disruptkit/cmd/annotation"
	"github.com/disruptkit/disruptkit/internal/wording"
	"github.com/disruptkit/disruptkit/karpenter/internal/shared"
	"github.com/disruptkit/disruptkit/karpenter/steward"
)

func newLeave(c *connection) *cobra.Command {
	var d departure
	leave := &cobra.Command{
		Use: "leave", Short: "Take the steward out of a cluster, with all that it has written", Args: cobra.NoArgs,
		Long: `leave removes the admission policy that denies, then the one that holds, then the steward, and then all that the steward has written on
nodes and NodePools. Karpenter never fails meanwhile, and then disrupts as it did before. A do-not-disrupt that somebody else has written
stays. So do DisruptionPolicies and their CustomResourceDefinition, which limit nothing without a steward or a guard, and the namespace, in which
your calendars may be.

With Helm, you need not run it: helm uninstall does that first.

To take out a single NodePool, remove its annotation: kubectl annotate nodepool NAME disruptkit.dev/steward-`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			kube, err := c.client()
			if err != nil {
				return err
			}
			return d.leave(cmd.Context(), kube, cmd.OutOrStdout())
		},
	}
	leave.Flags().StringVar(&d.namespace, "namespace", installedIn, "namespace of the steward's Deployment")
	leave.Flags().BoolVar(&d.idle, "keep-idle", false, "delete only what acts, the admission policies and the Deployment: Helm deletes the rest")
	return leave
}

// installedIn is the namespace of what install applies.
const installedIn = "disruptkit"

// A departure says what of a steward's to delete.
type departure struct {
	namespace string
	idle      bool // what does nothing by itself stays
}

// leave takes the steward out. It can be repeated where it has failed.
func (d departure) leave(ctx context.Context, kube client.Client, out io.Writer) error {
	objects, err := d.objects()
	if err != nil {
		return err
	}
	for _, o := range objects {
		if err := remove(ctx, kube, out, o); err != nil {
			return err
		}
	}
	if err := d.gone(ctx, kube, out); err != nil {
		return err
	}
	if err := clearPools(ctx, kube, out); err != nil {
		return err
	}
	if err := restoreClaims(ctx, kube, out); err != nil {
		return err
	}
	if err := clearNodes(ctx, kube, out); err != nil {
		return err
	}
	policies, err := shared.List(ctx, kube)
	for _, o := range policies {
		if _, there := o.GetAnnotations()[annotation.Releases]; there {
			err = errors.Join(err, patch(ctx, kube, o, map[string]any{annotation.Releases: nil}))
		}
	}
	if err == nil && len(policies) > 0 {
		kept := "1 DisruptionPolicy, and its"
		if len(policies) > 1 {
			kept = fmt.Sprintf("%d DisruptionPolicies, and their", len(policies))
		}
		fmt.Fprintf(out, "kept     %s CustomResourceDefinition\n", kept)
	}
	if err == nil && !d.idle {
		fmt.Fprintf(out, "kept     Namespace %s: delete it if nothing of yours is in it\n", d.namespace)
	}
	return err
}

// objects returns what is to be deleted, in that order: what denies comes first. The namespace is not among them, since people have written
// into it.
func (d departure) objects() (all []*unstructured.Unstructured, err error) {
	for _, m := range [][]byte{steward.DenyManifest, steward.HoldManifest, steward.RunManifest} {
		objects, err := steward.Objects(m)
		if err != nil {
			return nil, err
		}
		slices.Reverse(objects)
		for _, o := range objects {
			kind := o.GetKind()
			if acts := kind == "Deployment" || strings.Contains(kind, "AdmissionPolicy"); kind == "Namespace" || d.idle && !acts {
				continue
			}
			if o.GetNamespace() != "" {
				o.SetNamespace(d.namespace)
			}
			all = append(all, o)
		}
	}
	if !d.idle {
		lease := &unstructured.Unstructured{}
		lease.SetAPIVersion("coordination.k8s.io/v1")
		lease.SetKind("Lease")
		lease.SetName("disruptkit-steward")
		lease.SetNamespace(d.namespace)
		all = append(all, lease)
	}
	return all, nil
}

// remove deletes an object. What is not there, or of a kind that the cluster does not have, is gone already.
func remove(ctx context.Context, kube client.Client, out io.Writer, o *unstructured.Unstructured) error {
	switch err := kube.Delete(ctx, o, client.PropagationPolicy(metav1.DeletePropagationForeground)); {
	case err == nil:
		fmt.Fprintf(out, "deleted  %s %s\n", o.GetKind(), o.GetName())
		return nil
	case apierrors.IsNotFound(err) || meta.IsNoMatchError(err):
		return nil
	default:
		return fmt.Errorf("%s %s: %w", o.GetKind(), o.GetName(), err)
	}
}

// gone waits until no steward runs any more, which would write again what is taken away. A pod may take long to end, or never do, such as one of a
// node that has failed.
func (d departure) gone(ctx context.Context, kube client.Client, out io.Writer) error {
	for said := false; ; said = true {
		var pods corev1.PodList
		err := kube.List(ctx, &pods, client.InNamespace(d.namespace), client.MatchingLabels{"app.kubernetes.io/name": "disruptkit-steward"})
		if err != nil || len(pods.Items) == 0 {
			return err
		}
		if !said {
			fmt.Fprintf(out, "waiting  until pod %s has ended\n", pods.Items[0].Name)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Second):
		}
	}
}

// clearPools takes the steward's annotations off all NodePools. The memory stays: the guard reads it as well.
func clearPools(ctx context.Context, kube client.Client, out io.Writer) error {
	var pools v1.NodePoolList
	if err := kube.List(ctx, &pools); err != nil {
		return fmt.Errorf("listing NodePools: %w", err)
	}
	for i := range pools.Items {
		change := map[string]any{}
		for _, name := range []string{annotation.Steward, annotation.StewardEnforced, annotation.Releases, annotation.Policies, annotation.Status} {
			if _, there := pools.Items[i].Annotations[name]; there {
				change[name] = nil
			}
		}
		if err := patch(ctx, kube, &pools.Items[i], change); err != nil {
			return err
		}
		if len(change) > 0 {
			fmt.Fprintf(out, "cleared  NodePool %s\n", pools.Items[i].Name)
		}
	}
	return nil
}

// settles is how long Karpenter may take to notice that NodeClaims have not drifted, before their nodes are held no more.
const settles = 10 * time.Second

// restoreClaims lets NodeClaims not drift any more that were made to, since their nodes have expired or somebody asked for their replacement.
func restoreClaims(ctx context.Context, kube client.Client, out io.Writer) error {
	restored := 0
	for until := time.Now().Add(settles); ; {
		var claims v1.NodeClaimList
		var pools v1.NodePoolList
		if err := kube.List(ctx, &pools); err != nil {
			return fmt.Errorf("listing NodePools: %w", err)
		}
		if err := kube.List(ctx, &claims); err != nil {
			return fmt.Errorf("listing NodeClaims: %w", err)
		}
		drifting := 0
		for i := range claims.Items {
			c := &claims.Items[i]
			if hash, made := steward.MadeToDrift(c); made != "" {
				if err := patch(ctx, kube, c, map[string]any{v1.NodePoolHashAnnotationKey: hash}); err != nil {
					return fmt.Errorf("restoring NodeClaim %s: %w", c.Name, err)
				}
				restored++
			}
			if unnoticed(c, pools.Items) {
				drifting++
			}
		}
		if drifting == 0 || time.Now().After(until) {
			if restored > 0 {
				fmt.Fprintf(out, "restored %s that had been made to drift\n", wording.Count(restored, "NodeClaim"))
			}
			if drifting > 0 {
				fmt.Fprintf(out, "note     Karpenter may still replace %s for drift: it has not noticed within %s that the steward took that back\n",
					wording.Count(drifting, "node"), settles)
			}
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Second):
		}
	}
}

// unnoticed reports whether Karpenter will notice any moment that a NodeClaim has not drifted: it has the hash of its NodePool.
func unnoticed(c *v1.NodeClaim, pools []v1.NodePool) bool {
	if d := c.StatusConditions().Get(v1.ConditionTypeDrifted); !d.IsTrue() || d.Reason != "NodePoolDrifted" || !c.DeletionTimestamp.IsZero() {
		return false
	}
	return slices.ContainsFunc(pools, func(np v1.NodePool) bool {
		return np.Name == c.Labels[v1.NodePoolLabelKey] && np.Annotations[v1.NodePoolHashAnnotationKey] == c.Annotations[v1.NodePoolHashAnnotationKey]
	})
}

// clearNodes takes the steward's annotations off all nodes.
func clearNodes(ctx context.Context, kube client.Client, out io.Writer) error {
	var nodes corev1.NodeList
	if err := kube.List(ctx, &nodes); err != nil {
		return fmt.Errorf("listing Nodes: %w", err)
	}
	cleared := 0
	for i := range nodes.Items {
		n := &nodes.Items[i]
		change := (steward.Write{Kind: steward.Clear}).Annotations(steward.ReadMark(n.Annotations))
		if err := patch(ctx, kube, n, change); err != nil {
			return err
		}
		to := n.DeepCopy()
		to.Spec.Taints = steward.Untainted(n.Spec.Taints)
		untaints := len(to.Spec.Taints) < len(n.Spec.Taints)
		if untaints {
			if err := kube.Patch(ctx, to, client.MergeFromWithOptions(n, client.MergeFromWithOptimisticLock{})); client.IgnoreNotFound(err) != nil {
				return fmt.Errorf("taints of Node %s: %w", n.Name, err)
			}
		}
		if len(change) > 0 || untaints {
			cleared++
		}
	}
	fmt.Fprintf(out, "cleared  %s\n", wording.Count(cleared, "node"))
	return nil
}

// patch changes annotations of an object; nil removes one.
func patch(ctx context.Context, kube client.Client, o client.Object, change map[string]any) error {
	if len(change) == 0 {
		return nil
	}
	body, err := json.Marshal(map[string]any{"metadata": map[string]any{"annotations": change}})
	if err != nil {
		return err
	}
	return client.IgnoreNotFound(kube.Patch(ctx, o, client.RawPatch(types.MergePatchType, body)))
}
