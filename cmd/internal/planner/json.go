package planner

import (
	"io"
	"slices"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/internal/wire"
	"github.com/disruptkit/disruptkit/cmd/manifest"
	"github.com/disruptkit/disruptkit/plan"
)

// The types below are the JSON that -o json prints. It is stable: fields are only added. Lists are never null; times are RFC 3339 in UTC, or
// null where there is none; durations are in seconds. See cmd/schema/plan.json.
type (
	jsonReport struct {
		Version string      `json:"version"`
		As      string      `json:"as"` // karpenter, guard or disruptkit: for whom this is the plan
		Plan    jsonPlan    `json:"plan"`
		WhatIf  *jsonPlan   `json:"whatIf"`
		Trials  []jsonTrial `json:"trials"` // the most helpful first
		Needed  *jsonNeeded `json:"needed"` // null: nobody asks
		Missing []string    `json:"missing"`
	}
	jsonNeeded struct {
		By    *time.Time  `json:"by"`
		Runs  jsonPart    `json:"runs"`
		Pools []jsonNeeds `json:"pools"` // those that are too late
	}
	jsonPart struct {
		All  int `json:"all"`
		Done int `json:"done"` // by then
	}
	jsonNeeds struct {
		Pool      string      `json:"pool"`
		Changes   []jsonTrial `json:"changes"`   // each is enough by itself, in nine of ten runs
		Unlimited *time.Time  `json:"unlimited"` // when it is done without any budget; null: not within the horizon
		Alone     []jsonWait  `json:"alone"`     // what takes too long by itself, and how long
	}
	jsonPlan struct {
		From        *time.Time      `json:"from"`
		Horizon     *time.Time      `json:"horizon"`
		Finish      *time.Time      `json:"finish"`
		Range       *jsonRange      `json:"range"`   // null: nothing depends on chance
		Stopped     bool            `json:"stopped"` // it ends early, at the horizon, since it would take too many decisions
		Decisions   int             `json:"decisions"`
		NodePools   []wire.NodePool `json:"nodePools"` // the budgets to which positions refer
		Pools       []jsonPool      `json:"pools"`
		Groups      []jsonGroup     `json:"groups"`
		Nodes       []jsonNode      `json:"nodes"`
		Expiring    []jsonNode      `json:"expiring"` // further nodes, which expire before those are done
		Turns       []jsonTurn      `json:"turns"`
		Closed      []jsonClosing   `json:"closed"`
		Moves       jsonMoves       `json:"moves"`
		Assumptions []string        `json:"assumptions"`
	}
	jsonRange struct {
		Runs int `json:"runs"`
		plan.Spread
		Pools []jsonPoolRange `json:"pools"`
		Last  jsonLast        `json:"last"`
	}
	jsonPoolRange struct {
		Name string `json:"name"`
		plan.Spread
	}
	jsonLast struct {
		Runs  int    `json:"runs"` // the slowest tenth of all
		Nodes []most `json:"nodes"`
		PDBs  []most `json:"podDisruptionBudgets"`
	}
	jsonCount struct {
		Nodes    int `json:"nodes"`
		Done     int `json:"done"`
		Open     int `json:"open"` // not within the horizon
		NeverEnd int `json:"never"`
		Expire   int `json:"onlyExpire"` // go only because they expire
		Late     int `json:"late"`       // of nodes, how many miss their deadlines
		// LateBy is the most by which a node that is disrupted misses its deadline, in seconds.
		LateBy float64 `json:"lateBy"`
	}
	jsonPool struct {
		Name string `json:"name"`
		jsonCount
		Start  *time.Time `json:"start"`
		Finish *time.Time `json:"finish"`
		Clock  []jsonWait `json:"clock"` // where the time goes; it adds up
	}
	jsonGroup struct {
		Pool   string           `json:"pool"`
		Zone   string           `json:"zone"`
		Reason candidate.Reason `json:"reason"`
		jsonCount
		Start  *time.Time `json:"start"`
		Finish *time.Time `json:"finish"`
	}
	jsonNode struct {
		Name     string           `json:"name"`
		Pool     string           `json:"pool"`
		Zone     string           `json:"zone"`
		Reason   candidate.Reason `json:"reason"`
		Outcome  plan.Outcome     `json:"outcome"`
		Start    *time.Time       `json:"start"`
		Ready    *time.Time       `json:"ready"`
		Gone     *time.Time       `json:"gone"`
		Expires  *time.Time       `json:"expires"`
		Deadline *time.Time       `json:"deadline"`
		Late     bool             `json:"late"`   // it is not gone by its deadline
		LateBy   float64          `json:"lateBy"` // seconds; 0 if it is unknown, or never
		Waits    []jsonWait       `json:"waits"`
		Queue    *jsonWait        `json:"queue"`              // how long its last pod waits for its eviction while it drains
		Blockers []wire.Blocker   `json:"blockers"`           // of one that is not done
		InFlight bool             `json:"inFlight,omitempty"` // when the plan begins
		Killed   *time.Time       `json:"killed,omitempty"`   // when its grace period ends, if pods hold up its drain until then
	}
	jsonWait struct {
		Gate    candidate.Gate `json:"gate"`
		Code    candidate.Code `json:"code"`
		Cause   string         `json:"cause"`   // in words
		Budgets []int          `json:"budgets"` // that it names, as positions in nodePools
		PDB     *string        `json:"podDisruptionBudget"`
		Seconds float64        `json:"seconds"`
	}
	jsonTurn struct {
		Pool   string     `json:"pool"`
		Key    string     `json:"key"`
		Domain string     `json:"domain"`
		From   *time.Time `json:"from"`
		To     *time.Time `json:"to"`
	}
	jsonClosing struct {
		Pool    string           `json:"pool"`
		Reason  candidate.Reason `json:"reason"`
		Cause   string           `json:"cause"`   // in words
		Budgets []int            `json:"budgets"` // that it names, as positions in nodePools
		From    *time.Time       `json:"from"`
		To      *time.Time       `json:"to"`
	}
	jsonTrial struct {
		Change  string     `json:"change"`
		Finish  *time.Time `json:"finish"`
		Earlier float64    `json:"earlier"` // seconds
		Done    int        `json:"done"`    // how many more nodes
		Late    int        `json:"late"`    // how many more nodes miss their deadlines
		Harm    string     `json:"harm"`    // mends, adjusts or removes
	}
)

