package planner

import (
	"cmp"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/engine"
	"github.com/disruptkit/disruptkit/cmd/internal/choose"
	"github.com/disruptkit/disruptkit/cmd/internal/expiring"
	"github.com/disruptkit/disruptkit/cmd/manifest"
	rolls "github.com/disruptkit/disruptkit/cmd/standing"
	"github.com/disruptkit/disruptkit/dialect"
	"github.com/disruptkit/disruptkit/internal/wording"
	"github.com/disruptkit/disruptkit/plan"
	"github.com/disruptkit/disruptkit/schedule"
)

// An overview is how far rolls are at a time. Its JSON, which status -o json prints, is stable: fields are only added. Lists are never null, and
// what is not known is absent: see schema/status.json.
type overview struct {
	Version  string             `json:"version"`
	As       engine.Engine      `json:"as"`
	Now      time.Time          `json:"now"`
	Reasons  []candidate.Reason `json:"reasons"`            // of the nodes that the roll is of
	Guesses  string             `json:"guesses"`            // see defaults
	Measured string             `json:"measured"`           // see measured.String
	Horizon  time.Time          `json:"horizon"`            // the end of the plan
	Pools    []standing         `json:"nodePools"`          // that are asked for
	Policies []standing         `json:"disruptionPolicies"` // that select one of these
	Missing  []string           `json:"missing"`            // kinds
	Ended    *conclusion        `json:"ended,omitempty"`    // how a wait has ended

	plan     plan.Plan  // the run in the middle, of all that is in the cluster
	sample   plan.Range // of the nodes of these NodePools
	missing  []manifest.Missing
	warnings []candidate.Warning
	whole    bool // all is shown, however long it is
	scrolls  bool // what does not fit is seen by scrolling
	most     int  // how many NodePools are shown; 0: all
}

// asked reports whether a planned node is of a selected NodePool.
func (o overview) asked(n plan.Node) bool {
	return slices.ContainsFunc(o.Pools, func(r standing) bool { return r.Name == n.Pool })
}

// A standing is how far a NodePool, a DisruptionPolicy or a zone is.
type standing struct {
	Name  string `json:"name"` // "" is the zone of nodes without the label
	State state  `json:"state"`
	Tally
	Next   start       `json:"nextStart,omitzero"`
	Finish plan.Spread `json:"finish,omitzero"` // of the nodes that go by themselves; zero: unknown, or never
	Stuck  []stuck     `json:"stuck"`           // most nodes first
	Zones  []standing  `json:"zones"`           // none: there is only one

	// The fields below are of NodePools.
	Revision manifest.Revision `json:"revision,omitzero"`
	Idle     time.Time         `json:"idleSince,omitzero"` // see census.idleSince
	Expiring []expiring.Node   `json:"expiring,omitempty"` // within a week

	other     map[candidate.Reason]int // of the nodes that are new, how many are to go for reasons that the roll is not of
	unsettled []string                 // the nodes that are not Ready and not stuck, each with since when
	around    []string                 // see around; and the nodes that the cloud takes away
}

// A Tally counts nodes.
type Tally struct {
	Nodes      int `json:"nodes"`
	New        int `json:"new"`
	NotReady   int `json:"notReady"`
	InProgress int `json:"inProgress"`
	ToGo       int `json:"toGo"`
	StuckNodes int `json:"stuckNodes"`
	OnlyExpire int `json:"onlyExpire"` // of ToGo
}

// left is how many nodes a roll is still about.
func (r Tally) left() int { return r.NotReady + r.InProgress + r.ToGo }

// A start is when the next node of a standing is to start. The zero start is never, as far as is planned.
type start struct {
	At       time.Time `json:"at"`
	WaitsFor *jsonWait `json:"waitsFor"` // that comes before; null: it may start now
	cause    plan.Wait // the same
}

// A state is how a standing stands.
type state string

const (
	stateDone    state = "done"    // nothing is left
	stateStuck   state = "stuck"   // all that is left is stuck
	stateRolling state = "rolling" // nodes are in progress, or not Ready and not stuck, or may start now
	stateWaiting state = "waiting" // nodes are to go later, or Karpenter has yet to look at a change
)

