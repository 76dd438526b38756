package later_test

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/fixture"
	"github.com/disruptkit/disruptkit/internal/generate"
	"github.com/disruptkit/disruptkit/probe"
)

func TestUntilIsWhenACandidatesFateTurns(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in, reason := fixture.Restrictive(renewed(arbitrary(generate.Single).Draw(t, "input"))), arbitrary(generate.Reason).Draw(t, "reason")
		for i := range in.Nodes { // all of one reason, and nothing but budgets lifts
			in.Nodes[i].NominatedUntil = time.Time{}
			in.Nodes[i].Pods = nil
			for j := range in.Nodes[i].Conditions {
				in.Nodes[i].Conditions[j].Reason = reason
			}
		}
		d := disruptkit.Decide(in, reason)
		for _, c := range d.Allowed {
			if c.Until.IsZero() {
				continue
			}
			if before, then := mayGo(in, reason, c.Until.Add(-1), c), mayGo(in, reason, c.Until, c); !before || then {
				t.Fatalf("%s may go until %v, but just before then: %t, then: %t", c.Node, c.Until, before, then)
			}
		}
		for _, c := range d.Blocked {
			until, ok := budgetsLift(c)
			if !ok {
				continue
			}
			if before, then := mayGo(in, reason, until.Add(-1), c), mayGo(in, reason, until, c); before || !then {
				t.Fatalf("%s is held back until %v, but just before then: %t, then: %t", c.Node, until, before, then)
			}
		}
	})
}

// Where reasons have budgets of their own, or nominations end, candidates before it may go before a budget falls. What
// Until promises still holds.
func TestUntilIsKeptAlsoWhereOlderCandidatesTakeThePlace(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := renewed(arbitrary(generate.Single).Draw(t, "input"))
		asked := arbitrary(generate.Asked).Draw(t, "asked")
		d := disruptkit.Decide(in, asked)
		keepsUntil(t, in, asked, d)
		for _, c := range d.Blocked {
			if until, ok := budgetsLift(c); ok && !mayGo(in, asked, until, c) {
				t.Fatalf("%s is held back until %v, and then, too", c.Node, until)
			}
		}
	})
}

func TestUntilIsKeptWherePDBsTieNodesTogether(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := arbitrary(generate.Tied).Draw(t, "input")
		asked := rapid.SampledFrom([]candidate.Reason{"", candidate.Drifted}).Draw(t, "asked")
		d := disruptkit.Decide(in, asked)
		in.Memory = d.Memory
		keepsUntil(t, in, asked, d)
		for _, c := range d.Blocked {
			if until, ok := budgetsLift(c); ok && !mayGo(in, asked, until, c) {
				t.Fatalf("%s is held back until %v, and then, too", c.Node, until)
			}
		}
	})
}

// What may go can all be started together, and with time alone each may go until the time that is promised.
func TestUntilIsKeptWhereZonesTakeTurns(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := renewed(arbitrary(generate.Input).Filter(func(in disruptkit.Input) bool { return len(in.Pools) > 0 }).Draw(t, "input"))
		asked := arbitrary(generate.Asked).Draw(t, "asked")
		d := disruptkit.Decide(in, asked)
		in.Memory = d.Memory
		keepsUntil(t, in, asked, d)
		for _, c := range d.Blocked {
			at, lifts := candidate.LiftsAt(c.Blockers)
			own := slices.ContainsFunc(c.Blockers, func(b candidate.Blocker) bool {
				return b.Gate == candidate.GateNode || b.Gate == candidate.GatePod || b.Gate == candidate.GateProbe
			})
			if !lifts || own {
				continue
			}
			for _, then := range disruptkit.Decide(withNow(in, at), asked).Blocked {
				if fixture.Key(then) == fixture.Key(c) && !alreadyAllowed(then) {
					t.Fatalf("%s is held back until %v, and then, too: now %v, then %v", c.Node, at, c.Blockers, then.Blockers)
				}
			}
		}
	})
}