func printJSON(w io.Writer, r report) error {
	out := jsonReport{Version: "3", As: r.Policy.As.String(), Plan: newJSONPlan(r.plans[0]), Missing: kinds(r.missing), Trials: wire.Each(r.tried(), newJSONTrial),
		Needed: newJSONNeeded(r.needed)}
	if len(r.plans) > 1 {
		other := newJSONPlan(r.plans[1])
		out.WhatIf = &other
	}
	return wire.Print(w, out)
}

func kinds(missing []manifest.Missing) []string {
	return wire.Each(missing, func(m manifest.Missing) string { return m.Kind })
}

func newJSONPlan(planned planned) jsonPlan {
	p := planned.plan
	return jsonPlan{
		From: wire.Time(p.From), Horizon: wire.Time(p.Horizon), Finish: wire.Time(p.Finish), Range: newJSONRange(planned.runs), Stopped: p.Stopped, Decisions: p.Decisions,
		NodePools: wire.NodePools(planned.cluster, planned.in.Pools),
		Pools: wire.Each(p.Pools, func(q plan.Pool) jsonPool {
			return jsonPool{q.Name, newJSONCount(q.Count), wire.Time(q.Start), wire.Time(q.Finish), wire.Each(q.Clock, newJSONWait)}
		}),
		Groups: wire.Each(p.Groups, func(g plan.Group) jsonGroup {
			return jsonGroup{g.Pool, g.Zone, g.Reason, newJSONCount(g.Count), wire.Time(g.Start), wire.Time(g.Finish)}
		}),
		Nodes: wire.Each(p.Nodes, newJSONNode), Expiring: wire.Each(p.Expiring, newJSONNode),
		Turns: wire.Each(p.Turns, func(t plan.Turn) jsonTurn {
			return jsonTurn{t.Pool, t.Key, t.Domain, wire.Time(t.From), wire.Time(t.To)}
		}),
		Closed: wire.Each(p.Closed, func(c plan.Closing) jsonClosing {
			return jsonClosing{c.Pool, c.Reason, c.Cause, slices.AppendSeq([]int{}, c.Budgets.All()), wire.Time(c.From), wire.Time(c.To)}
		}),
		Moves: planned.moves(), Assumptions: append([]string{}, p.Assumptions...),
	}
}