func (r standing) state(now time.Time) state {
	switch left := r.left(); {
	case left == 0 && r.Revision.Unseen:
		return stateWaiting
	case left == 0:
		return stateDone
	case left == r.StuckNodes:
		return stateStuck
	case len(r.unsettled)+r.InProgress > 0 || !r.Next.At.IsZero() && !r.Next.At.After(now):
		return stateRolling
	}
	return stateWaiting
}

// A looker makes overviews of a cluster, one after the other, and remembers what they need.
type looker struct {
	*statusOptions
	measured *measured
	course   *watch               // the plan that the rolls are compared with
	revision map[string]string    // of the pools that it is of, by name
	began    map[string]time.Time // the roll of each pool; zero: that is unknown
	moved    map[string]time.Time // when a NodeClaim of each pool was created, chosen or deleted last, as far as is known
}

func newLooker(o *statusOptions) *looker {
	return &looker{statusOptions: o, began: map[string]time.Time{}, moved: map[string]time.Time{}}
}

// compare describes how rolls compare with their plan, which is new at first, and once the revision of a pool has changed: then they begin.
func (l *looker) compare(s snapshot, of overview) (text string, begins bool) {
	revisions := map[string]string{}
	begins = l.course == nil
	for _, r := range of.Pools {
		revisions[r.Name] = r.Revision.Hash
		begins = begins || l.revision[r.Name] != r.Revision.Hash
	}
	if begins {
		l.course, l.revision = newWatch(of.sample, s.in.Now), revisions
		return l.course.beginning(), true
	}
	return l.course.see(s.in, of.sample), false
}

// look makes an overview. It returns an error where it is unknown which nodes are to go.
func (l *looker) look(s snapshot) (overview, error) {
	for _, m := range s.cluster.Missing() {
		if !m.Suspected && m.Kind != "PodDisruptionBudget" {
			return overview{}, errors.New(m.Message)
		}
	}
	names := poolsOf(s.in)
	chosen, err := choose.Pools(l.pools, names)
	switch {
	case err != nil:
		return overview{}, err
	case len(names) == 0:
		return overview{}, errors.New("the cluster has no NodePool, so that nothing rolls in it")
	}
	if l.measured == nil {
		l.measured = newMeasured(s.in.Nodes, s.in.Now)
	}
	sample := l.sample(s, l.measured)
	of := overview{
		Version: "2", As: l.Policy.As, Now: s.in.Now, Reasons: l.model.Reasons, Guesses: defaults(s.in, l.measured.known(l.Given)), Measured: l.measured.String(),
		Horizon: sample.Plan.Horizon, Pools: []standing{}, Policies: []standing{}, Missing: kinds(s.cluster.Missing()),
		plan: sample.Plan, sample: sample, missing: s.cluster.Missing(), warnings: sample.Plan.Warnings, whole: l.verbose || len(l.pools) > 0,
	}
	c := l.census(s, sample)
	expire := expiring.Of(s.cluster, s.in, s.in.Now.Add(expiring.Week))
	chosenToo := func(pool string) bool { return slices.Contains(chosen, pool) }
	for _, name := range slices.Sorted(slices.Values(names)) {
		if chosenToo(name) {
			r := c.standing(name, []string{name}, c.revisionOf(name))
			r.Idle = c.idleSince(r)
			r.around = around(s.cluster, s.in, sample.Plan, func(pool, _ string) bool { return pool == name }, mostUsing)
			if text := s.cluster.Interrupted(only(s.in.Nodes, func(n candidate.Node) bool { return n.Pool == name })); text != "" {
				r.around = append(r.around, text)
			}
			r.Expiring = only(expire, func(n expiring.Node) bool { return n.Pool == name })
			of.Pools = append(of.Pools, r)
		}
	}
	for _, g := range s.in.Groups {
		if slices.ContainsFunc(g.Pools, chosenToo) {
			of.Policies = append(of.Policies, c.standing(g.Name, g.Pools, manifest.Revision{}))
		}
	}
	of.sample.Plan.Nodes = only(sample.Plan.Nodes, of.asked)
	return of, nil
}

// A census has the nodes that a roll is about, those that are to go last, and by name.
type census struct {
	*looker
	snapshot
	plans   plan.Range
	members []member

	pods    *candidate.PodGate // of drains
	planned map[string]plan.Node
	claims  map[string]manifest.Milestones // by node
	moves   map[string]bool                // the pools with a node that is not Ready or in progress, and not stuck
	frees   map[string]bool                // the PodDisruptionBudgets of the pods on these nodes
	could   map[string]bool                // see couldStart
	later   map[asked]outcome              // see decision
}

