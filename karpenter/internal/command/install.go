package command

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/discovery"
	"sigs.k8s.io/controller-runtime/pkg/client"
	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"
	"sigs.k8s.io/yaml"

	"github.com/disruptkit/disruptkit/cmd/annotation"
	"github.com/disruptkit/disruptkit/cmd/disruptionpolicy"
	"github.com/disruptkit/disruptkit/internal/wording"
	"github.com/disruptkit/disruptkit/karpenter"
	"github.com/disruptkit/disruptkit/karpenter/steward"
)

// owner is the field manager of what install applies.
const owner = client.FieldOwner("disruptkit-steward-install")

func newInstall(c *connection) *cobra.Command {
	var checks, prints bool
	var image string
	install := &cobra.Command{
		Use: "install", Short: "Install the steward in a cluster, where it changes nothing until a NodePool asks for it", Args: cobra.NoArgs,
		Long: `install applies the CustomResourceDefinition of DisruptionPolicies, the steward's Deployment, and two admission policies: one that
holds nodes, and one that stops Karpenter from disrupting nodes that are not released. Neither policy does anything until a NodePool is
annotated disruptkit.dev/steward=true. Then the steward first holds all nodes of the NodePool, and nothing can be denied until half a
minute later. So Karpenter never fails, in whatever order the objects are applied.`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			objects, err := manifests(image)
			if err != nil {
				return err
			}
			if prints {
				return printObjects(cmd.OutOrStdout(), objects)
			}
			mutates, err := c.check(cmd.Context(), cmd.OutOrStdout())
			if err != nil || checks {
				return err
			}
			kube, err := c.client()
			if err != nil {
				return err
			}
			for _, o := range objects {
				if !mutates && strings.HasPrefix(o.GetKind(), "MutatingAdmissionPolicy") {
					continue
				}
				if err := kube.Apply(cmd.Context(), client.ApplyConfigurationFromUnstructured(o), owner, client.ForceOwnership); err != nil {
					return fmt.Errorf("%s %s: %w", o.GetKind(), o.GetName(), err)
				}
				fmt.Fprintf(cmd.OutOrStdout(), "applied  %s %s\n", o.GetKind(), o.GetName())
			}
			return next(cmd.Context(), kube, cmd.OutOrStdout())
		},
	}
	install.Flags().BoolVar(&checks, "check", false, "only check whether the cluster is ready for it, and change nothing")
	install.Flags().BoolVar(&prints, "print", false, "only print the objects that would be applied, and ask no cluster")
	install.Flags().StringVar(&image, "image", "disruptkit-steward:latest", "image of the steward")
	return install
}

// next prints whose nodes are held, or how to begin.
func next(ctx context.Context, kube client.Client, out io.Writer) error {
	var pools v1.NodePoolList
	if err := kube.List(ctx, &pools); err != nil {
		return fmt.Errorf("listing NodePools: %w", err)
	}
	var names []string
	for i := range pools.Items {
		if np := &pools.Items[i]; np.Annotations[annotation.Steward] == "true" {
			names = append(names, np.Name)
		}
	}
	if len(names) > 0 {
		fmt.Fprintf(out, "\nAlready annotated disruptkit.dev/steward=true, so that their nodes are held once the steward runs: %s\n",
			wording.List(names, mostNamed, wording.Quote))
		return nil
	}
	fmt.Fprintln(out, "\nNothing is held yet. To begin with one NodePool:\n\n  kubectl annotate nodepool NAME disruptkit.dev/steward=true")
	return nil
}

// mostNamed is how many NodePools are named.
const mostNamed = 10

