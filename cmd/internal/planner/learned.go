package planner

import (
	"cmp"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/plan"
)

// A learned is how long something takes, from what is measured while it goes on, and from what was given before.
//
// The next one is equally likely to be shorter than all measured ones, longer than all, or between any two neighbours. What still lasts
// is as likely to end as the others that have lasted as long (Kaplan and Meier), so that long ones count although short ones end sooner.
// Until enough are measured, given times replace the missing ones; a default does not.
//
// A few cases do not show how likely each is. So each run of a plan, which has a seed, weights them at random (the Bayesian bootstrap).
type learned struct {
	all     []measurement
	given   plan.Takes
	isGiven bool
	seed    uint64
	known   map[string][]share // by pool
}

const (
	enough     = 5  // that are measured: then what was given does not matter any more
	givenParts = 20 // into which that is cut
)

func newLearned(all []measurement, given plan.Takes, isGiven bool, seed uint64) *learned {
	return &learned{all, given, isGiven, seed, map[string][]share{}}
}

// of returns how long a step takes for a node, by how likely that is.
func (l *learned) of(n candidate.Node, begins time.Time) []share {
	if _, found := l.known[n.Pool]; !found {
		l.known[n.Pool] = l.shares(n, begins)
	}
	return l.known[n.Pool]
}

// shares returns those of a node's pool, or of all pools if it has not enough of its own.
func (l *learned) shares(n candidate.Node, begins time.Time) []share {
	all := slices.DeleteFunc(slices.Clone(l.all), func(m measurement) bool { return m.pool != n.Pool })
	if len(ended(all)) < enough {
		all = l.all
	}
	times := ended(all)
	shares := gaps(times)
	name := fnv.New64a()
	name.Write([]byte(n.Pool))
	random := rand.New(rand.NewPCG(l.seed, name.Sum64()))
	for i := range shares {
		shares[i].weight = random.ExpFloat64()
	}
	missing := enough - len(times)
	if missing > 0 && (l.isGiven || len(times) == 0) {
		for i := range givenParts {
			takes := l.given(n, begins, (float64(i)+0.5)/givenParts)
			shares = append(shares, share{float64(missing) / givenParts, takes, takes})
		}
	}
	inOrder(shares)
	return lasting(shares, all, random)
}

// gaps returns those between times in order, and one at each end: from half of the first on, and up to twice the last.
func gaps(times []time.Duration) (shares []share) {
	for i, t := range times {
		if i == 0 {
			shares = append(shares, share{1, t / 2, t})
		}
		to := 2 * t
		if i < len(times)-1 {
			to = times[i+1]
		}
		shares = append(shares, share{1, t, to})
	}
	return shares
}

// lasting gives the weight of each that still lasts to the shares beyond it.
func lasting(shares []share, all []measurement, random *rand.Rand) []share {
	all = slices.DeleteFunc(slices.Clone(all), func(m measurement) bool { return m.ends })
	slices.SortFunc(all, func(a, b measurement) int { return cmp.Compare(a.took, b.took) })
	for _, m := range all {
		beyond := 0.0
		for _, s := range shares {
			beyond += s.after(m.took).weight
		}
		more := random.ExpFloat64()
		if beyond == 0 {
			shares = append(shares, share{more, m.took, 2 * m.took})
			continue
		}
		for i := range shares {
			shares[i].weight += more * shares[i].after(m.took).weight / beyond
		}
	}
	return shares
}

// after returns the part of a share that takes longer than some time.
func (s share) after(since time.Duration) share {
	switch {
	case s.to <= since:
		return share{0, since, since}
	case s.from >= since:
		return s
	}
	return share{s.weight * float64(s.to-since) / float64(s.to-s.from), since, s.to}
}

// rest returns how much longer something takes that has lasted for some time. If nothing is known to last so long, it may last as long
// again.
func rest(shares []share, since time.Duration, chance float64) time.Duration {
	left := make([]share, len(shares))
	for i, s := range shares {
		left[i] = s.after(since)
	}
	if weight(left) == 0 {
		left = []share{{1, since, 2 * since}}
	}
	inOrder(left)
	return max(at(left, chance)-since, 0)
}
