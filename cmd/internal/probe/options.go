// Package probe is the command that polls the disruptionProbes of NodePools, and prints what their verdicts are.
package probe

import (
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/disruptkit/disruptkit/cmd/internal/command"
)

const long = `probe polls the disruptionProbes of NodePools, and prints their verdicts whenever they change, until it is interrupted.
It asks each probe for the first time within ten seconds.

Probes are those of Karpenter's external disruption signals RFC, under spec.disruption or spec.template.disruption. Write
them into a file: Karpenter's NodePools do not have them yet, so the API server refuses them, or drops them for clients
without strict validation.

  disruptionProbes:
  - {host: health.monitoring.svc, port: 8080, path: /healthz}   # 200 to 202: nodes may be disrupted
  - {host: incidents.ops.svc, port: 80, mode: body}             # and the body, in YAML or JSON: deniedActions: [drift]

The exit status is 0; 1 if some NodePools or probes are broken, which standard error names, while all others are polled; or
2 if there is nothing to poll.`

const examples = `  # the probes of some NodePools, until interrupted
  kubectl disruption probe -f nodepools.yaml
  # for half a minute, in a script
  kubectl disruption probe -f nodepools.yaml --for 30s`

// Command returns the command.
func Command(env *command.Environment) *cobra.Command {
	var w written
	c := command.New(env, &cobra.Command{
		Use:         "probe -f nodepools.yaml [flags]",
		Short:       "What the disruptionProbes of NodePools say, as it changes",
		Long:        long,
		Example:     examples,
		Args:        command.NoFile,
		Annotations: command.WithoutCluster(),
	}, w.follow)
	f := c.Flags()
	command.FileVarP(f, &w.file, "filename", "f", "the `file` with NodePools, as YAML or JSON; - is standard input")
	f.StringVar(&w.end, "for", "", "end after this `time`, such as 30s (default: when interrupted)")
	return c
}

// options are what the arguments say.
type options struct {
	file string        // - is standard input
	end  time.Duration // after which polling ends; 0: it does not
}

// written has the values of the flags as text.
type written struct{ file, end string }

// parse reads the flags.
func (w written) parse(env command.Environment) (o options, err error) {
	o.file = w.file
	switch {
	case w.file == "":
		return o, fmt.Errorf("name a file with NodePools: %s -f nodepools.yaml", env.Name)
	case w.end == "":
		return o, nil
	}
	if o.end, err = time.ParseDuration(w.end); err != nil || o.end <= 0 {
		return o, fmt.Errorf("--for %q is not a time to poll for: write one such as 30s", w.end)
	}
	return o, nil
}

// hint reports where an error's reader finds out more.
func hint(env command.Environment, text string) error {
	return errors.New(text + ", as " + env.Name + " --help shows")
}