func newJSONNode(n plan.Node) jsonNode {
	return jsonNode{
		n.Name, n.Pool, n.Zone, n.Reason, n.Outcome, wire.Time(n.Start), wire.Time(n.Ready), wire.Time(n.Gone), wire.Time(n.Expires),
		wire.Time(n.Deadline), n.Late, n.LateBy().Seconds(),
		wire.Each(n.Waits, newJSONWait), waitOrNull(n.Queue),
		wire.Each(n.Blockers, wire.NewBlocker), n.InFlight, wire.Time(n.Killed),
	}
}

func newJSONCount(c plan.Count) jsonCount {
	return jsonCount{c.Nodes, c.Done, c.ToGo, c.Never, c.OnlyExpire, c.Late, c.LateBy.Seconds()}
}

func newJSONWait(w plan.Wait) jsonWait {
	j := jsonWait{Gate: w.Gate, Code: w.Code, Cause: w.Cause, Budgets: slices.AppendSeq([]int{}, w.Budgets.All()), Seconds: w.For.Seconds()}
	if w.PDB != "" {
		j.PDB = &w.PDB
	}
	return j
}

// waitOrNull returns a wait; null: nothing waits.
func waitOrNull(w plan.Wait) *jsonWait {
	if w.For == 0 {
		return nil
	}
	j := newJSONWait(w)
	return &j
}

func newJSONRange(r plan.Range) *jsonRange {
	if len(r.Draws) <= 1 {
		return nil
	}
	pool := func(p plan.PoolRange) jsonPoolRange { return jsonPoolRange{p.Name, inZone(p.Finish, time.UTC)} }
	slow, nodes, pdbs := slowest(r)
	return &jsonRange{len(r.Draws), inZone(r.Finish, time.UTC), wire.Each(r.Pools, pool), jsonLast{slow, append([]most{}, nodes...), append([]most{}, pdbs...)}}
}

// harms are the words for what a change risks.
var harms = map[plan.Harm]string{plan.Mends: "mends", plan.Adjusts: "adjusts", plan.Removes: "removes"}

func newJSONTrial(t plan.Trial) jsonTrial {
	return jsonTrial{t.Change, wire.Time(t.Comparison.Finish), t.Comparison.Gain().Seconds(), t.Comparison.Done, t.Comparison.Late, harms[t.Harm]}
}

func newJSONNeeded(n needed) *jsonNeeded {
	if n.by.IsZero() {
		return nil
	}
	return &jsonNeeded{By: wire.Time(n.by), Runs: jsonPart{n.all, n.runs}, Pools: wire.Each(n.pools, func(p plan.Need) jsonNeeds {
		changes := wire.Each(p.Changes, func(c plan.Change) jsonTrial { return newJSONTrial(c.Trial) })
		return jsonNeeds{p.Pool, changes, wire.Time(p.Unlimited), wire.Each(p.Alone, newJSONWait)}
	})}
}
