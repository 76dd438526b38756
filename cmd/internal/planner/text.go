package planner

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/internal/tell"
	"github.com/disruptkit/disruptkit/cmd/manifest"
	"github.com/disruptkit/disruptkit/internal/display"
	"github.com/disruptkit/disruptkit/internal/wording"
	"github.com/disruptkit/disruptkit/plan"
	"github.com/disruptkit/disruptkit/schedule"
)

const (
	barWidth   = 16 // of a progress bar
	mostWaits  = 6
	mostTrials = 3
	mostHeld   = 8
	mostWhy    = 3
)

// printText prints a page: of two plans how they differ, of one when it is done, what holds it up, and what would help. Each part is printed as
// soon as it is known.
func printText(w io.Writer, r report) error {
	p := &page{}
	p.say(r.first())
	switch {
	case !r.expiring.End.IsZero():
		p.expiring(r)
	case len(r.plans) > 1:
		p.compare(r)
	default:
		return p.plan(w, r)
	}
	_, err := io.WriteString(w, p.String())
	return err
}

// plan prints a plan: when it is done and why, then what is around it, what never goes, what is killed and what expires, then its pools, and
// last what would help. If not all is asked for, it is a screen.
func (p *page) plan(w io.Writer, r report) error {
	of := r.plans[0]
	whole := r.verbose || r.pool != "" || len(of.plan.Nodes) == 0
	p.headline(r)
	for _, main := range [][2]string{{"cause", cause(of.plan)}, {"risk", r.risk()}} {
		if main[1] != "" {
			p.line("Main %s: %s.", main[0], main[1])
		}
	}
	p.shownOf(r)
	p.needed(r.needed)
	p.outlived(of)
	most := map[bool]int{true: mostHeld, false: few}[whole]
	p.held(of.plan, most)
	p.around(of, most)
	if r.verbose {
		p.say(of.moving())
	}
	p.pools(of, whole)
	if whole {
		p.details(r)
	}
	foot, text, room := "", p.String(), math.MaxInt
	if !whole {
		foot = footer
		lines := tell.FirstScreen - strings.Count(footer, "\n")
		if r.trials != nil {
			lines -= linesOfHelp
		}
		text = tell.First(text, "", lines)
		room = tell.FirstScreen - strings.Count(text+footer, "\n")
	}
	if _, err := io.WriteString(w, text); err != nil {
		return err
	}
	_, err := io.WriteString(w, helps(best(r.tried()), room)+foot) // to find this out takes longer
	return err
}

// details prints what does not fit on a screen.
func (p *page) details(r report) {
	of := r.plans[0]
	p.expired(of, of.expiring(schedule.Span{}), mostHeld)
	p.nodes("Gone after their deadline", late(of.plan), func(n plan.Node) string {
		return display.Rough(n.LateBy()) + " late, at " + day(n.Gone)
	})
	if len(of.plan.Nodes) > 0 {
		p.line("")
		p.line("Assumed:")
		for _, text := range of.plan.Assumptions {
			p.line("  %s", text)
		}
	} else if r.consolidatable > 0 {
		p.line("%s.", manifest.Consolidatable)
		p.line("To plan all of them, write --reason Underutilized.")
	}
}

// How much of each list the first screen has.
const (
	linesOfHelp = 6 // that are left for what would help
	few         = 2
)

// footer has the command that shows the rest.
const footer = "\n-v shows all, and what is assumed; --pool NAME a part of it.\n"

// around prints what happens besides the plan.
func (p *page) around(of planned, most int) {
	planned := map[string]bool{}
	for _, n := range slices.Concat(of.plan.Nodes, of.plan.Expiring) {
		planned[n.Name] = true
	}
	for _, text := range around(of.cluster, of.in, of.plan, func(_, node string) bool { return planned[node] }, most) {
		p.line("%s.", tell.Capital(text))
	}
	for _, text := range []string{of.expirations(of.expiring(schedule.Span{})), of.cluster.Interrupted(of.in.Nodes)} {
		if text != "" {
			p.line("%s.", text)
		}
	}
}

// shownOf prints how sure the plan is, and what it is of.
func (p *page) shownOf(r report) {
	p.say(drawn(r.plans[0].runs))
	p.say(r.shown())
	for _, m := range r.missing {
		p.say(m.Sentence())
	}
}

// A page is a text in lines.
type page struct{ strings.Builder }

