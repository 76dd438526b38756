// Package probe is the command that polls the disruptionProbes of NodePools, and prints what their verdicts are.
package probe

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"time"

	"github.com/disruptkit/disruptkit/cmd/internal/program"
)

func help(env program.Environment) string {
	return `probe polls the disruptionProbes of NodePools, and prints their verdicts whenever they change, until it is interrupted.
Each is first asked within ten seconds.

  ` + env.Name + ` -f nodepools.yaml

Probes are those of Karpenter's external disruption signals RFC, under spec.disruption or spec.template.disruption. Write
them in a file: Karpenter's NodePools do not have them yet, so the API server refuses them, or drops them for clients
without strict validation.

  disruptionProbes:
  - {host: health.monitoring.svc, port: 8080, path: /healthz}   # 200 to 202: nodes may go
  - {host: incidents.ops.svc, port: 80, mode: body}             # and the body, in YAML or JSON: deniedActions: [drift]

  -f file     read NodePools as YAML or JSON; - is standard input
  --for time  end after this time, such as 30s

The exit status is 0; 1 if some NodePools or probes are broken, which is named on standard error, while all others are
polled; or 2 if there is nothing to poll.
`
}

var examples = [][2]string{
	{"NAME -f nodepools.yaml", "the probes of some NodePools, until interrupted"},
	{"NAME -f nodepools.yaml --for 30s", "for half a minute, in a script"},
}

// options are what the arguments say.
type options struct {
	file string        // - is standard input
	end  time.Duration // after which polling ends; 0: it does not
}

// written has the values of the flags as text.
type written struct {
	*flag.FlagSet
	options
	end string
}

func newFlags() *written {
	w := &written{FlagSet: flag.NewFlagSet("probe", flag.ContinueOnError)}
	w.SetOutput(io.Discard) // errors are returned
	w.StringVar(&w.file, "f", "", "")
	w.StringVar(&w.end, "for", "", "")
	return w
}

// Flags returns the flags that there are.
func Flags() *flag.FlagSet { return newFlags().FlagSet }

// parseOptions returns flag.ErrHelp where help is asked for.
func parseOptions(env program.Environment, args []string) (options, error) {
	w := newFlags()
	var rest []string
	err := env.Parse(w.FlagSet, args, func(arg string) { rest = append(rest, arg) })
	switch {
	case err != nil:
		return options{}, err
	case len(rest) > 0:
		return options{}, program.None(rest)
	case w.file == "":
		return options{}, fmt.Errorf("name a file with NodePools: %s -f nodepools.yaml", env.Name)
	case w.end == "":
		return w.options, nil
	}
	o := w.options
	if o.end, err = time.ParseDuration(w.end); err != nil || o.end <= 0 {
		return options{}, fmt.Errorf("--for %q is not a time to poll for: write one such as 30s", w.end)
	}
	return o, nil
}

// hint says where an error's reader finds out more.
func hint(env program.Environment, text string) error {
	return errors.New(text + ", as " + env.Name + " --help shows")
}
