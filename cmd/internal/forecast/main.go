// Package forecast is the command that shows what the disruption budgets of NodePools mean: when how many nodes may go, for which reason, which
// budget says so, and which of them are probably mistakes.
//
// What it shows comes from budget.Set.Forecast and budget.Set.Lint: the timeline is
// exact, not sampled.
package forecast

import (
	"errors"
	"flag"
	"slices"

	"github.com/disruptkit/disruptkit/cmd/internal/program"
)

// The exit status.
const (
	good     = program.Good
	faulty   = program.Faulty
	hopeless = program.Hopeless
)

// Run is the whole program.
func Run(env program.Environment, args []string) int {
	o, err := parseOptions(env, args)
	if errors.Is(err, flag.ErrHelp) {
		env.Help(help(env), examples...)
		return good
	}
	var in input
	if err == nil {
		in, err = read(o, env)
		in.report(env.Stderr)
	}
	var pools []*pool
	if err == nil {
		pools, err = forecastAll(o, in)
	}
	if err == nil {
		err = o.print(env.Stdout, report{o, pools, in.faults})
	}
	switch {
	case err != nil:
		return env.Fail(err)
	case len(in.unread) > 0: // the rest was shown
		return hopeless
	case in.broken || slices.ContainsFunc(pools, (*pool).broken):
		return faulty
	case o.check && slices.ContainsFunc(pools, (*pool).fails):
		return faulty
	}
	return good
}
