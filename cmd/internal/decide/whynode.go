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
	"github.com/disruptkit/disruptkit/cmd/disruptionpolicy"
	"github.com/disruptkit/disruptkit/cmd/internal/choose"
	"github.com/disruptkit/disruptkit/cmd/internal/command"
	"github.com/disruptkit/disruptkit/cmd/internal/planner"
	"github.com/disruptkit/disruptkit/cmd/internal/tell"
	"github.com/disruptkit/disruptkit/cmd/manifest"
	"github.com/disruptkit/disruptkit/internal/wording"
	"github.com/disruptkit/disruptkit/plan"
	"github.com/disruptkit/disruptkit/schedule"
)

const longWhy = `why says everything that blocks a node, in the order in which it lifts, and what to do about it.

Without -f it asks the cluster of kubectl's context.

For each blocker it names the source, and the time at which time alone lifts it, if one is known. A blocker may lift earlier,
such as when nodes that use up a budget are gone. The node may be disrupted later: other nodes are ahead in line, and another
window may be closed by then. So why also prints the node's place in line, and when a plan expects it to be disrupted,
or why never. How long drains and launches take is a guess unless you write --drain and --launch. Where such a plan
would take too long, plan -o json has it.

NODE may be a part of the name, if only one node has it, or the name of a NodeClaim. If the node has no reason to go, why says what would block it if it
drifted now.

For Underutilized, why says only whether budgets and the like would allow the node: Karpenter decides by prices and a scheduling
simulation. If Karpenter does not consolidate the node, its Events say so, and why repeats them. It asks the cluster for these
Events. In a file, they have to be among the objects: kubectl get
` + manifest.Kinds + `,events -A -o json.

The exit status is 0 if the node may be disrupted now, or has no reason to be; 1 if it is blocked, in flight, or NodeClaims are
missing; or 2 if nothing can be said.`

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
		Short:   "Everything that blocks one node, and what to do about it",
		Long:    longWhy,
		Example: examplesWhy,
	}, w.run)
	w.addFlags(env, c.Flags())
	w.durations.AddFlags(c.Flags())
	command.OneOf(c.Flags(), &w.print, "output", "o", "the `format`: %s",
		command.Is("text", stay.print), command.Is("json", stay.printJSON))
	return c
}

// whyOptions are what the arguments of why say.
type whyOptions struct {
	options
	durations planner.Durations
	print     func(stay, io.Writer) error
}

// run describes what blocks a node.
func (w *whyOptions) run(_ context.Context, env command.Environment, args []string) (status int, err error) {
	if err := w.Finish(env, w.reasons); err != nil {
		return hopeless, err
	}
	switch len(args) {
	case 0:
		return hopeless, fmt.Errorf("name a node: %s ip-10-0-36-243", env.Name)
	case 1:
	default:
		return hopeless, fmt.Errorf("name one node, not %d: %s", len(args), strings.Join(args, ", "))
	}
	clusters, err := w.Read(env, 0, w.Policy.As) // it does not compare engines
	if err != nil {
		return hopeless, err
	}
	cluster := clusters[0]
	for _, note := range cluster.Notes() {
		fmt.Fprintln(env.Stderr, "note:", note)
	}
	s, err := newStay(decide(cluster, w.options), args[0])
	if err == nil {
		err = s.expect(w)
	}
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
	clock     tell.Clock
	fates     []fate // by the reasons for which somebody wants it gone
	ifDrifted *fate  // what would block it if it drifted now; nil where there are fates
	asked     bool   // the cluster for its events
	expected  *plan.Expectation
	guesses   string // the durations that are not measured
	hangs     string // a node that uses up a budget of the node, and does not leave by itself; "": none is known
}