// manifests returns all objects in the order in which they are applied.
func manifests(image string) (all []*unstructured.Unstructured, err error) {
	for _, m := range [][]byte{disruptionpolicy.CRD, steward.RunManifest, steward.HoldManifest, steward.DenyManifest} {
		objects, err := steward.Objects(m)
		if err != nil {
			return nil, err
		}
		all = append(all, objects...)
	}
	for _, o := range all {
		if o.GetKind() != "Deployment" {
			continue
		}
		containers, _, err := unstructured.NestedSlice(o.Object, "spec", "template", "spec", "containers")
		if err != nil || len(containers) != 1 {
			return nil, errors.Join(fmt.Errorf("the Deployment has %d containers, and not one", len(containers)), err)
		}
		containers[0].(map[string]any)["image"] = image
		if err := unstructured.SetNestedSlice(o.Object, containers, "spec", "template", "spec", "containers"); err != nil {
			return nil, err
		}
	}
	return all, nil
}

func printObjects(out io.Writer, objects []*unstructured.Unstructured) error {
	for i, o := range objects {
		text, err := yaml.Marshal(o.Object)
		if err != nil {
			return err
		}
		if i > 0 {
			fmt.Fprintln(out, "---")
		}
		if _, err := out.Write(text); err != nil {
			return err
		}
	}
	return nil
}

// check reports whether a cluster is ready for the steward, and what its people should know before. It is an error where it is not. It reports
// whether the cluster has mutating admission policies.
func (c *connection) check(ctx context.Context, out io.Writer) (mutates bool, err error) {
	config, err := c.config()
	if err != nil {
		return false, err
	}
	asked, err := discovery.NewDiscoveryClientForConfig(config)
	if err != nil {
		return false, err
	}
	version, err := asked.ServerVersion()
	if err != nil {
		return false, err
	}
	fmt.Fprintf(out, "ok       Kubernetes %s\n", version.GitVersion)
	if mutates, err = hasWhatItNeeds(asked); err != nil {
		return false, err
	}
	if !mutates {
		fmt.Fprintln(out, "note     the cluster has no MutatingAdmissionPolicies (Kubernetes 1.36): new nodes, and those whose hold somebody takes away, "+
			"are held a second or so later, and until then Karpenter may be denied them")
	}
	kube, err := c.client()
	if err != nil {
		return false, err
	}
	return mutates, foresee(ctx, kube, out)
}

// hasWhatItNeeds returns an error if a cluster lacks what the steward needs, and reports whether it has mutating admission policies.
func hasWhatItNeeds(asked discovery.ServerResourcesInterface) (mutates bool, err error) {
	const admission = "admissionregistration.k8s.io/v1"
	if there, err := has(asked, "karpenter.sh/v1", "nodepools"); err != nil {
		return false, err
	} else if !there {
		return false, errors.New("the cluster has no NodePools of karpenter.sh/v1: install Karpenter first")
	}
	if there, err := has(asked, admission, "validatingadmissionpolicies"); err != nil {
		return false, err
	} else if !there {
		return false, errors.New("the cluster has no ValidatingAdmissionPolicies, which Kubernetes 1.30 has")
	}
	return has(asked, admission, "mutatingadmissionpolicies")
}

// has reports whether a cluster has a resource. That it does not answer is an error, and does not mean that it has none.
func has(asked discovery.ServerResourcesInterface, group, resource string) (bool, error) {
	list, err := asked.ServerResourcesForGroupVersion(group)
	if err != nil {
		return false, client.IgnoreNotFound(fmt.Errorf("asking the cluster for %s: %w", group, err))
	}
	return slices.ContainsFunc(list.APIResources, func(r metav1.APIResource) bool { return r.Name == resource }), nil
}

