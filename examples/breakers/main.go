// Command breakers stops disruption because of what has just happened: too many nodes went down, or new ones failed to
// become Ready.
package main

import (
	"errors"
	"fmt"
	"log"
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/probe"
	"github.com/disruptkit/disruptkit/probe/breaker"
)

// history is what an autoscaler remembers for its breakers. They have no memory of their own.
type history struct {
	down     []time.Time      // when nodes began to go down
	launches []breaker.Launch // new nodes that became Ready, or failed to
}

func main() {
	down := breaker.ScaleDown{
		Name: "scale-down", MoreThan: 3, Within: 15 * time.Minute, CoolDown: 30 * time.Minute,
		Reasons: []candidate.Reason{candidate.Drifted, candidate.Empty}, // but repair goes on
		ResetAt: at(8, 0),                                               // by somebody, this morning
	}
	launches := breaker.Replacement{
		Name: "replacements", Failures: 2, Of: 3, CoolDown: time.Hour,
		Reasons: []candidate.Reason{candidate.Drifted}, // an empty node needs no replacement
	}
	if err := errors.Join(down.Validate(), launches.Validate()); err != nil {
		log.Fatal(err) // a broken breaker would stop everything
	}
	freeze := probe.Verdict{ // of a signal of your own: here, the team's calendar
		Probe: "freeze", Allowed: true, Code: candidate.CodeDenied,
		Denied: []probe.Denial{{
			Reason: candidate.Drifted, Pools: []probe.PoolSelector{"team=search"},
			Cause: "load test", Until: at(14, 15),
		}},
	}

	var h history
	step := func(what string, now time.Time, others ...probe.Verdict) {
		fmt.Println(now.Format("15:04"), what)
		decide(now, append(others, down.Verdict(h.down, now), launches.Verdict(h.launches, now)))
	}
	step("nothing has happened yet", at(12, 0))

	for minute := range 4 {
		h.down = append(h.down, at(12, 2+minute))
	}
	step("somebody's script has deleted four nodes", at(12, 10))
	step("half an hour later", at(12, 40))

	h.launches = []breaker.Launch{{At: at(12, 45)}, {At: at(12, 50), Failed: true}, {At: at(12, 55), Failed: true}}
	step("the new image does not boot", at(13, 0))
	launches.ResetAt = at(13, 10)
	step("the image is mended, and somebody resets the breaker", at(13, 10))
	step("a load test begins", at(14, 0), freeze)
}

// decide decides on a drifted and an empty node, which only the verdicts can block.
func decide(now time.Time, verdicts []probe.Verdict) {
	unlimited, err := budget.Compile([]budget.Budget{})
	if err != nil {
		log.Fatal(err)
	}
	pool := disruptkit.Pool{Name: "default", Labels: map[string]string{"team": "search"}, Budgets: unlimited}
	in := disruptkit.Input{Now: now, Pools: []disruptkit.Pool{pool}, Verdicts: verdicts}
	for _, reason := range []candidate.Reason{candidate.Drifted, candidate.Empty} {
		in.Nodes = append(in.Nodes, candidate.Node{
			Name: "node-" + string(reason), Pool: pool.Name, Phase: candidate.Running,
			Conditions: []candidate.Condition{{Reason: reason, Since: at(9, 0)}},
		})
	}
	d := disruptkit.Decide(in, "")
	for _, c := range d.Allowed {
		fmt.Println("  drain", c.Node)
	}
	for _, c := range d.Blocked {
		fmt.Println("  keep ", c.Node, c.Blockers)
	}
}

func at(hour, minute int) time.Time { return time.Date(2026, 11, 20, hour, minute, 0, 0, time.UTC) }
