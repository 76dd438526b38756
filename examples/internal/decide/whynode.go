package decide

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/examples/internal/explain"
	"github.com/disruptkit/disruptkit/examples/internal/manifest"
	"github.com/disruptkit/disruptkit/examples/internal/program"
	"github.com/disruptkit/disruptkit/examples/internal/tell"
	"github.com/disruptkit/disruptkit/internal/quote"
)

func helpWhy(env program.Environment) string {
	usage := manifest.Command + " | " + env.Name + " -f - NODE"
	if env.Cluster != nil {
		usage = env.Name + " NODE [flags]\n\nWithout -f it asks the cluster of kubectl's context."
	}
	return `why says everything that holds a node back, in the order in which it will lift, and what to do about it.

  ` + usage + `

NODE may be a part of the name, if only one node has it. Where nothing wants to disrupt the node, it says what would hold it back
if it drifted now. The flags are those of decide.

The exit status is 0 if the node may go now, or nothing wants it to; 1 if it is held back; or 2 if nothing can be said.
`
}

// RunWhy is the whole program why.
func RunWhy(env program.Environment, args []string) int {
	name := ""
	if len(args) > 0 && !strings.HasPrefix(args[0], "-") { // flags may come after it
		name, args = args[0], args[1:]
	}
	flags := newFlags()
	if err := flags.Parse(args); err == nil && name == "" && flags.NArg() == 1 {
		name, args = flags.Arg(0), args[:len(args)-1]
	}
	o, err := parseOptions(args, env.Cluster != nil)
	switch {
	case errors.Is(err, flag.ErrHelp):
		fmt.Fprint(env.Stdout, helpWhy(env))
		return good
	case err != nil:
		return env.Fail(err)
	case cmp.Or(name, o.node) == "":
		return env.Fail(errors.New("name a node: why ip-10-0-36-243"))
	}
	clusters, err := o.read(env)
	if err != nil {
		return env.Fail(err)
	}
	cluster := clusters[o.policy.As]
	a := decide(cluster, o)
	n, err := nodeNamed(a.in.Nodes, cmp.Or(name, o.node))
	if err != nil {
		return env.Fail(err)
	}
	s := stay{a, n, clock{a.in.Now}}
	held, err := s.print(env.Stdout)
	switch {
	case err != nil:
		return env.Fail(err)
	case held:
		return faulty
	}
	return good
}

// A stay is that of one node.
type stay struct {
	answer
	node  candidate.Node
	clock clock
}

// print says for each reason why the node stays. Held reports whether it stays for all that there are.
func (s stay) print(w io.Writer) (held bool, err error) {
	var text strings.Builder
	fmt.Fprintf(&text, "%s\n%s, in NodePool %s, at %s %s\n", s.as.Title(), quote.Text(s.node.Name), quote.Text(cmp.Or(s.node.Pool, "(none)")),
		s.in.Now.Format("Monday 2006-01-02 15:04"), s.in.Now.Location())
	asked, free := false, false
	for _, d := range s.decisions {
		of := func(c candidate.Candidate) bool { return c.Node == s.node.Name }
		for _, c := range slices.Concat(d.Allowed, d.Blocked) {
			if !of(c) {
				continue
			}
			asked = true
			if slices.ContainsFunc(d.Allowed, of) && len(c.Blockers) == 0 {
				free = true
				until := ""
				if !c.Until.IsZero() {
					until = ", until " + s.clock.until(c.Until)
				}
				fmt.Fprintf(&text, "\n%s, since %s: it may go now%s.\n", c.Reason, s.clock.since(c.Since), until)
				continue
			}
			fmt.Fprintf(&text, "\n%s, since %s: held back by %s.\n", c.Reason, s.clock.since(c.Since), things(c.Blockers))
			s.blockers(&text, c.Blockers)
		}
	}
	if !asked {
		s.hypothetical(&text)
	}
	_, err = io.WriteString(w, text.String())
	return asked && !free, err
}

// hypothetical says what would hold back a node that nothing wants to disrupt.
func (s stay) hypothetical(text *strings.Builder) {
	var reasons []string
	for _, d := range s.decisions {
		reasons = append(reasons, string(d.Reason))
	}
	fmt.Fprintf(text, "\nNothing asks for its disruption: it is no candidate for %s.\n", strings.Join(reasons, ", "))
	in := s.in
	in.Nodes = slices.Clone(in.Nodes)
	for i := range in.Nodes {
		if in.Nodes[i].Name == s.node.Name {
			in.Nodes[i].Conditions = []candidate.Condition{{Reason: candidate.Drifted, Since: in.Now.Add(-time.Hour * 24 * 365)}}
		}
	}
	d := s.cluster.Decide(in, candidate.Drifted)
	for _, c := range d.Blocked {
		if c.Node == s.node.Name {
			fmt.Fprintf(text, "\nIf it drifted now, it would be held back by %s.\n", things(c.Blockers))
			s.blockers(text, c.Blockers)
			return
		}
	}
	if slices.ContainsFunc(d.Allowed, func(c candidate.Candidate) bool { return c.Node == s.node.Name }) {
		fmt.Fprintln(text, "\nIf it drifted now, it could go at once.")
	}
}

// blockers lists what holds the node back: first what lifts by itself, as time passes, then what waits for something to happen, then
// what somebody has to change.
func (s stay) blockers(text *strings.Builder, all []candidate.Blocker) {
	all = slices.Clone(all)
	slices.SortStableFunc(all, func(a, b candidate.Blocker) int {
		return cmp.Or(lifts(a)-lifts(b), a.Until.Compare(b.Until))
	})
	for i, b := range all {
		when := "when that changes"
		switch lifts(b) {
		case byTime:
			when = "lifts " + tell.Together(s.clock.until(b.Until))
		case bySomebody:
			when = "until somebody changes it"
		}
		if b.Later {
			when += "; it counts once the others have lifted"
		}
		fmt.Fprintf(text, "%s\n", tell.Wrap(fmt.Sprintf("  %d. %s: %s (%s/%s)", i+1, when, b.Message, b.Gate, b.Code), "     "))
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

func things(all []candidate.Blocker) string {
	if len(all) == 1 {
		return "one thing"
	}
	return fmt.Sprintf("%d things", len(all))
}