// foresee describes what the steward will leave alone, and what it cannot hold.
func foresee(ctx context.Context, kube client.Client, out io.Writer) error {
	var pools v1.NodePoolList
	var nodes corev1.NodeList
	if err := kube.List(ctx, &pools); err != nil {
		return fmt.Errorf("listing NodePools: %w", err)
	}
	if err := kube.List(ctx, &nodes); err != nil {
		return fmt.Errorf("listing Nodes: %w", err)
	}
	for i := range pools.Items {
		foreseeAge(&pools.Items[i], nodes.Items, time.Now(), out)
	}
	theirs := map[string][]string{} // by who has written them
	for i := range nodes.Items {
		n := &nodes.Items[i]
		if n.Labels[v1.NodePoolLabelKey] != "" && steward.ReadMark(n.Annotations).Disrupt == steward.Theirs {
			by := writer(n)
			theirs[by] = append(theirs[by], n.Name)
		}
	}
	for _, by := range slices.Sorted(maps.Keys(theirs)) {
		fmt.Fprintf(out, "note     %s has written %s on %s, such as %s: the steward leaves that alone\n",
			by, v1.DoNotDisruptAnnotationKey, wording.Count(len(theirs[by]), "node"), theirs[by][0])
	}
	return nil
}

// foreseeAge describes how the nodes of a NodePool end by their age.
func foreseeAge(np *v1.NodePool, nodes []corev1.Node, now time.Time, out io.Writer) {
	hard := np.Spec.Template.Spec.ExpireAfter.Duration
	policy := karpenter.ToPolicy(np, nil)
	for _, w := range policy.Warnings {
		if !annotation.HoldsBack(w) {
			continue
		}
		name := strings.TrimSuffix(strings.TrimPrefix(w.Field, "metadata.annotations["), "]")
		fmt.Fprintf(out, "error    NodePool %s: %s: %s; until then nothing of it is released\n", np.Name, name, w.Message)
	}
	age := policy.Expiration
	if age.After == 0 {
		if hard != nil {
			fmt.Fprintf(out, "note     NodePool %s: nodes expire after %s, and nothing holds them then, the steward included (expireAfter); "+
				"for an age that asks budgets, see %s\n", np.Name, *hard, annotation.Expire)
		}
		return
	}
	all, old, next := 0, 0, time.Time{}
	for i := range nodes {
		if nodes[i].Labels[v1.NodePoolLabelKey] != np.Name {
			continue
		}
		all++
		switch at := nodes[i].CreationTimestamp.Add(age.After); {
		case !at.After(now):
			old++
		case next.IsZero() || at.Before(next):
			next = at
		}
	}
	fmt.Fprintf(out, "note     NodePool %s: %d of its %d nodes are older than %s, and are made to drift as its budgets for Expired let them (%s)",
		np.Name, old, all, age.After, annotation.Expire)
	if !next.IsZero() {
		fmt.Fprintf(out, "; the next one is so old at %s", next.UTC().Format(time.RFC3339))
	}
	fmt.Fprintln(out)
	if hard != nil {
		fmt.Fprintf(out, "note     NodePool %s: expireAfter %s stays their hard end, which asks nobody, also for nodes that exist if you change it, since theirs "+
			"is in their NodeClaims; Never drifts all nodes of the NodePool, which is a roll that the steward holds\n", np.Name, *hard)
	}
	if hard != nil && age.Deadline == 0 || hard != nil && age.Deadline > *hard {
		fmt.Fprintf(out, "note     NodePool %s: nodes may reach expireAfter first: give %s a deadline that is shorter than %s\n", np.Name, annotation.Expire, *hard)
	}
}

// writer returns who has written do-not-disrupt on a node.
func writer(n *corev1.Node) string {
	for _, f := range n.ManagedFields {
		var fields struct {
			Metadata struct {
				Annotations map[string]json.RawMessage `json:"f:annotations"`
			} `json:"f:metadata"`
		}
		if f.FieldsV1 == nil || json.Unmarshal(f.FieldsV1.GetRawBytes(), &fields) != nil {
			continue
		}
		if _, wrote := fields.Metadata.Annotations["f:"+v1.DoNotDisruptAnnotationKey]; wrote {
			return cmp.Or(strings.TrimSpace(f.Manager), "somebody")
		}
	}
	return "somebody"
}
