// Package forecast is the command that shows what the disruption budgets of NodePools mean: when how many nodes may be disrupted, for which reason, which
// budget says so, and which of them are probably mistakes.
//
// What it shows comes from budget.Set.Forecast and lint.Run: the timeline is
// exact, not sampled.
package forecast

import (
	"context"
	"slices"

	"github.com/disruptkit/disruptkit/cmd/internal/command"
)

// The exit status.
const (
	good     = command.Good
	faulty   = command.Faulty
	hopeless = command.Hopeless
)

// run forecasts, and prints the forecast.
func (o *options) run(_ context.Context, env command.Environment, files []string) (status int, err error) {
	if err := o.finish(env, files); err != nil {
		return hopeless, err
	}
	in, err := read(*o, env)
	in.report(env.Stderr)
	if err != nil {
		return hopeless, err
	}
	pools, err := forecastAll(*o, in)
	if err == nil {
		err = o.print(env.Stdout, report{*o, pools, in.faults})
	}
	switch {
	case err != nil || len(in.unread) > 0: // the rest was shown
		return hopeless, err
	case in.broken || slices.ContainsFunc(pools, (*pool).broken):
		return faulty, nil
	}
	return good, nil
}