// line adds a line. What does not fit on it is indented by more than the line is, so that the entries of a list remain apart.
func (p *page) line(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	indent := text[:len(text)-len(strings.TrimLeft(text, " "))]
	p.WriteString(tell.Wrap(text, indent+"  ") + "\n")
}

// say adds a line, if there is a text.
func (p *page) say(text string) {
	if text != "" {
		p.line("%s", text)
	}
}

func (p *page) headline(r report) {
	of, text := r.plans[0], r.headline()
	if len(of.plan.Nodes) > 0 {
		text += ": " + ending(of.plan, of.runs.Finish)
	}
	if text != "" {
		p.line("%s.", text)
	}
}

// headline describes how many nodes are to go; "": some expire.
func (r report) headline() string {
	if p := r.plans[0].plan; len(p.Nodes) > 0 {
		return fmt.Sprintf("%s to go from %s", wording.Count(len(p.Nodes), "node"), day(p.From))
	}
	return r.nobody()
}

// nobody describes that no node is to go, as far as is known; "": some expire.
func (r report) nobody() string {
	if slices.ContainsFunc(r.missing, func(m manifest.Missing) bool { return m.Kind == "NodeClaim" }) {
		return "Which nodes have to go is unknown"
	}
	if r.consolidatable > 0 {
		return fmt.Sprintf("No node has to go; %s Consolidatable", count(r.consolidatable, "is", "are"))
	}
	if len(r.plans[0].plan.Expiring) > 0 {
		return "" // they have to, in their time
	}
	return "No node has to go"
}

// ending describes how many nodes of a plan are done when, in the interval in which most runs end, how many are not, and which are late.
func ending(p plan.Plan, s plan.Spread) string {
	when := fmt.Sprintf("by %s, after %s", dayOf(p, p.Finish), display.Rough(p.Finish.Sub(p.From)))
	if differ(s) {
		when = between(p, s)
	}
	c := p.Count(far)
	var texts []string
	if c.Done > 0 {
		texts = append(texts, fmt.Sprintf("%d done %s", c.Done, when))
	}
	return strings.Join(slices.Concat(texts, staying(p, c), lateness(c)), ", ")
}

// staying describes how many nodes are not done by themselves: those that only expire, those that are not done within a plan,
// and those that never are.
func staying(p plan.Plan, c plan.Count) (texts []string) {
	if c.OnlyExpire > 0 {
		texts = append(texts, count(c.OnlyExpire, "only because it expires", "only because they expire"))
	}
	if c.ToGo > 0 {
		texts = append(texts, fmt.Sprintf("%d not by %s", c.ToGo, dayOf(p, p.Horizon)))
	}
	if c.Never > 0 {
		texts = append(texts, fmt.Sprintf("%d never", c.Never))
	}
	return texts
}

// lateness describes how many nodes miss their deadlines, and by how much.
func lateness(c plan.Count) []string {
	if c.Late == 0 {
		return nil
	}
	text := count(c.Late, "misses its deadline", "miss their deadline")
	if c.LateBy > 0 {
		text += map[bool]string{true: " by ", false: " by up to "}[c.Late == 1] + display.Rough(c.LateBy)
	}
	return []string{text}
}

// far is after all that happens in a plan, and all deadlines.
var far = time.Unix(1<<40, 0)

// pools prints what is done of each pool, the last to be done first, and of the whole how far its zones are and how its time is spent.
func (p *page) pools(of planned, whole bool) {
	done := func(pool plan.Pool) time.Time {
		if pool.Never+pool.ToGo > 0 || pool.Finish.IsZero() {
			return far
		}
		return pool.Finish
	}
	all := slices.Clone(of.plan.Pools)
	slices.SortStableFunc(all, func(a, b plan.Pool) int { return done(b).Compare(done(a)) })
	for i, pool := range all {
		if whole || i == 0 {
			p.line("")
		}
		text := strings.TrimRight(fmt.Sprintf("%d of %s done %s", pool.Done, wording.Count(pool.Nodes, "node"), of.doneBy(pool)), " ")
		p.line("%s: %s", poolTitle(pool.Name), strings.Join(slices.Concat([]string{text}, staying(of.plan, pool.Count), lateness(pool.Count)), ", "))
		if whole {
			p.bars(of.plan, only(lanes(of.plan), func(l lane) bool { return l.pool == pool.Name }))
			p.clock(pool)
		}
	}
}

