package steward

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/annotation"
	"github.com/disruptkit/disruptkit/cmd/replay"
)

const (
	// lasts is how long a release lasts. Karpenter looks for nodes to disrupt every 10 s.
	lasts = 90 * time.Second
	// lastsForConsolidation is how long one for consolidation does: Karpenter may sleep on that for 5 minutes.
	lastsForConsolidation = 7 * time.Minute
	// Skew is how far the clocks of the steward and of the API server may be apart.
	Skew = 10 * time.Second
	// early is how long before its end a release is taken back: Karpenter sees the hold before admission denies anything, whatever the
	// clocks say, also where its cache is a few seconds late.
	early = Skew + 5*time.Second
	// mostTold is on how many nodes a pass writes that the reason has changed for which they are held.
	mostTold = 50
)

// A Snapshot is what is known of a cluster.
type Snapshot struct {
	// Input has the NodePools that are opted in, with their memory, and all nodes: what the steward itself has written on a node is not
	// in it. It says DoNotDisrupt and DoNotRepair where somebody else has written them.
	Input disruptkit.Input
	// Marks are those of all Nodes, by name.
	Marks map[string]annotation.Mark
	// Releases are what the NodePools say was to be released, and when that ends, by pool and node. What is there is to be counted, whether
	// the node says so or not.
	Releases map[string]map[string]time.Time
	// Shared are the same of the policies that select NodePools, by Group.Key and node.
	Shared map[string]map[string]time.Time
	// Rests are those of nodes whose last release was not used.
	Rests map[string]Rest
	// Ages are those of nodes; what has expired has the reason in Input.
	Ages map[string]Age
	// Bystanders are the pools of Input that are not opted in, and that a policy selects: what of them is in flight counts.
	Bystanders map[string]bool
	// Enforced are the pools in which admission denies the disruption of nodes that have no release.
	Enforced map[string]bool
	// Soon is as in Options.
	Soon time.Duration
	// Dry reports that nothing is written, and so nothing is held: what is not held may be released all the same.
	Dry bool
}

// A Plan is what to do: store Groups and Pools first, then write what is to be written. If what a pool or one of its groups is to store
// cannot be stored, none of its nodes may be released. Nodes of a unit are released together or not at all.
type Plan struct {
	Pools  map[string]Stored
	Groups map[string]Stored // by Group.Key
	Writes []Write
	// Taints are the nodes that get annotation.SoonTaint (true), or lose it.
	Taints map[string]bool
	// Drift has the nodes whose NodeClaims must drift before they are released, and the reason of that (see MadeToDrift); and those whose
	// NodeClaims must not drift any more (""), which comes before all other writes.
	Drift map[string]candidate.Reason
	Rests map[string]Rest
	// Held are the pools whose nodes are all held, released, or in flight.
	Held map[string]bool
	// Next is when time alone may change the plan; zero: never.
	Next time.Time
}

// Stored is what a NodePool or a policy stores.
type Stored struct {
	Memory   disruptkit.Memory
	Releases map[string]time.Time // by node, when they end
}

// Decide decides what to do. It is a pure function.
func Decide(s Snapshot) Plan { return decide(s, nil) }

// decide is Decide, and records each decision that it makes on the way; nil: there is no recording.
func decide(s Snapshot, recording *replay.Recorder) Plan {
	s.Input.Nodes = candidate.Digest(s.Input.Rules, s.Input.Nodes)
	p := &planner{
		Snapshot: s, stored: s.Input.Memory, now: s.Input.Now, recording: recording,
		pools: map[string]bool{}, live: map[string]time.Time{}, kept: map[string]chosen{},
		teams: map[string]*team{}, unit: map[string]string{}, follows: map[string]bool{}, soon: map[string]bool{},
	}
	p.plan = Plan{Pools: map[string]Stored{}, Groups: map[string]Stored{}, Taints: map[string]bool{}, Drift: map[string]candidate.Reason{}, Rests: map[string]Rest{}, Held: map[string]bool{}}
	for _, pool := range s.Input.Pools {
		if !s.Bystanders[pool.Name] {
			p.pools[pool.Name], p.plan.Held[pool.Name] = true, true
		}
	}
	p.formTeams()
	p.settle()
	p.findReleased()
	p.date()
	p.keep()
	p.release()
	p.store()
	p.hold()
	p.taint()
	p.age()
	return p.plan
}