// zoneLabel is the label of zones.
const zoneLabel = "topology.kubernetes.io/zone"

// A member is a node that a roll is about.
type member struct {
	*candidate.Node
	kind  kind
	start plan.Node // as planned, of one that is to go
	since time.Time // since when one is not Ready
	stuck *stuck    // nil: it is not
}

// zone returns the zone of a node.
func (m member) zone() string { return m.Labels[zoneLabel] }

type kind int

const (
	isFresh   kind = iota
	isUnready      // it has no reason to go, and is not Ready yet, or not any more
	isGoing
	isToGo
)

// census counts the nodes of a snapshot.
func (l *looker) census(s snapshot, plans plan.Range) *census {
	rules := s.in.Rules
	rules.Dialect = dialect.Disruptkit // the API server asks the PodDisruptionBudgets of each pod
	c := &census{looker: l, snapshot: s, plans: plans, pods: candidate.OpenPods(rules, s.in.Now), planned: map[string]plan.Node{},
		claims: map[string]manifest.Milestones{}, moves: map[string]bool{}, frees: map[string]bool{}, later: map[asked]outcome{}}
	for i := range s.in.Nodes {
		n := &s.in.Nodes[i]
		l.begin(n)
		l.moved[n.Pool] = schedule.Last(l.moved[n.Pool], n.Created)
	}
	for pool, began := range l.began {
		l.moved[pool] = schedule.Last(l.moved[pool], began)
	}
	for _, m := range s.cluster.Milestones() {
		c.claims[m.Node] = m
		for _, at := range []time.Time{m.Created, m.Disrupted, m.Deleted} {
			l.moved[m.Pool] = schedule.Last(l.moved[m.Pool], at)
		}
	}
	unmarked := map[string]bool{}
	for _, p := range s.in.Pools {
		for _, name := range c.revisionOf(p.Name).Unmarked {
			unmarked[name] = true
		}
	}
	follows := map[string]bool{} // as planned, others of their units
	rolls := c.rolling()
	for _, n := range plans.Plan.Nodes {
		c.planned[n.Name] = c.endless(n, rolls)
		follows[n.Name] = !n.InFlight && l.isOf(n.Reason)
	}
	for _, toGo := range []bool{false, true} { // whether those are stuck depends on the others
		for i := range s.in.Nodes {
			n := &s.in.Nodes[i]
			k, counts := l.kind(n, unmarked[n.Name] || n.Unit != "" && follows[n.Name])
			if counts && toGo == (k == isToGo) {
				c.members = append(c.members, c.member(n, k))
			} else if _, lasts := c.unready(n); counts && !toGo && !n.Ready() && lasts == nil {
				c.givesBack(n)
			}
		}
	}
	slices.SortStableFunc(c.members, func(a, b member) int { return cmp.Or(cmp.Compare(a.kind, b.kind), strings.Compare(a.Name, b.Name)) })
	return c
}

// revisionOf returns the revision of a pool. Where the roll is not of nodes that drift, it does not matter which of them Karpenter has yet to mark.
func (c *census) revisionOf(pool string) manifest.Revision {
	r := c.cluster.Revision(pool)
	if !slices.ContainsFunc(c.model.Reasons, func(reason candidate.Reason) bool { return reason.Covers(candidate.Drifted) }) {
		r.Unmarked, r.Unseen = nil, false
	}
	return r
}

// begin records when the roll of a node's pool began: when the first of its nodes got a reason.
func (l *looker) begin(n *candidate.Node) {
	for i := range n.Conditions {
		c := &n.Conditions[i]
		if began, known := l.began[n.Pool]; l.isOf(c.Reason) && (!known || c.Since.Before(began)) {
			l.began[n.Pool] = c.Since
		}
	}
}

// isOf reports whether a roll is of nodes with a reason.
func (l *looker) isOf(reason candidate.Reason) bool {
	return slices.ContainsFunc(l.model.Reasons, func(r candidate.Reason) bool { return r == "" || r.Covers(reason) })
}

