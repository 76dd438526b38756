package planner

import (
	"io"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/internal/wire"
)

// The types below are the JSON that status -o json prints, as schema/status.json describes it. It is stable: fields are only added.
type (
	jsonStatus struct {
		Version   string             `json:"version"`
		As        string             `json:"as"`
		Now       *time.Time         `json:"now"`
		Reasons   []candidate.Reason `json:"reasons"` // of the nodes that the roll is of
		Guesses   string             `json:"guesses"` // the durations that nobody has given or measured, in words; "": none
		Measured  string             `json:"measured"`
		Horizon   *time.Time         `json:"horizon"` // the end of the plan
		NodePools []jsonRolledPool   `json:"nodePools"`
		Policies  []jsonRolledPart   `json:"disruptionPolicies"`
		Missing   []string           `json:"missing"` // kinds
		Ended     *conclusion        `json:"ended"`   // null: nobody waits
	}
	jsonRolledPool struct {
		Revision jsonRevision `json:"revision"`
		jsonRolledPart
		IdleSince *time.Time      `json:"idleSince"`          // since when nothing moves, although nodes may be disrupted; null: something does
		Expiring  []wire.Expiring `json:"expiring,omitempty"` // within a week
	}
	jsonRevision struct {
		Hash       *string  `json:"hash"`
		Generation *int64   `json:"generation"`
		Unseen     bool     `json:"unseen"`   // Karpenter has yet to look at the generation
		Unmarked   []string `json:"unmarked"` // nodes of another hash that Karpenter has not marked as Drifted
	}
	jsonRolledPart struct {
		Name string `json:"name"`
		jsonRolled
		Stuck []jsonStuck  `json:"stuck"` // what keeps nodes, most nodes first
		Zones []jsonRolled `json:"zones"`
	}
	jsonRolled struct {
		Zone  *string `json:"zone,omitempty"` // of a zone; "": its nodes have no label
		State state   `json:"state"`
		Tally
		NextStart *jsonNextNode `json:"nextStart"` // null: no node is to start
		Finish    *jsonSpread   `json:"finish"`    // of the nodes that are disrupted; null: none is left, or none is
	}
	jsonNextNode struct {
		At       *time.Time `json:"at"`
		WaitsFor *jsonWait  `json:"waitsFor"` // null: it may start now
	}
	jsonStuck struct {
		Nodes   []string   `json:"nodes"`
		Code    string     `json:"code"`
		Message string     `json:"message"`
		Since   *time.Time `json:"since"`
	}
)

func printStatusJSON(w io.Writer, o overview) error {
	j := jsonStatus{
		Version: "1", As: o.as.String(), Now: wire.Time(o.now), Reasons: append([]candidate.Reason{}, o.reasons...), Guesses: o.guesses, Measured: o.measured,
		Horizon: wire.Time(o.plan.Horizon), NodePools: wire.Each(o.pools, o.jsonPool), Policies: wire.Each(o.policies, o.jsonPart),
		Missing: kinds(o.missing), Ended: o.ended,
	}
	return wire.Print(w, j)
}

func (o overview) jsonPool(r standing) jsonRolledPool {
	j := jsonRolledPool{jsonRevision{Unseen: r.revision.Unseen, Unmarked: append([]string{}, r.revision.Unmarked...)}, o.jsonPart(r), wire.Time(r.idle), wire.Each(r.expiring, wire.NewExpiring)}
	if r.revision.Hash != "" {
		j.Revision.Hash = &r.revision.Hash
	}
	if r.revision.Generation > 0 {
		j.Revision.Generation = &r.revision.Generation
	}
	return j
}

func (o overview) jsonPart(r standing) jsonRolledPart {
	return jsonRolledPart{r.name, o.jsonRolled(r), wire.Each(r.stuck, newJSONStuck), wire.Each(r.zones, func(zone standing) jsonRolled {
		j := o.jsonRolled(zone)
		j.Zone = &zone.name
		return j
	})}
}

func newJSONStuck(s stuck) jsonStuck { return jsonStuck{s.nodes, s.code, s.why, wire.Time(s.since)} }

func (o overview) jsonRolled(r standing) jsonRolled {
	j := jsonRolled{State: r.state(o.now), Tally: r.Tally}
	if !r.next.at.IsZero() {
		j.NextStart = &jsonNextNode{wire.Time(r.next.at), waitOrNull(r.next.cause)}
	}
	if !r.eta.Early.IsZero() {
		finish := newJSONSpread(r.eta)
		j.Finish = &finish
	}
	return j
}
