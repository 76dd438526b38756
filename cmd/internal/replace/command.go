// Package replace has the command that asks for the replacement of nodes: by an annotation that the guard and the steward read.
package replace

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/disruptkit/disruptkit/cmd/annotation"
	"github.com/disruptkit/disruptkit/cmd/engine"
	"github.com/disruptkit/disruptkit/cmd/internal/choose"
	"github.com/disruptkit/disruptkit/cmd/internal/command"
	"github.com/disruptkit/disruptkit/cmd/internal/patch"
	"github.com/disruptkit/disruptkit/cmd/internal/tell"
	"github.com/disruptkit/disruptkit/internal/wording"
)

const long = `replace asks for the replacement of nodes, when budgets allow it. It writes the annotation disruptkit.dev/replace on them, which gives
them the reason Requested. The guard and the steward replace them as nodes that have drifted: one after the other, and each replacement
is ready before its node is drained. Name nodes or NodeClaims, or all nodes of a NodePool.

It replaces kubectl delete nodeclaim, which asks no budget. Stock Karpenter does not read the annotation, and replace says what to do
instead. Which of them runs a NodePool, its annotations say, unless --engine does.

The command shows what it will write, and asks first. The exit status is 0 if all is written, or with --dry-run could be; or 2.
kubectl disruption status --wait waits until nodes are replaced.`

const examples = `  # this node, when it may be
  kubectl disruption replace ip-10-0-36-243.us-west-2.compute.internal --why "INC-1234: bad NIC"
  # all nodes of a NodePool, without a question
  kubectl disruption replace --pool batch --yes
  # no longer
  kubectl disruption replace --pool batch --undo`

// options are what the arguments say.
type options struct {
	patch.Flags
	pool, why string
	undo      bool
}

// Command returns the command.
func Command(env *command.Environment) *cobra.Command {
	o := &options{}
	c := command.New(env, &cobra.Command{
		Use: "replace [flags] [node...]", Short: "Ask for the replacement of nodes, when budgets allow it", Long: long, Example: examples,
	}, o.run)
	f := c.Flags()
	choose.PoolFlag(f, &o.pool, "all nodes of this `NodePool`")
	f.StringVar(&o.why, "why", "", "the `cause`, for people: INC-1234; without one, true stands in its place in the annotation")
	f.BoolVar(&o.undo, "undo", false, "ask no longer")
	o.Add(f, "objects")
	return c
}

// check returns an error for flags that make no sense together.
func (o *options) check(names []string) error {
	switch {
	case len(names) == 0 && o.pool == "":
		return errors.New("name nodes, or their NodePool with --pool: nothing is asked of all nodes at once")
	case len(names) > 0 && o.pool != "":
		return errors.New("name nodes, or a NodePool with --pool, and not both")
	case o.undo && o.why != "":
		return errors.New("--undo asks no longer: leave out --why")
	}
	if _, asks := annotation.ReadRequest(map[string]string{annotation.Replace: annotation.Request{Why: o.why}.String()}, nil); !asks {
		return fmt.Errorf("--why %s asks for nothing: write a cause, or --undo", o.why)
	}
	return nil
}

// run shows what changes, asks, and writes.
func (o *options) run(ctx context.Context, env command.Environment, names []string) (status int, err error) {
	if err := o.check(names); err != nil {
		return command.Hopeless, err
	}
	objects, err := patch.Read[*object](&o.Flags, env, kinds)
	if err != nil {
		return command.Hopeless, err
	}
	chosen, err := choice(machines(objects), objects, o.pool, names)
	if err != nil {
		return command.Hopeless, err
	}
	now := time.Now().UTC().Truncate(time.Second)
	var unheard []error
	for _, m := range chosen {
		if why := o.unheard(m); why != "" && !o.undo && !m.leaves() {
			unheard = append(unheard, fmt.Errorf("%s: %s", m.object().path(), why))
		}
	}
	if err := errors.Join(unheard...); err != nil {
		return command.Hopeless, fmt.Errorf("nothing is written:\n%w", err)
	}
	var writes []patch.Write
	for _, m := range chosen {
		says, todo := o.change(m, now)
		fmt.Fprintln(env.Stdout, tell.Wrap(m.object().path()+": "+says, "  "))
		writes = append(writes, todo...)
	}
	return o.Apply(ctx, env, writes)
}

