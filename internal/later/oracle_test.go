package later_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/fixture"
	"github.com/disruptkit/disruptkit/internal/generate"
)

// A queue is the slow oracle of every time that a decision tells of one blocked candidate. It is the promise of
// candidate.Blocker.Until, taken at its word:
//
//   - only time passes. Nodes, pods, memory and the caller's blockers stay as they are, and probes keep giving the same answers;
//   - every candidate that is before it in line starts as soon as a decision lets it, the first in line first, and stays in flight. A node
//     starts once. If its own node starts for an older reason, the promise ends;
//   - the younger ones do not start.
//
// The queue decides again at every change. It knows nothing of package later but Decision.NextChange, which tests of its own check.
type queue struct {
	in    disruptkit.Input
	asked candidate.Reason
	who   candidate.Candidate
	ahead map[string]bool // candidates before it in line, by fixture.Key
	own   map[string]bool // of those, its own node's

	history string // when it has decided, and what has started: the input depends on nothing else
	decided decided
}

// decided are the decisions on what became of an input, by its history. Queues of several candidates begin alike, and often go on alike.
type decided map[string]disruptkit.Decision

// decision decides, unless another queue with the same history has.
func (q *queue) decision() disruptkit.Decision {
	key := q.history + "at " + q.in.Now.Format(time.RFC3339Nano)
	d, ok := q.decided[key]
	if !ok {
		d = disruptkit.Decide(q.in, q.asked)
		q.decided[key] = d
	}
	return d
}

// start starts what a decision allows.
func (q *queue) start(d disruptkit.Decision) {
	q.in = q.in.Apply(d)
	q.history += d.Now.Format(time.RFC3339Nano)
	for _, c := range d.Allowed {
		q.history += " " + fixture.Key(c)
	}
	q.history += "\n"
}

// line returns the candidates of a decision in line. Both lists of a decision are in that order, but not one with the other, so the
// order is taken from a decision that lets nothing go.
func line(in disruptkit.Input, asked candidate.Reason) (all []candidate.Candidate) {
	in.Nodes = slices.Clone(in.Nodes)
	for i := range in.Nodes {
		in.Nodes[i].Blockers = append(slices.Clip(in.Nodes[i].Blockers), candidate.Blocker{Gate: candidate.GateNode, Code: "held", Message: "held"})
	}
	return disruptkit.Decide(in, asked).Blocked
}

func newQueue(in disruptkit.Input, asked candidate.Reason, line []candidate.Candidate, who candidate.Candidate, known decided) *queue {
	q := &queue{in: in, asked: asked, who: who, ahead: map[string]bool{}, own: map[string]bool{}, decided: known}
	for _, c := range line {
		if fixture.Key(c) == fixture.Key(who) {
			break
		}
		if c.Node == who.Node {
			q.own[fixture.Key(c)] = true
		} else {
			q.ahead[fixture.Key(c)] = true
		}
	}
	return q
}

// decide moves the time on, starts whatever may start, and returns what is said of the candidate then.
func (q *queue) decide(at time.Time) (c candidate.Candidate, gone bool, next time.Time) {
	q.in.Now = at
	d := q.decision()
	for i, list := range [][]candidate.Candidate{d.Blocked, d.Allowed} {
		for _, other := range list {
			if fixture.Key(other) == fixture.Key(q.who) {
				c = other
			}
			gone = gone || i == 1 && q.own[fixture.Key(other)]
		}
	}
	next = d.NextChange
	d.Allowed = slices.DeleteFunc(slices.Clone(d.Allowed), func(c candidate.Candidate) bool { return !q.ahead[fixture.Key(c)] })
	q.start(d)
	if len(d.Allowed) > 0 {
		next = q.decision().NextChange
	}
	return c, gone, next
}

// mostSteps is how often a queue decides. What is told of a later time is not checked.
const mostSteps = 40

// check follows a blocked candidate, and returns the first thing told of it that turns out to be wrong.
func (q *queue) check(now time.Time) (fault string) {
	lift, lifts := candidate.LiftsAt(q.who.Blockers)
	var told []time.Time
	for _, b := range q.who.Blockers {
		if b.Until.After(now) {
			told = append(told, b.Until.Add(-1), b.Until)
		}
	}
	at := now
	for range mostSteps {
		c, gone, next := q.decide(at)
		if gone {
			break
		}
		overdue := !q.who.Overdue && !q.who.Deadline.IsZero() && !q.who.Deadline.After(at) // other rules hold from then on
		itself := !slices.ContainsFunc(c.Blockers, func(b candidate.Blocker) bool { return !b.Later && b.Code != candidate.CodeAlreadyAllowed })
		for _, b := range q.who.Blockers {
			if !changes(b) || overdue {
				continue
			}
			holds := slices.ContainsFunc(c.Blockers, func(o candidate.Blocker) bool { return !o.Later && same(b, o, at) })
			switch {
			case b.Until.IsZero():
			case !b.Later && at.Before(b.Until) && !holds:
				return fmt.Sprintf("%s no longer holds at %s", b, at.Format(time.RFC3339Nano))
			case at.Equal(b.Until) && holds && !itself && !q.follows(b):
				return fmt.Sprintf("%s still holds then", b)
			}
		}
		if lifts && foreseeable(q.who) {
			switch {
			case itself && at.Before(lift):
				return fmt.Sprintf("it may go at %s, and its blockers lift at %s", at.Format(time.RFC3339Nano), lift.Format(time.RFC3339Nano))
			case at.Equal(lift) && !itself:
				return "its blockers lift at " + lift.Format(time.RFC3339Nano) + ", and then it may not go: " + fmt.Sprint(c.Blockers)
			}
		}
		for _, t := range told {
			if t.After(at) && (next.IsZero() || t.Before(next)) {
				next = t
			}
		}
		if next.IsZero() || !slices.ContainsFunc(told, at.Before) {
			break
		}
		at = next
	}
	return ""
}

