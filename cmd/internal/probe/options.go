// Package probe is the command that polls the disruptionProbes of NodePools, and prints what their verdicts are.
package probe

import (
	"errors"
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
	var o options
	c := command.New(env, &cobra.Command{
		Use:         "probe -f nodepools.yaml [flags]",
		Short:       "What the disruptionProbes of NodePools say, as it changes",
		Long:        long,
		Example:     examples,
		Args:        command.NoFile,
		Annotations: command.WithoutCluster(),
	}, o.follow)
	f := c.Flags()
	command.FileVarP(f, &o.file, "filename", "f", "the `file` with NodePools, as YAML or JSON; - is standard input")
	f.DurationVar(&o.end, "for", 0, "end after this `time`, such as 30s (default: when interrupted)")
	return c
}

// options are what the flags say.
type options struct {
	file string        // - is standard input
	end  time.Duration // after which polling ends; 0: it does not
}

// hint reports where an error's reader finds out more.
func hint(env command.Environment, text string) error {
	return errors.New(text + ", as " + env.Name + " --help shows")
}