// unheard reports why nobody would act on a request; "": somebody does.
func (o *options) unheard(m machine) string {
	if m.pool == nil {
		return "no NodePool has it, so nothing replaces it: kubectl drain asks PodDisruptionBudgets, and no others"
	}
	pool := m.pool.annotations()
	as, _ := o.Engine(pool)
	why := as.Unheard(engine.Asked{
		Static: m.pool.Spec.Replicas != nil, OptedIn: pool[annotation.Steward] == "true", Comparable: annotation.Comparable(pool, m.claim.annotations()),
	})
	if why == "" {
		return ""
	}
	text := fmt.Sprintf("%s runs NodePool %s, and would not act on %s: %s", as.Name(), wording.Quote(m.pool.Metadata.Name), annotation.Replace, why)
	if !o.Given() && as == engine.Karpenter {
		text += "; if a guard runs it, write --engine guard"
	}
	return text + ". kubectl delete nodeclaim " + m.claim.Metadata.Name + " replaces it at once, and asks no budget"
}

// kinds are what is read.
const kinds = "nodepools,nodeclaims,nodes"

// choice returns the machines of a pool, or those of some names.
func choice(all []machine, objects []*object, pool string, names []string) (chosen []machine, err error) {
	if pool != "" {
		var pools []string
		for _, o := range objects {
			if o.Kind == "NodePool" {
				pools = append(pools, o.Metadata.Name)
			}
		}
		if err := choose.Pool(pool, pools); err != nil {
			return nil, err
		}
		for _, m := range all {
			if m.pool != nil && m.pool.Metadata.Name == pool {
				chosen = append(chosen, m)
			}
		}
		return chosen, nil
	}
	taken := map[*object]bool{}
	for _, name := range names {
		var of []machine
		var alike []string
		for _, m := range all {
			if m.is(name) {
				of = append(of, m)
			} else if strings.Contains(m.object().Metadata.Name, name) {
				alike = append(alike, m.object().Metadata.Name)
			}
		}
		switch {
		case len(of) > 1:
			return nil, fmt.Errorf("%q names several objects: write node/%[1]s or nodeclaim/%[1]s", name)
		case len(of) == 0 && len(alike) > 0:
			return nil, fmt.Errorf("there is no node or NodeClaim %q: write the whole name, such as %s", name, wording.List(alike, mostAlike, wording.Quote))
		case len(of) == 0:
			return nil, fmt.Errorf("there is no node or NodeClaim %q", name)
		}
		if o := of[0].object(); !taken[o] {
			taken[o], chosen = true, append(chosen, of[0])
		}
	}
	return chosen, nil
}

const mostAlike = 3

// writing returns the write of the annotation of an object. Value nil removes it.
func writing(of *object, value any) patch.Write {
	text, err := json.Marshal(map[string]any{"metadata": map[string]any{"annotations": map[string]any{annotation.Replace: value}}})
	if err != nil {
		panic(err) // texts have no errors
	}
	w := patch.Write{Object: of.path(), Patch: string(text), Command: "kubectl annotate " + of.path() + " " + annotation.Replace + "-"}
	if value != nil {
		w.Command = "kubectl annotate --overwrite " + of.path() + " " + annotation.Replace + "=" + command.Argument(value.(string))
	}
	return w
}

// change returns what to write of a machine, and says it.
func (o *options) change(m machine, now time.Time) (says string, todo []patch.Write) {
	was, asks := annotation.ReadRequest(m.node.annotations(), m.claim.annotations())
	if o.undo {
		for _, of := range m.objects() {
			if _, written := of.Metadata.Annotations[annotation.Replace]; written {
				todo = append(todo, writing(of, nil))
			}
		}
		switch {
		case len(todo) == 0:
			return "nobody asks for its replacement", nil
		case m.leaves():
			return "its replacement has begun, and goes on; the annotation " + annotation.Replace + " is removed", todo
		}
		return "nobody asks any more for its replacement: the annotation " + annotation.Replace + " is removed", todo
	}
	is := annotation.Request{Since: now, Why: o.why}
	if asks { // it keeps its place in line
		is.Since = was.Since
	}
	switch {
	case m.leaves():
		return "it is being disrupted already, so nothing is written", nil
	case asks && (o.why == "" || o.why == was.Why):
		return fmt.Sprintf("somebody asks for its replacement already: %q", was), nil
	}
	as, _ := o.Engine(m.pool.annotations())
	return fmt.Sprintf("is to be replaced when budgets allow it (%s runs it): annotation %s: %s", as.Name(), annotation.Replace, is),
		[]patch.Write{writing(m.object(), is.String())}
}
