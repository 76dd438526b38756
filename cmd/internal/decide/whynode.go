package decide

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/internal/choose"
	"github.com/disruptkit/disruptkit/cmd/internal/command"
	"github.com/disruptkit/disruptkit/cmd/internal/explain"
	"github.com/disruptkit/disruptkit/cmd/internal/tell"
	"github.com/disruptkit/disruptkit/cmd/manifest"
	"github.com/disruptkit/disruptkit/internal/quote"
	"github.com/disruptkit/disruptkit/internal/sentence"
)

const longWhy = `why says everything that holds a node back, in the order in which it will lift, and what to do about it.

Without -f it asks the cluster of kubectl's context.

NODE may be a part of the name, if only one node has it. If the node has no reason to go, why says what would hold it back if it
drifted now.

For Underutilized, why says only whether budgets and the like would let the node go: Karpenter decides by prices and a scheduling
simulation. If Karpenter does not consolidate the node, its Events say so, and why repeats them. It asks the cluster for these
Events. In a file, they have to be among the objects: kubectl get
` + manifest.Kinds + `,events -A -o json.

The exit status is 0 if the node may go now, or nothing wants it to; 1 if it is held back, or NodeClaims are missing; or 2
if nothing can be said.`

const examplesWhy = `  # a part of the name of a node is enough
  kubectl disruption why ip-10-0-36-243
  # for one reason, with the times of Berlin
  kubectl disruption why ip-10-0-36-243 --reason Drifted --zone Europe/Berlin
  # a node in a file that kubectl printed
  kubectl disruption why ip-10-0-36-243 -f cluster.json`

// WhyCommand returns the command why.
func WhyCommand(env *command.Environment) *cobra.Command {
	w := &whyOptions{}
	c := command.New(env, &cobra.Command{
		Use:     "why [flags] NODE",
		Short:   "Everything that holds one node back, and what to do about it",
		Long:    longWhy,
		Example: examplesWhy,
	}, w.run)
	w.addFlags(env, c.Flags())
	command.OneOf(c.Flags(), &w.print, "output", "o", "the `format`: %s",
		command.Is("text", stay.print), command.Is("json", stay.printJSON))
	return c
}

// whyOptions are what the arguments of why say.
type whyOptions struct {
	options
	print func(stay, io.Writer) error
}

// run says what holds a node back.
func (w *whyOptions) run(_ context.Context, env command.Environment, args []string) (status int, err error) {
	if err := w.finish(env); err != nil {
		return hopeless, err
	}
	name := w.choice.Node
	switch {
	case len(args) > 1:
		return hopeless, fmt.Errorf("name one node, not %d: %s", len(args), strings.Join(args, ", "))
	case len(args) == 1 && name != "":
		return hopeless, fmt.Errorf("name one node: %s, or --node %s", args[0], name)
	case len(args) == 1:
		name = args[0]
	}
	if name == "" {
		return hopeless, fmt.Errorf("name a node: %s ip-10-0-36-243", env.Name)
	}
	clusters, err := w.read(env)
	if err != nil {
		return hopeless, err
	}
	cluster := clusters[w.Policy.As]
	for _, note := range cluster.Notes() {
		fmt.Fprintln(env.Stderr, "note:", note)
	}
	s, err := newStay(decide(cluster, w.options), name, w.choice.Pool)
	if err != nil {
		return hopeless, err
	}
	if w.File == "" && env.Events != nil {
		s.listen(env)
	}
	if err := w.print(s, env.Stdout); err != nil {
		return hopeless, err
	}
	if len(s.fates) > 0 && !slices.ContainsFunc(s.fates, fate.free) || s.unclaimed() {
		return faulty, nil
	}
	return good, nil
}

// A stay is that of one node.
type stay struct {
	answer
	node      candidate.Node
	clock     clock
	fates     []fate // by the reasons for which somebody wants it gone
	ifDrifted *fate  // what would hold it back if it drifted now; nil where there are fates
	asked     bool   // the cluster for its events
}