func TestUntilIsKept(t *testing.T) {
	for name, inputs := range map[string]func(generate.Source) disruptkit.Input{
		"with paces": generate.Paced, "whatever the order": generate.Ordered, "where nodes are missing": generate.Desired,
		"with inbound pauses": generate.Inbound, "with ages": generate.Aged,
	} {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				in := renewed(arbitrary(inputs).Draw(t, "input"))
				asked := arbitrary(generate.Asked).Draw(t, "asked")
				d := disruptkit.Decide(in, asked)
				in.Memory = d.Memory
				keepsUntil(t, in, asked, d)
			})
		})
	}
	for name, inputs := range map[string]func(generate.Source) disruptkit.Input{
		"where places soak": generate.Soaked, "where nodes go in waves": generate.Waved,
	} {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) { keepsUntilRemembered(t, inputs) })
		})
	}
}

// keepsUntilRemembered checks keepsUntil of a decision that knows what the one before it remembers.
func keepsUntilRemembered(t *rapid.T, inputs func(generate.Source) disruptkit.Input) {
	in := renewed(arbitrary(inputs).Filter(func(in disruptkit.Input) bool { return len(in.Pools) > 0 }).Draw(t, "input"))
	asked := rapid.SampledFrom([]candidate.Reason{"", candidate.Drifted}).Draw(t, "asked")
	in.Memory = disruptkit.Decide(in, asked).Memory
	keepsUntil(t, in, asked, disruptkit.Decide(in, asked))
}

// keepsUntil checks that what may go still may, at any time before its Until, be it for another reason.
func keepsUntil(t *rapid.T, in disruptkit.Input, asked candidate.Reason, d disruptkit.Decision) {
	for _, c := range d.Allowed {
		end := c.Until
		if end.IsZero() {
			end = in.Now.AddDate(1, 0, 0)
		}
		at := in.Now.Add(time.Duration(rapid.Int64Range(0, int64(end.Sub(in.Now))-1).Draw(t, "at")))
		if !slices.ContainsFunc(disruptkit.Decide(withNow(in, at), asked).Allowed, func(o candidate.Candidate) bool { return o.Node == c.Node }) {
			t.Fatalf("%s may go until %v, but not at %v", c.Node, c.Until, at)
		}
	}
}

// mayGo reports whether a candidate is allowed at a time.
func mayGo(in disruptkit.Input, asked candidate.Reason, at time.Time, c candidate.Candidate) bool {
	in.Now = at
	return slices.ContainsFunc(disruptkit.Decide(in, asked).Allowed, func(o candidate.Candidate) bool { return fixture.Key(o) == fixture.Key(c) })
}

// budgetsLift returns when the last of a candidate's blockers lifts, if budgets alone hold it back, and all lift.
func budgetsLift(c candidate.Candidate) (latest time.Time, ok bool) {
	for _, b := range c.Blockers {
		if b.Gate != candidate.GateBudget || b.Until.IsZero() {
			return latest, false
		}
		if b.Until.After(latest) {
			latest = b.Until
		}
	}
	return latest, true
}

// renewed returns the input as it is where all probes go on to be answered as they were, and no clock is ahead: a node
// that only shows times after its start counts as a new one of its name, so a pace counts a start that nobody made.
func renewed(in disruptkit.Input) disruptkit.Input {
	in.Nodes = slices.Clone(in.Nodes)
	for i := range in.Nodes {
		conditions := slices.Clone(in.Nodes[i].Conditions)
		for j := range conditions {
			if conditions[j].Since.After(in.Now) {
				conditions[j].Since = in.Now
			}
		}
		in.Nodes[i].Conditions = conditions
	}
	fresh := func(verdicts []probe.Verdict) (out []probe.Verdict) {
		for _, v := range verdicts {
			if v.StaleAt.After(in.Now) {
				v.StaleAt = time.Time{}
			}
			v.From = time.Time{}
			out = append(out, v)
		}
		return out
	}
	in.Pools, in.Verdicts = slices.Clone(in.Pools), fresh(in.Verdicts)
	for i := range in.Pools {
		in.Pools[i].Verdicts = fresh(in.Pools[i].Verdicts)
	}
	in.Groups = slices.Clone(in.Groups)
	for i := range in.Groups {
		in.Groups[i].Verdicts = fresh(in.Groups[i].Verdicts)
	}
	return in
}

func withNow(in disruptkit.Input, now time.Time) disruptkit.Input {
	in.Now = now
	return in
}

// alreadyAllowed reports whether a candidate's node may go for another of its reasons.
func alreadyAllowed(c candidate.Candidate) bool {
	return slices.ContainsFunc(c.Blockers, func(b candidate.Blocker) bool { return b.Code == candidate.CodeAlreadyAllowed && !b.Later })
}
