package planner

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/internal/expiring"
	"github.com/disruptkit/disruptkit/cmd/internal/tell"
	"github.com/disruptkit/disruptkit/internal/wording"
	"github.com/disruptkit/disruptkit/plan"
)

// printStatusText prints a page. Of a long one it prints only what matters most, or that first if it scrolls.
func printStatusText(w io.Writer, o overview) error {
	p := &page{}
	p.status(o)
	text := p.String()
	if (o.scrolls || !o.whole) && !tell.Fits(text) {
		p.Reset()
		p.status(o.worst())
		text = p.String()
		if !o.scrolls {
			text = tell.First(text, "-v shows all, and zones; status NODEPOOL a part of it.", tell.FirstScreen)
		}
	}
	_, err := io.WriteString(w, text)
	return err
}

// worst returns an overview without zones, unless somebody wants all, those with most stuck nodes first, and those that
// are done last.
func (o overview) worst() overview {
	rank := func(r standing) int {
		return slices.Index([]state{stateStuck, stateRolling, stateWaiting, stateDone}, r.State)
	}
	order := func(all []standing) []standing {
		all = slices.Clone(all)
		for i := range all {
			if !o.whole {
				all[i].Zones = nil
			}
		}
		slices.SortStableFunc(all, func(a, b standing) int {
			return cmp.Or(cmp.Compare(b.StuckNodes, a.StuckNodes), rank(a)-rank(b), cmp.Compare(b.left(), a.left()))
		})
		return all
	}
	o.Pools, o.Policies = order(o.Pools), order(o.Policies)
	if !o.scrolls {
		o.most = mostRows
	}
	return o
}

// mostRows is how many NodePools the first screen has, and how many policies.
const mostRows = 6

// cut returns the first of some standings, and a line about how many there are more.
func (o overview) cut(all []standing, what string) (first []standing, more string) {
	if o.most == 0 || len(all) <= o.most {
		return all, ""
	}
	return all[:o.most], "and " + wording.Count(len(all)-o.most, "more "+what)
}

// status prints an overview.
func (p *page) status(o overview) {
	p.line("%s", strings.TrimSpace(o.As.Title()+" "+o.Guesses))
	p.line("%s %s: %s", o.Now.Format("Monday 2006-01-02 15:04"), o.Now.Location(), o.headline())
	if o.Measured != "" {
		p.line("Measured in this roll: %s.", o.Measured)
	}
	for _, m := range o.missing {
		p.line("%s", m.Sentence())
	}
	p.line("")
	g := tell.NewGrid("POOL", "NODES", "UP TO DATE", "NOT READY", "IN FLIGHT", "TO GO", "STUCK", "NEXT START", "DONE").AlignRight(1, 2, 3, 4, 5, 6).Keep(7)
	pools, morePools := o.cut(o.Pools, "NodePool")
	policies, morePolicies := o.cut(o.Policies, "DisruptionPolicy")
	for _, r := range append(o.rows(pools, false), o.rows(policies, true)...) {
		title := r.Name
		switch {
		case r.Zone:
			title = "  " + title
		case r.Policy:
			title = "policy " + title
		}
		g.Add(title, fmt.Sprint(r.Nodes), number(r.New), number(r.NotReady), number(r.InProgress), number(r.ToGo), number(r.StuckNodes), r.Next, r.Done)
	}
	p.WriteString(g.String())
	p.say(morePools)
	p.say(morePolicies)
	for _, r := range o.Pools {
		notes := o.notes(r)
		if len(notes) > 0 {
			p.line("")
		}
		for _, text := range notes {
			p.line("%s: %s", wording.Quote(r.Name), text)
		}
	}
	if slices.ContainsFunc(o.Pools, func(r standing) bool { return differ(r.Finish) }) {
		p.line("")
		p.line("DONE is when the nodes of the roll are done in 8 of 10 runs of the plan.")
	}
}

// headline describes how far everything shown is.
func (o overview) headline() string {
	var all Tally
	for _, r := range o.Pools {
		all.Nodes, all.New = all.Nodes+r.New+r.left(), all.New+r.New
	}
	reasons := make([]string, len(o.Reasons))
	for i, r := range o.Reasons {
		reasons[i] = string(r)
	}
	return fmt.Sprintf("%d of %s up to date in %s (a roll of nodes that are %s)", all.New, wording.Count(all.Nodes, "node"),
		wording.Count(len(o.Pools), "NodePool"), strings.Join(reasons, " or "))
}

// number shows a number; "": none.
func number(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprint(n)
}

// nextText describes when the next node starts.
func (o overview) nextText(s start) string {
	switch {
	case s.At.IsZero():
		return ""
	case s.At.Sub(o.Now) < time.Minute: // what is said of a time is exact to the minute
		return "now"
	}
	return tell.Day(s.At, o.Now)
}