type planner struct {
	Snapshot
	stored    map[string]disruptkit.Memory // Input.Memory, before starts were dated
	now       time.Time
	recording *replay.Recorder
	plan      Plan
	pools     map[string]bool      // that are opted in
	live      map[string]time.Time // the nodes that Karpenter may disrupt, by name, and when that ends
	kept      map[string]chosen    // those of them that still may be disrupted
	after     choice               // what is released now, and the input once it is in flight
	teams     map[string]*team     // by unit
	unit      map[string]string    // of nodes that are not in flight
	follows   map[string]bool      // nodes that have not drifted, and are disrupted because of others of their units
	soon      map[string]bool      // nodes that may be disrupted soon
}

// findReleased finds the nodes that Karpenter may take. What is only said to be released counts as well: another steward may have died
// before it wrote that, or caches may be late.
func (p *planner) findReleased() {
	said := latest(slices.Concat(slices.Collect(maps.Values(p.Releases)), slices.Collect(maps.Values(p.Shared))))
	for i := range p.Input.Nodes {
		n := &p.Input.Nodes[i]
		until := said[n.Name]
		if mark := p.Marks[n.Name]; mark.Until.After(until) {
			until = mark.Until
		}
		if p.pools[n.Pool] && !n.InFlight() && until.Add(Skew).After(p.now) {
			p.live[n.Name] = until
		}
	}
}

// latest returns when the releases of nodes end, by all that has them.
func latest(releases []map[string]time.Time) map[string]time.Time {
	all := map[string]time.Time{}
	for _, of := range releases {
		for node, until := range of {
			if until.After(all[node]) {
				all[node] = until
			}
		}
	}
	return all
}

// date dates starts. A node that is released may start at any time: it starts now, until it is taken. When it is first seen in flight, or
// is gone, it has started now at the latest, and not after its release.
func (p *planner) date() {
	stays := map[string]bool{}
	for i := range p.Input.Nodes {
		stays[p.Input.Nodes[i].Name] = !p.Input.Nodes[i].InFlight()
	}
	released := map[string]time.Time{}
	for _, of := range p.Releases {
		maps.Copy(released, of)
	}
	p.Input.Memory = edited(p.Input.Memory, func(_ string, s disruptkit.Start) (disruptkit.Start, bool) {
		_, live := p.live[s.Node]
		until, was := released[s.Node]
		switch latest := until.Add(Skew); {
		case live, was && !stays[s.Node] && latest.After(p.now):
			s.At = p.now
		case was && !stays[s.Node] && latest.After(s.At):
			s.At = latest
		}
		return s, true
	})
}

// undated returns a start as a memory has it, if its node still may start at any time, so that nothing is written again and again.
func (p *planner) undated(key string, s disruptkit.Start) disruptkit.Start {
	if _, live := p.live[s.Node]; live {
		for _, was := range p.stored[key].Starts {
			if was.Node == s.Node {
				return was
			}
		}
	}
	return s
}

// inFlight returns the input with all that Karpenter may take in flight.
func (p *planner) inFlight(which func(name string) bool) disruptkit.Input {
	in := p.Input
	in.Nodes = slices.Clone(in.Nodes)
	for i := range in.Nodes {
		n := &in.Nodes[i]
		if _, live := p.live[n.Name]; live && which(n.Name) {
			n.Leaving, n.DisruptedFor = candidate.Draining, ""
			if reasons := voluntary(n); len(reasons) == 1 {
				n.DisruptedFor = reasons[0]
			}
		}
	}
	return in
}