// listen asks the cluster what Karpenter's events say of a node that is Consolidatable. Only for such a node do they add anything.
//
// Events that cannot be read are no error, unlike all else that cannot: no decision depends on them. They only explain why Karpenter
// does not do what budgets would let it do, they are gone after an hour, and Karpenter leaves many of them out. So the answer stays the
// same, and so does the exit status.
func (s *stay) listen(env command.Environment) {
	if !slices.ContainsFunc(s.fates, func(f fate) bool { return unsure(f.Reason) }) {
		return
	}
	s.asked = true
	events, err := env.Events(s.node.Name)
	if err == nil {
		err = s.cluster.Hear(events)
	}
	if err != nil {
		fmt.Fprintf(env.Stderr, "note: why Karpenter does not consolidate the node is in its events, which could not be read: %s\n", sentence.Of(err))
	}
}

// A fate is what is decided of a node for one reason. Its blockers are in the order in which they lift.
type fate struct{ candidate.Candidate }

func (f fate) free() bool { return len(f.Blockers) == 0 }

func newStay(a answer, name, pool string) (s stay, err error) {
	s = stay{answer: a, clock: clock{a.in.Now}}
	if s.node, err = choose.Node(a.in.Nodes, name); err != nil {
		for _, m := range a.missing {
			if m.Kind == "Node" && !m.Suspected {
				err = fmt.Errorf("%w: %s", err, m.Message)
			}
		}
		return s, err
	}
	if pool != "" && pool != s.node.Pool {
		return s, fmt.Errorf("the node %s belongs to NodePool %s, and --pool is %s", quote.Text(s.node.Name), quote.Text(cmp.Or(s.node.Pool, "(none)")), quote.Text(pool))
	}
	for _, d := range a.decisions {
		s.fates = append(s.fates, s.fatesIn(d)...)
	}
	if len(s.fates) > 0 {
		return s, nil
	}
	in := a.in
	in.Nodes = slices.Clone(in.Nodes)
	for i := range in.Nodes {
		if in.Nodes[i].Name == s.node.Name {
			in.Nodes[i].Conditions = []candidate.Condition{{Reason: candidate.Drifted, Since: in.Now}} // so it is the last in line
		}
	}
	if would := s.fatesIn(a.cluster.Decide(in, candidate.Drifted)); len(would) > 0 {
		would[0].Since = time.Time{} // it has not drifted
		s.ifDrifted = &would[0]
	}
	return s, nil
}

// fatesIn returns what a decision says of the node.
func (s stay) fatesIn(d disruptkit.Decision) (fates []fate) {
	for _, c := range slices.Concat(d.Allowed, d.Blocked) {
		if c.Node != s.node.Name {
			continue
		}
		c.Blockers = slices.Clone(c.Blockers)
		slices.SortStableFunc(c.Blockers, func(a, b candidate.Blocker) int {
			return cmp.Or(lifts(a)-lifts(b), a.Until.Compare(b.Until))
		})
		fates = append(fates, fate{c})
	}
	return fates
}

// print says for each reason why the node stays.
func (s stay) print(w io.Writer) error {
	var text strings.Builder
	fmt.Fprintf(&text, "%s\n%s, in NodePool %s, at %s %s\n", s.as.Title(), quote.Text(s.node.Name), quote.Text(cmp.Or(s.node.Pool, "(none)")),
		s.in.Now.Format("Monday 2006-01-02 15:04"), s.in.Now.Location())
	for _, m := range s.missing {
		fmt.Fprintln(&text, tell.Wrap(m.Sentence(), "  "))
	}
	s.mark(&text)
	for _, f := range s.fates {
		since := "since " + s.clock.since(f.Since)
		if f.Since.After(s.in.Now) {
			since = s.clock.since(f.Since)
		}
		if !f.Deadline.IsZero() {
			since += ", with a deadline " + s.clock.deadline(f.Candidate)
		}
		if f.free() {
			until := ""
			if !f.Until.IsZero() {
				until = ", until " + s.clock.until(f.Until)
			}
			may := "it may go now"
			if unsure(f.Reason) {
				may = "budgets would let it go now"
			}
			fmt.Fprintf(&text, "\n%s, %s: %s%s.\n", f.Reason, since, may, until)
		} else {
			fmt.Fprintf(&text, "\n%s, %s: blocked.\n", f.Reason, since)
			s.blockers(&text, f.Blockers)
		}
		if unsure(f.Reason) {
			s.consolidation(&text)
		}
	}
	if len(s.fates) == 0 {
		s.hypothetical(&text)
	}
	_, err := io.WriteString(w, text.String())
	return err
}