// doneText describes when the nodes of a row are done, or that all are, or none ever is.
func (o overview) doneText(r standing) string {
	late := "not by " + tell.Day(o.plan.Horizon, o.Now)
	switch {
	case r.State == stateDone:
		return "done"
	case r.State == stateStuck:
		return "stuck"
	case r.OnlyExpire > 0 && r.left() == r.StuckNodes+r.OnlyExpire:
		return "only by expiry"
	case r.Finish.Early.IsZero() && r.Next.At.IsZero():
		return "unknown"
	case r.Finish.Early.IsZero():
		return late
	case r.Finish.Late.IsZero():
		return fmt.Sprintf("%s in 1 of 10 runs, %s in 1 of 10", tell.Day(r.Finish.Early, o.Now), late)
	case differ(r.Finish):
		return tell.Day(r.Finish.Early, o.Now) + " to " + clockOf(o.plan, r.Finish.Early, r.Finish.Late)
	}
	return tell.Day(r.Finish.Late, o.Now)
}

// notes describes what the table does not have: the revision of a pool, what its next node waits for, and what is stuck.
func (o overview) notes(r standing) []string {
	texts := revised(r)
	if r.Next.At.After(o.Now.Add(time.Minute)) && r.Next.cause.For > 0 {
		texts = append(texts, fmt.Sprintf("the next node starts %s; until then, %s", dayOf(o.plan, r.Next.At), said(r.Next.cause)))
	}
	if text := o.idleText(r); text != "" {
		texts = append(texts, text)
	}
	for _, s := range r.Stuck {
		texts = append(texts, s.text())
	}
	if len(r.unsettled) > 0 {
		texts = append(texts, "not Ready: "+wording.Some(r.unsettled, mostUsing))
	}
	texts = append(texts, r.around...)
	for _, reason := range slices.Sorted(maps.Keys(r.other)) {
		texts = append(texts, fmt.Sprintf("%s to go, but for %s, which this roll is not of: --reason %[2]s shows that",
			count(r.other[reason], "node that is up to date is", "nodes that are up to date are"), reason))
	}
	if text := expiring.Text(r.Expiring, tell.Clock{Now: o.Now}.Whenever); text != "" {
		texts = append(texts, text)
	}
	return texts
}

// kills names the first pods that are killed when the grace periods of some nodes end; "": none is.
func kills(of plan.Plan, now time.Time, asked func(plan.Node) bool, most int) string {
	var all []string
	for _, n := range only(killed(of), asked) {
		all = append(all, fmt.Sprintf("%s on %s (%s)", tell.Day(n.Killed, now), wording.Quote(n.Name), drainHeld(n)))
	}
	return titled("killed when grace periods end: ", all, most)
}

// revised describes the revision of a pool, and what Karpenter has yet to do about it, in one text; none: nothing is known.
func revised(r standing) []string {
	var texts []string
	if r.Revision.Hash != "" {
		texts = append(texts, "revision "+wording.Quote(r.Revision.Hash))
	}
	if r.Revision.Unseen {
		texts = append(texts, fmt.Sprintf("Karpenter has yet to look at generation %d", r.Revision.Generation))
	}
	if n := len(r.Revision.Unmarked); n > 0 {
		texts = append(texts, fmt.Sprintf("%s of another revision, and not marked as %s by Karpenter so far", count(n, "node is", "nodes are"), candidate.Drifted))
	}
	return only([]string{strings.Join(texts, "; ")}, func(text string) bool { return text != "" })
}

// text describes how many nodes are stuck, since when, and why.
func (s stuck) text() string {
	since := ""
	switch {
	case s.Since.IsZero():
	case s.held:
		since = fmt.Sprintf(" (nothing of the NodePool has moved since %s)", day(s.Since))
	default:
		since = " since " + day(s.Since)
	}
	more := ""
	if n := len(s.Nodes) - 1 - len(s.unlike); n > 0 {
		more = fmt.Sprintf(", and so for %s", wording.Count(n, "other node"))
	}
	for i, text := range s.unlike {
		if i == mostUsing {
			more += fmt.Sprintf("; and %d more", len(s.unlike)-i)
			break
		}
		more += "; " + text
	}
	return fmt.Sprintf("%s stuck%s: %s: %s%s", wording.Count(len(s.Nodes), "node"), since, wording.Quote(s.Nodes[0]), s.Why, more)
}

// line describes how far a standing is.
func (o overview) line(r standing) string {
	text := fmt.Sprintf("%s: %d of %s up to date", wording.Quote(r.Name), r.New, wording.Count(r.New+r.left(), "node"))
	for _, c := range []struct {
		n    int
		what string
	}{{r.NotReady, "not Ready"}, {r.InProgress, "in progress"}, {r.ToGo, "to go"}, {r.StuckNodes, "stuck"}} {
		if c.n > 0 {
			text += fmt.Sprintf(", %d %s", c.n, c.what)
		}
	}
	return text
}
