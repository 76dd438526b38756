package generate

import (
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/probe/breaker"
)

// ReplacementBreaker generates valid breakers with cool-downs of some minutes, or until reset.
func ReplacementBreaker(now time.Time) func(Source) breaker.Replacement {
	return func(s Source) breaker.Replacement {
		b := breaker.Replacement{
			Reasons:  several(s, 0, 2, Reason),
			Failures: s.Between(1, 4),
			CoolDown: time.Duration(s.Between(1, 30)) * time.Minute,
			ResetAt:  resetAt(s, now),
		}
		b.Of = b.Failures + s(4)
		if s.seldom() {
			b.CoolDown = candidate.Forever
		}
		return b
	}
}

// Launches generates up to 12 launches within the last hour, in any order, many at the same time.
func Launches(now time.Time) func(Source) []breaker.Launch {
	return func(s Source) []breaker.Launch {
		return several(s, 0, 12,
			func(s Source) breaker.Launch { return breaker.Launch{At: lately(s, now), Failed: s.Bool()} })
	}
}

// ScaleDownBreaker generates valid breakers with a cool-down, without one, or until reset.
func ScaleDownBreaker(now time.Time) func(Source) breaker.ScaleDown {
	return func(s Source) breaker.ScaleDown {
		b := breaker.ScaleDown{
			Reasons:  several(s, 0, 2, Reason),
			MoreThan: s(5),
			Within:   time.Duration(s.Between(1, 20)) * time.Minute,
			CoolDown: time.Duration(s(31)) * time.Minute,
			ResetAt:  resetAt(s, now),
		}
		if s.seldom() {
			b.CoolDown = candidate.Forever
		}
		return b
	}
}

// Downs generates the times at which up to 12 nodes began to go down within the last hour, in any order, many at the
// same time.
func Downs(now time.Time) func(Source) []time.Time {
	return func(s Source) []time.Time {
		return several(s, 0, 12, func(s Source) time.Time { return lately(s, now) })
	}
}

// lately generates whole minutes of the last hour up to now, and sometimes one of the next few.
func lately(s Source, now time.Time) time.Time {
	return now.Add(time.Duration(s.Between(-60, 3)) * time.Minute)
}

// resetAt generates the time of a breaker's reset: mostly never.
func resetAt(s Source, now time.Time) time.Time {
	if s(3) < 2 {
		return time.Time{}
	}
	return lately(s, now)
}