// keep finds the releases that may go on. What they have started does not count against them.
func (p *planner) keep() {
	goesOn := func(name string) bool {
		until, live := p.live[name]
		left := until.Sub(p.now)
		undone := p.Rests[name].Times > 0 && p.Rests[name].Of.Equal(until) // nobody can use it: admission holds the node
		return live && left > early && left <= lastsForConsolidation+Skew && !undone
	}
	in := p.inFlight(func(name string) bool { return !goesOn(name) })
	in.Memory = edited(in.Memory, func(_ string, s disruptkit.Start) (disruptkit.Start, bool) { return s, !goesOn(s.Node) })
	in.Memory = vacated(in.Memory, goesOn)
	c := choose(p.recording, in, func(n *candidate.Node) bool { return goesOn(n.Name) })
	p.plan.Next = c.next
	for _, n := range c.nodes {
		p.kept[n.name] = n
		p.plan.Next = sooner(p.plan.Next, p.live[n.name].Add(-early))
	}
}

// release chooses what is released beside what is kept, in their order.
func (p *planner) release() {
	p.after = choice{in: p.inFlight(func(string) bool { return true })}
	rested := map[time.Time]bool{}
	turn, ends := p.order()
	for i := range p.Input.Nodes {
		n := &p.Input.Nodes[i]
		if rest := p.rest(n.Name); !rest.until().After(p.now) && len(n.Conditions) > 0 {
			rested[turn(n)] = true
		} else {
			p.plan.Next = sooner(p.plan.Next, rest.until())
		}
	}
	rested[time.Time{}] = true
	since := slices.SortedFunc(maps.Keys(rested), time.Time.Compare)
	const mostRounds = 10 // the rest waits for the next pass
	in := p.after.in
	for _, at := range since[:min(len(since), mostRounds)] {
		c := choose(p.recording, in, func(n *candidate.Node) bool {
			return turn(n).Equal(at) && !p.rest(n.Name).until().After(p.now) && !ends(n) && p.releasable(n)
		})
		p.after.nodes = append(p.after.nodes, c.nodes...)
		p.plan.Next = sooner(p.plan.Next, c.next)
		if at.IsZero() || len(c.nodes) > 0 { // else the others were only not asked
			in.Memory = c.in.Memory
		}
		in.Nodes = slices.Clone(in.Nodes)
		for i := range in.Nodes { // in flight, but without what was only not chosen in this pass
			in.Nodes[i].Leaving, in.Nodes[i].DisruptedFor = c.in.Nodes[i].Leaving, c.in.Nodes[i].DisruptedFor
		}
	}
	p.after.in = in
}

// releasable reports whether a release of a node makes sense: one that is not held yet needs that first.
func (p *planner) releasable(n *candidate.Node) bool {
	mark, there := p.Marks[n.Name]
	return p.pools[n.Pool] && there && (mark.Held() || p.Dry) && !p.parts(n.Name)
}

// until returns when a release that is made now ends.
func (p *planner) until(n chosen) time.Time {
	d := lasts
	if slices.Contains(n.reasons, candidate.Empty) || slices.Contains(n.reasons, candidate.Underutilized) {
		d = lastsForConsolidation
	}
	if t := p.teams[p.unit[n.name]]; t != nil && n.reasons[0] != candidate.Unhealthy {
		d = min(d+time.Duration(len(t.nodes)-1)*perNode, lastsForConsolidation)
	}
	return p.now.Add(d).UTC().Truncate(time.Second)
}

// ending returns when a release ends that is taken back: soon, but not at once, so that a Karpenter that has not seen the hold yet is not
// denied what it had been allowed. One that ends too soon for that goes on for so long, such as where somebody has taken the hold away.
func (p *planner) ending(node string, until time.Time) time.Time {
	if end := p.now.Add(early).UTC().Truncate(time.Second); end.Before(until) || !p.Marks[node].Held() {
		return end
	}
	return until
}

