package decide

import (
	"io"
	"slices"
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/internal/explain"
	"github.com/disruptkit/disruptkit/cmd/internal/wire"
	"github.com/disruptkit/disruptkit/cmd/manifest"
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
		Steward   *jsonMark       `json:"steward,omitempty"`
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
		Reason   candidate.Reason `json:"reason"`
		Since    *time.Time       `json:"since"`
		Allowed  bool             `json:"allowed"`          // it may go now
		Until    *time.Time       `json:"until"`            // until when it may
		Caveat   string           `json:"caveat,omitempty"` // what that means, where it does not mean that it will go
		Said     *jsonEvent       `json:"said,omitempty"`   // by Karpenter, where that is about the reason
		Blockers []jsonHold       `json:"blockers"`
	}
	jsonHold struct {
		wire.Blocker
		Lifts  string `json:"lifts"` // by time, by event or by change
		Advice string `json:"advice"`
	}
)

// liftsBy are the words for how a blocker lifts.
var liftsBy = map[int]string{byTime: "time", byEvent: "event", bySomebody: "change"}

func (s stay) printJSON(w io.Writer) error {
	j := jsonStay{
		Version: "1", As: s.as.String(), Now: wire.Time(s.in.Now),
		Missing: wire.Each(s.missing, func(m manifest.Missing) jsonMissing { return jsonMissing{m.Kind, m.Message, m.Suspected} }),
		Node:    s.node.Name, Pool: s.node.Pool, NodePools: []wire.NodePool{},
		Reasons: wire.Each(s.fates, s.json),
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
		holder := map[manifest.Holder]string{manifest.Nobody: "nobody", manifest.Steward: "steward", manifest.Somebody: "somebody"}
		j.Steward = &jsonMark{m.Takes, holder[m.Disrupt], holder[m.Repair], m.Why, m.For, wire.Time(m.Until), s.marks(m)}
	}
	return wire.Print(w, j)
}

func (s stay) json(f fate) jsonFate {
	return jsonFate{f.Reason, wire.Time(f.Since), f.free(), wire.Time(f.Until), caveat(f.Reason), s.jsonSaid(f.Candidate), wire.Each(f.Blockers, func(b candidate.Blocker) jsonHold {
		return jsonHold{wire.NewBlocker(b), liftsBy[lifts(b)], explain.Advice(b.Gate, b.Code)}
	})}
}
