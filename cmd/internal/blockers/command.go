// Package blockers is the command that says which workloads hold most nodes: by PodDisruptionBudget or annotation, by owner, by
// namespace, or by a label.
package blockers

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/disruptkit/disruptkit/cmd/engine"
	"github.com/disruptkit/disruptkit/cmd/internal/choose"
	"github.com/disruptkit/disruptkit/cmd/internal/command"
	"github.com/disruptkit/disruptkit/cmd/internal/input"
	"github.com/disruptkit/disruptkit/cmd/internal/tell"
	"github.com/disruptkit/disruptkit/cmd/internal/wire"
	"github.com/disruptkit/disruptkit/cmd/manifest"
	"github.com/disruptkit/disruptkit/internal/wording"
)

const long = `blockers says what holds most nodes: PodDisruptionBudgets that allow no eviction, pods and nodes that are annotated
do-not-disrupt, pods of several PodDisruptionBudgets, and disruption schedules.

If a node has a terminationGracePeriod, its pods do not keep it from being disrupted for drift. They hold up its drain until that
period ends, and what is left is killed. DRAIN says for how long.

It looks at nodes that have a reason to be disrupted, such as Drifted, and at those whose drain has begun. SINCE is for how
long the first of them has waited for the blocker: since the node has had a reason, and the pod has run. HELP is the command
that would help: read what it does before you run it.

What budgets, windows and pauses hold is not listed: decide and forecast show that.

` + manifest.MissingHelp + `

The exit status is 0; 1 if something in the input is invalid or missing; or 2 if nothing can be said.`

const examples = `  # what holds most nodes
  kubectl disruption blockers
  # which teams hold them, as the label team of their pods says
  kubectl disruption blockers --by label=team
  # which Deployments, StatefulSets and Jobs do, in one NodePool
  kubectl disruption blockers --by owner --pool web`

// options are what the arguments say.
type options struct {
	input.Source
	pool    string // "": all
	by      string
	verbose bool
	print   func(io.Writer, answer) error
}

// Command returns the command.
func Command(env *command.Environment) *cobra.Command {
	o := &options{}
	c := command.New(env, &cobra.Command{
		Use:     "blockers [flags]",
		Short:   "Which workloads hold most nodes, and what would help",
		Long:    long,
		Example: examples,
		Args:    command.NoFile,
	}, o.run)
	f := c.Flags()
	o.AddFlags(env, f, "look at")
	choose.PoolFlag(f, &o.pool, "show one `NodePool`")
	f.StringVar(&o.by, "by", "blocker", "what to count nodes by: blocker, owner, namespace, or label=`KEY` of pods, such as label=team")
	f.BoolVarP(&o.verbose, "verbose", "v", false, "show everything that holds nodes, however much that is")
	command.OneOf(f, &o.print, "output", "o", "the `format`: %s", command.Is("text", printText), command.Is("json", printJSON))
	return c
}

func (o *options) run(_ context.Context, env command.Environment, _ []string) (status int, err error) {
	by, err := grouping(o.by)
	if err == nil {
		err = o.Finish(env, nil)
	}
	if err != nil {
		return command.Hopeless, err
	}
	clusters, err := o.Read(env, 0, o.Policy.As)
	if err != nil {
		return command.Hopeless, err
	}
	cluster := clusters[0]
	in := cluster.Input(o.At)
	if err := choose.Pool(o.pool, choose.Names(in.Pools)); err != nil {
		return command.Hopeless, err
	}
	for _, m := range cluster.Missing() {
		if !m.Suspected && m.Kind != "NodePool" {
			return command.Hopeless, fmt.Errorf("%s", m.Message)
		}
	}
	for _, note := range cluster.Notes() {
		fmt.Fprintln(env.Stderr, "note:", note)
	}
	if err := o.print(env.Stdout, answer{o.verbose, o.Policy.As, o.At, cluster, count(cluster, in, o.pool, by)}); err != nil {
		return command.Hopeless, err
	}
	if len(cluster.Missing()) > 0 {
		return command.Faulty, nil
	}
	return command.Good, nil
}