// store describes what the pools store: what is released now, what still may be taken, and the memory of the decisions. What a release has
// started that is taken back has not started.
func (p *planner) store() {
	releases := map[string]map[string]time.Time{}
	add := func(pool, node string, until time.Time) {
		if releases[pool] == nil {
			releases[pool] = map[string]time.Time{}
		}
		releases[pool][node] = until
	}
	back := map[string]bool{}
	for i := range p.Input.Nodes {
		n := &p.Input.Nodes[i]
		if until, live := p.live[n.Name]; live {
			_, kept := p.kept[n.Name]
			if back[n.Name] = !kept; !kept {
				until = p.ending(n.Name, until)
				p.plan.Next = sooner(p.plan.Next, until.Add(Skew)) // others may be disrupted, and it may again
			}
			add(n.Pool, n.Name, until)
		}
	}
	for _, n := range p.after.nodes {
		add(n.pool, n.name, p.until(n))
		p.plan.Next = sooner(p.plan.Next, p.until(n).Add(-early))
	}
	memory := edited(p.after.in.Memory, func(key string, s disruptkit.Start) (disruptkit.Start, bool) { return p.undated(key, s), !back[s.Node] })
	memory = vacated(memory, func(node string) bool { return back[node] })
	p.idle(memory, func(node string) bool {
		_, live := p.live[node]
		return live || p.after.has(node)
	})
	for pool := range p.pools {
		p.plan.Pools[pool] = Stored{Memory: memory[pool], Releases: releases[pool]}
	}
	for _, g := range p.Input.Groups {
		p.plan.Groups[g.Key()] = Stored{Memory: memory[g.Key()], Releases: p.sharedBy(g, releases)}
	}
}

// sharedBy returns what a policy stores of the releases of all its pools. One that was used stays until it would have ended: whoever leads next may
// have read the policy, and not yet that the node is disrupted.
func (p *planner) sharedBy(g disruptkit.Group, releases map[string]map[string]time.Time) map[string]time.Time {
	of := map[string]time.Time{}
	for node, until := range p.Shared[g.Key()] {
		if until.Add(Skew).After(p.now) {
			of[node] = until
		}
	}
	for _, pool := range g.Pools {
		maps.Copy(of, releases[pool])
	}
	return of
}

// hold describes what to write on nodes. Holds are first, then releases, then what only people read.
func (p *planner) hold() {
	released := map[string]chosen{}
	for _, n := range p.after.nodes {
		released[n.name] = n
	}
	why := p.reasons()
	told := 0
	for i := range p.Input.Nodes {
		n := &p.Input.Nodes[i]
		mark, there := p.Marks[n.Name]
		if !there {
			continue
		}
		w := Write{Node: n.Name, Pool: n.Pool, Unit: p.unit[n.Name], Kind: Tell, Why: p.told(mark.Why, cmp.Or(why[n.Name], nothing))}
		until, live := p.live[n.Name]
		kept, goesOn := p.kept[n.Name]
		chosen, goes := released[n.Name]
		switch {
		case !p.pools[n.Pool]:
			if a := p.Ages[n.Name]; !mark.Ours() || p.Enforced[n.Pool] || a.Drifts != "" || a.Settles {
				continue
			}
			w.Kind = Clear
		case n.InFlight() && n.Maintenance.Condition == "": // what is in maintenance only counts, and Karpenter may take it
			continue // it is disrupted, and what is written on it changes nothing
		case goesOn:
			w = releaseOf(kept, until, w.Unit)
		case live:
			if w.Until = p.ending(n.Name, until); mark.Held() && mark.Until.Equal(w.Until) {
				break // it has been taken back
			}
			w.Kind = TakeBack
			if !mark.Held() && until.Sub(p.now) <= early {
				p.plan.Rests[n.Name] = p.Rests[n.Name].again(p.now, mark.Until)
			}
		case goes:
			w = releaseOf(chosen, p.until(chosen), w.Unit)
			w.Since = p.now
		case !mark.Held():
			w.Kind, p.plan.Held[n.Pool] = Hold, false
		}
		if _, new := p.plan.Rests[n.Name]; !new && p.Rests[n.Name].Times > 0 && len(n.Conditions) > 0 {
			p.plan.Rests[n.Name] = p.Rests[n.Name]
		}
		if len(w.Annotations(mark)) == 0 {
			continue
		}
		if w.Kind == Tell {
			if told++; told > mostTold {
				continue
			}
		}
		p.plan.Writes = append(p.plan.Writes, w)
	}
	rank := map[Kind]int{Release: 1, ReleaseForRepair: 1, Tell: 2}
	slices.SortStableFunc(p.plan.Writes, func(a, b Write) int { return cmp.Compare(rank[a.Kind], rank[b.Kind]) })
}

