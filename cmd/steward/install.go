package steward

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/disruptkit/disruptkit/cmd/annotation"
	"github.com/disruptkit/disruptkit/internal/wording"
	"github.com/disruptkit/disruptkit/schedule"
)

func newInstall(open Opener) *cobra.Command {
	var checks, prints bool
	var image string
	c := &cobra.Command{
		Use: "install", Short: "Install the steward in a cluster, where it changes nothing until a NodePool asks for it", Args: cobra.NoArgs,
		Long: `install applies the CustomResourceDefinition of DisruptionPolicies, the steward's Deployment, and two admission policies: one that
holds nodes, and one that stops Karpenter from disrupting nodes that are not released. Neither policy does anything until a NodePool is
annotated disruptkit.dev/steward=true. Then the steward first holds all nodes of the NodePool, and nothing can be denied until half a
minute later. So Karpenter never fails, in whatever order the objects are applied.`,
		Example: `  # is the cluster ready, and what should we know before?
  kubectl disruption steward install --check
  kubectl disruption steward install --image registry.example.com/disruptkit-steward:v1`,
	}
	c.Flags().BoolVar(&checks, "check", false, "only check whether the cluster is ready for it, and change nothing")
	c.Flags().BoolVar(&prints, "print", false, "only print the objects that would be applied, and ask no cluster")
	c.Flags().StringVar(&image, "image", "disruptkit-steward:latest", "the `name` of the steward's image")
	ask := open.with(func(ctx context.Context, c Cluster, cmd *cobra.Command) error {
		mutates, err := check(ctx, c, cmd.OutOrStdout())
		if err != nil || checks {
			return err
		}
		return install(ctx, c, image, mutates, cmd.OutOrStdout())
	})
	c.RunE = func(cmd *cobra.Command, args []string) error {
		if prints {
			return printObjects(image, cmd.OutOrStdout())
		}
		return ask(cmd, args)
	}
	return c
}

// install applies all objects but those of a kind that the cluster does not have.
func install(ctx context.Context, c Cluster, of string, mutates bool, out io.Writer) error {
	objects, err := manifests(of)
	if err != nil {
		return err
	}
	for _, w := range objects {
		if !mutates && strings.HasPrefix(w.Kind, "MutatingAdmissionPolicy") {
			continue
		}
		if err := c.apply(ctx, w); err != nil {
			return fmt.Errorf("%s %s: %w", w.Kind, w.Metadata.Name, err)
		}
		fmt.Fprintf(out, "applied  %s %s\n", w.Kind, w.Metadata.Name)
	}
	return next(ctx, c, out)
}

// printObjects prints all objects, as YAML.
func printObjects(of string, out io.Writer) error {
	objects, err := manifests(of)
	for i, w := range objects {
		if i > 0 {
			fmt.Fprintln(out, "---")
		}
		fmt.Fprintf(out, "%s\n", w.text)
	}
	return err
}

