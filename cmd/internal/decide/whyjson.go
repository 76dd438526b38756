package decide

import (
	"io"
	"slices"
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/annotation"
	"github.com/disruptkit/disruptkit/cmd/internal/wire"
	"github.com/disruptkit/disruptkit/plan"
)

// The types below are the JSON that why -o json prints, as schema/why.json describes it. It is stable: fields are only added.
type (
	jsonStay struct {
		Version   string          `json:"version"`
		As        string          `json:"as"`
		Now       *time.Time      `json:"now"`
		Missing   []jsonMissing   `json:"missing"`
		Node      string          `json:"node"`
		Pool      string          `json:"pool"` // "": none
		NodePools []wire.NodePool `json:"nodePools"`
		Policies  []wire.NodePool `json:"disruptionPolicies,omitempty"` // those that select its pool
		Reasons   []jsonFate      `json:"reasons"`                      // for which somebody wants it gone
		IfDrifted *jsonFate       `json:"ifDrifted"`                    // null where there are reasons
		Expected  *jsonExpected   `json:"expected"`                     // null: it may be disrupted now, or no plan is made
		Steward   *jsonMark       `json:"steward,omitempty"`
		Expires   *time.Time      `json:"expires,omitempty"` // absent: never, or it is in flight
		Standing  *jsonStanding   `json:"standing,omitempty"`
	}
	// A jsonStanding is how the node is.
	jsonStanding struct {
		InFlight bool `json:"inFlight"`
		Draining bool `json:"draining"`
		NotReady bool `json:"notReady"`
		Cordoned bool `json:"cordoned"`
		// Interrupted reports why the cloud takes its instance away; absent: it does not, as far as known.
		Interrupted string     `json:"interrupted,omitempty"`
		Since       *time.Time `json:"since,omitempty"`
	}
	// A jsonMark is what the steward has written on the node, and what somebody else has.
	jsonMark struct {
		TakesPart     bool       `json:"takesPart"`
		Held          string     `json:"held"`       // by nobody, steward or somebody
		RepairHeld    string     `json:"repairHeld"` // likewise
		Why           string     `json:"why,omitempty"`
		ReleasedFor   string     `json:"releasedFor,omitempty"`
		ReleasedUntil *time.Time `json:"releasedUntil"` // null: never
		Says          []string   `json:"says"`
	}
	jsonFate struct {
		Reason candidate.Reason `json:"reason"`
		wire.Unit
		Why       string     `json:"why,omitempty"` // in the words of whoever asks
		Since     *time.Time `json:"since"`
		Allowed   bool       `json:"allowed"`          // it may be disrupted now
		Until     *time.Time `json:"until"`            // it may be at least until then, unless a node ahead in line is allowed first
		NotBefore *time.Time `json:"notBefore"`        // the last until of its blockers; null: time alone lifts none
		Place     *place     `json:"place"`            // null: it is not in line
		Caveat    string     `json:"caveat,omitempty"` // what that means, where it does not mean that it will be disrupted
		Said      *jsonEvent `json:"said,omitempty"`   // by Karpenter, where that is about the reason
		Blockers  []jsonHold `json:"blockers"`
		Despite   []string   `json:"despite,omitempty"` // what holds up its drain until its grace period ends
	}
	// A jsonExpected is when a plan expects the node to be disrupted.
	jsonExpected struct {
		Outcome plan.Outcome `json:"outcome"` // open, if it is not within the horizon, or not computed
		Start   *time.Time   `json:"start"`   // in the run in the middle
		Early   *time.Time   `json:"early"`   // 8 of 10 runs are between early and late
		Late    *time.Time   `json:"late"`
		Runs    int          `json:"runs"`
		Stopped bool         `json:"stopped"` // to plan it would take too long
		Says    string       `json:"says"`
	}
	jsonHold struct {
		wire.Blocker
		Lifts  string   `json:"lifts"` // by time, by event or by change
		Advice string   `json:"advice"`
		UsedBy []string `json:"usedBy,omitempty"` // the nodes that use up a budget, and why
	}
)

// liftsBy are the words for how a blocker lifts.
var liftsBy = map[int]string{byTime: "time", byEvent: "event", bySomebody: "change"}

func (s stay) printJSON(w io.Writer) error {
	j := jsonStay{
		Version: "2", As: s.as.String(), Now: wire.Time(s.in.Now),
		Missing: wire.Each(s.missing, newJSONMissing),
		Node:    s.node.Name, Pool: s.node.Pool, NodePools: []wire.NodePool{},
		Reasons: wire.Each(s.fates, s.json), Expires: wire.Time(s.expires()), Standing: s.standing(),
	}
	for _, p := range s.in.Pools {
		if p.Name == s.node.Pool {
			j.NodePools = wire.NodePools(s.cluster, []disruptkit.Pool{p})
		}
	}
	for _, g := range s.in.Groups {
		if slices.Contains(g.Pools, s.node.Pool) {
			j.Policies = append(j.Policies, wire.Policies([]disruptkit.Group{g})...)
		}
	}
	if s.ifDrifted != nil {
		j.IfDrifted = new(s.json(*s.ifDrifted))
	}
	if m, there := s.cluster.Mark(s.node); there {
		holder := map[annotation.Veto]string{annotation.None: "nobody", annotation.Ours: "steward", annotation.Theirs: "somebody"}
		j.Steward = &jsonMark{m.Takes, holder[m.Disrupt], holder[m.Repair], m.Why, m.For, wire.Time(m.Until), s.marks(m)}
	}
	if e := s.expected; e != nil {
		j.Expected = &jsonExpected{e.Outcome, wire.Time(e.Start), wire.Time(e.Starts.Early), wire.Time(e.Starts.Late), e.Runs, e.Stopped, s.expectation()}
	}
	return wire.Print(w, j)
}

func (s stay) json(f fate) jsonFate {
	return jsonFate{f.Reason, wire.NewUnit(f.Candidate), s.why(f), wire.Time(f.Since), f.free(), wire.Time(f.Until), wire.Time(notBefore(f.Blockers)), f.place, caveat(f.Reason), s.jsonSaid(f.Candidate), wire.Each(f.Blockers, func(b candidate.Blocker) jsonHold {
		return jsonHold{wire.NewBlocker(b), liftsBy[lifts(b)], s.advice(b, f), s.usersOf(b, f)}
	}), s.overridden(f)}
}

// overridden describes what holds up the drain of a node that may be disrupted although it does.
func (s stay) overridden(f fate) []string {
	if !f.free() {
		return nil
	}
	return messages(s.holds(s.node.Name))
}

// standing returns how the node is; nil: there is nothing to say.
func (s stay) standing() *jsonStanding {
	t := s.cluster.Standing(s.node)
	j := jsonStanding{InFlight: s.node.InFlight(), Draining: t.Begun, NotReady: t.NotReady, Cordoned: t.Cordoned,
		Interrupted: t.Interrupted}
	if j == (jsonStanding{}) {
		return nil
	}
	switch {
	case t.Begun:
		j.Since = wire.Time(t.Deleted)
	case t.Going:
		j.Since = wire.Time(t.Disrupted)
	case t.NotReady:
		j.Since = wire.Time(t.Since)
	}
	return &j
}
