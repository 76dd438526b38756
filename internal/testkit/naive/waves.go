package naive

import (
	"fmt"
	"hash/fnv"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/dialect"
)

// rollout returns the waves that a pool or a group has for a reason, and whether they can be read.
func rollout(p scope, reason candidate.Reason, d dialect.Dialect) (r *budget.Rollout, broken bool) {
	spec := p.Budgets.Spec()
	if d == dialect.Karpenter || spec.Dialect == dialect.Karpenter {
		return nil, false
	}
	switch r = spec.Defaults.Rollout; reason.Method() {
	case "Drifted":
		if spec.Drift.Rollout != nil {
			r = spec.Drift.Rollout
		}
	case "Expired":
		if spec.Expiration.Rollout != nil {
			r = spec.Expiration.Rollout
		}
	case "Empty":
		return spec.Emptiness.Rollout, true
	case "Underutilized":
		return spec.Consolidation.Rollout, true
	default:
		return nil, false
	}
	if r == nil {
		return nil, false
	}
	bake, err := time.ParseDuration(r.Bake)
	broken = len(r.Waves) == 0 || r.Bake != "" && (err != nil || bake < 0 || bake > 30*24*time.Hour)
	last := map[bool]int{}
	for _, w := range r.Waves {
		number, percent := strings.CutSuffix(w, "%")
		n, err := strconv.Atoi(number)
		broken = broken || err != nil || n < 1 || percent && n > 100 || n <= last[percent]
		last[percent] = n
	}
	return r, broken
}

// has reports whether a node has a reason of a method.
func has(n candidate.Node, method candidate.Reason) bool {
	return slices.ContainsFunc(n.Conditions, func(c candidate.Condition) bool { return c.Reason.Method() == method })
}

// waves returns the code of what the waves of a pool or a group say of one more node.
func (d *decision) waves(p scope, r request) []string {
	method := r.c.Reason.Method()
	written, broken := rollout(p, method, d.in.Dialect)
	switch {
	case written == nil:
		return nil
	case broken:
		return []string{"wave/invalid-rollout"}
	case d.in.Now.IsZero():
		return d.timeless(p, written, method)
	}
	m := d.progress(p, written, method)
	counted, used, ready, moving, fresh := d.waveCounts(p, method, m.Pools)
	var sizes []int
	for _, w := range written.Waves {
		number, percent := strings.CutSuffix(w, "%")
		n, _ := strconv.Atoi(number)
		if percent {
			n = (counted*n + 99) / 100
		}
		sizes = append(sizes, n)
	}
	slices.Sort(sizes)
	baked, done := 0, 0
	for i, size := range sizes {
		if i < m.Baked && size <= fresh {
			baked = i + 1
		}
		if moving == 0 && size <= ready {
			done = i + 1
		}
	}
	code := "wave/wave-full"
	if done > baked {
		code = "wave/bakes"
		since := m.Since
		if since.IsZero() || since.After(d.in.Now) || done > m.Done {
			since = d.in.Now
		}
		bake, err := time.ParseDuration(written.Bake)
		if err != nil { // it is ""
			bake = 10 * time.Minute
		}
		if !d.denied(p, method) && d.in.Now.Sub(since) >= bake {
			baked, code = done, "wave/wave-full"
		}
	}
	others := decision{in: d.in, allowed: d.together}
	if taken := used + d.leaving(p, method, m.Pools); baked < len(sizes) &&
		alone(p, taken, others.leaving(p, method, m.Pools)) >= sizes[baked] {
		return []string{code}
	}
	return nil
}

// progress returns what is remembered of a roll, if it is still the same: the first of a method counts.
func (d *decision) progress(p scope, written *budget.Rollout, method candidate.Reason) (none disruptkit.Progress) {
	for _, o := range d.in.Memory[p.key].Waves {
		if o.Method == method {
			if o.Revision == d.revision(p) && slices.Equal(o.Waves, written.Waves) {
				return o
			}
			return none
		}
	}
	return none
}

// timeless is waves without a time: nothing goes then, and the first wave is the one that counts.
func (d *decision) timeless(p scope, r *budget.Rollout, method candidate.Reason) []string {
	counted, used, _, _, _ := d.waveCounts(p, method, d.progress(p, r, method).Pools)
	for _, w := range r.Waves {
		number, percent := strings.CutSuffix(w, "%")
		n, _ := strconv.Atoi(number)
		if percent {
			n = (counted*n + 99) / 100
		}
		if used >= n {
			return []string{"wave/wave-full"}
		}
	}
	return nil
}

