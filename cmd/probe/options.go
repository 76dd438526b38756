package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"time"
)

const help = `probe shows how signals from outside stop disruption. Without flags it tells a story of some fifteen seconds: a server
of its own falls ill in several ways, three probes ask it every second, and disruptkit decides which nodes of a small
cluster may go.

  go run ./probe -f nodepools.yaml

With -f it polls the disruptionProbes of NodePools, and prints their verdicts whenever they change, until it is
interrupted. Each is first asked within ten seconds. Probes are those of Karpenter's external disruption signals
RFC, under spec.disruption or spec.template.disruption. Write them in a file: Karpenter's NodePools do not
have them yet, so the API server refuses them, or drops them for clients without strict validation.

  disruptionProbes:
  - {host: health.monitoring.svc, port: 8080, path: /healthz}   # 200 to 202: nodes may go
  - {host: incidents.ops.svc, port: 80, mode: body}             # and the body, in YAML or JSON: deniedActions: [drift]

  -f file    read NodePools as YAML or JSON; - is standard input
  -for time  with -f: end after this time, such as 30s

The exit status is 0; 1 if some NodePools or probes are broken, which is named on standard error, while all others are
polled; or 2 if there is nothing to poll.
`

// options are what the arguments say.
type options struct {
	file string        // "" is the story, - standard input
	end  time.Duration // after which polling ends; 0: it does not
}

// parseOptions returns flag.ErrHelp where help is asked for.
func parseOptions(args []string) (options, error) {
	flags := flag.NewFlagSet("probe", flag.ContinueOnError)
	flags.SetOutput(io.Discard) // errors are returned
	var o options
	flags.StringVar(&o.file, "f", "", "")
	end := flags.String("for", "", "")
	switch err := flags.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		return options{}, err
	case err != nil:
		return options{}, fmt.Errorf("%w: write probe -h to see the flags", err)
	case flags.NArg() > 0:
		return options{}, fmt.Errorf("%q is not a flag: to read a file, write -f %[1]s", flags.Arg(0))
	case *end == "":
		return o, nil
	case o.file == "":
		return options{}, errors.New("-for is for -f: without it, the story ends by itself")
	}
	var err error
	if o.end, err = time.ParseDuration(*end); err != nil || o.end <= 0 {
		return options{}, fmt.Errorf("-for %q is not a time to poll for: write one such as 30s", *end)
	}
	return o, nil
}