// hypothetical says what would hold back a node that nothing wants to disrupt.
func (s stay) hypothetical(text *strings.Builder) {
	var reasons []string
	for _, d := range s.decisions {
		reasons = append(reasons, string(d.Reason))
	}
	if s.unclaimed() {
		fmt.Fprintln(text, "\nWhether anything asks for its disruption is unknown.")
	} else {
		fmt.Fprintf(text, "\nNothing asks for its disruption: it is no candidate for %s.\n", strings.Join(reasons, ", "))
	}
	switch {
	case s.ifDrifted == nil:
	case s.ifDrifted.free() && s.unclaimed(): // who manages it is unknown, too
	case s.ifDrifted.free():
		fmt.Fprintln(text, "\nIf it drifted now, it could go at once.")
	default:
		fmt.Fprintln(text, "\nIf it drifted now, it would be blocked.")
		s.blockers(text, s.ifDrifted.Blockers)
	}
}

// consolidation says what Consolidatable means, and what Karpenter's events say of the node.
func (s stay) consolidation(text *strings.Builder) {
	meaning := manifest.Consolidatable
	if e, ok := s.cluster.Said[s.node.Name]; ok {
		verb := "Karpenter said"
		if e.Against() {
			verb = "Karpenter does not consolidate it"
		}
		fmt.Fprintf(text, "%s\n", tell.Wrap(fmt.Sprintf("  %s: %s (event %s, %s).", verb, quote.Text(e.Message), e.Reason, s.clock.since(e.At)), "    "))
	} else if !s.asked {
		meaning += "; its events say why not, if they are given, too: kubectl get " + manifest.Kinds + ",events -A -o json"
	}
	fmt.Fprintf(text, "%s\n", tell.Wrap("  "+meaning+".", "    "))
}

// unclaimed reports whether the NodeClaims are missing, which say what asks for the disruption of a node.
func (s stay) unclaimed() bool {
	return slices.ContainsFunc(s.missing, func(m manifest.Missing) bool { return m.Kind == "NodeClaim" })
}

// blockers lists what holds the node back: first what lifts by itself, as time passes, then what waits for something to happen, then
// what somebody has to change.
func (s stay) blockers(text *strings.Builder, all []candidate.Blocker) {
	for i, b := range all {
		when := "Lifts when this changes; the time is unknown."
		switch lifts(b) {
		case byTime:
			when = "Lifts " + tell.Together(s.clock.until(b.Until)) + "."
		case bySomebody:
			when = "Lifts when somebody changes it."
		}
		if b.Later {
			when += " Applies only after the others have lifted."
		}
		fmt.Fprintf(text, "%s\n", tell.Wrap(fmt.Sprintf("  %d. %s (%s/%s)", i+1, b.Message, b.Gate, b.Code), "     "))
		fmt.Fprintf(text, "%s\n", tell.Wrap("     "+when, "     "))
		if advice := explain.Advice(b.Gate, b.Code); advice != "" {
			fmt.Fprintf(text, "%s\n", tell.Wrap("     → "+advice, "       "))
		}
	}
}

// How a blocker lifts, in the order in which they are told.
const (
	byTime = iota
	byEvent
	bySomebody
)

func lifts(b candidate.Blocker) int {
	switch {
	case !b.Until.IsZero():
		return byTime
	case b.ForGood:
		return bySomebody
	}
	return byEvent
}