// doneBy describes when a pool is done, as far as it is.
func (p planned) doneBy(pool plan.Pool) string {
	switch s := ofPool(p.runs, pool.Name); {
	case differ(s):
		return between(p.plan, s)
	case !pool.Finish.IsZero():
		return "by " + dayOf(p.plan, pool.Finish)
	}
	return ""
}

// bars shows for each zone how much of it is done in the end.
func (p *page) bars(of plan.Plan, all []lane) {
	g := tell.NewGrid(make([]string, 4)...) // no header
	for _, l := range all {
		done := l.counts.Done * barWidth / max(l.counts.Nodes, 1)
		texts := lateness(l.counts)
		if l.counts.Done > 0 {
			texts = slices.Insert(texts, 0, dayOf(of, l.from)+" to "+dayOf(of, l.to))
		}
		g.Add(
			"  "+wording.Quote(zoneTitle(l.zone)), strings.Repeat("█", done)+strings.Repeat("░", barWidth-done),
			fmt.Sprintf("%d of %d", l.counts.Done, l.counts.Nodes), cmp.Or(strings.Join(texts, ", "), " "),
		)
	}
	p.WriteString(g.String())
}

// clock prints how the time of a pool is spent.
func (p *page) clock(pool plan.Pool) {
	total := time.Duration(0)
	for _, w := range pool.Clock {
		total += w.For
	}
	if total > 0 {
		p.line("")
	}
	for i, w := range pool.Clock {
		if i == mostWaits {
			p.line("  and %s", wording.Count(len(pool.Clock)-i, "other cause"))
			break
		}
		took := fmt.Sprintf("  %6s of %s  ", display.Rough(w.For), display.Rough(total))
		p.WriteString(tell.WrapNarrow(took+said(w), strings.Repeat(" ", len(took))) + "\n")
	}
}

// said describes what a wait is for.
func said(w plan.Wait) string { return wording.Quote(w.String()) }

// late returns the nodes that are disrupted and miss their deadlines, the latest first.
func late(of plan.Plan) []plan.Node {
	late := slices.DeleteFunc(slices.Clone(of.Nodes), func(n plan.Node) bool { return n.LateBy() == 0 })
	slices.SortStableFunc(late, func(a, b plan.Node) int { return cmp.Compare(b.LateBy(), a.LateBy()) })
	return late
}

// nodes prints the first of some nodes, under a title, and how many more there are.
func (p *page) nodes(title string, all []plan.Node, of func(plan.Node) string) {
	if len(all) == 0 {
		return
	}
	p.line("")
	p.line("%s:", title)
	for i, n := range all {
		if i == mostHeld {
			p.line("  and %s", wording.Count(len(all)-i, "more node"))
			break
		}
		p.line("  %s, %s: %s", wording.Quote(n.Name), poolTitle(n.Pool), of(n))
	}
}

// notDone returns the nodes of a plan that are not done, those that wait for the same together.
func notDone(of plan.Plan) (groups [][]plan.Node) {
	at := map[string]int{}
	for _, n := range of.Nodes {
		if n.Outcome == plan.Done {
			continue
		}
		key := fmt.Sprint(n.Pool, n.Outcome, n.Late, n.Waits)
		if n.Drains() {
			key = n.Name
		}
		i, known := at[key]
		if !known {
			i = len(groups)
			at[key], groups = i, append(groups, nil)
		}
		groups[i] = append(groups[i], n)
	}
	return groups
}

// held prints what is never done, and why; equal ones once.
func (p *page) held(of plan.Plan, most int) {
	groups := notDone(of)
	if len(groups) == 0 {
		return
	}
	p.line("")
	p.line("Not done:")
	for i, g := range groups {
		if i == most {
			p.line("  and others, for %s", wording.Count(len(groups)-i, "other cause"))
			break
		}
		late := ""
		if g[0].Late {
			late = ", and so after the deadline"
		}
		p.line("  %s, %s%s: %s", nodeNames(g), g[0].Outcome, late, together(g))
	}
}

// nodeNames names nodes.
func nodeNames(nodes []plan.Node) string {
	return wording.List(nodes, mostNamed, func(n plan.Node) string { return wording.Quote(n.Name) })
}

const mostNamed = 3