// next prints whose nodes are held, or how to begin.
func next(ctx context.Context, c Cluster, out io.Writer) error {
	owners, err := c.list(ctx, pools, "")
	if err != nil {
		return err
	}
	var names []string
	for _, np := range owners {
		if np.Metadata.Annotations[annotation.Steward] == "true" {
			names = append(names, np.Metadata.Name)
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

// check reports whether a cluster is ready for the steward, and what its people should know before. It is an error where it is not. It reports
// whether the cluster has mutating admission policies.
func check(ctx context.Context, c Cluster, out io.Writer) (mutates bool, err error) {
	var version struct{ GitVersion string }
	if err := c.ask(ctx, http.MethodGet, "/version", "", nil, &version); err != nil {
		return false, err
	}
	fmt.Fprintf(out, "ok       Kubernetes %s\n", version.GitVersion)
	if mutates, err = hasWhatItNeeds(ctx, c); err != nil {
		return false, err
	}
	if !mutates {
		fmt.Fprintln(out, "note     the cluster has no MutatingAdmissionPolicies (Kubernetes 1.36): new nodes, and those whose hold somebody takes away, "+
			"are held a second or so later, and until then Karpenter may be denied them")
	}
	return mutates, foresee(ctx, c, out)
}

// hasWhatItNeeds returns an error if a cluster lacks what the steward needs, and reports whether it has mutating admission policies.
func hasWhatItNeeds(ctx context.Context, c Cluster) (mutates bool, err error) {
	const admission = "admissionregistration.k8s.io/v1"
	if there, err := c.has(ctx, pools.APIVersion, "nodepools"); err != nil {
		return false, err
	} else if !there {
		return false, errors.New("the cluster has no NodePools of karpenter.sh/v1: install Karpenter first")
	}
	if there, err := c.has(ctx, admission, "validatingadmissionpolicies"); err != nil {
		return false, err
	} else if !there {
		return false, errors.New("the cluster has no ValidatingAdmissionPolicies, which Kubernetes 1.30 has")
	}
	return c.has(ctx, admission, "mutatingadmissionpolicies")
}

// has reports whether a cluster has a resource. That it does not answer is an error, and does not mean that it has none.
func (c Cluster) has(ctx context.Context, group, resource string) (bool, error) {
	var all struct{ Resources []struct{ Name string } }
	err := c.ask(ctx, http.MethodGet, "/apis/"+group, "", nil, &all)
	if missing(err) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("asking the cluster for %s: %w", group, err)
	}
	return slices.ContainsFunc(all.Resources, func(r struct{ Name string }) bool { return r.Name == resource }), nil
}

// foresee describes what the steward will leave alone, and what it cannot hold.
func foresee(ctx context.Context, c Cluster, out io.Writer) error {
	owners, all, err := c.fleet(ctx)
	if err != nil {
		return err
	}
	for _, np := range owners {
		foreseeAge(np, all, time.Now(), out)
	}
	theirs := map[string][]string{} // by who has written them
	for _, n := range all {
		if poolOf(n) != "" && annotation.ReadMark(n.Metadata.Annotations).Disrupt == annotation.Theirs {
			by := writer(n)
			theirs[by] = append(theirs[by], n.Metadata.Name)
		}
	}
	for _, by := range slices.Sorted(maps.Keys(theirs)) {
		fmt.Fprintf(out, "note     %s has written karpenter.sh/do-not-disrupt on %s, such as %s: the steward leaves that alone\n",
			by, wording.Count(len(theirs[by]), "node"), theirs[by][0])
	}
	return nil
}

// foreseeAge describes how the nodes of a NodePool end by their age.
func foreseeAge(np object, all []object, now time.Time, out io.Writer) {
	name := np.Metadata.Name
	note := func(kind, format string, args ...any) {
		fmt.Fprintf(out, "%-8s NodePool %s: %s\n", kind, name, fmt.Sprintf(format, args...))
	}
	policy := annotation.Read(name, np.Metadata.Annotations)
	for _, w := range policy.Warnings {
		if annotation.HoldsBack(w) {
			field := strings.TrimSuffix(strings.TrimPrefix(w.Field, "metadata.annotations["), "]")
			note("error", "%s: %s; until then nothing of it is released", field, w.Message)
		}
	}
	age := policy.Expiration
	hard, err := time.ParseDuration(np.Spec.Template.Spec.ExpireAfter) // Never is none
	expires := err == nil
	if age.After == 0 {
		if expires {
			note("note", "nodes expire after %s, and nothing holds them then, the steward included (expireAfter); for an age that asks budgets, see %s",
				wording.Duration(hard), annotation.Expire)
		}
		return
	}
	note("note", "%s", ages(name, all, age.After, now))
	if expires {
		note("note", "expireAfter %s stays their hard end, which asks nobody, also for nodes that exist if you change it, since theirs is in their "+
			"NodeClaims; Never drifts all nodes of the NodePool, which is a roll that the steward holds", wording.Duration(hard))
	}
	if expires && (age.Deadline == 0 || age.Deadline > hard) {
		note("note", "nodes may reach expireAfter first: give %s a deadline that is shorter than %s", annotation.Expire, wording.Duration(hard))
	}
}

// ages describes how many nodes of a NodePool are older than an age, and when the next one is.
func ages(pool string, all []object, after time.Duration, now time.Time) string {
	of, old, next := 0, 0, time.Time{}
	for _, n := range all {
		if poolOf(n) != pool {
			continue
		}
		of++
		switch at := n.Metadata.CreationTimestamp.Add(after); {
		case !at.After(now):
			old++
		default:
			next = schedule.First(next, at)
		}
	}
	text := fmt.Sprintf("%d of its %d nodes are older than %s, and are made to drift as its budgets for Expired let them (%s)",
		old, of, wording.Duration(after), annotation.Expire)
	if !next.IsZero() {
		text += "; the next one is so old at " + next.UTC().Format(time.RFC3339)
	}
	return text
}

// writer returns who has written do-not-disrupt on a node.
func writer(n object) string {
	for _, f := range n.Metadata.ManagedFields {
		var fields struct {
			Metadata struct {
				Annotations map[string]json.RawMessage `json:"f:annotations"`
			} `json:"f:metadata"`
		}
		if json.Unmarshal(f.FieldsV1, &fields) != nil {
			continue
		}
		if _, wrote := fields.Metadata.Annotations["f:karpenter.sh/do-not-disrupt"]; wrote {
			return cmp.Or(strings.TrimSpace(f.Manager), "somebody")
		}
	}
	return "somebody"
}
