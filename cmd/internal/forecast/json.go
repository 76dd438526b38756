package forecast

import (
	"io"
	"reflect"
	"slices"
	"time"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/internal/expiring"
	"github.com/disruptkit/disruptkit/cmd/internal/wire"
	"github.com/disruptkit/disruptkit/cmd/manifest"
	"github.com/disruptkit/disruptkit/schedule"
)

// A jsonReport is the answer for programs, as schema/forecast.json describes it. Numbers are what is allowed, and null is no limit.
type jsonReport struct {
	Version      string     `json:"version"` // of this format
	As           string     `json:"as"`      // the engine that this is for: karpenter, guard, steward or disruptkit
	Zone         string     `json:"zone"`
	Nodes        int        `json:"nodes"`
	NodesAssumed bool       `json:"nodesAssumed"` // the number is unknown
	Pools        []jsonPool `json:"pools"`
	Faults       []string   `json:"faults"` // of what is no pool, and cannot be read
}

type jsonPool struct {
	Name     string                      `json:"name"`
	Nodes    int                         `json:"nodes"`
	Assumed  bool                        `json:"nodesAssumed"`
	Expires  []jsonExpiry                `json:"expires"` // nodes of the input that expire meanwhile, whatever budgets say
	Budgets  []string                    `json:"budgets"` // in words; findings and segments have their positions
	Written  []wire.Budget               `json:"written"` // the same in fields
	Never    map[candidate.Reason]string `json:"never"`   // why no node is disrupted, whatever the budgets allow
	Segments []jsonSegment               `json:"segments"`
	Findings []JSONFinding               `json:"findings"`
}

type jsonExpiry struct {
	Node string    `json:"node"`
	At   time.Time `json:"at"`
}

type jsonSegment struct {
	From    time.Time                  `json:"from"`
	To      time.Time                  `json:"to"`
	Allowed map[candidate.Reason]*int  `json:"allowed"`
	Binding map[candidate.Reason][]int `json:"binding"`
	Paces   map[candidate.Reason][]int `json:"paces,omitempty"` // what limits how many nodes start within some time
	Events  []jsonEvent                `json:"events,omitempty"`
}

// A jsonEvent is what takes place in the calendar of a budget that binds, or a pause, and blocks some reasons. It may begin before the
// segment, and end after it.
type jsonEvent struct {
	Name    string             `json:"name"`
	Budget  *int               `json:"budget,omitempty"` // null is a pause
	Reasons []candidate.Reason `json:"reasons"`
	From    *time.Time         `json:"from"`
	To      *time.Time         `json:"to"`
}

func printJSON(w io.Writer, r report) error {
	return wire.Print(w, jsonReport{
		Version: "1", As: r.Policy.As.String(), Zone: r.zone.String(), Nodes: r.Nodes, NodesAssumed: r.Assumed,
		Pools:  wire.Each(r.pools, (*pool).json),
		Faults: wire.Each(r.faults, manifest.Fault.Error),
	})
}

func (p *pool) json() jsonPool {
	j := jsonPool{
		Name: p.Name, Nodes: p.nodes, Assumed: p.assumed, Budgets: p.words(),
		Expires: wire.Each(p.expires, func(n expiring.Node) jsonExpiry { return jsonExpiry{n.Name, n.At.UTC()} }),
		Written: p.written(), Never: map[candidate.Reason]string{},
		Segments: wire.Each(p.joined(), p.jsonSegment),
		Findings: wire.Each(p.findings, Finding.JSON),
	}
	for _, reason := range p.reasons {
		if why := p.never(reason); why != "" {
			j.Never[reason] = why
		}
	}
	return j
}

// written returns the budgets of words.
func (p *pool) written() []wire.Budget {
	if p.rejected() {
		return []wire.Budget{}
	}
	budgets := wire.Budgets(p.budgets)
	for i := range p.unread().All() {
		budgets[i].Broken = true
	}
	return budgets
}

func (p *pool) jsonSegment(s moment) jsonSegment {
	j := jsonSegment{
		From: s.Start.UTC(), To: s.End.UTC(),
		Allowed: map[candidate.Reason]*int{}, Binding: map[candidate.Reason][]int{}, Events: p.jsonEvents(s),
	}
	for reason, allowance := range s.allowed {
		j.Allowed[reason], j.Binding[reason] = wire.Number(allowance.Nodes), positions(allowance.Binding)
	}
	for reason, paces := range s.paces {
		if j.Paces == nil {
			j.Paces = map[candidate.Reason][]int{}
		}
		j.Paces[reason] = positions(paces)
	}
	return j
}

// jsonEvents returns what takes place within a segment, in the order of the budgets, and then pauses.
func (p *pool) jsonEvents(s moment) (all []jsonEvent) {
	add := func(e schedule.Event, budget *int, reason candidate.Reason) {
		j := jsonEvent{e.Name, budget, nil, wire.Time(e.Start), wire.Time(e.End)}
		same := slices.IndexFunc(all, func(a jsonEvent) bool {
			a.Reasons = nil
			return reflect.DeepEqual(a, j)
		})
		if same < 0 {
			same, all = len(all), append(all, j)
		}
		if !slices.Contains(all[same].Reasons, reason) {
			all[same].Reasons = append(all[same].Reasons, reason)
		}
	}
	for i := range p.budgets.Budgets() {
		for _, reason := range p.reasons {
			if (s.allowed[reason].Binding | s.paces[reason]).Has(i) {
				for _, e := range p.budgets.Events(i, s.Span) {
					add(e, &i, reason)
				}
			}
		}
	}
	for _, reason := range p.reasons {
		for _, e := range p.pausedWithin(reason, s.Span) {
			add(e, nil, reason)
		}
	}
	return all
}

// positions returns a list that is not null.
func positions(budgets budget.Indexes) []int { return slices.AppendSeq([]int{}, budgets.All()) }