// together describes what keeps nodes that wait for the same. If a pod of its own keeps each, it names the pods.
func together(nodes []plan.Node) string {
	first := why(nodes[0])
	if !slices.ContainsFunc(nodes, func(n plan.Node) bool { return why(n) != first }) || len(nodes[0].Waits) == 0 {
		return first
	}
	pod := func(n plan.Node) string {
		i := slices.IndexFunc(n.Blockers, func(b candidate.Blocker) bool { return b.Pod != "" })
		if i < 0 {
			return wording.Quote(n.Name)
		}
		return n.Blockers[i].Pod + " on " + wording.Quote(n.Name)
	}
	what, _, _ := strings.Cut(said(nodes[0].Waits[0]), " (")
	return what + ": " + wording.List(nodes, mostNamed, pod)
}

// why describes what keeps a node.
func why(n plan.Node) string {
	if len(n.Blockers) == 0 {
		return "beyond the plan's horizon"
	}
	if n.Drains() {
		return "its drain never ends: " + drainHeld(n)
	}
	var texts []string
	for _, b := range n.Blockers {
		if len(texts) == 0 || b.ForGood && len(texts) < mostWhy {
			texts = append(texts, b.Message)
		}
	}
	return strings.Join(texts, "; and ")
}

// drainHeld describes what holds up the drain of a node.
func drainHeld(n plan.Node) string {
	return wording.List(n.Blockers, mostWhy, func(b candidate.Blocker) string { return b.Message })
}

// killed returns the nodes whose pods are killed when a grace period ends, by time.
func killed(of plan.Plan) []plan.Node {
	all := only(slices.Concat(of.Nodes, of.Expiring), func(n plan.Node) bool { return !n.Killed.IsZero() })
	slices.SortStableFunc(all, func(a, b plan.Node) int { return a.Killed.Compare(b.Killed) })
	return all
}

func poolTitle(name string) string {
	if name == "" {
		return "no pool"
	}
	return wording.Quote(name)
}

func orNever(t time.Time) string {
	if t.IsZero() {
		return "never"
	}
	return day(t)
}

// day shows a time, in the zone that it is in.
func day(t time.Time) string { return t.Format("Mon 2 Jan 15:04") }

// dayOf shows a time of a plan: with the year where half a year has passed since the plan began.
func dayOf(p plan.Plan, t time.Time) string {
	if t.Sub(p.From) > 183*24*time.Hour {
		return t.Format("Mon 2 Jan 2006 15:04")
	}
	return day(t)
}

// helps returns what would help most, in as many lines as there are.
func helps(all []helpful, room int) (text string) {
	for _, h := range all {
		title := "\nWhat would help most " + h.title + ":\n"
		for _, t := range h.trials { // the least harmful first
			change := t.Change + ": " + brief(t.Comparison)
			if t.Harm == plan.Removes {
				change += "; this takes protection away"
			}
			next := title + tell.Wrap("  "+change, "    ") + "\n"
			if strings.Count(text+next, "\n") <= room {
				text, title = text+next, ""
			}
		}
	}
	return text
}

// worthSaying is how much later a change makes another NodePool before brief says so.
const worthSaying = 5 * time.Minute

// brief describes what a change does to a plan, without what stays as it is.
func brief(c plan.Comparison) string {
	var texts []string
	if c.Gain() > 0 && !c.After.IsZero() {
		texts = append(texts, display.Rough(c.Gain())+" earlier, "+day(c.After))
	}
	if c.Done > 0 {
		texts = append(texts, wording.Count(c.Done, "more node")+" done")
	}
	if c.Late < 0 {
		texts = append(texts, fmt.Sprintf("%d fewer late", -c.Late))
	}
	if len(texts) == 0 {
		return c.String()
	}
	later := only(c.Pools, func(p plan.PoolCompared) bool { return p.Gain() <= -worthSaying })
	if len(later) > 0 {
		most := slices.MinFunc(later, func(a, b plan.PoolCompared) int { return cmp.Compare(a.Gain(), b.Gain()) })
		text := "but " + poolTitle(most.Name) + " " + display.Rough(-most.Gain()) + " later"
		if n := len(later) - 1; n > 0 {
			text += fmt.Sprintf(", and %d more", n)
		}
		texts = append(texts, text)
	}
	if c.Late > 0 {
		texts = append(texts, fmt.Sprintf("but %d more late", c.Late))
	}
	return strings.Join(texts, ", ")
}