// An answer is what is printed.
type answer struct {
	verbose bool
	as      engine.Engine
	now     time.Time
	cluster *manifest.Cluster
	tally
}

func printText(w io.Writer, a answer) error {
	text := a.text(len(a.holders), mostHelp)
	for help := firstHelp; help >= 0 && !a.verbose && !tell.Fits(text); help-- {
		text = tell.First(a.text(firstHolders, help), "-v shows all; --pool NAME and --by a part of it.", tell.FirstScreen)
	}
	_, err := io.WriteString(w, text)
	return err
}

// How many holders, and commands, the first screen has.
const (
	firstHolders = 6
	firstHelp    = 2
)

// text names the first holders, and the first commands that help.
func (a answer) text(most, mostHelp int) string {
	var text strings.Builder
	say := func(format string, args ...any) {
		text.WriteString(tell.Wrap(fmt.Sprintf(format, args...), "  ") + "\n")
	}
	say("%s", a.as.Title())
	say("%d of %s with a reason to be disrupted, or in flight, %s held by pods or annotations.", a.held,
		wording.Count(a.nodes, "node"), isOrAre(a.held))
	if a.heldUp > 0 {
		say("%d more %s held for consolidation at most: for drift, pods only hold up the drain, up to its terminationGracePeriod.",
			a.heldUp, isOrAre(a.heldUp))
	}
	if len(a.holders) == 0 {
		return text.String()
	}
	by := "HELD BY"
	if slices.ContainsFunc(a.holders, func(h *holder) bool { return len(h.heldUp) > 0 }) {
		by = "HELD, OR HELD UP, BY"
	}
	g := tell.NewGrid("NODES", "PODS", "SINCE", "DRAIN", by).AlignRight(0, 1).Keep(2, 3)
	for _, h := range a.holders[:min(len(a.holders), most)] {
		g.Add(fmt.Sprint(len(h.nodes)), fmt.Sprint(len(h.pods)), tell.Day(h.since, a.now), h.drain(), wording.Quote(h.what))
	}
	text.WriteString("\n" + g.String())
	if more := len(a.holders) - most; more > 0 {
		say("and %d more", more)
	}
	if mostHelp > 0 {
		text.WriteString("\nHELP\n")
	}
	for _, h := range a.holders[:min(len(a.holders), mostHelp)] {
		why, help := h.help(a.cluster)
		text.WriteString(tell.Wrap("  # "+wording.Quote(h.what+": "+why), "  #   ") + "\n  " + help + "\n")
	}
	return text.String()
}

const mostHelp = 5 // commands

func isOrAre(n int) string {
	if n == 1 {
		return "is"
	}
	return "are"
}

// drain describes how long drains take that the holder only holds up; "": there is none.
func (h *holder) drain() string {
	if len(h.heldUp) == 0 {
		return ""
	}
	text := "up to " + wording.Duration(h.limit.Round(time.Minute)) + ", then killed"
	if n := len(h.heldUp); n < len(h.nodes) {
		text += fmt.Sprintf(" (%d of %d)", n, len(h.nodes))
	}
	return text
}

type jsonHolder struct {
	What   string     `json:"what"`
	Nodes  []string   `json:"nodes"`
	HeldUp []string   `json:"heldUp"` // those of nodes whose drain it only holds up
	Pods   []string   `json:"pods"`   // namespace/name
	Since  *time.Time `json:"since"`
	Help   string     `json:"help"` // a command
}

func printJSON(w io.Writer, a answer) error {
	return wire.Print(w, struct {
		Version string       `json:"version"`
		As      string       `json:"as"`
		Nodes   int          `json:"nodes"`  // that have a reason to be disrupted, or are in flight
		Held    int          `json:"held"`   // of these
		HeldUp  int          `json:"heldUp"` // others of these, whose drain is only held up
		Holders []jsonHolder `json:"holders"`
	}{"1", a.as.String(), a.nodes, a.held, a.heldUp, wire.Each(a.holders, func(h *holder) jsonHolder {
		_, help := h.help(a.cluster)
		return jsonHolder{h.what, append([]string{}, h.nodes...), append([]string{}, h.heldUp...), append([]string{}, h.pods...), wire.Time(h.since), help}
	})})
}