// other returns the reasons for which a node is to go that a roll is not of.
func (l *looker) other(n *candidate.Node) []candidate.Reason {
	return only(rolls.Rolls, func(r candidate.Reason) bool {
		return slices.ContainsFunc(n.Conditions, func(c candidate.Condition) bool { return r.Covers(c.Reason) && !l.isOf(c.Reason) })
	})
}

// kind returns what a node is in a roll, and whether it is in one: it has a pool, and is not in flight for another reason.
func (l *looker) kind(n *candidate.Node, unmarked bool) (k kind, counts bool) {
	has := slices.ContainsFunc(n.Conditions, func(c candidate.Condition) bool { return l.isOf(c.Reason) })
	began, rolls := l.began[n.Pool]
	switch {
	case n.Pool == "":
		return isFresh, false
	case n.InFlight():
		rolls := n.InFlightFor() == "" && n.Maintenance.Condition == ""
		return isGoing, has || rolls || l.isOf(n.InFlightFor())
	case has || unmarked:
		return isToGo, true
	case n.Phase.Joining(): // a node that other pods wait for is none of the roll
		return isUnready, rolls && !n.Created.Before(began)
	case n.Ready():
		return isFresh, true
	}
	return isUnready, true
}

// standing counts the nodes of some pools, in all zones and in each.
func (c *census) standing(name string, pools []string, revision manifest.Revision) standing {
	r := c.part(name, revision, func(pool, _ string) bool { return slices.Contains(pools, pool) })
	var zones []string
	for _, m := range c.members {
		if slices.Contains(pools, m.Pool) && !slices.Contains(zones, m.zone()) {
			zones = append(zones, m.zone())
		}
	}
	slices.Sort(zones)
	for _, zone := range zones {
		if len(zones) > 1 {
			r.Zones = append(r.Zones, c.part(zone, manifest.Revision{}, func(pool, in string) bool { return slices.Contains(pools, pool) && in == zone }))
		}
	}
	return r
}

// part counts the nodes of some pools and zones.
func (c *census) part(name string, revision manifest.Revision, of func(pool, zone string) bool) standing {
	r, now := standing{Name: name, Revision: revision, Stuck: []stuck{}, Zones: []standing{}, other: map[candidate.Reason]int{}}, c.in.Now
	members := only(c.members, func(m member) bool { return of(m.Pool, m.zone()) })
	for _, m := range members {
		r.Nodes++
		switch m.kind {
		case isFresh:
			r.New++
			for _, reason := range c.other(m.Node) {
				r.other[reason]++
			}
		case isUnready:
			r.NotReady++
			if m.stuck == nil {
				r.unsettled = append(r.unsettled, wording.Quote(m.Name)+" since "+day(m.since))
			}
		case isGoing:
			r.InProgress++
		case isToGo:
			r.ToGo++
		}
		if m.stuck != nil {
			r.StuckNodes++
			r.Stuck = m.stuck.join(r.Stuck)
		}
		if m.kind == isToGo && m.stuck == nil && m.start.OnlyExpires() {
			r.OnlyExpire++
		}
		r.Next = r.Next.or(m.start, now)
	}
	r.State = r.state(now)
	slices.SortStableFunc(r.Stuck, func(a, b stuck) int { return len(b.Nodes) - len(a.Nodes) })
	gives := func(m member) bool { return m.kind == isToGo && m.stuck == nil && m.start.Outcome == plan.Never }
	if r.left() > r.StuckNodes+r.OnlyExpire && !slices.ContainsFunc(members, gives) { // otherwise none of them is ever done, or the plan does not know when
		r.Finish = inZone(c.plans.Spread(func(g plan.Group) bool { return of(g.Pool, g.Zone) }), now.Location())
	}
	return r
}

// or returns the earlier of a start and that of a planned node that is disrupted by itself.
func (s start) or(n plan.Node, now time.Time) start {
	if n.Outcome != plan.Done || n.OnlyExpires() || n.Start.IsZero() || !s.At.IsZero() && !n.Start.Before(s.At) {
		return s
	}
	s = start{At: schedule.Last(n.Start, now)}
	if i := slices.IndexFunc(n.Waits, func(w plan.Wait) bool { return w.For > 0 }); i >= 0 {
		s.cause, s.WaitsFor = n.Waits[i], waitOrNull(n.Waits[i])
	}
	return s
}