// waveCounts counts the nodes of a pool or a group: all, those that are new or in flight, those that are new and Ready,
// those in flight, joining or missing, and those that are new, in flight or not. But for the first number, they are
// those of pools that have a node with the reason, or had one.
func (d *decision) waveCounts(p scope, method candidate.Reason, had []string) (
	counted, used, ready, moving, fresh int,
) {
	var flying, joining []candidate.Node
	rolls := func(pool string) bool { return d.rolls(p, pool, method, had) }
	for _, n := range d.in.Nodes {
		if !p.has(n) {
			continue
		}
		if n.Phase.Joining() && !n.Rebooting {
			if n.Leaving == candidate.Staying && rolls(n.Pool) {
				joining = append(joining, n)
			}
			continue
		}
		if n.Leaving == candidate.Terminating {
			continue
		}
		single := d.called(n.Name) == 1
		if single {
			counted++
		}
		if rolls(n.Pool) && !has(n, method) {
			fresh++
		}
		switch {
		case !rolls(n.Pool):
		case n.Leaving == candidate.Draining || n.Rebooting || !n.Phase.Known():
			flying = append(flying, n)
		case !has(n, method):
			used++
			if n.Phase == candidate.Running && single {
				ready++
			}
		}
	}
	moving = len(flying) + len(joining)
	used += moving - d.paired(p, flying, joining)
	for _, pool := range p.pools {
		if rolls(pool) {
			used, moving = used+d.missing(pool), moving+d.missing(pool)
		}
	}
	return counted, used, ready, moving, fresh
}

// rolls reports whether a pool of a group rolls for a method, or has. A pool alone always does.
func (d *decision) rolls(p scope, pool string, method candidate.Reason, had []string) bool {
	return len(p.pools) == 1 || slices.Contains(had, pool) ||
		slices.ContainsFunc(d.in.Nodes, func(n candidate.Node) bool { return n.Pool == pool && has(n, method) })
}

// paired returns how many nodes that join count as the replacements of nodes in flight. The latest start takes the
// earliest node that was created after it.
func (d *decision) paired(p scope, flying, joining []candidate.Node) (n int) {
	joining = slices.Clone(joining)
	slices.SortFunc(joining, func(a, b candidate.Node) int { return a.Created.Compare(b.Created) })
	var begun []time.Time
	named := map[string]bool{}
	for _, f := range flying {
		if named[f.Name] {
			continue
		}
		named[f.Name] = true
		var start time.Time
		for _, s := range d.in.Memory[p.key].Starts {
			if s.Node == f.Name && !s.Over && s.At.After(start) {
				start = s.At
			}
		}
		if slices.ContainsFunc(joining, func(j candidate.Node) bool { return j.Replaces == f.Name }) {
			n++
		} else {
			begun = append(begun, start)
		}
	}
	slices.SortFunc(begun, func(a, b time.Time) int { return b.Compare(a) })
	for _, start := range begun {
		i := slices.IndexFunc(joining, func(j candidate.Node) bool {
			return j.Replaces == "" && !start.IsZero() && start.Before(j.Created)
		})
		if i >= 0 {
			joining = slices.Delete(joining, i, i+1)
			n++
		}
	}
	return n
}

// leaving returns how many nodes that are not new have been allowed to go, except those whose replacement joins
// already.
func (d *decision) leaving(p scope, method candidate.Reason, had []string) (n int) {
	for _, o := range d.allowed {
		joins := o.node.Phase.Joining() && !o.node.Rebooting
		awaited := slices.ContainsFunc(d.in.Nodes, func(n candidate.Node) bool {
			return p.has(n) && d.rolls(p, n.Pool, method, had) && n.Phase.Joining() && !n.Rebooting &&
				n.Leaving == candidate.Staying && n.Replaces == o.node.Name
		})
		if p.has(o.node) && !joins && o.node.Leaving == candidate.Staying && has(o.node, method) && !awaited {
			n++
		}
	}
	return n
}

// denied reports whether a probe or a breaker denies a reason of a method to some node of a pool or a group.
func (d *decision) denied(p scope, method candidate.Reason) bool {
	for _, n := range d.in.Nodes {
		for _, c := range n.Conditions {
			if p.has(n) && c.Reason.Method() == method {
				for _, pool := range p.pools { // each of them, for each reason that some node has
					if of, known := d.pool(pool); known && len(signals(d.in, of, c.Reason)) > 0 {
						return true
					}
				}
			}
		}
	}
	return false
}

// revision returns what is remembered of the revisions of a pool or of a group's pools.
func (d *decision) revision(p scope) string {
	if p.layer == 0 {
		return p.Revision
	}
	h := fnv.New64a()
	slices.Sort(p.pools)
	for _, pool := range p.pools {
		of, _ := d.pool(pool)
		fmt.Fprintf(h, "%q %q\n", pool, of.Revision)
	}
	return fmt.Sprintf("%016x", h.Sum64())
}

// first reports whether a request stands before others, since it has no deadline, and waves begin with its node.
func first(in disruptkit.Input, r request) bool {
	return r.c.Deadline.IsZero() && begins(in, r.node, r.c.Reason)
}

// begins reports whether the waves of a node's pool or its groups begin with the node.
func begins(in disruptkit.Input, n candidate.Node, reason candidate.Reason) bool {
	for _, p := range scopes(in, n.Pool) {
		if r, _ := rollout(p, reason, in.Dialect); r != nil && r.From != nil {
			if first, _ := r.From.Matches(n.Labels); first {
				return true
			}
		}
	}
	return false
}

// Waves returns how many nodes of a pool or a group are new or in flight, for a method, as waves count them. Key is
// where its memory is, and had has the pools that have rolled, as is remembered.
func Waves(in disruptkit.Input, key string, pools, had []string, method candidate.Reason) (used int) {
	d := decision{in: in}
	_, used, _, _, _ = d.waveCounts(scope{key: key, pools: pools}, method, had)
	return used
}