// age reports which NodeClaims are to drift, and when the next node expires.
func (p *planner) age() {
	for i := range p.Input.Nodes {
		n := &p.Input.Nodes[i]
		if a := p.Ages[n.Name]; p.over(n) {
			p.plan.Drift[n.Name] = ""
		} else if p.pools[n.Pool] && a.At.After(p.now) {
			p.plan.Next = sooner(p.plan.Next, a.At)
		}
	}
	for _, n := range slices.Concat(p.after.nodes, slices.Collect(maps.Values(p.kept))) {
		if reason := p.Ages[n.name].toDrift(n.reasons, p.follows[n.name]); reason != "" {
			p.plan.Drift[n.name] = reason
		}
	}
}

// releaseOf returns the write of a release.
func releaseOf(n chosen, until time.Time, unit string) Write {
	w := Write{Node: n.name, Pool: n.pool, Unit: unit, Kind: Release, Until: until}
	if n.reasons[0] == candidate.Unhealthy {
		w.Kind = ReleaseForRepair
	}
	for i, r := range n.reasons {
		if i > 0 {
			w.Why += " "
		}
		w.Why += string(r)
	}
	return w
}

// told returns why a node is held, as its annotation has it, while all that has changed is that it is held for longer: while another node is
// released, that changes at each look.
func (p *planner) told(was, is string) string {
	cause, before, _ := strings.Cut(was, untilText)
	same, after, _ := strings.Cut(is, untilText)
	end, err := time.Parse(time.RFC3339, before)
	if later, bad := time.Parse(time.RFC3339, after); err != nil || bad != nil || cause != same || later.Before(end) || !end.After(p.now) {
		return is
	}
	return was
}

// untilText precedes the time up to which a node is held.
const untilText = " until "

// nothing is why nodes are held that nobody wants to disrupt.
const nothing = "no reason to be disrupted"

// reasons returns, by node, what blocks those that have a reason to go: the first blocker, and when it lifts.
func (p *planner) reasons() map[string]string {
	why, allowed := map[string]string{}, map[string]candidate.Reason{}
	for _, reason := range methods {
		if !slices.ContainsFunc(p.after.in.Nodes, func(n candidate.Node) bool { return has(&n, reason) }) {
			continue
		}
		in := p.after.in
		if reason == candidate.Unhealthy {
			in = alone(in)
		}
		d := p.recording.Decide(in, reason)
		p.expectSoon(d)
		for _, c := range d.Allowed {
			allowed[c.Node] = c.Reason
		}
		for _, c := range d.Blocked {
			if len(c.Blockers) == 0 || why[c.Node] != "" {
				continue
			}
			b := c.Blockers[0]
			why[c.Node] = string(c.Reason) + ": " + string(b.Gate) + "/" + string(b.Code)
			if !b.Until.IsZero() {
				why[c.Node] += untilText + b.Until.UTC().Format(time.RFC3339)
			}
		}
	}
	for node, reason := range allowed {
		if why[node] == "" {
			why[node] = string(reason) + ": may be disrupted, and waits for its release"
			if until := p.rest(node).until(); until.After(p.now) {
				why[node] = string(reason) + ": Karpenter has not used the last release; the next one is after " + until.UTC().Format(time.RFC3339)
			}
		}
	}
	return why
}