// expect plans when the node is disrupted, if something blocks it now.
func (s *stay) expect(w *whyOptions) error {
	outlook, err := planner.NewOutlook(s.cluster, s.as, s.in, w.durations, w.Given)
	if err != nil {
		return err
	}
	s.hangs = s.hanging(outlook)
	if !s.node.InFlight() && (len(s.fates) == 0 || slices.ContainsFunc(s.fates, fate.free)) {
		return nil
	}
	s.expected, s.guesses = outlook.Of(s.node), outlook.Guesses
	return nil
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
		fmt.Fprintf(env.Stderr, "note: why Karpenter does not consolidate the node is in its events, which could not be read: %s\n", wording.Sentence(err))
	}
}

// A fate is what is decided of a node for one reason. Its blockers are in the order in which they lift.
type fate struct {
	candidate.Candidate
	place *place
	after disruptkit.Input // with all nodes in flight that the decision allows
}

// notBefore returns when time alone has lifted the last of the blockers that time lifts. Zero: it lifts none.
func notBefore(blockers []candidate.Blocker) (last time.Time) {
	for _, b := range blockers {
		last = schedule.Last(last, b.Until)
	}
	return last
}

func (f fate) free() bool { return len(f.Blockers) == 0 }

func newStay(a answer, name string) (s stay, err error) {
	s = stay{answer: a, clock: tell.Clock{Now: a.in.Now}}
	if s.node, err = choose.Node(a.in.Nodes, name, a.cluster.NodeOf); err != nil {
		for _, m := range a.missing {
			if m.Kind == "Node" && !m.Suspected {
				err = fmt.Errorf("%w: %s", err, m.Message)
			}
		}
		return s, err
	}
	for _, d := range a.decisions {
		s.fates = append(s.fates, s.fatesIn(a.in, d)...)
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
	if would := s.fatesIn(in, a.cluster.Decide(in, candidate.Drifted)); len(would) > 0 {
		would[0].Since = time.Time{} // it has not drifted
		s.ifDrifted = &would[0]
	}
	return s, nil
}

// fatesIn returns what a decision about an input says of the node.
func (s stay) fatesIn(in disruptkit.Input, d disruptkit.Decision) (fates []fate) {
	after := in.Apply(d)
	for _, c := range slices.Concat(d.Allowed, d.Blocked) {
		if c.Node != s.node.Name {
			continue
		}
		c.Blockers = slices.Clone(c.Blockers)
		slices.SortStableFunc(c.Blockers, func(a, b candidate.Blocker) int {
			return cmp.Or(lifts(a)-lifts(b), a.Until.Compare(b.Until))
		})
		fates = append(fates, fate{c, newPlace(in, d, c), after})
	}
	return fates
}

// print reports for each reason why the node is blocked.
func (s stay) print(w io.Writer) error {
	var text strings.Builder
	fmt.Fprintf(&text, "%s\n%s, in NodePool %s, at %s %s\n", s.as.Title(), wording.Quote(s.node.Name), wording.Quote(cmp.Or(s.node.Pool, "(none)")),
		s.in.Now.Format("Monday 2006-01-02 15:04"), s.in.Now.Location())
	for _, m := range s.missing {
		fmt.Fprintln(&text, tell.Wrap(m.Sentence(), "  "))
	}
	s.mark(&text)
	s.stands(&text)
	if unit := s.unit(); unit != "" {
		fmt.Fprintln(&text, tell.Wrap(unit, ""))
	}
	for _, f := range s.fates {
		since := "since " + s.clock.Since(f.Since)
		if f.Since.After(s.in.Now) {
			since = s.clock.Since(f.Since)
		}
		if f.Because != "" {
			since += ", " + becauseOf(f.Candidate)
		}
		if why := s.why(f); why != "" {
			since += fmt.Sprintf(", for %q", why)
		}
		if !f.Deadline.IsZero() {
			since += ", with a deadline " + deadline(s.clock, f.Candidate)
		}
		if f.free() {
			until := ""
			if !f.Until.IsZero() {
				until = ", until " + s.clock.Until(f.Until)
			}
			may := "it may be disrupted now"
			if unsure(f.Reason) {
				may = "budgets would allow it now"
			}
			fmt.Fprintf(&text, "\n%s, %s: %s%s.\n", f.Reason, since, may, until)
			s.despite(&text)
			s.unlimited(&text, f)
		} else {
			if s.node.InFlight() { // what limits starts does not matter to it
				fmt.Fprintf(&text, "\n%s, %s.\n", f.Reason, since)
				continue
			}
			fmt.Fprintf(&text, "\n%s, %s: blocked.\n", f.Reason, since)
			s.blockers(&text, f)
		}
		if unsure(f.Reason) {
			s.consolidation(&text)
		}
	}
	if len(s.fates) == 0 {
		s.hypothetical(&text)
	}
	if e := s.expected; e != nil {
		expected := tell.Capital(s.expectation()) + "."
		if !e.Start.IsZero() && s.guesses != "" {
			expected += " " + s.guesses
		}
		fmt.Fprintf(&text, "\n%s\n", tell.Wrap(expected, ""))
		for _, advice := range s.stuck() {
			given := func(f fate) bool {
				return slices.ContainsFunc(f.Blockers, func(b candidate.Blocker) bool { return s.advice(b, f) == advice })
			}
			if !slices.ContainsFunc(s.fates, given) {
				fmt.Fprintf(&text, "%s\n", tell.Wrap("→ "+advice, "  "))
			}
		}
	}
	_, err := io.WriteString(w, text.String())
	return err
}

// why returns why somebody asks for the node's replacement, in their words; "": they do not say, or that is not the reason.
func (s stay) why(f fate) string {
	request, _ := s.cluster.Request(s.node)
	if !candidate.Requested.Covers(f.Reason) {
		return ""
	}
	return request.Why
}

// hypothetical describes what would block a node that nothing wants to disrupt.
func (s stay) hypothetical(text *strings.Builder) {
	var reasons []string
	for _, d := range s.decisions {
		reasons = append(reasons, string(d.Reason))
	}
	if s.unclaimed() {
		fmt.Fprintln(text, "\nWhether anything asks for its disruption is unknown.")
	} else if at := s.expires(); !s.node.InFlight() && (at.IsZero() || at.After(s.in.Now)) {
		fmt.Fprintf(text, "\n%s\n", tell.Wrap("It has no reason to be disrupted now. Reasons checked: "+strings.Join(reasons, ", ")+".", "  "))
	}
	switch {
	case s.node.InFlight():
	case s.ifDrifted == nil:
	case s.ifDrifted.free() && s.unclaimed(): // who manages it is unknown as well
	case s.ifDrifted.free():
		fmt.Fprintln(text, "\nIf it drifted now, it could be disrupted at once.")
		s.despite(text)
	default:
		fmt.Fprintln(text, "\nIf it drifted now, it would be blocked.")
		s.blockers(text, *s.ifDrifted)
	}
}

// consolidation describes what Consolidatable means, and what Karpenter's events say of the node.
func (s stay) consolidation(text *strings.Builder) {
	meaning := manifest.Consolidatable
	if e, ok := s.cluster.Said[s.node.Name]; ok {
		verb := "Karpenter said"
		if e.Against() {
			verb = "Karpenter does not consolidate it"
		}
		fmt.Fprintf(text, "%s\n", tell.Wrap(fmt.Sprintf("  %s: %s (event %s, %s).", verb, wording.Quote(e.Message), e.Reason, s.clock.Since(e.At)), "    "))
	} else if !s.asked {
		meaning += "; its events say why not, if they are given as well: kubectl get " + manifest.Kinds + ",events -A -o json"
	}
	fmt.Fprintf(text, "%s\n", tell.Wrap("  "+meaning+".", "    "))
}

// unclaimed reports whether the NodeClaims are missing, which say what asks for the disruption of a node.
func (s stay) unclaimed() bool {
	return slices.ContainsFunc(s.missing, func(m manifest.Missing) bool { return m.Kind == "NodeClaim" })
}

// blockers lists what blocks the node: first what time alone lifts, then what waits for something to happen, then what somebody has to
// change. The node's place in line follows.
func (s stay) blockers(text *strings.Builder, of fate) {
	for i, b := range of.Blockers {
		code := string(b.Gate) + "/" + string(b.Code)
		if from := s.source(b); from != "" {
			code += ", " + from
		}
		fmt.Fprintf(text, "%s\n", tell.Wrap(fmt.Sprintf("  %d. %s (%s)", i+1, b.Message, code), "     "))
		fmt.Fprintf(text, "%s\n", tell.Wrap("     "+s.when(b, of), "     "))
		if users := s.usersOf(b, of); len(users) > 0 {
			fmt.Fprintf(text, "%s\n", tell.Wrap("     "+tell.Capital(planner.UsedUp(&b))+wording.Some(users, mostUsers)+".", "       "))
		}
		if advice := s.advice(b, of); advice != "" {
			fmt.Fprintf(text, "%s\n", tell.Wrap("     → "+advice, "       "))
		}
	}
	var stands []string
	if at := s.clock.Until(notBefore(of.Blockers)); at != "" {
		stands = append(stands, "Not before "+tell.Together(at)+", unless something other than the time changes.")
	}
	if at := of.place.text(); at != "" {
		stands = append(stands, at+".")
	}
	if len(stands) > 0 {
		fmt.Fprintf(text, "%s\n", tell.Wrap("  "+strings.Join(stands, " "), "    "))
	}
}

// when describes when a blocker lifts. Where nodes use up a budget, it may lift earlier than by time alone.
func (s stay) when(b candidate.Blocker, of fate) string {
	var parts []string
	slots := b.Gate == candidate.GateBudget || b.Gate == candidate.GateTopology
	if opens := s.opens(b, of); opens != "" {
		parts = append(parts, opens)
	} else if slots && (b.Code == candidate.CodeExhausted || b.Code == candidate.CodeReserved) {
		parts = append(parts, "It lifts when enough slots are free.")
	}
	switch how := lifts(b); {
	case how == byTime:
		parts = append(parts, "Time alone lifts it "+tell.Together(s.clock.Until(b.Until))+".")
	case how == bySomebody && b.Gate == candidate.GatePod && b.Code == candidate.CodeDoNotDisrupt:
		return "A change of configuration lifts it, or the end of the pod."
	case how == bySomebody:
		return "Only a change of configuration lifts it."
	case len(parts) == 0:
		return "No time is known at which it lifts."
	}
	return strings.Join(parts, " ")
}

// source names where a blocker comes from, and nothing if that is the node itself, or unknown.
func (s stay) source(b candidate.Blocker) string {
	of := b.Source
	switch {
	case of == nil && b.Pod != "":
		return "Pod/" + b.Pod
	case of == nil:
		return ""
	case len(of.PDBs) > 0:
		return "PodDisruptionBudget/" + strings.Join(of.PDBs, ", ")
	case of.PodSchedule != "":
		return "PodDisruptionSchedule/" + wording.Quote(of.PodSchedule)
	case of.Probe != "":
		return "probe " + wording.Quote(of.Probe)
	case of.By != "":
		return "paused by " + wording.Quote(of.By)
	}
	owner, set := "NodePool/"+s.node.Pool, s.set(s.node.Pool)
	for _, g := range s.in.Groups {
		if g.Name == of.Group {
			owner, set = disruptionpolicy.Kind+"/"+g.Name, g.Budgets
		}
	}
	parts := []string{wording.Quote(owner)}
	for _, i := range of.Budgets {
		parts = append(parts, set.Place(i))
	}
	return strings.Join(parts, " ")
}

// How a blocker lifts, in the order of the answer.
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
