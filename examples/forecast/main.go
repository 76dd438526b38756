// Command forecast shows what the disruption budgets of NodePools mean: when how many nodes may go, for which reason, which
// budget says so, and what of them hardly is what was meant.
//
//	go run ./forecast nodepool.yaml
//
// Without a file it shows a NodePool of its own. What it shows comes from budget.Set.Forecast and budget.Set.Lint: the timeline is
// exact, not sampled.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
)

// The exit status.
const (
	good     = 0
	faulty   = 1 // something in the input is broken, or -check has found an error; all else was shown
	hopeless = 2 // nothing was shown
)

func main() { os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }

// run is the whole program.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	o, err := parseOptions(args)
	if errors.Is(err, flag.ErrHelp) {
		fmt.Fprint(stdout, help)
		return good
	}
	var in input
	if err == nil {
		in, err = read(o, stdin)
		in.report(stderr)
	}
	var pools []*pool
	if err == nil {
		pools, err = forecastAll(o, in)
	}
	if err == nil {
		err = o.print(stdout, report{o, pools, in.faults})
	}
	switch {
	case err != nil:
		fmt.Fprintln(stderr, "forecast:", err)
		return hopeless
	case in.broken || slices.ContainsFunc(pools, (*pool).broken):
		return faulty
	case o.check && slices.ContainsFunc(pools, (*pool).fails):
		return faulty
	}
	return good
}