// follows reports whether the candidate is told that another blocker of the same kind comes after one: after that, it waits for another zone.
func (q *queue) follows(b candidate.Blocker) bool {
	return slices.ContainsFunc(q.who.Blockers, func(o candidate.Blocker) bool {
		return o.Later && o.Gate == b.Gate && o.Code == b.Code && group(o) == group(b)
	})
}

// changes reports whether others, or time in ways that are not its own, change when a blocker lifts.
func changes(b candidate.Blocker) bool {
	return b.Gate == candidate.GateBudget || b.Gate == candidate.GateTopology || b.Gate == candidate.GateBackoff || b.Gate == candidate.GateWave
}

// same reports whether a blocker is one that was told of before. Until that lifts, a budget that is used up may also become one of 0.
func same(told, b candidate.Blocker, at time.Time) bool {
	full := func(b candidate.Blocker) bool {
		return b.Code == candidate.CodeExhausted || b.Code == candidate.CodeAllowsNone && (told.Code == candidate.CodeExhausted || at.Before(told.Until))
	}
	return told.Gate == b.Gate && group(told) == group(b) && (told.Code == b.Code || full(told) && full(b) && (told.Code == candidate.CodeExhausted || at.Before(told.Until)))
}

// group returns whose a blocker is: a pool and each of its groups have budgets and turns of their own.
func group(b candidate.Blocker) string {
	if b.Source == nil {
		return ""
	}
	return b.Source.Group
}

// foreseeable reports whether all that will hold back a candidate is told of it: nothing of the node itself holds it back that events
// may change at any time. See TestUntilWhenZonesWait: "of a node that is held back by itself, only that is said".
func foreseeable(c candidate.Candidate) bool {
	return !slices.ContainsFunc(c.Blockers, func(b candidate.Blocker) bool {
		switch b.Gate {
		case candidate.GateNode, candidate.GatePod, candidate.GateProbe:
			switch b.Code {
			case candidate.CodeDisruptAfter, candidate.CodeTooYoung, candidate.CodeTolerated, candidate.CodePaused:
			default:
				return !b.Later
			}
		}
		return false
	})
}

// tellsTheTruth checks all that is told of the blocked candidates of an input.
func tellsTheTruth(in disruptkit.Input, asked candidate.Reason) (fault string) {
	in = renewed(in)
	d := disruptkit.Decide(in, asked)
	in.Memory = maps.Clone(d.Memory)
	all := line(in, asked)
	for i, c := range all {
		if slices.ContainsFunc(all[:i], func(o candidate.Candidate) bool { return fixture.Key(o) == fixture.Key(c) }) {
			return "" // they cannot be told apart
		}
	}
	known := decided{}
	for _, c := range d.Blocked {
		if c.Blockers == nil || slices.ContainsFunc(c.Blockers, func(b candidate.Blocker) bool { return b.ForGood && b.Until.IsZero() }) {
			continue
		}
		if fault := newQueue(in, asked, all, c, known).check(in.Now); fault != "" {
			return fmt.Sprintf("%s for %s: %s\n%s\n%s", c.Node, c.Reason, fault, fixture.Story(d), picture(in))
		}
	}
	return ""
}

// picture shows an input.
func picture(in disruptkit.Input) string {
	var s strings.Builder
	fmt.Fprintln(&s, "now", in.Now.Format(time.RFC3339), in.Pauses, in.Memory)
	for _, p := range in.Pools {
		fmt.Fprintln(&s, p.Name, p.Budgets)
	}
	for _, n := range in.Nodes {
		fmt.Fprintf(&s, "%s %s %v %v inflight=%t nominated=%v grace=%t", n.Name, n.Pool, n.Labels, n.Phase, n.InFlight(), n.NominatedUntil.Format("15:04"), n.HasGracePeriod)
		for _, c := range n.Conditions {
			fmt.Fprintf(&s, "; %s since %s by %s", c.Reason, c.Since.Format(time.RFC3339), c.Deadline.Format(time.RFC3339))
		}
		for _, p := range n.Pods {
			fmt.Fprintf(&s, "; pod %s %v", p.Name, p.Terms.Window)
		}
		fmt.Fprintln(&s)
	}
	return s.String()
}

func TestEveryTimeThatIsToldComesTrue(t *testing.T) {
	for name, inputs := range map[string]func(generate.Source) disruptkit.Input{
		"crowded": crowded, "contended": contended, "overtaken": overtaken, "waiting": generate.Waiting, "waiting in zones": generate.WaitingInZones, "paced": generate.Paced, "tied by PDBs": generate.Tied,
		"grouped": generate.Grouped, "grouped in zones": generate.GroupedInZones, "in groups": generate.GroupedWaiting,
		"in waves": generate.WavedWaiting, "soaking": generate.SoakedWaiting,
	} {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				in := arbitrary(inputs).Draw(t, "input")
				asked := rapid.SampledFrom([]candidate.Reason{"", "", candidate.Drifted}).Draw(t, "asked")
				if fault := tellsTheTruth(in, asked); fault != "" {
					t.Fatal(fault)
				}
			})
		})
	}
}
